"""Collects what files and test records say today."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from core.connectors.folder import content, listed
from core.connectors.qa_records import NoRecords, Record, of_report, of_table
from core.parsing.parsed import ReadFile
from crosscheck.settings_sources import Files, Qa
from evals.asof.said import Said

_LARGEST = 50_000_000  # bytes


def of_files(files: Files, read: ReadFile) -> Iterator[Said]:
    for name, data, at in _held(Path(files.location)):
        yield Said(f"{files.name}, the name of a file", name, at)
        yield Said(f"{files.name}, {name}", read(name, data).text, at)


def of_records(qa: Qa, read: ReadFile) -> Iterator[Said]:
    """Each record as of its own date; without one, of its file's."""
    for name, data, at in _held(Path(qa.location)):
        for record in _records(name, data, qa, read):
            told = (record.title, record.message, *record.details.values())
            yield from (Said(f"{qa.name}, {record.where}", text, record.at or at) for text in told)


def _records(name: str, data: bytes, qa: Qa, read: ReadFile) -> Iterator[Record]:
    ending = PurePosixPath(name.lower()).suffix
    try:
        if ending == ".xml":
            yield from of_report(name, data)
        elif ending in {".csv", ".tsv", ".xlsx"}:
            yield from of_table(name, read(name, data), qa.columns)
    except NoRecords:
        return


def _held(folder: Path) -> Iterator[tuple[str, bytes, datetime]]:
    for file in listed(folder).files:
        if file.size <= _LARGEST:
            data, _ = content(folder, file.path, _LARGEST)
            yield file.shown, data, datetime.fromtimestamp(file.written / 1_000_000_000, UTC)
