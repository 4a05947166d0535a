"""What an answer of Jira or Confluence that is no success means to us. No I/O."""

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from bots.errors import BotError, Gone, NotAllowed, Rejected, Unavailable, Uncertain
from bots.text import one_line

_LONGEST_WAIT = 3600.0
# "Too early" and "too many requests" say that the request was not acted on, and may be sent again.
_LATER = frozenset({425, 429})
# The other statuses by which a server says that it did not do what was asked, as registered
# (https://www.iana.org/assignments/http-status-codes). Not 408: a gateway sends it after a whole request, too.
_REFUSALS = frozenset({*range(400, 408), *range(409, 418), 421, 422, 423, 424, 426, 428, 431, 451})
_DENIED_LOGIN = re.compile(r"AUTHENTICAT(?:ED_FAILED|ION_DENIED)")
_LEVEL_FIELDS = frozenset({"commentLevel", "visibility"})
_PERMISSION = re.compile(r"\bpermissions?\b", re.IGNORECASE)  # what Jira answers 400 for, beside 403
_LEVEL_WORDS = re.compile(r"\b(?:role|group|visibility)\b", re.IGNORECASE)


def login_denied(headers: Mapping[str, str]) -> bool:
    """Whether the request was taken for a stranger's, as it does with a token that has expired or was revoked.

    It then answers by what everybody may see: 404 for most, 200 for a search that finds nothing.
    """
    return _DENIED_LOGIN.search(headers.get("X-Seraph-LoginReason", "")) is not None


def failure(
    product: str, status: int, headers: Mapping[str, str], content: bytes, *, what: str, needs: str, writes: bool
) -> BotError:
    """The error for a status that is no success, of Jira or Confluence (`product`).

    `what` completes "Jira refused to ...", `needs` names the permission it takes. A write is Uncertain unless the
    status says that nothing was done.
    """
    said = _said(content)
    reason = f": {said}" if said else ""
    if status in _LATER:
        return Unavailable(f"{product} could not {what} ({status}){reason}", retry_after=retry_after(headers))
    if status not in _REFUSALS:
        return _undecided(product, status, headers, what=what, reason=reason, writes=writes)
    if status == 404 and not _payload(content):
        # A server that is starting, or a proxy without one behind it: what is asked for may well be there.
        return Unavailable(f"{product} could not {what}: the answer (404) is not {product}'s own", retry_after=None)
    if status == 404:
        return Gone(f"{product} could not {what}: it is not there, or not for the bot to see")
    if status == 401:
        return NotAllowed(f"{product} does not accept the bot's user and token (401), so it could not {what}")
    if status == 403:
        return NotAllowed(f"{product} refused to {what} (403); it takes the permission {needs}{reason}")
    if status == 400 and _PERMISSION.search(said):
        return NotAllowed(f"{product} refused to {what} ({status}); it takes the permission {needs}{reason}")
    if writes and _is_about_level(content):
        return NotAllowed(
            f"{product} refused to show the comment to these people only ({status}); it takes {needs}{reason}"
        )
    return Rejected(f"{product} refused to {what} ({status}){reason}")


def _undecided(
    product: str, status: int, headers: Mapping[str, str], *, what: str, reason: str, writes: bool
) -> BotError:
    """The error for a status that leaves open whether the request was acted on."""
    again = retry_after(headers)
    if 300 <= status < 400:
        elsewhere = f"it sends the bot elsewhere ({status}); is the site's address right?"
        if writes:
            return Uncertain(f"{product} was to {what}, but {elsewhere}", retry_after=again)
        return NotAllowed(f"{product} could not {what}: {elsewhere}")
    if writes:
        return Uncertain(f"{product} failed while it was to {what} ({status}){reason}", retry_after=again)
    return Unavailable(f"{product} could not {what} ({status}){reason}", retry_after=again)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, as `Retry-After` says by number or by date; None without it or when it makes no sense."""
    value = headers.get("Retry-After", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        seconds = _until(value)
    return min(max(seconds, 0.0), _LONGEST_WAIT) if math.isfinite(seconds) else None


def _until(date: str) -> float:
    try:
        at = parsedate_to_datetime(date)
    except (ValueError, OverflowError):
        return math.nan
    return ((at if at.tzinfo else at.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds()


def _payload(content: bytes) -> dict[str, Any]:
    try:
        payload = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}


def _messages(payload: Mapping[str, Any]) -> list[str]:
    listed, fields = payload.get("errorMessages"), payload.get("errors")
    single = payload.get("message") or payload.get("errorMessage")
    found = [
        *(listed if isinstance(listed, list) else []),
        *(fields.values() if isinstance(fields, dict) else []),
        single,
    ]
    return [message for message in found if isinstance(message, str) and message]


def _said(content: bytes) -> str:
    return one_line("; ".join(_messages(_payload(content))), 300)


def _is_about_level(content: bytes) -> bool:
    payload = _payload(content)
    fields = payload.get("errors")
    if isinstance(fields, dict) and not _LEVEL_FIELDS.isdisjoint(fields):
        return True
    return any(_LEVEL_WORDS.search(message) for message in _messages(payload))
