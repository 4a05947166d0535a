"""A ticket's links to other tickets as they were. Without I/O."""

from collections.abc import Callable, Iterator, Sequence

from core.connectors.jira_wire import Json, part
from core.tickets import KEY

NumberOf = Callable[[str], str | None]
"""A ticket's id by its key; None for one that is not there."""
SIDES = (("outwardIssue", "outward"), ("inwardIssue", "inward"))


def links_then(now: Sequence[Json], item: Json, number_of: NumberOf) -> list[Json]:
    """The links before a change of one: what came with it goes, what went comes back."""
    kept = list(now)
    if came := _target(item.get("to"), item.get("toString")):
        kept = _without(kept, came, str(item.get("toString") or ""))
    if went := _target(item.get("from"), item.get("fromString")):
        relation = _relation(str(item.get("fromString") or ""), went)
        if number := number_of(went):
            kept.append({"type": {"outward": relation}, "outwardIssue": {"id": number, "key": went}})
    return kept


def parent_then(item: Json, number_of: NumberOf) -> Json | None:
    """The parent before a change of it."""
    key, given = str(item.get("fromString") or ""), str(item.get("from") or "")
    found = KEY.search(key)
    number = given if given.isdecimal() else number_of(found[0]) if found else None
    return {"id": number, "key": found[0] if found else ""} if number else None


def others(fields: Json) -> Iterator[str]:
    """The ids of the tickets that the fields of one lead to."""
    links = fields.get("issuelinks")
    for link in links if isinstance(links, list) else []:
        yield from (str(part(link, side).get("id")) for side, _ in SIDES if part(link, side))
    children = fields.get("subtasks")
    yield from (str(child.get("id")) for child in (children if isinstance(children, list) else []))
    if parent := part(fields, "parent").get("id"):
        yield str(parent)


def bare(link: Json) -> Json:
    """A link without what it tells of the other ticket, which is of today."""
    return {name: brief(value) if name in dict(SIDES) else value for name, value in link.items()}


def brief(issue: Json) -> Json:
    """Another ticket, as it is shown within one, without what is told of it."""
    return {name: issue[name] for name in ("id", "key", "self") if name in issue}


def _target(number: object, text: object) -> str:
    """The key of the other ticket of a change."""
    for said in (number, text):
        if found := list(KEY.finditer(str(said or ""))):
            return found[-1][0]
    return ""


def _relation(text: str, key: str) -> str:
    """What relates two tickets, of `This issue is blocked by BKG-12`."""
    return text.replace(key, "").removeprefix("This issue ").removeprefix("This work item ").strip() or "is linked to"


def _without(links: Sequence[Json], key: str, text: str) -> list[Json]:
    """Without the link that the text names; without all to that ticket where none is named so."""
    to_it = [link for link in links if any(part(link, side).get("key") == key for side, _ in SIDES)]
    named = [link for link in to_it if any(_says(text, link, side, relation) for side, relation in SIDES)]
    gone = named or to_it
    return [link for link in links if link not in gone]


def _says(text: str, link: Json, side: str, relation: str) -> bool:
    said = str(part(link, "type").get(relation) or "")
    return bool(part(link, side)) and bool(said) and said in text
