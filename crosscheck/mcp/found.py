"""Answers that show what was found: search, lookup, open_source, check_plan, consumers."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from crosscheck.mcp.page import Answer, Item, Link
from crosscheck.mcp.quoting import count, inline, repeating, sentence

Record = Mapping[str, Any]

_NOTHING_NEW = "Nothing new: no source that you may read says anything that this plan does not show. Go on."
_UNSETTLED = 4  # notes that are said with it
_CODE = ("code", "file")
_READ = 3  # results that are read first
_REPOS = 5  # repositories of consumers that are named in the first line


def evidence(found: Record, asked: str, otherwise: str = "") -> Answer:
    """Of `search` and `lookup`: passages, the best first. `otherwise` is said where there is none."""
    records = found["evidence"]
    notes = (*found.get("notes", ()), *found.get("degraded", ()))
    if not records:
        return Answer(f"Nothing found for {inline(asked, 100)} that you may read. {otherwise}".strip(), notes=notes)
    items = tuple(_passage(record, asked) for record in records)
    return Answer(f"{count(len(records), 'result')}, best first.", items, notes, first=_READ)


def _passage(record: Record, asked: str) -> Item:
    unread = [repeating(one, 120) for one in list(record.get("unread", ()))[:2]]
    tail = f"Not read of it: {'; '.join(unread)}" if unread else ""
    head = f"{inline(record['title'])} {_kind(record)} in {inline(record['source'], 40)}, {_day(record['updated'])}"
    return Item(f"{head}, id {_id(record)}", record["text"], tail, (_link(record),), about=asked)


def plan(found: Record) -> Answer:
    """Checks, which say what to do, then sources; where there is nothing new, one line that says so, and where it was
    not looked.
    """
    unknowns = [f"{one['what']} {one['settled_by']}".strip() for one in found.get("unknowns", ())]
    notes = (*unknowns, *found.get("degraded", ()))
    if found["nothing_new"]:
        said = " ".join(repeating(note, 200) for note in notes[:_UNSETTLED])
        more = f" And {len(notes) - _UNSETTLED} more such notes." if len(notes) > _UNSETTLED else ""
        return Answer(f"{_NOTHING_NEW}\nNot settled: {said}{more}" if notes else _NOTHING_NEW)
    sources, checks = found["sources"], found["checks"]
    quoted = {_quote(one) for one in checks}
    items = (*map(_plan_check, checks), *(_plan_source(one, quoted) for one in sources))
    told = [count(len(checks), "check")] if checks else []
    told += [f"{count(len(sources), 'source')} that could change the plan"] if sources else []
    intro = f"{', '.join(told)}. Settle each before you go on; open_source with its id shows the whole."
    return Answer(intro, items, notes)


def _plan_source(one: Record, quoted: AbstractSet[str]) -> Item:
    """What is quoted already is not quoted again. Code keeps its lines."""
    text = "" if one["text"] in quoted else one["text"]
    head = f"Source {inline(one['title'], 100)} {_kind(one)} in {inline(one['source'], 40)}, {_day(one['updated'])}"
    head = f"{head}, id {_id(one)}. Why: {repeating(one['why'], 180)}"
    return Item(head, text, links=(_link(one),), excerpt=one["kind"] not in _CODE)


def _plan_check(one: Record) -> Item:
    """With its first source linked, and a second one named."""
    first, *others = one["evidence"]
    head = f"Check {sentence(one['priority'], 6)}, {sentence(one['category'], 40)}: {repeating(one['statement'], 220)}"
    where = f"Evidence: {inline(first['title'], 80)} id {_id(first)}"
    where += f", {_id(others[0])}" if others else ""
    looked = first.get("looked_for") if not first.get("quote") else ""
    absent = f" Not there: {inline(looked, 80)}." if looked else ""
    why = f"Why: {repeating(one['why'], 180)}"
    return Item(f"{head} {why} {where}.{absent}", _quote(one), links=(_link(first),), excerpt=True)


def _quote(check: Record) -> str:
    return check["evidence"][0].get("quote") or ""


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
    repos = ", ".join(inline(repo, 60) for repo in list(dict.fromkeys(user["repo"] for user in users))[:_REPOS])
    places = f"defined in {count(len(defined), 'place')}, used in {count(len(users), 'place')}"
    where = f" of {repos}" if repos else ""
    return Answer(f"{name} ({sentence(found['kind'], 40)}): {places}{where}.{more}", items, notes)


def _definition(one: Record) -> Item:
    return Item(f"Defined: {inline(one['title'])}, id {_id(one)}", links=(_link(one),))


def _user(one: Record) -> Item:
    branch = f" on {inline(one['branch'], 60)}" if one.get("branch") else ""
    line = f" line {int(one['line'])}" if one.get("line") else ""
    where = f"{inline(one['repo'], 60)}{branch} {inline(one['path'])}{line}"
    sure = f"{sentence(one['confidence'], 20)}, by {sentence(one['how'], 20)}"
    why = f" ({repeating(one['why'], 120)})" if one.get("why") else ""
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
