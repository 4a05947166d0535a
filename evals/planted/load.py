"""Reads the set, and puts its tickets, pages and code into a copy of the sandbox's company."""

import re
import shutil
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from evals.harness.errors import EvalError
from evals.planted.types import CATEGORIES, Cite, Gap, Leave, Planted
from sandbox import load
from sandbox.loading import FIRST_ISSUE
from sandbox.records import Company

HERE = Path(__file__).parent
PARTS = {"open": HERE / "open.toml", "held": HERE / "held.toml"}
OVERLAY = HERE / "company"
QA = OVERLAY / "qa"
_BASE = Path(load.__file__).parent / "company"
_TICKET = re.compile(r"jira:(?P<key>[^:]+)(?P<part>:comment|:history)?")
_LARGEST = 1_000_000  # bytes of a file
_MOST = 1_000  # tickets
_TABLES = {
    "ticket": {"key": "text", "about": "text", "gap": "tables", "also": "tables", "leave": "tables"},
    "gap": {"what": "text", "categories": "texts", "cites": "tables"},
    "also": {"what": "text", "categories": "texts", "cites": "tables"},
    "leave": {"what": "text", "categories": "texts", "cites": "tables", "answered": "true or false"},
    "cite": {"in": "texts", "quotes": "texts"},
}
"""What each kind of table can have, and what it must be."""
_FITS: Mapping[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str) and bool(value.strip()),
    "texts": lambda value: isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value),
    "tables": lambda value: isinstance(value, list) and all(isinstance(one, dict) for one in value),
    "true or false": lambda value: isinstance(value, bool),
}


class PlantedError(EvalError):
    """The set cannot be used as it is; the message says where and why."""


class Known(Protocol):
    """The tickets and documents that a set can name."""

    @property
    def where(self) -> str:
        """`in the company`: where they are looked for."""

    def ticket(self, key: str) -> str | None:
        """The id of a ticket's document in the index; None if there is no such ticket."""

    def has(self, document: str) -> bool:
        """Whether there is such a document, or documents below it, by the id in the index."""


def company(folder: Path, *overlays: Path) -> Company:
    """The sandbox's company with what the overlays add, by default this set's, put together in `folder`, which must
    not be there yet.

    Raises PlantedError if an overlay would replace a file of the company, CompanyError if they do not fit together.
    """
    shutil.copytree(_BASE, folder)
    for overlay in overlays or (OVERLAY,):
        for path in sorted(overlay.rglob("*.toml")):
            target = folder / path.relative_to(overlay)
            if target.exists():
                raise PlantedError(f"{path.relative_to(overlay)} is in the sandbox's company already.")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return load.load_company(folder)


def planted(path: Path, company: Company) -> tuple[Planted, ...]:
    """The tickets of one part of the set over the make-believe company, in the file's order.

    Raises PlantedError if something in the file is wrong or names what the company does not have.
    """
    return read(path, _InCompany(company))


def read(path: Path, known: Known) -> tuple[Planted, ...]:
    """The tickets of a set, in the file's order.

    Raises PlantedError if something in the file is wrong or names what is not known.
    """
    raw = _raw(path)
    if extra := raw.keys() - {"ticket"}:
        raise PlantedError(f"{path.name} has {_named(extra)}; it can have [[ticket]] tables only.")
    entries = raw.get("ticket", [])
    if not _FITS["tables"](entries) or len(entries) > _MOST:
        raise PlantedError(f"{path.name}: write each ticket as a [[ticket]] table of its own, {_MOST:,} at most.")
    reader = _Reader(path.name, known)
    tickets = tuple(reader.ticket(entry) for entry in entries)
    if not tickets:
        raise PlantedError(f"{path.name} has no [[ticket]] table, so there is nothing to review.")
    keys = [ticket.key for ticket in tickets]
    if twice := {key for key in keys if keys.count(key) > 1}:
        raise PlantedError(f"{path.name} has {_named(twice)} twice.")
    return tickets


