"""Socket Mode: one connection to Slack, watched, and made anew whenever it is lost or falls silent.

The wire is `websockets`' and the rest is bolt's. Slack's own client keeps a connection that was cut off for a lost
one only after four missed pings, opens the new connection before it closes the old one, and cannot be told that a
connection which answers pings has brought no event for too long
(https://docs.slack.dev/apis/events-api/using-socket-mode/).
"""

import json
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from http.client import HTTPException
from typing import Any

import structlog
from slack_bolt import App
from slack_bolt.adapter.socket_mode.internals import run_bolt_app, send_response
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.socket_mode.client import BaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.web import WebClient
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from bots.errors import BotError, NotAllowed, Unavailable
from bots.slack.failures import failure
from bots.text import one_line
from core.types import Metrics

log = structlog.get_logger(__name__)

OPEN_SECONDS = 10.0
"""For the address, for the connection, and for the first word on it, each."""
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 60.0
"""Seconds before the next try; twice as long after each that failed, unless Slack asks for more."""

_BRIEF = 10.0  # seconds; a session that ends sooner counts as failed, or a server that hangs up is called in a loop
_PING_SECONDS = 10.0
_CLOSE_SECONDS = 1.0
_STOP_SECONDS = 3.0
_TICK = 1.0  # at most
_LARGEST_ENVELOPE = 16 * 2**20
_LOOK = "CROSSCHECK_SLACK_APP_TOKEN; `crosscheck doctor` tells more"

_WIRE = logging.getLogger(f"{__name__}.wire")
_WIRE.setLevel(logging.CRITICAL)  # frames are messages, and addresses hold a ticket


