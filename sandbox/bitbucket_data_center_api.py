"""Bitbucket Data Center's REST over the sandbox's Git host, after the vendor's documentation."""

from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from sandbox.bitbucket_data_center_json import DataCenterJson, state
from sandbox.git import commit_of
from sandbox.git_api import Asked, View, get, given, pull_of, rest, visible
from sandbox.git_host import GitHost, HostedPull, Token
from sandbox.wire import Refused, Reply

VERSIONS = ("latest", "1.0")
PACKAGE = "com.atlassian.bitbucket"
MOST = 1000


def errors(message: str, exception: str) -> dict[str, Any]:
    return {"errors": [{"context": None, "message": message, "exceptionName": f"{PACKAGE}.{exception}"}]}


FORBIDDEN = errors("You are not permitted to access this resource", "AuthorisationException")
NOT_FOUND = errors("There is no such resource.", "NoSuchObjectException")


class BitbucketDataCenterApi:
    def __init__(self, host: GitHost) -> None:
        self._host = host

    def routes(self) -> list[Route]:
        repo = "/projects/{owner}/repos/{repo}"
        views: list[tuple[str, View]] = [
            (repo, self.repo),
            (f"{repo}/pull-requests", self.pulls),
            (f"{repo}/pull-requests/{{number:int}}", self.pull),
            (f"{repo}/commits/{{commit}}/pull-requests", self.of_commit),
        ]
        paths = [(f"/rest/api/{version}{path}", view) for version in VERSIONS for path, view in views]
        return [
            *(get(path, view, self.known) for path, view in paths),
            rest(NOT_FOUND, FORBIDDEN),
        ]

    def known(self, request: Request) -> Token:
        value = given(request)
        token = self._host.known(value) if value else None
        if token is None:
            text = "Authentication failed. Please check your credentials and try again."
            raise Refused(401, errors(text, "auth.IncorrectPasswordAuthenticationException"))
        if token.forbidden:
            raise Refused(403, FORBIDDEN)
        return token

    def repo(self, asked: Asked) -> Reply:
        return Reply(self._view(asked).repo(self._repo(asked)))

    def pulls(self, asked: Asked) -> Reply:
        """Into the branch `at` (`direction=OUTGOING`: from it); the open ones, unless another state is asked for."""
        query = asked.query
        wanted, at = query.get("state", "OPEN").upper(), query.get("at", "").removeprefix("refs/heads/")
        outgoing = query.get("direction", "INCOMING").upper() == "OUTGOING"
        words = query.get("filterText", "").lower()
        found = [
            pull
            for pull in self._host.pulls(self._repo(asked)).values()
            if wanted in {"ALL", state(pull)}
            and (not at or at == (pull.branch if outgoing else pull.base))
            and words in f"{pull.title}\n{pull.description}".lower()
            and query.get("draft", str(pull.state == "draft").lower()) == str(pull.state == "draft").lower()
        ]
        oldest = query.get("order", "NEWEST").upper() == "OLDEST"
        found.sort(key=lambda pull: (pull.updated, pull.number), reverse=not oldest)
        view = self._view(asked)
        return _page(asked, [view.pull(pull) for pull in found])

    def pull(self, asked: Asked) -> Reply:
        return Reply(self._view(asked).pull(self._pull(asked)))

    def of_commit(self, asked: Asked) -> Reply:
        repo = self._repo(asked)
        commit = commit_of(self._host.path(repo), asked.path["commit"])
        if commit is None:
            text = f"Commit '{asked.path['commit']}' does not exist in repository '{repo}'."
            raise Refused(404, errors(text, "commit.NoSuchCommitException"))
        view = self._view(asked)
        return _page(asked, [view.pull(pull) for pull in self._host.with_commit(repo, commit)])

    def _view(self, asked: Asked) -> DataCenterJson:
        return DataCenterJson(self._host, asked.web)

    def _repo(self, asked: Asked) -> str:
        owner, repo = asked.path["owner"], asked.path["repo"]
        if not visible(self._host, asked.token, owner, repo):
            text = f"Repository {owner}/{repo} does not exist."
            raise Refused(404, errors(text, "repository.NoSuchRepositoryException"))
        return str(repo)

    def _pull(self, asked: Asked) -> HostedPull:
        repo, number = self._repo(asked), asked.path["number"]
        pull = pull_of(self._host, repo, number)
        if pull is None:
            text = f"Pull request {number} does not exist in {asked.path['owner']}/{repo}."
            raise Refused(404, errors(text, "pull.NoSuchPullRequestException"))
        return pull


def _page(asked: Asked, values: list[Any]) -> Reply:
    start, size = asked.number("start", 0, least=0), asked.number("limit", 25, most=MOST)
    shown = values[start : start + size]
    last = start + len(shown) >= len(values)
    page = {"size": len(shown), "limit": size, "isLastPage": last, "values": shown, "start": start}
    return Reply(page | {"nextPageStart": None if last else start + len(shown)})
