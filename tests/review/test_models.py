"""The official SDKs against a scripted provider on loopback: what works, and every way in which a provider fails."""

import gc
import json
import time

import pytest
from starlette.applications import Starlette

from review.agents.failures import JudgingFailed
from review.agents.models import build_model, with_fallback
from review.agents.supervisor import try_out
from review.budget import Budget
from review.errors import ModelFailed
from sandbox.model import Model, ModelApi
from sandbox.model_replies import Empty, Fails, Hangs, Says, Structured, ToolCall
from sandbox.serving import Serving
from tests.review.fakes import POLICY, Bench, evidence, finding, new, quoting

MODELS = {"openai": ("openai:local", "/v1"), "anthropic": ("anthropic:claude-test", "")}
SHORT = Budget(request_seconds=0.3, seconds=5)
HTML = {"content-type": "text/html"}
TOO_LONG = "it took too long"
NO_FORM = "it did not answer in the form that was asked for"
REPORTED = "its provider reported an error"
FOUND = Structured({"findings": [new()]})
NOTHING = Structured({})
PROVIDER, OTHER = Model(), Model()
OVERFLOW = {
    "openai": {
        "error": {"message": "This is too long.", "type": "invalid_request_error", "code": "context_length_exceeded"}
    },
    "anthropic": {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 2 > 1"}},
}
TOO_MUCH = {kind: Fails(400, {}, json.dumps(body)) for kind, body in OVERFLOW.items()}


@pytest.fixture(scope="module")
def urls():
    serving = Serving({"model": 0, "other": 0})
    serving.start(
        {name: Starlette(routes=ModelApi(one).routes()) for name, one in (("model", PROVIDER), ("other", OTHER))}
    )
    yield serving.url("model"), serving.url("other")
    serving.close()


def bench(urls, kind, *replies, other=None, budget=SHORT, **given):
    """A review by the provider's model, which gives these replies; `other` are those of the fallback."""
    name, path = MODELS[kind]
    PROVIDER.script(replies)
    model = build_model(name, urls[0] + path, PROVIDER.key)
    if other is not None:
        OTHER.script(other)
        model = with_fallback(model, build_model(name.replace("claude", "other"), urls[1] + path, OTHER.key))
    return Bench(model, budget=budget, **given)


def fails(made):
    with pytest.raises(JudgingFailed) as caught:
        made.judge()
    return str(caught.value)


def fact(made):
    return finding(quoting(made.ticket, "expires after 30 days"))


@pytest.mark.parametrize("kind", MODELS)
def test_tools_and_structured_output_over_the_wire(urls, kind):
    made = bench(urls, kind, ToolCall("search", {"query": "vouchers", "variants": ["coupons"]}), FOUND, NOTHING)
    judged = made.judge()
    assert made.reading.degraded == ()
    assert [f.rule for f in judged.findings] == ["model"]
    assert judged.by == MODELS[kind][0].partition(":")[2]
    first, second, last = PROVIDER.requests
    assert first["temperature"] == 0.0
    assert first.get("stream") in (None, False)
    assert "90 days" in str(second["messages"][-1])
    assert "C1, P1, missing rule, from S1" in str(last["messages"])
    assert PROVIDER.key not in str(PROVIDER.requests)
    assert (judged.usage.requests, judged.usage.in_a_row) == (3, 3)
    assert judged.usage.tokens == 3 * 120


def test_what_all_reviews_begin_with_is_marked_for_the_provider_to_keep(urls):
    begins = []
    for _ in range(2):
        bench(urls, "anthropic", NOTHING).judge()
        (request,) = PROVIDER.requests
        fixed, changing = request["system"]
        assert "cache_control" in fixed
        assert "cache_control" not in changing
        assert "Text between <source-" in changing["text"]
        assert "cache_control" in request["tools"][-1]
        begins.append((request["tools"], fixed, changing))
    assert begins[0][:2] == begins[1][:2]
    assert begins[0][2] != begins[1][2]


def test_without_marks_the_fixed_part_comes_first_all_the_same(urls):
    begins = []
    for _ in range(2):
        bench(urls, "openai", NOTHING).judge()
        (request,) = PROVIDER.requests
        begins.append(json.dumps([request["tools"], request["messages"][0]]).partition("Text between <source-")[0])
    assert begins[0] == begins[1]


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize(
    ("reply", "reasons", "asked"),
    [
        (Fails(429, {"Retry-After": "7"}), ("allows no more requests",), 1),
        (Fails(529), ("overloaded",), 3),
        (Fails(503), ("overloaded",), 3),
        (Fails(500), (REPORTED,), 3),
        (Fails(401), ("refused the key",), 1),
        (Fails(400), ("refused the request",), 1),
        (Fails(200, HTML, "<html><body>Log in to secret-host</body></html>"), (NO_FORM, REPORTED), 3),
        (Fails(502, HTML, "<html>secret-host is down</html>"), (REPORTED,), 3),
        (Fails(200, {}, "{}"), (NO_FORM,), 3),
        (Fails(200, {}, "[]"), (NO_FORM,), 3),
        (Fails(200, {}, '{"id": '), (NO_FORM, REPORTED), 3),
        (Hangs(), (TOO_LONG,), 3),
        (Empty(), (NO_FORM,), 3),
    ],
    ids=[
        "429",
        "529",
        "503",
        "500",
        "401",
        "400",
        "html",
        "502-html",
        "no-parts",
        "no-object",
        "cut",
        "hangs",
        "empty",
    ],
)
def test_a_provider_that_keeps_failing_is_given_up_with_a_plain_reason(urls, kind, reply, reasons, asked):
    started = time.perf_counter()
    made = bench(urls, kind, *[reply] * 5)
    said = fails(made)
    assert time.perf_counter() - started < 4
    assert any(reason in said for reason in reasons)
    assert "secret-host" not in said
    assert len(PROVIDER.requests) <= asked


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize(
    "reply",
    [Fails(429, {"Retry-After": "0"}), Fails(529), Fails(500), Empty(), Fails(200, {}, "{}"), Hangs()],
    ids=["429", "529", "500", "empty", "no-parts", "hangs"],
)
def test_a_request_that_failed_is_repeated_and_nothing_is_said_of_it(urls, kind, reply):
    made = bench(urls, kind, reply, FOUND, reply, NOTHING)
    assert [f.rule for f in made.judge().findings] == ["model"]
    assert made.reading.degraded == ()


def test_the_time_that_a_provider_names_is_waited_for(urls):
    made = bench(urls, "openai", Fails(429, {"Retry-After": "1"}), FOUND, NOTHING)
    started = time.perf_counter()
    assert made.judge().findings
    assert 1 <= time.perf_counter() - started < 3


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize(
    "reply",
    [Fails(401), Fails(400), Fails(529), Hangs(), Empty(), Fails(200, {}, "[]"), Says("All is", cut=True)],
    ids=["401", "400", "529", "hangs", "empty", "no-object", "cut"],
)
def test_the_fallback_is_asked_where_the_first_fails(urls, kind, reply):
    made = bench(urls, kind, *[reply] * 9, other=[FOUND, NOTHING])
    judged = made.judge()
    assert [f.rule for f in judged.findings] == ["model"]
    assert judged.by == {"openai": "local", "anthropic": "other-test"}[kind]
    assert len(OTHER.requests) == 2
    if kind == "anthropic":
        assert made.reading.degraded == ("claude-test did not always answer; other-test was asked instead.",)


@pytest.mark.parametrize("kind", MODELS)
def test_the_fallback_is_asked_where_the_first_never_answers_in_the_form(urls, kind):
    wrong = Structured({"findings": [{"priority": "very high"}]})
    made = bench(urls, kind, wrong, wrong, NOTHING, other=[FOUND])
    assert [f.rule for f in made.judge().findings] == ["model"]
    assert len(OTHER.requests) == 1


def test_a_long_wait_is_no_reason_to_wait_when_another_model_is_there(urls):
    made = bench(urls, "openai", *[Fails(429, {"Retry-After": "30"})] * 3, other=[FOUND, NOTHING])
    started = time.perf_counter()
    assert made.judge().findings
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize("kind", MODELS)
def test_what_is_too_long_is_sent_once_more_with_less(urls, kind):
    many = [evidence(f"confluence:{n}", f"Policy {n}. " + f"word{n} " * 900) for n in range(12)]
    made = bench(urls, kind, TOO_MUCH[kind], FOUND, NOTHING, documents=many)
    assert [f.rule for f in made.judge().findings] == ["model"]
    long, short, _ = (len(json.dumps(request["messages"])) for request in PROVIDER.requests)
    assert short < long / 2


@pytest.mark.parametrize("kind", MODELS)
def test_what_stays_too_long_is_given_up(urls, kind):
    assert "more to read than it can take in" in fails(bench(urls, kind, *[TOO_MUCH[kind]] * 4))
    assert len(PROVIDER.requests) == 2


@pytest.mark.parametrize("kind", MODELS)
def test_an_answer_in_prose_is_asked_for_once_more_at_most(urls, kind):
    assert NO_FORM in fails(bench(urls, kind, *[Says("All is fine.")] * 3))
    assert len(PROVIDER.requests) <= 2


@pytest.mark.parametrize("kind", MODELS)
def test_an_answer_that_is_cut_short_is_asked_for_once_more_with_less_to_read(urls, kind):
    cut = Says("All is", cut=True)
    assert "its answer was cut short" in fails(bench(urls, kind, cut, cut, cut))
    assert len(PROVIDER.requests) == 2


def test_a_refusal_is_not_repeated(urls):
    choice = {"index": 0, "finish_reason": "content_filter", "message": {"role": "assistant", "content": "I can not."}}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "local", "choices": [choice]}
    refused = Fails(200, {}, json.dumps(body | {"usage": None}))
    assert "it refused to answer" in fails(bench(urls, "openai", refused, refused))
    assert len(PROVIDER.requests) == 1
    assert bench(urls, "openai", refused, refused, other=[FOUND, NOTHING]).judge().findings


