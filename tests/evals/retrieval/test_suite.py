"""What `crosscheck eval all` measures of retrieval, on the whole company."""

import json
from collections.abc import Mapping

import pytest

from evals.harness import stored
from evals.harness.types import Measurement
from evals.questions.types import Question
from evals.retrieval import sandbox
from evals.retrieval.suite import measurements

Key = tuple[str, str]


@pytest.fixture(scope="module")
def made() -> Mapping[Key, Measurement]:
    return {(one.set, one.way): one for one in measurements(lambda _line: None)}


def test_questions_and_grown_tickets_are_measured_in_every_way(made: Mapping[Key, Measurement]) -> None:
    sets = ("sandbox questions, open", "sandbox questions, held", "sandbox, tickets")
    ways = {(name, way) for name in sets for way in ("search", "BM25", "best arm")}
    assert made.keys() == ways - {("sandbox, tickets", "BM25")}
    for one in made.values():
        assert one.part == "retrieval"
        assert {"recall@10", "nDCG@10", "MRR", "MRR@10", "P@1", "Acc@1"} <= {metric.name for metric in one.metrics}
        assert one.failures == ()
    questions = made["sandbox questions, open", "search"]
    assert {"recall@10 code", "recall@10 doc", "code-and-doc hit@10"} <= {metric.name for metric in questions.metrics}


def test_search_finds_what_is_wanted(made: Mapping[Key, Measurement]) -> None:
    for part in ("open", "held"):
        values = made[f"sandbox questions, {part}", "search"].values["recall@20"]
        assert sum(one.part for one in values.values()) / len(values) > 0.9


def test_of_the_held_part_nothing_but_numbers_is_told(made: Mapping[Key, Measurement]) -> None:
    for (name, _), one in made.items():
        cases = {case for values in one.values.values() for case in values}
        if "held" in name:
            assert cases == {f"held {at:02}" for at in range(1, len(cases) + 1)}
    run = stored.as_json(stored.made(one for (name, _), one in made.items() if "held" in name), "retrieval")
    assert "page:" not in json.dumps(run)


def test_a_question_s_way_and_a_map_are_there_to_be_drawn(made: Mapping[Key, Measurement]) -> None:
    drawn = {key: [one.kind for one in measured.figures] for key, measured in made.items() if measured.figures}
    assert drawn == {("sandbox questions, open", "search"): ["flow", "map"]}
    flow, on_map = made["sandbox questions, open", "search"].figures
    assert flow.data["trace"]["candidates"]
    json.dumps([flow.data, on_map.data])


def test_any_document_of_a_group_is_right_and_takes_one_place() -> None:
    wanted = (frozenset({"page:1", "ticket:A-1"}), frozenset({"page:1", "file:shop/a.py"}), frozenset({"qa:T-1"}))
    question = Question("q", "open", "cross", "?", frozenset(), wanted, ((), (), ()), frozenset(), frozenset())
    groups = sandbox._groups(question)
    assert sandbox._in_groups(["page:9", "ticket:A-1", "page:1", "file:shop/a.py"], groups) == [
        "page:9",
        "group 1",
        "group 2",
    ]
    (right,) = sandbox.set_of({"q": question}, "open").relevant.values()
    assert {name: one.source for name, one in right.items()} == {"group 1": "", "group 2": "", "group 3": "test"}
