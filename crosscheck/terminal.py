"""Results as text for a terminal. Text from outside is shown inert: no escape sequences, no markup."""

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from rich.console import Group, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from bots.text import clean
from crosscheck.explain import searches_text

_QUIET = 10.0  # seconds between two lines of progress


class _Rate(ProgressColumn):
    """Steps a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "")


class Lines:
    """Progress where there is no terminal to draw on: a line every ten seconds, with rate and remaining time."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._began: dict[str, float] = {}
        self._said = clock()

    def __call__(self, message: Mapping[str, Any]) -> None:
        """Take a report: step, steps done, and their total where it is known."""
        step, done, total = str(message["step"]), int(message["done"]), message["total"]
        now = self._clock()
        began = self._began.setdefault(step, now)
        if now - self._said < _QUIET:
            return
        self._said = now
        rate = done / (now - began) if now > began else 0.0
        left = f", about {max(total - done, 0) / rate:,.0f} s left" if total and rate else ""
        of = f" of {total:,}" if total else ""
        self._write(clean(f"{step}: {done:,}{of}, {rate:,.0f}/s{left}"))


def columns() -> Iterable[ProgressColumn]:
    """What a progress bar shows: step, bar, count, remaining time."""
    return (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
    )


def source_table(sources: Iterable[Mapping[str, Any]]) -> Table:
    table = Table("source", "documents", "not all read", "masked", "last success", "age", "last error", box=None)
    for source in sources:
        last = source["last_success"]
        age = "stale, " * bool(source["stale"]) + (_age(last) if last else "never read")
        counts = (source["documents"], source["partly"] or "-", source["masked"] or "-")
        table.add_row(*_cells(source["source"], *counts, last or "-", age, source["last_error"] or "-"))
    return table


def unread_text(answer: Mapping[str, Any]) -> Text:
    """The documents of which something could not be read, a line each thing."""
    lines: list[str] = []
    for document in answer["unread"]:
        lines += [f"{document['title']}  {document['url']}".rstrip(), *(f"  {what}" for what in document["unread"])]
    if answer["more"]:
        lines.append(f"and {answer['more']} more documents")
    return Text(clean("\n".join(lines)))


def job_table(answer: Mapping[str, Any]) -> Group:
    counts = ", ".join(f"{count} {state}" for state, count in sorted(answer["counts"].items()) if count) or "none yet"
    table = Table("job", "about", "state", "attempts", "asked", "answer", "error", box=None)
    for job in answer["jobs"]:
        error = job["error"] or next((post["error"] for post in job["posts"] if post["error"]), None)
        cells = (job["id"], job["subject"], job["state"], job["attempts"], _age(job["created_at"]) + " ago")
        table.add_row(*_cells(*cells, _answer(job), error or "-"))
    return Group(Text(f"Jobs: {counts}"), table)


def _answer(job: Mapping[str, Any]) -> str:
    """What became of the reply, its worst part first."""
    states = {post["state"] for post in job["posts"] if post["state"] != "cancelled"}
    told = {"failed": "NOT POSTED", "dropped": "not wanted any more", "held": "held, posting is off"}
    told |= {"withheld": "NOT POSTED", "running": "being posted", "queued": "waiting", "sent": "posted"}
    return next((text for state, text in told.items() if state in states), "none")


def job_text(job: Mapping[str, Any]) -> Text:
    lines = [
        f"Job {job['id']} about {job['subject']}: {job['state']}, {job['attempts']} attempts, {job['retries']} retries",
        f"Key: {job['key']}",
        "",
        *(f"{event['at']}  {event['what']}  {event['detail'] or ''}".rstrip() for event in job["events"]),
    ]
    for post in job["posts"]:
        where = post["url"] or post["error"] or ""
        lines.append(f"Part {post['part']} of {post['parts']}: {post['state']} {where}".rstrip())
    result = job["result"] or {}
    if "ignored" in result:
        lines.append(f"Not answered: {result['ignored']}.")
    elif job["error"]:
        lines.append(f"Error: {job['error']}")
    if result.get("searches"):
        lines += ["", "Searched for:", "", searches_text(result["searches"])]
    if result.get("reply"):
        lines += ["", "Reply:", "", result["reply"]]
    return Text(clean("\n".join(lines)))


