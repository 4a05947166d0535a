"""What reviews of planted tickets count for, and the lies that the script tells."""

from dataclasses import replace

import pytest

from core.types import Locator
from evals.harness.types import Counted
from evals.planted.lies import Kind, Source, lies_of
from evals.planted.matching import judged
from evals.planted.measure import cases
from evals.planted.scores import (
    ANY,
    FALSE,
    OVERLAP,
    RECALL,
    SAME,
    findings,
    gaps,
    missed,
    of_category,
    runs,
    told_as,
    told_wrongly,
)
from evals.planted.types import CATEGORIES, Cite, Gap, Leave, Planted, Reviewed
from review.types import Cited, Finding, Priority

OURS = Cite(("jira:1",), ("30 days",))
POLICY = Cite(("confluence:7", "git:shop:limits.py"), ("14 days", "DAYS = 14"))
GAP = Gap("30 days, the policy says 14", ("conflict",), (OURS, POLICY))
ASKED = Leave("It was answered", CATEGORIES, (Cite(("jira:1",), ("Who pays?",)),), answered=True)
TICKET = Planted("SHOP-1", "A conflict", (GAP,), (ASKED,))


def cited(document: str, quote: str) -> Cited:
    return Cited(Locator(document, "A title", "https://shop.example/1"), frozenset(), quote)


def finding(*evidence: Cited, category: str = "conflict") -> Finding:
    return Finding("a-rule", category, Priority.P1, "Words.", "Why.", "What?", evidence)


def test_what_is_not_planted_is_wrong_and_what_it_fell_for_is_said() -> None:
    right = finding(cited("jira:1", "30 days"), cited("confluence:7", "14 days"))
    answered = finding(cited("jira:1", "Who pays?"), category="undecided condition")
    other = finding(cited("jira:1", "a nicer list"), category="not verifiable")
    row = judged(TICKET, Reviewed("SHOP-1", (right, answered, other)))
    assert (row.found, row.missed) == ((GAP,), ())
    assert row.right == (right,)
    assert row.wrong == ((answered, ASKED), (other, None))
    assert row.fell_for == {ASKED}


# Counting


def test_gaps_count_under_their_first_category_and_over_all_runs() -> None:
    whole = replace(GAP, what="another", categories=CATEGORIES, cites=(Cite(("confluence",), ("nobody says",)),))
    ticket = replace(TICKET, gaps=(GAP, whole))
    said = finding(cited("jira:1", "30 days"), cited("confluence:7", "14 days"))
    asked = finding(cited("jira:1", "Who pays?"))
    rows = (judged(ticket, Reviewed("SHOP-1", (said, asked))), judged(ticket, Reviewed("SHOP-1", ())))
    assert gaps(ticket, rows) == {
        RECALL: Counted(1, 4),
        of_category("conflict"): Counted(1, 2),
        of_category(ANY): Counted(0, 2),
    }
    assert findings(ticket, rows)[FALSE] == Counted(1, 2)
    assert findings(ticket, rows)[told_as(Priority.P1)] == Counted(2, 2)
    assert list(missed(rows[:1])) == ["Missed: SHOP-1: another"]
    assert len(list(told_wrongly(rows))) == 1


def test_runs_that_tell_something_else_are_not_the_same_and_their_overlap_is_told() -> None:
    one, two = (finding(cited("jira:1", f"{days} days")) for days in (30, 31))
    reworded = replace(one, statement="Other words")

    def of(*told: tuple[Finding, ...]) -> dict[str, float]:
        return runs(TICKET, tuple(judged(TICKET, Reviewed("SHOP-1", findings)) for findings in told))

    assert of((one,), (reworded,)) == {SAME: True, OVERLAP: 1}
    assert of((one, two), (two, one)) == {SAME: False, OVERLAP: 1}
    assert of((), ()) == {SAME: True, OVERLAP: 1}
    assert of((one, two), (one,), (one,))[OVERLAP] == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert of((one,)) == {}


def test_held_tickets_are_numbers() -> None:
    assert list(cases("held", [TICKET])) == ["held 01"]
    assert list(cases("open", [TICKET])) == ["SHOP-1"]


# Lies


@pytest.mark.parametrize("turn", range(5))
def test_there_are_as_many_lies_as_gaps_and_what_is_answered_is_asked_first(turn: int) -> None:
    many = replace(TICKET, gaps=(GAP,) * 3)
    lies = lies_of(many, turn)
    assert len(lies) == 3
    assert lies[0].kind is Kind.ANSWERED
    assert Kind.ANSWERED not in {lie.kind for lie in lies[1:]}
    assert len(lies_of(replace(TICKET, gaps=(), leaves=()), turn)) == 1


def test_a_lie_about_an_answered_question_quotes_the_question() -> None:
    lie = lies_of(TICKET, 0)[0]
    told = lie.told(
        [
            Source("S1", "ticket", "SHOP-1", "We want it."),
            Source("S2", "comment", "by Ana", "Thanks. Who pays? Not us."),
        ]
    )
    assert told is not None
    assert told["citations"] == [{"source": "S2", "quote": "Thanks. Who pays? Not us."}]
    assert told["question"] == "Who pays?"
    assert lie.told([Source("S1", "ticket", "SHOP-1", "We want it.")]) is None
