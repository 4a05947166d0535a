"""Reads the plans and checks that what they name is there."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evals.plans.types import PARTS, Plan
from evals.questions.names import commit, file
from sandbox.records import Company

FILE = Path(__file__).with_name("plans.toml")
_KEYS = {"id", "part", "text", "repository", "wanted", "standing"}


class PlansError(Exception):
    """The plans cannot be used as they are; the message says where and why."""


def plans(company: Company, path: Path = FILE) -> tuple[Plan, ...]:
    """All plans, in the file's order.

    Raises PlansError if something in the file is wrong or names what the company does not have.
    """
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise PlansError(f"{path.name} cannot be read: {error}") from error
    known = frozenset(_documents(company))
    repos = frozenset(repo.name for repo in company.repos)
    read = tuple(_plan(entry, known, repos) for entry in raw.get("plan", []))
    ids = [one.id for one in read]
    if twice := {one for one in ids if ids.count(one) > 1}:
        raise PlansError(f"{path.name} has {_named(twice)} twice.")
    return read


def _documents(company: Company) -> Iterable[str]:
    yield from (f"ticket:{ticket.key}" for ticket in company.tickets)
    yield from (f"page:{page.id}" for page in company.pages)
    for repo in company.repos:
        yield from (file(repo.name, path) for made in repo.commits for path in made.files)
        yield from (commit(repo.name, made.message.partition("\n")[0]) for made in repo.commits)


def _plan(entry: Mapping[str, Any], known: frozenset[str], repos: frozenset[str]) -> Plan:
    name = str(entry.get("id", "a plan"))
    if extra := entry.keys() - _KEYS:
        raise PlansError(f"{name} has {_named(extra)}, which means nothing there.")
    if missing := {"id", "part", "text"} - entry.keys():
        raise PlansError(f"{name} lacks {_named(missing)}.")
    if entry["part"] not in PARTS or entry.get("repository", next(iter(repos), "")) not in repos:
        raise PlansError(f"{name} is of no known part, or for no known repository.")
    wanted = tuple(map(frozenset, entry.get("wanted", ())))
    if unknown := frozenset[str]().union(*wanted) - known:
        raise PlansError(f"{name} names {_named(unknown)}, which the company does not have.")
    standing = tuple(entry.get("standing", ()))
    return Plan(entry["id"], entry["part"], entry["text"].strip(), entry.get("repository"), wanted, standing)


def _named(names: Iterable[str]) -> str:
    return " and ".join(repr(name) for name in sorted(names))
