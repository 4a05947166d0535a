"""A ticket's fields as they were, from what they are and the changes since. Without I/O.

A change says what a field was before it as text, people and choices with their ids. Readers take such texts where a
field's own value would be an object: rich text as wiki markup, choices, numbers and dates by their names.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.connectors import jira_values as values
from core.connectors.base import moment
from core.connectors.jira_wire import Json, objects, part
from evals.asof.jira_links import links_then, parent_then

UNKNOWN = "Tickets of which a changed field is not known by its name, so that their own fields are left out"
FOREIGN = "Fields of apps that keep no history, left out of tickets that changed later"
_ALIASES = {
    "link": "issuelinks",
    "fix version": "fixVersions",
    "version": "versions",
    "component": "components",
    "parent issue": "parent",
    "issueparentassociation": "parent",
    "issue type": "issuetype",
}
"""How the history calls fields, in small letters; by their ids and names they are known anyway."""
_NO_STATE = frozenset(
    {"attachment", "comment", "worklogid", "worklog", "rank", "epic child", "workflow", "remoteissuelink"}
    | {"remoteworkitemlink", "timespent", "timeestimate", "timeoriginalestimate", "project", "security", "key"}
)
"""Changes whose field is not taken, is taken as it is today, or is looked at elsewhere."""
_TAKEN = frozenset(
    {"summary", "description", "environment", "status", "resolution", "resolutiondate", "priority", "issuetype"}
    | {"assignee", "reporter", "creator", "labels", "components", "fixVersions", "versions", "duedate", "parent"}
    | {"issuelinks", "subtasks", "attachment", "comment", "created", "updated", "project", "security"}
    | {"issuerestriction"}
)
"""All other fields of Jira's own tell today's state alone: votes, progress, times."""
_PEOPLE = frozenset({"assignee", "reporter", "creator"})
_CHOICES = frozenset({"resolution", "priority", "issuetype"})
_LISTS = frozenset({"components", "fixVersions", "versions"})
_WITH_HISTORY = ("com.atlassian.", "com.pyxis.greenhopper.")
"""Beginnings of the types of those custom fields whose changes Jira records."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """What a site's fields and statuses are."""

    described: values.Described
    by_name: Mapping[str, tuple[str, ...]]
    """Ids of fields by what the history may call them, in small letters."""
    foreign: frozenset[str]
    """Fields of apps: whether they keep a history is not known."""
    statuses: Mapping[str, Json]
    """By id, and by name."""

    def fields_of(self, item: Json) -> tuple[str, ...]:
        """The ids of the fields that a change may be of: none where it is not known."""
        for said in ("fieldId", "field"):
            name = str(item.get(said) or "").casefold()
            if name in _NO_STATE:
                return (name,)
            found = self.by_name.get(_ALIASES.get(name, name).casefold(), ())
            if said == "field" and (kind := item.get("fieldtype")):
                found = tuple(one for one in found if (kind == "custom") == one.startswith("customfield_"))
            if found:
                return found
        return ()


def kinds(fields: Sequence[Json], statuses: Sequence[Json]) -> Kinds:
    by_name: dict[str, tuple[str, ...]] = {name.casefold(): (name,) for name in _TAKEN}
    foreign = set()
    for field in fields:
        number, name = str(field.get("id")), str(field.get("name") or "").casefold()
        by_name[number.casefold()] = (number,)
        kind = str(part(field, "schema").get("custom") or "")
        if kind and not kind.startswith(_WITH_HISTORY):
            foreign.add(number)
        if name and name not in by_name:
            by_name[name] = (number,)
        elif name and by_name[name] != (number,) and number not in by_name[name]:
            by_name[name] = (*by_name[name], number)
    known = {str(one.get("name")): one for one in statuses} | {str(one.get("id")): one for one in statuses}
    return Kinds(values.described(fields), by_name, frozenset(foreign), known)


