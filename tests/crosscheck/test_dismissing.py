"""`#qa-check dismiss 2: reason`: what it sets aside, for whom, and what is said."""

from dataclasses import replace

import pytest

from core.types import Locator
from review.types import Cited, Finding, Priority
from tests import fakes

OPEN = frozenset({"jira:PAY"})


def finding(number, labels=OPEN):
    cited = Cited(Locator("jira:1", "PAY-1", "https://jira.example/browse/PAY-1"), labels, f"quote {number}")
    return Finding("undecided", "undecided condition", Priority.P1, f"Point {number}.", "Why.", "Which?", (cited,))


def asked(bench, comment, argument=""):
    """The job of a comment, handled and posted; its record."""
    bench.platform.trigger_now = replace(fakes.trigger(), comment_id=comment, argument=argument, created=bench.clock())
    job = bench.ask(comment)
    bench.drain()
    return bench.jobs.show(job)


@pytest.fixture
def told(bench):
    """A review of two points was posted."""
    bench.labels = {"jira:1": OPEN}
    bench.findings = [finding(1), finding(2)]
    asked(bench, "c-1")
    return bench


def test_a_point_is_set_aside_and_the_person_told(told):
    view = asked(told, "c-2", "dismiss 2: agreed with sales")
    assert view.result["dismissed"] == [finding(2).fingerprint]
    assert "Point 2." in view.result["reply"]
    assert "1 of that review's 2 points stays" in view.result["reply"]
    (aside,) = told.memory.dismissals("jira:10001")
    assert (aside.fingerprint, aside.reason, aside.comment_id) == (finding(2).fingerprint, "agreed with sales", "c-2")


def test_what_was_set_aside_before_is_not_left_any_more(told):
    asked(told, "c-2", "dismiss 2: agreed with sales")
    assert "No other point of that review is left." in asked(told, "c-3", "dismiss 1: agreed, too").result["reply"]


def test_what_the_review_told_though_it_was_set_aside_before_is_left(told):
    """The comment that did it was deleted since."""
    asked(told, "c-2", "dismiss 2: agreed with sales")
    told.clock.forward(minutes=2)
    asked(told, "c-3")
    told.clock.forward(minutes=2)
    assert "1 of that review's 2 points stays" in asked(told, "c-4", "dismiss 1: agreed").result["reply"]


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("dismiss 7: never mind", "has the points 1 to 2, so 7 cannot be set aside"),
        ("dismiss", "not clear which points"),
        ("dismiss 2", "The reason is missing"),
    ],
)
def test_what_cannot_be_set_aside_is_said_and_changes_nothing(told, argument, said):
    view = asked(told, "c-2", argument)
    assert said in view.result["reply"]
    assert told.memory.dismissals("jira:10001") == ()


def test_without_an_earlier_review_there_is_nothing_to_set_aside(bench):
    view = asked(bench, "c-1", "dismiss 1: no")
    assert "no earlier review" in view.result["reply"]


def test_again_is_no_harm(told):
    for comment in ("c-2", "c-3"):
        asked(told, comment, "dismiss 1: decided")
    assert {one.fingerprint for one in told.memory.dismissals("jira:10001")} == {finding(1).fingerprint}
