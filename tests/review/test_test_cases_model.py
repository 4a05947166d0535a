"""Test cases that a model proposes: verified against what was read, and never a step beyond it."""

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from review.budget import Budget
from review.service import Models
from tests.review.cases import AUDIENCE, page, ticket
from tests.review.drafts import Shop, hidden, of_kind

RULE = page("Voucher rules", "A voucher that was paid back is void.")
SUBJECT = ticket("Vouchers", "A voucher expires after 30 days.")


def case(**changes: Any) -> dict[str, Any]:
    """A case as a model writes it; S1 is the ticket."""
    return {
        "kind": "exception",
        "title": "An expired voucher at the checkout",
        "preconditions": ["A voucher of 31 days."],
        "steps": [{"action": "Enter its code.", "expected": "It is looked up."}, {"action": "Pay."}],
        "expected": "The voucher is refused.",
        "priority": "high",
        "reason": "Money is at stake.",
        "sources": [{"source": "S1", "quote": "A voucher expires after 30 days."}],
    } | changes


def answering(*cases, seen=None):
    def answer(messages, _info):
        if seen is not None:
            seen.append(messages)
        return ModelResponse(parts=[ToolCallPart("final_result", {"cases": list(cases)})])

    return FunctionModel(answer, model_name="scripted")


def drafted(model, *evidence, purse=None, withheld=frozenset(), budget=None):
    shop = Shop({"T-1": SUBJECT}, evidence)
    models = Models(model, purse=purse, withheld=withheld)
    return shop.drafter(models, budget=budget).draft("T-1", AUDIENCE)


def test_a_case_whose_quote_stands_is_added_with_the_program_s_reference():
    draft = drafted(answering(case()))
    (added,) = [one for one in draft.cases if one.by_model]
    assert added.sources[0].locator == SUBJECT.locator
    assert [step.expected for step in added.steps] == ["It is looked up.", ""]
    assert (draft.made_by, draft.dropped) == ("rules and scripted", 0)
    assert len(of_kind(draft, "boundary")) == 3  # those of the rules stay
    assert draft.numbers["model_requests"] == 1


@pytest.mark.parametrize(
    "sources",
    [
        [],
        [{"source": "S1", "quote": "A voucher never expires."}],
        [{"source": "S99", "quote": "A voucher expires after 30 days."}],
        [{"source": "S1", "quote": " "}],
    ],
)
def test_a_case_without_a_source_that_stands_is_dropped_and_counted(sources):
    draft = drafted(answering(case(sources=sources), case(title="Another one", expected="")))
    assert not [one for one in draft.cases if one.by_model]
    assert draft.dropped == 2


def test_a_quote_counts_only_in_the_very_source_that_was_named():
    misplaced = [{"source": "S1", "quote": "A voucher that was paid back is void."}]
    draft = drafted(answering(case(sources=misplaced)), RULE)
    assert draft.dropped == 1


def test_one_standing_source_is_enough_and_the_false_one_goes():
    sources = [{"source": "S1", "quote": "invented"}, {"source": "S1", "quote": "expires after 30 days"}]
    draft = drafted(answering(case(sources=sources)))
    (added,) = [one for one in draft.cases if one.by_model]
    assert [cited.quote for cited in added.sources] == ["expires after 30 days"]


def test_links_mentions_and_markup_of_a_model_do_not_survive():
    hostile = case(
        title="Open [this](https://evil.example/x) @everyone",
        steps=[{"action": "Go to https://evil.example/login <!channel>", "expected": "[~admin] sees www.evil.example"}],
        reason="See mailto:a@evil.example\nand more",
    )
    draft = drafted(answering(hostile))
    (added,) = [one for one in draft.cases if one.by_model]
    texts = " ".join([added.title, added.reason, *(f"{step.action} {step.expected}" for step in added.steps)])
    assert "evil.example" not in texts
    assert not set("@<[\n") & set(texts)


def test_the_same_condition_twice_is_one_case_and_the_rule_s_stays():
    again = case(title="At the checkout an expired voucher")
    rule = case(kind="boundary", title="30 days (at the limit): A voucher expires after 30 days")
    draft = drafted(answering(case(), again, rule))
    assert len([one for one in draft.cases if one.by_model]) == 1


def test_a_model_that_proposes_too_much_is_cut_and_counted():
    draft = drafted(answering(*(case(title=f"Voucher {'x' * n}") for n in range(1, 31))))
    assert len([one for one in draft.cases if one.by_model]) == 15
    assert draft.dropped == 15


def test_a_failing_model_leaves_the_rules_draft_and_says_so():
    def broken(_messages, _info):
        return ModelResponse(parts=[ToolCallPart("final_result", {"cases": "none"})])

    draft = drafted(FunctionModel(broken, model_name="broken"))
    assert draft.made_by == "rules alone"
    assert any("no usable answer" in one for one in draft.degraded)
    assert len(draft.cases) == 3


@dataclass
class Spent:
    limit: int = 10
    taken: int = 0

    def left(self) -> int:
        return 0

    def take(self, tokens: int) -> None:
        self.taken += tokens


def test_a_spent_day_is_said_and_no_model_is_asked():
    seen: list[Any] = []
    draft = drafted(answering(case(), seen=seen), purse=Spent())
    assert seen == []
    assert any("tokens of a day" in one for one in draft.degraded)


def test_what_is_withheld_or_hidden_does_not_reach_the_model():
    seen: list[Any] = []
    secret = page("Prices", "The secret discount is at most 77 percent of a voucher.")
    drafted(
        answering(case(), seen=seen),
        RULE,
        secret,
        hidden(page("Pay", "Salary of grade 7")),
        withheld=frozenset({"pages"}),
    )
    assert "77 percent" not in repr(seen)
    assert "paid back is void" not in repr(seen)
    assert "Salary" not in repr(seen)
    assert "expires after 30 days" in repr(seen)


def test_what_is_withheld_is_an_unknown_and_what_was_said_is_on_record():
    draft = drafted(answering(case()), RULE, withheld=frozenset({"pages"}))
    assert any("Not shown to the model" in one.what for one in draft.unknowns)
    assert [entry["step"] for entry in draft.audit][-1] == "answer"


def test_the_sources_of_a_prompt_are_bounded():
    seen: list[Any] = []
    long = page("Long", f"A voucher {'word ' * 9000}")
    drafted(answering(case(), seen=seen), long, budget=Budget(source_characters=2_000, prompt_characters=5_000))
    assert len(seen[0][0].parts[0].content) < 12_000
