"""Answers: every statement rests on a source that was shown, numbered by program; without a model, quotes."""

from dataclasses import replace

import pytest
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models.function import FunctionModel

from core.errors import IndexUnusable
from core.types import Audience, NullMetrics
from review.answer import Answerer
from review.budget import Budget
from review.service import Models
from tests.review.fakes import AUDIENCE, HIDDEN, NOW, POLICY, Index, calls, evidence

REFUNDS = evidence("confluence:9", "Refunds of vouchers take five days.")


def answerer(model=None, *, index=None, **models):
    made = Models(model, **models) if model else None
    searcher = index or Index([POLICY, REFUNDS, HIDDEN])
    return Answerer(
        searcher, lambda _: [], models=made, clock=lambda: NOW, metrics=NullMetrics(), budget=Budget(seconds=5)
    )


def written(*statements, unanswered=()):
    """A model that gives one answer, and what it was asked."""
    asked = []

    def answer(messages, info):
        asked.append((messages, info))
        given = [{"text": text, "sources": list(sources)} for text, sources in statements]
        return calls((info.output_tools[0].name, {"statements": given, "open": list(unanswered)}))

    return FunctionModel(answer, model_name="scripted"), asked


def test_statements_carry_numbers_and_sources_are_the_program_s():
    model, _ = written(("Vouchers are valid for 90 days.", ["S1"]), ("Refunds take five days.", ["S2", "S1"]))
    answered = answerer(model).answer("How long is a voucher valid?", AUDIENCE)
    assert [one.sources for one in answered.statements] == [(1,), (2, 1)]
    assert [one.cited.locator for one in answered.references] == [POLICY.locator, REFUNDS.locator]
    assert answered.made_by == "scripted"
    assert answered.numbers["calls_in_a_row"] == 1


def test_a_statement_without_a_source_that_was_shown_is_dropped_and_counted():
    model, _ = written(("Invented.", ["S99"]), ("Also invented.", []), ("Valid for 90 days.", ["S1"]))
    answered = answerer(model).answer("How long?", AUDIENCE)
    assert [one.text for one in answered.statements] == ["Valid for 90 days."]
    assert answered.numbers["refused"] == 2


def test_links_and_mentions_in_a_statement_are_undone():
    model, _ = written(("Vouchers: see https://evil.example/x, @ann and [here](https://evil.example).", ["S1"]))
    (said,) = answerer(model).answer("How long?", AUDIENCE).statements
    assert "evil" not in said.text
    assert "@" not in said.text


def test_what_the_audience_may_not_read_is_not_shown():
    model, asked = written(("Valid.", ["S1"]))
    answered = answerer(model).answer("Salary bands of grade seven?", AUDIENCE)
    assert "grade seven are" not in str(asked[0][0])
    assert HIDDEN.document_id not in answered.rests_on


def test_what_is_withheld_from_models_is_said():
    model, asked = written(("Valid.", ["S2"]))
    answered = answerer(model, withheld=frozenset({"wiki"})).answer("How long?", AUDIENCE)
    assert asked == []
    assert any("Not shown to the model" in one.what for one in answered.unknowns)


def test_the_choice_gives_numbers_alone():
    turns = []

    def both(messages, info):
        turns.append(info)
        schema = info.output_tools[0].parameters_json_schema
        if "response" in schema["properties"]:
            return calls((info.output_tools[0].name, {"response": [2, 77]}))
        return calls((info.output_tools[0].name, {"statements": [{"text": "Five days.", "sources": ["S2"]}]}))

    third = evidence("confluence:10", "Gift cards are something else.")
    model = FunctionModel(both, model_name="scripted")
    answered = answerer(model, index=Index([POLICY, REFUNDS, third]), filtering=True).answer("Refunds?", AUDIENCE)
    assert [one.cited.locator for one in answered.references] == [REFUNDS.locator]
    assert answered.numbers["calls_in_a_row"] == 2


@pytest.mark.parametrize("answer", [ModelResponse(parts=[]), calls(("final_result", {"statements": "no"}))])
def test_a_model_that_gives_nothing_leaves_quotes(answer):
    model = FunctionModel(lambda _messages, _info: answer, model_name="scripted")
    answered = answerer(model).answer("How long is a voucher valid?", AUDIENCE)
    assert answered.made_by == "search alone"
    assert answered.statements[0].text.startswith("Voucher policy.") or "90 days" in answered.statements[0].text
    assert "gave no usable answer" in answered.degraded[0]


def test_without_a_model_the_sentence_that_fits_is_quoted():
    answered = answerer().answer("After how many days are vouchers refunded?", AUDIENCE)
    assert "no model is configured" in answered.made_by
    assert any("Refunds of vouchers take five days." in one.text for one in answered.statements)


def test_nothing_found_is_said():
    model, asked = written()
    for one in (answerer(model, index=Index([])), answerer(index=Index([]))):
        answered = one.answer("Anything?", Audience(frozenset({"org"})))
        assert answered.statements == ()
        assert any("Nothing was found" in unknown.what for unknown in answered.unknowns)
    assert asked == []


