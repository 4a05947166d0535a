"""What the interval of a difference must be, whatever the numbers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.harness.intervals import difference
from evals.harness.types import Counted

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=60)


def run(values: dict[str, float]) -> dict[str, Counted]:
    return {case: Counted(value) for case, value in values.items()}


def both(pairs: list[tuple[float, float]]) -> tuple[dict[str, Counted], dict[str, Counted]]:
    return run({str(n): ours for n, (ours, _) in enumerate(pairs)}), run(
        {str(n): theirs for n, (_, theirs) in enumerate(pairs)}
    )


@settings(max_examples=25, deadline=None)
@given(PAIRS)
def test_the_interval_holds_the_mean_and_turns_around_with_the_runs(pairs: list[tuple[float, float]]) -> None:
    ours, theirs = both(pairs)
    there, back = difference(ours, theirs), difference(theirs, ours)
    assert there.low - 1e-9 <= there.value <= there.high + 1e-9
    assert (back.value, back.low, back.high) == pytest.approx((-there.value, -there.high, -there.low))
    assert there == difference(ours, theirs), "the same numbers give the same interval"


def test_a_run_does_not_differ_from_itself() -> None:
    same = difference(ours := run({str(n): n / 10 for n in range(10)}), ours)
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_a_steady_gain_is_sure_and_a_coin_is_not() -> None:
    theirs = {str(n): (n % 10) / 10 for n in range(200)}
    steady = difference(run({key: value + 0.05 for key, value in theirs.items()}), run(theirs))
    assert steady.low == pytest.approx(0.05)
    coin = difference(*both([(n % 2, (n + 1) % 2) for n in range(200)]))
    assert coin.low < 0 < coin.high


def test_the_interval_is_the_textbook_s() -> None:
    """For a mean of many, about 1.96 standard errors to each side."""
    interval = difference(*both([(float(n % 4 == 0), 0.0) for n in range(400)]))
    error = 1.96 * (0.25 * 0.75 / 400) ** 0.5
    assert (interval.low, interval.high) == pytest.approx((0.25 - error, 0.25 + error), abs=0.006)


def test_only_questions_that_both_have_are_compared() -> None:
    shared = difference(run({"a": 1.0, "b": 0.0}), run({"b": 0.0, "c": 1.0}))
    assert (shared.value, shared.n) == (0, 1)
    assert difference(run({"a": 1.0}), run({"b": 1.0})) is None
