"""What can be said after `#test-cases`, and what is not read for it."""

import pytest

from bots.wishes import Cases, Help, Question, Refine
from core.errors import SourceGone
from crosscheck.subjects import Subjects
from tests.review.fakes import ticket


@pytest.mark.parametrize(
    ("argument", "wish"),
    [
        ("", Cases(None, None)),
        ("for this ticket", Cases(None, None)),
        ("for the page.", Cases(None, None)),
        ("PAY-2", Cases("PAY-2", None)),
        ("for PAY-2", Cases("PAY-2", None)),
        ("PAY-2 as csv", Cases("PAY-2", "csv")),
        ("for PAY-2 as csv", Cases("PAY-2", "csv")),
        ("as csv", Cases(None, "csv")),
        ("help", Help()),
        ("drop 4", Refine("", (4,), None)),
        ("add the boundary of 30 days", Refine("the boundary of 30 days", (), None)),
        ("as well as can be", Question("test cases as well as can be")),
    ],
)
def test_a_wish(bench, argument, wish):
    assert bench.handler()._wish(argument, drafted=False) == wish


def test_another_form_of_a_draft_that_is_there(bench):
    assert bench.handler()._wish("as csv", drafted=True) == Refine("", (), "csv")


def test_tickets_of_projects_that_are_not_read_are_not_there():
    """Our account may see more than what answers are made from."""
    reads = type("Reads", (), {"ticket": lambda _self, key: ticket(key)})()
    project = ticket("SHOP-1").project
    asked = []

    def labels_now(documents):
        asked.extend(documents)
        return dict.fromkeys(documents)

    ours = Subjects(lambda: reads, None, projects=(project,), labels_now=labels_now)
    assert ours.ticket("SHOP-1").project == project
    others = Subjects(lambda: reads, None, projects=("ELSE",), labels_now=labels_now)
    with pytest.raises(SourceGone):
        others.ticket("SHOP-1")
    assert asked == [ticket("SHOP-1").document_id]


def test_pages_are_not_there_without_confluence():
    with pytest.raises(SourceGone):
        Subjects(lambda: None, None, projects=(), labels_now=dict.fromkeys).ticket("confluence:1")
