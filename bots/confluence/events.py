"""A delivery that tells of Confluence's comments -> the comment it names, or why it is ignored. No I/O.

Two senders are understood. Data Center's webhooks sign the raw body with the secret, in `X-Hub-Signature`
(https://developer.atlassian.com/server/confluence/webhooks/). Cloud has webhooks for apps only; there, a rule of
Automation sends a web request, whose body an administrator writes:

    {"event": "comment_created", "comment": {"id": "{{comment.id}}"}, "page": {"id": "{{page.id}}"}}

A rule cannot sign. It sends the secret itself, in the header `X-Automation-Webhook-Token`, which Automation can keep
hidden: so the address has to be https, and the secret one that nothing else uses.

The comment may have its text as well (`"body": {{comment.body.asJsonString}}`): then one without a command costs
nothing.

What is signed says when it was made, and is taken for a while only: whoever has caught it cannot send it for ever. Who
sends the secret itself could write what it likes into the body, so there the time would prove nothing.

Either way a delivery only names a comment. Its text and its page are read by REST before anything is decided.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from bots.command import WORDS, has_trigger_word
from bots.confluence.said import said
from bots.errors import BadEvent
from bots.events import Foreign, Ignored, Noticed, check_age, opened, read, same
from bots.text import one_line

SIGNATURE, TOKEN = "x-hub-signature", "x-automation-webhook-token"

_SENDER = "Confluence"
_TOLD = frozenset({"comment_created", "comment_updated"})
Id = Annotated[str, Field(pattern=r"^[0-9]{1,19}$")]


class _Event(Foreign):
    name: str = Field(alias="event", min_length=1, strict=True)
    comment: Any = None
    page: Any = None
    timestamp: Any = None


class _Page(Foreign):
    id: Id
    title: str = ""


class _Comment(Foreign):
    id: Id
    parent: Any = None
    """The page, as Data Center tells it."""
    body: Any = None


def parse_webhook(
    headers: Mapping[str, str], body: bytes, secret: str, now: datetime, words: Collection[str] = WORDS
) -> Noticed | Ignored:
    """What a delivery asks for.

    Raises BadSignature when neither signature nor token fits (answer 401, store nothing), TooOld when it was signed
    too long before `now` and asks for something, BadEvent when it is too large, not JSON, or lacks what its event must
    have.
    """
    given = {name.lower(): value for name, value in headers.items()}
    found = opened(given.get(SIGNATURE, ""), body, secret, token=given.get(TOKEN, ""))
    event = read(_Event, found, "event", _SENDER)
    name = one_line(event.name, 100)
    if event.name not in _TOLD:
        return Ignored(name, "not about a comment that is there")
    comment = read(_Comment, event.comment, "comment", _SENDER)
    if isinstance(comment.body, str) and not has_trigger_word(said(comment.body), words):
        return Ignored(name, "no trigger word")
    if not same(secret, given.get(TOKEN, "")):  # signed, whatever else it brings
        check_age(event.timestamp, now)
    page = _page(event.page, comment.parent)
    place_id, title = (page.id, one_line(page.title, 300)) if page else ("", "")
    delivery = one_line(given.get("x-request-id", ""), 200) or None
    return Noticed("confluence", place_id, title, comment.id, delivery, name)


def _page(*told: Any) -> _Page | None:
    """The page as far as the delivery names one; a comment knows its own."""
    for one in told:
        try:
            return read(_Page, one, "page", _SENDER)
        except BadEvent:
            continue
    return None
