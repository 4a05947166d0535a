"""What a webhook delivery of any surface comes to: the comment it names, or why it is ignored. No I/O."""

import hashlib
import hmac
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from bots.answers import fields
from bots.errors import BadEvent, BadSignature, TooOld
from bots.text import one_line

LARGEST_BODY = 10 * 2**20
"""Bytes. A delivery may carry a whole ticket; what is larger than this is left to the poller."""


OLDEST = timedelta(hours=2)
"""Between what a delivery tells of and its arrival. Jira's Cloud tries a delivery again up to five times, for half an
hour, "subject to change" (https://community.developer.atlassian.com/t/30554), after a first one that may be a quarter
of an hour late; four times that. What is older is left to the poller.
"""
AHEAD = timedelta(minutes=5)
"""By which the sender's clock may be before ours."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """A comment that may hold a command, named by a delivery or a poll."""

    surface: str
    place_id: str
    """Of its ticket or page."""
    place_key: str
    """What people call that; empty where the delivery does not say."""
    comment_id: str
    delivery_id: str | None
    """Stable over the platform's own retries; for the log, the key is the comment."""
    event: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """A delivery that asks for nothing."""

    event: str
    reason: str


class Foreign(BaseModel):
    """A part of a delivery."""

    model_config = ConfigDict(coerce_numbers_to_str=True, frozen=True)


M = TypeVar("M", bound=Foreign)


def opened(signature: str, body: bytes, secret: str, *, token: str = "") -> Any:
    """The JSON of a delivery that is signed with the secret: the `sha256=` form of `X-Hub-Signature`, over the raw
    bytes, compared in constant time. A sender that cannot sign gives the secret itself, as `token`.

    Raises BadSignature when it is missing or does not fit (answer 401, store nothing), BadEvent when the body is too
    large or not JSON.
    """
    if len(body) > LARGEST_BODY:
        raise BadEvent(f"The delivery has {len(body)} bytes; the limit is {LARGEST_BODY}.")
    if not secret:
        raise BadSignature("There is no webhook secret to check deliveries with.")
    wanted = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    if not (same(wanted, signature) or same(secret, token)):
        raise BadSignature("The delivery's signature is missing or wrong.")
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as e:
        raise BadEvent("The delivery is not JSON.") from e


def same(wanted: str, given: str) -> bool:
    """Whether a secret is the one that is wanted, which is not empty. Takes as long for a wrong one."""
    return hmac.compare_digest(wanted.encode(), given.strip().encode("utf-8", "replace"))


def check_age(timestamp: Any, now: datetime) -> None:
    """Whether a delivery was made just now: its `timestamp`, in milliseconds since 1970, is signed with the rest.

    Raises TooOld when it was not, BadEvent when it does not say.
    """
    if isinstance(timestamp, bool) or not isinstance(timestamp, int):
        raise BadEvent("The delivery does not say when it was made.")
    try:
        made = datetime.fromtimestamp(timestamp / 1000, UTC)
    except (OverflowError, ValueError, OSError) as e:
        raise BadEvent("The delivery does not say when it was made.") from e
    if not now - OLDEST <= made <= now + AHEAD:
        raise TooOld(f"The delivery was made at {made:%Y-%m-%d %H:%M:%S} UTC; here it is {now:%Y-%m-%d %H:%M:%S}.")


def read(model: type[M], found: Any, what: str, sender: str) -> M:
    """A part of a delivery as the model describes it. Raises BadEvent that names the fields which are wrong."""
    try:
        return model.model_validate(found)
    except ValidationError as e:
        raise BadEvent(f"The delivery's {what} is not as {sender} describes it: {one_line(fields(e), 200)}.") from None