def test_a_refusal_of_anthropics(urls):
    said = {"type": "text", "text": "I can not."}
    body = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "c",
        "content": [said],
        "stop_reason": "refusal",
    }
    refused = Fails(
        200, {}, json.dumps(body | {"stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 3}})
    )
    assert "it refused to answer" in fails(bench(urls, "anthropic", refused, refused))
    assert len(PROVIDER.requests) == 1


@pytest.mark.parametrize("kind", MODELS)
def test_output_that_does_not_fit_is_asked_for_once_more(urls, kind):
    wrong = Structured({"findings": [{"priority": "very high"}]})
    assert NO_FORM in fails(bench(urls, kind, wrong, wrong, FOUND))
    assert len(PROVIDER.requests) == 2
    assert bench(urls, kind, wrong, FOUND, NOTHING).judge().findings


def test_arguments_that_are_no_json(urls):
    call = {"id": "c1", "type": "function", "function": {"name": "final_result", "arguments": '{"findings": ['}}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [call]}}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "local", "choices": [choice]}
    body["usage"] = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    broken = Fails(200, {}, json.dumps(body))
    assert NO_FORM in fails(bench(urls, "openai", broken, broken))


@pytest.mark.parametrize("kind", MODELS)
def test_a_loop_of_tools_ends(urls, kind):
    said = fails(bench(urls, kind, *[ToolCall("search", {"query": "again"})] * 9, budget=Budget(requests=5)))
    assert "used up" in said
    assert len(PROVIDER.requests) == 3
    assert "You asked this already" in str(PROVIDER.requests[-1]["messages"])


