"""`#qa-check dismiss 2: reason`: which points of which review are set aside, and what the person is told."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from bots.outline import Bullets, Outline, Words, words
from crosscheck.memory import Memory
from crosscheck.types import Request
from review.dismissal import Dismissal
from review.previous import documents, previous_of
from review.types import Finding
from state.types import Dismissed

SKEW = timedelta(minutes=1)
"""By how much a platform's clock may be behind ours: a review posted later than that after the comment is not meant."""

NO_REVIEW = (
    "There is no earlier review here that everybody who can read this comment was shown, so there is nothing to set "
    "aside. To ask for one, write the command in a new comment, with nothing after it."
)


@dataclass(frozen=True, slots=True)
class Aside:
    """What is done about a dismissal."""

    outline: Outline
    dismissed: tuple[Dismissed, ...] = ()
    rests_on: frozenset[str] = frozenset()
    """Ids of the documents whose words stand in the outline."""


def set_aside(wish: Dismissal, request: Request, memory: Memory) -> Aside:
    """The points of the last review that was told to nobody beyond the comment's own readers."""
    trigger = request.trigger
    subject = memory.subject(request.document_id)
    last = memory.last(request.document_id, request.audience.labels, trigger.created + SKEW)
    if last is None:
        return Aside((words(NO_REVIEW),))
    told = previous_of(last)
    missing = [number for number in wish.numbers if told.numbered(number) is None]
    if missing:
        return Aside((words(_no_such(missing, len(told.findings))),))
    chosen = {number: told.findings[number - 1] for number in wish.numbers}
    dismissed = tuple(
        Dismissed(subject, finding.fingerprint, wish.reason, trigger.author, trigger.comment_id, trigger.created)
        for finding in chosen.values()
    )
    # What was set aside before the review and stands in it all the same is set aside no more.
    since = (one for one in memory.dismissals(request.document_id) if one.at + SKEW >= told.told_at)
    gone = {one.fingerprint for one in (*dismissed, *since)}
    left = sum(finding.fingerprint not in gone for finding in told.findings)
    return Aside(_confirmation(chosen, left, len(told.findings)), dismissed, documents(chosen.values()))


def _confirmation(chosen: dict[int, Finding], left: int, total: int) -> Outline:
    stays = "stays" if left == 1 else "stay"
    stay = f"{left} of that review's {total} points {stays}." if left else "No other point of that review is left."
    points = tuple((Words(f"{number}. {finding.statement}"),) for number, finding in sorted(chosen.items()))
    return (
        words("Set aside, as long as your comment stands:"),
        Bullets(points),
        words(f"{stay} The next review lists what was set aside, with the comment that did it."),
    )


def _no_such(missing: Iterable[int], total: int) -> str:
    named = ", ".join(map(str, missing))
    has = "has no points" if total == 0 else f"has the points 1 to {total}" if total > 1 else "has one point"
    return f"The last review {has}, so {named} cannot be set aside. Nothing was changed."
