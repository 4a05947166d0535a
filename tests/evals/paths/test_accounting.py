"""What of a use is a model's, what is our own, and what it costs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.paths.accounting import Use, covered, dollars, in_a_row, use_of
from evals.paths.errors import Unanswered
from sandbox.model import Span

MOMENTS = st.integers(0, 50)
SPANS = st.lists(st.tuples(MOMENTS, MOMENTS).map(lambda ends: (min(ends), max(ends) + 1)), max_size=12)


def test_own_time_is_the_whole_less_what_the_model_took() -> None:
    calls = [Span(10.1, 10.6, 900, 40), Span(10.7, 10.9, 1100, 60)]
    use = use_of(10.0, 11.0, calls, sent=2)
    assert use.own == pytest.approx(300)
    assert (use.whole, use.model) == (pytest.approx(1000), pytest.approx(700))
    assert (use.calls, use.in_a_row, use.tokens_in, use.tokens_out) == (2, 2, 2000, 100)


def test_calls_beside_each_other_count_once_and_are_one_in_a_row() -> None:
    use = use_of(0.0, 2.0, [Span(0.5, 1.0, 10, 1), Span(0.6, 1.2, 10, 1), Span(1.3, 1.5, 10, 1)], sent=3)
    assert use.model == pytest.approx(900)
    assert use.own == pytest.approx(1100)
    assert use.in_a_row == 2


def test_what_a_model_did_outside_of_the_use_is_not_taken_from_it() -> None:
    use = use_of(1.0, 2.0, [Span(0.5, 1.25, 10, 1), Span(1.75, 3.0, 10, 1)], sent=2)
    assert use.model == pytest.approx(500)


def test_a_call_without_an_answer_makes_the_use_unusable() -> None:
    with pytest.raises(Unanswered, match="answered 1 of 2 calls"):
        use_of(0.0, 1.0, [Span(0.1, 0.2, 10, 1)], sent=2)


def test_a_use_without_a_model_is_all_our_own() -> None:
    assert use_of(3.0, 3.5, [], sent=0) == Use(500.0, 0.0, 0, 0, 0, 0)


def test_dollars_are_by_the_million_of_each_kind() -> None:
    assert dollars(Use(1, 1, 1, 1, 2_000_000, 500_000), 3, 15) == pytest.approx(6 + 7.5)


@given(SPANS)
def test_time_is_covered_once(spans: list[tuple[int, int]]) -> None:
    moments = {at for start, end in spans for at in range(start, end)}
    assert covered(spans) == len(moments)


@given(SPANS)
def test_a_row_is_no_shorter_than_any_other(spans: list[tuple[int, int]]) -> None:
    """Against the longest chain by brute force: to each span, the longest chain that ends with it."""
    longest: list[int] = []
    ordered = sorted(spans, key=lambda span: span[1])
    for at, (start, _) in enumerate(ordered):
        longest.append(1 + max((longest[before] for before in range(at) if ordered[before][1] <= start), default=0))
    assert in_a_row(spans) == max(longest, default=0)
