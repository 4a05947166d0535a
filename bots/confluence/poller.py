"""Finds comments with the trigger word by asking Confluence again and again, whatever becomes of webhooks."""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

import structlog

from bots.command import WORDS, find_command
from bots.confluence.records import Comment, Found
from bots.confluence.said import said
from bots.errors import BotError
from bots.events import Noticed
from bots.polling import hand_over, keep_polling
from bots.unread import Cursors, Unread, Waiting
from core.types import Metrics

log = structlog.get_logger(__name__)

_SPACES_AT_ONCE = 50  # in one query, which is part of an address
_MOST_KNOWN = 20_000  # comments remembered as read
_MINUTE = timedelta(minutes=1)


class Reads(Protocol):
    """The client, as far as polling needs it."""

    @property
    def site(self) -> str: ...
    def whoami(self) -> str: ...
    def wrote(self, comment: Comment) -> bool: ...
    def search(self, cql: str) -> Iterable[Found]: ...
    def comment(self, comment_id: str) -> Comment: ...


class Poller:
    """Hands every new comment that holds a trigger word to `enqueue`, at least once; one that gets the word by a later
    edit as well.

    Confluence's search lags behind, so each round looks back over `overlap` again. What is listed again unchanged is
    not read again, not even if Confluence ended the round it was read in; that the same comment comes again, after a
    restart for one, is refused by whoever takes it. The very first round goes back to when the installation `began`,
    for Confluence may have been down since.
    """

    def __init__(
        self,
        client: Reads,
        spaces: Sequence[str],
        cursors: Cursors,
        enqueue: Callable[[Noticed], object],
        *,
        clock: Callable[[], datetime],
        metrics: Metrics,
        words: Collection[str] = WORDS,
        overlap: timedelta = timedelta(minutes=15),
        began: Callable[[], datetime] | None = None,
    ) -> None:
        if not spaces or not all(spaces):
            raise ValueError("there must be a space, and each named by its key")
        self._client = client
        self._spaces = tuple(spaces)
        self._cursors = cursors
        self._enqueue = enqueue
        self._clock = clock
        self._metrics = metrics
        self._words = tuple(words)
        self._overlap = overlap
        self._began = began
        self._known: dict[str, str] = {}
        """The comments that were read, each with its stamp."""

    def run(self, stop: threading.Event, period: float) -> None:
        """Poll every `period` seconds until `stop`. A round that fails is told, counted, and made again later."""
        keep_polling(self.poll_once, stop, period, surface="confluence", metrics=self._metrics)

    def poll_once(self) -> int:
        """One round; returns how many comments were handed over.

        The cursor moves to the time before the listing, once each listed comment is read or remembered as unread. What
        is unread is tried again in each round, after the rest, so that no comment keeps another from being read.

        Raises BotError when it is Confluence that fails, and not some comments.
        """
        start = self._clock()
        self._client.whoami()
        age = start - min(self._position(start), start)
        unread = Unread(self._cursors, self._name("unread"), "confluence", self._metrics)
        listed = {found.id: found.stamp for found in self._changed(age + self._overlap) if found.id not in unread}
        before = list(unread)
        self._known = {number: stamp for number, stamp in self._known.items() if listed.get(number) == stamp != ""}
        now = _milliseconds(start)
        noticed = self._hand_over(self._one_by_one(listed, now), unread, now)
        self._known = dict(list(listed.items())[-_MOST_KNOWN:])
        self._cursors.set(self._name("cursor"), str(now))
        try:
            noticed += self._hand_over(before, unread, now)
        except BotError as e:
            if e.retry_after is not None:
                raise
        self._metrics.count("crosscheck_polls_total", surface="confluence", outcome="done")
        return noticed

    def _changed(self, span: timedelta) -> Iterator[Found]:
        for first in range(0, len(self._spaces), _SPACES_AT_ONCE):
            yield from self._client.search(changed_within(self._spaces[first : first + _SPACES_AT_ONCE], span))

    def _one_by_one(self, listed: Mapping[str, str], now: int) -> Iterator[Waiting]:
        """Those that are not known. Who asks for the next is done with the one before: it is read, gone, or remembered
        as unread.
        """
        for number in [number for number in listed if number not in self._known]:
            yield Waiting(number, f"comment {number}", now, now)
            self._known[number] = listed[number]

    def _hand_over(self, wanted: Iterable[Waiting], unread: Unread, now: int) -> int:
        """How many comments were handed over. Raises BotError when Confluence is to be let be."""
        return hand_over(wanted, self._notices, self._enqueue, unread, now, surface="confluence", metrics=self._metrics)

    def _notices(self, waiting: Waiting) -> Iterator[Noticed]:
        comment = self._client.comment(waiting.id)
        if not self._client.wrote(comment) and find_command(said(comment.storage), self._words) is not None:
            yield Noticed("confluence", comment.page_id, comment.page_title, comment.id, None, "poll")

    def _position(self, start: datetime) -> datetime:
        """When the last whole round began; before the first one, when the installation did."""
        kept = self._cursors.get(self._name("cursor"))
        if kept is not None:
            return datetime.fromtimestamp(int(kept) / 1000, UTC)
        return self._began() if self._began is not None else start

    def _name(self, name: str) -> str:
        return f"poll:confluence:{self._client.site}:{name}"  # on Cloud the site is Jira's as well


def changed_within(spaces: Iterable[str], span: timedelta) -> str:
    """CQL. A span, unlike a date, does not depend on the account's time zone; it is rounded up to minutes."""
    keys = ", ".join('"' + space.replace("\\", "\\\\").replace('"', '\\"') + '"' for space in spaces)
    minutes = max(-(-span // _MINUTE), 1)
    return f'type = comment and space in ({keys}) and lastmodified >= now("-{minutes}m")'


def _milliseconds(at: datetime) -> int:
    """Since 1970."""
    return int(at.timestamp() * 1000)
