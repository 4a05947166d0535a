"""An accuracy run as measurements, one a set and candidate, with what the report draws.

Every measurement has part `accuracy`, set = the repository's or the tracker's name, way = the candidate's label, and
these figures. An interval is `{"value", "low", "high", "n"}` (95 %), or None where nothing is known; scores are 0 to 1.

`wins`    each ticket's score in both arms, the largest gain first:
          {"tickets": [{"ticket": id, "title", "baseline": score, "crosscheck": score}]}
`judges`  whether the judges agree, and whether the gain holds for each of them:
          {"alpha": interval of Krippendorff's alpha,
           "pairs": [{"judges": [label, label], "same": interval of a share}],
           "gains": [{"judge": label, "gain": interval}], "shown_first": interval of a score's difference}
`arms`    what each arm reached and took, per ticket, and what the gain costs:
          {"arms": [{"arm": "baseline" | "crosscheck", "score": interval, "tokens_out": interval,
                     "requests": interval, "seconds": interval, "dollars": interval}],
           "gain": interval, "price": [{"of": "output tokens" | "US dollars", "extra": interval per ticket,
                                        "per_point": interval for 0.01 of score}],
           "price_said": sentence}
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from evals.accuracy import price
from evals.accuracy.agreement import NOT_SHOWN, agreed, ratings, shown_first
from evals.accuracy.scores import BASELINE, CROSSCHECK, FEWEST, Ticket, Wins, fully_met, gain, of_arm, wins
from evals.accuracy.types import Arm, Spent
from evals.harness.agreement import agreement
from evals.harness.intervals import Interval, overall
from evals.harness.told import shown_difference
from evals.harness.types import Counted, Failure, Figure, Measurement, Metric, Unit, Values

_IN_ORDER: tuple[Arm, Arm] = (CROSSCHECK, BASELINE)
_NAMED = 10  # tickets that a sentence names


@dataclass(frozen=True, slots=True)
class _Took:
    """Something that an attempt takes."""

    name: str
    about: str
    unit: Unit
    of: Callable[[Spent], float | None]


_TOOK = (
    _Took("output tokens", "Tokens that the model wrote, a ticket", "tokens", lambda it: it.tokens_out),
    _Took("requests", "Times that the model was asked, a ticket", "calls", lambda it: it.requests),
    _Took("seconds", "How long an attempt took, a ticket", "seconds", lambda it: it.seconds),
    _Took("dollars", "What the model cost, a ticket", "dollars", lambda it: it.dollars),
)


def measurement(
    name: str,
    candidate: str,
    tickets: Sequence[Ticket],
    judges: Sequence[str],
    *,
    failures: Sequence[Failure] = (),
    notes: Sequence[str] = (),
    made_with: Mapping[str, str] | None = None,
) -> Measurement:
    """One candidate on one set of tasks. Only tickets that all judges judged in both arms are compared."""
    compared = [ticket for ticket in tickets if ticket.whole(judges)]
    columns = list(_columns(compared, judges)) + list(_of_judges(tickets, compared, judges))
    values = {metric.name: found for metric, found in columns if found}
    return Measurement(
        part="accuracy",
        set=name,
        way=candidate,
        metrics=tuple(metric for metric, found in columns if found),
        values=values,
        failures=tuple(failures),
        notes=(*_left_out(tickets, compared, judges), *_said(tickets, compared), *notes),
        made_with=made_with or {},
        figures=tuple(_figures(tickets, compared, judges)) if compared else (),
    )


def _columns(tickets: Sequence[Ticket], judges: Sequence[str]) -> Iterator[tuple[Metric, Values]]:
    """What both arms reached, and what they took."""
    for arm in _IN_ORDER:
        about = "Criteria that the change meets, partly met ones as half: mean over criteria, then judges"
        yield Metric(f"score, {arm}", about), {it.task.id: Counted(of_arm(it, arm)) for it in tickets}
    yield Metric("gain", "Score with Crosscheck less score without", unit="score"), _gains(tickets)
    about = "Of the tickets on which the arms' scores differ, those on which Crosscheck's is higher"
    won = {name: Counted(float(it.part > 0)) for name, it in _gains(tickets).items() if it.part}
    yield Metric("wins", about), won
    for judge in judges:
        yield (
            Metric(f"gain, {judge}", f"The gain as the judge {judge} alone sees it", unit="score"),
            _gains(tickets, judge),
        )
    for arm in _IN_ORDER:
        about = "Criteria that more than half of the judges call met"
        yield Metric(f"fully met, {arm}", about), {it.task.id: fully_met(it, arm) for it in tickets}
    for took in _TOOK:
        for arm in _IN_ORDER:
            yield Metric(f"{took.name}, {arm}", took.about, "less", took.unit), _taken(tickets, arm, took)
    for took in (_TOOK[0], _TOOK[-1]):
        about = f"{took.about}: what Crosscheck's arm takes beyond the baseline's"
        yield Metric(f"extra {took.name}", about, "less", took.unit), price.beyond(tickets, took.of)
    for arm in _IN_ORDER:
        about = "Attempts that ended by themselves, within their limits"
        ended = {it.task.id: Counted(float(it.attempts[arm].ended == "done")) for it in tickets}
        yield Metric(f"ended by itself, {arm}", about), ended


def _of_judges(
    tickets: Sequence[Ticket], compared: Sequence[Ticket], judges: Sequence[str]
) -> Iterator[tuple[Metric, Values]]:
    about = "Krippendorff's alpha of the verdicts: 1 is agreement, 0 chance; below 0.667 conclude nothing"
    yield Metric("alpha", about, unit="score"), _alpha(tickets)
    yield Metric("judges agree", "Pairs of verdicts on the same criterion that are the same"), agreed(tickets, judges)
    for pair in combinations(judges, 2):
        about = f"Verdicts of {pair[0]} and {pair[1]} on the same criterion that are the same"
        yield Metric(f"agree: {pair[0]}, {pair[1]}", about), agreed(tickets, pair)
    both = {it.task.id: Counted(float(_was_shown(it, CROSSCHECK) and _was_shown(it, BASELINE))) for it in compared}
    yield Metric("both changed something", "Tickets for which neither arm's patch is empty", "neither"), both


def _was_shown(ticket: Ticket, arm: Arm) -> bool:
    return all(one.shown_as != NOT_SHOWN for one in ticket.verdicts[arm])


def _gains(tickets: Sequence[Ticket], judge: str | None = None) -> dict[str, Counted]:
    return {ticket.task.id: Counted(gain(ticket, judge)) for ticket in tickets}


def _alpha(tickets: Sequence[Ticket]) -> Values:
    return agreement(ratings(tickets))


def _taken(tickets: Sequence[Ticket], arm: Arm, took: _Took) -> Values:
    found = {ticket.task.id: took.of(ticket.attempts[arm].spent) for ticket in tickets}
    return {name: Counted(number) for name, number in found.items() if number is not None}


def _left_out(tickets: Sequence[Ticket], compared: Sequence[Ticket], judges: Sequence[str]) -> Iterator[str]:
    left = [ticket.task.id for ticket in tickets if not ticket.whole(judges)]
    if left:
        more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
        yield (
            f"{len(left)} of {len(tickets)} tickets have verdicts of fewer than {len(judges)} judges and are not "
            f"compared: {', '.join(left[:_NAMED])}{more}."
        )
    if not compared:
        yield "No ticket was judged by all judges in both arms, so nothing can be compared."


def _said(tickets: Sequence[Ticket], compared: Sequence[Ticket]) -> Iterator[str]:
    """What is no metric, since it is no sum over tickets."""
    gained = overall(_gains(compared), share=False)
    if gained:
        split = wins(compared)
        yield _split(split, len(compared))
        yield price.said(list(price.prices(compared, gained)), gained)
        if gained.n < FEWEST:
            yield f"From fewer than {FEWEST} tickets nothing can be concluded, whatever the intervals say."
        elif not gained.other_than_zero:
            yield f"The arms do not differ beyond noise: {_interval(gained)}."
    if tickets and not _alpha(tickets):
        yield "There is no alpha: too few verdicts on the same criteria, or all of them are the same."
    first = shown_first(tickets)
    if first:
        yield f"To be shown first changes a patch's score by {_interval(first)}, from {first.n} tickets."


def _split(split: Wins, tickets: int) -> str:
    return (
        f"Of {tickets} tickets Crosscheck's arm wins {split.crosscheck}, the baseline {split.baseline}, and "
        f"{split.ties} are ties (sign test: p = {split.p:.3g})."
    )


def _interval(found: Interval) -> str:
    return shown_difference(found, "score")


def _figures(tickets: Sequence[Ticket], compared: Sequence[Ticket], judges: Sequence[str]) -> Iterator[Figure]:
    ordered = sorted(compared, key=lambda it: (-gain(it), it.task.id))
    rows = [
        {"ticket": it.task.id, "title": it.task.title, **{arm: of_arm(it, arm) for arm in _IN_ORDER}} for it in ordered
    ]
    yield Figure("wins", "Score by ticket", {"tickets": rows})
    yield Figure(
        "judges",
        "Whether the judges agree",
        {
            "alpha": _plain(overall(_alpha(tickets), share=False)),
            "pairs": [
                {"judges": list(pair), "same": _plain(overall(agreed(tickets, pair)))}
                for pair in combinations(judges, 2)
            ],
            "gains": [
                {"judge": judge, "gain": _plain(overall(_gains(compared, judge), share=False))} for judge in judges
            ],
            "shown_first": _plain(shown_first(tickets)),
        },
    )
    gained = overall(_gains(compared), share=False)
    if gained:
        priced = list(price.prices(compared, gained))
        yield Figure(
            "arms",
            "What the gain costs",
            {
                "arms": [_arm(compared, arm) for arm in reversed(_IN_ORDER)],
                "gain": _plain(gained),
                "price": [
                    {"of": one.of, "extra": _plain(one.extra), "per_point": _plain(one.per_point)} for one in priced
                ],
                "price_said": price.said(priced, gained),
            },
        )


def _arm(tickets: Sequence[Ticket], arm: Arm) -> dict[str, Any]:
    keys = ("tokens_out", "requests", "seconds", "dollars")
    return {
        "arm": arm,
        "score": _plain(overall({it.task.id: Counted(of_arm(it, arm)) for it in tickets})),
        **{
            key: _plain(overall(_taken(tickets, arm, took), share=False)) for key, took in zip(keys, _TOOK, strict=True)
        },
    }


def _plain(found: Interval | None) -> dict[str, Any] | None:
    return asdict(found) if found else None