def _raw(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _LARGEST:
            raise PlantedError(f"{path.name} is larger than {_LARGEST // 1_000_000} MB, so it is no set.")
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise PlantedError(f"{path.name} cannot be read: {error}") from error


class _InCompany:
    """What the make-believe company has."""

    where = "in the company"

    def __init__(self, company: Company) -> None:
        self._tickets = {ticket.key: f"jira:{FIRST_ISSUE + at}" for at, ticket in enumerate(company.tickets)}
        repos = {repo.name: {path for commit in repo.commits for path in commit.files} for repo in company.repos}
        self._documents = {
            *("jira", "confluence", "git", "qa:gate"),
            *(f"confluence:{page.id}" for page in company.pages),
            *(f"git:{name}:{path}" for name, paths in repos.items() for path in paths),
            *(f"git:{pull.repo}!{pull.number}" for pull in company.pulls),
        }

    def ticket(self, key: str) -> str | None:
        return self._tickets.get(key)

    def has(self, document: str) -> bool:
        return document in self._documents


class _Reader:
    """Checks each entry and says in a sentence what is wrong with it."""

    def __init__(self, name: str, known: Known) -> None:
        self._name = name
        self._known = known

    def ticket(self, entry: Mapping[str, Any]) -> Planted:
        key = str(entry.get("key", "a ticket"))
        self._check(entry, "ticket", key, needed=("key",))
        if self._known.ticket(key) is None:
            raise PlantedError(f"{self._name}: there is no ticket {key!r} {self._known.where}.")
        gaps = [self._gap(one, key, "gap", demanded=True) for one in entry.get("gap", [])]
        gaps += [self._gap(one, key, "also", demanded=False) for one in entry.get("also", [])]
        leaves = tuple(self._leave(one, key) for one in entry.get("leave", []))
        if not (gaps or leaves):
            raise PlantedError(f"{self._name}: {key} has neither a gap nor anything to leave alone.")
        return Planted(key, entry.get("about", ""), tuple(gaps), leaves)

    def _gap(self, entry: Mapping[str, Any], key: str, kind: str, *, demanded: bool) -> Gap:
        self._check(entry, kind, key, needed=("what", "cites"))
        return Gap(entry["what"], self._categories(entry, key), self._cites(entry, key), demanded)

    def _leave(self, entry: Mapping[str, Any], key: str) -> Leave:
        self._check(entry, "leave", key, needed=("what", "cites"))
        categories = self._categories(entry, key)
        return Leave(entry["what"], categories, self._cites(entry, key), answered=entry.get("answered", False))

    def _categories(self, entry: Mapping[str, Any], key: str) -> tuple[str, ...]:
        """All of them where the entry names none."""
        named = entry.get("categories") or CATEGORIES
        if wrong := set(named) - set(CATEGORIES):
            raise PlantedError(f"{self._name}: {key} names {_named(wrong)}, which is no category of findings.")
        return tuple(named)

    def _cites(self, entry: Mapping[str, Any], key: str) -> tuple[Cite, ...]:
        if not entry["cites"]:
            raise PlantedError(f"{self._name}: {key}, {entry['what']!r}, cites nothing.")
        return tuple(self._cite(one, key) for one in entry["cites"])

    def _cite(self, entry: Mapping[str, Any], key: str) -> Cite:
        self._check(entry, "cite", key, needed=("in", "quotes"))
        return Cite(tuple(self._id(one, key) for one in entry["in"]), tuple(entry["quotes"]))

    def _id(self, document: str, key: str) -> str:
        """The document's id in the index: tickets are called by their keys in the files, by numbers there."""
        found = _TICKET.fullmatch(document)
        number = self._known.ticket(found["key"]) if found else None
        if found and number:
            return f"{number}{found['part'] or ''}"
        if found or not self._known.has(document):
            raise PlantedError(f"{self._name}: {key} cites {document!r}, which is not {self._known.where}.")
        return document

    def _check(self, entry: Mapping[str, Any], kind: str, key: str, needed: Iterable[str]) -> None:
        can = _TABLES[kind]
        if extra := entry.keys() - can.keys():
            raise PlantedError(f"{self._name}: {key} has {_named(extra)} in a {kind}, which means nothing there.")
        if missing := set(needed) - entry.keys():
            raise PlantedError(f"{self._name}: {key} has a {kind} without {_named(missing)}.")
        if wrong := [name for name, value in entry.items() if not _FITS[can[name]](value)]:
            raise PlantedError(f"{self._name}: {key} has a {kind} whose {wrong[0]!r} is not {can[wrong[0]]}.")


def _named(names: Iterable[str]) -> str:
    return " and ".join(repr(name) for name in sorted(names))
