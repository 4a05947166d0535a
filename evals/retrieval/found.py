"""What a system found for each question, as a file: JSON as `--run` writes it, or a run in TREC's format."""

import json
from collections import defaultdict
from math import isfinite
from pathlib import Path
from typing import Any

from evals.retrieval.errors import BadSet
from evals.retrieval.types import Relevant, Run

_LARGEST = 200_000_000  # bytes
_COLUMNS = 6  # question, Q0, document, rank, score, name of the run


def write(run: Run, path: Path) -> None:
    path.write_text(json.dumps(run, indent=1) + "\n", "utf-8")


def read(path: Path, relevant: Relevant) -> Run:
    """What is in such a file. BadSet if it is none, or is about none of the questions that have a right answer.

    Of TREC's format the scores decide, whatever the ranks say, and of equal ones the document that is named later in
    the alphabet comes first, as in trec_eval.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise BadSet(f"{path} is larger than {_LARGEST // 1_000_000} MB, so it is not read.")
        text = path.read_text("utf-8")
    except OSError as error:
        raise BadSet(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadSet(f"{path} cannot be read: it is not UTF-8.") from error
    run = _of_json(text, path) if text.lstrip()[:1] in {"{", "["} else _of_trec(text, path)
    if not run.keys() & relevant.keys():
        raise BadSet(f"{path} is about none of this set's questions.")
    return run


def _of_json(text: str, path: Path) -> Run:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadSet(f"{path} is not JSON ({error}).") from error
    if not isinstance(found, dict):
        raise BadSet(f"{path} does not hold a JSON object of questions.")
    for question, documents in found.items():
        if not isinstance(documents, list) or not all(isinstance(one, str) for one in documents):
            raise BadSet(f"{path}: what is found for {question[:80]!r} is no list of documents.")
    return found


def _of_trec(text: str, path: Path) -> Run:
    scored: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for number, line in enumerate(text.splitlines(), 1):
        cells = line.split()
        if not cells:
            continue
        score = _number(cells[4]) if len(cells) == _COLUMNS else None
        if score is None:
            raise BadSet(f"{path}, line {number}: this is neither JSON nor a line of a TREC run (six columns).")
        scored[cells[0]].append((score, cells[2]))
    return {question: [document for _, document in sorted(some, reverse=True)] for question, some in scored.items()}


def _number(cell: str) -> float | None:
    try:
        found = float(cell)
    except ValueError:
        return None
    return found if isfinite(found) else None