@dataclass(slots=True)
class Ticket:
    """A ticket on its way back."""

    fields: dict[str, Any]
    key: str
    remarks: list[str]


def then(
    raw: Json,
    later: Sequence[Json],
    earlier: Sequence[Json],
    about: Kinds,
    number_of: Callable[[str], str | None],
    *,
    changed: bool,
) -> Ticket:
    """A ticket before `later`, entries of its history, newest first; `earlier` are those before. `changed` says whether
    anything of it may have changed since. `number_of` gives a ticket's id by its key.
    """
    fields = {name: value for name, value in part(raw, "fields").items() if _is_taken(name, about)}
    ticket = Ticket(fields, str(raw.get("key")), [])
    if changed and (foreign := [name for name in about.foreign & fields.keys() if fields[name] is not None]):
        ticket.remarks.append(FOREIGN)
        for name in foreign:
            del fields[name]
    for entry in later:
        for item in reversed(objects(entry.get("items"))):
            _undo(ticket, item, about, number_of)
    if any("resolution" in about.fields_of(item) for entry in later for item in objects(entry.get("items"))):
        _date_resolution(fields, earlier, about)
    return ticket


def _is_taken(name: str, about: Kinds) -> bool:
    return name in _TAKEN or (name.startswith("customfield_") and name not in about.described.machine)


def _undo(ticket: Ticket, item: Json, about: Kinds, number_of: Callable[[str], str | None]) -> None:
    fields, found = ticket.fields, about.fields_of(item)
    if found == ("key",):
        ticket.key = str(item.get("fromString") or item.get("from") or ticket.key)
    elif len(found) == 1 and found[0] in _NO_STATE:
        return
    elif len(found) != 1:
        ticket.remarks.append(UNKNOWN)
        for name in found or [name for name in fields if name.startswith("customfield_")]:
            fields[name] = None
    elif found[0] == "issuelinks":
        if "issuelinks" in fields:
            fields["issuelinks"] = links_then(objects(fields["issuelinks"]), item, number_of)
    elif found[0] == "parent":
        if (parent := parent_then(item, number_of)) is not None:
            fields["parent"] = parent
        else:
            fields.pop("parent", None)
    elif found[0] in fields:
        fields[found[0]] = _value(found[0], fields[found[0]], item, about)


def _value(name: str, now: object, item: Json, about: Kinds) -> object:
    """A field's value before a change."""
    said, number = item.get("fromString"), item.get("from")
    if name in _LISTS:
        return _list_then(objects(now), item)
    text = str(said) if said is not None else ""
    if name == "labels":
        return text.split()
    if not text and number is None:
        return "" if name == "summary" else None
    if name == "status":
        return about.statuses.get(str(number)) or about.statuses.get(text) or {"id": str(number or ""), "name": text}
    if name in _CHOICES:
        return {"id": str(number or ""), "name": text}
    if name in _PEOPLE:
        account = str(item.get("tmpFromAccountId") or number or "")
        return {"accountId": account, "name": account, "displayName": text}
    return text or str(number or "")


def _list_then(now: Sequence[Json], item: Json) -> list[Json]:
    """A list that a change took one from, or put one to."""
    added, removed = item.get("toString"), item.get("fromString")
    kept = [one for one in now if not (added and added in {one.get("name"), one.get("id")})]
    return [*kept, {"id": str(item.get("from") or ""), "name": str(removed)}] if removed else kept


def _date_resolution(fields: dict[str, Any], earlier: Sequence[Json], about: Kinds) -> None:
    if "resolutiondate" not in fields:
        return
    dates = [
        str(entry.get("created"))
        for entry in earlier
        if any("resolution" in about.fields_of(item) for item in objects(entry.get("items")))
    ]
    resolved = fields.get("resolution") is not None or "resolution" not in fields
    fields["resolutiondate"] = max(dates, key=moment, default=None) if resolved else None
