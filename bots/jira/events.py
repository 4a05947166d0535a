"""A webhook delivery of Jira -> the comment it names, or why it is ignored. No I/O.

A delivery only names a comment: its text is shortened or in another markup, and nothing in it says who may see the
comment. Text, trigger word and visibility are read by REST before anything is decided.
"""

import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from bots.command import WORDS, has_trigger_word
from bots.errors import BadEvent
from bots.events import Foreign, Ignored, Noticed, check_age, opened, read
from bots.text import one_line

_JIRA = "Jira"
Id = Annotated[str, Field(pattern=r"^[0-9]{1,19}$")]
Key = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,254}-[0-9]{1,19}$")]


class _Issue(Foreign):
    id: Id
    key: Key


class _Comment(Foreign):
    id: Id
    address: str = Field("", alias="self")
    body: Any = None


class _Event(Foreign):
    name: str = Field(alias="webhookEvent", min_length=1, strict=True)
    kind: str | None = Field(None, alias="issue_event_type_name")
    issue: Any = None
    comment: Any = None
    timestamp: Any = None


def parse_webhook(
    headers: Mapping[str, str], body: bytes, secret: str, now: datetime, words: Collection[str] = WORDS
) -> Noticed | Ignored:
    """What a delivery asks for.

    Raises BadSignature when `X-Hub-Signature` is missing or does not fit the raw bytes (answer 401, store nothing),
    TooOld when it was made too long before `now` and asks for something, BadEvent when it is too large, not JSON, or
    lacks what its event must have.
    """
    given = {name.lower(): value for name, value in headers.items()}
    event = read(_Event, opened(given.get("x-hub-signature", ""), body, secret), "event", _JIRA)
    name = one_line(event.name, 100)
    if event.name not in _EVENTS:
        return Ignored(name, "not about a comment that is there" if event.name in _KNOWN else "unknown event")
    reason = _EVENTS[event.name](event, words)
    if reason is not None:
        return Ignored(name, reason)
    comment = read(_Comment, event.comment, "comment", _JIRA)
    issue_id, issue_key = _ticket(event, comment)
    check_age(event.timestamp, now)
    return Noticed("jira", issue_id, issue_key, comment.id, _delivery_id(given), name)


def _delivery_id(headers: Mapping[str, str]) -> str | None:
    return one_line(headers.get("x-atlassian-webhook-identifier", ""), 200) or None


def _ticket(event: _Event, comment: _Comment) -> tuple[str, str]:
    """Id and key. A comment event of Data Center names the ticket in the comment's own address only."""
    if event.issue is not None:
        issue = read(_Issue, event.issue, "ticket", _JIRA)
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
