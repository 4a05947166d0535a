"""The one place where a foreign HTTP answer becomes ours: errors mapped, size and waiting bounded, reads repeated."""

import json
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Protocol, TypeVar

import requests
from requests.adapters import HTTPAdapter
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from core.errors import SourceError, SourceForbidden, SourceGone, SourceUnavailable

_T = TypeVar("_T")
_SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)
_EPOCH = re.compile(r"[0-9]{1,11}")
_LONGEST_TOLD = 86_400.0  # seconds; a server that asks for more is not believed
_PASSING = frozenset({408, 425, 429})
_DENIED_LOGIN = re.compile(r"AUTHENTICAT(?:ED_FAILED|ION_DENIED)")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is taken from a source, and how long it is waited for."""

    attempts: int = 4
    longest_wait: float = 30.0
    """Seconds between two attempts; when told to wait longer, the error is raised with `retry_after` instead."""
    answer_bytes: int = 64_000_000
    answer_seconds: float = 120.0
    """For a whole answer."""
    silence_seconds: float = 20.0
    """Without a byte."""


Params = Mapping[str, str | list[str]]
"""Query parameters; a list is given as several of the same name."""


class Send(Protocol):
    """One request by a vendor's client, its answer as it came, whatever the status."""

    def __call__(self, method: str, path: str, params: Params, body: dict[str, Any] | None) -> requests.Response: ...


class Http:
    """Reads of one source. Nothing here writes, so everything may be repeated.

    Raises SourceGone (404, 410), SourceForbidden (401, 403 and what the source takes for malformed),
    SourceUnavailable (429, 5xx, no connection, no JSON; with `retry_after` when told), SourceError (an answer too large
    or nested too deeply to be read).
    """

    def __init__(self, send: Send, source: str, limits: Limits, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._send = send
        self._source = source
        self._limits = limits
        self._sleep = sleep

    def get(self, path: str, params: Params | None = None) -> Any:
        return self._repeated(self._json, "GET", path, params or {}, None)

    def query(self, path: str, body: dict[str, Any]) -> Any:
        """A POST that only reads, such as a search."""
        return self._repeated(self._json, "POST", path, {}, body)

    def content(self, path: str, params: Params | None = None) -> bytes:
        """A file as it is."""
        return self._repeated(self._once, "GET", path, params or {}, None)

    def _repeated(
        self, once: Callable[..., _T], method: str, path: str, params: Params, body: dict[str, Any] | None
    ) -> _T:
        attempts = Retrying(
            stop=stop_after_attempt(self._limits.attempts),
            wait=self._pause,
            retry=retry_if_exception(self._worth_waiting),
            sleep=self._sleep,
            reraise=True,
        )
        return attempts(once, method, path, params, body)

    def _worth_waiting(self, error: BaseException) -> bool:
        return isinstance(error, SourceUnavailable) and (error.retry_after or 0) <= self._limits.longest_wait

    def _pause(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, SourceUnavailable) and error.retry_after is not None:
            return max(error.retry_after, 0.1)
        return float(min(0.5 * 2 ** (state.attempt_number - 1), self._limits.longest_wait)) * random.uniform(0.5, 1)

    def _json(self, method: str, path: str, params: Params, body: dict[str, Any] | None) -> Any:
        content = self._once(method, path, params, body, page=False)
        try:
            return json.loads(content)
        except ValueError as error:
            raise SourceUnavailable(f"{self._source} answered {path} with something that is not JSON") from error
        except RecursionError as error:
            raise SourceError(f"{self._source} answered {path} with JSON that is nested too deeply") from error

    def _once(self, method: str, path: str, params: Params, body: dict[str, Any] | None, *, page: bool = True) -> bytes:
        """Where no `page` can be the answer, one that says 404 is not the source's: its server may be starting."""
        try:
            response = self._send(method, path, params, body)
        except AnswerTooLarge as error:
            raise SourceError(f"{self._source} answered {path} with more than {error.most} bytes") from error
        except requests.RequestException as error:
            raise SourceUnavailable(f"{self._source} could not be reached for {path}: {_kind(error)}") from error
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if response.status_code == 404 and is_page and not page:
            raise SourceUnavailable(f"The server of {self._source} answered {path} with a page that says 404")
        self._judge(response, path)
        return response.content

    def _judge(self, response: requests.Response, path: str) -> None:
        status = response.status_code
        if _DENIED_LOGIN.search(response.headers.get("X-Seraph-LoginReason", "")):
            raise SourceForbidden(f"{self._source} does not accept the user and token")
        if status < 300:
            return
        said = f"{self._source} answered {path} with {status}"
        if status in {404, 410}:
            raise SourceGone(said)
        if status in _PASSING or status >= 500 or (status == 403 and is_rate_limit(response.headers)):
            raise SourceUnavailable(said, retry_after=_wait(response.headers))
        if status < 400:
            raise SourceForbidden(f"{said}: it sends us elsewhere, so its address in the settings may be wrong")
        raise SourceForbidden(f"{said}{_reason(response.content)}")


class AnswerTooLarge(requests.RequestException):
    """The answer was cut off at its limit."""

    def __init__(self, most: int) -> None:
        super().__init__(f"more than {most} bytes")
        self.most = most


class BoundedAdapter(HTTPAdapter):
    """Cuts off an answer that is too large or takes too long. Mounted on a vendor's session."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(max_retries=0)
        self._limits = limits

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        until = time.monotonic() + self._limits.answer_seconds
        response = super().send(request, *args, **kwargs)
        response.raw = _BoundedBody(response.raw, self._limits.answer_bytes, until)
        return response


class _BoundedBody:
    """A response's raw body, with its end watched."""

    def __init__(self, raw: Any, most: int, until: float) -> None:
        self._raw = raw
        self._most = most
        self._until = until

    def stream(self, amount: int, decode_content: bool | None = None) -> Iterator[bytes]:
        size = 0
        for block in self._raw.stream(amount, decode_content=decode_content):
            size += len(block)
            if size > self._most:
                self._raw.close()
                raise AnswerTooLarge(self._most)
            if time.monotonic() > self._until:
                self._raw.close()
                raise requests.ReadTimeout("the answer did not end in time")
            yield block

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)


