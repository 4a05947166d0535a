"""Files of the company's repositories as pages with line anchors: `/code/NAME/path?at=REVISION#L10`."""

import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox.pages import not_there, page, shown

HOME = "Code of the sandbox"
LARGEST = 2_000_000
_REVISION = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_./-]{0,120}")


class CodePages:
    def __init__(self, repos: Callable[[], Mapping[str, Path]]) -> None:
        self._repos = repos

    def routes(self) -> list[Route]:
        return [shown("/code/{repo}", self.file), shown("/code/{repo}/{path:path}", self.file)]

    def file(self, request: Request, _form: FormData | None) -> Response:
        name, path = request.path_params["repo"], request.path_params.get("path", "").strip("/")
        revision = request.query_params.get("at", "HEAD")
        folder = self._repos().get(name)
        if folder is None or not _REVISION.fullmatch(revision) or "\0" in path:
            return not_there()
        what = f"{revision}:{path}"
        at = f"?at={revision}" if revision != "HEAD" else ""
        kind = _git(folder, "cat-file", "-t", what).strip()
        if kind == b"tree":
            names = _git(folder, "ls-tree", "--name-only", "-z", what).decode(errors="replace").split("\0")
            entries = [f"{path}/{entry}".lstrip("/") for entry in names if entry]
            return page("code.html", home=HOME, repo=name, path=path, at=at, entries=entries, lines=[])
        if kind != b"blob":
            return not_there()
        text = _git(folder, "cat-file", "blob", what)[:LARGEST].decode(errors="replace")
        return page("code.html", home=HOME, repo=name, path=path, at=at, entries=None, lines=text.splitlines())


def _git(folder: Path, *arguments: str) -> bytes:
    """The output of git, or nothing when it refuses."""
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False, timeout=20)
    return done.stdout if done.returncode == 0 else b""
