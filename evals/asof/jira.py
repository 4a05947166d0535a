"""A Jira as it was at a moment, behind the protocol that all reading goes through."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any

from core.connectors.base import moment
from core.connectors.jira_api import JiraApi
from core.connectors.jira_wire import ISSUES_AT_ONCE, PAGE, Json, objects, part
from core.errors import SourceError, SourceGone
from core.tickets import KEY
from evals.asof import jira_fields
from evals.asof.jira_links import SIDES, bare, brief, others
from evals.asof.remarks import Remarks

EDITED = "Comments on tickets that were edited later, left out since their earlier text cannot be had"


@dataclass(frozen=True, slots=True)
class _Asked:
    """The fields that are asked for, as Jira takes them."""

    names: tuple[str, ...]

    @property
    def everything(self) -> bool:
        return "*all" in self.names

    @property
    def wider(self) -> str:
        """What has to be read to know them: when a ticket began, and for its last change its comments."""
        if self.everything:
            return ",".join(name for name in self.names if name != "-comment")
        more = ("created", "updated", "comment") if "updated" in self.names else ("created", "updated")
        return ",".join(dict.fromkeys([*self.names, *more]))

    def of(self, fields: Mapping[str, Any]) -> Json:
        if self.everything:
            return {name: value for name, value in fields.items() if f"-{name}" not in self.names}
        return {name: value for name, value in fields.items() if name in self.names}


class JiraAt:
    """What `api` would have answered at `moment`, as far as its history tells. Who may read what is as it is today, and
    so are names of people, projects and fields; what has no date is not there. `core.connectors.jira_api.JiraApi`.
    """

    def __init__(self, api: JiraApi, at: datetime, remarks: Remarks) -> None:
        self._api = api
        self._at = at
        self._remarks = remarks
        self._created: dict[str, datetime] = {}
        """When tickets that others lead to came, by id."""
        self._files: set[str] = set()
        """Attachments that were there, as far as their tickets were read."""

    @property
    def site(self) -> str:
        return self._api.site

    def check_account(self) -> None:
        self._api.check_account()

    def server_time(self) -> str:
        return self._api.server_time()

    def fields(self) -> Sequence[Json]:
        return self._api.fields()

    def statuses(self) -> Sequence[Json]:
        return self._api.statuses()

    def project(self, key: str) -> Json:
        return self._api.project(key)

    def user(self, name: str) -> Json | None:
        return self._api.user(name)

    # Tickets

    def issue(self, key_or_id: str, fields: str, expand: str = "") -> Json:
        asked = _Asked(tuple(fields.split(",")))
        raw = self._api.issue(key_or_id, asked.wider, "changelog")
        _, found = next(self._then([(key_or_id, raw)], asked, expand))
        if isinstance(found, SourceError):
            raise found
        return found

    def issue_or_error(self, number: str, fields: str, expand: str = "") -> Json | SourceError:
        try:
            return self.issue(number, fields, expand)
        except SourceError as error:
            return error

    def issues(self, numbers: Sequence[str], fields: str, expand: str = "") -> Iterator[tuple[str, Json | SourceError]]:
        asked = _Asked(tuple(fields.split(",")))
        for start in range(0, len(numbers), ISSUES_AT_ONCE):
            some = numbers[start : start + ISSUES_AT_ONCE]
            yield from self._then(list(self._api.issues(some, asked.wider, "changelog")), asked, expand)

    def listing(self, scope: str, fields: Sequence[str], *, page_size: int = PAGE) -> Iterator[Json]:
        return self._listed(self._api.listing(scope, ["created"], page_size=page_size), fields)

    def search(self, jql: str, fields: Sequence[str], *, page_size: int = PAGE) -> Iterator[Json]:
        """Those that match today and were there: what a query says of their state is of today."""
        return self._listed(self._api.search(jql, ["created"], page_size=page_size), fields)

    def _listed(self, listed: Iterable[Json], fields: Sequence[str]) -> Iterator[Json]:
        """One that cannot be read now is there all the same, for who asks for it to see why."""
        there = (issue for issue in listed if self._was(part(issue, "fields").get("created")))
        while some := list(islice(there, ISSUES_AT_ONCE)):
            keys = {str(issue.get("id")): str(issue.get("key")) for issue in some}
            for number, found in self.issues(list(keys), ",".join(fields)):
                if not isinstance(found, SourceError):
                    yield found
                elif not isinstance(found, SourceGone):
                    yield {"id": number, "key": keys[number], "fields": {}}

    def _then(
        self, page: Sequence[tuple[str, Json | SourceError]], asked: _Asked, expand: str
    ) -> Iterator[tuple[str, Json | SourceError]]:
        self._learn({number for _, raw in page if not isinstance(raw, SourceError) for number in _leads_to(raw)})
        for number, raw in page:
            if isinstance(raw, SourceError):
                yield number, raw
            elif not self._was(part(raw, "fields").get("created")):
                yield number, SourceGone(f"Jira has no ticket {number}, or does not show it to us")
            else:
                yield number, self._ticket(number, raw, asked, expand)

    def _ticket(self, named: str, raw: Json, asked: _Asked, expand: str) -> Json | SourceError:
        """A ticket that was there, as it was. `named` is what it was asked for by."""
        number, now = str(raw.get("id")), part(raw, "fields")
        try:
            shown = self._api.shown_changes(raw)
            history = self._api.changelog(number) if shown is None else shown
            history = sorted(history, key=_age)
            earlier = [entry for entry in history if self._was(entry.get("created"))]
            later = history[len(earlier) :][::-1]
            changed = bool(later) or not self._was(now.get("updated"))
            told = jira_fields.then(raw, later, earlier, self._kinds, self._number_of, changed=changed)
            updated = self._updated(number, now, earlier) if "updated" in now else None
        except SourceError as error:
            return error
        for remark in told.remarks:
            self._remarks.add(remark, number)
        if KEY.fullmatch(named.upper()) and named.upper() not in _keys(told.key, earlier):
            return SourceGone(f"Jira has no ticket {named}, or does not show it to us")
        fields = {**told.fields, **self._there(told.fields), "updated": updated}
        found: dict[str, Any] = {"id": number, "key": told.key, "fields": asked.of(fields)}
        if "changelog" in expand:
            found["changelog"] = {"total": len(earlier), "histories": earlier}
        return found

    def _there(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the fields that lists are kept in, without what was not there."""
        found: dict[str, Any] = {}
        if "issuelinks" in fields:
            links = objects(fields["issuelinks"])
            found["issuelinks"] = [bare(one) for one in links if all(map(self._existed, _ends(one)))]
        if "subtasks" in fields:
            found["subtasks"] = [brief(one) for one in objects(fields["subtasks"]) if self._existed(str(one.get("id")))]
        if part(fields, "parent"):
            found["parent"] = brief(part(fields, "parent"))
        if "attachment" in fields:
            files = [one for one in objects(fields["attachment"]) if self._was(one.get("created"))]
            self._files |= {str(one.get("id")) for one in files}
            found["attachment"] = files
        if "comment" in fields:
            shown = part(fields, "comment")
            comments = objects(shown.get("comments"))
            there = self._unedited(comments)
            total = len(there) if shown.get("total") == len(comments) else shown.get("total")
            found["comment"] = {**shown, "comments": there, "total": total}
        return found

    def _updated(self, number: str, now: Json, earlier: Sequence[Json]) -> object:
        """When something happened last by then."""
        if self._was(now.get("updated")):
            return now.get("updated")
        times = [now.get("created"), *(entry.get("created") for entry in earlier)]
        if "comment" in now:
            shown = part(now, "comment")
            comments: Sequence[Json] = objects(shown.get("comments"))
            if shown.get("total") != len(comments):
                comments = self._api.comments(number, desk=False)
            times += [one.get("created") for one in comments]
        return max((time for time in times if self._was(time)), key=moment)

    # What belongs to a ticket

    def comments(self, issue_id: str, *, desk: bool) -> Sequence[Json]:
        return self._unedited(self._api.comments(issue_id, desk=desk))

    def _unedited(self, comments: Sequence[Json]) -> list[Json]:
        there = [one for one in comments if self._was(one.get("created"))]
        for one in there:
            if not self._was(one.get("updated") or one.get("created")):
                self._remarks.add(EDITED, str(one.get("id")))
        return [one for one in there if self._was(one.get("updated") or one.get("created"))]

    def shown_changes(self, issue: Json) -> Sequence[Json] | None:
        """All of it: what came with an issue is whole here."""
        return objects(part(issue, "changelog").get("histories"))

    def changelog(self, issue_id: str) -> Sequence[Json]:
        return [entry for entry in self._api.changelog(issue_id) if self._was(entry.get("created"))]

    def attachment(self, number: str, name: str) -> bytes:
        if number not in self._files:
            raise SourceGone(f"Jira has no attachment {number}, or does not show it to us")
        return self._api.attachment(number, name)

    def remote_links(self, issue_id: str) -> Sequence[Json]:
        del issue_id  # they have no date
        return ()

    def development_summary(self, issue_id: str) -> Json:
        del issue_id
        return {}

    def development_pulls(self, issue_id: str, host: str) -> Json:
        del issue_id, host
        return {}

    # What is known of the site

    @cached_property
    def _kinds(self) -> jira_fields.Kinds:
        return jira_fields.kinds(self._api.fields(), self._api.statuses())

    def _was(self, time: object) -> bool:
        """Whether something is not later than the moment. What says no time was not."""
        return bool(time) and moment(time) <= self._at

    def _learn(self, numbers: Iterable[str]) -> None:
        """When these tickets came; one that cannot be read stays unknown."""
        unknown = sorted(set(numbers) - self._created.keys())
        for number, raw in self._api.issues(unknown, "created"):
            if not isinstance(raw, SourceError):
                self._created[number] = moment(part(raw, "fields").get("created"))

    def _existed(self, number: str) -> bool:
        if number not in self._created:
            self._learn([number])
        return number in self._created and self._created[number] <= self._at

    def _number_of(self, key: str) -> str | None:
        try:
            raw = self._api.issue(key, "created")
        except SourceGone:
            return None
        number = str(raw.get("id"))
        self._created[number] = moment(part(raw, "fields").get("created"))
        return number


def _age(entry: Json) -> tuple[datetime, int]:
    """Of entries of one instant the number tells which came first."""
    number = str(entry.get("id"))
    return moment(entry.get("created")), int(number) if number.isdecimal() else 0


def _leads_to(raw: Json) -> Iterator[str]:
    return others(part(raw, "fields"))


def _ends(link: Json) -> Iterator[str]:
    return (str(part(link, side).get("id")) for side, _ in SIDES if part(link, side))


def _keys(key: str, earlier: Sequence[Json]) -> set[str]:
    """The keys that a ticket had by then."""
    items = (item for entry in earlier for item in objects(entry.get("items")))
    return {key, *(str(item.get("fromString")) for item in items if item.get("field") == "Key")}
