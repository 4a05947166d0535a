"""What an interval must be, whatever the numbers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.retrieval.bootstrap import paired

VALUES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=60)


def both(pairs: list[tuple[float, float]]) -> tuple[dict[str, float], dict[str, float]]:
    return {str(n): ours for n, (ours, _) in enumerate(pairs)}, {str(n): theirs for n, (_, theirs) in enumerate(pairs)}


@settings(max_examples=25, deadline=None)
@given(VALUES)
def test_the_interval_holds_the_mean_and_turns_around_with_the_runs(pairs: list[tuple[float, float]]) -> None:
    ours, theirs = both(pairs)
    there, back = paired(ours, theirs), paired(theirs, ours)
    assert there.low - 1e-9 <= there.mean <= there.high + 1e-9
    assert (back.mean, back.low, back.high) == pytest.approx((-there.mean, -there.high, -there.low))
    assert there == paired(ours, theirs), "the same numbers give the same interval"


def test_a_run_does_not_differ_from_itself() -> None:
    run = {str(n): n / 10 for n in range(10)}
    same = paired(run, run)
    assert (same.mean, same.low, same.high) == (0, 0, 0)


def test_a_steady_gain_is_sure_and_a_coin_is_not() -> None:
    theirs = {str(n): (n % 10) / 10 for n in range(200)}
    steady = paired({key: value + 0.05 for key, value in theirs.items()}, theirs)
    assert steady.low == pytest.approx(0.05)
    coin = paired({str(n): float(n % 2) for n in range(200)}, {str(n): float((n + 1) % 2) for n in range(200)})
    assert coin.low < 0 < coin.high


def test_the_interval_is_the_textbook_s() -> None:
    """For a mean of many, about 1.96 standard errors to each side."""
    ours = {str(n): float(n % 4 == 0) for n in range(400)}
    interval = paired(ours, dict.fromkeys(ours, 0.0))
    error = 1.96 * (0.25 * 0.75 / 400) ** 0.5
    assert (interval.low, interval.high) == pytest.approx((0.25 - error, 0.25 + error), abs=0.006)


def test_only_questions_that_both_have_are_compared() -> None:
    assert paired({"a": 1.0, "b": 0.0}, {"b": 0.0, "c": 1.0}).mean == 0
    with pytest.raises(ValueError, match="no question"):
        paired({"a": 1.0}, {"b": 1.0})
