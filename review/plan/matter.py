"""What is looked at before anybody judges a plan: what the index knows of it, and of the files that it names."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from core.errors import CoreError
from core.types import Evidence, Filters, Query
from review.plan.concern import Concern, Concerns
from review.plan.given import Given
from review.plan.known import Known, first_of_each
from review.reading import Reading, plain_reason
from review.types import Unknown
from review.words import Words

KINDS = frozenset({"ticket", "page", "comment", "attachment", "file", "code"})
"""What can change a plan by itself. Commits speak through the files and tickets that they belong to: as results of
their own they are repeated by these, and took places of files on the set `mixed` (hits .875 with, .903 without)."""
_COMMENT = re.compile(
    r'"""(?:.|\n){1,600}?"""|/\*\*?(?:.|\n){1,600}?\*/|(?:^[ \t]*(?:#|//|--)(?!!).*\n?)+', re.MULTILINE
)
_MARKS = re.compile(r'"""|/\*+|\*+/|^[ \t]*(?:#+|//+|--+|\*+)', re.MULTILINE)
_ABOUT = 300
"""A comment, its marks, and characters of it that are taken."""
_FOUND = 30
_QUERY = 4_000
_WORDING = 400
"""Passages that the search brings, and characters of the text and of each further wording that are searched for."""
_NUMBERED = 3
"""Sentences with numbers that are searched for by themselves: a rule of a long page is found by its own sentence. The
title, every sentence or the names of code as further wordings gained nothing on the set `mixed` (65, 65 and 64 hits of
72, and 65 without)."""
_FILES = 6
COMMITS = 12
"""Named files whose history is read, and commits of each."""


@dataclass(slots=True)
class Time:
    """What is left for one check, in seconds."""

    seconds: float
    started: float = field(default_factory=perf_counter)

    @property
    def left(self) -> float:
        return max(0.0, self.seconds - (perf_counter() - self.started))


@dataclass(frozen=True, slots=True)
class Matter:
    """One plan and what was found around it, for one audience."""

    given: Given
    known: Known
    reading: Reading
    words: Words
    time: Time
    repo: str | None
    branch: str | None
    found: tuple[Evidence, ...]
    """Best first, several passages of a document."""
    commits: tuple[Evidence, ...]
    """Those that touched the files which the plan names."""
    concerns: Concerns

    @property
    def is_informed(self) -> bool:
        """Whether the plan names at least two tickets or pages of what was found: its own, and a further one."""
        named = [one for one in first_of_each(self.found) if one.kind in {"ticket", "page"} and self.known.names(one)]
        return len(named) > 1

    def concern(self, one: Evidence) -> Concern:
        return self.concerns.of(one)


def look(given: Given, reading: Reading, words: Words, time: Time, *, repo: str | None, branch: str | None) -> Matter:
    """Search for the plan, and for the commits of the files that it names. What could not be looked at is noted."""
    reading.say("Searching for what the plan touches")
    if not given.sentences:
        given = replace(given, about=tuple(about(given.diff.files, reading)))
    found = [one for wanted in _filters(repo, branch) for one in _search(given, wanted, reading)]
    reading.say("Reading the history of the files it names")
    commits = [one for path in given.paths[:_FILES] for one in _commits(path, repo, reading, time)]
    if len(given.paths) > _FILES:
        what = f"The history of the first {_FILES} of {len(given.paths)} files was read."
        reading.note([Unknown(what, "Checking parts of the plan one by one.")])
    known = Known(given)
    return Matter(
        given=given,
        known=known,
        reading=reading,
        words=words,
        time=time,
        repo=repo,
        branch=branch,
        found=tuple({one.id: one for one in found}.values()),
        commits=tuple(first_of_each(commits)),
        concerns=Concerns(given, known, found),
    )


def _filters(repo: str | None, branch: str | None) -> Iterator[Filters]:
    """The baseline of everything; what differs on the branch comes before it."""
    if branch is not None:
        repos = frozenset({repo}) if repo else frozenset[str]()
        yield Filters(kinds=KINDS, branch=branch, repos=repos)
    yield Filters(kinds=KINDS)


def _search(given: Given, filters: Filters, reading: Reading) -> tuple[Evidence, ...]:
    try:
        result = reading.search(Query(_text(given), _wordings(given), filters, _FOUND))
    except CoreError as error:
        what = f"Policies, tickets and code were not searched: {plain_reason(error)}."
        reading.note([Unknown(what, "Asking again when it works.")])
        return ()
    reading.note(
        Unknown(note, "Naming a repository or branch that is indexed.") for note in result.notes if filters.branch
    )
    return result.evidence


def _text(given: Given) -> str:
    """The plan's words; of a diff what it changes and where, not its hundred lines of context."""
    changed = (*given.diff.files, *given.diff.places, *given.diff.removed, *given.diff.added, *given.about)
    text = "\n".join((given.prose.strip(), *changed)).strip()
    return text[:_QUERY] if any(map(str.isalnum, text[:_QUERY])) else given.text[:_QUERY]


def about(paths: Sequence[str], reading: Reading) -> Iterator[str]:
    """The first comment of each file: what it says of itself, where a diff or the name of a constant says little."""
    for path in paths[:_FILES]:
        try:
            beginning = next((one for one in reading.lookup(path, limit=1) if one.kind == "code"), None)
        except CoreError:
            return  # the search beside it says so
        if beginning and (found := _COMMENT.search(beginning.text)):
            yield " ".join(_MARKS.sub(" ", found[0]).split())[:_ABOUT]


def _wordings(given: Given) -> tuple[str, ...]:
    numbered = [one.text for one in given.sentences if any(map(str.isdecimal, one.prose))][:_NUMBERED]
    return tuple(dict.fromkeys(text[:_WORDING] for text in numbered if text.strip() != given.prose.strip()))


def _commits(path: str, repo: str | None, reading: Reading, time: Time) -> tuple[Evidence, ...]:
    if not time.left:
        reading.note(
            [
                Unknown(
                    f"The history of {path} was not read: there was no time left.",
                    "Checking parts of the plan one by one.",
                )
            ]
        )
        return ()
    query = Query(_inside(path, repo), filters=Filters(kinds=frozenset({"commit"})), limit=COMMITS)
    try:
        found = reading.search(query).evidence
    except CoreError as error:
        reading.note(
            [Unknown(f"The history of {path} was not read: {plain_reason(error)}.", "Asking again when it works.")]
        )
        return ()
    return tuple(one for one in found if touched(one, path))


def touched(commit: Evidence, named: str) -> frozenset[tuple[str, str]]:
    """The files of a commit that a path names, by repository and whole present path: those whose path ends so, and the
    one that it names from outside the repository (`/home/ada/shop-api/src/mail.py`).
    """
    repo = commit.document_id.partition(":")[2].partition("@")[0]
    inside = _inside(named, repo)
    paths = commit.attributes.get("paths", "").splitlines()
    return frozenset((repo, path) for path in paths if f"/{path}".endswith(f"/{named}") or path == inside)


def _inside(path: str, repo: str | None) -> str:
    """A path without what leads to the repository."""
    return f"/{path}".rpartition(f"/{repo}/")[2].removeprefix("/") if repo else path
