"""Reads of Confluence Cloud's REST v2, and of v1 for read restrictions, which v2 does not have."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests
from atlassian.rest_client import AtlassianRestAPI

from core.connectors.http import Http, Limits, Params, bound
from core.errors import SourceGone, SourceIncomplete, SourceUnavailable

Json = Mapping[str, Any]
_V2 = "wiki/api/v2/"
_V1 = "wiki/rest/api/"
_PAGE = 250  # what v2 gives at most
_SPACES_AT_ONCE = 100
_RESTRICTED_AT_ONCE = 100  # users, and groups, of one restriction
_PEOPLE_AT_ONCE = 100
_ID = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)
_LISTED = ["current", "archived"]


class ConfluenceApi:
    """Raw JSON of one site, read with one account. Raises SourceError as `core.connectors.http.Http` does."""

    def __init__(self, site: str, user: str, token: str, limits: Limits) -> None:
        self.site = site.rstrip("/")
        # Not the library's ConfluenceV2: it warns of itself, and has wrong paths or none for what is read here.
        self._client = AtlassianRestAPI(
            self.site, username=user, password=token, timeout=int(limits.silence_seconds), retry_with_header=False
        )
        bound(self._client._session, self.site, limits)  # noqa: SLF001 - the library has no other way to it
        self._http = Http(self._send, "Confluence", limits)

    def _send(self, method: str, path: str, params: Params, body: dict[str, Any] | None) -> requests.Response:
        response = self._client.request(
            method, path, params=dict(params), json=body, advanced_mode=True, allow_redirects=False
        )
        if not isinstance(response, requests.Response):
            raise requests.RequestException("no answer")
        return response

    def spaces(self, keys: Sequence[str]) -> list[Json]:
        """The spaces of these keys that the account sees."""
        found: list[Json] = []
        for start in range(0, len(keys), _SPACES_AT_ONCE):
            wanted = list(keys[start : start + _SPACES_AT_ONCE])
            found += self._listing(f"{_V2}spaces", {"keys": wanted}, "spaces")
        return found

    def pages(self, space_id: str, space_key: str) -> Iterator[Json]:
        """All current and archived pages of a space, without their bodies."""
        return self._listing(f"{_V2}spaces/{_checked(space_id)}/pages", {"status": _LISTED}, f"space {space_key}")

    def page(self, page_id: str, *, body: bool = True) -> Json:
        """A current or archived page."""
        shown: Params = {"body-format": "storage"} if body else {}
        return _object(self._http.get(f"{_V2}pages/{_checked(page_id)}", {"status": _LISTED, **shown}))

    def ancestors(self, page_id: str) -> list[str]:
        """Ids of all that a page stands below, in no order."""
        found: list[str] = []
        ahead = page_id
        while True:
            answer = self._http.get(f"{_V2}pages/{_checked(ahead)}/ancestors", {"limit": str(_PAGE)})
            batch = [str(ancestor.get("id")) for ancestor in _results(answer)]
            new = [ancestor for ancestor in batch if ancestor not in found]
            found += new
            if len(batch) < _PAGE or not new:
                return found
            ahead = batch[0]  # topmost first: a full answer goes on above

    def read_restriction(self, content_id: str) -> tuple[frozenset[str], frozenset[str]]:
        """Names of the groups and ids of the users to whom reading is restricted at this very page; both are empty when
        the page adds no restriction of its own.
        """
        groups: set[str] = set()
        users: set[str] = set()
        start = 0
        while True:
            path = f"{_V1}content/{_checked(content_id)}/restriction/byOperation/read"
            answer = _object(self._http.get(path, {"start": str(start), "limit": str(_RESTRICTED_AT_ONCE)}))
            restrictions = _object(answer.get("restrictions"))
            some_groups, some_users = _results(restrictions.get("group")), _results(restrictions.get("user"))
            groups |= {str(group.get("name") or group.get("id")) for group in some_groups}
            users |= {str(user.get("accountId")) for user in some_users}
            if max(len(some_groups), len(some_users)) < _RESTRICTED_AT_ONCE:
                return frozenset(groups), frozenset(users)
            start += _RESTRICTED_AT_ONCE

    def names(self, account_ids: Iterable[str]) -> dict[str, str]:
        """Display names by account id, of those that may be known."""
        wanted = list(account_ids)
        found: dict[str, str] = {}
        for start in range(0, len(wanted), _PEOPLE_AT_ONCE):
            answer = self._http.query(f"{_V2}users-bulk", {"accountIds": wanted[start : start + _PEOPLE_AT_ONCE]})
            people = _results(answer)
            found |= {str(p["accountId"]): str(p["displayName"]) for p in people if p.get("displayName")}
        return found

    def _listing(self, path: str, params: Params, what: str) -> Iterator[Json]:
        """A list to its end. The next page is asked for by its cursor alone, so that no answer sends us elsewhere."""
        cursor: str | None = None
        used: set[str] = set()
        while True:
            where = f"{what}, page {len(used) + 1} of the listing"
            asked: Params = {**params, "limit": str(_PAGE), **({"cursor": cursor} if cursor else {})}
            try:
                answer = _object(self._http.get(path, asked))
            except SourceUnavailable as error:
                raise SourceIncomplete(f"{error} ({where})", retry_after=error.retry_after) from error
            results = _results(answer)
            if cursor and not results:
                raise SourceIncomplete(f"Confluence ended a listing before its end ({where})")
            yield from results
            links = answer.get("_links")
            following = links.get("next") if isinstance(links, Mapping) else None
            if not following:
                return
            cursor = next(iter(parse_qs(urlsplit(str(following)).query).get("cursor", [])), None)
            if not cursor or cursor in used:
                raise SourceIncomplete(f"Confluence gave no way on ({where})")
            used.add(cursor)


def _checked(content_id: str) -> str:
    if not _ID.fullmatch(content_id):
        raise SourceGone(f"{content_id!r} is no id of Confluence's")
    return content_id


def _object(value: Any) -> Json:
    if not isinstance(value, dict):
        raise SourceUnavailable("Confluence answered with JSON of another shape than expected")
    return value


def _results(value: Any) -> Sequence[Json]:
    """The items of a list; a list that is missing is a fault, never an empty list."""
    results = value.get("results") if isinstance(value, dict) else None
    if not isinstance(results, list) or not all(isinstance(item, dict) for item in results):
        raise SourceUnavailable("Confluence answered with JSON of another shape than expected")
    return results
