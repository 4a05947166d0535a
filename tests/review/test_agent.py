"""The agent: what it is given, what its verdicts do, and that every way of failing leaves the rules' review."""

import threading
import time

import pytest
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

from core.tickets import Change
from review.agents import loop
from review.agents.choosing import View
from review.agents.fence import Fence, redacted
from review.agents.models import build_model
from review.agents.prompt import Matter, build
from review.budget import Budget
from review.errors import ModelNotKnown
from review.reading import Reading
from review.types import Priority
from tests.review.fakes import (
    ANN,
    AUDIENCE,
    NOW,
    POLICY,
    Index,
    NullMetrics,
    Tickets,
    World,
    calls,
    comment,
    evidence,
    finding,
    link,
    new,
    quoting,
    review_call,
    scripted,
    ticket,
)

PLAIN = Budget()


def reading_of(one, *documents):
    made = Reading(Tickets({one.key: one}), Index(list(documents)), AUDIENCE, PLAIN, NullMetrics())
    return made, made.ticket_under_review(one.key, None)[0]


def built(one, made, *facts):
    everything = View(lambda passage: True)
    return build(Matter(one, made.register, facts, "", "en", Fence(), PLAIN), everything)


def capture(seen, answer=None):
    def model(messages, info):
        seen.append((messages, info))
        return answer or review_call()

    return FunctionModel(model)


def test_the_model_is_given_the_ticket_the_evidence_and_the_rules_findings():
    seen = []
    one = ticket(comments=(comment(1, "Ask the shop first."), comment(3, "#qa-check bitte auf Deutsch")))
    World(Tickets({"SHOP-1": one})).reviewer(model=capture(seen)).review("SHOP-1", AUDIENCE, trigger="3")
    messages, info = seen[0]
    case = messages[0].parts[0].content
    for text in (
        one.description,
        "Ask the shop first.",
        POLICY.text,
        "F1, P1, conflict",
        "F2, P2",
        "bitte auf Deutsch",
    ):
        assert text in case
    assert case.index("bitte auf Deutsch") < case.index("# Sources")
    assert {tool.name for tool in info.function_tools} == {"search", "lookup", "open_source"}
    assert [tool.name for tool in info.output_tools] == ["final_result"]
    assert info.model_settings["max_tokens"] == PLAIN.answer_tokens


def test_a_finding_dropped_with_a_reason_goes_and_is_said():
    verdict = {"finding": "F1", "decision": "drop", "reason": "The policy is about another kind of voucher."}
    review = World().reviewer(model=scripted(review_call(verdicts=[verdict]))).review("SHOP-1", AUDIENCE)
    assert [f.rule for f in review.findings] == ["no-criteria"]
    assert [one.what for one in review.settled] == [
        "Set aside by the model: The term is in conflict. Its reason: The policy is about another kind of voucher.",
    ]


def test_a_merged_finding_leaves_its_evidence_and_urgency():
    verdict = {"finding": "F1", "decision": "merge", "into": "F2", "reason": "Both ask for the missing term."}
    review = World().reviewer(model=scripted(review_call(verdicts=[verdict]))).review("SHOP-1", AUDIENCE)
    (told,) = review.findings
    assert told.rule == "no-criteria"
    assert told.priority is Priority.P1
    assert [cited.quote for cited in told.evidence] == ["", "expires after 30 days", "valid for 90 days"]
    assert review.settled[0].what.startswith("Told together with another by the model: The term is in conflict.")


def test_what_a_tool_finds_can_be_cited():
    page = evidence("confluence:12", "Refunds of vouchers are not possible.", kind="page")

    def model(messages, info):
        if not info.function_tools:
            return review_call()
        if len(messages) == 1:
            return calls(("lookup", {"identifier": "Refund rules"}))
        (answer,) = (part.content for part in messages[-1].parts if isinstance(part, ToolReturnPart))
        source = answer.split('id="')[1].split('"')[0]
        return review_call(findings=[new(citations=[{"source": source, "quote": "Refunds of vouchers"}])])

    world = World(index=Index([POLICY, page], {"Refund rules": "confluence:12"}))
    world.index.documents = [POLICY, page]
    review = world.reviewer(model=FunctionModel(model)).review("SHOP-1", AUDIENCE)
    told = next(f for f in review.findings if f.rule == "model")
    assert told.evidence[0].locator == page.locator


def test_the_pydantic_ai_test_model_goes_all_the_way():
    review = World().reviewer(model=TestModel(call_tools="all")).review("SHOP-1", AUDIENCE)
    assert review.made_by == "rules and test"
    assert [f.rule for f in review.findings] == ["a-rule", "no-criteria"]


