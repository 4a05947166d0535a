"""Whether the judges agree, and whether it matters to them what they are shown first."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from statistics import fmean

from evals.accuracy.scores import BASELINE, CROSSCHECK, FEWEST, WORTH, Ticket, score
from evals.accuracy.types import ARMS, Verdict
from evals.harness.intervals import Interval, overall
from evals.harness.types import Counted, Values

NOT_SHOWN = "not shown"
"""What an empty patch is called, which no judge saw."""
FIRST = "patch 1"


def shown(ticket: Ticket) -> Iterator[dict[str, Verdict]]:
    """What judges judged, a patch at a time, by judge: without what is so by rule, and what is the same once."""
    seen = set()
    for arm in ARMS:
        found = {}
        for one in ticket.verdicts[arm]:
            if one.shown_as != NOT_SHOWN and (one.judge, one.shown_as) not in seen:
                seen.add((one.judge, one.shown_as))
                found[one.judge] = one
        if found:
            yield found


def ratings(tickets: Iterable[Ticket]) -> dict[str, list[list[float]]]:
    """By ticket, what each criterion of each patch is worth to the judges that judged it: as
    `evals.harness.agreement` takes them for Krippendorff's alpha.
    """
    return {
        ticket.task.id: [
            [WORTH[verdict.met[criterion.id]] for verdict in one.values()]
            for one in shown(ticket)
            for criterion in ticket.criteria
        ]
        for ticket in tickets
    }


def agreed(tickets: Iterable[Ticket], judges: Sequence[str]) -> Values:
    """By ticket, verdicts of two of these judges on the same criterion that are the same, of all such pairs."""
    found = {}
    for ticket in tickets:
        pairs = [
            one[first].met[name] == one[second].met[name]
            for one in shown(ticket)
            for first, second in combinations(judges, 2)
            if first in one and second in one
            for name in one[first].met
        ]
        if pairs:
            found[ticket.task.id] = Counted(sum(pairs), len(pairs))
    return found


def shown_first(tickets: Iterable[Ticket]) -> Interval | None:
    """How much higher the patch that is shown first scores for that alone. None where fewer than `FEWEST` tickets were
    seen in both orders.

    Crosscheck's arm is ahead by its gain plus this where it is shown first, by its gain less this where it is second;
    so this is half of how much those differ. They are those of one ticket, whose judges drew different orders: tickets
    differ by their gains far more than by this.
    """
    found = {}
    for ticket in tickets:
        ahead = list(_ahead(ticket))
        first, second = ([gained for gained, is_first in ahead if is_first == place] for place in (True, False))
        if first and second:
            found[ticket.task.id] = Counted((fmean(first) - fmean(second)) / 2)
    return overall(found, share=False) if len(found) >= FEWEST else None


def _ahead(ticket: Ticket) -> Iterator[tuple[float, bool]]:
    """For each judge that saw both patches: how far ahead Crosscheck's arm is, and whether it was shown first."""
    for theirs, ours in zip(ticket.verdicts[BASELINE], ticket.verdicts[CROSSCHECK], strict=True):
        if NOT_SHOWN not in {ours.shown_as, theirs.shown_as} and ours.shown_as != theirs.shown_as:
            yield score(ours) - score(theirs), ours.shown_as == FIRST
