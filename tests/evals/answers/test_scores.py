"""What one answer adds to each metric: each goes up where it is right and down where it is not."""

from collections import Counter

import pytest

from evals.harness.types import Counted
from evals.questions import scores
from evals.questions.answers import about
from evals.questions.reader import INVENTED, MISTAKEN, SUPERSEDED, TRUE, UNRELATED, Reader
from evals.questions.scores import METRICS, SCORERS, by_script
from evals.questions.types import Answer, Question
from tests.evals.answers.making import SECONDS, answer, question, row

ONE = question("single", {"a", "b"})
TWO = question("cross", {"a", "b"}, {"c"}, fine=frozenset({"d"}), old=frozenset({"old"}))
FACTS = question("single", {"a"}, facts=(("5 days", "FIVE = 5"), ("8 days",)))
SECRET, NOWHERE = question("restricted"), question("unanswerable")


def values(asked: Question, given: Answer) -> dict[str, Counted]:
    """By metric, from all scorers."""
    found = {}
    for scorer in SCORERS.values():
        found |= {
            name: value if isinstance(value, Counted) else Counted(value)
            for name, value in scorer(asked, row(asked, given)).items()
        }
    return found


@pytest.mark.parametrize(
    ("name", "asked", "better", "worse"),
    [
        ("citation precision", TWO, answer(("x", ["a", "d"])), answer(("x", ["a", "e"]))),
        ("citation recall", TWO, answer(("x", ["b", "c"])), answer(("x", ["a"]))),
        ("citation recall", ONE, answer(("x", ["b"])), answer()),
        ("citation recall: cross", TWO, answer(("x", ["b", "c"])), answer(("x", ["c"]))),
        ("refused: restricted", SECRET, answer(), answer(("x", ["a"]))),
        ("refused: unanswerable", NOWHERE, answer(), answer(("x", ["a"]))),
        ("facts said", FACTS, answer(("It is 5  Days.", ["a"]), ("Then 8 days.", ["a"])), answer(("5 days.", ["a"]))),
        ("facts said", FACTS, answer(("See.", ["a"]), texts={"a": "FIVE = 5\nand 8 days"}), answer(("See.", ["a"]))),
        ("language", ONE, answer(("The limit is five days.", ["a"])), answer(("Die Grenze ist nicht fest.", ["a"]))),
        ("falsely refused", ONE, answer(), answer(("x", ["a"]))),
        ("superseded as valid", TWO, answer(("It is 8.", ["old"])), answer(("It was 8, no longer.", ["old"]))),
        ("degraded", ONE, answer(("x", ["a"]), degraded=("The reranker failed.",)), answer(("x", ["a"]))),
        ("letters", ONE, answer(("Five whole days.", ["a"])), answer(("Five days.", ["a"]))),
        ("words", ONE, answer(("Five whole days.", ["a"])), answer(("Fivewholedays.", ["a"]))),
        ("time", ONE, answer(numbers={**SECONDS, "model_seconds": 2}), answer()),
        ("time of the search", ONE, answer(numbers={**SECONDS, "search_seconds": 2}), answer()),
        ("calls", ONE, answer(numbers={**SECONDS, "calls": 3}), answer(numbers={**SECONDS, "calls": 1})),
        (
            "calls in a row",
            ONE,
            answer(numbers={**SECONDS, "calls_in_a_row": 2}),
            answer(numbers={**SECONDS, "calls_in_a_row": 1}),
        ),
        ("tokens read", ONE, answer(numbers={**SECONDS, "tokens_in": 9}), answer(numbers={**SECONDS, "tokens_in": 8})),
        (
            "tokens written",
            ONE,
            answer(numbers={**SECONDS, "tokens_out": 9}),
            answer(numbers={**SECONDS, "tokens_out": 8}),
        ),
    ],
)
def test_each_metric_tells_more_from_less(name: str, asked: Question, better: Answer, worse: Answer) -> None:
    high, low = values(asked, better)[name], values(asked, worse)[name]
    assert high.part / high.whole > low.part / low.whole


