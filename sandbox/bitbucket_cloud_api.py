"""Bitbucket Cloud's REST 2.0 over the sandbox's Git host."""

from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from sandbox.bitbucket_cloud_json import API, CloudJson, error
from sandbox.bitbucket_query import BadQuery, parse
from sandbox.git import commit_of
from sandbox.git_api import Asked, get, given, pull_of, rest, visible
from sandbox.git_host import GitHost, HostedPull, Token
from sandbox.wire import Refused, Reply

SCOPES = error("Your credentials lack one or more required privilege scopes.")
MOST_PULLS = 50
_SORTED = {"created_on", "updated_on", "id", "title", "state"}


class BitbucketCloudApi:
    def __init__(self, host: GitHost) -> None:
        self._host = host
        self.commit_links = True
        """Whether the app is installed that tells the pull requests of a commit."""

    def routes(self) -> list[Route]:
        repo = f"{API}/repositories/{{owner}}/{{repo}}"
        views = [
            (repo, self.repo),
            (f"{repo}/pullrequests", self.pulls),
            (f"{repo}/pullrequests/{{number:int}}", self.pull),
            (f"{repo}/pullrequests/{{number:int}}/commits", self.commits),
            (f"{repo}/commit/{{commit}}", self.commit),
            (f"{repo}/commit/{{commit}}/pullrequests", self.of_commit),
        ]
        return [*(get(path, view, self.known) for path, view in views), rest(error("Resource not found"), SCOPES)]

    def known(self, request: Request) -> Token:
        value = given(request)
        token = self._host.known(value) if value else None
        if token is None:
            raise Refused(401, error("Token is invalid, expired, or not supported for this endpoint."))
        if token.forbidden:
            raise Refused(403, SCOPES)
        return token

    def repo(self, asked: Asked) -> Reply:
        return Reply(self._view(asked).full_repo(self._repo(asked)))

    def pulls(self, asked: Asked) -> Reply:
        """The open ones, unless other states are asked for, by name or in the filter."""
        text, states = asked.query.get("q", ""), asked.query.getlist("state")
        try:
            test = parse(text) if text else lambda _pull: True
        except BadQuery as e:
            raise Refused(400, error(f"Invalid query: {e}")) from e
        if not states and "state" not in text:
            states = ["OPEN"]
        view = self._view(asked)
        made = (view.pull(pull) for pull in self._host.pulls(self._repo(asked)).values())
        found = [pull for pull in made if (not states or pull["state"] in states) and test(pull)]
        order = asked.query.get("sort", "-updated_on")
        if order.removeprefix("-") not in _SORTED:
            raise Refused(400, error(f"Invalid field name: {order}"))
        found.sort(key=lambda pull: (pull[order.removeprefix("-")], pull["id"]), reverse=order.startswith("-"))
        return _page(asked, found, 10, MOST_PULLS)

    def pull(self, asked: Asked) -> Reply:
        return Reply(self._view(asked).pull(self._pull(asked)))

    def commits(self, asked: Asked) -> Reply:
        pull, view = self._pull(asked), self._view(asked)
        path = self._host.path(pull.repo)
        return _page(asked, [view.commit(pull.repo, path, commit) for commit in self._host.commits(pull)], 10, 100)

    def commit(self, asked: Asked) -> Reply:
        repo = self._repo(asked)
        return Reply(self._view(asked).commit(repo, self._host.path(repo), self._commit(asked, repo)))

    def of_commit(self, asked: Asked) -> Reply:
        repo = self._repo(asked)
        if not self.commit_links:
            raise Refused(404, error("The Pull Request Commit Links app has not been installed on this repository."))
        view = self._view(asked)
        found = self._host.with_commit(repo, self._commit(asked, repo))
        return _page(asked, [view.brief(pull) for pull in found], 30, 100)

    def _view(self, asked: Asked) -> CloudJson:
        return CloudJson(self._host, asked.web)

    def _repo(self, asked: Asked) -> str:
        owner, repo = asked.path["owner"], asked.path["repo"]
        if not visible(self._host, asked.token, owner, repo):
            text = f"Repository {owner}/{repo} not found"
            raise Refused(404, error(text))
        return str(repo)

    def _pull(self, asked: Asked) -> HostedPull:
        pull = pull_of(self._host, self._repo(asked), asked.path["number"])
        if pull is None:
            raise Refused(404, error("Pull request not found"))
        return pull

    def _commit(self, asked: Asked, repo: str) -> str:
        """A commit of this repository; what only a fork has is not in it."""
        commit = commit_of(self._host.path(repo), asked.path["commit"])
        if commit is None or not self._host.holds(repo, commit):
            raise Refused(404, error(f"Commit {asked.path['commit']} not found"))
        return commit


def _page(asked: Asked, values: list[Any], usual: int, most: int) -> Reply:
    size, page = asked.number("pagelen", usual, most=most), asked.number("page", 1)
    out = {"values": values[(page - 1) * size : page * size], "pagelen": size, "size": len(values), "page": page}
    if page * size < len(values):
        out["next"] = asked.with_query(page=page + 1)
    if page > 1:
        out["previous"] = asked.with_query(page=page - 1)
    return Reply(out)
