"""What an index tells of the team's own tickets: the commits that name them, the pages and test records that do."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.store.base import Passage, Store
from core.tickets import KEY
from core.types import Audience

_FILES = 20  # a commit that touched more of them says little of each
_TICKETS = 3  # the same of one that names more of them
_LONGEST = 8_000  # characters of a question
_EVERY = 1_000  # passages between two reports
_MERGE = re.compile(r"Merge (?:pull request|branch|branches|remote-tracking|tag|commit)\b|Merged? in\b")

Report = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Commit:
    id: str
    repo: str
    keys: frozenset[str]
    """Of tickets."""
    touched: tuple[str, ...]
    """Files by the names they have today."""
    telling: bool
    """Whether what it touched tells what its tickets are about."""
    development: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class Ticket:
    keys: frozenset[str]
    labels: frozenset[str]


@dataclass(slots=True)
class Named:
    """A page, or a test's record."""

    updated: datetime
    names: frozenset[str]
    """It is called so."""
    keys: set[str]
    """Of tickets that it names."""


@dataclass(slots=True)
class History:
    """By documents' ids."""

    tickets: dict[str, Ticket] = field(default_factory=dict)
    parts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Of a ticket: its comments, history and files."""
    commits: list[Commit] = field(default_factory=list)
    pages: dict[str, Named] = field(default_factory=dict)
    tests: dict[str, Named] = field(default_factory=dict)
    labels: set[str] = field(default_factory=set)
    """Of tickets and commits."""

    def closed(self, tells: Callable[[Commit], bool]) -> Iterator[tuple[str, Ticket, Sequence[Commit]]]:
        """Tickets with all commits that name them, if any of these `tells`; what was closed last first."""
        naming: Mapping[str, list[Commit]] = defaultdict(list)
        for commit in self.commits:
            for key in commit.keys:
                naming[key].append(commit)
        closed = [
            (
                name,
                one,
                list({commit.id: commit for key in sorted(one.keys) for commit in naming.get(key, ())}.values()),
            )
            for name, one in sorted(self.tickets.items())
        ]
        told = [each for each in closed if any(map(tells, each[2]))]
        yield from sorted(told, key=lambda each: max(commit.at for commit in each[2]), reverse=True)


def read(store: Store, report: Report, audience: Audience | None = None) -> History:
    """What the audience may read; everything without one, for what is told to nobody but in numbers. Reads every
    document's passages once. Raises IndexUnusable.
    """
    history, done = History(), 0
    for points in store.points("documents"):
        for point in points:
            done += 1
            if done % _EVERY == 0:
                report({"step": "read", "done": done, "total": None})
            if audience is None or audience.may_read(point.passage.labels):
                _take(history, point.passage)
    return history


def worded(title: str, text: str, keys: Collection[str]) -> str:
    """A ticket as a question: the title on a line of its own, then the text, which need not say it again; without its
    own keys, which code may name that was written for it. Empty if no word is left.
    """
    own = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, sorted(keys)))})(?![0-9])[ :,-]*")
    title, text = own.sub("", title).strip(), own.sub("", text).strip()
    first, _, rest = text.partition("\n")
    text = rest.strip() if first.lstrip("# ").strip() == title else text
    question = f"{title}\n\n{text}".strip()[:_LONGEST]
    return question if any(map(str.isalnum, question)) else ""


def _take(history: History, passage: Passage) -> None:
    if passage.kind in {"page", "qa"}:
        _take_named(history.pages if passage.kind == "page" else history.tests, passage)
    if passage.ordinal > 0:
        return
    keys = frozenset(filter(KEY.fullmatch, passage.keys))
    if passage.kind == "ticket" and keys:
        history.tickets[passage.document_id] = Ticket(keys, passage.labels)
        history.labels |= passage.labels
    elif passage.kind == "commit" and passage.repo is not None:
        history.labels |= passage.labels
        history.commits.append(_commit(passage, passage.repo, keys))
    elif passage.kind in {"comment", "history", "attachment"} and passage.document_id.count(":") > 1:
        source, number, _ = passage.document_id.split(":", 2)
        history.parts[f"{source}:{number}"].add(passage.document_id)


def _take_named(found: dict[str, Named], passage: Passage) -> None:
    one = found.setdefault(passage.document_id, Named(passage.updated, passage.keys, set()))
    one.keys |= passage.keys if passage.kind == "qa" else set(KEY.findall(passage.text))


def _commit(passage: Passage, repo: str, keys: frozenset[str]) -> Commit:
    touched = passage.touched
    vague = len(touched) > _FILES or len(keys) > _TICKETS or _MERGE.match(passage.title) is not None
    return Commit(
        id=passage.document_id,
        repo=repo,
        keys=keys,
        touched=touched,
        telling=not (passage.development or vague),
        development=passage.development,
        at=passage.updated,
    )
