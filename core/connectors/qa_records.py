"""Test results in files of any form: what each row or reported case says, by the names that the settings give to
columns.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from core.connectors.base import fingerprint
from core.parsing import junit
from core.parsing.markdown import one_line
from core.parsing.parsed import Parsed
from core.types import Place

ROLES = frozenset(
    {"id", "title", "suite", "steps", "expected", "result", "date", "ticket", "component", "priority", "message"}
)
"""What a column may be mapped to."""

_STATUSES = {
    "passed": {"passed", "pass", "ok", "success", "successful", "green", "done"},
    "failed": {"failed", "fail", "failure", "not ok", "nok", "red"},
    "skipped": {"skipped", "skip", "not run", "not executed", "untested", "ignored", "n/a"},
    "blocked": {"blocked"},
    "error": {"error", "broken"},
}
_STATUS = {word: status for status, words in _STATUSES.items() for word in words}
_CELL = re.compile(r"(?<!\\)\|")
_SEPARATOR = re.compile(r"\|(?: --- \|)+")
_SPAN = re.compile(r"(.*?)rows? ([0-9,]+)(?: to ([0-9,]+))?", re.DOTALL)
_BREAK = "<br>"


@dataclass(frozen=True, slots=True)
class Record:
    """One case as one file tells of it once."""

    id: str
    title: str
    suite: str
    status: str
    """Empty where a case is described and not run."""
    message: str
    at: datetime | None
    where: str
    """File, and row where there are rows."""
    details: Mapping[str, str]
    """What else is known of the case, by the names people see, in their order."""
    component: str = ""
    priority: str = ""
    tickets: str = ""
    """Text of the column that names them."""


class NoRecords(Exception):
    """The file holds no test records; the message says why, as a sentence's end."""


def of_table(path: str, parsed: Parsed, columns: Mapping[str, str]) -> Iterator[Record]:
    """A record for each row of each table that has a mapped column for the case's id or title.

    Raises NoRecords if no table has one.
    """
    roles = {_folded(header): role for role, header in columns.items()}
    known = False
    for row, where in _rows(path, parsed):
        given: dict[str, str] = {}
        details: dict[str, str] = {}
        for header, cell in row.items():
            role = roles.get(_folded(header))
            if role:
                given[role] = cell
            told = role in {None, "steps", "expected"} or (role == "date" and _moment(cell) is None)
            if told and cell and header:
                details[header] = cell
        known = known or bool(given.keys() & {"id", "title"})
        if given.get("id") or given.get("title"):
            yield _record(given, details, where)
    if not known:
        wanted = " or ".join(f"“{columns[role]}”" for role in ("id", "title") if role in columns)
        raise NoRecords(f"it has no column {wanted}")


def of_report(path: str, data: bytes) -> Iterator[Record]:
    """A record for each case of a JUnit report. Raises NoRecords, maybe after the first."""
    try:
        for case in junit.results(data):
            name = f"{case.suite}.{case.name}" if case.suite else case.name
            at = _moment(case.timestamp)
            yield Record(name, name, case.suite, case.status, case.message, at, path, {})
    except junit.ReportUnreadable as error:
        raise NoRecords(str(error)) from error


def named_tickets(projects: frozenset[str]) -> Callable[[Record], frozenset[str]]:
    """Finds the tickets of these projects that a record names, also as `test_bkg_142_lock`."""
    keys = "|".join(map(re.escape, sorted(projects)))
    pattern = re.compile(rf"(?<![A-Za-z0-9])({keys})[-_]([1-9][0-9]{{0,9}})(?![0-9])", re.IGNORECASE)

    def find(record: Record) -> frozenset[str]:
        if not projects:
            return frozenset()
        texts = (record.id, record.title, record.suite, record.tickets, *record.details.values())
        return frozenset(f"{key.upper()}-{number}" for text in texts for key, number in pattern.findall(text))

    return find


def _record(given: Mapping[str, str], details: Mapping[str, str], where: str) -> Record:
    title, suite = one_line(given.get("title", "")), one_line(given.get("suite", ""))
    written = one_line(given.get("result", ""))
    return Record(
        id=one_line(given.get("id", "")) or fingerprint(title, suite),
        title=title or one_line(given["id"]),
        suite=suite,
        status=_STATUS.get(written.casefold(), written),
        message=given.get("message", ""),
        at=_moment(given.get("date", "")),
        where=where,
        details=details,
        component=one_line(given.get("component", "")),
        priority=one_line(given.get("priority", "")),
        tickets=given.get("ticket", ""),
    )


def _rows(path: str, parsed: Parsed) -> Iterator[tuple[dict[str, str], str]]:
    """The rows of all tables of a text, by their headers, each with its place. A row's number is told where its
    table's rows and the numbers of its place are as many.
    """
    places = parsed.places or (Place(0, ""),)
    ends = [*(place.start for place in places[1:]), len(parsed.text)]
    for place, end in zip(places, ends, strict=True):
        rows = list(_table_rows(parsed.text[place.start : end]))
        span = _SPAN.fullmatch(place.label)
        first, last = (int((span[n] or span[2]).replace(",", "")) for n in (2, 3)) if span else (0, -1)
        for at, row in enumerate(rows):
            label = f"{span[1]}row {first + at:,}" if span and last - first + 1 == len(rows) else place.label
            yield row, f"{path}, {label}" if label else path


def _table_rows(text: str) -> Iterator[dict[str, str]]:
    header: list[str] = []
    before = ""
    for line in text.split("\n"):
        if _SEPARATOR.fullmatch(line):
            header = _cells(before)
        elif header and line.startswith("|"):
            yield dict(zip(header, _cells(line), strict=False))
        else:
            header = []
        before = line


def _cells(line: str) -> list[str]:
    cells = _CELL.split(line)[1:-1]
    return [cell.strip().replace("\\|", "|").replace(_BREAK, "\n") for cell in cells]


def _folded(header: str) -> str:
    return one_line(header).casefold()


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.strip())
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
