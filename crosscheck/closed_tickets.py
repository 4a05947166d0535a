"""Tickets and the commits that closed them: questions whose right files the team's own history tells."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.paths import file_id, group_of
from core.store.base import Store, document_of, point_id
from core.types import Audience
from crosscheck.own_history import Commit, Report, read, worded

MOST = 300
"""Tickets that are looked at; more tell little more."""
ONE_PUSH = timedelta(minutes=1)
"""Before a ticket's first commit: what was rebased with it has the same date."""

_CHUNKS = 20  # of a ticket's text


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


def closed_tickets(store: Store, report: Report, most: int = MOST) -> tuple[list[ClosedTicket], Audience]:
    """At most so many of them, those closed last first, and an audience that may read all tickets and repositories:
    what is measured is told to nobody but in numbers. Reads every document's passages once. Raises IndexUnusable.
    """
    history = read(store, report)
    audience = Audience(frozenset(history.labels))
    found: list[ClosedTicket] = []
    for name, ticket, commits in history.closed(lambda commit: bool(code_of(commit))):
        if len(found) == most:
            break
        files = _in_index(store, commits, audience)
        passages = store.read(name, audience, _CHUNKS)
        text = "\n".join(passage.text for passage in passages)
        question = worded(passages[0].title, text, ticket.keys) if passages else ""
        if files and question:
            ids = frozenset(commit.id for commit in commits)
            found.append(ClosedTicket(name, question, files, ids, min(commit.at for commit in commits)))
    return found, audience


def code_of(commit: Commit, group: str = "code") -> tuple[str, ...]:
    """The code, or the tests, that the commit changed for its ticket; nothing if the commit does not tell it."""
    return tuple(path for path in commit.touched if group_of("code", path) == group) if commit.telling else ()


def there(store: Store, names: Iterable[str], audience: Audience) -> dict[str, str]:
    """Of these ids of files those that are still there, under the names they have today, each as `document_of` tells
    it.
    """
    points = {point_id(name, 0, "code"): name for name in names}
    return {points[point]: document_of(point) for point in store.fetch("code", sorted(points), audience)}


def _in_index(store: Store, commits: Iterable[Commit], audience: Audience) -> frozenset[str]:
    wanted = {file_id(commit.repo, path) for commit in commits for path in code_of(commit)}
    return frozenset(there(store, wanted, audience).values())