@pytest.mark.parametrize("kind", MODELS)
def test_a_tool_that_is_not_there_ends_in_the_rules_review(urls, kind):
    fails(bench(urls, kind, *[ToolCall("post_comment", {"text": "approved"})] * 9))
    assert len(PROVIDER.requests) <= 3


@pytest.mark.parametrize("kind", MODELS)
def test_no_connection_is_left_behind(urls, kind):
    for _ in range(3):
        assert bench(urls, kind, FOUND, NOTHING).judge().findings
    gc.collect()  # an open connection would be warned of here, and a warning fails the test


def test_a_provider_that_is_not_there():
    model = build_model("openai:local", "http://127.0.0.1:9/v1", "")
    assert "cannot be reached" in fails(Bench(model, budget=SHORT))
    with pytest.raises(ModelFailed, match="cannot be reached"):
        try_out(model)


def test_trying_a_model_out_tries_its_fallback_too(urls):
    made = bench(urls, "openai", Says("yes"), other=[Fails(401)])
    with pytest.raises(ModelFailed, match="refused the key"):
        try_out(made.model)
    assert len(PROVIDER.requests) == len(OTHER.requests) == 1


def test_the_whole_review_has_a_deadline_of_its_own(urls):
    started = time.perf_counter()
    said = fails(bench(urls, "openai", *[Hangs()] * 4, budget=Budget(request_seconds=30, seconds=0.5)))
    assert TOO_LONG in said
    assert time.perf_counter() - started < 2


def test_what_was_spent_and_sent_is_known_of_a_failed_review_too(urls):
    made = bench(urls, "openai", FOUND, *[Fails(400)] * 3)
    made.facts.append(fact(made))
    with pytest.raises(JudgingFailed) as caught:
        made.judge()
    assert caught.value.usage.requests == 2
    assert caught.value.usage.tokens >= 120
    assert POLICY.text in str(caught.value.audit)
