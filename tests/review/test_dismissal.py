import pytest
from hypothesis import given
from hypothesis import strategies as st

from review.dismissal import HOW, REASON, Dismissal, Malformed, parse_dismissal


@pytest.mark.parametrize(
    ("argument", "numbers", "reason"),
    [
        ("dismiss 2: decided with sales", (2,), "decided with sales"),
        ("Dismiss: 2, 4: decided with sales", (2, 4), "decided with sales"),
        ("dismiss 2,4 decided with sales", (2, 4), "decided with sales"),
        ("dismiss 2 and 4 because we said so", (2, 4), "we said so"),
        ("dismiss 2 und 4: abgestimmt", (2, 4), "abgestimmt"),
        ("dismiss #2, #4 - as sold", (2, 4), "as sold"),
        ("dismiss points 2 and 3: as sold", (2, 3), "as sold"),
        ("dismiss 2-4: as sold", (2, 3, 4), "as sold"),
        ("dismiss 2, 2, 1: as sold", (2, 1), "as sold"),
        ("dismiss 2: 30 days is right", (2,), "30 days is right"),
        ("dismiss 2 :4 days", (2,), "4 days"),
        ("dismiss 4-2: as sold", (4,), "as sold"),
        ("dismiss 1-999: all", tuple(range(1, 51)), "all"),
    ],
)
def test_points_are_set_aside_for_a_reason(argument, numbers, reason):
    assert parse_dismissal(argument) == Dismissal(numbers, reason)


@pytest.mark.parametrize(
    ("argument", "missing"),
    [
        ("dismiss", "which points"),
        ("dismiss: decided with sales", "which points"),
        ("dismiss the second: decided with sales", "which points"),
        ("dismiss 2 30 days is right", "which points"),
        ("dismiss 2 - 4: as sold", "which points"),
        ("dismiss 2.5: as sold", "which points"),
        ("dismiss 2nd: as sold", "which points"),
        ("dismiss 2", "reason"),
        ("dismiss 2, 4:", "reason"),
        ("dismiss 2: ...", "reason"),
        ("dismiss 2 because", "reason"),
    ],
)
def test_what_is_missing_is_said_with_how_it_is_written(argument, missing):
    told = parse_dismissal(argument).told
    assert missing in told.removesuffix(HOW)
    assert told.endswith(HOW)


@pytest.mark.parametrize(
    "argument", ["dismis 2: agreed", "Dismisss: 2, 4: agreed", "dimsiss #2", "dissmiss points 2-4: no"]
)
def test_a_slip_of_the_hand_is_said(argument):
    told = parse_dismissal(argument).told
    assert f"“{argument.split()[0].rstrip(':')}” is not understood; the word is “dismiss”" in told
    assert told.endswith(HOW)


def test_how_it_is_written_does_not_leave_the_command_out():
    """Which word it is, an administrator chooses."""
    assert "write the command in a new comment, and after it" in HOW


@pytest.mark.parametrize(
    "argument",
    [
        "",
        "please",
        "2: decided",
        "dismissals are broken",
        "do not dismiss 2: x",
        "dismis it",
        "distance 2: is it right",
        "discuss 2",
    ],
)
def test_anything_else_is_a_question_for_a_review(argument):
    assert parse_dismissal(argument) is None


@given(st.text(max_size=60) | st.text(max_size=60).map("dismiss 2{}".format))
def test_nothing_makes_it_fail(argument):
    found = parse_dismissal(argument)
    if isinstance(found, Dismissal):
        assert found.numbers
        assert 0 < len(found.reason) <= REASON
    else:
        assert found is None or isinstance(found, Malformed)
