"""Reads the questions and checks that what they name is there."""

import csv
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evals.planted.load import QA
from evals.questions.names import commit, file
from evals.questions.types import CATEGORIES, PARTS, Question
from sandbox.records import Company

FILE = Path(__file__).with_name("questions.toml")
_KEYS = {"id", "part", "category", "text", "holds", "wanted", "facts", "fine", "old"}
_REFUSED = {"restricted", "unanswerable"}


class QuestionsError(Exception):
    """The questions cannot be used as they are; the message says where and why."""


def questions(company: Company, path: Path = FILE) -> tuple[Question, ...]:
    """All questions, in the file's order.

    Raises QuestionsError if something in the file is wrong or names what the company does not have.
    """
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise QuestionsError(f"{path.name} cannot be read: {error}") from error
    known = frozenset(_documents(company))
    read = tuple(_question(entry, known) for entry in raw.get("question", []))
    ids = [one.id for one in read]
    if twice := {one for one in ids if ids.count(one) > 1}:
        raise QuestionsError(f"{path.name} has {_named(twice)} twice.")
    return read


def _documents(company: Company) -> Iterator[str]:
    yield from (f"ticket:{ticket.key}" for ticket in company.tickets)
    yield from (f"page:{page.id}" for page in company.pages)
    for repo in company.repos:
        yield from (file(repo.name, path) for made in repo.commits for path in made.files)
        yield from (commit(repo.name, made.message.partition("\n")[0]) for made in repo.commits)
    for path in sorted(QA.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as rows:
            yield from (f"qa:{row['Case ID']}" for row in csv.DictReader(rows))


def _question(entry: Mapping[str, Any], known: frozenset[str]) -> Question:
    name = str(entry.get("id", "a question"))
    if extra := entry.keys() - _KEYS:
        raise QuestionsError(f"{name} has {_named(extra)}, which means nothing there.")
    if missing := {"id", "part", "category", "text"} - entry.keys():
        raise QuestionsError(f"{name} lacks {_named(missing)}.")
    if entry["part"] not in PARTS or entry["category"] not in CATEGORIES:
        raise QuestionsError(f"{name} is of no known part or category.")
    question = Question(
        entry["id"],
        entry["part"],
        entry["category"],
        entry["text"],
        frozenset(entry.get("holds", ())),
        tuple(map(frozenset, entry.get("wanted", ()))),
        tuple(map(tuple, entry.get("facts", ()))),
        frozenset(entry.get("fine", ())),
        frozenset(entry.get("old", ())),
    )
    if question.answerable == (question.category in _REFUSED):
        raise QuestionsError(f"{name} names documents although nothing answers it, or none although something does.")
    if len(question.wanted) != len(question.facts):
        raise QuestionsError(f"{name} has not as many facts as groups of documents.")
    if unknown := {*question.fine, *question.old}.union(*question.wanted) - known:
        raise QuestionsError(f"{name} names {_named(unknown)}, which the company does not have.")
    return question


def _named(names: Iterable[str]) -> str:
    return " and ".join(repr(name) for name in sorted(names))