def evidence_text(answer: Mapping[str, Any]) -> Text:
    lines = [] if answer["evidence"] else ["Nothing found that this audience may read."]
    for number, found in enumerate(answer["evidence"], 1):
        excerpt = " ".join(found["text"].split())[:240]
        lines += [
            f"{number}. {found['title']}  [{found['source']}, {found['route']}]",
            *([f"   {found['url']}"] if found["url"] else []),
            f"   {excerpt}",
            *([f"   Not known: {'; '.join(found['unread'])}"] if found["unread"] else []),
            "",
        ]
    lines += [f"Note: {note}" for note in (*answer["notes"], *answer["degraded"])]
    return Text(clean("\n".join(lines)))


def review_all_text(answer: Mapping[str, Any]) -> Group:
    """Findings by ticket, the rules' table when there were expectations, and what could not be reviewed."""
    failed = "\n".join(f"Not reviewed: {one['key']}: {one['reason']}" for one in answer["not_reviewed"])
    rules: list[RenderableType] = [Text(), _rules(answer["rules"])] if "rules" in answer else []
    return Group(_reviews(answer), *rules, *([Text(), Text(clean(failed))] if failed else []))


def release_text(answer: Mapping[str, Any]) -> Group:
    """What is urgent in the tickets of a release, by ticket."""
    clear = answer["tickets"] - len({row["ticket"] for row in answer["open"]}) - len(answer["not_reviewed"])
    table = Table("ticket", "", "category", "what", "question", box=None)
    for row in answer["open"]:
        table.add_row(*_cells(*(row[name] for name in ("ticket", "priority", "category", "statement", "question"))))
    failed = [f"Not reviewed: {one['key']}: {one['reason']}" for one in answer["not_reviewed"]]
    told = f"{answer['tickets']} tickets, {len(answer['open'])} urgent points; {clear} tickets without one."
    shown: list[RenderableType] = [table, Text()] if answer["open"] else []
    return Group(*shown, Text(clean("\n".join([told, *failed]))))


def sync_text(answer: Mapping[str, Any]) -> Text:
    lines: list[str] = []
    for source in answer["sources"]:
        lines.append(
            f"{source['source']}: {source['read']} read, {source['written']} written, "
            f"{source['relabelled']} relabelled, {source['unchanged']} unchanged, {source['deleted']} deleted, "
            f"{source['chunks']} chunks in {source['seconds']:.1f} s"
            f"{_rate(source['chunks'], source['seconds'])}"
        )
        if source["partly"]:
            lines.append(f"  {source['partly']} documents not read in full: crosscheck sources {source['source']}")
        if source["masked"]:
            lines.append(f"  {source['masked']} strings that look like credentials were masked")
        lines.extend(f"  not read: {unread}" for unread in source["unread"])
    lines.extend(f"{one['source']}: FAILED: {one['reason']}" for one in answer["failed"])
    return Text(clean("\n".join(lines)))


def _rate(chunks: int, seconds: float) -> str:
    return f" ({chunks / seconds:,.0f} chunks/s)" if chunks and seconds > 1 else ""


def _reviews(answer: Mapping[str, Any]) -> Table:
    table = Table("ticket", "findings", "unknowns", box=None)
    for review in answer["reviews"]:
        findings = ", ".join(f"{finding['priority']} {finding['rule']}" for finding in review["findings"]) or "-"
        table.add_row(*_cells(review["key"], findings, len(review["unknowns"])))
    return table


def _cells(*values: object) -> list[Text]:
    return [Text(clean(str(value))) for value in values]


def _age(moment: str) -> str:
    seconds = max(0, int((datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _rules(rows: Iterable[Mapping[str, Any]]) -> Table:
    table = Table("rule", "caught", "missed", "false", "look-alikes", box=None)
    for row in rows:
        shown = (f"{len(row[name])} {' '.join(row[name])}".strip() for name in ("caught", "missed", "false"))
        table.add_row(*_cells(row["rule"], *shown, row["look_alikes"]))
    return table
