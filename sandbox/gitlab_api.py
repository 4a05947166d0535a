"""GitLab's REST v4 over the sandbox's Git host."""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from sandbox.git import commit_of
from sandbox.git_api import Asked, get, given, pull_of, repo_id, rest, user_name, visible
from sandbox.git_host import GitHost, HostedPull, Token
from sandbox.gitlab_json import MOST_FILES, GitlabJson, state, title
from sandbox.wire import Refused, Reply

API = "/api/v4"
SCOPE = {
    "error": "insufficient_scope",
    "error_description": "The request requires higher privileges than provided by the access token.",
    "scope": "api read_api",
}


def message(text: str) -> dict[str, Any]:
    return {"message": text}


class GitlabApi:
    def __init__(self, host: GitHost) -> None:
        self.host = host

    def routes(self) -> list[Route]:
        """The last takes all that is left."""
        project = f"{API}/projects/{{project:path}}"
        requests = f"{project}/merge_requests"
        return [
            get(f"{requests}/{{number:int}}/diffs", self.files, self.known),
            get(f"{requests}/{{number:int}}", self.pull, self.known),
            get(f"{project}/repository/commits/{{sha}}/merge_requests", self.of_commit, self.known),
            get(requests, self.pulls, self.known),
            get(project, self.project, self.known),
            rest({"error": "404 Not Found"}, SCOPE),
        ]

    def known(self, request: Request) -> Token:
        value = request.headers.get("private-token") or given(request)
        token = self.host.known(value) if value else None
        if token is None:
            raise Refused(401, message("401 Unauthorized"))
        if token.forbidden:
            raise Refused(403, SCOPE)
        return token

    def project(self, asked: Asked) -> Reply:
        return Reply(self.view(asked).project(self.repo_of(asked)))

    def pulls(self, asked: Asked) -> Reply:
        found = [pull for pull in self.host.pulls(self.repo_of(asked)).values() if _matches(asked, pull)]
        updated = asked.query.get("order_by") == "updated_at"
        found.sort(
            key=lambda pull: (pull.updated if updated else pull.created, pull.number),
            reverse=asked.query.get("sort") != "asc",
        )
        return self._listed(asked, found)

    def pull(self, asked: Asked) -> Reply:
        return Reply(self.view(asked).whole(self._pull(asked)))

    def files(self, asked: Asked) -> Reply:
        files = self.host.changes(self._pull(asked))[:MOST_FILES]
        start, size, headers = paged(asked, len(files))
        view = self.view(asked)
        return Reply([view.file(file) for file in files[start : start + size]], 200, headers)

    def of_commit(self, asked: Asked) -> Reply:
        repo = self.repo_of(asked)
        commit = commit_of(self.host.path(repo), asked.path["sha"])
        if commit is None:
            raise Refused(404, message("404 Commit Not Found"))
        wanted = asked.query.get("state", "all")
        found = [p for p in self.host.with_commit(repo, commit) if wanted in {"all", state(p)}]
        return self._listed(asked, found)

    def _listed(self, asked: Asked, pulls: Sequence[HostedPull]) -> Reply:
        start, size, headers = paged(asked, len(pulls))
        view = self.view(asked)
        return Reply([view.basic(pull) for pull in pulls[start : start + size]], 200, headers)

    def view(self, asked: Asked) -> GitlabJson:
        return GitlabJson(self.host, asked.web)

    def repo_of(self, asked: Asked) -> str:
        """By number or by path; `/` in a path arrives here decoded."""
        project: str = asked.path["project"]
        numbers = {str(repo_id(self.host, repo)): repo for repo in self.host.repos}
        owner, _, repo = project.partition("/")
        if project in numbers:
            owner, repo = self.host.organisation, numbers[project]
        if not visible(self.host, asked.token, owner, repo):
            raise Refused(404, message("404 Project Not Found"))
        return repo

    def _pull(self, asked: Asked) -> HostedPull:
        pull = pull_of(self.host, self.repo_of(asked), asked.path["number"])
        if pull is None:
            raise Refused(404, message("404 Not found"))
        return pull


def _matches(asked: Asked, pull: HostedPull) -> bool:
    query = asked.query
    places = query.get("in", "title,description").split(",")
    texts = {"title": title(pull), "description": pull.description}
    text = "\n".join(texts[place] for place in places if place in texts).lower()
    drafts = {"yes": True, "no": False}.get(query.get("wip", ""))
    numbers = [number for name in ("iids", "iids[]") for number in query.getlist(name)]
    return (
        query.get("state", "all") in {"all", state(pull)}
        and all(word in text for word in query.get("search", "").lower().split())
        and query.get("source_branch", pull.branch) == pull.branch
        and query.get("target_branch", pull.base) == pull.base
        and query.get("author_username", user_name(pull.author)) == user_name(pull.author)
        and drafts in {None, pull.state == "draft"}
        and (not numbers or str(pull.number) in numbers)
    )


def paged(asked: Asked, total: int) -> tuple[int, int, dict[str, str]]:
    """Where a page starts, how long it may be, and the headers that lead to the others."""
    size, page = asked.number("per_page", 20, most=100), asked.number("page", 1)
    last = max(1, -(-total // size))
    links = [("first", 1), ("last", last)]
    links += [("prev", page - 1)] if page > 1 else []
    links += [("next", page + 1)] if page < last else []
    headers = {
        "link": ", ".join(f'<{asked.with_query(page=number)}>; rel="{name}"' for name, number in links),
        "x-next-page": str(page + 1) if page < last else "",
        "x-page": str(page),
        "x-per-page": str(size),
        "x-prev-page": str(page - 1) if page > 1 else "",
        "x-total": str(total),
        "x-total-pages": str(last),
    }
    return (page - 1) * size, size, headers
