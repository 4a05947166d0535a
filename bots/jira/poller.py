"""Finds comments with the trigger word by asking Jira again and again, whatever becomes of webhooks and reviews."""

import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Protocol

import structlog

from bots.command import WORDS, find_command
from bots.errors import BotError
from bots.events import Noticed
from bots.jira.answers import Comment, Found, moment
from bots.jira.said import said
from bots.polling import hand_over, keep_polling
from bots.unread import Cursors, Unread, Waiting
from core.types import Metrics

log = structlog.get_logger(__name__)

_PROJECT_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,254}")


class Reads(Protocol):
    """The client, as far as polling needs it."""

    @property
    def site(self) -> str: ...
    def whoami(self) -> str: ...
    def now(self) -> datetime | None: ...
    def search(self, jql: str) -> Iterable[Found]: ...
    def comments(self, issue_id: str) -> Iterable[Comment]: ...


class Poller:
    """Hands every new comment that holds a trigger word to `enqueue`, at least once.

    Jira's search lags behind, so each round looks back over `overlap` again; that the same comment comes again is
    refused by whoever takes it. A project is watched from its first round on: comments written before that are not
    handed over. The very first round goes back to when the installation `began`, for Jira may have been down since. A
    round that Jira ends goes on in the next: what it read is read again only if it was changed. A comment that gets the
    word by a later edit is the webhook's to notice.
    """

    def __init__(
        self,
        client: Reads,
        projects: Sequence[str],
        cursors: Cursors,
        enqueue: Callable[[Noticed], object],
        *,
        clock: Callable[[], datetime],
        metrics: Metrics,
        words: Collection[str] = WORDS,
        overlap: timedelta = timedelta(minutes=10),
        began: Callable[[], datetime] | None = None,
    ) -> None:
        wrong = [key for key in projects if not _PROJECT_KEY.fullmatch(key)]
        if wrong or not projects:
            raise ValueError(f"project keys are letters, digits and underscores, and there must be one: {wrong}")
        self._client = client
        self._projects = tuple(projects)
        self._cursors = cursors
        self._enqueue = enqueue
        self._clock = clock
        self._metrics = metrics
        self._words = tuple(words)
        self._overlap = overlap
        self._began = began
        self._read: dict[str, str] = {}
        """When each ticket was changed last as it was read, since the last whole round."""

    def run(self, stop: threading.Event, period: float) -> None:
        """Poll every `period` seconds until `stop`. A round that fails is told, counted, and made again later."""
        keep_polling(self.poll_once, stop, period, surface="jira", metrics=self._metrics)

    def poll_once(self) -> int:
        """One round; returns how many comments were handed over.

        The cursor moves to the time before the listing, once each listed ticket is read or remembered as unread. What
        is unread is tried again in each round, after the rest, so that no ticket keeps another from being read.

        Raises BotError when it is Jira that fails, and not some tickets.
        """
        start = self._client.now() or self._clock()
        self._client.whoami()
        first = start
        if self._began is not None and self._cursors.get(self._name("cursor")) is None:
            first = min(start, self._began())
        floors = {project: self._position(f"floor:{project}", first) for project in self._projects}
        since = min(self._position("cursor", first), start) - self._overlap
        unread = Unread(self._cursors, self._name("unread"), "jira", self._metrics)
        found = [one for one in self._client.search(updated_since(self._projects, since)) if one.id not in unread]
        listed = [
            (ticket, Waiting(ticket.id, ticket.key, moment(max(since, _floor(floors, ticket))), moment(start)))
            for ticket in found
            if not ticket.fields.updated or self._read.get(ticket.id) != ticket.fields.updated
        ]
        before = list(unread)
        noticed = self._hand_over(self._one_by_one(listed), unread, moment(start))
        self._read.clear()
        self._cursors.set(self._name("cursor"), str(moment(start)))
        try:
            noticed += self._hand_over(before, unread, moment(start))
        except BotError as e:
            if e.retry_after is not None:
                raise
        self._metrics.count("crosscheck_polls_total", surface="jira", outcome="done")
        return noticed

    def _one_by_one(self, listed: Iterable[tuple[Found, Waiting]]) -> Iterator[Waiting]:
        """Who asks for the next is done with the one before: it is read, gone, or remembered as unread."""
        for ticket, waiting in listed:
            yield waiting
            self._read[ticket.id] = ticket.fields.updated

    def _hand_over(self, wanted: Iterable[Waiting], unread: Unread, now: int) -> int:
        """How many comments were handed over. Raises BotError when Jira is to be let be."""
        return hand_over(wanted, self._notices, self._enqueue, unread, now, surface="jira", metrics=self._metrics)

    def _notices(self, ticket: Waiting) -> Iterator[Noticed]:
        me = self._client.whoami()
        since = datetime.fromtimestamp(ticket.since / 1000, UTC)
        for comment in takewhile(lambda comment: comment.created >= since, self._client.comments(ticket.id)):
            if comment.author_id != me and find_command(said(comment.body), self._words) is not None:
                yield Noticed("jira", ticket.id, ticket.key, comment.id, None, "poll")

    def _position(self, name: str, first: datetime) -> datetime:
        """A position kept between rounds; the first time it is `first`."""
        kept = self._cursors.get(self._name(name))
        if kept is None:
            kept = str(moment(first))
            self._cursors.set(self._name(name), kept)
        return datetime.fromtimestamp(int(kept) / 1000, UTC)

    def _name(self, name: str) -> str:
        return f"poll:{self._client.site}:{name}"


def _floor(floors: Mapping[str, datetime], ticket: Found) -> datetime:
    """From when on a ticket's project is watched; for one that moved meanwhile, from when on any is."""
    return floors.get(ticket.key.rpartition("-")[0], min(floors.values()))


def updated_since(projects: Iterable[str], since: datetime) -> str:
    """JQL. A number of milliseconds, unlike a date, does not depend on the account's time zone."""
    listed = ", ".join(f'"{project}"' for project in projects)
    return f"project in ({listed}) AND updated >= {moment(since)} ORDER BY updated ASC"