class Socket:
    """Keeps the app connected from `start` to `stop`, in threads of its own."""

    def __init__(
        self,
        app: App,
        app_token: str,
        *,
        site: str,
        silence: float,
        metrics: Metrics,
        on_gap: Callable[[], object],
    ) -> None:
        """Nothing is connected yet.

        Args:
            app: Every envelope goes through it; what it answers with 200 is acknowledged.
            app_token: Begins with `xapp-`.
            site: Where Slack is, without a trailing slash.
            silence: Seconds without a word (hello or envelope, not a ping) after which the connection is made anew.
            metrics: Told of sessions, and when Slack last said something.
            on_gap: Called whenever Slack has said hello, in a thread of its own, never twice at a time: before that,
                messages may have been missed.

        """
        self._app = app
        self._app_token = app_token
        self._web = WebClient(base_url=f"{site}/api/", timeout=int(OPEN_SECONDS), logger=_WIRE)
        self._silence = silence
        self._metrics = metrics
        self._on_gap = on_gap
        self._stopping = threading.Event()
        self._taking = ThreadPoolExecutor(1, "slack-envelope")  # one: what came first is stored first
        self._catching_up = ThreadPoolExecutor(1, "slack-catch-up")
        self._thread = threading.Thread(target=self._run, name="slack-socket", daemon=True)
        self._connection: ClientConnection | None = None
        self._greeted = False
        self._heard_at = time.monotonic()
        self._last_heard: datetime | None = None

    def start(self) -> None:
        """Connect, and stay connected. Returns at once; may be called once."""
        self._heard_at = time.monotonic()
        self._thread.start()

    def stop(self) -> None:
        """Hang up. What is not acknowledged by then is delivered again to whoever connects next."""
        self._stopping.set()
        connection = self._connection
        if connection is not None:
            connection.close()
        if self._thread.is_alive():
            self._thread.join(_STOP_SECONDS)
        self._taking.shutdown(wait=False, cancel_futures=True)
        self._catching_up.shutdown(wait=False, cancel_futures=True)

    def alive(self) -> bool:
        """Whether Slack has said hello on the connection that stands, and not been silent for too long."""
        return self._greeted and self._silent_for() <= self._silence

    @property
    def last_heard(self) -> datetime | None:
        """When Slack last said something, on whichever connection."""
        return self._last_heard

    def _run(self) -> None:
        failed = 0
        while not self._stopping.is_set():
            began, asked, refused = time.monotonic(), 0.0, False
            try:
                reason = self._session()
            except BotError as e:
                reason, asked, refused = str(e), e.retry_after or 0.0, e.advice == "wake"
            except Exception as e:  # noqa: BLE001  the watch's edge: whatever it was, Slack is called again
                reason = type(e).__qualname__
            lasted = self._greeted and time.monotonic() - began > min(_BRIEF, self._silence)
            self._greeted = False
            self._metrics.gauge("crosscheck_slack_connected", 0)
            failed = 0 if lasted else failed + 1
            pause = max(asked, min(FIRST_PAUSE * 2 ** min(failed - 1, 10), LONGEST_PAUSE) if failed else 0.0)
            if not self._stopping.is_set():
                self._metrics.count("crosscheck_slack_reconnects_total")
                if refused:
                    log.error("Slack refuses the app", reason=reason, again_in=pause, look_at=_LOOK)
                else:
                    (log.warning if failed else log.info)("Slack session ended", reason=reason, again_in=pause)
            self._stopping.wait(pause)

    def _session(self) -> str:
        """One connection, closed before this returns why it ended.

        Raises Unavailable when there is none, NotAllowed when the token gets none.
        """
        address = self._address()
        try:
            with connect(
                address,
                open_timeout=OPEN_SECONDS,
                close_timeout=_CLOSE_SECONDS,
                ping_interval=_PING_SECONDS,
                ping_timeout=_PING_SECONDS,
                max_size=_LARGEST_ENVELOPE,
                logger=_WIRE,
            ) as connection:
                self._connection = connection
                return self._listen(connection)
        except (WebSocketException, OSError) as e:
            raise Unavailable(f"No connection to Slack: {type(e).__name__}.") from e
        finally:
            self._connection = None

    def _address(self) -> str:
        """Where to connect to; good for one connection."""
        try:
            answer = self._web.apps_connections_open(app_token=self._app_token)
        except SlackApiError as e:
            raise _refusal(e) from e
        except (SlackClientError, OSError, HTTPException, ValueError) as e:
            raise Unavailable(f"Slack could not be reached: {type(e).__name__}.") from e
        return str(answer.get("url"))

    def _listen(self, connection: ClientConnection) -> str:
        """Hand over what Slack says, until it is over; returns why it is."""
        opened = time.monotonic()
        session = _Session(connection)
        while not self._stopping.is_set():
            try:
                said = connection.recv(timeout=min(_TICK, self._silence / 4))
            except TimeoutError:
                said = None
            except ConnectionClosed:
                return "connection lost"
            if said is not None and (over := self._take(session, said)):
                return over
            silent = self._silent_for()
            if not self._greeted and time.monotonic() - opened > min(OPEN_SECONDS, self._silence):
                return "no hello"
            if self._greeted and silent > self._silence:
                return "silent for too long"
        return "stopped"

    def _take(self, session: "_Session", said: str | bytes) -> str | None:
        """Returns why the session is over, if it is."""
        self._heard_at, self._last_heard = time.monotonic(), datetime.now(UTC)
        self._metrics.gauge("crosscheck_slack_last_heard_timestamp_seconds", self._last_heard.timestamp())
        message = _decoded(said)
        kind = message.get("type")
        if kind == "hello":
            self._greeted = True
            self._metrics.gauge("crosscheck_slack_connected", 1)
            log.info("listening to Slack", connections=message.get("num_connections"))
            self._catching_up.submit(self._on_gap).add_done_callback(_tell("not caught up"))
        elif kind == "disconnect":
            return f"Slack ends it: {one_line(str(message.get('reason')), 60)}"
        else:
            self._taking.submit(self._deliver, session, message).add_done_callback(_tell("envelope not taken"))
        return None

    def _deliver(self, session: "_Session", message: dict[str, Any]) -> None:
        request = SocketModeRequest.from_dict(message)
        if request is None:
            return
        began = time.time()
        send_response(session, request, run_bolt_app(self._app, request), began)
        self._metrics.observe("crosscheck_slack_ack_seconds", time.time() - began)

    def _silent_for(self) -> float:
        return time.monotonic() - self._heard_at


class _Session(BaseSocketModeClient):
    """The connection as bolt answers on it."""

    def __init__(self, connection: ClientConnection) -> None:
        self.logger = _WIRE
        self._connection = connection

    def send_message(self, message: str) -> None:
        self._connection.send(message)


def _decoded(said: str | bytes) -> dict[str, Any]:
    try:
        message = json.loads(said)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _tell(what: str) -> Callable[[Future[Any]], None]:
    """Names a failure in a thread by its kind; its words may hold a message's text."""

    def told(future: Future[Any]) -> None:
        error = None if future.cancelled() else future.exception()
        if error is not None:
            log.warning(what, error=type(error).__qualname__)

    return told


def _refusal(error: SlackApiError) -> BotError:
    """Which of our errors it is, with a sentence about the app's own token and not the bot's."""
    answer = error.response
    headers = {name.lower(): str(value) for name, value in getattr(answer, "headers", {}).items()}
    payload = answer.data if isinstance(getattr(answer, "data", None), dict) else {}
    found = failure(getattr(answer, "status_code", 200), headers, payload, what="open a connection", writes=False)
    code = one_line(str(payload.get("error") or "no reason given"), 100)
    kind = NotAllowed if isinstance(found, NotAllowed) else Unavailable
    return kind(f"Slack opens no connection: {code}.", retry_after=found.retry_after)
