"""Reads of Jira Cloud's REST v3, each complete: paged to its end, or SourceIncomplete."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import requests
from jira import JIRA, JIRAError

from core.connectors.http import Http, Limits, Params, bound
from core.errors import SourceError, SourceForbidden, SourceGone, SourceIncomplete, SourceUnavailable

Json = Mapping[str, Any]
ISSUES_AT_ONCE = 100  # what Cloud takes at most
_PAGE = 100  # what Cloud gives at most
_OVERLAP = 5  # items read twice, so that one deleted between two pages hides none
_API = "/rest/api/3/"
_PANEL = "/rest/dev-status/latest/issue/"  # what a ticket's page asks, on Cloud and Data Center; described nowhere
_PROJECT = re.compile(r"[A-Z][A-Z0-9_]+", re.ASCII)
_ISSUE = re.compile(r"[A-Z][A-Z0-9_]{1,99}-[1-9][0-9]{0,17}|[1-9][0-9]{0,17}", re.ASCII | re.IGNORECASE)


class JiraApi:
    """Raw JSON of one site, read with one account. Raises SourceError as `core.connectors.http.Http` does."""

    def __init__(self, site: str, user: str, token: str, limits: Limits) -> None:
        self.site = site.rstrip("/")
        client = JIRA(
            self.site,
            basic_auth=(user, token),
            options={"rest_api_version": "3"},
            max_retries=0,  # the library would repeat what is no read, too
            timeout=limits.silence_seconds,
            get_server_info=False,
        )
        self._session: requests.Session = client._session  # noqa: SLF001 - its own calls fetch one page, or removed paths
        bound(self._session, self.site, limits)
        self._http = Http(partial(self._send, _API), "Jira", limits)
        self._panel = Http(partial(self._send, _PANEL), "Jira", replace(limits, attempts=1))

    def _send(self, api: str, method: str, path: str, params: Params, body: dict[str, Any] | None) -> requests.Response:
        try:
            url = self.site + api + path
            return self._session.request(method, url, params=params, json=body, allow_redirects=False)
        except JIRAError as error:  # raised for every status from 400 on
            if isinstance(error.response, requests.Response):
                return error.response
            raise requests.RequestException("no answer") from error
        except ValueError as error:  # a redirect to what is no address, though it was not to be followed
            raise requests.exceptions.InvalidURL("the answer holds a wrong address") from error

    def check_account(self) -> None:
        """Raises SourceForbidden when Jira does not accept the account, SourceUnavailable when it does not answer."""
        self._http.get("myself")

    def server_time(self) -> str:
        return str(_object(self._http.get("serverInfo")).get("serverTime") or "")

    def fields(self) -> Sequence[Json]:
        """All fields with id and name."""
        return _objects(self._http.get("field"))

    def project(self, key: str) -> Json:
        return _object(self._http.get(f"project/{project_key(key)}"))

    def issue(self, key_or_id: str, fields: str, expand: str = "") -> Json:
        params = {"fields": fields, "expand": expand} if expand else {"fields": fields}
        return _object(self._http.get(f"issue/{issue_key(key_or_id)}", params))

    def issues(self, numbers: Sequence[str], fields: str, expand: str = "") -> Iterator[tuple[str, Json | SourceError]]:
        """Each of these ids with its issue as it is now, or why that could not be read. Unlike a search this is
        never behind. A part that fails is halved, so an issue that cannot be read costs itself alone.

        Raises SourceForbidden if Jira does not accept the account.
        """
        for start in range(0, len(numbers), ISSUES_AT_ONCE):
            yield from self._issues(numbers[start : start + ISSUES_AT_ONCE], fields, expand)

    def _issues(self, numbers: Sequence[str], fields: str, expand: str) -> Iterator[tuple[str, Json | SourceError]]:
        if len(numbers) == 1:
            yield numbers[0], self.issue_or_error(numbers[0], fields, expand)
            return
        asked = {"issueIdsOrKeys": list(map(issue_key, numbers)), "fields": fields.split(",")}
        try:
            answer = _object(self._http.query("issue/bulkfetch", asked | ({"expand": [expand]} if expand else {})))
            found = {str(issue.get("id")): issue for issue in _objects(answer.get("issues"))}
            refused = {str(error.get("id")) for error in _objects(answer.get("issueErrors") or [])}
        except SourceError as error:
            if isinstance(error, SourceForbidden):
                self.check_account()
            middle = len(numbers) // 2
            yield from self._issues(numbers[:middle], fields, expand)
            yield from self._issues(numbers[middle:], fields, expand)
            return
        for number in numbers:
            if number in found:
                yield number, found[number]
            elif number in refused:  # for its size, or for the moment
                yield number, self.issue_or_error(number, fields, expand)
            else:
                yield number, SourceGone(f"Jira has no ticket {number}, or does not show it to us")

    def issue_or_error(self, number: str, fields: str, expand: str = "") -> Json | SourceError:
        try:
            return self.issue(number, fields, expand)
        except SourceError as error:
            return error

    def attachment(self, number: str) -> bytes:
        """An attachment's content, from this site itself: no address that an answer names is followed."""
        return self._http.content(f"attachment/content/{issue_key(number)}", {"redirect": "false"})

    def comment(self, issue_id: str, comment_id: str) -> Json:
        return _object(self._http.get(f"issue/{issue_key(issue_id)}/comment/{issue_key(comment_id)}"))

    def comments(self, issue_id: str) -> list[Json]:
        """All comments that the account sees, oldest first."""
        return self._all(f"issue/{issue_key(issue_id)}/comment", "comments", {"orderBy": "created"})

    def changelog(self, issue_id: str) -> list[Json]:
        """The whole history; the one that comes with an issue ends after its newest part."""
        return self._all(f"issue/{issue_key(issue_id)}/changelog", "values", {})

    def remote_links(self, issue_id: str) -> Sequence[Json]:
        return _objects(self._http.get(f"issue/{issue_key(issue_id)}/remotelink"))

    def development_summary(self, issue_id: str) -> Json:
        """How many branches, commits and pull requests the development panel has, by kind of host."""
        return _object(self._panel.get("summary", {"issueId": issue_key(issue_id)}))

    def development_pulls(self, issue_id: str, host: str) -> Json:
        """The pull requests in the development panel of one kind of host, by the name that the summary has for it."""
        asked = {"issueId": issue_key(issue_id), "applicationType": host, "dataType": "pullrequest"}
        return _object(self._panel.get("detail", asked))

    def search(self, jql: str, fields: Sequence[str], *, page_size: int = _PAGE) -> Iterator[Json]:
        """All issues that match. A search may be seconds to minutes behind; it gives ids alone unless fields are
        named, and is at its end only when it says so.
        """
        token: str | None = None
        used: set[str] = set()
        while True:
            asked = {"jql": jql, "fields": list(fields), "maxResults": page_size}
            where = f"page {len(used) + 1} of the listing by {jql!r}"
            try:
                page = _object(self._http.query("search/jql", asked | ({"nextPageToken": token} if token else {})))
            except SourceUnavailable as error:
                raise SourceIncomplete(f"{error}, {where}", retry_after=error.retry_after) from error
            yield from _objects(page.get("issues"))
            if page.get("isLast") is True:
                return
            token = page.get("nextPageToken")
            if not isinstance(token, str) or not token or token in used:
                raise SourceIncomplete(f"Jira ended a listing before its end, at {where}")
            used.add(token)

    def _all(self, path: str, items: str, params: Mapping[str, str]) -> list[Json]:
        """A list by its offsets, in its order. When something in it is deleted meanwhile, the rest moves up: each page
        must begin with what is already known.
        """
        found: dict[str, Json] = {}
        start = 0
        while True:
            page = _object(self._http.get(path, {**params, "startAt": str(start), "maxResults": str(_PAGE)}))
            batch, total = _objects(page.get(items)), page.get("total")
            if start and (not batch or str(batch[0].get("id")) not in found):
                raise SourceIncomplete(f"The {items} of {path} changed while Jira listed them")
            found |= {str(item.get("id")): item for item in batch}
            end = start + len(batch)
            if isinstance(total, int) and end >= total:
                return list(found.values())
            if not batch:
                raise SourceIncomplete(f"Jira gave {len(found)} of {total} {items} of {path}")
            start = max(start + 1, end - _OVERLAP)


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


def _object(value: Any) -> Json:
    if not isinstance(value, dict):
        raise SourceUnavailable("Jira answered with JSON of another shape than expected")
    return value


def _objects(value: Any) -> Sequence[Json]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise SourceUnavailable("Jira answered with JSON of another shape than expected")
    return value
