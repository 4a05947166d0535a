"""One account's requests to a Jira site, and what its answers are checked for: what both flavours share."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import requests
from jira import JIRA, JIRAError

from core.connectors.http import Http, Limits, Params, bound
from core.errors import SourceGone, SourceIncomplete, SourceUnavailable

Json = Mapping[str, Any]
ISSUES_AT_ONCE = 100  # what Cloud takes at most
PAGE = 100  # what Cloud gives at most
OLDEST_FIRST = "ORDER BY created ASC, key ASC"
"""An order that no change of an issue disturbs."""

_PROJECT = re.compile(r"[A-Z][A-Z0-9_]+", re.ASCII)
_ISSUE = re.compile(r"[A-Z][A-Z0-9_]{1,99}-[1-9][0-9]{0,17}|[1-9][0-9]{0,17}", re.ASCII | re.IGNORECASE)


class Wire:
    """Requests below one address, which may have a context path (`https://host/jira`). Without a user, the token is a
    bearer's: a personal access token of Data Center.
    """

    def __init__(self, site: str, user: str, token: str, limits: Limits) -> None:
        self.site = site.rstrip("/")
        self._limits = limits
        client = JIRA(
            self.site,
            basic_auth=(user, token) if user else None,
            token_auth=None if user else token,
            max_retries=0,  # the library would repeat what is no read, too
            timeout=limits.silence_seconds,
            get_server_info=False,
        )
        self._session: requests.Session = client._session  # noqa: SLF001 - its own calls fetch one page, or removed paths
        bound(self._session, self.site, limits)

    def http(self, below: str, *, attempts: int | None = None) -> Http:
        """Requests to the paths below one of the site's, given with slashes around it."""
        limits = self._limits if attempts is None else replace(self._limits, attempts=attempts)
        return Http(partial(self._send, below), "Jira", limits)

    def _send(
        self, below: str, method: str, path: str, params: Params, body: dict[str, Any] | None
    ) -> requests.Response:
        try:
            url = self.site + below + path
            return self._session.request(method, url, params=params, json=body, allow_redirects=False)
        except JIRAError as error:  # raised for every status from 400 on
            if isinstance(error.response, requests.Response):
                return error.response
            raise requests.RequestException("no answer") from error
        except ValueError as error:  # a redirect to what is no address, though it was not to be followed
            raise requests.exceptions.InvalidURL("the answer holds a wrong address") from error


def by_offset(page: Callable[[int], Json], items: str, what: str, overlap: int) -> Iterator[Json]:
    """The items of a list, each once, whose pages are asked for by their offset and may be of any size. When something
    in it is deleted meanwhile, the rest moves up: so some are read twice, and each page must begin with what is known.

    Raises SourceIncomplete when it ends before its end, when `overlap` items were deleted between two pages, and when
    one page after another brings nothing new.
    """
    known: set[str] = set()
    start = idle = 0
    while True:
        answer = page(start)
        batch, total = some_objects(answer.get(items)), answer.get("total")
        if start and (not batch or str(batch[0].get("id")) not in known):
            raise SourceIncomplete(f"The {items} of {what} changed while Jira listed them")
        idle += 1
        for item in batch:
            if (number := str(item.get("id"))) not in known:
                idle = 0
                known.add(number)
                yield item
        end = start + len(batch)
        if isinstance(total, int) and end >= total:
            return
        if not batch or idle > overlap:
            raise SourceIncomplete(f"Jira gave {len(known)} of {total} {items} of {what}")
        start = max(start + 1, end - overlap)


def project_key(text: str) -> str:
    """A project's key, checked. Raises SourceGone for what cannot be one."""
    if not _PROJECT.fullmatch(text):
        raise SourceGone(f"{text!r} is no key of a project")
    return text


def issue_key(text: str) -> str:
    """A ticket's key or a numeric id, checked. Raises SourceGone for what cannot be one."""
    if not _ISSUE.fullmatch(text):
        raise SourceGone(f"{text!r} is no key of a ticket")
    return text


def quoted(value: str) -> str:
    """A value as JQL's string."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def part(value: Json, key: str) -> Json:
    """A nested object, empty if there is none."""
    found = value.get(key)
    return found if isinstance(found, Mapping) else {}


def objects(value: object) -> list[Json]:
    """The objects of a list, of which there are none if it is no list."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def an_object(value: Any) -> Json:
    if not isinstance(value, dict):
        raise SourceUnavailable("Jira answered with JSON of another shape than expected")
    return value


def some_objects(value: Any) -> Sequence[Json]:
    """The items of a list; a list that is missing is a fault, never an empty list."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise SourceUnavailable("Jira answered with JSON of another shape than expected")
    return value
