"""Files of the company's repositories as pages with line anchors: `/code/NAME/path?at=REVISION#L10`."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox.git import GitFailed, git
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
        name, path = request.path_params["repo"], request.path_params.get("path", "")
        revision = request.query_params.get("at", "HEAD")
        at = f"?at={revision}" if revision != "HEAD" else ""
        return file_page(self._repos().get(name), name, path, revision, root=f"/code/{name}", at=at)


def file_page(
    folder: Path | None, repo: str, path: str, revision: str, *, root: str, at: str = "", anchor: str = "L"
) -> Response:
    """A file or folder at a revision. `root` and `at` are what stands before and behind the path in an address,
    `anchor` what stands before the number of a line.
    """
    path = path.strip("/")
    if folder is None or not _REVISION.fullmatch(revision) or "\0" in path:
        return not_there()
    what = f"{revision}:{path}"
    kind = _git(folder, "cat-file", "-t", what).strip()
    known: dict[str, Any] = {"home": HOME, "repo": repo, "path": path, "root": root, "at": at, "anchor": anchor}
    if kind == b"tree":
        names = _git(folder, "ls-tree", "--name-only", "-z", what).decode(errors="replace").split("\0")
        entries = [f"{path}/{entry}".lstrip("/") for entry in names if entry]
        return page("code.html", **known, entries=entries, lines=[])
    if kind != b"blob":
        return not_there()
    text = _git(folder, "cat-file", "blob", what)[:LARGEST].decode(errors="replace")
    return page("code.html", **known, entries=None, lines=text.splitlines())


def _git(folder: Path, *arguments: str) -> bytes:
    """The output of git, or nothing when it refuses."""
    try:
        return git(folder, *arguments)
    except GitFailed:
        return b""
