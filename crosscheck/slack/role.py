"""Listening to Slack: a thread of the service that ends with it, and with nothing else."""

import threading
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol

import structlog

from bots.errors import BadEvent, BotError
from crosscheck.slack.catch_up import CatchUp
from state.errors import StateError

if TYPE_CHECKING:  # bolt is imported where somebody listens
    from slack_bolt import App

log = structlog.get_logger(__name__)

PAUSE = 15.0
"""Seconds between two looks at the connection, and between two tries to reach Slack at the start."""
ROUND = 300.0
"""Seconds between two looks into the channels where nothing tells whether Slack reaches us."""
BEHIND = 60.0
"""Seconds between two looks while something is known to be missed: a delivery that was not kept, a look that failed."""

_REFUSED = 60.0  # seconds between two lines about what is not signed; anybody may send it


class Session(Protocol):
    """`bots.slack.socket.Socket`."""

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def alive(self) -> bool: ...


class Listening:
    """Makes the app when Slack can first be reached, and a session where Socket Mode is wanted."""

    def __init__(
        self,
        make_app: Callable[[], "App"],
        make_session: Callable[["App"], Session] | None,
        catch_up: CatchUp,
    ) -> None:
        """`make_app` asks Slack who the bot is. Without `make_session` Slack calls us: see `receive`."""
        self._make_app = make_app
        self._make_session = make_session
        self._catch_up = catch_up
        self._app: App | None = None
        self._making = threading.Lock()
        self._refused = float("-inf")

    def run(self, stop: threading.Event) -> None:
        """Until told to stop, whatever Slack does meanwhile."""
        app = self._reached(stop)
        if app is None:
            return
        session = self._make_session(app) if self._make_session else None
        if session is not None:
            session.start()
        looked = time.monotonic() if session else float("-inf")
        try:
            while not stop.is_set():
                alone = session is None  # no connection tells whether what is written reaches us
                behind = self._catch_up.behind
                if (alone or behind) and time.monotonic() - looked >= (BEHIND if behind else ROUND):
                    looked = time.monotonic()
                    self._caught_up()
                elif session is None or session.alive():
                    self._listened()
                stop.wait(PAUSE)
        finally:
            if session is not None:
                session.stop()

    def receive(self, headers: Mapping[str, str], body: bytes) -> tuple[int, str, str]:
        """One delivery by HTTP: status, media type and text of the answer. The signature is checked by the app.

        503 while Slack itself cannot be reached, so that it is delivered again.
        """
        from bots.slack.listeners import http_request

        try:
            app = self._made()
        except BotError as error:
            log.warning("delivery not taken", reason=str(error))
            return 503, "text/plain", "Deliver again."
        try:
            answer = app.dispatch(http_request(headers, body))
        except BadEvent as error:
            log.warning("delivery refused", reason=str(error))
            return 400, "text/plain", "Not a delivery that Slack sends."
        if answer.status == HTTPStatus.UNAUTHORIZED:
            self._refuse()
        kind = answer.headers.get("content-type", ["text/plain"])[0]
        return answer.status, kind, answer.body or ""

    def _refuse(self) -> None:
        """A wrong secret shows nowhere else than here, and in the app's settings at Slack."""
        now = time.monotonic()
        with self._making:
            if now - self._refused < _REFUSED:
                return
            self._refused = now
        log.warning("refused: not signed with CROSSCHECK_SLACK_SIGNING_SECRET")

    def _reached(self, stop: threading.Event) -> "App | None":
        while not stop.is_set():
            try:
                return self._made()
            except BotError as error:
                _not_reached(error)
                stop.wait(max(PAUSE, error.retry_after or 0.0))
        return None

    def _made(self) -> "App":
        with self._making:
            if self._app is None:
                self._app = self._make_app()
            return self._app

    def _caught_up(self) -> None:
        try:
            self._catch_up.run(gap=self._catch_up.behind)
        except StateError as error:
            log.error("not caught up", reason=str(error))  # noqa: TRY400  the reason is the message

    def _listened(self) -> None:
        try:
            self._catch_up.listened()
        except StateError as error:
            log.warning("not remembered until when Slack was heard", reason=str(error))


def _not_reached(error: BotError) -> None:
    refused = error.advice == "wake"  # it does not mend itself
    where = "CROSSCHECK_SLACK_BOT_TOKEN" if refused else "slack.site and the network"
    (log.error if refused else log.warning)(
        "Slack refuses the bot" if refused else "Slack not reached",
        reason=str(error),
        advice=error.advice,
        look_at=f"{where}; `crosscheck doctor` tells more",
    )
