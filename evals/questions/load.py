"""Reads questions and checks that they are well formed; of the company's also that what they name is there."""

import csv
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evals.harness.errors import EvalError
from evals.planted.load import QA
from evals.questions.names import commit, file
from evals.questions.types import CATEGORIES, OPEN, PARTS, REFUSED, Question
from sandbox.records import Company

FILE = Path(__file__).with_name("questions.toml")
_LARGEST = 5_000_000  # bytes
_TEXT = 2_000  # characters of a question; the product looks at no more
_LISTS = ("wanted", "facts", "fine", "old", "holds")
_KEYS = {"id", "part", "category", "text", *_LISTS}


class QuestionsError(EvalError):
    """The questions cannot be used as they are; the message says where and why."""


def questions(company: Company, path: Path = FILE) -> tuple[Question, ...]:
    """All questions of the company, in the file's order.

    Raises QuestionsError if something in the file is wrong or names what the company does not have.
    """
    asked = read(path)
    known = frozenset(_documents(company))
    for one in asked:
        if unknown := one.documents - known:
            raise QuestionsError(f"{path.name}: {one.id} names {_named(unknown)}, which the company does not have.")
        if len(one.wanted) != len(one.facts):
            raise QuestionsError(f"{path.name}: {one.id} has not as many facts as groups of documents.")
    return asked


def read(path: Path) -> tuple[Question, ...]:
    """All questions of a file. Raises QuestionsError if something in it is wrong."""
    try:
        if path.stat().st_size > _LARGEST:
            raise QuestionsError(f"{path} is larger than {_LARGEST // 1_000_000} MB.")
        raw = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise QuestionsError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise QuestionsError(f"{path} is no TOML: {error}.") from error
    entries = raw.get("question")
    if raw.keys() != {"question"} or not isinstance(entries, list) or not all(isinstance(it, dict) for it in entries):
        raise QuestionsError(f"{path} must have [[question]] tables and nothing else.")
    asked = tuple(_question(entry, f"{path.name}: question {at}") for at, entry in enumerate(entries, 1))
    ids = [one.id for one in asked]
    if twice := {one for one in ids if ids.count(one) > 1}:
        raise QuestionsError(f"{path.name} has {_named(twice)} twice.")
    return asked


def _documents(company: Company) -> Iterator[str]:
    yield from (f"ticket:{ticket.key}" for ticket in company.tickets)
    yield from (f"page:{page.id}" for page in company.pages)
    for repo in company.repos:
        yield from (file(repo.name, path) for made in repo.commits for path in made.files)
        yield from (commit(repo.name, made.message.partition("\n")[0]) for made in repo.commits)
    for path in sorted(QA.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as rows:
            yield from (f"qa:{row['Case ID']}" for row in csv.DictReader(rows))


def _question(entry: Mapping[str, Any], where: str) -> Question:
    if extra := entry.keys() - _KEYS:
        raise QuestionsError(f"{where} has {_named(extra)}, which means nothing there.")
    for name in ("id", "text"):
        if not isinstance(entry.get(name), str) or not entry[name].strip():
            raise QuestionsError(f"{where} lacks {name!r}; it is a text.")
    name = entry["id"]
    where = f"{where.partition(': ')[0]}: {name}"
    if len(entry["text"]) > _TEXT:
        raise QuestionsError(f"{where} is longer than {_TEXT} characters, and no more of a question is looked at.")
    wanted, facts = _groups(entry, "wanted", where), _groups(entry, "facts", where)
    usual = ("single" if len(wanted) == 1 else "cross") if wanted else "unanswerable"
    question = Question(
        id=name,
        part=_one_of(entry, "part", PARTS, OPEN, where),
        category=_one_of(entry, "category", CATEGORIES, usual, where),
        text=entry["text"],
        holds=frozenset(_texts(entry.get("holds", []), "holds", where)),
        wanted=tuple(map(frozenset, wanted)),
        facts=facts,
        fine=frozenset(_texts(entry.get("fine", []), "fine", where)),
        old=frozenset(_texts(entry.get("old", []), "old", where)),
    )
    if question.answerable == (question.category in REFUSED):
        raise QuestionsError(f"{where} wants documents although nothing answers it, or none although something does.")
    return question


def _one_of(entry: Mapping[str, Any], key: str, known: tuple[str, ...], usual: str, where: str) -> str:
    value = entry.get(key, usual)
    if value not in known:
        raise QuestionsError(f"{where} has no {key} that is known; it is one of {', '.join(known)}.")
    return str(value)


def _groups(entry: Mapping[str, Any], key: str, where: str) -> tuple[tuple[str, ...], ...]:
    given = entry.get(key, [])
    if not isinstance(given, list) or not all(isinstance(group, list) and group for group in given):
        raise QuestionsError(f"{where}: {key!r} is a list of lists, none of which is empty.")
    return tuple(_texts(group, key, where) for group in given)


def _texts(given: object, key: str, where: str) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(one, str) and one.strip() for one in given):
        raise QuestionsError(f"{where}: {key!r} holds something that is no text.")
    return tuple(given)


def _named(names: Iterable[str]) -> str:
    return " and ".join(repr(name) for name in sorted(names))
