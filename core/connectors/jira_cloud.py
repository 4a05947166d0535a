"""Reads of Jira Cloud's REST v3."""

from collections.abc import Iterator, Mapping, Sequence

from core.connectors.jira_site import JiraSite
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
    some_objects,
)
from core.errors import SourceIncomplete, SourceUnavailable

# Changes that come with an issue: 40 of many issues, and the count of all is not to be relied upon then.
_CHANGES_SHOWN = 40
_OVERLAP = 5  # items read twice, so that one deleted between two pages hides none


class JiraCloud(JiraSite):
    """Many issues are read together as they are now: that is no search, so it is never behind."""

    def __init__(self, wire: Wire) -> None:
        super().__init__(wire, "/rest/api/3/")

    def _together(self, numbers: Sequence[str], fields: str, expand: str) -> Mapping[str, Json | None]:
        asked = {"issueIdsOrKeys": list(map(issue_key, numbers)), "fields": fields.split(",")}
        answer = an_object(self._http.query("issue/bulkfetch", asked | ({"expand": [expand]} if expand else {})))
        refused = {str(error.get("id")): None for error in some_objects(answer.get("issueErrors") or [])}
        return {**refused, **{str(issue.get("id")): issue for issue in some_objects(answer.get("issues"))}}

    def attachment(self, number: str, name: str) -> bytes:
        del name
        return self._http.content(f"attachment/content/{issue_key(number)}", {"redirect": "false"})

    def comments(self, issue_id: str, *, desk: bool) -> list[Json]:
        del desk
        return self._all(f"issue/{issue_key(issue_id)}/comment", "comments", {"orderBy": "created"})

    def shown_changes(self, issue: Json) -> Sequence[Json] | None:
        changelog = part(issue, "changelog")
        shown = objects(changelog.get("histories"))
        return shown if len(shown) < _CHANGES_SHOWN and changelog.get("total") == len(shown) else None

    def changelog(self, issue_id: str) -> list[Json]:
        """The whole history; the one that comes with an issue ends after its newest part."""
        return self._all(f"issue/{issue_key(issue_id)}/changelog", "values", {})

    def user(self, name: str) -> None:
        """Nobody: texts mention people by their ids, with their names."""

    def listing(self, scope: str, fields: Sequence[str], *, page_size: int = PAGE) -> Iterator[Json]:
        return self.search(f"{scope} {OLDEST_FIRST}", fields, page_size=page_size)

    def search(self, jql: str, fields: Sequence[str], *, page_size: int = PAGE) -> Iterator[Json]:
        """A search gives ids alone unless fields are named, and is at its end only when it says so."""
        token: str | None = None
        used: set[str] = set()
        while True:
            asked = {"jql": jql, "fields": list(fields), "maxResults": page_size}
            where = f"page {len(used) + 1} of the listing by {jql!r}"
            try:
                page = an_object(self._http.query("search/jql", asked | ({"nextPageToken": token} if token else {})))
            except SourceUnavailable as error:
                raise SourceIncomplete(f"{error}, {where}", retry_after=error.retry_after) from error
            yield from some_objects(page.get("issues"))
            if page.get("isLast") is True:
                return
            token = page.get("nextPageToken")
            if not isinstance(token, str) or not token or token in used:
                raise SourceIncomplete(f"Jira ended a listing before its end, at {where}")
            used.add(token)

    def _all(self, path: str, items: str, params: Mapping[str, str]) -> list[Json]:
        def page(start: int) -> Json:
            return an_object(self._http.get(path, {**params, "startAt": str(start), "maxResults": str(PAGE)}))

        return list(by_offset(page, items, path, _OVERLAP))
