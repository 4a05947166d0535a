"""The measure itself, against values that WCAG and its authors publish."""

import pytest

from tests.crosscheck.console.browser.contrast import layered, least, over, parsed, ratio

WHITE, BLACK = parsed("rgb(255, 255, 255)"), parsed("rgb(0, 0, 0)")


@pytest.mark.parametrize(
    ("colour", "expected"),
    [("rgb(0, 0, 0)", 21.0), ("rgb(255, 255, 255)", 1.0), ("rgb(118, 118, 118)", 4.54), ("rgb(119, 119, 119)", 4.48)],
)
def test_ratio_on_white(colour, expected):
    assert ratio(parsed(colour), WHITE) == pytest.approx(expected, abs=0.005)
    assert ratio(WHITE, parsed(colour)) == ratio(parsed(colour), WHITE)


def test_what_lies_above_covers_what_lies_below():
    assert layered(["rgb(0, 0, 0)", "rgba(0, 0, 0, 0)"]) == BLACK
    assert layered([]) == WHITE
    assert over(parsed("rgba(0, 0, 0, 0.5)"), WHITE) == (127.5, 127.5, 127.5, 1.0)


@pytest.mark.parametrize(
    ("pixels", "weight", "expected"), [(16, 400, 4.5), (24, 400, 3.0), (19, 700, 3.0), (19, 400, 4.5)]
)
def test_large_text_may_be_fainter(pixels, weight, expected):
    assert least(pixels, weight) == expected
