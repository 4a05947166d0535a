"""Reading a set's files. Everything wrong with one is a BadSet that names the file and the line."""

import gzip
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evals.retrieval.errors import BadSet
from evals.retrieval.types import Judgement, Relevant

Record = Mapping[str, Any]
_LONGEST = 20_000_000  # characters of a line
_LARGEST = 2_000_000_000  # characters of a file, unpacked
_GRADE = re.compile(r"-?[0-9]{1,9}")


def present(folder: Path, name: str) -> Path | None:
    """The file of this name in the folder, packed or not."""
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def needed(folder: Path, name: str) -> Path:
    path = present(folder, name)
    if path is None:
        raise BadSet(f"{folder} has no {name}.")
    return path


def records(path: Path) -> Iterator[Record]:
    """The objects of a file of JSON lines; empty lines are skipped."""
    for number, line in _lines(path):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadSet(f"{path}, line {number}: this is not JSON ({error}).") from error
        if not isinstance(record, dict):
            raise BadSet(f"{path}, line {number}: this is not a JSON object.")
        yield record


def whole(path: Path) -> Record:
    """The object that a file of JSON is."""
    try:
        record = json.loads("".join(line for _, line in _lines(path)))
    except (ValueError, RecursionError) as error:
        raise BadSet(f"{path} is not JSON ({error}).") from error
    if not isinstance(record, dict):
        raise BadSet(f"{path} does not hold a JSON object.")
    return record


def text(record: Record, field: str, path: Path, otherwise: str | None = None) -> str:
    """A field that is a text. BadSet if it is none, or is missing where nothing stands in for it."""
    value = record.get(field, otherwise)
    if not isinstance(value, str):
        raise BadSet(f"{path}: {record.get('_id', 'a record')} has no text in {field!r}.")
    return value


def whole_number(record: Record, field: str, path: Path) -> int:
    value = record.get(field)
    if not isinstance(value, int):
        raise BadSet(f"{path}: {record.get('_id', 'a record')} has no whole number in {field!r}.")
    return value


def by_id(path: Path) -> dict[str, Record]:
    """Records by their `_id`, in order. BadSet if there is none, or two are called alike."""
    found: dict[str, Record] = {}
    for record in records(path):
        number = record.get("_id")
        key = str(number) if isinstance(number, int) else text(record, "_id", path)
        if key in found:
            raise BadSet(f"{path}: there are two of {key}.")
        found[key] = record
    if not found:
        raise BadSet(f"{path} is empty.")
    return found


def judgements(folder: Path) -> Relevant:
    """From `qrels/test.tsv` or `qrels.tsv`; empty without such a file."""
    path = next((p for p in (folder / "qrels" / "test.tsv", folder / "qrels.tsv") if p.is_file()), None)
    return judged(path) if path else {}


def judged(path: Path) -> Relevant:
    """From a file whose first line names the columns: question, document, grade, and source where there are several. A
    document of grade 0 is none that answers.
    """
    relevant: dict[str, dict[str, Judgement]] = {}
    for number, line in _lines(path):
        if number == 1:
            continue
        cells = line.rstrip("\r\n").split("\t")
        if len(cells) < 3 or not _GRADE.fullmatch(cells[2].strip()):
            raise BadSet(f"{path}, line {number}: this is not a question, a document and a grade, parted by tabs.")
        if (grade := int(cells[2])) > 0:
            source = cells[3].strip() if len(cells) > 3 else ""
            relevant.setdefault(cells[0], {})[cells[1]] = Judgement(grade, source)
    return relevant


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that hold something, each with its number from 1."""
    size, number = 0, 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            while line := file.readline(_LONGEST + 1):
                number, size = number + 1, size + len(line)
                if len(line) > _LONGEST:
                    raise BadSet(f"{path}, line {number} is longer than {_LONGEST:,} characters.")
                if size > _LARGEST:
                    raise BadSet(f"{path} is longer than {_LARGEST:,} characters.")
                if line.strip():
                    yield number, line
    except (UnicodeDecodeError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadSet(f"{path} cannot be read: {error}.") from error
