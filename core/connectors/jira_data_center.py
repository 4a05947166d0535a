"""Reads of Jira Data Center's REST v2."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from core.connectors.base import moment
from core.connectors.jira_site import JiraSite
from core.connectors.jira_values import epoch_milliseconds
from core.connectors.jira_wire import (
    OLDEST_FIRST,
    PAGE,
    Json,
    Wire,
    an_object,
    by_offset,
    issue_key,
    objects,
    part,
)
from core.errors import SourceError, SourceGone, SourceIncomplete, SourceUnavailable

_PUBLIC = "sd.public.comment"
"""The property of a comment by which a service project tells an internal note from what a customer sees."""
_OVERLAP = 20  # items read twice, so that some deleted between two pages hide none
_SINGLY = 20  # issues that are read one by one rather than by a search
# Newer releases give no more than the first 10,000 of a search. https://support.atlassian.com/jira/kb/
# handling-jql-rest-api-searching-exceeding-max_result_window-in-jira
_WINDOW = 5_000
_STEP_BACK = timedelta(minutes=1) // timedelta(milliseconds=1)


class JiraDataCenter(JiraSite):
    """Many issues are read together by a search, whose index may be some seconds behind, and which finds nothing that
    is archived: few are read one by one, and so is each that a search does not find.
    """

    _AT_ONCE = 50  # it makes an answer whole before it sends any of it

    def __init__(self, wire: Wire) -> None:
        super().__init__(wire, "/rest/api/2/")
        self._users = wire.http("/rest/api/2/", attempts=1)
        self._files = wire.http("/secure/attachment/")

    def issues(self, numbers: Sequence[str], fields: str, expand: str = "") -> Iterator[tuple[str, Json | SourceError]]:
        if len(numbers) > _SINGLY:
            return super().issues(numbers, fields, expand)
        return ((number, self.issue_or_error(number, fields, expand)) for number in numbers)

    def _together(self, numbers: Sequence[str], fields: str, expand: str) -> Mapping[str, Json | None]:
        jql = f"id in ({', '.join(map(issue_key, numbers))}) {OLDEST_FIRST}"
        # Where it is validated, one that does not exist is an error of all.
        asked: dict[str, Any] = {"jql": jql, "fields": fields.split(","), "validateQuery": False}
        found = self._found(asked | ({"expand": [expand]} if expand else {}), len(numbers))
        named = {str(issue.get(name)): issue for issue in found for name in ("id", "key")}
        return {number: named.get(number) for number in numbers}

    def attachment(self, number: str, name: str) -> bytes:
        """An answer says where a file is, maybe below another host's name; it is at its own place on this one."""
        file = quote(name, safe="")
        return self._files.content(f"{issue_key(number)}/{file if file.strip('.') else 'file'}")

    def comments(self, issue_id: str, *, desk: bool) -> list[Json]:
        path = f"issue/{issue_key(issue_id)}/comment"
        params = {"orderBy": "created", "maxResults": str(PAGE)} | ({"expand": "properties"} if desk else {})

        def page(start: int) -> Json:
            return an_object(self._http.get(path, {**params, "startAt": str(start)}))

        found = by_offset(page, "comments", path, _OVERLAP)
        return [self._told(comment) for comment in found] if desk else list(found)

    def _told(self, comment: Json) -> Json:
        """A service project's comment with whether it is public, as Cloud says it; without that if nobody says it."""
        if isinstance(comment.get("jsdPublic"), bool):
            return comment
        given = comment.get("properties")
        told = (
            next((one.get("value") for one in objects(given) if one.get("key") == _PUBLIC), None)
            if isinstance(given, list)
            else self._property(str(comment.get("id")))
        )
        internal = _value(told).get("internal")
        return {**comment, "jsdPublic": not internal} if isinstance(internal, bool) else comment

    def _property(self, comment_id: str) -> object:
        try:
            return an_object(self._http.get(f"comment/{issue_key(comment_id)}/properties/{_PUBLIC}")).get("value")
        except SourceGone:
            return None

    def shown_changes(self, issue: Json) -> Sequence[Json] | None:
        changelog = part(issue, "changelog")
        shown = objects(changelog.get("histories"))
        return shown if changelog.get("total") == len(shown) else None

    def changelog(self, issue_id: str) -> Sequence[Json]:
        """The whole history, which comes with an issue and has no address of its own."""
        found = self.shown_changes(self.issue(issue_id, "created", "changelog"))
        if found is None:
            raise SourceIncomplete(f"Jira gave a part of the history of {issue_id}")
        return found

    def user(self, name: str) -> Json | None:
        return an_object(self._users.get("user", {"username": name}))

    def listing(self, scope: str, fields: Sequence[str], *, page_size: int = PAGE) -> Iterator[Json]:
        """In windows of time, each of which begins within the one before."""
        wanted = list(dict.fromkeys([*fields, "created"]))
        known: set[str] = set()
        since = 0
        while True:
            within = f"({scope}) AND created >= {since}" if since else scope
            for count, issue in enumerate(self.search(f"{within} {OLDEST_FIRST}", wanted, page_size=page_size)):
                if (number := str(issue.get("id"))) not in known:
                    known.add(number)
                    yield issue
                created = epoch_milliseconds(moment(part(issue, "fields").get("created"))) - _STEP_BACK
                if count >= _WINDOW and created > since:
                    since = created
                    break
            else:
                return

    def search(self, jql: str, fields: Sequence[str], *, page_size: int = PAGE) -> Iterator[Json]:
        return self._found({"jql": jql, "fields": list(fields)}, page_size)

    def _found(self, asked: dict[str, Any], page_size: int) -> Iterator[Json]:
        where = f"the listing by {asked['jql']!r}"

        def page(start: int) -> Json:
            try:
                return an_object(self._http.query("search", asked | {"startAt": start, "maxResults": page_size}))
            except SourceUnavailable as error:
                said = f"{error}, from {start} of {where}"
                raise SourceIncomplete(said, retry_after=error.retry_after) from error

        return by_offset(page, "issues", where, _OVERLAP)


def _value(told: object) -> Json:
    """A property's value, which is JSON or, by the description, JSON as a string."""
    if isinstance(told, str):
        try:
            told = json.loads(told)
        except (ValueError, RecursionError):
            return {}
    return told if isinstance(told, Mapping) else {}
