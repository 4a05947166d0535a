"""Finds comments with the trigger word by asking Jira again and again, whatever becomes of webhooks and reviews."""

import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Protocol

import structlog

from bots.errors import BotError, Gone, Rejected, Unavailable
from bots.jira.answers import Comment, Found, moment
from bots.jira.command import WORDS, find_command
from bots.jira.events import Noticed
from core.types import Metrics

log = structlog.get_logger(__name__)

LONGEST_PAUSE = 300.0
"""Seconds between rounds that keep failing, unless Jira asks for more."""

_PROJECT_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,254}")


class Reads(Protocol):
    """The client, as far as polling needs it."""

    @property
    def site(self) -> str: ...
    def whoami(self) -> str: ...
    def now(self) -> datetime | None: ...
    def search(self, jql: str) -> Iterable[Found]: ...
    def comments(self, issue_id: str) -> Iterable[Comment]: ...


class Cursors(Protocol):
    """Named positions that outlive the process."""

    def get(self, name: str) -> str | None: ...
    def set(self, name: str, value: str) -> None: ...


class Poller:
    """Hands every new comment that holds a trigger word to `enqueue`, at least once.

    Jira's search lags behind, so each round looks back over `overlap` again; that the same comment comes again is
    refused by whoever takes it. A project is watched from its first round on: comments written before that are not
    handed over. A comment that gets the word by a later edit is the webhook's to notice.
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

    def run(self, stop: threading.Event, period: float) -> None:
        """Poll every `period` seconds until `stop`. A round that fails is told, counted, and made again later."""
        failed = 0
        while not stop.is_set():
            pause = period
            try:
                self.poll_once()
                failed = 0
            except BotError as e:
                pause = max(period, min(period * 2**failed, LONGEST_PAUSE), e.retry_after or 0.0)
                failed = min(failed + 1, 16)
                self._metrics.count("crosscheck_polls_total", surface="jira", outcome="failed")
                log.warning("poll failed", surface="jira", advice=e.advice, reason=str(e), again_in=pause)
            stop.wait(pause)

    def poll_once(self) -> int:
        """One round; returns how many comments were handed over.

        The cursor moves to the time before the listing, and only after the whole round. One ticket that cannot be read
        does not keep the others from being handed over. Raises BotError.
        """
        start = self._client.now() or self._clock()
        floors = {project: self._position(f"floor:{project}", start) for project in self._projects}
        since = min(self._position("cursor", start), start) - self._overlap
        noticed = 0
        failure: BotError | None = None
        for ticket in list(self._client.search(updated_since(self._projects, since))):
            floor = floors.get(ticket.key.rpartition("-")[0], min(floors.values()))
            try:
                for notice in self._notices(ticket, max(since, floor)):
                    self._enqueue(notice)
                    noticed += 1
            except Gone as e:
                self._metrics.count("crosscheck_poll_skipped_total", surface="jira")
                log.info("ticket skipped", surface="jira", ticket=ticket.key, reason=str(e))
            except (Rejected, Unavailable) as e:
                if failure is not None or e.retry_after is not None:
                    raise  # it is Jira and not this one ticket
                failure = e
        if failure is not None:
            raise failure
        self._cursors.set(self._name("cursor"), str(moment(start)))
        self._metrics.count("crosscheck_polls_total", surface="jira", outcome="done")
        return noticed

    def _notices(self, ticket: Found, since: datetime) -> Iterator[Noticed]:
        me = self._client.whoami()
        for comment in takewhile(lambda comment: comment.created >= since, self._client.comments(ticket.id)):
            if comment.author_id != me and find_command(comment.body, self._words) is not None:
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


def updated_since(projects: Iterable[str], since: datetime) -> str:
    """JQL. A number of milliseconds, unlike a date, does not depend on the account's time zone."""
    listed = ", ".join(f'"{project}"' for project in projects)
    return f"project in ({listed}) AND updated >= {moment(since)} ORDER BY updated ASC"
