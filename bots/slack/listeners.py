"""What comes in from Slack, by bolt: what was asked is stored, and only then acknowledged.

Slack delivers again what was not acknowledged within three seconds. So whatever cannot be stored is not acknowledged,
and whatever else there is to do comes after the acknowledgement, or is a job.
"""

import logging
import re
import secrets
import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import structlog
from slack_bolt import Ack, App, BoltContext, BoltRequest, BoltResponse
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web import WebClient

from bots.errors import BadEvent
from bots.slack.events import Heard, Private, at_home, heard, opened
from bots.slack.interactions import asked_about, commanded, pressed, reasoned
from bots.slack.modals import REASON
from bots.slack.render import DOWN, UP

log = structlog.get_logger(__name__)

COMMAND = "/crosscheck"
SHORTCUT = "crosscheck_ask"
"""As the app's manifest names them."""

_GREETED = frozenset({"app_home_opened", "assistant_thread_started"})
_TOLD = "crosscheck_told"


class Handlers(Protocol):
    """What is done with it. All but `tell`, `home`, `assistant` and `feedback` of a button must be quick."""

    def message(self, heard: Heard) -> object:
        """Store a message. If this raises, Slack delivers it again."""

    def private(self, asked: Private) -> str:
        """Store a private question; returns what the person is told at once. If this raises, they see it fail."""

    def tell(self, response_url: str, text: str) -> object:
        """Tell somebody what `private` returned, where the acknowledgement cannot."""

    def home(self, user: str) -> object:
        """Somebody opened the home tab."""

    def assistant(self, channel: str, thread: str) -> object:
        """Somebody opened the assistant panel."""

    def feedback(self, job: int, user: str, verdict: str, reason: str, trigger_id: str | None) -> object:
        """Somebody rated an answer, by a button or in the form that opens after it."""


def make_app(client: WebClient, handlers: Handlers, signing_secret: str | None, bot_user: str) -> App:
    """The app, for Socket Mode and for HTTP.

    Args:
        client: For bolt's own calls; none is made to acknowledge anything.
        handlers: Called in bolt's threads, several at a time.
        signing_secret: By which bolt checks HTTP requests; without one, none of them passes.
        bot_user: The bot's user id.

    """
    app = App(
        name="crosscheck",
        logger=_discreet(),
        client=client,
        signing_secret=signing_secret or secrets.token_hex(32),
        authorize=_as_bot(client.token, bot_user),
        process_before_response=True,
        attaching_conversation_kwargs_enabled=False,
    )
    app.use(_taking_messages(handlers, bot_user))
    _take_private(app, handlers)
    _take_feedback(app, handlers)
    _greet(app, handlers)
    return app


def http_request(headers: Mapping[str, str], body: bytes) -> BoltRequest:
    """One delivery by HTTP, for the app's `dispatch`, which checks its signature.

    Raises BadEvent when it cannot be read: bolt reads a request before it knows whose it is.
    """
    try:
        return BoltRequest(body=body.decode(), headers=dict(headers), mode="http")
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as e:
        raise BadEvent("The delivery cannot be read.") from e


def _as_bot(token: str | None, bot_user: str) -> Callable[..., AuthorizeResult]:
    """Who we are is known. Bolt would ask Slack at the first delivery, and drop it where Slack does not answer."""

    def authorize(enterprise_id: str | None, team_id: str | None, user_id: str | None) -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=enterprise_id, team_id=team_id, user_id=user_id, bot_user_id=bot_user, bot_token=token
        )

    return authorize


def _taking_messages(handlers: Handlers, bot_user: str) -> Callable[..., BoltResponse | None]:
    """A middleware, since bolt acknowledges an event before its listeners are run."""

    def take(body: Mapping[str, Any], next_: Callable[[], BoltResponse | None]) -> BoltResponse | None:
        if body.get("type") == "app_rate_limited":
            log.warning("Slack holds back events", reason="too many in an hour")
            return BoltResponse(status=200)
        if body.get("type") != "event_callback" or body.get("event", {}).get("type") in _GREETED:
            return next_()
        try:
            found = heard(body, bot_user)
        except BadEvent as e:
            log.warning("delivery not understood", reason=str(e))
            return BoltResponse(status=200)
        if isinstance(found, Heard):
            handlers.message(found)
        else:
            log.debug("delivery ignored", event_type=found.event, reason=found.reason)
        return BoltResponse(status=200)

    return take


def _take_private(app: App, handlers: Handlers) -> None:
    def by_command(ack: Ack, body: Mapping[str, Any]) -> None:
        ack(handlers.private(commanded(body)))

    def by_shortcut(ack: Ack, body: Mapping[str, Any], context: BoltContext) -> None:
        context[_TOLD] = handlers.private(asked_about(body))
        ack()

    def tell(body: Mapping[str, Any], context: BoltContext) -> None:
        """The acknowledgement of a shortcut shows no text."""
        if context.get(_TOLD):
            handlers.tell(asked_about(body).response_url, context[_TOLD])

    app.command(COMMAND)(by_command)
    app.message_shortcut(SHORTCUT)(ack=by_shortcut, lazy=[tell])


def _take_feedback(app: App, handlers: Handlers) -> None:
    def rate(body: Mapping[str, Any]) -> None:
        rated = pressed(body)
        handlers.feedback(rated.job, rated.user, rated.verdict, rated.reason, rated.trigger_id)

    def reason(ack: Ack, body: Mapping[str, Any]) -> None:
        rated = reasoned(body)
        if rated.reason:
            handlers.feedback(rated.job, rated.user, rated.verdict, rated.reason, rated.trigger_id)
        ack()

    app.action(UP)(ack=_acknowledge, lazy=[rate])
    app.action(DOWN)(ack=_acknowledge, lazy=[rate])
    app.action(re.compile(""))(_acknowledge)  # a button that is a link is reported too
    app.view(REASON)(reason)


def _greet(app: App, handlers: Handlers) -> None:
    def home(body: Mapping[str, Any]) -> None:
        user = at_home(body)
        if user is not None:
            handlers.home(user)

    def assistant(body: Mapping[str, Any]) -> None:
        panel = opened(body)
        handlers.assistant(panel.channel, panel.thread)

    app.event("app_home_opened")(ack=_acknowledge, lazy=[home])
    app.event("assistant_thread_started")(ack=_acknowledge, lazy=[assistant])


def _acknowledge(ack: Ack) -> None:
    ack()


class _Discreet(logging.Filter):
    """Says where bolt failed and by what kind of error: its own words hold messages and requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = sys.exc_info()[0]
        record.msg = "bolt: %s in %s"
        record.args = (error.__qualname__ if error else record.levelname, f"{record.module}.{record.funcName}")
        record.exc_info = record.exc_text = record.stack_info = None
        return True


def _discreet() -> logging.Logger:
    """For bolt, which takes level and filters over for its other loggers."""
    logger = logging.getLogger("slack_bolt.crosscheck")
    logger.setLevel(logging.ERROR)
    if not logger.filters:
        logger.addFilter(_Discreet())
    return logger
