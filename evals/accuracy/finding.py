"""Shipped tickets in a repository's history, as tasks."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, TypeVar

from core.connectors.git_files import is_prose
from core.mirror import Commit, Difference, shown
from core.paths import group_of
from evals.accuracy.history import Baseline, Change, History, Refused, readable
from evals.accuracy.types import Task

__all__ = ["MOST", "Found", "History", "Tickets", "Told", "by_messages", "by_tickets"]

One = TypeVar("One")

MOST = 20
"""Tasks of one repository."""
FILES = 40
LINES = 2_000
"""Of a change, at most; what is generated does not count."""
MESSAGE_FILES = 12
MESSAGE_LINES = 600
"""Of a commit whose message says what was asked for, at most."""
_FEWEST_LINES = 5
_FEWEST_WORDS = 4  # of a message
_REVERT = re.compile(r"revert\b", re.IGNORECASE)
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_TRAILER = re.compile(
    r"(?:[A-Z][A-Za-z]*-[A-Za-z-]+|Change-Id|Closes|Fixes|Refs|See): \S.*|\(cherry picked from .*\)|git-svn-id: .*"
)
_IDS = re.compile(r"\s?(?:\((?:#|!|GH-)\d+\)|\b(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,40}\b)")


@dataclass(frozen=True, slots=True)
class Told:
    """A ticket as it stood at a moment."""

    title: str
    text: str
    """Description and acceptance criteria."""


class Tickets(Protocol):
    """Tickets as they stood at a moment."""

    def __call__(self, key: str, moment: datetime) -> Told | None:
        """None where there was no such ticket, or it may not be read."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """What the history has."""

    tasks: tuple[Task, ...]
    """The newest first. Where there are more than were wanted, they are evenly spread over the history."""
    skipped: Mapping[str, int]
    """Why a change is no task, and how many are none for that, of those that were looked at."""
    changes: int
    """Of tickets, or commits, that there are. They are looked at until there are as many tasks as were wanted."""


@dataclass(slots=True)
class _Named:
    """What the baseline has of one ticket."""

    key: str
    commits: list[Commit]
    """Its first contiguous work: one merge, or commits without another one between them."""
    at: int
    """Where on the line its last commit is."""
    later: list[Commit] = field(default_factory=list)


def by_tickets(history: History, projects: frozenset[str], tickets: Tickets, most: int = MOST) -> Found:
    """Changes of the baseline that name a ticket of these projects: in the message of a merge, in its branch's name, or
    in what was merged. Raises EvalError for what is no repository, and what `tickets` raises.
    """
    with readable(history.name):
        baseline = Baseline(history)
        line = baseline.line()
        skipped = Counter[str]()
        named = list(_named(baseline, line, _Keys(projects), skipped))
        reverted = baseline.reverted([*line, *baseline.single()])  # what takes back may have come with a merge

        def task(one: _Named) -> Task:
            change = _change_of(baseline, one)
            if not reverted.isdisjoint(commit.id for commit in (*one.commits, *change.commits)):
                raise Refused("was taken back later")
            files = _checked(baseline.differences(change), FILES, LINES)
            told = tickets(one.key, change.moment)
            if told is None:
                raise Refused("its ticket was not there yet, or cannot be read")
            remarks = (*_before(change), *_later(one), *_left_out(files))
            return _task(history, one.key, change, files, told, "ticket", remarks)

        return _found(named, task, most, skipped)


def by_messages(history: History, most: int = MOST) -> Found:
    """Commits of the baseline whose messages say what was asked for, with code and tests in a size that one can take
    in. Raises EvalError for what is no repository.
    """
    with readable(history.name):
        baseline = Baseline(history)
        commits = baseline.single()
        reverted = baseline.reverted(commits)

        def task(commit: Commit) -> Task:
            if _REVERT.match(commit.subject):
                raise Refused("takes something back")
            if commit.id in reverted:
                raise Refused("was taken back later")
            told = _of_message(commit.message)
            change = baseline.change([commit])
            files = _checked(baseline.differences(change), MESSAGE_FILES, MESSAGE_LINES)
            if not any(_group(one) == "test" for one in files):
                raise Refused("changes no tests")
            if sum((one.added or 0) + (one.removed or 0) for one in files) < _FEWEST_LINES:
                raise Refused(f"fewer than {_FEWEST_LINES} lines")
            return _task(history, commit.id[:10], change, files, told, "commit message", _left_out(files))

        return _found(commits, task, most, Counter())


def _found(those: Sequence[One], task: Callable[[One], Task], most: int, skipped: Counter[str]) -> Found:
    tasks: list[Task] = []
    for one in spread(those):
        if len(tasks) == most:
            break
        try:
            tasks.append(task(one))
        except Refused as reason:
            skipped[str(reason)] += 1
    tasks.sort(key=lambda one: (one.moment, one.id), reverse=True)
    return Found(tuple(tasks), dict(sorted(skipped.items())), len(those))


def spread(those: Sequence[One]) -> Iterator[One]:
    """All of them, in an order whose every beginning is evenly spread (van der Corput's sequence, base 2)."""
    bits = max(0, len(those) - 1).bit_length()
    for number in range(1 << bits):
        at = int(f"{number:0{bits}b}"[::-1], 2) if bits else 0
        if at < len(those):
            yield those[at]


class _Keys:
    """Finds the keys of tickets of some projects."""

    def __init__(self, projects: frozenset[str]) -> None:
        either = "|".join(map(re.escape, sorted(projects, key=len, reverse=True))) or r"(?!)"
        pattern = rf"(?<![A-Za-z0-9])(?:{either})-[1-9][0-9]{{0,8}}(?![A-Za-z0-9])"
        self._strict, self._loose = re.compile(pattern), re.compile(pattern, re.IGNORECASE)

    def of(self, commit: Commit) -> frozenset[str]:
        """Those of its subject, else those of all its message. The subject of a merge names a branch, which may be
        in small letters.
        """
        pattern = self._loose if len(commit.parents) > 1 else self._strict
        found = pattern.findall(commit.subject) or self._strict.findall(commit.message)
        return frozenset(key.upper() for key in found)


def _named(baseline: Baseline, line: Sequence[Commit], keys: _Keys, skipped: Counter[str]) -> Iterator[_Named]:
    """Each ticket with its first work, the newest first. `line`: the newest first."""
    found: dict[str, _Named] = {}
    torn: set[str] = set()
    for at, commit in enumerate(reversed(line)):
        merge = len(commit.parents) > 1
        if _REVERT.match(commit.subject):
            if keys.of(commit):
                skipped["takes something back"] += 1
            continue
        names = keys.of(commit) or (_inside(baseline, commit, keys) if merge else frozenset())
        if len(names) > 1:
            skipped["names several tickets"] += 1
            torn |= names - found.keys()
        for key in names:
            known = found.get(key)
            if known is None:
                found[key] = _Named(key, [commit], at)
            elif not known.later and known.at == at - 1 and not merge and len(known.commits[-1].parents) == 1:
                known.commits.append(commit)
                known.at = at
            else:
                known.later.append(commit)
    return (one for key, one in reversed(found.items()) if key not in torn)


def _inside(baseline: Baseline, merge: Commit, keys: _Keys) -> frozenset[str]:
    """What the messages of merged commits name."""
    try:
        return frozenset[str]().union(*map(keys.of, baseline.own(merge)))
    except Refused:
        return frozenset()


def _change_of(baseline: Baseline, one: _Named) -> Change:
    first = one.commits[0]
    return baseline.merged(first, baseline.own(first)) if len(first.parents) > 1 else baseline.change(one.commits)


def _checked(files: list[Difference], most: int, lines: int) -> list[Difference]:
    """Raises Refused for a change that is no work on code, or too much of it."""
    written = [one for one in files if _group(one) != "generated"]
    if not any(_group(one) == "code" for one in written):
        raise Refused("changes no code")
    if len(written) > most or sum((one.added or 0) + (one.removed or 0) for one in written) > lines:
        raise Refused(f"more than {most} files or {lines:,} lines")
    return files


def _group(one: Difference) -> str:
    """`code`, `test`, `generated`, or what people read."""
    return group_of("file" if is_prose(one.path) else "code", one.path)


def _task(
    history: History,
    key: str,
    change: Change,
    files: Iterable[Difference],
    told: Told,
    told_by: Literal["ticket", "commit message"],
    remarks: Iterable[str],
) -> Task:
    paths = {shown(path) for one in files for path in (one.path, one.before) if path}
    return Task(
        id=_UNSAFE.sub("-", f"{history.name}-{key}"),
        repo=history.name,
        key=key,
        title=told.title,
        text=told.text,
        told_by=told_by,
        base=change.base,
        tip=change.tip,
        moment=change.moment,
        files=tuple(sorted(paths)),
        remarks=tuple(remarks),
    )


def _before(change: Change) -> Iterator[str]:
    began = min(commit.authored for commit in change.commits)
    if began < change.moment:
        yield (
            f"Work on it began on {began:%Y-%m-%d}, before its base was there; what was said until "
            f"{change.moment:%Y-%m-%d} is known."
        )


def _later(one: _Named) -> Iterator[str]:
    if one.later:
        ids = ", ".join(commit.id[:10] for commit in one.later[:5])
        since = f"{one.later[0].committed:%Y-%m-%d}"
        yield f"What came later for {one.key}, from {since} on, is not in it: {ids}."


def _left_out(files: Iterable[Difference]) -> Iterator[str]:
    """What no candidate can make."""
    if binary := [shown(one.path) for one in files if one.added is None or one.link or one.submodule]:
        yield f"No text, so no candidate can write it: {', '.join(binary[:5])}."


def _of_message(message: str) -> Told:
    """Subject and body, without trailers and ids. Raises Refused where that says too little."""
    title, _, body = message.partition("\n")
    paragraphs = [one.strip("\n") for one in re.split(r"\n\s*\n", body) if one.strip()]
    while paragraphs and all(_TRAILER.fullmatch(line.strip()) for line in paragraphs[-1].splitlines()):
        paragraphs.pop()
    title, text = _IDS.sub("", title).strip(), _IDS.sub("", "\n\n".join(paragraphs)).strip()
    if len(f"{title} {text}".split()) < _FEWEST_WORDS:
        raise Refused("its message says too little")
    return Told(title, text)
