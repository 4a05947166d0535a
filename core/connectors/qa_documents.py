"""A test case with all that files tell of it, as one document."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from core.connectors.base import fingerprint
from core.connectors.qa_records import Record
from core.parsing import markdown
from core.parsing.markdown import one_line
from core.parsing.parsed import Parsed
from core.types import Document

_FAILURES = 5  # the latest that are told
_LONGEST = 1_000  # characters of a failure's message
_NEVER = datetime.fromtimestamp(0, UTC)


def case_document(
    source: str, records: Sequence[Record], tickets: frozenset[str], labels: frozenset[str], url: str, updated: datetime
) -> Document:
    """`records` are of one case, in the order of their files; `updated` is taken where no record has a date."""
    ordered = sorted(_distinct(records), key=lambda record: record.at or _NEVER)
    latest = ordered[-1]
    runs = [record for record in ordered if record.status]
    title = latest.title if latest.title == latest.id else f"{latest.id} {latest.title}"
    details = _details(ordered)
    text = markdown.join(
        [
            f"# {title}",
            _summary(latest, runs),
            *(f"## {name}\n\n{value}" if "\n" in value else f"{name}: {value}" for name, value in details.items()),
            _failures(runs),
            f"Told by {', '.join(dict.fromkeys(record.where for record in reversed(ordered[-_FAILURES:])))}.",
        ]
    )
    context = " > ".join(part for part in (source, latest.suite or latest.component, title) if part)
    attributes = {
        "type": "test case",
        "status": runs[-1].status if runs else "",
        "component": latest.component,
        "priority": latest.priority,
        "runs": str(len(runs)),
    }
    keys = frozenset({latest.id, *tickets})
    return Document(
        id=f"qa:{source}:{latest.id}",
        source=source,
        kind="qa",
        version=fingerprint(title, text, context, url, *sorted(keys), *map("=".join, attributes.items())),
        title=title,
        text=text,
        context=context,
        url=url,
        labels=labels,
        updated=latest.at or updated,
        keys=keys,
        attributes={name: value for name, value in attributes.items() if value},
    )


def file_document(
    source: str, path: str, parsed: Parsed, labels: frozenset[str], url: str, updated: datetime
) -> Document:
    """A file of which something could not be read: what, so that nobody takes its cases for all there are."""
    text = "\n".join(f"[{reason}]" for reason in parsed.unread)
    return Document(
        id=f"qa:{source}://{path}",
        source=source,
        kind="qa",
        version=fingerprint(path, text, url),
        title=path,
        text=text,
        context=f"{source} > {path}",
        url=url,
        labels=labels,
        updated=updated,
        keys=frozenset({path}),
        path=path,
        unread=parsed.unread,
        attributes={"type": "test records"},
    )


def _distinct(records: Sequence[Record]) -> list[Record]:
    """Exports repeat what the last one held: the same run of a known moment counts once, and the latest row tells."""
    found: dict[object, Record] = {}
    for at, record in enumerate(records):
        key = (record.at, record.status, record.message) if record.at and record.status else at
        found.pop(key, None)
        found[key] = record
    return list(found.values())


def _details(ordered: Sequence[Record]) -> Mapping[str, str]:
    """What is known of the case, by the latest record that says something of it."""
    found: dict[str, str] = {}
    for record in ordered:
        found |= record.details
        found |= {"Component": record.component} if record.component else {}
        found |= {"Priority": record.priority} if record.priority else {}
        found |= {"Tickets": one_line(record.tickets)} if record.tickets else {}
    return found


def _summary(latest: Record, runs: Sequence[Record]) -> str:
    if not runs:
        return f"Test case{f' of {latest.suite}' if latest.suite else ''}. No run is recorded."
    last = runs[-1]
    when = f" on {last.at:%Y-%m-%d}" if last.at else ""
    counts = ", ".join(f"{count} {status}" for status, count in Counter(run.status for run in runs).most_common())
    suite = f" of {latest.suite}" if latest.suite else ""
    return f"Test case{suite}. Latest result: {last.status}{when}. Runs: {len(runs)} ({counts})."


def _failures(runs: Sequence[Record]) -> str:
    failed = [run for run in runs if run.message.strip() and run.status not in {"passed", "skipped"}][-_FAILURES:]
    lines = []
    for run in reversed(failed):
        message = run.message.strip()
        shown = (
            message if len(message) <= _LONGEST else f"{message[:_LONGEST]} [{len(message) - _LONGEST} more characters]"
        )
        when = f"{run.at:%Y-%m-%d}, " if run.at else ""
        lines.append(f"{when}{run.status} ({run.where}):\n\n{markdown.fence(shown)}")
    return markdown.join(["## Latest failures", *lines]) if lines else ""
