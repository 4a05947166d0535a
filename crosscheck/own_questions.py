"""Questions whose right answers this installation knows: tickets that were closed, and answers that people rated.

A closed ticket is asked as of a minute before its first commit. What counts as an answer was there at that moment, and
is in the index as it was then, or is code that was there under the name that it has today:

- code and tests: files that a commit which names the ticket changed and that an earlier commit touched, too; commits of
  many files or tickets, merges and branches in development tell nothing
- pages that name the ticket, and pages whose address its description held then; not changed since
- test records that name the ticket; not changed since

So nothing counts that the ticket's own work made. The ticket itself, its comments and files and all commits that name
it are left out of the search. An index holds code as it is today alone: what a later change wrote into a file may help.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from core.errors import SourceError, SourceGone
from core.links import pointed_to
from core.paths import file_id, group_of
from core.store.base import Store
from core.tickets import Ticket
from core.types import Audience
from crosscheck.closed_tickets import MOST, ONE_PUSH, code_of, there
from crosscheck.console.readers import Reader
from crosscheck.own_history import Commit, History, Named, Report, read, worded
from state.jobs import Jobs
from state.looking import Looking
from state.types import JobView

NO_WORDS = "have no words"
LATER = "were written after their first commit"
UNREAD = "could not be read whole from Jira"
NOTHING = "are answered by nothing that was there before"
OTHERS = "are for other readers"
NOTHING_LEFT = "cite nothing that is still in the index"
EVEN = "were rated well and badly by as many people"
"""Why tickets or answers make no question."""

_ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"'|]{1,2000}")
_READ = 3  # tickets that are read from Jira for each question that is wanted
_FAILED = 10  # of them in a row that Jira does not give: it would give no other
_PAGE = 200  # verdicts that are read at once
_MOST_RIGHT = 50  # documents; a ticket that more answer says little of each


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """A question, and what answers it. Plain data: becomes JSON."""

    id: str
    text: str
    as_of: str | None
    """ISO 8601; None: asked as of today."""
    without: tuple[str, ...]
    """Ids of documents that must not help."""
    right: Mapping[str, str]
    """`code`, `test`, `doc`, `ticket` or `commit` by the id of each document that answers it."""
    liked: bool = True
    """False where people said that these documents did not answer it."""


@dataclass(frozen=True, slots=True)
class Told:
    """Questions, and how many there are not, by the reason."""

    questions: tuple[OwnQuestion, ...]
    left_out: Mapping[str, int]


def of_tickets(
    store: Store, live: Callable[[str], Ticket], audience: Audience, report: Report, most: int = MOST
) -> Told:
    """Tickets that were closed by commits, the last first, at most so many. `live` reads one with its history and
    raises SourceError; title and description are as they were. Raises IndexUnusable, and SourceError if one ticket
    after the other cannot be read.
    """
    history = read(store, report, audience)
    earliest = _earliest(history)
    found: list[OwnQuestion] = []
    left_out = Counter[str]()
    closed = list(islice(history.closed(lambda commit: commit.telling and bool(commit.touched)), _READ * most))
    failed = 0
    for done, (name, ticket, commits) in enumerate(closed, 1):
        if len(found) == most:
            break
        report({"step": "tickets", "done": done, "total": len(closed)})
        as_of = min(commit.at for commit in commits) - ONE_PUSH
        try:
            ticket_now, failed = live(name.partition(":")[2]), 0
        except SourceError as error:
            failed += not isinstance(error, SourceGone)
            if failed == _FAILED:
                raise
            left_out[UNREAD] += 1
            continue
        then = _then(ticket_now, audience, as_of)
        if isinstance(then, str):
            left_out[then] += 1
            continue
        text = worded(then.summary, then.description, ticket.keys)
        files = _files(store, commits, earliest, as_of, audience)
        right = files | _named(history, ticket.keys, then.description, as_of)
        if not text or not right:
            left_out[NOTHING if text else NO_WORDS] += 1
            continue
        own = {name, *history.parts.get(name, ()), *(commit.id for commit in commits)}
        kept = dict(sorted(right.items())[:_MOST_RIGHT])
        found.append(OwnQuestion(name, text, as_of.isoformat(), tuple(sorted(own)), kept))
    return Told(tuple(found), left_out)


@dataclass(frozen=True, slots=True)
class _Then:
    """A ticket's words at a moment."""

    summary: str
    description: str


def _then(now: Ticket, audience: Audience, at: datetime) -> _Then | str:
    """The ticket's words as they were, or why it makes no question."""
    ticket = now.seen_by(audience)
    if ticket is None:
        return OTHERS
    if ticket.created > at:
        return LATER
    if any("history" in what.casefold() for what in ticket.unread):
        return UNREAD
    words = {"summary": ticket.summary, "description": ticket.description}
    for change in reversed(ticket.history):
        if change.at > at and change.field.casefold() in words:
            words[change.field.casefold()] = change.before
    return _Then(**words)


