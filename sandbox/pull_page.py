"""Pages of a Git host for a browser: a pull request with its difference, and a file at a commit."""

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox.addresses import ADDRESSES
from sandbox.code_page import file_page
from sandbox.git_api import pull_of
from sandbox.git_host import GitHost
from sandbox.pages import not_there, page, shown

HOME = "Git host of the sandbox"
MOST_FILES = 200


class PullPages:
    """At the addresses of one kind of host."""

    def __init__(self, host: GitHost, kind: str) -> None:
        self._host = host
        self._addresses = ADDRESSES[kind]

    def routes(self) -> list[Route]:
        pull = self._addresses.pull.replace("{number}", "{number:int}")
        return [shown(pull, self.pull), shown(f"{self._addresses.file}/{{path:path}}", self.file)]

    def pull(self, request: Request, _form: FormData | None) -> Response:
        repo = self._repo(request)
        pull = pull_of(self._host, repo, request.path_params["number"]) if repo else None
        if pull is None:
            return not_there()
        files = [(file, self._file(pull.repo, pull.head, file.path)) for file in self._host.changes(pull)[:MOST_FILES]]
        return page("pull.html", home=HOME, pull=pull, files=files)

    def file(self, request: Request, _form: FormData | None) -> Response:
        repo, path = self._repo(request), request.path_params["path"]
        if repo is None:
            return not_there()
        revision = request.path_params.get("at") or request.query_params.get("at", "HEAD")
        root, at = self._file(repo, revision, ""), self._addresses.at.format(at=revision)
        root = root.removesuffix(at).rstrip("/")
        return file_page(self._host.path(repo), repo, path, revision, root=root, at=at, anchor=self._addresses.anchor)

    def _file(self, repo: str, revision: str, path: str) -> str:
        owner = self._addresses.owner(self._host.organisation)
        root = self._addresses.file.format(owner=owner, repo=repo, at=revision)
        return f"{root}/{path}{self._addresses.at.format(at=revision)}"

    def _repo(self, request: Request) -> str | None:
        owner, repo = request.path_params["owner"], str(request.path_params["repo"])
        return repo if owner.lower() == self._host.organisation.lower() and repo in self._host.repos else None
