"""Pull requests at Bitbucket Data Center (https://developer.atlassian.com/server/bitbucket/rest/)."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from core.connectors.http import Limits
from core.pulls.hosts.api import (
    AT_ONCE,
    LIMITS,
    HostApi,
    Json,
    commit,
    description,
    head,
    number,
    numbers,
    objects,
    part,
    text,
    title,
)
from core.pulls.hosts.site import Site, newest_first, pull_ref, quoted
from core.pulls.naming import names
from core.pulls.types import PullRef, PullRequest, State


class BitbucketDataCenter:
    """`url` is the address of its pages with the context path, `api` that of its API: https://…/rest/api/latest. A
    project is `KEY/repository`, or `~user/repository`.
    """

    def __init__(self, url: str, api: str, token: str, limits: Limits = LIMITS) -> None:
        self._site, self._api_site = Site.at(url), Site.at(api)
        headers = {"Authorization": f"Bearer {token}"}
        self._api = HostApi("Bitbucket", self._api_site.url, limits, headers=headers)

    def pull(self, ref: PullRef, project: str) -> PullRequest:
        raw = self._api.object(f"{_path(project)}/pull-requests/{ref.number}")
        source, state = part(raw, "fromRef", "repository"), _state(raw)
        merged = part(raw, "properties", "mergeCommit").get("id") if state == "merged" else None
        return PullRequest(
            ref=ref,
            title=title(raw.get("title")),
            description=description(raw.get("description")),
            url=f"{self._site.url}/{_path(project)}/pull-requests/{ref.number}",
            state=state,
            head=head(part(raw, "fromRef").get("latestCommit"), f"pull request {ref.number}"),
            head_branch=_branch(raw),
            base_branch=text(part(raw, "toRef").get("id")).removeprefix("refs/heads/"),
            author=title(part(raw, "author", "user").get("displayName")),
            from_fork=not source or source.get("id") != part(raw, "toRef", "repository").get("id"),
            fork_gone=not source,
            merge_commit=commit(merged),
            updated=_when(raw.get("updatedDate")),
        )

    def with_text(self, repo: str, project: str, text: str) -> Sequence[PullRef]:
        """In the list of the latest; where that is not all, by its filter too, which reads titles."""
        path = f"{_path(project)}/pull-requests"
        latest = {"state": "ALL", "order": "NEWEST", "limit": str(AT_ONCE)}
        answer = self._api.object(path, latest)
        found = objects(answer.get("values"))
        if answer.get("isLastPage") is not True:
            found += objects(self._api.object(path, {**latest, "filterText": text}).get("values"))
        named = [it for it in found if names(title(it.get("title")), text) or names(_branch(it), text)]
        return newest_first(repo, numbers(named, "id"))

    def with_commit(self, repo: str, project: str, commit: str) -> Sequence[PullRef]:
        answer = self._api.object(f"{_path(project)}/commits/{commit}/pull-requests", {"limit": str(AT_ONCE)})
        return newest_first(repo, numbers(objects(answer.get("values")), "id"))

    def in_address(self, address: str, projects: Mapping[str, str]) -> PullRef | None:
        for site in (self._site, self._api_site):
            match site.way(address):
                case ("projects", owner, "repos", name, "pull-requests", found, *_):
                    return pull_ref(f"{owner}/{name}", found, projects)
                case ("users", owner, "repos", name, "pull-requests", found, *_):
                    return pull_ref(f"~{owner}/{name}", found, projects)
        return None

    def head_ref(self, number: int) -> str:
        return f"refs/pull-requests/{number}/from"

    def page(self, project: str, commit: str, path: str, line: int | None) -> str:
        place = f"{self._site.url}/{_path(project)}/browse/{quoted(path)}?at={commit}"
        return f"{place}#{line}" if line else place


def _path(project: str) -> str:
    owner, _, name = project.partition("/")
    return f"projects/{quoted(owner)}/repos/{quoted(name)}"


def _branch(raw: Json) -> str:
    return text(part(raw, "fromRef").get("id")).removeprefix("refs/heads/")


def _state(raw: Json) -> State:
    said = text(raw.get("state"))
    if said == "MERGED":
        return "merged"
    if said != "OPEN":
        return "closed"
    return "draft" if raw.get("draft") is True else "open"


def _when(value: object) -> datetime | None:
    """Milliseconds since 1970."""
    milliseconds = number(value)
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None
    except (ValueError, OverflowError, OSError):
        return None
