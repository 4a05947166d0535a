"""Jira's JSON as values of ours, without I/O. Whatever is missing or malformed reads as absent."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from core.connectors.base import moment
from core.connectors.jira_wire import Json, objects, part
from core.parsing import adf, wiki
from core.parsing.markdown import clean
from core.tickets import KEY, Change, Comment, Field, Person, RemoteLink
from core.types import Locator

# Shown elsewhere in a ticket, or kept by Jira itself and filled by nobody.
_NOT_FILLED = frozenset(
    {"summary", "description", "issuetype", "project", "status", "statusCategory", "resolution", "resolutiondate"}
    | {"reporter", "creator", "assignee", "created", "updated", "comment", "issuelinks", "subtasks", "parent"}
    | {"worklog", "attachment", "watches", "watcher", "votes", "security", "progress", "aggregateprogress"}
    | {"lastViewed", "statuscategorychangedate", "workratio", "thumbnail", "timetracking", "timespent"}
    | {"timeestimate", "timeoriginalestimate", "aggregatetimespent", "aggregatetimeestimate"}
    | {"aggregatetimeoriginalestimate", "issuerestriction", "archiveddate", "archivedby"}
)
# Changes by machines; and those whose text may be that of a restricted comment or name what one holds.
_NO_CHANGES = frozenset({"Rank", "WorklogId", "timespent", "timeestimate", "Comment", "Attachment"})
_MACHINE_TYPES = ("gh-lexo-rank", "devsummarycf", "sd-sla-field", "sd-customerrequest-feedback", "vp-origin")
# Fields whose values name other tickets, which may be hidden from a reader of this one: by type, as the history calls
# them, and by id. As links and parent these tickets are read with their own labels.
_EPIC_TYPE = ":gh-epic-link"
_TICKET_TYPES = (_EPIC_TYPE, ":jpo-custom-field-parent", "issue-picker-cf")
_TICKET_CHANGES = frozenset(
    {"Link", "Parent", "Parent Issue", "Parent Link", "Epic Link", "Epic Child", "IssueParentAssociation"}
    | {"issuelinks", "subtasks", "parent"}
)
_ONLY_KEYS = re.compile(rf"{KEY.pattern}(?:[,;\s]+{KEY.pattern})*")
People = Callable[[str], Person | None]
"""Whom a text means by a user name, if that is known."""
_MOST_PEOPLE = 50  # of those whom one text mentions; the others go by their user names
# How Data Center writes a sprint.
_SPRINT = re.compile(
    r"com\.atlassian\.greenhopper\.\S{1,80}?Sprint@\w{1,16}\[.{0,300}?\bname=(.{0,255}?),(?:goal|startDate)=.{0,3000}\]",
    re.DOTALL,
)
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
        sprint = _SPRINT.fullmatch(value)
        return clean(sprint[1] if sprint else value).strip()
    if isinstance(value, list):
        return ", ".join(text for text in map(text_of, value) if text)
    if not isinstance(value, Mapping):
        return ""
    if value.get("type") == "doc":
        return adf.read(value).text
    name = next((clean(str(value[key])) for key in _NAMES if isinstance(value.get(key), str | int)), "")
    child = value.get("child")
    return f"{name} > {text_of(child)}" if isinstance(child, Mapping) else name


@dataclass(frozen=True, slots=True)
class Described:
    """What Jira says of its fields: names as people see them, and by their ids which ones a machine fills (ranks,
    development summaries, clocks), which hold prose, which point to tickets, and which of these to an epic.
    """

    names: Mapping[str, str]
    machine: frozenset[str]
    prose: frozenset[str]
    to_tickets: frozenset[str]
    epics: frozenset[str]
    by_name: Mapping[str, str]

    def field_of(self, change: Json) -> str:
        """The id of the field that a change is of. Data Center says its name alone, which several may have: then it is
        the one of which the least is to be told.
        """
        return str(change.get("fieldId") or "") or self.by_name.get(clean(str(change.get("field") or "")), "")

    def points_to_tickets(self, field: str, *texts: str) -> bool:
        """A field that is not described does if it holds nothing but keys."""
        if field in self.names:
            return field in self.to_tickets
        return any(texts) and all(_ONLY_KEYS.fullmatch(text) for text in texts if text)


def described(raw: Iterable[Json]) -> Described:
    schemas = {str(field.get("id")): part(field, "schema") for field in raw}
    kinds = {key: str(schema.get("custom") or "") for key, schema in schemas.items()}
    names = {str(field.get("id")): clean(str(field.get("name") or field.get("id"))) for field in raw}
    machine = {key for key, kind in kinds.items() if kind.endswith(_MACHINE_TYPES)}
    to_tickets = {key for key, kind in kinds.items() if kind.endswith(_TICKET_TYPES)}
    least_told_last = sorted(names, key=lambda field: (field in to_tickets, field in machine))
    return Described(
        names=names,
        machine=frozenset(machine),
        prose=frozenset({"environment", *(key for key, kind in kinds.items() if kind.endswith(":textarea"))}),
        to_tickets=frozenset(to_tickets),
        epics=frozenset(key for key, kind in kinds.items() if kind.endswith(_EPIC_TYPE)),
        by_name={names[field]: field for field in least_told_last},
    )


def nobody(_name: str) -> Person | None:
    """For where no text mentions people by their names."""
    return None


def filled(fields: Json, about: Described, people: People = nobody) -> tuple[Field, ...]:
    """The fields that people fill and that hold something, by the names people see; without those that point to
    tickets.
    """
    skipped = _NOT_FILLED | about.machine
    given = ((key, value) for key, value in fields.items() if key not in skipped)
    texts = ((key, prose(value, people).text if key in about.prose else text_of(value)) for key, value in given)
    found = ((key, text) for key, text in texts if text and not about.points_to_tickets(key, text))
    return tuple(Field(key, about.names.get(key, key), text) for key, text in found)


def prose(value: object, people: People = nobody) -> adf.Prose:
    """What a person wrote: Cloud gives a document, Data Center wiki markup."""
    if not isinstance(value, str):
        return adf.read(value)
    mentioned = wiki.mentions(value)
    found = {name: Person(name, name) for name in mentioned}
    found |= {name: known for name in mentioned[:_MOST_PEOPLE] if (known := people(name))}
    text = wiki.to_markdown(value, lambda name: found[name].name if name in found else name)
    return adf.Prose(text, tuple(dict.fromkeys(person.id for person in found.values())))


def person(value: object) -> Person | None:
    if not isinstance(value, Mapping):
        return None
    name = clean(str(value.get("displayName") or value.get("name") or "")).strip()
    return Person(next(iter(_ids(value)), ""), name or "somebody")


def _ids(person: Json) -> list[str]:
    """What Jira knows a person by: an account id, or on Data Center a key, and a name that can change."""
    return [str(person[key]) for key in ("accountId", "key", "name") if person.get(key)]


def is_by(raw: Json, people: frozenset[str]) -> bool:
    """Whether one of these, each known by any of their ids, wrote a comment or attached a file."""
    return not people.isdisjoint(_ids(part(raw, "author")))


def comment(
    raw: Json, ticket: Locator, labels: frozenset[str], bots: frozenset[str], people: People = nobody
) -> Comment:
    """A comment with its own labels, given."""
    author = person(raw.get("author")) or Person("", "somebody")
    body = prose(raw.get("body"), people)
    number = str(raw.get("id"))
    return Comment(
        id=number,
        author=author,
        created=moment(raw.get("created")),
        updated=moment(raw.get("updated") or raw.get("created")),
        text=body.text,
        mentions=body.mentions,
        labels=labels,
        locator=Locator(
            f"{ticket.document_id}:comment:{number}",
            f"{ticket.title}, comment by {author.name}",
            f"{ticket.url}?focusedCommentId={number}",
        ),
        by_bot=is_by(raw, bots) or part(raw, "author").get("accountType") == "app",
    )


def changes(histories: Iterable[Json], about: Described) -> tuple[Change, ...]:
    """Every change that people made to a field, oldest first."""
    found = [
        _change(history, item, about)
        for history in histories
        for item in objects(history.get("items"))
        if str(item.get("field")) not in _NO_CHANGES and about.field_of(item) not in about.machine
    ]
    return tuple(sorted(found, key=lambda change: change.at))


def _change(history: Json, item: Json, about: Described) -> Change:
    name, field = clean(str(item.get("field") or "?")), about.field_of(item)
    before, after = _side(item, "fromString", "from"), _side(item, "toString", "to")
    of_jira = bool({name, field} & _TICKET_CHANGES)
    return Change(
        at=moment(history.get("created")),
        author=person(history.get("author")) or Person("", "somebody"),
        field=name,
        before=before,
        after=after,
        to_tickets=of_jira or (item.get("fieldtype") == "custom" and about.points_to_tickets(field, before, after)),
    )


def _side(item: Json, name: str, identifier: str) -> str:
    value = item.get(name)
    return clean(str(value if value is not None else item.get(identifier) or ""))


def remote_link(raw: Json) -> RemoteLink | None:
    target = part(raw, "object")
    url = clean(str(target.get("url") or ""))
    title = clean(str(target.get("title") or url))
    return RemoteLink(title, url, clean(str(raw.get("relationship") or "")) or None) if url else None


def linked(fields: Json, about: Described) -> list[tuple[str, str]]:
    """Relation, as read from this ticket, and id of every ticket linked to it, its sub-tasks and its parent; of an epic
    that is named in a field of its own, as on Data Center, the key.
    """
    found: list[tuple[str, str]] = []
    for link in objects(fields.get("issuelinks")):
        for side, relation in (("outwardIssue", "outward"), ("inwardIssue", "inward")):
            if part(link, side):
                name = clean(str(part(link, "type").get(relation) or "is linked to"))
                found.append((name, str(part(link, side).get("id"))))
    found += [("sub-task", str(child.get("id"))) for child in objects(fields.get("subtasks"))]
    epic = next((fields[name] for name in sorted(about.epics & fields.keys()) if isinstance(fields[name], str)), None)
    parent = part(fields, "parent").get("id") or epic
    return [*found, ("parent", str(parent))] if parent else found


def is_done(fields: Json) -> bool:
    return bool(part(part(fields, "status"), "statusCategory").get("key") == "done")


def epoch_milliseconds(at: datetime) -> int:
    return int(at.astimezone(UTC).timestamp() * 1000)
