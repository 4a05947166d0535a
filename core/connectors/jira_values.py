"""Jira's JSON as values of ours, without I/O. Whatever is missing or malformed reads as absent, never as public."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from core.connectors.base import moment
from core.parsing import adf
from core.parsing.markdown import clean
from core.tickets import Change, Comment, Field, Person, RemoteLink
from core.types import Locator
from core.visibility import INTERNAL, jira_group, jira_project, jira_role, jira_security, restriction

Json = Mapping[str, Any]

LABEL_FIELDS = "project,security,issuerestriction"
"""The fields that `ticket_labels` reads."""
NOT_UNDERSTOOD = "jira:restriction:not-understood"
"""The label of a ticket that is restricted in a way we cannot read. Nobody holds it."""

# Shown elsewhere in a ticket, or kept by Jira itself and filled by nobody.
_NOT_FILLED = frozenset(
    {"summary", "description", "issuetype", "project", "status", "statusCategory", "resolution", "resolutiondate"}
    | {"reporter", "creator", "assignee", "created", "updated", "comment", "issuelinks", "subtasks", "parent"}
    | {"worklog", "attachment", "watches", "watcher", "votes", "security", "progress", "aggregateprogress"}
    | {"lastViewed", "statuscategorychangedate", "workratio", "thumbnail", "timetracking", "timespent"}
    | {"timeestimate", "timeoriginalestimate", "aggregatetimespent", "aggregatetimeestimate"}
    | {"aggregatetimeoriginalestimate", "issuerestriction"}
)
_MACHINE_TYPES = ("gh-lexo-rank", "devsummarycf", "sd-sla-field", "sd-customerrequest-feedback", "vp-origin")
_NAMES = ("displayName", "name", "value", "title", "key")


def text_of(value: object) -> str:
    """A field's value as a person reads it: rich text, string, number, choice, person, or a list of these."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(int(value)) if value == value // 1 else str(value)
    if isinstance(value, str):
        return clean(value).strip()
    if isinstance(value, list):
        return ", ".join(text for text in map(text_of, value) if text)
    if not isinstance(value, Mapping):
        return ""
    if value.get("type") == "doc":
        return adf.read(value).text
    name = next((clean(str(value[key])) for key in _NAMES if isinstance(value.get(key), str | int)), "")
    child = value.get("child")
    return f"{name} > {text_of(child)}" if isinstance(child, Mapping) else name


def filled(fields: Json, names: Mapping[str, str], machine: Iterable[str]) -> tuple[Field, ...]:
    """The fields that people fill and that hold something, by the names people see."""
    skipped = _NOT_FILLED | frozenset(machine)
    found = ((key, text_of(value)) for key, value in fields.items() if key not in skipped)
    return tuple(Field(key, names.get(key, key), text) for key, text in found if text)


def machine_fields(described: Iterable[Json]) -> frozenset[str]:
    """Ids of custom fields that a machine fills: ranks, development summaries, clocks."""
    return frozenset(
        str(field.get("id"))
        for field in described
        if str(part(field, "schema").get("custom") or "").endswith(_MACHINE_TYPES)
    )


def person(value: object) -> Person | None:
    if not isinstance(value, Mapping):
        return None
    name = clean(str(value.get("displayName") or "")).strip()
    return Person(str(value.get("accountId") or ""), name or "somebody")


def ticket_labels(fields: Json) -> frozenset[str]:
    """One label for the project, one for the security level, one for a restriction of the ticket itself."""
    project = str(part(fields, "project").get("key") or "?")
    labels = {jira_project(project)}
    security = fields.get("security")
    if security is not None:
        level = part(fields, "security")
        labels.add(jira_security(project, str(level.get("id") or level.get("name") or "?")))
    return frozenset(labels) | _restriction(fields.get("issuerestriction"), project)


def _restriction(field: object, project: str) -> frozenset[str]:
    """In a team-managed project a ticket can be restricted to some roles, each given by its id. Who has any of them may
    read it: for one role that is its label, and for several one label of the whole set, since holding two labels would
    mean having both.
    """
    if field is None:
        return frozenset()
    by_kind = field.get("issuerestrictions") if isinstance(field, Mapping) else None
    if not isinstance(by_kind, Mapping):
        return frozenset({NOT_UNDERSTOOD})
    entries = by_kind.get("projectrole") or []
    ids = [_role_id(entry) for entry in entries] if isinstance(entries, list) else [None]
    if None in ids or any(value for kind, value in by_kind.items() if kind != "projectrole"):
        return frozenset({NOT_UNDERSTOOD})
    roles = {jira_role(project, str(number)) for number in ids}
    return frozenset(roles) if len(roles) < 2 else frozenset({restriction(roles, ())})