def _earliest(history: History) -> Mapping[tuple[str, str], datetime]:
    """When each file was first touched, as far as the index knows commits."""
    found: dict[tuple[str, str], datetime] = {}
    for commit in history.commits:
        for path in () if commit.development else commit.touched:
            file = (commit.repo, path)
            found[file] = min(commit.at, found.get(file, commit.at))
    return found


def _files(
    store: Store,
    commits: Sequence[Commit],
    earliest: Mapping[tuple[str, str], datetime],
    as_of: datetime,
    audience: Audience,
) -> dict[str, str]:
    wanted = {
        file_id(commit.repo, path): group
        for group in ("code", "test")
        for commit in commits
        for path in code_of(commit, group)
        if earliest[commit.repo, path] <= as_of
    }
    return {name: wanted[name] for name in there(store, wanted, audience)}


def _named(history: History, keys: frozenset[str], description: str, as_of: datetime) -> dict[str, str]:
    """Pages and test records that were there then, as they are now."""
    linked = set(_pages_in(description))

    def answers(one: Named) -> bool:
        return one.updated <= as_of and bool(one.keys & keys or one.names & linked)

    docs = {name: "doc" for name, page in history.pages.items() if answers(page)}
    return docs | {name: "test" for name, test in history.tests.items() if answers(test)}


def _pages_in(text: str) -> Iterator[str]:
    """Ids and titles of the pages whose addresses are in a text."""
    for address in _ADDRESS.findall(text):
        key = pointed_to(address)
        if key and key.kind == "page":
            yield key.text


def of_verdicts(
    looking: Looking, jobs: Jobs, reader: Reader, kind_of: Callable[[str], str | None], report: Report
) -> Told:
    """Questions whose answers people rated, the last first, as far as the reader may see them: liked with what the
    answer cites as right, disliked with what it cites as not. `kind_of` tells the kind of a document of the index that
    the reader may know, and None otherwise. Raises StateError.
    """
    found: list[OwnQuestion] = []
    left_out = Counter[str]()
    rated = _rated(looking)
    for done, (job, liked) in enumerate(rated.items(), 1):
        report({"step": "answers", "done": done, "total": len(rated)})
        view = jobs.show(job)
        answer = (view.result or {}).get("answer")
        if not isinstance(answer, Mapping) or not answer.get("statements"):
            continue  # a review or a draft was rated, or that nothing was found
        if liked is None:
            left_out[EVEN] += 1
        elif not reader.may_read(view):
            left_out[OTHERS] += 1
        elif cited := _cited(answer, kind_of):
            question = str(answer["question"])
            found.append(OwnQuestion(f"job:{job}", question, None, tuple(_itself(view)), cited, liked=liked))
        else:
            left_out[NOTHING_LEFT] += 1
    return Told(tuple(found), left_out)


def _rated(looking: Looking) -> dict[int, bool | None]:
    """Jobs by whether more people liked their answers than not, None where as many did; of each person's verdicts the
    last counts.
    """
    last: dict[tuple[int, str], str] = {}
    before: int | None = None
    while page := looking.feedback(before, _PAGE):
        for said in page:
            last.setdefault((said.job_id, said.verdict.person), said.verdict.verdict)
        before = page[-1].id
    balance = Counter[int]()
    for (job, _), verdict in last.items():
        balance[job] += {"up": 1, "down": -1}.get(verdict, 0)
    return {job: None if sum_ == 0 else sum_ > 0 for job, sum_ in balance.items()}


def _cited(answer: Mapping[str, Any], kind_of: Callable[[str], str | None]) -> dict[str, str]:
    cited = {number for statement in answer["statements"] for number in statement["sources"]}
    documents = [str(source["document"]) for source in answer["sources"] if source["number"] in cited]
    kinds = {name: kind_of(name) for name in documents}
    return {name: _group(name, kind) for name, kind in kinds.items() if kind}


_GROUPS = {"document": "doc", "qa": "test", "news": "doc", "generated": "code"}


def _group(name: str, kind: str) -> str:
    group = group_of(kind, name.rpartition(":")[2] if name.startswith("git:") else None)
    return _GROUPS.get(group, group)


def _itself(view: JobView) -> Iterable[str]:
    """The comment that asked. What is said in Slack is not in the index."""
    surface, place, message = (str(view.payload.get(name) or "") for name in ("surface", "place_id", "message_id"))
    return [f"{surface}:{place}:comment:{message}"] if surface in {"jira", "confluence"} else []
