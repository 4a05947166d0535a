"""Reads the set, and puts its tickets, pages and code into a copy of the sandbox's company."""

import shutil
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evals.planted.types import CATEGORIES, Cite, Gap, Leave, Planted
from sandbox import load
from sandbox.loading import FIRST_ISSUE
from sandbox.records import Company

HERE = Path(__file__).parent
PARTS = {"open": HERE / "open.toml", "held": HERE / "held.toml"}
OVERLAY = HERE / "company"
QA = OVERLAY / "qa"
_BASE = Path(load.__file__).parent / "company"
_KEYS = {
    "ticket": {"key", "about", "gap", "also", "leave"},
    "gap": {"what", "categories", "cites"},
    "also": {"what", "categories", "cites"},
    "leave": {"what", "categories", "cites", "answered"},
    "cite": {"in", "quotes"},
}


class PlantedError(Exception):
    """The set cannot be used as it is; the message says where and why."""


def company(folder: Path, overlay: Path = OVERLAY) -> Company:
    """The sandbox's company with what the overlay adds, put together in `folder`, which must not be there yet.

    Raises PlantedError if the overlay would replace a file of the company, CompanyError if they do not fit together.
    """
    shutil.copytree(_BASE, folder)
    for path in sorted(overlay.rglob("*.toml")):
        target = folder / path.relative_to(overlay)
        if target.exists():
            raise PlantedError(f"{path.relative_to(overlay)} is in the sandbox's company already.")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return load.load_company(folder)


def planted(path: Path, company: Company) -> tuple[Planted, ...]:
    """The tickets of one part of the set, in the file's order.

    Raises PlantedError if something in the file is wrong or names what the company does not have.
    """
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise PlantedError(f"{path.name} cannot be read: {error}") from error
    if extra := raw.keys() - {"ticket"}:
        raise PlantedError(f"{path.name} has {_named(extra)}; it can have [[ticket]] tables only.")
    reader = _Reader(path.name, company)
    tickets = tuple(reader.ticket(entry) for entry in raw.get("ticket", []))
    keys = [ticket.key for ticket in tickets]
    if twice := {key for key in keys if keys.count(key) > 1}:
        raise PlantedError(f"{path.name} has {_named(twice)} twice.")
    return tickets


class _Reader:
    """Checks each entry and says in a sentence what is wrong with it."""

    def __init__(self, name: str, company: Company) -> None:
        self._name = name
        self._tickets = {ticket.key: f"jira:{FIRST_ISSUE + at}" for at, ticket in enumerate(company.tickets)}
        repos = {repo.name: {path for commit in repo.commits for path in commit.files} for repo in company.repos}
        self._documents = {
            *("jira", "confluence", "git", "qa:gate"),
            *(f"jira:{key}{part}" for key in self._tickets for part in ("", ":comment", ":history")),
            *(f"confluence:{page.id}" for page in company.pages),
            *(f"git:{name}:{path}" for name, paths in repos.items() for path in paths),
            *(f"git:{pull.repo}!{pull.number}" for pull in company.pulls),
        }

    def ticket(self, entry: Mapping[str, Any]) -> Planted:
        key = str(entry.get("key", ""))
        if key not in self._tickets:
            raise PlantedError(f"{self._name}: there is no ticket {key!r} in the company.")
        self._check(entry, "ticket", key, needed=("about",))
        gaps = [self._gap(one, key, "gap", demanded=True) for one in entry.get("gap", [])]
        gaps += [self._gap(one, key, "also", demanded=False) for one in entry.get("also", [])]
        leaves = tuple(self._leave(one, key) for one in entry.get("leave", []))
        if not (gaps or leaves):
            raise PlantedError(f"{self._name}: {key} has neither a gap nor anything to leave alone.")
        return Planted(key, entry["about"], tuple(gaps), leaves)

    def _gap(self, entry: Mapping[str, Any], key: str, kind: str, *, demanded: bool) -> Gap:
        self._check(entry, kind, key, needed=("what", "cites"))
        return Gap(entry["what"], self._categories(entry, key), self._cites(entry, key), demanded)

    def _leave(self, entry: Mapping[str, Any], key: str) -> Leave:
        self._check(entry, "leave", key, needed=("what", "cites"))
        categories = self._categories(entry, key)
        return Leave(entry["what"], categories, self._cites(entry, key), answered=entry.get("answered", False))

    def _categories(self, entry: Mapping[str, Any], key: str) -> tuple[str, ...]:
        """All of them where the entry names none."""
        named = entry.get("categories", CATEGORIES)
        if wrong := set(named) - set(CATEGORIES):
            raise PlantedError(f"{self._name}: {key} names {_named(wrong)}, which is no category of findings.")
        return tuple(named)

    def _cites(self, entry: Mapping[str, Any], key: str) -> tuple[Cite, ...]:
        if not entry["cites"]:
            raise PlantedError(f"{self._name}: {key}, {entry['what']!r}, cites nothing.")
        return tuple(self._cite(one, key) for one in entry["cites"])

    def _cite(self, entry: Mapping[str, Any], key: str) -> Cite:
        self._check(entry, "cite", key, needed=("in", "quotes"))
        if unknown := set(entry["in"]) - self._documents:
            raise PlantedError(f"{self._name}: {key} cites {_named(unknown)}, which the company does not have.")
        return Cite(tuple(map(self._id, entry["in"])), tuple(entry["quotes"]))

    def _id(self, document: str) -> str:
        """The document's id in the index: tickets are called by their keys in the files, by numbers there."""
        kind, _, rest = document.partition(":")
        key, colon, part = rest.partition(":")
        return f"{self._tickets[key]}{colon}{part}" if kind == "jira" and key else document

    def _check(self, entry: Mapping[str, Any], kind: str, key: str, needed: Iterable[str]) -> None:
        if extra := entry.keys() - _KEYS[kind]:
            raise PlantedError(f"{self._name}: {key} has {_named(extra)} in a {kind}, which means nothing there.")
        if missing := set(needed) - entry.keys():
            raise PlantedError(f"{self._name}: {key} has a {kind} without {_named(missing)}.")


def _named(names: Iterable[str]) -> str:
    return " and ".join(repr(name) for name in sorted(names))
