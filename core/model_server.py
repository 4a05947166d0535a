"""What is asked of a server with a model on it: bounded in size, in time and in how much is under way at once."""

import json
import random
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, stop_before_delay

from core.connectors.http import retry_after
from core.errors import CoreError

_In = TypeVar("_In")
_Out = TypeVar("_Out")

_PASSING = frozenset({408, 424, 425, 429})
"""424 is text-embeddings-inference's for a computation that failed, 429 for a queue that is full."""
_TOO_MUCH = frozenset({413, 422})
"""Its codes for a batch of too many texts, and for a text that it cannot cut into tokens."""
_SHORTEST_PAUSE = 0.1  # seconds; a server that says 0 is not asked without end


@dataclass(frozen=True, slots=True)
class Limits:
    """How often a request is made, and how long it may take. In seconds."""

    attempts: int
    longest_wait: float
    """Between two attempts; a server that wants more is given up."""
    answer: float
    """For a whole answer."""
    whole: float
    """For everything that is asked together: the waiting for others, all attempts and the pauses between them."""


@dataclass(frozen=True, slots=True)
class Raised:
    """What is raised for a server, and what it is called."""

    passing: type[CoreError]
    """It may be otherwise in a while."""
    lasting: type[CoreError]
    """It stays so until somebody does something; a kind of `passing`."""
    who: str
    """The beginning of a sentence."""


class TooMuch(Exception):
    """The server does not take so many texts, or so long ones, in one request."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class ModelServer:
    """One address to which JSON is posted. Safe from any thread.

    What a server says of an error is not repeated: it may quote the key or the texts. Redirects are not followed.
    """

    def __init__(self, url: str, key: str, raised: Raised, sleep: Callable[[float], None] = time.sleep) -> None:
        self._url = url
        self._raised = raised
        self._sleep = sleep
        self._client = httpx.Client(headers={"Authorization": f"Bearer {key}"} if key else {})
        weakref.finalize(self, self._client.close)  # its connections stay open between requests

    def post(
        self, body: Mapping[str, Any], most: int, limits: Limits, until: float, read: Callable[[bytes], _Out]
    ) -> _Out:
        """What `read` makes of the answer, which has at most `most` bytes. Passing errors, those of `read` among them,
        are tried again as long as the limits and the time (of `time.monotonic`) allow.

        TooMuch when the server wants less in one request.
        """
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        attempts = Retrying(
            stop=stop_after_attempt(limits.attempts) | stop_before_delay(until - time.monotonic()),
            wait=lambda state: _pause(state, limits),
            retry=retry_if_exception(lambda error: self._worth_waiting(error, limits)),
            sleep=self._sleep,
            reraise=True,
        )
        return attempts(lambda: read(self._once(content, most, min(until, time.monotonic() + limits.answer))))

    def _worth_waiting(self, error: BaseException, limits: Limits) -> bool:
        if isinstance(error, self._raised.lasting) or not isinstance(error, self._raised.passing):
            return False
        return (error.retry_after or 0) <= limits.longest_wait

    def _once(self, content: bytes, most: int, until: float) -> bytes:
        who = self._raised.who
        left = until - time.monotonic()
        if left <= 0:
            raise self._raised.passing(f"{who} did not answer in time.")
        answer = bytearray()
        try:
            with self._client.stream(
                "POST", self._url, content=content, headers={"Content-Type": "application/json"}, timeout=left
            ) as response:
                self._judge(response)
                for block in response.iter_bytes():
                    answer += block
                    if len(answer) > most:
                        raise self._raised.lasting(f"{who} answered with more than {most} bytes.")
                    if time.monotonic() > until:
                        raise self._raised.passing(f"{who} did not end its answer in time.")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._raised.passing(f"{who}: {_kind(error)}.") from error
        return bytes(answer)

    def _judge(self, response: httpx.Response) -> None:
        """Raise for anything but success."""
        status = response.status_code
        if status == httpx.codes.OK:
            return
        said = f"{self._raised.who} answered with {status}"
        if status in _PASSING or status >= 500:
            raise self._raised.passing(f"{said}.", retry_after=retry_after(response.headers.get("Retry-After")))
        if status in _TOO_MUCH:
            raise TooMuch(status)
        if status in {401, 403}:
            raise self._raised.lasting(f"{said}: it does not accept the key.")
        if status == 404:
            raise self._raised.lasting(f"{said}: the address or the model's name in the settings is wrong.")
        if status < 400:
            raise self._raised.lasting(f"{said}: it sends us elsewhere, so its address in the settings may be wrong.")
        raise self._raised.lasting(
            f"{said}: it does not accept the request. Compare the model and its limits with the settings."
        )


class Lane:
    """At most `width` requests of one kind under way, whoever asks. The others wait for their turn, but no longer than
    they have time.
    """

    def __init__(self, width: int, raised: Raised) -> None:
        self._threads = ThreadPoolExecutor(width, thread_name_prefix="model server")
        self._raised = raised

    def each(self, ask: Callable[[_In], _Out], items: Iterable[_In], until: float) -> Iterator[_Out]:
        """What `ask` makes of each, in their order. When one fails, or the time is over, no further one is begun."""
        futures = [self._threads.submit(ask, item) for item in items]
        try:
            for future in futures:
                yield future.result(max(0.0, until - time.monotonic()))
        except TimeoutError as error:
            raise self._raised.passing(f"{self._raised.who} did not answer in time.") from error
        finally:
            for future in futures:
                future.cancel()


def batches(texts: Sequence[str], count: int, characters: int) -> list[range]:
    """The texts' numbers in order, as few ranges as can be of at most `count` texts and `characters` characters; a text
    longer than that is alone.
    """
    found: list[range] = []
    start = held = 0
    for number, text in enumerate(texts):
        if number > start and (number - start == count or held + len(text) > characters):
            found.append(range(start, number))
            start, held = number, 0
        held += len(text)
    return [*found, range(start, len(texts))] if texts else []


def in_halves(texts: Sequence[str], ask: Callable[[Sequence[str]], Sequence[_Out]], raised: Raised) -> Sequence[_Out]:
    """What `ask` makes of each text; where the server says that they are too many or too long, by halves of them."""
    try:
        return ask(texts)
    except TooMuch as error:
        if len(texts) < 2:
            said = f"{raised.who} answered with {error.status}: a text is too long for it, or in a form that it refuses"
            raise raised.lasting(f"{said}. Compare `longest` in the settings with its model.") from error
        middle = len(texts) // 2
    return [*in_halves(texts[:middle], ask, raised), *in_halves(texts[middle:], ask, raised)]


def _pause(state: RetryCallState, limits: Limits) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, CoreError) and error.retry_after is not None:
        return max(error.retry_after, _SHORTEST_PAUSE)
    return float(min(0.5 * 2 ** (state.attempt_number - 1), limits.longest_wait)) * random.uniform(0.5, 1)


def _kind(error: httpx.HTTPError | httpx.InvalidURL) -> str:
    """What went wrong, without the address, which may hold what a message must not."""
    if isinstance(error, httpx.TimeoutException):
        return "no answer in time"
    return "the connection failed" if isinstance(error, httpx.TransportError) else type(error).__name__
