"""Messages that were written while nobody listened are read from the channels themselves: nobody is left unheard."""

import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Protocol

import structlog

from bots.errors import BadEvent, BotError, Gone, NotAllowed
from bots.slack.events import Heard, heard

log = structlog.get_logger(__name__)

OVERLAP = timedelta(hours=1)
"""Read twice: what was written before the last word was heard may not have come, and Slack's clock is another."""
LONGEST = timedelta(days=1)
"""Whoever asked longer ago has asked again, or somebody else."""
CURSOR = "slack:heard"


class Reads(Protocol):
    def channels(self) -> Iterator[str]: ...
    def history(self, channel: str, since: datetime) -> Iterator[Mapping[str, Any]]: ...
    def replies_since(self, channel: str, root: str, since: datetime) -> Iterator[Mapping[str, Any]]: ...


class Cursors(Protocol):
    def get(self, name: str) -> str | None: ...
    def set(self, name: str, value: str) -> None: ...


class CatchUp:
    """Remembers until when Slack was listened to, and hands over what was written since."""

    def __init__(
        self,
        client: Reads,
        cursors: Cursors,
        accept: Callable[[Heard], object],
        *,
        team: Callable[[], str],
        bot: Callable[[], str],
        clock: Callable[[], datetime],
    ) -> None:
        self._client = client
        self._cursors = cursors
        self._accept = accept
        self._team = team
        self._bot = bot
        self._clock = clock
        self._behind = True
        self._missed_since = False  # while a run was on its way
        self._running = threading.Lock()
        self._began: datetime | None = None  # when the first of the runs was that are not through all channels yet
        self._done: set[str] = set()

    @property
    def behind(self) -> bool:
        """Whether something may have been missed that is not read yet."""
        return self._behind

    def missed(self) -> None:
        """Something that was delivered could not be kept: it is to be read again."""
        self._behind = self._missed_since = True

    def listened(self) -> None:
        """The connection stands, so what is written is delivered; but what was missed must have been read first."""
        if not self._behind:
            self._cursors.set(CURSOR, self._clock().isoformat())

    def run(self, *, gap: bool = True) -> int:
        """Hand over what may have been missed; how many messages that were. What was heard before is known by its key.

        After a gap, threads that began in the day before are looked into as well. A channel that the bot may not read
        costs only itself; one that could not be read now is read in the next run. Raises StateError.
        """
        with self._running:
            start, kept = self._clock(), self._cursors.get(CURSOR)
            self._behind, self._missed_since = True, False
            self._began = self._began or start
            found, whole = 0, True
            if kept is not None:
                since = max(datetime.fromisoformat(kept) - OVERLAP, start - LONGEST)
                found, whole = self._read(since, start - LONGEST if gap else since)
            if whole:
                self._cursors.set(CURSOR, self._began.isoformat())
                self._behind, self._began = self._missed_since, None
                self._done.clear()
            log.info("caught up", messages=found, behind=self._behind)
            return found

    def _read(self, since: datetime, threads: datetime) -> tuple[int, bool]:
        """Hand over what was written since, also in threads that began since `threads`, in the channels that are not
        done; how many messages that were, and whether all that could be was read.
        """
        found, whole = 0, True
        try:
            for channel in self._client.channels():
                if channel in self._done:
                    continue
                try:
                    for message in self._missed(channel, since, threads):
                        found += self._handed_over(channel, message)
                except (Gone, NotAllowed) as error:
                    log.warning("channel not read", channel=channel, reason=str(error))
                except BotError as error:
                    whole = False
                    log.warning("channel not caught up", channel=channel, reason=str(error))
                    continue
                self._done.add(channel)
        except BotError as error:
            whole = False
            log.warning("not caught up", reason=str(error), advice=error.advice)
        return found, whole

    def _handed_over(self, channel: str, message: Mapping[str, Any]) -> bool:
        """One that is not as Slack describes messages costs only itself."""
        try:
            one = heard(_delivery(self._team(), channel, message), self._bot())
        except BadEvent as error:
            log.warning("message not understood", channel=channel, reason=str(error))
            return False
        if isinstance(one, Heard):
            self._accept(one)
        return isinstance(one, Heard)

    def _missed(self, channel: str, since: datetime, threads: datetime) -> Iterator[Mapping[str, Any]]:
        """Messages, and replies in threads, since then."""
        floor = f"{since.timestamp():.6f}"
        for message in self._client.history(channel, threads):
            if _later(message.get("ts"), floor):
                yield message
            if _later(message.get("latest_reply"), floor):
                yield from self._client.replies_since(channel, str(message["ts"]), since)


def _later(ts: Any, floor: str) -> bool:
    return isinstance(ts, str) and float(ts) >= float(floor)


def _delivery(team: str, channel: str, message: Mapping[str, Any]) -> dict[str, Any]:
    """A message of a channel's history as it would have been delivered."""
    kind = {"D": "im"}.get(channel[:1], "channel")
    event = {"type": "message", **message, "channel": channel, "channel_type": kind}
    return {"type": "event_callback", "team_id": team, "event_id": "", "event": event}
