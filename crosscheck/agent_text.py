"""What the commands about plans, consumers, environments and schemas print."""

from collections.abc import Iterator, Mapping
from typing import Any

Record = Mapping[str, Any]


def plan_text(answer: Record) -> str:
    return "\n".join(_plan(answer))


def _plan(answer: Record) -> Iterator[str]:
    if answer["nothing_new"]:
        yield "Nothing was found that the plan does not show to know."
    for one in answer["sources"]:
        yield from _linked(f"Source: {one['title']} ({one['kind']}, {one['updated'][:10]})", one["url"])
        yield f"  {one['why']}"
        yield from (f"  > {line}" for line in one["text"].splitlines())
    for one in answer["checks"]:
        yield f"{one['priority']} {one['category']}: {one['statement']}"
        yield f"  {one['why']}"
        for cited in one["evidence"]:
            yield from _linked(f"  {cited['title']}", cited["url"])
    yield from (f"Not known: {one['what']} {one['settled_by']}" for one in answer["unknowns"])
    yield from answer["degraded"]
    yield f"Made by {answer['made_by']}."


def consumers_text(answer: Record) -> str:
    return "\n".join(_consumers(answer))


def _consumers(answer: Record) -> Iterator[str]:
    yield f"{answer['name']}, taken for a {answer['kind']}"
    for one in answer["defined"]:
        yield from _linked(f"  defined in {one['title']}", one["url"])
    if not answer["consumers"]:
        yield "  No use was found."
    for one in answer["consumers"]:
        branch = f" on {one['branch']}" if one["branch"] else ""
        yield f"  {one['confidence']:8} {one['repo']}{branch} {one['path']}:{one['line']}  {one['text']}"
        yield f"           {one['why']}"
    if answer["more"]:
        yield f"  {answer['more']} more are not shown; --limit shows more."
    yield from (f"Not looked: {one}" for one in answer["not_looked"])


def deployed_text(answer: Record) -> str:
    return "\n".join(_deployed(answer)) or "No environment that this audience may know of answers to that."


def _deployed(answer: Record) -> Iterator[str]:
    for one in answer["standings"]:
        yield from _linked(f"{one['environment']}, {one['repo']}: {one['version'] or 'version not known'}", one["url"])
        yield from (f"  {sentence}" for sentence in one["says"])
        if one["since"] and one["contained"] != "yes":
            yield f"  What runs there does so since {minute(one['since'])}."
        between = one["between"] or {"count": 0, "commits": []}
        for commit in between["commits"]:
            yield f"    {commit['id'][:10]} {commit['title']}"
        if (more := between["count"] - len(between["commits"])) > 0:
            yield f"    and {more} more"
    yield from answer["notes"]


def schema_text(answer: Record) -> str:
    return "\n".join(_schema(answer)) or "No database that this audience may know of answers to that."


def _schema(answer: Record) -> Iterator[str]:
    for history in answer["histories"]:
        unread = f"could not be read: {history['unread']}" if history["unread"] else f"read {minute(history['at'])}"
        yield f"{history['database']} ({history['tool']}, {history['environment']}), {unread}"
        yield from (f"  {note}" for note in history["notes"])
        if not (history["steps"] or history["unread"]):
            yield "  No such migration."
        for step in history["steps"]:
            when = f" {minute(step['at'])}" if step["at"] else ""
            told = [", ".join(step["touched"]), ", ".join(step["tickets"])]
            yield "  ".join([f"  {step['state']:12} {step['id']}{when}  {step['title']}", *filter(None, told)])
            yield from (f"               {note}" for note in step["notes"])


def minute(moment: str) -> str:
    """Of a time as records have it, which is UTC."""
    return f"{moment[:16].replace('T', ' ')} UTC"


def _linked(line: str, url: str) -> Iterator[str]:
    yield line
    if url:
        yield f"  {url}"
