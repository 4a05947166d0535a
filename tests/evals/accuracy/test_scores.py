"""What verdicts come to: scores, wins, agreement, what is shown first, the price."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.accuracy import price
from evals.accuracy.agreement import FIRST, NOT_SHOWN, agreed, ratings, shown_first
from evals.accuracy.measure import measurement
from evals.accuracy.scores import Wins, fully_met, gain, of_arm, score, wins
from evals.harness.compare import compared
from evals.harness.intervals import overall
from evals.harness.types import Counted, Run
from tests.evals.accuracy.making import JUDGES, ticket, verdict

ALL, SOME, NONE = ("met",) * 3, ("met", "partly", "not met"), ("not met",) * 3
SECOND = "patch 2"


def measured(tickets, **more):
    return measurement("booking-api", "small", tickets, JUDGES, **more)


def test_a_judges_score_is_the_mean_of_its_verdicts_and_partly_is_half() -> None:
    assert score(verdict("T-1", "baseline", "ada", ("met", "partly", "not met"), FIRST)) == 0.5
    assert score(verdict("T-1", "baseline", "ada", ("met", "partly", "partly"), FIRST)) == pytest.approx(2 / 3)


def test_an_attempts_score_is_the_mean_of_the_judges() -> None:
    one = ticket("T-1", [NONE, NONE, SOME], [ALL, SOME, SOME])
    assert of_arm(one, "baseline") == pytest.approx(1 / 6)
    assert of_arm(one, "crosscheck") == pytest.approx(2 / 3)
    assert gain(one) == pytest.approx(0.5)
    assert gain(one, "cy") == 0
    assert fully_met(one, "crosscheck") == Counted(1, 3)


def test_scores_that_differ_by_rounding_alone_are_a_tie() -> None:
    one = ticket("T-1", [SOME, ALL, NONE], [ALL, NONE, SOME])
    assert gain(one) == 0
    assert wins([one]) == Wins(0, 1, 0)


@pytest.mark.parametrize(
    ("won", "lost", "p"), [(5, 0, 0.0625), (0, 5, 0.0625), (9, 1, 22 / 1024), (3, 3, 1.0), (0, 0, 1.0), (1, 0, 1.0)]
)
def test_the_sign_test_is_exact(won: int, lost: int, p: float) -> None:
    """Worked out by hand: of ten fair throws, one or none heads has 11 of 1024."""
    assert Wins(won, 7, lost).p == pytest.approx(p)


def test_wins_are_of_decided_tickets_with_wilsons_interval() -> None:
    tickets = [ticket(f"T-{at}", [NONE] * 3, [ALL] * 3) for at in range(9)]
    tickets += [ticket("T-l", [ALL] * 3, [NONE] * 3), ticket("T-t", [SOME] * 3, [SOME] * 3)]
    found = measured(tickets)
    won = overall(found.values["wins"])
    assert won is not None
    assert (won.value, won.n) == (0.9, 10)
    assert (won.low, won.high) == pytest.approx((0.596, 0.982), abs=1e-3)
    assert "Of 11 tickets Crosscheck's arm wins 9, the baseline 1, and 1 are ties (sign test: p = 0.0215)." in (
        found.notes
    )


# Agreement


def test_judges_agree_on_what_they_were_shown_alone() -> None:
    """An empty patch is not met by rule, and the same patch is judged once: neither says that judges agree."""
    empty = ticket("T-1", [NONE] * 3, [ALL, ALL, SOME], [(NOT_SHOWN, FIRST)] * 3)
    same = ticket("T-2", [SOME] * 3, [SOME] * 3, [(FIRST, FIRST)] * 3)
    assert ratings([empty]) == {"T-1": [[1, 1, 1], [1, 1, 0.5], [1, 1, 0]]}
    assert len(ratings([same])["T-2"]) == 3
    assert agreed([empty], JUDGES) == {"T-1": Counted(5, 9)}
    assert agreed([empty], ("ada", "bo")) == {"T-1": Counted(3, 3)}
    assert agreed([empty], ("ada", "cy")) == {"T-1": Counted(1, 3)}


def test_alpha_is_one_where_judges_agree_and_missing_where_nothing_varies() -> None:
    found = overall(measured([ticket("T-1", [NONE] * 3, [ALL] * 3)]).values["alpha"], share=False)
    assert found is not None
    assert found.value == 1
    flat = measured([ticket("T-1", [ALL] * 3, [ALL] * 3)])
    assert "alpha" not in flat.values
    assert "There is no alpha: too few verdicts on the same criteria, or all of them are the same." in flat.notes


# What is shown first


def placed(name: str, orders: Sequence[bool], base: float, ours: Sequence[float]):
    """Each judge calls as many of the three criteria met as the thirds say; `orders` say by judge whether Crosscheck's
    patch was shown first.
    """
    shown = [(SECOND, FIRST) if first else (FIRST, SECOND) for first in orders]
    said = [[("met",) * round(3 * it) + ("not met",) * (3 - round(3 * it)) for it in own] for own in ([base] * 3, ours)]
    return ticket(name, said[0], said[1], shown)


def test_a_taste_for_the_first_is_told_apart_from_the_gain_however_uneven_the_draw() -> None:
    """Tickets whose gains are far apart say nothing of the order where each of their judges sees the same gain."""
    orders = [(True, True, False), (True, True, True), (False, True, True), (True, False, True)] * 2
    fair = [placed(f"T-{at}", it, 1 / 3, [at % 3 / 3] * 3) for at, it in enumerate(orders)]
    found = shown_first(fair)
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((0, 0, 0))
    assert found.n == 6
    biased = [placed(f"T-{at}", it, 1 / 3, [1.0 if one else 1 / 3 for one in it]) for at, it in enumerate(orders)]
    found = shown_first(biased)
    assert found is not None
    assert found.value == pytest.approx(1 / 3)


def test_with_one_order_alone_or_few_tickets_nothing_is_said_of_the_order() -> None:
    assert shown_first([placed(f"T-{at}", (True,) * 3, 0, (1, 1, 1)) for at in range(9)]) is None
    assert shown_first([placed(f"T-{at}", (True, True, False), 0, (1, 1, 0)) for at in range(5)]) is None
    assert shown_first([]) is None


# The price


def test_the_price_is_what_is_taken_beyond_the_baseline_for_each_point() -> None:
    tickets = [ticket(f"T-{at}", [NONE] * 3, [ALL if at % 2 else SOME] * 3, extra=300) for at in range(10)]
    gained = overall({it.task.id: Counted(gain(it)) for it in tickets}, share=False)
    assert gained is not None
    tokens, dollars = price.prices(tickets, gained)
    assert (tokens.extra.value, tokens.extra.n) == (300, 10)
    assert tokens.per_point is not None
    assert tokens.per_point.value == pytest.approx(300 / 75)
    assert tokens.per_point.low < 300 / 75 < tokens.per_point.high
    assert dollars.extra.value == pytest.approx(0.3)
    assert price.said([tokens, dollars], gained).endswith("Each 0.01 of score gained costs 4.0 tokens and 0.0040 $.")


def test_a_gain_within_noise_has_no_price() -> None:
    tickets = [
        ticket(f"T-{at}", [ALL if at % 2 else NONE] * 3, [NONE if at % 2 else ALL] * 3, extra=50) for at in range(8)
    ]
    found = measured(tickets)
    assert any("no price, since there is no gain beyond noise" in note for note in found.notes)
    arms = next(figure for figure in found.figures if figure.kind == "arms")
    assert [one["per_point"] for one in arms.data["price"]] == [None, None]


def test_a_gain_on_a_few_tickets_has_no_price_and_concludes_nothing() -> None:
    """Five of five are won by chance alone in one of 16 runs, and an interval of few cases does not know that."""
    for many in (1, 5):
        found = measured([ticket(f"T-{at}", [NONE] * 3, [ALL] * 3, extra=50) for at in range(many)])
        assert any("no price: fewer than 6 tickets" in note for note in found.notes)
        assert "From fewer than 6 tickets nothing can be concluded, whatever the intervals say." in found.notes
    found = measured([ticket(f"T-{at}", [NONE] * 3, [ALL] * 3, extra=50) for at in range(6)])
    assert any("Each 0.01 of score gained costs" in note for note in found.notes)


def test_where_dollars_are_known_of_tickets_without_a_gain_alone_there_is_no_price_in_dollars() -> None:
    won = [ticket(f"T-{at}", [NONE] * 3, [ALL] * 3, extra=50) for at in range(12)]
    unpriced = [
        replace(
            one, attempts={arm: replace(it, spent=replace(it.spent, dollars=None)) for arm, it in one.attempts.items()}
        )
        for one in won
    ]
    found = measured([*unpriced, ticket("T-lost", [ALL] * 3, [SOME] * 3, extra=50)])
    assert any(note.endswith("Each 0.01 of score gained costs 0.6 tokens.") for note in found.notes)
    arms = next(figure for figure in found.figures if figure.kind == "arms")
    assert [one["per_point"] is None for one in arms.data["price"]] == [False, True]


# The measurement


def test_tickets_that_not_all_judges_judged_are_left_out_and_said() -> None:
    tickets = [ticket(f"T-{at}", [NONE] * 3, [ALL] * 3) for at in range(3)]
    tickets.append(ticket("T-two", [ALL] * 2, [NONE] * 2))
    found = measured(tickets)
    assert set(found.values["gain"]) == {"T-0", "T-1", "T-2"}
    assert "1 of 4 tickets have verdicts of fewer than 3 judges and are not compared: T-two." in found.notes
    assert set(found.values["judges agree"]) == {"T-0", "T-1", "T-2", "T-two"}


def test_nothing_judged_is_a_measurement_that_says_so() -> None:
    found = measured([])
    assert (found.values, found.figures) == ({}, ())
    assert found.notes == ("No ticket was judged by all judges in both arms, so nothing can be compared.",)


def test_the_gain_is_said_for_each_judge() -> None:
    found = measured([ticket(f"T-{at}", [NONE, NONE, SOME], [ALL, SOME, SOME]) for at in range(3)])
    gains = [overall(found.values[f"gain, {judge}"], share=False) for judge in JUDGES]
    assert [one.value for one in gains if one] == pytest.approx([1, 0.5, 0])


VERDICTS = st.tuples(*[st.sampled_from(["met", "partly", "not met"])] * 3)


@settings(max_examples=8, deadline=None)
@given(st.lists(st.tuples(st.tuples(*[VERDICTS] * 3), st.tuples(*[VERDICTS] * 3)), min_size=1, max_size=6))
def test_any_verdicts_make_a_measurement_that_compares_with_itself(rows) -> None:
    tickets = [ticket(f"T-{at}", theirs, ours) for at, (theirs, ours) in enumerate(rows)]
    found = measured(tickets)
    assert set(found.values) == {metric.name for metric in found.metrics}
    run = Run("a" * 12, "2026-11-30T10:00:00+00:00", "2 cores", (found,))
    (beside,) = compared(run, run)
    assert {change.verdict for change in beside.changes} == {"the same"}
    split = wins(tickets)
    assert split.crosscheck + split.ties + split.baseline == len(tickets)
    assert 0 < split.p <= 1
