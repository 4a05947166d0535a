"""Messages that were written while nobody listened are read from the channels themselves: nobody is left unheard."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Protocol

import structlog

from bots.errors import BadEvent, BotError
from bots.slack.events import Heard, heard

log = structlog.get_logger(__name__)

OVERLAP = timedelta(minutes=5)
"""Read twice: a message may have been written just before the last word was heard, and not delivered."""
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

    def listened(self) -> None:
        """The connection stands, so what is written is delivered; but what was missed must have been read first."""
        if self._behind:
            return
        self._cursors.set(CURSOR, self._clock().isoformat())

    def run(self) -> int:
        """Hand over what may have been missed; how many messages that were. What was heard before is known by its key.

        A channel that cannot be read costs only itself. Raises StateError.
        """
        kept = self._cursors.get(CURSOR)
        if kept is None:
            self._behind = False
            return 0
        start = self._clock()
        since = max(datetime.fromisoformat(kept) - OVERLAP, start - LONGEST)
        found = 0
        try:
            for channel in self._client.channels():
                found += self._channel(channel, since, start)
        except BotError as error:
            log.warning("not caught up", reason=str(error), advice=error.advice)
            return found
        self._cursors.set(CURSOR, start.isoformat())
        self._behind = False
        log.info("caught up", messages=found)
        return found

    def _channel(self, channel: str, since: datetime, start: datetime) -> int:
        found = 0
        try:
            for message in self._missed(channel, since, start):
                found += self._handed_over(channel, message)
        except BotError as error:
            if error.retry_after is not None:
                raise
            log.warning("channel not caught up", channel=channel, reason=str(error))
        return found

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

    def _missed(self, channel: str, since: datetime, start: datetime) -> Iterator[Mapping[str, Any]]:
        """Messages, and replies in threads of the last day, since then."""
        floor = f"{since.timestamp():.6f}"
        for message in self._client.history(channel, start - LONGEST):
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
