"""Answers that show how things stand: deployed_state, schema_history, freshness."""

from collections.abc import Iterator, Mapping
from typing import Any

from crosscheck.mcp.page import Answer, Item, Link
from crosscheck.mcp.quoting import count, inline, repeating, sentence

Record = Mapping[str, Any]

_COMMITS = 5  # between what runs and what was asked for, that are told of one environment
_SAYS = 4


def deployed(found: Record) -> Answer:
    """What each environment runs, and whether what was asked for is in it."""
    notes = tuple(found.get("notes", ()))
    standings = found["standings"]
    if not standings:
        return Answer("No environment that you may see answers to this.", notes=notes)
    environments = {one["environment"] for one in standings}
    return Answer(f"{count(len(environments), 'environment')}.", tuple(_standing(one) for one in standings), notes)


def _standing(one: Record) -> Item:
    head = f"{inline(one['repo'], 60)} on {inline(one['environment'], 60)}: contained {sentence(one['contained'], 20)}"
    # They repeat what an endpoint, a tag or a commit's author wrote, so they stand in backticks whole.
    lines = [f"- {inline(said, 360)}" for said in list(one.get("says", ()))[:_SAYS]]
    if one.get("since") and one["contained"] != "yes":
        lines.append(f"- What runs there does so since {_moment(one['since'])}.")
    lines += _between(one.get("between") or {})
    return Item(head, tail="\n".join(lines), links=(Link(f"{one['repo']} {one['environment']}", one.get("url") or ""),))


def _between(between: Record) -> Iterator[str]:
    """Their ids: the sentences before have the titles."""
    commits = list(between.get("commits", ()))[:_COMMITS]
    if not between.get("count"):
        return
    shown = ", ".join(inline(one["id"][:12], 20) for one in commits)
    more = f" and {between['count'] - len(commits)} more" if between["count"] > len(commits) else ""
    yield f"- Commits that are missing there, the newest first: {shown}{more}"


def schema(found: Record, *, narrowed: bool = False) -> Answer:
    """Each database, then its migrations in the tool's own order. `narrowed`: only some migrations were asked for, so
    of databases that have none of them the names are enough.
    """
    histories = found["histories"]
    if not histories:
        return Answer("No database that you may see answers to this.")
    told = [one for one in histories if one["steps"] or one.get("unread") or not narrowed]
    others = ", ".join(inline(one["database"], 60) for one in histories if one not in told)
    absent = f"No such migration: {others}."
    if not told:
        return Answer(absent)
    items = tuple(item for history in told for item in _history(history))
    steps = sum(len(history["steps"]) for history in told)
    return Answer(f"{count(len(told), 'database')}, {count(steps, 'migration')}.", items, (absent,) if others else ())


def _history(history: Record) -> Iterator[Item]:
    read = (
        f"not read: {repeating(history['unread'], 200)}"
        if history.get("unread")
        else f"read {_moment(history.get('at'))}"
    )
    head = (
        f"Database {inline(history['database'], 60)} on {inline(history['environment'], 60)}, "
        f"{sentence(history['tool'], 30)}, files in {inline(history['repo'], 60)}, {read}"
    )
    notes = [f"- {repeating(note, 200)}" for note in list(history.get("notes", ()))[:4]]
    yield Item(head, tail="\n".join(notes))
    for step in history["steps"]:
        yield _step(step)


def _step(step: Record) -> Item:
    at = f" {_moment(step['at'])}" if step.get("at") else ""
    touched = ", ".join(inline(one, 80) for one in list(step.get("touched", ()))[:6])
    tickets = ", ".join(inline(one, 30) for one in list(step.get("tickets", ()))[:4])
    commit = f"; commit {inline(step['commit'][:12], 20)}" if step.get("commit") else ""
    head = f"{inline(step['id'], 80)} {inline(step['title'], 120)}: {sentence(step['state'], 20)}{at}"
    head += f"; {touched}" if touched else ""
    head += f"; tickets {tickets}" if tickets else ""
    notes = [f"- {repeating(note, 200)}" for note in list(step.get("notes", ()))[:3]]
    return Item(head + commit, tail="\n".join(notes), links=(Link(step["id"], step.get("url") or ""),))


def freshness(found: Record) -> Answer:
    """How much each source holds, and how old that is."""
    sources = found["sources"]
    if not sources:
        return Answer("There is no source that you may read.")
    return Answer(f"{count(len(sources), 'source')}.", tuple(_source(one) for one in sources))


def _source(one: Record) -> Item:
    age = f"last read {_moment(one['last_success'])}" if one.get("last_success") else "never read"
    stale = ", STALE" if one.get("stale") else ""
    partly = f", {one['partly']} of them partly unread" if one.get("partly") else ""
    error = f", last error: {repeating(one['last_error'], 200)}" if one.get("last_error") else ""
    return Item(f"{inline(one['source'], 60)}: {count(one['documents'], 'document')}{partly}, {age}{stale}{error}")


def _moment(text: str | None) -> str:
    """To the minute."""
    return inline(text, 40)[1:-1][:16].replace("T", " ") + " UTC" if text else "at no known time"
