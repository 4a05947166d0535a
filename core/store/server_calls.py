"""Calls of a Qdrant server: repeated where that may help, and what can go wrong with them."""

import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

import httpx
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from core.connectors.http import retry_after
from core.errors import IndexUnreachable, IndexUnusable

P = ParamSpec("P")
T = TypeVar("T")

_PASSING = frozenset({408, 425, 429})
_REFUSED = frozenset({401, 403})
_SAID = 200  # characters of the server's own words

# What the client raises for an answer that is none: a text that is not JSON or nested too deeply, or a result that is
# not there.
_MALFORMED = (json.JSONDecodeError, UnicodeDecodeError, RecursionError, AssertionError)


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a call is made."""

    attempts: int
    longest_wait: float
    """Seconds between two attempts; a server that wants more is given up."""


READING = Patience(attempts=2, longest_wait=1)
"""While somebody waits."""
WRITING = Patience(attempts=6, longest_wait=30)
"""A server that is overloaded is left alone for a while; nothing is lost by waiting."""


class Calls:
    """Makes calls that may be made twice. Raises IndexUnreachable or IndexUnusable, with the client's error as cause.

    `secret` is in no message, whatever the server says.
    """

    def __init__(self, secret: str = "", sleep: Callable[[float], None] = time.sleep) -> None:
        self._secret = secret
        self._sleep = sleep

    def read(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Make it, and once more if that did not go well."""
        return self._repeated(READING, call, *args, **kwargs)

    def write(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Make it, patiently."""
        return self._repeated(WRITING, call, *args, **kwargs)

    def _repeated(self, patience: Patience, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        def once() -> T:
            try:
                return call(*args, **kwargs)
            except (ApiException, QdrantException, httpx.InvalidURL, *_MALFORMED) as error:
                raise self._judged(error) from error

        def worth_waiting(error: BaseException) -> bool:
            return isinstance(error, IndexUnreachable) and (error.retry_after or 0) <= patience.longest_wait

        def pause(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            if isinstance(error, IndexUnreachable) and error.retry_after is not None:
                return max(error.retry_after, 0.1)
            return float(min(0.5 * 2 ** (state.attempt_number - 1), patience.longest_wait)) * random.uniform(0.5, 1)

        attempts = Retrying(
            stop=stop_after_attempt(patience.attempts),
            wait=pause,
            retry=retry_if_exception(worth_waiting),
            sleep=self._sleep,
            reraise=True,
        )
        return attempts(once)

    def _judged(self, error: Exception) -> IndexUnusable:
        if isinstance(error, UnexpectedResponse):
            return self._judged_answer(error)
        if isinstance(error, ResponseHandlingException):
            return _judged_failure(error.source)
        if isinstance(error, QdrantException):
            wait = error.retry_after_s if isinstance(error, ResourceExhaustedResponse) else None
            return IndexUnreachable("The index's server is overloaded.", retry_after=wait)
        if isinstance(error, _MALFORMED):
            return _malformed()
        return IndexUnusable("The address of the index's server cannot be used.")

    def _judged_answer(self, error: UnexpectedResponse) -> IndexUnusable:
        status = error.status_code or 0
        if status in _REFUSED:
            return IndexUnusable(f"The index's server refuses the key ({status}).")
        said = f"The index's server answered with {status}{self._reason(error.content)}"
        if status in _PASSING or status >= 500:
            return IndexUnreachable(said, retry_after=retry_after(error.headers.get("Retry-After")))
        if 300 <= status < 400:
            return IndexUnusable(f"The index's server sends us elsewhere ({status}): its address may be wrong.")
        return IndexUnusable(said)

    def _reason(self, content: bytes) -> str:
        """What the server says of it, as the end of a sentence."""
        try:
            said = json.loads(content)["status"]["error"]
        except (ValueError, LookupError, TypeError, RecursionError):
            return "."
        words = " ".join(str(said).split())
        if self._secret:
            words = words.replace(self._secret, "***")
        return f": {words[:_SAID]}" if words.isprintable() else "."


def _judged_failure(source: Exception) -> IndexUnusable:
    if isinstance(source, httpx.TimeoutException):
        return IndexUnreachable("The index's server did not answer in time.")
    if isinstance(source, httpx.UnsupportedProtocol):
        return IndexUnusable("The address of the index's server cannot be used.")
    if isinstance(source, httpx.TransportError):
        return IndexUnreachable(f"The index's server could not be reached ({type(source).__name__}).")
    return _malformed()


def _malformed() -> IndexUnusable:
    return IndexUnusable("What answers at the address of the index's server is not a Qdrant server's answer.")
