"""Answers that show what was found: search, lookup, open_source, check_plan, consumers."""

from collections.abc import Mapping
from typing import Any

from crosscheck.mcp.page import Answer, Item, Link
from crosscheck.mcp.quoting import count, inline, sentence

Record = Mapping[str, Any]

_NOTHING_NEW = "Nothing new: no source that you may read says anything that this plan does not show. Go on."
_UNSETTLED = 4  # notes that are said with it


def evidence(found: Record, asked: str) -> Answer:
    """Of `search` and `lookup`: passages, the best first."""
    records = found["evidence"]
    notes = (*found.get("notes", ()), *found.get("degraded", ()))
    if not records:
        return Answer(f"Nothing found for {inline(asked, 100)} that you may read.", notes=notes)
    return Answer(f"{count(len(records), 'result')}, best first.", tuple(_passage(record) for record in records), notes)


def _passage(record: Record) -> Item:
    unread = [sentence(one, 120) for one in list(record.get("unread", ()))[:2]]
    tail = f"Not read of it: {'; '.join(unread)}" if unread else ""
    head = f"{inline(record['title'])} {_kind(record)} in {inline(record['source'], 40)}, {_day(record['updated'])}"
    return Item(f"{head}, id {_id(record)}", record["text"], tail, (_link(record),))


def plan(found: Record) -> Answer:
    """Sources and checks; where there is nothing new, one line that says so, and where it was not looked."""
    unknowns = [f"{one['what']} {one['settled_by']}".strip() for one in found.get("unknowns", ())]
    notes = (*unknowns, *found.get("degraded", ()))
    if found["nothing_new"]:
        said = " ".join(sentence(note, 200) for note in notes[:_UNSETTLED])
        more = f" And {len(notes) - _UNSETTLED} more such notes." if len(notes) > _UNSETTLED else ""
        return Answer(f"{_NOTHING_NEW}\nNot settled: {said}{more}" if notes else _NOTHING_NEW)
    sources, checks = found["sources"], found["checks"]
    items = (*(_plan_source(one) for one in sources), *(_plan_check(one) for one in checks))
    return Answer(
        f"{count(len(sources), 'source')} that could change the plan, {count(len(checks), 'check')}.", items, notes
    )


def _plan_source(one: Record) -> Item:
    head = f"Source {inline(one['title'], 100)} {_kind(one)} in {inline(one['source'], 40)}, {_day(one['updated'])}"
    return Item(
        f"{head}, id {_id(one)}. Why: {sentence(one['why'], 180)}", one["text"], links=(_link(one),), excerpt=True
    )


def _plan_check(one: Record) -> Item:
    """With its first source linked, and a second one named."""
    first, *others = one["evidence"]
    head = f"Check {sentence(one['priority'], 6)}, {sentence(one['category'], 40)}: {sentence(one['statement'], 220)}"
    where = f"Evidence: {inline(first['title'], 80)} id {_id(first)}"
    where += f", {_id(others[0])}" if others else ""
    looked = first.get("looked_for") if not first.get("quote") else ""
    absent = f" Not there: {inline(looked, 80)}." if looked else ""
    why = f"Why: {sentence(one['why'], 180)}"
    return Item(f"{head} {why} {where}.{absent}", first.get("quote") or "", links=(_link(first),), excerpt=True)


def consumers(found: Record) -> Answer:
    """Where a name is defined, then who uses it."""
    name, defined, users = inline(found["name"], 100), found["defined"], found["consumers"]
    notes = tuple(f"Not looked: {one}" for one in found.get("not_looked", ()))
    more = (
        f" {found['more']} more are not listed; ask with a higher limit or fewer repositories."
        if found.get("more")
        else ""
    )
    if not (defined or users):
        return Answer(f"No definition and no user of {name} that you may read.", notes=notes)
    items = (*(_definition(one) for one in defined), *(_user(one) for one in users))
    places = f"defined in {count(len(defined), 'place')}, used in {len(users)}"
    return Answer(f"{name} ({sentence(found['kind'], 40)}): {places}.{more}", items, notes)


def _definition(one: Record) -> Item:
    return Item(f"Defined: {inline(one['title'])}, id {_id(one)}", links=(_link(one),))


def _user(one: Record) -> Item:
    branch = f" on {inline(one['branch'], 60)}" if one.get("branch") else ""
    line = f" line {int(one['line'])}" if one.get("line") else ""
    where = f"{inline(one['repo'], 60)}{branch} {inline(one['path'])}{line}"
    sure = f"{sentence(one['confidence'], 20)}, by {sentence(one['how'], 20)}"
    why = f" ({sentence(one['why'], 120)})" if one.get("why") else ""
    link = Link(f"{one['path']}{line}", one["url"])
    return Item(f"{where}: {sure}{why}", one["text"], links=(link,), excerpt=True)


def _id(record: Record) -> str:
    return inline(record.get("document") or record.get("id") or "", 200)


def _kind(record: Record) -> str:
    return inline(record["kind"], 20)[1:-1]


def _day(moment: str | None) -> str:
    return f"updated {inline(moment, 40)[1:11]}" if moment else "of unknown date"


def _link(record: Record) -> Link:
    return Link(record["title"], record.get("url") or "")
