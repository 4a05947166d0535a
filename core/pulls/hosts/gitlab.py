"""Merge requests at GitLab (https://docs.gitlab.com/api/merge_requests/)."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote, unquote

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
    part,
    text,
    title,
    when,
)
from core.pulls.hosts.site import Site, newest_first, pull_ref, quoted
from core.pulls.naming import names
from core.pulls.types import PullRef, PullRequest, State

_LATEST = {"state": "all", "scope": "all", "order_by": "updated_at", "sort": "desc", "per_page": str(AT_ONCE)}


class GitLab:
    """`url` is the address of its pages, `api` that of its API: https://…/api/v4."""

    def __init__(self, url: str, api: str, token: str, limits: Limits = LIMITS) -> None:
        self._site, self._api_site = Site.at(url), Site.at(api)
        self._api = HostApi("GitLab", self._api_site.url, limits, headers={"PRIVATE-TOKEN": token})

    def pull(self, ref: PullRef, project: str) -> PullRequest:
        raw = self._api.object(f"{_path(project)}/merge_requests/{ref.number}")
        state, source = _state(raw), raw.get("source_project_id")
        return PullRequest(
            ref=ref,
            title=title(raw.get("title")),
            description=description(raw.get("description")),
            url=f"{self._site.url}/{project}/-/merge_requests/{ref.number}",
            state=state,
            head=head(raw.get("sha"), f"merge request {ref.number}"),
            head_branch=_branch(raw),
            base_branch=text(raw.get("target_branch")),
            author=title(part(raw, "author").get("name")),
            from_fork=source is None or source != raw.get("target_project_id"),
            fork_gone=source is None,
            merge_commit=_merge_commit(raw) if state == "merged" else None,
            changed_files=_count(raw.get("changes_count")),
            updated=when(raw.get("updated_at")),
        )

    def with_text(self, repo: str, project: str, text: str) -> Sequence[PullRef]:
        """In the list of the latest; where that is not all, by its search too, which knows no branches."""
        path = f"{_path(project)}/merge_requests"
        found = self._api.objects(path, _LATEST)
        if len(found) == AT_ONCE:
            found = [*found, *self._api.objects(path, {**_LATEST, "search": text, "in": "title"})]
        named = [it for it in found if names(title(it.get("title")), text) or names(_branch(it), text)]
        return newest_first(repo, numbers(named, "iid"))

    def with_commit(self, repo: str, project: str, commit: str) -> Sequence[PullRef]:
        """Another project's merge requests, which the commit may be in as well, are left out."""
        path = f"{_path(project)}/repository/commits/{commit}/merge_requests"
        found = self._api.objects(path, {"per_page": str(AT_ONCE)})
        full = [(it, text(part(it, "references").get("full")).lower()) for it in found]
        ours = [it for it, name in full if not name or name.startswith(f"{project.lower()}!")]
        return newest_first(repo, numbers(ours, "iid"))

    def in_address(self, address: str, projects: Mapping[str, str]) -> PullRef | None:
        match self._api_site.way(address):
            case ("projects", project, "merge_requests", found, *_):
                return pull_ref(unquote(project), found, projects)
        way = self._site.way(address)
        if way is None or "merge_requests" not in way or "%" in "".join(way):
            return None
        at = way.index("merge_requests")
        names_project = way[: at - 1] if way[at - 1 : at] == ("-",) else way[:at]
        return pull_ref("/".join(names_project), way[at + 1], projects) if len(way) > at + 1 else None

    def head_ref(self, number: int) -> str:
        return f"refs/merge-requests/{number}/head"

    def page(self, project: str, commit: str, path: str, line: int | None) -> str:
        return f"{self._site.url}/{project}/-/blob/{commit}/{quoted(path)}{f'#L{line}' if line else ''}"


def _path(project: str) -> str:
    return f"projects/{quote(project, safe='')}"


def _branch(raw: Json) -> str:
    return text(raw.get("source_branch"))


def _state(raw: Json) -> State:
    """`locked` is what one is while it is being merged, and stays when that fails."""
    said = text(raw.get("state"))
    if said == "merged":
        return "merged"
    if said not in {"opened", "locked"}:
        return "closed"
    return "draft" if raw.get("draft") is True or raw.get("work_in_progress") is True else "open"


def _merge_commit(raw: Json) -> str | None:
    """Merged by a commit of its own, or else by its squashed one. Fast forward leaves neither."""
    return commit(raw.get("merge_commit_sha")) or commit(raw.get("squash_commit_sha"))


def _count(value: object) -> int | None:
    """`1000+` is what it says of more than it counts."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else number(value)
