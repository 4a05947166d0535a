"""A reply's parts as they wait in the outbox."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.types import Audience
from state.types import Claim, NewPost

NOBODY = Audience(frozenset())
"""What a text without any source was made for."""


def posts(
    claim: Claim,
    bodies: Sequence[Mapping[str, Any]],
    *,
    answer: str,
    made_for: Audience,
    rests_on: Iterable[str],
    held: bool,
    first: Mapping[str, Any] | None = None,
) -> list[NewPost]:
    """One post for each body, in order. `answer` tells a job's answer from its notices: it is part of the delivery key.

    The payload holds all that the delivery must check again: for whom the text was made, and what it rests on. `first`
    is for the payload of the first part alone.
    """
    shared = {**claim.payload, "rests_on": sorted(rests_on), "made_for": sorted(made_for.labels)}
    return [
        NewPost(
            delivery_key=f"{claim.key}|{answer}|{part}",
            part=part,
            parts=len(bodies),
            payload={**shared, **((first or {}) if part == 1 else {}), "body": dict(body)},
            held=held,
        )
        for part, body in enumerate(bodies, 1)
    ]
