"""Reads that Jira's flavours answer alike, below different addresses."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence

from core.connectors.jira_wire import (
    ISSUES_AT_ONCE,
    Json,
    Wire,
    an_object,
    issue_key,
    project_key,
    some_objects,
)
from core.errors import SourceError, SourceForbidden, SourceGone

_PANEL = "/rest/dev-status/latest/issue/"  # what a ticket's page asks, on Cloud and Data Center; described nowhere


class JiraSite(ABC):
    """One site, read with one account."""

    _AT_ONCE = ISSUES_AT_ONCE
    """How many issues are asked for in a request."""

    def __init__(self, wire: Wire, api: str) -> None:
        """`api` is the path of its REST resources, with slashes around it."""
        self.site = wire.site
        self._http = wire.http(api)
        self._panel = wire.http(_PANEL, attempts=1)

    def check_account(self) -> None:
        self._http.get("myself")

    def server_time(self) -> str:
        return str(an_object(self._http.get("serverInfo")).get("serverTime") or "")

    def fields(self) -> Sequence[Json]:
        return some_objects(self._http.get("field"))

    def statuses(self) -> Sequence[Json]:
        return some_objects(self._http.get("status"))

    def project(self, key: str) -> Json:
        return an_object(self._http.get(f"project/{project_key(key)}"))

    def issue(self, key_or_id: str, fields: str, expand: str = "") -> Json:
        params = {"fields": fields, "expand": expand} if expand else {"fields": fields}
        return an_object(self._http.get(f"issue/{issue_key(key_or_id)}", params))

    def issue_or_error(self, number: str, fields: str, expand: str = "") -> Json | SourceError:
        try:
            return self.issue(number, fields, expand)
        except SourceError as error:
            return error

    def issues(self, numbers: Sequence[str], fields: str, expand: str = "") -> Iterator[tuple[str, Json | SourceError]]:
        for start in range(0, len(numbers), self._AT_ONCE):
            yield from self._issues(numbers[start : start + self._AT_ONCE], fields, expand)

    def _issues(self, numbers: Sequence[str], fields: str, expand: str) -> Iterator[tuple[str, Json | SourceError]]:
        if len(numbers) == 1:
            yield numbers[0], self.issue_or_error(numbers[0], fields, expand)
            return
        try:
            found = self._together(numbers, fields, expand)
        except SourceError as error:
            if isinstance(error, SourceForbidden):
                self.check_account()
            middle = len(numbers) // 2
            yield from self._issues(numbers[:middle], fields, expand)
            yield from self._issues(numbers[middle:], fields, expand)
            return
        for number in numbers:
            if number not in found:
                yield number, SourceGone(f"Jira has no ticket {number}, or does not show it to us")
            else:
                yield number, found[number] or self.issue_or_error(number, fields, expand)

    @abstractmethod
    def _together(self, numbers: Sequence[str], fields: str, expand: str) -> Mapping[str, Json | None]:
        """Issues by their ids or keys, as they are asked for, by one request; None for one that has to be asked for
        alone. What is not in it is not there, or hidden.
        """

    def remote_links(self, issue_id: str) -> Sequence[Json]:
        return some_objects(self._http.get(f"issue/{issue_key(issue_id)}/remotelink"))

    def development_summary(self, issue_id: str) -> Json:
        return an_object(self._panel.get("summary", {"issueId": issue_key(issue_id)}))

    def development_pulls(self, issue_id: str, host: str) -> Json:
        asked = {"issueId": issue_key(issue_id), "applicationType": host, "dataType": "pullrequest"}
        return an_object(self._panel.get("detail", asked))
