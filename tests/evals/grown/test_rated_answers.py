"""Questions from answers that people rated: a real database, verdicts as Slack brings them."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from crosscheck.console.readers import Reader
from crosscheck.own_questions import EVEN, NOTHING_LEFT, OTHERS, OwnQuestion, Told, of_verdicts
from state.db import open_database
from state.feedback import Feedback
from state.jobs import Jobs
from state.looking import Looking
from tests import fakes

LABELS = {
    "confluence:5": frozenset({"confluence:POL"}),
    "git:shop:src/lock.py": frozenset({"repo:shop"}),
    "git:shop:tests/test_lock.py": frozenset({"repo:shop"}),
    "jira:1": frozenset({"jira:SEC"}),
    "jira:2": frozenset({"jira:PAY"}),
}
KINDS = {name: {"confluence": "page", "git": "code", "jira": "ticket"}[name.partition(":")[0]] for name in LABELS}
HELD = frozenset({"confluence:POL", "repo:shop", "slack:C1", "jira:PAY"})


class House:
    """Jobs that ended, and what people thought of them."""

    def __init__(self, folder: Path) -> None:
        self.database = open_database(folder / "state.sqlite")
        clock, self.number = fakes.Clock(), 0
        self.jobs, self.feedback = Jobs(self.database, clock), Feedback(self.database, clock)

    def answered(self, *cited: str, question: str = "When is an account locked?", **more: Any) -> int:
        sources = [{"number": at, "document": name, "title": name} for at, name in enumerate(cited, 1)]
        statements = [{"text": "After five.", "sources": [at]} for at in range(1, len(cited) + 1)]
        answer = {"question": question, "statements": statements, "sources": sources, "audience": sorted(HELD)}
        return self.ended({"answer": {**answer, **more.pop("answer", {})}}, **more)

    def ended(self, result: Mapping[str, Any], surface: str = "slack", place: str = "C1", subject: str = "x") -> int:
        self.number += 1
        key = str(self.number)
        payload = {"surface": surface, "place_id": place, "message_id": "7"}
        number = self.jobs.accept(key, "message", payload, surface=surface, via="event", subject=subject)
        claim = self.jobs.claim("w", timedelta(minutes=5))
        assert number is not None
        assert claim is not None
        self.jobs.finish(claim, "done", result)
        return number

    def told(self, held: frozenset[str] = HELD) -> Told:
        reader = Reader(held, LABELS.get, lambda: frozenset[str]().union(*LABELS.values()))

        def kind_of(name: str) -> str | None:
            return KINDS[name] if name in LABELS and LABELS[name] <= held else None

        return of_verdicts(Looking(self.database), self.jobs, reader, kind_of, lambda _message: None)


@pytest.fixture
def house(tmp_path: Path):
    made = House(tmp_path)
    yield made
    made.database.dispose()


def only(told: Told) -> OwnQuestion:
    (one,) = told.questions
    return one


def test_a_liked_answer_is_a_question_with_what_it_cites(house: House) -> None:
    job = house.answered("confluence:5", "git:shop:src/lock.py", "git:shop:tests/test_lock.py", "jira:2")
    house.feedback.add(job, "Ann", "up")
    one = only(house.told())
    assert (one.id, one.text, one.as_of, one.liked) == (f"job:{job}", "When is an account locked?", None, True)
    groups = ["doc", "code", "test", "ticket"]
    names = ["confluence:5", "git:shop:src/lock.py", "git:shop:tests/test_lock.py", "jira:2"]
    assert one.right == dict(zip(names, groups, strict=True))
    assert one.without == ()


def test_sources_that_no_statement_cites_are_not_right(house: House) -> None:
    job = house.answered("confluence:5", "jira:2", answer={"statements": [{"text": "Five.", "sources": [2]}]})
    house.feedback.add(job, "Ann", "up")
    assert only(house.told()).right == {"jira:2": "ticket"}


def test_of_a_person_s_verdicts_the_last_counts_and_of_people_the_most(house: House) -> None:
    changed, most, even = (house.answered("confluence:5") for _ in range(3))
    for job, person, verdict in (
        (changed, "Ann", "up"),
        (changed, "Ann", "down"),
        (most, "Ann", "down"),
        (most, "Bea", "up"),
        (most, "Cem", "up"),
        (even, "Ann", "down"),
        (even, "Bea", "up"),
    ):
        house.feedback.add(job, person, verdict)
    told = house.told()
    assert {one.id: one.liked for one in told.questions} == {f"job:{changed}": False, f"job:{most}": True}
    assert told.left_out == {EVEN: 1}


def test_many_verdicts_are_read_page_by_page(house: House) -> None:
    jobs = [house.answered("confluence:5") for _ in range(3)]
    for number in range(150):
        for job in jobs:
            house.feedback.add(job, f"person {number}", "up" if number else "down")
    assert [one.id for one in house.told().questions] == [f"job:{job}" for job in reversed(jobs)]


def test_what_was_asked_and_is_for_others_is_counted_and_not_told(house: House) -> None:
    for job in (house.answered("jira:1"), house.answered("confluence:5", place="C2")):
        house.feedback.add(job, "Ann", "up")
    private = house.answered("confluence:5", surface="slack_private")
    house.feedback.add(private, "Ann", "up")
    told = house.told()
    assert (told.questions, told.left_out) == ((), {OTHERS: 3})


def test_an_answer_whose_sources_are_gone_is_no_question(house: House) -> None:
    everything = frozenset({"slack:C1", "org"}).union(*LABELS.values())
    house.feedback.add(house.answered("confluence:6"), "Ann", "up")
    assert house.told(everything).left_out == {NOTHING_LEFT: 1}


def test_reviews_and_answers_that_say_nothing_are_passed_over(house: House) -> None:
    for result in ({"review": {"findings": []}}, {"refused": "no"}, {"answer": {"statements": [], "sources": []}}):
        house.feedback.add(house.ended(result), "Ann", "up")
    assert house.told() == Told((), {})


def test_the_comment_that_asked_must_not_help(house: House) -> None:
    job = house.answered("confluence:5", surface="jira", place="2", subject="PAY-1")
    house.feedback.add(job, "Ann", "down")
    one = only(house.told())
    assert one.without == ("jira:2:comment:7",)
    assert not one.liked
