"""Tickets and the commits that closed them: questions whose right files the team's own history tells."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.paths import file_id, group_of
from core.store.base import Passage, Store, document_of, point_id
from core.tickets import KEY
from core.types import Audience

MOST = 300
"""Tickets that are looked at; more tell little more."""

_FILES = 20  # a commit that touched more of them says little of each
_TICKETS = 3  # the same of one that names more of them
_CHUNKS = 20  # of a ticket's text
_LONGEST = 8_000  # characters of a question
_EVERY = 1_000  # passages between two reports
_MERGE = re.compile(r"Merge (?:pull request|branch|branches|remote-tracking|tag|commit)\b|Merged? in\b")

Report = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class ClosedTicket:
    """A ticket, as it is asked about, and the files that answer it."""

    id: str
    """Its document's."""
    question: str
    """Title and text, without the ticket's own keys, which code may name that was written for it."""
    files: frozenset[str]
    """As `document_of` tells them. At least one."""
    commits: frozenset[str]
    """All documents of commits that name it, which must not help to find its files."""
    began: datetime
    """When the first of these commits was made."""


@dataclass(frozen=True, slots=True)
class _Commit:
    id: str
    repo: str
    keys: frozenset[str]
    """Of tickets."""
    paths: tuple[str, ...]
    """That it is a label for; empty if it is none."""
    at: datetime


@dataclass(slots=True)
class _History:
    tickets: dict[str, frozenset[str]] = field(default_factory=dict)
    """Keys by document."""
    commits: list[_Commit] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)


def closed_tickets(store: Store, report: Report, most: int = MOST) -> tuple[list[ClosedTicket], Audience]:
    """At most so many of them, those closed last first, and an audience that may read all tickets and repositories:
    what is measured is told to nobody but in numbers. Reads every document's passages once. Raises IndexUnusable.
    """
    history = _read(store, report)
    audience = Audience(frozenset(history.labels))
    found: list[ClosedTicket] = []
    for ticket, keys, commits in _newest_first(history):
        if len(found) == most:
            break
        files = _in_index(store, commits, audience)
        question = _question(store.read(ticket, audience, _CHUNKS), keys)
        if files and any(map(str.isalnum, question)):
            ids = frozenset(commit.id for commit in commits)
            found.append(ClosedTicket(ticket, question, files, ids, min(commit.at for commit in commits)))
    return found, audience


def _read(store: Store, report: Report) -> _History:
    history, done = _History(), 0
    for points in store.points("documents"):
        for point in points:
            done += 1
            if done % _EVERY == 0:
                report({"step": "read", "done": done, "total": None})
            if point.passage.ordinal == 0:
                _take(history, point.passage)
    return history


def _take(history: _History, passage: Passage) -> None:
    keys = frozenset(filter(KEY.fullmatch, passage.keys))
    if passage.kind == "ticket" and keys:
        history.tickets[passage.document_id] = keys
        history.labels |= passage.labels
    elif passage.kind == "commit" and passage.repo is not None:
        history.labels |= passage.labels
        if keys:
            paths = _labelling(passage, keys)
            history.commits.append(_Commit(passage.document_id, passage.repo, keys, paths, passage.updated))


def _labelling(commit: Passage, keys: Collection[str]) -> tuple[str, ...]:
    """The code that the commit changed for its ticket; nothing if that cannot be told from the commit."""
    touched = commit.touched
    if commit.development or len(touched) > _FILES or len(keys) > _TICKETS or _MERGE.match(commit.title):
        return ()
    return tuple(path for path in touched if group_of("code", path) == "code")


def _newest_first(history: _History) -> Iterator[tuple[str, frozenset[str], Sequence[_Commit]]]:
    """Tickets with their keys and all commits that name them, if any of these is a label."""
    naming: Mapping[str, list[_Commit]] = defaultdict(list)
    for commit in history.commits:
        for key in commit.keys:
            naming[key].append(commit)
    closed = [
        (ticket, keys, list({commit.id: commit for key in sorted(keys) for commit in naming.get(key, ())}.values()))
        for ticket, keys in sorted(history.tickets.items())
    ]
    labelled = [each for each in closed if any(commit.paths for commit in each[2])]
    yield from sorted(labelled, key=lambda each: max(commit.at for commit in each[2]), reverse=True)


def _in_index(store: Store, commits: Iterable[_Commit], audience: Audience) -> frozenset[str]:
    """The files that are still there, under the names they have today."""
    wanted = sorted({file_id(commit.repo, path) for commit in commits for path in commit.paths})
    there = store.fetch("code", [point_id(name, 0, "code") for name in wanted], audience)
    return frozenset(map(document_of, there))


def _question(passages: Sequence[Passage], keys: Collection[str]) -> str:
    """The title on a line of its own, then the text, which need not say it again."""
    if not passages:
        return ""
    own = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, sorted(keys)))})(?![0-9])[ :,-]*")
    title = own.sub("", passages[0].title).strip()
    text = own.sub("", "\n".join(passage.text for passage in passages)).strip()
    first, _, rest = text.partition("\n")
    text = rest.strip() if first.lstrip("# ").strip() == title else text
    return f"{title}\n\n{text}".strip()[:_LONGEST]