def test_a_model_that_hangs_is_left_at_the_deadline():
    async def hang(messages, info):
        await loop.asyncio.sleep(60)

    started = time.perf_counter()
    review = World().reviewer(model=FunctionModel(hang), budget=Budget(seconds=0.3)).review("SHOP-1", AUDIENCE)
    assert time.perf_counter() - started < 3
    assert review.made_by == "rules alone"
    assert "it took too long" in review.degraded[0]


def test_a_mistake_of_ours_in_a_tool_is_not_taken_for_the_models():
    world = World()

    def broken(query, audience):
        if len(world.index.queries) > 1:
            raise ZeroDivisionError
        return Index.search(world.index, query, audience)

    world.index.search = broken
    with pytest.raises(ZeroDivisionError):
        world.reviewer(model=scripted(calls(("search", {"query": "x"})))).review("SHOP-1", AUDIENCE)


def test_reviews_in_threads_share_one_loop():
    reviewer = World().reviewer(model=scripted(calls(("search", {"query": "x"})), review_call(findings=[new()])))
    made = []
    threads = [threading.Thread(target=lambda: made.append(reviewer.review("SHOP-1", AUDIENCE))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [review.made_by for review in made] == ["rules and scripted"] * 6
    assert len([t for t in threading.enumerate() if t.name.startswith("model-")]) == 1


def test_a_prompt_has_a_limit_and_what_did_not_fit_is_counted():
    many = tuple(comment(n, f"Remark {n}. " + "word " * 1_000) for n in range(200))
    made, one = reading_of(ticket(comments=many, links=tuple(link(f"SHOP-{n}") for n in range(2, 20))))
    prompt = built(one, made, finding(quoting(many[3], "Remark 3.")))
    assert len(prompt.case) < PLAIN.prompt_characters + 20_000
    assert "Remark 199." in prompt.case
    assert "Remark 3." in prompt.case
    assert "Remark 100." not in prompt.case
    own = {one.id for one in made.register if one.kind == "comment"}
    assert len(own - prompt.uncut) > 150


def test_of_a_long_history_the_newest_changes_are_shown():
    history = tuple(Change(NOW, ANN, "description", "old", f"version {n:03}") for n in range(50))
    made, one = reading_of(ticket(history=history))
    cited = finding(quoting(one, "after: version 002"))
    case = built(one, made, cited).case
    assert [f"version {n:03}" in case for n in (2, 29, 30, 49)] == [True, False, True, True]


@pytest.mark.parametrize(
    "secret",
    [
        "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
        "xoxb-" + "1234567890-abcdefghij",
        "AKIA" + "ABCDEFGHIJKLMNOP",
        "sk-" + "ant-api03-" + "a1" * 12,
        "glpat-" + "x9" * 10,
        ".".join(("eyJ" + "hbGciOiJI", "eyJ" + "zdWIiOiIx", "SflKxwRJSMeKKF")),
    ],
)
def test_well_known_credentials_are_taken_out(secret):
    assert redacted(f"before {secret} after") == "before [credential removed] after"


def test_a_cut_does_not_leave_a_part_of_a_credential():
    made, _ = reading_of(ticket(description="x" * 60 + " ghp_" + "a1B2" * 9))
    (shown,) = (p for p in made.register if p.kind == "ticket")
    assert "ghp_" not in Fence().passage(shown, 100)


def test_ordinary_text_is_left_as_it_is():
    text = "See https://host.example:8080/a@b and mask-task-desk-risk-with-words; A1B2."
    assert redacted(text) == text


@pytest.mark.parametrize("name", ["", "openai", "openai:", "other:model", "gpt-9"])
def test_a_model_that_cannot_be_built_is_said(name):
    with pytest.raises(ModelNotKnown):
        build_model(name, None, "key")


def test_a_local_server_needs_no_key_but_a_provider_does():
    assert build_model("openai:local", "http://127.0.0.1:9/v1", "").model_name == "local"
    for name in ("openai:gpt-4o", "anthropic:claude-sonnet-4-5"):
        with pytest.raises(ModelNotKnown):
            build_model(name, None, "")


@pytest.mark.parametrize(
    ("name", "temperature"),
    [("openai:gpt-4o", 0.0), ("anthropic:claude-sonnet-4-5", 0.0), ("openai:gpt-5", None), ("openai:o3", None)],
)
def test_temperature_is_zero_where_the_model_takes_one(name, temperature):
    settings = build_model(name, None, "key").settings or {}
    assert settings.get("temperature") == temperature
    assert settings["max_retries"] == 0


def test_the_clock_is_the_reviews():
    assert World().reviewer().review("SHOP-1", AUDIENCE).at == NOW
