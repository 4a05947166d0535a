"""What is made of the answers that an installation gives to a grown set."""

from collections.abc import Mapping
from typing import Any

from evals.grown.asking import measured
from evals.grown.files import Grown, GrownQuestion, Slice
from evals.harness.types import Measurement
from evals.retrieval.types import Judgement

WORDS, MEANING = "content words", "content meaning"


class Installation:
    """Answers each question with what is known of its text."""

    def __init__(self, answers: Mapping[str, Mapping[str, Any]]) -> None:
        self._answers = answers

    def run(self, name: str, arguments: Mapping[str, Any], report: object) -> dict[str, Any]:
        assert name == "own_search"
        answers = [dict(self._answers[one["text"]]) for one in arguments["questions"]]
        return {"answers": answers, "documents by": "letters", "code by": "letters"}


def found(*documents: str, **arms: list[str]) -> dict[str, Any]:
    return {"seconds": 0.1, "documents": list(documents), "arms": arms, "degraded": []}


def asked(slice_: Slice, answers: Mapping[str, Mapping[str, Any]], right: str = "jira:1") -> dict[str, Measurement]:
    questions = tuple(GrownQuestion(f"job:{text}", text, slice_, None, ()) for text in answers)
    judged = {one.id: {right: Judgement(1, "ticket")} for one in questions}
    grown = Grown("own", "org", "", questions, judged, {})
    return {one.way: one for one in measured(Installation(answers), grown, lambda _message: None)}


def test_a_question_that_could_not_be_asked_is_no_success_where_less_is_better() -> None:
    (one,) = asked("disliked", {"asked": found("jira:1"), "?!": {"refused": "There is no word."}}).values()
    assert [failure.case for failure in one.failures] == ["job:?!"]
    assert {name: dict(values) for name, values in one.values.items()} == {
        "first again": {"job:asked": (1.0, 1.0)},
        "again@5": {"job:asked": (1, 1)},
    }


def test_no_way_is_called_what_it_is_not() -> None:
    """An arm ranks code and documents apart, so what the arm of words finds is no BM25 over one index."""
    arms = {WORDS: ["jira:1"], MEANING: ["jira:2"]}
    ways = asked("liked", {"asked": found("jira:1", **arms)})
    assert ways.keys() == {"search", "best arm"}
    assert ways["best arm"].made_with["arm"] == WORDS
    assert any("in turns" in note for note in ways["best arm"].notes)
