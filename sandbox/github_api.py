"""GitHub's REST over the sandbox's Git host, as Enterprise serves it (`/api/v3`) and as api.github.com does (`/`)."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.routing import Route

from sandbox.git import commit_of
from sandbox.git_api import Asked, View, get, given, pull_of, rest, visible
from sandbox.git_host import GitHost, HostedPull, Token
from sandbox.github_json import GithubJson, login
from sandbox.github_search import Query
from sandbox.wire import Refused, Reply

ENTERPRISE = "/api/v3"
DOCS = "https://docs.github.com/rest"
MOST_FILES = 3000
MOST_FOUND = 1000
Item = TypeVar("Item")
NOBODY = Token("", frozenset())


def message(text: str, status: int, **more: Any) -> dict[str, Any]:
    return {"message": text, **more, "documentation_url": DOCS, "status": str(status)}


NOT_FOUND = message("Not Found", 404)
NOT_ACCESSIBLE = message("Resource not accessible by personal access token", 403)


class GithubApi:
    def __init__(self, host: GitHost) -> None:
        self.host = host

    def routes(self) -> list[Route]:
        """The last takes all that is left."""
        repo = "/repos/{owner}/{repo}"
        views: list[tuple[str, View]] = [
            (repo, self.repo),
            (f"{repo}/pulls", self.pulls),
            (f"{repo}/pulls/{{number:int}}", self.pull),
            (f"{repo}/pulls/{{number:int}}/files", self.files),
            (f"{repo}/commits/{{sha}}/pulls", self.of_commit),
            ("/search/issues", self.search),
        ]
        paths = [(prefix + path, view) for prefix in (ENTERPRISE, "") for path, view in views]
        return [get(path, view, self.known) for path, view in paths] + [rest(NOT_FOUND, NOT_ACCESSIBLE)]

    def known(self, request: Request) -> Token:
        """Without a token, private repositories are not there."""
        value = given(request)
        if value is None:
            return NOBODY
        token = self.host.known(value)
        if token is None:
            raise Refused(401, message("Bad credentials", 401))
        if token.forbidden:
            raise Refused(403, NOT_ACCESSIBLE)
        return token

    def repo(self, asked: Asked) -> Reply:
        return Reply(self.view(asked).full_repo(self.repo_of(asked)))

    def pulls(self, asked: Asked) -> Reply:
        state, head, base = (asked.query.get(name, "") for name in ("state", "head", "base"))
        found = [
            pull
            for pull in self.host.pulls(self.repo_of(asked)).values()
            if (state == "all" or pull.open == (state != "closed"))
            and (not base or pull.base == base)
            and (not head or head in {f"{_owner(self.host, pull)}:{pull.branch}", pull.branch})
        ]
        by_update = asked.query.get("sort") == "updated"
        found.sort(
            key=lambda pull: (pull.updated if by_update else pull.created, pull.number),
            reverse=asked.query.get("direction") != "asc",
        )
        return self._listed(asked, found)

    def pull(self, asked: Asked) -> Reply:
        return Reply(self.view(asked).whole(self._pull(asked)))

    def files(self, asked: Asked) -> Reply:
        pull = self._pull(asked)
        shown, headers = paged(asked, self.host.changes(pull)[:MOST_FILES])
        view = self.view(asked)
        return Reply([view.file(pull, file) for file in shown], 200, headers)

    def of_commit(self, asked: Asked) -> Reply:
        repo, sha = self.repo_of(asked), asked.path["sha"]
        commit = commit_of(self.host.path(repo), sha)
        if commit is None:
            raise Refused(422, message(f"No commit found for SHA: {sha}", 422))
        return self._listed(asked, self.host.with_commit(repo, commit))

    def search(self, asked: Asked) -> Reply:
        query = Query(asked.query.get("q", ""))
        known = [repo for repo in sorted(self.host.repos) if asked.token.reads(repo)]
        names = {f"{self.host.organisation}/{repo}".lower(): repo for repo in known}
        wrong = query.problem or (
            "The listed users and repositories cannot be searched either because the resources do not exist or you do "
            "not have permission to view them."
            if query.repos and not set(query.repos) & set(names)
            else ""
        )
        if wrong:
            problem = {"message": wrong, "resource": "Search", "field": "q", "code": "invalid"}
            raise Refused(422, message("Validation Failed", 422, errors=[problem]))
        repos = [names[name] for name in query.repos if name in names] or (
            known if not query.owners or self.host.organisation.lower() in query.owners else []
        )
        found = [pull for repo in repos for pull in self.host.pulls(repo).values() if query.matches(pull)]
        found.sort(key=lambda pull: pull.created, reverse=True)
        shown, headers = paged(asked, found[:MOST_FOUND])
        view = self.view(asked)
        items = [view.found(pull) for pull in shown]
        return Reply(
            {"total_count": len(found), "incomplete_results": False, "search_type": "lexical", "items": items},
            200,
            headers,
        )

    def _listed(self, asked: Asked, pulls: Sequence[HostedPull]) -> Reply:
        shown, headers = paged(asked, pulls)
        view = self.view(asked)
        return Reply([view.simple(pull) for pull in shown], 200, headers)

    def view(self, asked: Asked) -> GithubJson:
        prefix = ENTERPRISE if asked.url.startswith(f"{asked.web}{ENTERPRISE}/") else ""
        return GithubJson(self.host, asked.web, asked.web + prefix)

    def repo_of(self, asked: Asked) -> str:
        repo: str = asked.path["repo"]
        if not visible(self.host, asked.token, asked.path["owner"], repo):
            raise Refused(404, NOT_FOUND)
        return repo

    def _pull(self, asked: Asked) -> HostedPull:
        pull = pull_of(self.host, self.repo_of(asked), asked.path["number"])
        if pull is None:
            raise Refused(404, NOT_FOUND)
        return pull


def _owner(host: GitHost, pull: HostedPull) -> str:
    return login(pull.fork) if pull.fork else host.organisation


def paged(asked: Asked, items: Sequence[Item]) -> tuple[Sequence[Item], dict[str, str]]:
    """One page, and the Link header that leads to the others."""
    size, page = asked.number("per_page", 30, most=100), asked.number("page", 1)
    last = max(1, -(-len(items) // size))
    links: Iterable[tuple[str, int]] = [
        *([("prev", page - 1)] if page > 1 else []),
        *([("next", page + 1), ("last", last)] if page < last else []),
        *([("first", 1)] if page > 1 else []),
    ]
    text = ", ".join(f'<{asked.with_query(page=number)}>; rel="{name}"' for name, number in links)
    return items[(page - 1) * size : page * size], {"link": text} if text else {}