def _role_id(entry: object) -> str | None:
    number = entry.get("restrictionValue") if isinstance(entry, Mapping) else None
    return str(number) if isinstance(number, str | int) and str(number).isdecimal() else None


def comment_labels(raw: Json, of_ticket: frozenset[str], project: str) -> frozenset[str]:
    """The ticket's labels with the comment's own: a role or group, by identifier where there is one, and whether it is
    a service desk's internal note.
    """
    labels = set(of_ticket)
    if raw.get("jsdPublic") is False:
        labels.add(INTERNAL)
    visibility = raw.get("visibility")
    if visibility:
        shape = part(raw, "visibility")
        who = str(shape.get("identifier") or shape.get("value") or "?")
        labels.add(jira_group(who) if shape.get("type") == "group" else jira_role(project, who))
    return frozenset(labels)


def comment(raw: Json, ticket: Locator, of_ticket: frozenset[str], project: str, bots: frozenset[str]) -> Comment:
    author = person(raw.get("author")) or Person("", "somebody")
    prose = adf.read(raw.get("body"))
    number = str(raw.get("id"))
    return Comment(
        id=number,
        author=author,
        created=moment(raw.get("created")),
        updated=moment(raw.get("updated") or raw.get("created")),
        text=prose.text,
        mentions=prose.mentions,
        labels=comment_labels(raw, of_ticket, project),
        locator=Locator(
            f"{ticket.document_id}:comment:{number}",
            f"{ticket.title}, comment by {author.name}",
            f"{ticket.url}?focusedCommentId={number}",
        ),
        by_bot=author.id in bots or part(raw, "author").get("accountType") == "app",
    )


def changes(histories: Iterable[Json]) -> tuple[Change, ...]:
    """Every change of every field, oldest first."""
    found = [
        Change(
            at=moment(history.get("created")),
            author=person(history.get("author")) or Person("", "somebody"),
            field=clean(str(item.get("field") or "?")),
            before=_side(item, "fromString", "from"),
            after=_side(item, "toString", "to"),
        )
        for history in histories
        for item in history.get("items") or []
        if isinstance(item, Mapping)
    ]
    return tuple(sorted(found, key=lambda change: change.at))


def _side(item: Json, name: str, identifier: str) -> str:
    value = item.get(name)
    return clean(str(value if value is not None else item.get(identifier) or ""))


def remote_link(raw: Json) -> RemoteLink | None:
    target = part(raw, "object")
    url = clean(str(target.get("url") or ""))
    title = clean(str(target.get("title") or url))
    return RemoteLink(title, url, clean(str(raw.get("relationship") or "")) or None) if url else None


def linked(fields: Json) -> list[tuple[str, str]]:
    """Relation, as read from this ticket, and id of every ticket linked to it, its sub-tasks and its parent."""
    found: list[tuple[str, str]] = []
    for link in fields.get("issuelinks") or []:
        for side, relation in (("outwardIssue", "outward"), ("inwardIssue", "inward")):
            if isinstance(link, Mapping) and part(link, side):
                found.append(
                    (clean(str(part(link, "type").get(relation) or "is linked to")), str(part(link, side).get("id")))
                )
    found += [
        ("sub-task", str(child.get("id"))) for child in fields.get("subtasks") or [] if isinstance(child, Mapping)
    ]
    parent = part(fields, "parent")
    return [*found, ("parent", str(parent["id"]))] if parent.get("id") else found


def is_done(fields: Json) -> bool:
    return bool(part(part(fields, "status"), "statusCategory").get("key") == "done")


def part(value: Json, key: str) -> Json:
    """A nested object, empty if there is none."""
    found = value.get(key)
    return found if isinstance(found, Mapping) else {}


def epoch_milliseconds(at: datetime) -> int:
    return int(at.astimezone(UTC).timestamp() * 1000)
