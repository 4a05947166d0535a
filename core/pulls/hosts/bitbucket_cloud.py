"""Pull requests at Bitbucket Cloud (https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/).

Its answers shorten commit ids, and its repositories hold no refs of pull requests: a head is found at its branch.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from core.connectors.http import Limits
from core.errors import SourceGone
from core.pulls.hosts.api import (
    AT_ONCE,
    LIMITS,
    HostApi,
    Json,
    commit,
    description,
    head,
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

_SHORT = re.compile(r"[0-9a-f]{7,63}")
_STATES = ["OPEN", "MERGED", "DECLINED", "SUPERSEDED"]


class BitbucketCloud:
    """`url` is the address of its pages, `api` that of its API: https://api.bitbucket.org/2.0. Without a user, the
    token is a bearer's.
    """

    def __init__(self, url: str, api: str, user: str, token: str, limits: Limits = LIMITS) -> None:
        self._site, self._api_site = Site.at(url), Site.at(api)
        headers = {} if user else {"Authorization": f"Bearer {token}"}
        login = (user, token) if user else None
        self._api = HostApi("Bitbucket", self._api_site.url, limits, headers=headers, login=login)

    def pull(self, ref: PullRef, project: str) -> PullRequest:
        path = f"{_path(project)}/pullrequests/{ref.number}"
        raw = self._api.object(path)
        found = self._head(project, path, raw)
        if found is None:  # it was pushed to in between, or its commit is gone
            raw = self._api.object(path)
            found = self._head(project, path, raw)
        source, state = part(raw, "source", "repository"), _state(raw)
        return PullRequest(
            ref=ref,
            title=title(raw.get("title")),
            description=description(part(raw, "summary").get("raw") or raw.get("description")),
            url=f"{self._site.url}/{project}/pull-requests/{ref.number}",
            state=state,
            head=head(found, f"pull request {ref.number}"),
            head_branch=_branch(raw),
            base_branch=text(part(raw, "destination", "branch").get("name")),
            author=title(part(raw, "author").get("display_name")),
            from_fork=not source or source.get("uuid") != part(raw, "destination", "repository").get("uuid"),
            fork_gone=not source,
            merge_commit=self._whole(project, part(raw, "merge_commit").get("hash")) if state == "merged" else None,
            updated=when(raw.get("updated_on")),
        )

    def with_text(self, repo: str, project: str, text: str) -> Sequence[PullRef]:
        """By its query language, which finds more than whole words."""
        said = f'"{text}"'
        query = f"title ~ {said} OR source.branch.name ~ {said}"
        asked: dict[str, str | list[str]] = {
            "q": query,
            "state": _STATES,
            "sort": "-created_on",
            "pagelen": str(AT_ONCE),
        }
        answer = self._api.object(f"{_path(project)}/pullrequests", asked)
        found = objects(answer.get("values"))
        named = [it for it in found if names(title(it.get("title")), text) or names(_branch(it), text)]
        return newest_first(repo, numbers(named, "id"))

    def with_commit(self, repo: str, project: str, commit: str) -> Sequence[PullRef]:
        """None where the workspace has no index of them, which it makes only when somebody asks for it in its pages."""
        try:
            answer = self._api.object(f"{_path(project)}/commit/{commit}/pullrequests", {"pagelen": str(AT_ONCE)})
        except SourceGone:
            return []
        return newest_first(repo, numbers(objects(answer.get("values")), "id"))

    def in_address(self, address: str, projects: Mapping[str, str]) -> PullRef | None:
        match self._site.way(address):
            case (owner, name, "pull-requests" | "pull-request", found, *_):
                return pull_ref(f"{owner}/{name}", found, projects)
        match self._api_site.way(address):
            case ("repositories", owner, name, "pullrequests", found, *_):
                return pull_ref(f"{owner}/{name}", found, projects)
        return None

    def head_ref(self, number: int) -> str:
        del number
        return ""

    def page(self, project: str, commit: str, path: str, line: int | None) -> str:
        return f"{self._site.url}/{project}/src/{commit}/{quoted(path)}{f'#lines-{line}' if line else ''}"

    def _head(self, project: str, path: str, raw: Json) -> str | None:
        """The full id of the commit that it is at, which may be in a fork only: then it is among its own commits."""
        short = text(part(raw, "source", "commit").get("hash"))
        if full := self._whole(project, short):
            return full
        with suppress(SourceGone):
            listed = [text(it.get("hash")) for it in objects(self._api.object(f"{path}/commits").get("values"))]
            return next((full for full in listed if short and full.startswith(short)), None)
        return None

    def _whole(self, project: str, short: object) -> str | None:
        """The full id of a commit; None where the repository does not have it."""
        if commit(short) or not _SHORT.fullmatch(text(short)):
            return commit(short)
        with suppress(SourceGone):
            return commit(self._api.object(f"{_path(project)}/commit/{short}").get("hash"))
        return None


def _path(project: str) -> str:
    return f"repositories/{quoted(project)}"


def _branch(raw: Json) -> str:
    return text(part(raw, "source", "branch").get("name"))


def _state(raw: Json) -> State:
    said = text(raw.get("state"))
    if said == "MERGED":
        return "merged"
    if said != "OPEN":
        return "closed"
    return "draft" if raw.get("draft") is True else "open"
