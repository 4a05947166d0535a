"""Results that rest on nothing which their audience may not read now."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Protocol, TypeVar

import structlog

from core.errors import SourceUnavailable
from core.types import Audience, Metrics
from crosscheck.sources import source_of
from review.reading import all_of
from review.types import Unknown

log = structlog.get_logger(__name__)

Labels = Mapping[str, frozenset[str] | None]
"""Access labels by document id; None: gone or unreadable."""
LabelsNow = Callable[[Iterable[str]], Labels]
"""Document ids -> access labels as the sources give them now."""

ROUNDS = 3  # what is made again more often than that means that something else is wrong

LEFT_OUT = Unknown(
    "Something that was found is not there any more, or could not be read just now; it was left out.",
    "Asking again later.",
)


class Made(Protocol):
    """A review, an answer, a draft: a dataclass whose `unknowns` can be added to."""

    @property
    def audience(self) -> Audience: ...
    @property
    def rests_on(self) -> frozenset[str]: ...
    @property
    def read_live(self) -> frozenset[str]: ...
    @property
    def unknowns(self) -> tuple[Unknown, ...]: ...
    @property
    def degraded(self) -> tuple[str, ...]: ...


M = TypeVar("M", bound=Made)


def assured(make: Callable[[frozenset[str]], M], labels_now: LabelsNow, metrics: Metrics) -> M:
    """What `make` makes without the documents it is given, such that all it rests on is readable for its audience.

    The index may be behind: what the sources themselves say is closed is left out, and the result made again. Of what
    is closed to this audience nothing is said; that something could not be read is.

    Raises SourceUnavailable when the sources change again and again meanwhile.
    """
    closed: frozenset[str] = frozenset()
    unread: set[str] = set()
    for number in range(ROUNDS):
        made = make(closed)
        lost = unreadable(made.rests_on - made.read_live, made.audience, labels_now)
        if not lost:
            return replace(made, unknowns=(*made.unknowns, LEFT_OUT)) if unread else made  # type: ignore[type-var]  # a protocol cannot say: a dataclass
        now_unread = {name for name, labels in lost.items() if labels is None}
        if number > 0:  # a source that does not answer has more documents than there are rounds
            closed |= {all_of(source_of(name)) for name in now_unread}
        unread |= now_unread
        metrics.count("crosscheck_visibility_refusals_total", len(lost), step="review")
        log.warning("made again", documents=len(lost), reason="not readable for the audience any more")
        closed |= lost.keys()
    raise SourceUnavailable("The sources changed again and again while they were read.")


def unreadable(documents: Iterable[str], audience: Audience, labels_now: LabelsNow) -> dict[str, frozenset[str] | None]:
    """Those of the documents that this audience may not read now, with their labels."""
    wanted = sorted(documents)
    labels = labels_now(wanted) if wanted else {}
    return {name: labels.get(name) for name in wanted if not audience.may_read(labels.get(name) or ())}
