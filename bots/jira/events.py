"""A webhook delivery of Jira -> the comment it names, or why it is ignored. No I/O.

A delivery only names a comment: its text is shortened or in another markup, and nothing in it says who may see the
comment. Text, trigger word and visibility are read by REST before anything is decided.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bots.errors import BadEvent, BadSignature
from bots.jira.command import WORDS, has_trigger_word
from bots.text import one_line

LARGEST_BODY = 10 * 2**20
"""Bytes. A delivery carries a whole ticket; what is larger than this is left to the poller."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """A comment that may hold the trigger word, named by a delivery or a poll."""

    surface: str
    issue_id: str
    issue_key: str
    """Empty where the delivery does not say (Data Center)."""
    comment_id: str
    delivery_id: str | None
    """Stable over Jira's own retries; for the log, the key is the comment."""
    event: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """A delivery that asks for nothing."""

    event: str
    reason: str


Id = Annotated[str, Field(pattern=r"^[0-9]{1,19}$")]
Key = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,254}-[0-9]{1,19}$")]


class _Foreign(BaseModel):
    model_config = ConfigDict(coerce_numbers_to_str=True, frozen=True)


M = TypeVar("M", bound=_Foreign)


class _Issue(_Foreign):
    id: Id
    key: Key


class _Comment(_Foreign):
    id: Id
    address: str = Field("", alias="self")
    body: Any = None


class _Event(_Foreign):
    name: str = Field(alias="webhookEvent", min_length=1, strict=True)
    kind: str | None = Field(None, alias="issue_event_type_name")
    issue: Any = None
    comment: Any = None


def parse_webhook(
    headers: Mapping[str, str], body: bytes, secret: str, words: Collection[str] = WORDS
) -> Noticed | Ignored:
    """What a delivery asks for.

    Raises BadSignature when `X-Hub-Signature` is missing or does not fit the raw bytes (answer 401, store nothing),
    BadEvent when it is too large, not JSON, or lacks what its event must have.
    """
    given = {name.lower(): value for name, value in headers.items()}
    if len(body) > LARGEST_BODY:
        raise BadEvent(f"The delivery has {len(body)} bytes; the limit is {LARGEST_BODY}.")
    _verify(given.get("x-hub-signature", ""), body, secret)
    event = _parsed(_Event, _json(body), "event")
    name = one_line(event.name, 100)
    if event.name not in _EVENTS:
        return Ignored(name, "not about a comment that is there" if event.name in _KNOWN else "unknown event")
    reason = _EVENTS[event.name](event, words)
    if reason is not None:
        return Ignored(name, reason)
    comment = _parsed(_Comment, event.comment, "comment")
    issue_id, issue_key = _ticket(event, comment)
    return Noticed("jira", issue_id, issue_key, comment.id, _delivery_id(given), name)


def _verify(signature: str, body: bytes, secret: str) -> None:
    """The `sha256=` form of the WebSub signature that Jira sends, in constant time."""
    if not secret:
        raise BadSignature("There is no webhook secret to check deliveries with.")
    wanted = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(wanted.encode(), signature.strip().encode("utf-8", "replace")):
        raise BadSignature("The delivery's signature is missing or wrong.")


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as e:
        raise BadEvent("The delivery is not JSON.") from e


def _parsed(model: type[M], found: Any, what: str) -> M:
    try:
        return model.model_validate(found)
    except ValidationError as e:
        where = ", ".join(sorted({".".join(map(str, error["loc"])) or "all of it" for error in e.errors()}))
        raise BadEvent(f"The delivery's {what} is not as Jira describes it: {one_line(where, 200)}.") from e


def _delivery_id(headers: Mapping[str, str]) -> str | None:
    return one_line(headers.get("x-atlassian-webhook-identifier", ""), 200) or None


def _ticket(event: _Event, comment: _Comment) -> tuple[str, str]:
    """Id and key. A comment event of Data Center names the ticket in the comment's own address only."""
    if event.issue is not None:
        issue = _parsed(_Issue, event.issue, "ticket")
        return issue.id, issue.key
    found = re.search(r"/issue/([0-9]{1,19})/comment/", comment.address)
    if found is None:
        raise BadEvent("The delivery does not say which ticket its comment belongs to.")
    return found[1], ""


def _commented(event: _Event, words: Collection[str]) -> str | None:
    """Why the comment need not be read. A text that is not there, or in another format, proves nothing."""
    text = event.comment.get("body") if isinstance(event.comment, Mapping) else None
    return "no trigger word" if isinstance(text, str) and not has_trigger_word(text, words) else None


def _updated(event: _Event, words: Collection[str]) -> str | None:
    """A change of the ticket may carry the comment that was written with it, or the one that was deleted."""
    if event.comment is None:
        return "no comment"
    return "comment deleted" if event.kind == "issue_comment_deleted" else _commented(event, words)


_EVENTS: Mapping[str, Callable[[_Event, Collection[str]], str | None]] = {
    "comment_created": _commented,
    "comment_updated": _commented,
    "jira:issue_updated": _updated,
}
"""Event -> why it is ignored, or None when its comment is to be read."""

_KNOWN = frozenset(
    {
        "comment_deleted",
        "jira:issue_created",
        "jira:issue_deleted",
        "issuelink_created",
        "issuelink_deleted",
        "issue_property_set",
        "issue_property_deleted",
        "attachment_created",
        "attachment_deleted",
        "worklog_created",
        "worklog_updated",
        "worklog_deleted",
        "jira:worklog_updated",
    }
)
