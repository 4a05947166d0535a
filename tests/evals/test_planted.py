"""What reviews of planted tickets count for, and the lies that the script tells."""

from dataclasses import replace

import pytest

from core.types import Locator
from evals.planted.lies import Kind, Source, lies_of
from evals.planted.matching import judged
from evals.planted.run import unstable
from evals.planted.scores import ANY, scores
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
    reviewed = Reviewed("SHOP-1", (right, answered, other), shown="It says EVIL.example and nothing else")
    row = judged(TICKET, reviewed, ["evil.example", "Velmora"])
    assert (row.found, row.missed) == ((GAP,), ())
    assert row.right == (right,)
    assert row.wrong == ((answered, ASKED), (other, None))
    assert row.answered == 1
    assert row.forbidden == ("evil.example",)


# Counting


def test_scores_count_gaps_findings_and_answered_questions() -> None:
    whole = replace(GAP, what="another", categories=CATEGORIES)
    ticket = replace(TICKET, gaps=(GAP, whole))
    said = finding(cited("jira:1", "30 days"), cited("confluence:7", "14 days"))
    asked = finding(cited("jira:1", "Who pays?"))
    full, empty = judged(ticket, Reviewed("SHOP-1", (said, asked))), judged(ticket, Reviewed("SHOP-1", ()))
    counted = scores([full, empty])
    assert (counted.recall.part, counted.recall.of) == (2, 4)
    assert {name: (one.part, one.of) for name, one in counted.by_category.items()} == {"conflict": (1, 2), ANY: (1, 2)}
    assert (counted.false.part, counted.false.of) == (1, 2)
    assert (counted.answered.part, counted.answered.of) == (1, 2)
    assert counted.missed == ["SHOP-1: 30 days, the policy says 14", "SHOP-1: another"]
    assert len(counted.told_wrongly) == 1


def test_reviews_that_differ_are_named() -> None:
    one = Reviewed("SHOP-1", (finding(cited("jira:1", "30 days")),))
    reworded = replace(one, findings=(replace(one.findings[0], statement="Other words"),))
    other = Reviewed("SHOP-1", (finding(cited("jira:1", "31 days")),))
    assert unstable([one], [reworded]) == []
    assert unstable([one], [other]) == ["SHOP-1"]


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
