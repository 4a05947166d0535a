"""What the gain costs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from evals.accuracy.scores import BASELINE, CROSSCHECK, Ticket, gain
from evals.accuracy.types import Spent
from evals.harness.intervals import Interval, overall
from evals.harness.told import shown, shown_interval
from evals.harness.types import Counted, Unit, Values

POINT = 0.01
"""Of score."""


Took = Callable[[Spent], float | None]
_KINDS: tuple[tuple[str, Unit, Took], ...] = (
    ("output tokens", "tokens", lambda it: it.tokens_out),
    ("US dollars", "dollars", lambda it: it.dollars),
)


@dataclass(frozen=True, slots=True)
class Price:
    """What Crosscheck's arm takes beyond the baseline's."""

    of: str
    unit: Unit
    extra: Interval
    """A ticket."""
    per_point: Interval | None
    """For each point of score that is gained; None where the gain is not beyond noise."""


def prices(tickets: Sequence[Ticket], gained: Interval) -> Iterator[Price]:
    """In output tokens, and in US dollars where they are known."""
    for of, unit, took in _KINDS:
        more = beyond(tickets, took)
        found = overall(more, share=False)
        if found:
            yield Price(of, unit, found, _per_point(tickets, more) if gained.low > 0 else None)


def beyond(tickets: Sequence[Ticket], took: Took) -> Values:
    """By ticket, what Crosscheck's arm took beyond the baseline's; a ticket of which it is not known is not there."""
    found = {}
    for ticket in tickets:
        ours, theirs = took(ticket.attempts[CROSSCHECK].spent), took(ticket.attempts[BASELINE].spent)
        if ours is not None and theirs is not None:
            found[ticket.task.id] = Counted(ours - theirs)
    return found


def said(priced: Sequence[Price], gained: Interval) -> str:
    """In a sentence or two."""
    more = " and ".join(f"{shown_interval(one.extra, one.unit)}" for one in priced)
    taken = f"Crosscheck's arm takes {more} a ticket beyond the baseline's."
    if gained.low <= 0:
        return f"{taken} The gain has no price, since there is no gain beyond noise."
    points = " and ".join(shown(one.per_point.value, one.unit) for one in priced if one.per_point)
    return f"{taken} Each {POINT} of score gained costs {points}."


def _per_point(tickets: Sequence[Ticket], more: Values) -> Interval | None:
    """The sum of what was taken over the sum of what was gained; resamples without a gain are left out."""
    values = {
        ticket.task.id: Counted(more[ticket.task.id].part, gain(ticket) / POINT)
        for ticket in tickets
        if ticket.task.id in more
    }
    found = overall(values, share=False)
    return replace(found, n=len(values)) if found else None