def test_an_index_out_of_use_is_an_unknown():
    answered = answerer(index=Index(error=IndexUnusable("broken"))).answer("Anything?", AUDIENCE)
    assert any("Nothing was searched" in unknown.what for unknown in answered.unknowns)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("A voucher is valid for 60 days.", "S1"),  # another number
        ("A voucher is valid for 90 hours.", "S1"),  # another unit
        ("A voucher is valid for ninety weeks.", "S1"),
        ("SHOP-7 makes a voucher valid for 90 days.", "S1"),  # a ticket that the page does not name
        ('It says "valid for ever" of a voucher.', "S1"),
        ("The voucher holds by MAX_DAYS.", "S1"),
        ("Dogs stay ashore during storms and gales.", "S1"),  # no word of it
        ("Refunds take ninety days.", "S2"),  # stands in a source that is not cited
    ],
)
def test_a_statement_that_its_source_does_not_say_is_dropped_and_that_is_said(text, source):
    model, _ = written((text, [source]), ("Refunds take 5 days.", ["S2"]))
    answered = answerer(model).answer("How long is a voucher valid?", AUDIENCE)
    assert [one.text for one in answered.statements] == ["Refunds take 5 days."]
    assert answered.numbers["refused"] == 1
    assert answered.degraded == ("A statement of the model was left out: no source that was read says so.",)


@pytest.mark.parametrize(
    "text",
    [
        "After purchase a voucher holds for ninety days.",
        'The "voucher policy" gives 90 days.',
        "Ein Gutschein gilt 90 Tage lang.",
        "Un bon est valable pendant 90 jours.",
        "바우처는 90일 동안 유효합니다.",
        "Both pages agree, and the two sources give 90 days for a voucher.",
    ],
)
def test_other_words_numbers_in_words_and_other_languages_are_kept(text):
    model, _ = written((text, ["S1"]))
    answered = answerer(model).answer("Wie lange?", AUDIENCE)
    assert len(answered.statements) == 1
    assert answered.degraded == ()


def test_of_several_sources_those_that_are_about_something_else_are_not_cited():
    other = evidence("confluence:10", "The cat of the office sleeps in the kitchen.")
    model, _ = written(("A voucher is valid for 90 days.", ["S1", "S2"]))
    answered = answerer(model, index=Index([POLICY, other])).answer("How long is a voucher valid?", AUDIENCE)
    assert [one.cited.locator for one in answered.references] == [POLICY.locator]


def test_where_no_statement_is_left_there_are_quotes():
    model, _ = written(("A voucher is valid for 60 days.", ["S1"]))
    answered = answerer(model).answer("How long is a voucher valid?", AUDIENCE)
    assert answered.made_by == "search alone"
    assert "no source that was read says what it said" in answered.degraded[0]
    assert any("90 days" in one.text for one in answered.statements)


@pytest.mark.parametrize(
    ("source", "text", "kind", "stands"),
    [
        ("REFUND_DAYS = 14", "A refund is paid within 14 days.", "code", True),
        ("REFUND_DAYS = 14", "A refund is paid within 41 days.", "code", False),
        ("MAX_BYTES = 10 * 1024 * 1024", "The code allows up to 10 MB in bytes.", "code", True),
        ("| What | Days |\n|---|---|\n| Server logs | 90 |", "Server logs are kept for 90 days.", "page", True),
        ("The lock lasts half an hour.", "The lock lasts 30 minutes.", "page", True),
        ("The lock is in force since 2026-06-15.", "The lock is in force since 15 June 2026.", "page", True),
        ("The lock is in force since 2026-06-15.", "The lock is in force since 16 June 2026.", "page", False),
        ("The lock lasts 30 minutes.", "The lock comes after 30 attempts.", "page", False),
        ("A fee of 1,000 euros is due.", "The fee is 1000 euros.", "page", True),
        ("A fee of 1,000 euros is due.", "The fee is 1000 dollars.", "page", False),
    ],
)
def test_numbers_stand_with_their_units_unless_the_source_writes_none(source, text, kind, stands):
    found = replace(evidence("confluence:11", source), kind=kind)
    model, _ = written((text, ["S1"]))
    answered = answerer(model, index=Index([found])).answer("What is it that is said of this?", AUDIENCE)
    assert (answered.made_by == "scripted") is stands


def test_a_source_carries_what_was_read_there_each_text_once():
    other = evidence("confluence:9", "They are paid back by card.")
    other = replace(other, locator=REFUNDS.locator)
    said = [("Refunds take five days.", ["S1"]), ("By card, after five days.", ["S2", "S1"])]
    model, _ = written(*said)
    answered = answerer(model, index=Index([REFUNDS, other])).answer("How long?", AUDIENCE)
    assert [one.texts for one in answered.references] == [(REFUNDS.text, other.text)]
