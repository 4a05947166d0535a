"""Krippendorff's alpha, case by case."""

import krippendorff
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.harness.agreement import agreement, together
from evals.harness.intervals import overall

NONE = None
PUBLISHED = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3),
    (NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE),
)
"""Four observers and twelve units, of Krippendorff's Computing Krippendorff's Alpha-Reliability (2011), example C."""


def test_the_published_example_comes_out_as_published() -> None:
    units = [[float(one) for one in unit if one is not None] for unit in zip(*PUBLISHED, strict=True)]
    found = overall(agreement({str(at): [unit] for at, unit in enumerate(units)}), share=False)
    assert found is not None
    assert found.value == pytest.approx(0.815, abs=5e-4)
    assert found.low < found.value < found.high <= 1
    assert found.n == 11  # the last was judged by one alone


@given(st.lists(st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=3), max_size=4), min_size=1, max_size=6))
def test_the_cases_together_are_alpha_however_units_are_grouped(cases: list[list[list[float]]]) -> None:
    found = agreement({str(at): units for at, units in enumerate(cases)})
    units = [one for case in cases for one in case if len(one) > 1]
    if len({rating for one in units for rating in one}) < 2:
        assert found == {}
        return
    counts = [[one.count(value) for value in (0.0, 0.5, 1.0)] for one in units]
    expected = krippendorff.alpha(value_counts=counts, level_of_measurement="ordinal")
    assert sum(one.part for one in found.values()) / sum(one.whole for one in found.values()) == pytest.approx(expected)


def test_judges_who_agree_have_one_and_those_who_guess_about_nothing() -> None:
    agreeing = overall(agreement({"a": [[1.0, 1.0, 1.0]], "b": [[0.0, 0.0, 0.0]]}), share=False)
    guessing = overall(agreement({"a": [[1.0, 0.0], [0.0, 1.0]], "b": [[1.0, 1.0], [0.0, 0.0]]}), share=False)
    assert agreeing is not None
    assert guessing is not None
    assert agreeing.value == 1
    assert abs(guessing.value) < 0.3


def test_without_two_judges_or_without_variation_there_is_nothing_to_agree_on() -> None:
    assert agreement({"a": [[1.0]], "b": [[0.0]]}) == {}
    assert agreement({"a": [[1.0, 1.0, 1.0]]}) == {}
    assert agreement({}) == {}


@pytest.mark.parametrize(
    ("ratings", "said"),
    [((1.0, 1.0, 0.0), 1.0), ((1.0, 0.5, 0.0), 0.5), ((0.0, 0.0, 1.0), 0.0), ((1.0, 0.0), 0.0), ((0.5,), 0.5)],
)
def test_most_of_them_decide_and_of_two_the_doubt(ratings: tuple[float, ...], said: float) -> None:
    assert together(ratings) == said
