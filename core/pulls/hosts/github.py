"""Pull requests at GitHub, Cloud or Enterprise (https://docs.github.com/rest/pulls/pulls)."""

from collections.abc import Mapping, Sequence

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
    when,
)
from core.pulls.hosts.site import Site, newest_first, pull_ref, quoted
from core.pulls.naming import names
from core.pulls.types import PullRef, PullRequest, State

_FORM = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}


class GitHub:
    """`url` is the address of its pages, `api` that of its API: https://api.github.com, or https://…/api/v3."""

    def __init__(self, url: str, api: str, token: str, limits: Limits = LIMITS) -> None:
        self._site, self._api_site = Site.at(url), Site.at(api)
        self._api = HostApi("GitHub", self._api_site.url, limits, headers={**_FORM, "Authorization": f"Bearer {token}"})

    def pull(self, ref: PullRef, project: str) -> PullRequest:
        raw = self._api.object(f"repos/{quoted(project)}/pulls/{ref.number}")
        fork = part(raw, "head", "repo")
        return PullRequest(
            ref=ref,
            title=title(raw.get("title")),
            description=description(raw.get("body")),
            url=f"{self._site.url}/{project}/pull/{ref.number}",
            state=_state(raw),
            head=head(part(raw, "head").get("sha"), f"pull request {ref.number}"),
            head_branch=_branch(raw),
            base_branch=text(part(raw, "base").get("ref")),
            author=title(part(raw, "user").get("login")),
            from_fork=not fork or fork.get("id") != part(raw, "base", "repo").get("id"),
            fork_gone=not fork,
            # Of one that is not merged, it is a trial of the merge.
            merge_commit=commit(raw.get("merge_commit_sha")) if _merged(raw) else None,
            changed_files=number(raw.get("changed_files")),
            updated=when(raw.get("updated_at")),
        )

    def with_text(self, repo: str, project: str, text: str) -> Sequence[PullRef]:
        """In the list of the latest; where that is not all, by its search too, which knows no branches and may be
        behind.
        """
        latest = {"state": "all", "sort": "updated", "direction": "desc", "per_page": str(AT_ONCE)}
        shown = self._api.objects(f"repos/{quoted(project)}/pulls", latest)
        found = [it for it in shown if names(title(it.get("title")), text) or names(_branch(it), text)]
        if len(shown) == AT_ONCE:
            asked = {"q": f'repo:{project} is:pr in:title "{text}"', "sort": "created", "order": "desc"}
            answer = self._api.object("search/issues", {**asked, "per_page": str(AT_ONCE)})
            found += [it for it in objects(answer.get("items")) if names(title(it.get("title")), text)]
        return newest_first(repo, numbers(found, "number"))

    def with_commit(self, repo: str, project: str, commit: str) -> Sequence[PullRef]:
        found = self._api.objects(f"repos/{quoted(project)}/commits/{commit}/pulls", {"per_page": str(AT_ONCE)})
        return newest_first(repo, numbers(found, "number"))

    def in_address(self, address: str, projects: Mapping[str, str]) -> PullRef | None:
        match self._site.way(address):
            case (owner, name, "pull", found, *_):
                return pull_ref(f"{owner}/{name}", found, projects)
        match self._api_site.way(address):
            case ("repos", owner, name, "pulls", found, *_):
                return pull_ref(f"{owner}/{name}", found, projects)
        return None

    def head_ref(self, number: int) -> str:
        return f"refs/pull/{number}/head"

    def page(self, project: str, commit: str, path: str, line: int | None) -> str:
        return f"{self._site.url}/{project}/blob/{commit}/{quoted(path)}{f'#L{line}' if line else ''}"


def _merged(raw: Json) -> bool:
    return raw.get("merged") is True or bool(text(raw.get("merged_at")))


def _state(raw: Json) -> State:
    if _merged(raw):
        return "merged"
    if raw.get("state") != "open":
        return "closed"
    return "draft" if raw.get("draft") is True else "open"


def _branch(raw: Json) -> str:
    return text(part(raw, "head").get("ref"))
