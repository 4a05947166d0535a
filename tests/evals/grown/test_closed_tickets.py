"""Questions from closed tickets of a whole company: real Jira, Confluence and Git formats, and what came later."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core.types import Filters, Query
from crosscheck.mcp.tools import TOOLS
from crosscheck.operations import Local
from crosscheck.own_operations import OwnOperations
from crosscheck.owner import owning
from crosscheck.wiring import Program
from evals.grown import asking
from evals.grown.files import Grown, GrownQuestion
from evals.grown.growing import about, grow
from evals.harness.types import Measurement
from evals.retrieval.errors import BadSet
from tests.crosscheck.live import opened
from tests.evals.grown import planted

BEGAN = datetime(2026, 5, 26, 16, 14, tzinfo=UTC)
"""A minute before the first commit."""


def quiet(_message: object) -> None: ...


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    home = tmp_path_factory.mktemp("grown")
    with opened(planted.company(home / "company"), home / "home") as made:
        program = Program(made.settings, made.secrets)
        with owning(program.settings.data, "test"), closing(program):
            for name in program.sources.names([]):
                program.sources.sync(name, True, quiet)
            yield program


@pytest.fixture(scope="module")
def grown(program: Program) -> Grown:
    return grow(Local(program), "org", "company", BEGAN, quiet)


@pytest.fixture(scope="module")
def question(grown: Grown) -> GrownQuestion:
    (found,) = [one for one in grown.questions if one.as_of == BEGAN.isoformat()]
    return found


def test_right_is_what_was_there_before_the_work_began(grown: Grown, question: GrownQuestion) -> None:
    assert {name: one.source for name, one in grown.right[question.id].items()} == {
        "git:booking-api:src/booking/accounts.py": "code",
        "git:booking-api:tests/test_accounts.py": "test",
        "confluence:9001": "doc",
        "confluence:9002": "doc",
    }


def test_the_question_is_in_the_words_of_then(question: GrownQuestion) -> None:
    title, _, text = question.text.partition("\n\n")
    assert title == "Locked although the password is new"
    assert text.endswith("after a reset the account must be open.")
    assert "zeroing the counter" not in text
    assert planted.KEY not in question.text


def test_the_ticket_what_belongs_to_it_and_its_commits_are_left_out(program: Program, question: GrownQuestion) -> None:
    held = program.audiences.named("org")
    commits = [one for one in program.searcher.lookup(planted.KEY, held) if one.kind == "commit"]
    assert {one.document_id for one in commits} <= set(question.without)
    assert question.id in question.without
    assert f"{question.id}:history" in question.without
    assert any(name.startswith(f"{question.id}:comment:") for name in question.without)


def test_nothing_that_came_later_is_found_but_code_as_it_is_today(program: Program, question: GrownQuestion) -> None:
    held, moment = program.audiences.named("org"), datetime.fromisoformat(question.as_of or "")
    filters = Filters(as_of=moment, code_of_today=True, without=frozenset(question.without))
    then = program.searcher.search(Query(question.text, filters=filters, limit=150), held).evidence
    today = program.searcher.search(Query(question.text, limit=150), held).evidence
    later = {"confluence:9004", "confluence:9005"}
    assert later <= {one.document_id for one in today}, "these would help"
    assert not later & {one.document_id for one in then}
    assert all(one.updated <= moment for one in then if one.kind != "code")
    assert {one.kind for one in then} >= {"code", "page", "commit"}


def test_a_later_commit_does_not_vote(program: Program, question: GrownQuestion) -> None:
    """`later.py` says the question's words, so only its arm can tell."""
    held = program.audiences.named("org")
    moment = datetime.fromisoformat(question.as_of or "")
    voted = {}
    for name, as_of in (("then", moment), ("later", moment + timedelta(days=100))):
        filters = Filters(as_of=as_of, code_of_today=True, without=frozenset(question.without))
        trace = program.searcher.search(Query(planted.WORDS, filters=filters, limit=150), held).trace
        voted[name] = {one.document_id for one in trace.candidates if "commit votes" in one.ranks}
    assert "git:booking-api:src/booking/later.py" in voted["later"] - voted["then"]


def test_what_makes_no_question_is_counted_with_its_reason(grown: Grown) -> None:
    assert grown.left_out == {"tickets are answered by nothing that was there before": 4}
    said = list(about(grown))
    assert said[0].startswith(f"Questions: {len(grown.of('tickets'))} from closed tickets, 0 from liked")
    assert any("Fewer than 30 from closed tickets" in one for one in said)


def test_an_audience_grows_from_what_it_may_read_alone(program: Program) -> None:
    def seen(labels: str) -> Grown:
        return grow(Local(program), labels, "company", BEGAN, quiet)

    with pytest.raises(BadSet, match="Nothing that =nothing may read makes a question"):
        seen("=nothing")
    booking = seen("=jira:BKG,repo:booking-api")
    assert booking.questions
    named = {name for right in booking.right.values() for name in right}
    assert all(name.startswith("git:booking-api:") for name in named)


def measured(program: Program, grown: Grown) -> dict[str, Measurement]:
    return {one.way: one for one in asking.measured(Local(program), grown, quiet)}


def test_the_set_is_asked_of_the_index_as_its_audience(program: Program, grown: Grown, question: GrownQuestion) -> None:
    ways = measured(program, grown)
    assert ways.keys() == {"search", "best arm"}
    search = ways["search"]
    assert (search.part, search.set) == ("retrieval", "company, tickets")
    assert search.values["recall@50"][question.id].part == 1
    assert search.values["code-and-doc hit@10"].keys() == {question.id}
    assert search.made_with["audience"] == "org"
    assert any("as of a minute before" in one for one in search.notes)
    assert any("what it says today" in one for one in search.notes)
    assert any("the intervals are wide" in one for one in search.notes)


def test_a_question_that_cannot_be_asked_is_a_failure_and_counts_nothing(
    program: Program, grown: Grown, question: GrownQuestion
) -> None:
    odd = GrownQuestion("odd", "?!", "tickets", None, ())
    more = Grown("company", "org", "", (question, odd), {**grown.right, "odd": grown.right[question.id]}, {})
    search = measured(program, more)["search"]
    assert [(one.case, one.what) for one in search.failures] == [("odd", "task")]
    assert search.values["recall@50"]["odd"].part == 0


def test_jira_that_does_not_answer_costs_its_tickets_alone(program: Program, question: GrownQuestion) -> None:
    from core.errors import SourceUnavailable
    from crosscheck.own_questions import of_tickets

    def down(name: str) -> Any:
        if f"jira:{name}" == question.id:
            return program.jira_reader.ticket(name)
        raise SourceUnavailable("Jira does not answer.")

    with program.index.searched() as generation:
        told = of_tickets(generation.store, down, program.audiences.named("org"), quiet)
    assert [one.id for one in told.questions] == [question.id]
    assert told.left_out["could not be read whole from Jira"] > 0


def test_no_program_with_a_token_may_ask_for_what_an_evaluation_asks(program: Program) -> None:
    assert not OwnOperations(program).all().keys() & {tool.operation for tool in TOOLS.values()}
