"""What the gain costs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from evals.accuracy.scores import BASELINE, CROSSCHECK, FEWEST, Ticket, gain
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
            yield Price(of, unit, found, _per_point(tickets, more) if _is_gain(gained) else None)


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
    if gained.n < FEWEST:
        return f"{taken} The gain has no price: fewer than {FEWEST} tickets cannot tell one from noise."
    if not _is_gain(gained):
        return f"{taken} The gain has no price, since there is no gain beyond noise."
    points = " and ".join(shown(one.per_point.value, one.unit) for one in priced if one.per_point)
    if not points:
        return f"{taken} The gain has no price, since the tickets whose spending is known show no gain beyond noise."
    return f"{taken} Each {POINT} of score gained costs {points}."


def _is_gain(gained: Interval | None) -> bool:
    return gained is not None and gained.low > 0 and gained.n >= FEWEST


def _per_point(tickets: Sequence[Ticket], more: Values) -> Interval | None:
    """The sum of what was taken over the sum of what was gained; resamples without a gain are left out. None where
    those tickets of which it is known what they took gain nothing beyond noise.
    """
    gains = {ticket.task.id: gain(ticket) / POINT for ticket in tickets if ticket.task.id in more}
    if not _is_gain(overall({name: Counted(gained) for name, gained in gains.items()}, share=False)):
        return None
    found = overall({name: Counted(more[name].part, gained) for name, gained in gains.items()}, share=False)
    return replace(found, n=len(gains)) if found else None