def bound(session: requests.Session, site: str, limits: Limits) -> None:
    """Put the limits on a vendor's session, and settle proxies and certificates for its site.

    The environment is read once: looking through it took an eighth of a job's time when done for each request.
    """
    environment = session.merge_environment_settings(site, {}, None, None, None)
    session.proxies, session.verify, session.cert = environment["proxies"], environment["verify"], environment["cert"]
    session.trust_env = False  # nor does a .netrc replace the token then
    for scheme in ("http://", "https://"):
        session.mount(scheme, BoundedAdapter(limits))


def retry_after(header: str | None, now: datetime | None = None) -> float | None:
    """Seconds to wait by a Retry-After header, which holds seconds or a date; None for junk.

    https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
    """
    text = (header or "").strip()
    if _SECONDS.fullmatch(text):
        return min(float(text), _LONGEST_TOLD)
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max((at - (now or datetime.now(UTC))).total_seconds(), 0.0), _LONGEST_TOLD)


def is_rate_limit(headers: Mapping[str, str]) -> bool:
    """GitHub refuses what is too much with 403 as well.

    https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """
    return "Retry-After" in headers or headers.get("X-RateLimit-Remaining", "").strip() == "0"


def _wait(headers: Mapping[str, str]) -> float | None:
    """Seconds until a source is to be asked again, if it says so: the time at which a quota begins anew counts only
    where there is no Retry-After.
    """
    if "Retry-After" in headers:
        return retry_after(headers["Retry-After"])
    at = headers.get("X-RateLimit-Reset", "").strip()
    if not _EPOCH.fullmatch(at) or headers.get("X-RateLimit-Remaining", "").strip() != "0":
        return None
    return min(max(float(at) - time.time(), 0.0), _LONGEST_TOLD)


def _kind(error: Exception) -> str:
    """What went wrong, without the address, which may hold what a message must not."""
    if isinstance(error, requests.Timeout):
        return "no answer in time"
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate was not accepted"
    return "the connection failed" if isinstance(error, requests.ConnectionError) else type(error).__name__


def _reason(content: bytes) -> str:
    """Jira's or Confluence's own words for a refusal, cut short."""
    try:
        said = json.loads(content[:100_000])
    except (ValueError, RecursionError):
        return ""
    if not isinstance(said, dict):
        return ""
    messages = said.get("errorMessages")
    text = messages[0] if isinstance(messages, list) and messages else said.get("message")
    return f": {text[:300]}" if isinstance(text, str) else ""
