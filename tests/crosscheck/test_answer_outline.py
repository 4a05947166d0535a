"""The reply to a question as people read it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.function import FunctionModel

from bots.outline import Link
from bots.plain import plain
from core.embedders import Embedders
from core.embedding.static import StaticEmbedder
from core.errors import IndexUnusable
from core.types import Audience, Freshness, NullMetrics
from crosscheck.answer_outline import answer_outline
from review.answer import Answerer
from review.budget import Budget
from review.service import Models
from tests.core.parts import EVERYBODY, Bench, document
from tests.review.discussions import discussion
from tests.review.fakes import AUDIENCE, HIDDEN, NOW, OPEN, POLICY, Index, calls

SALARY = "What are the salary bands of grade seven?"
STALE = Freshness("wiki", 3, NOW - timedelta(days=9), stale=True, labels=OPEN)


def answerer(index, model=None, fresh=()):
    made = Models(model) if model else None
    return Answerer(
        index, lambda _: fresh, models=made, clock=lambda: NOW, metrics=NullMetrics(), budget=Budget(seconds=5)
    )


def saying(*statements):
    """A model that gives these statements, citing the first source."""
    given = [{"text": text, "sources": ["S1"]} for text in statements]
    return FunctionModel(
        lambda _messages, info: calls((info.output_tools[0].name, {"statements": given})), model_name="scripted"
    )


def text(answered):
    return plain(answer_outline(answered))


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path / "index", Embedders.same(StaticEmbedder()))
    yield made
    made.store.close()


def test_a_source_has_title_kind_and_date_and_opens_at_its_place():
    answered = answerer(Index([POLICY]), saying("Valid for 90 days.")).answer("How long?", AUDIENCE)
    assert "Valid for 90 days. [1]" in text(answered)
    assert "1. Page confluence:7 <https://jira.example/confluence/7> (page, changed 2026-11-02)" in text(answered)


def test_a_remark_in_the_thread_is_a_source_with_its_day():
    said = "Vouchers of partners are valid for a year."
    answered = answerer(Index([])).answer(
        "How long are vouchers of partners valid?", AUDIENCE, discussion=discussion(said)
    )
    assert f"{said} [1]" in text(answered)
    assert "Thread in #returns <https://slack.example/archives/C1/p1> (thread, said 2026-11-02)" in text(answered)


def test_a_stale_source_is_said_beside_it_and_among_what_is_not_known():
    told = text(answerer(Index([POLICY]), saying("Valid."), [STALE]).answer("How long?", AUDIENCE))
    assert "(page, changed 2026-11-02, from a source that was not read lately)" in told
    assert "What changed lately in wiki is not known (last read: 2026-10-24 09:00 UTC)." in told


def test_a_stale_source_that_is_hidden_is_not_named():
    hidden = replace(STALE, source="payroll", labels=HIDDEN.labels)
    assert "payroll" not in text(answerer(Index([POLICY]), saying("Valid."), [hidden]).answer("How long?", AUDIENCE))


def test_a_model_that_is_down_is_said_and_quotes_are_given():
    def down(_messages, _info):
        raise ModelHTTPError(400, "scripted")

    told = text(answerer(Index([POLICY]), FunctionModel(down, model_name="scripted")).answer("Voucher days?", AUDIENCE))
    assert "Vouchers are valid for 90 days after purchase. [1]" in told
    assert "These are quotes of what was found." in told


def test_what_comes_nearest_is_named_with_its_link():
    near = replace(POLICY, locator=replace(POLICY.locator, title="Voucher policy"))
    outline = answer_outline(answerer(Index([near]), saying()).answer("Who prints vouchers?", AUDIENCE))
    first = outline[0]
    assert plain((first,)).strip() == (
        "I found nothing that everybody here may see about “Who prints vouchers?”. "
        "Nearest: Voucher policy <https://jira.example/confluence/7> (page, changed 2026-11-02)."
    )
    assert [span.locator.document_id for span in first.spans if isinstance(span, Link)] == ["confluence:7"]


def test_nothing_near_leaves_the_sentence_alone():
    outline = answer_outline(answerer(Index([POLICY]), saying()).answer(SALARY, AUDIENCE))
    assert plain(outline[:1]).strip() == f"I found nothing that everybody here may see about “{SALARY}”."


def test_a_long_question_is_cut():
    told = plain(answer_outline(answerer(Index([]), saying()).answer("why " * 300, AUDIENCE))[:1])
    assert len(told) < 160
    assert "…”." in told


def test_an_index_out_of_use_is_not_told_as_nothing_found():
    told = text(answerer(Index(error=IndexUnusable("broken"))).answer("Anything?", AUDIENCE))
    assert "I could not search for anything about “Anything?”." in told
    assert "I found nothing" not in told


QUESTIONS = (SALARY, "Salary bands", "What does PAY-7 say of salaries?", "PAY-7", "and grade seven?")


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("model", [None, saying()])
def test_what_is_restricted_is_told_as_what_does_not_exist(bench: Bench, question: str, model):
    open_ = [
        document("Refunds are paid within two weeks.", id="wiki:1", title="Refunds"),
        document("A salary is paid on the last day of the month.", id="wiki:2", title="Salary days"),
    ]
    board = Audience(frozenset({"org", "board"}))
    secret = document(
        "Salary bands of grade seven: 5,000 to 6,000.",
        id="wiki:3",
        title="Salary bands of grade seven",
        labels=board.labels,
        keys=frozenset({"PAY-7"}),
    )
    one = answerer(bench.searcher, model)
    bench.index(*open_)
    without = answer_outline(one.answer(question, EVERYBODY))
    bench.index(*open_, secret)
    answered = one.answer(question, EVERYBODY)
    assert answer_outline(answered) == without
    assert "wiki:3" not in answered.rests_on
    assert "wiki:3" in one.answer(question, board).rests_on
    closed = one.answer(question, board, closed=frozenset({"wiki:3"}))
    assert answer_outline(replace(closed, audience=answered.audience)) == without