def test_the_numbers_of_one_answer_are_exact() -> None:
    found = values(TWO, answer(("Five.", ["a", "d"]), ("Nine.", ["e"])))
    assert found["citation precision"] == Counted(pytest.approx(2 / 3))
    assert found["citation recall"] == found["citation recall: cross"] == Counted(0.5)
    assert found["time"] == Counted(pytest.approx(50))
    assert (found["letters"], found["words"]) == (Counted(len("Five.\nNine.")), Counted(2))
    assert values(FACTS, answer(("5 days.", ["a"])))["facts said"] == Counted(1, 2)


def test_a_metric_that_means_nothing_for_a_question_is_not_there() -> None:
    assert "citation recall" not in values(SECRET, answer(("x", ["a"])))
    assert "citation precision" not in values(ONE, answer())
    assert "superseded as valid" not in values(ONE, answer(("x", ["a"])))
    assert {"facts said", "language", "calls", "tokens read"}.isdisjoint(values(ONE, answer(("LIMIT = 5", ["a"]))))
    assert "letters" not in values(ONE, answer())


def test_every_value_belongs_to_a_metric_that_is_described_and_named_once() -> None:
    names = [metric.name for metric in METRICS]
    assert len(set(names)) == len(names)
    for asked in (ONE, TWO, FACTS, SECRET, NOWHERE):
        assert values(asked, answer(("The limit is five days.", ["a"]))).keys() <= set(names)


def test_an_old_document_is_right_only_where_every_statement_says_that_it_is_old() -> None:
    said = ("Five.", ["a"]), ("Replaced by the rules of 2026: eight.", ["old"])
    assert (row(TWO, answer(*said)).wrong, row(TWO, answer(*said)).as_valid) == ((), ())
    again = row(TWO, answer(*said, ("Eight.", ["old"])))
    assert (again.wrong, again.as_valid) == (("old",), ("old",))
    assert row(TWO, answer(("Die Regel gilt nicht mehr.", ["old"]))).as_valid == ()


def test_statements_that_were_left_out_are_no_lack_and_something_beside_them_is() -> None:
    left_out = {**SECONDS, "refused": 2}
    sentence = "2 statements of the model were left out."
    one = values(ONE, answer(("x", ["a"]), numbers=left_out, degraded=(sentence,)))
    two = values(ONE, answer(("x", ["a"]), numbers=left_out, degraded=(sentence, "Something else.")))
    assert (one["degraded"], two["degraded"]) == (Counted(0), Counted(1))


def test_what_went_wrong_is_said_a_sentence_for_each_question() -> None:
    rows = [row(TWO, answer(("x", ["a", "e"]))), row(ONE, answer()), row(ONE, answer(("x", ["a"])))]
    assert about(rows) == ["q: misses c; cites e.", "q: falsely refused."]


def test_what_the_script_made_up_counts_where_it_is_told_and_what_is_so_where_it_is_not() -> None:
    reader = Reader([ONE])
    reader.made = Counter({("q", TRUE): 2, ("q", SUPERSEDED): 1, ("q", UNRELATED): 2, ("q", MISTAKEN): 1})
    numbers = {**SECONDS, "calls": 1}
    told = [(f"{kind}: five.", ["a"]) for kind in (TRUE, UNRELATED)]
    told.append((str(INVENTED[0]["text"]), ["a"]))
    found = by_script(reader)["lies"](ONE, row(ONE, answer(*told, numbers=numbers)))
    assert found == {
        scores.kept("unrelated"): Counted(1, 2),
        scores.kept("mistaken"): Counted(0, 1),
        scores.MADE_UP: Counted(1, 2),
        scores.DROPPED: Counted(2, 3),
    }
    assert "language" not in by_script(reader)
