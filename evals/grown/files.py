"""A set that was grown from an installation, as files that a person can look at, mend and ask again.

set.json          the audience that it was grown for and is asked as, when, what was left out, and a digest of the rest
queries.jsonl     a question a line: `_id`, `text`, `slice`, `as_of`, `without`
qrels/test.tsv    question, document that answers it, 1, source; as BEIR has it
refuted.tsv       the same of documents that people said do not answer
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from evals.retrieval.errors import BadSet
from evals.retrieval.files import Record, by_id, judged, needed, text, whole
from evals.retrieval.types import Relevant

Slice = Literal["tickets", "liked", "disliked"]
SLICES: tuple[Slice, ...] = get_args(Slice)
_SET, _QUERIES, _RIGHT, _REFUTED = "set.json", "queries.jsonl", "qrels/test.tsv", "refuted.tsv"
_HEAD = "query-id\tcorpus-id\tscore\tsource\n"
_PARTING = frozenset("\t\r\n")


@dataclass(frozen=True, slots=True)
class GrownQuestion:
    id: str
    text: str
    slice: Slice
    as_of: str | None
    """ISO 8601 with its time zone; None: asked as of today."""
    without: tuple[str, ...]
    """Ids of documents that must not help."""


@dataclass(frozen=True, slots=True)
class Grown:
    """A set whose documents are an installation's own index."""

    name: str
    audience: str
    """As `--as` takes it."""
    made: str
    questions: tuple[GrownQuestion, ...]
    right: Relevant
    """Of disliked answers, what did not answer the question."""
    left_out: Mapping[str, int]
    """How many tickets and answers made no question, by the reason."""

    def of(self, slice_: Slice) -> list[GrownQuestion]:
        return [one for one in self.questions if one.slice == slice_]


def is_grown(folder: Path) -> bool:
    return (folder / _SET).is_file()


def check(folder: Path) -> None:
    """Raises BadSet if a set cannot be written there: into a new folder, or in place of a grown set."""
    if folder.exists() and not is_grown(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise BadSet(f"{folder} is there already and holds something else; give the set a folder of its own.")
    if (folder / "qrels").is_symlink():
        raise BadSet(f"{folder / 'qrels'} is a link; give the set a folder of its own.")
    if is_grown(folder) and whole(folder / _SET).get("digest", _digest(folder)) != _digest(folder):
        raise BadSet(f"{folder} was changed by hand since it was grown; give the new set a folder of its own.")


def write(grown: Grown, folder: Path) -> None:
    """Where `check` lets it. Every file is for its owner's eyes alone. Raises BadSet."""
    check(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / "qrels").mkdir(mode=0o700, exist_ok=True)
    disliked = {one.id for one in grown.of("disliked")}
    (folder / _SET).unlink(missing_ok=True)  # what is half written is no set
    _put(folder / _QUERIES, "".join(json.dumps(_line(one), ensure_ascii=False) + "\n" for one in grown.questions))
    _put(folder / _RIGHT, _table(grown.right, [one.id for one in grown.questions if one.id not in disliked]))
    _put(folder / _REFUTED, _table(grown.right, sorted(disliked)))
    about = {"shape": "grown", "audience": grown.audience, "made": grown.made, "left_out": dict(grown.left_out)}
    about["digest"] = _digest(folder)
    _put(folder / _SET, json.dumps(about, indent=1) + "\n")


def read(folder: Path) -> Grown:
    """Raises BadSet."""
    path = needed(folder, _QUERIES)
    about = whole(folder / _SET)
    if about.get("shape") != "grown":
        raise BadSet(f"{folder / _SET} is of no grown set.")
    left_out = about.get("left_out")
    counted = left_out.items() if isinstance(left_out, dict) else ()
    questions = tuple(_question(key, record, path) for key, record in by_id(path).items())
    right = {**judged(needed(folder, _RIGHT)), **judged(needed(folder, _REFUTED))}
    return Grown(
        name=folder.resolve().name,
        audience=text(about, "audience", folder / _SET),
        made=text(about, "made", folder / _SET, ""),
        questions=questions,
        right={one.id: right[one.id] for one in questions if one.id in right},
        left_out={str(reason): count for reason, count in counted if isinstance(count, int)},
    )


def _question(key: str, record: Record, path: Path) -> GrownQuestion:
    slice_ = next((one for one in SLICES if record.get("slice") == one), None)
    if slice_ is None:
        raise BadSet(f"{path}: {key} is of no slice; it may be {', '.join(SLICES)}.")
    as_of, without = record.get("as_of"), record.get("without", [])
    if as_of is not None and not _is_moment(as_of):
        raise BadSet(f"{path}: `as_of` of {key} is no date with a time zone.")
    if not isinstance(without, list) or not all(isinstance(one, str) for one in without):
        raise BadSet(f"{path}: `without` of {key} is no list of documents.")
    return GrownQuestion(key, text(record, "text", path), slice_, as_of, tuple(without))


def _is_moment(value: object) -> bool:
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _line(one: GrownQuestion) -> dict[str, Any]:
    told = {"_id": one.id, "slice": one.slice, "text": one.text, "without": list(one.without)}
    return told | ({"as_of": one.as_of} if one.as_of else {})


def _table(relevant: Relevant, questions: Iterable[str]) -> str:
    rows = (
        f"{question}\t{document}\t{one.grade}\t{one.source}\n"
        for question in questions
        for document, one in relevant.get(question, {}).items()
        if not _PARTING & set(document)
    )
    return _HEAD + "".join(rows)


def _digest(folder: Path) -> str:
    """Of what a person may have changed."""
    digest = hashlib.blake2b(digest_size=8)
    for path in (folder / name for name in (_QUERIES, _RIGHT, _REFUTED)):
        digest.update(path.read_bytes() if path.is_file() else b"")
        digest.update(b"\0")
    return digest.hexdigest()


def _put(path: Path, content: str) -> None:
    """All of it or nothing. Of what is there, a link included, nothing is followed or kept."""
    new = path.with_name(f"{path.name}.next")
    new.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(new, flags, 0o600), "w", encoding="utf-8", errors="replace") as file:
        file.write(content)
    new.replace(path)
