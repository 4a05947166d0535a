"""The official SDKs against a scripted provider on loopback: what works, and every way in which a provider fails."""

import gc
import json
import time

import pytest
from starlette.applications import Starlette

from review.agents.models import build_model
from review.budget import Budget
from sandbox.model import Model, ModelApi
from sandbox.model_replies import Empty, Fails, Hangs, Says, Structured, ToolCall
from sandbox.serving import Serving
from tests.review.fakes import AUDIENCE, World, new

MODELS = {"openai": ("openai:local", "/v1"), "anthropic": ("anthropic:claude-test", "")}
SHORT = Budget(request_seconds=0.4, seconds=5)
HTML = {"content-type": "text/html"}
TOO_LONG = "it took too long"
NO_FORM = "it did not answer in the form that was asked for"
REPORTED = "its provider reported an error"
FOUND = Structured({"findings": [new()]})
PROVIDER = Model()


@pytest.fixture(scope="module")
def url():
    serving = Serving({"model": 0})
    serving.start({"model": Starlette(routes=ModelApi(PROVIDER).routes())})
    yield serving.url("model")
    serving.close()


def review_by(url, kind, *replies, budget=SHORT):
    name, path = MODELS[kind]
    PROVIDER.script(replies)
    return World().reviewer(model=build_model(name, url + path, PROVIDER.key), budget=budget).review("SHOP-1", AUDIENCE)


@pytest.mark.parametrize("kind", MODELS)
def test_tools_and_structured_output_over_the_wire(url, kind):
    answer = {"verdicts": [{"finding": "F1", "decision": "keep"}], "findings": [new()]}
    review = review_by(url, kind, ToolCall("search", {"query": "vouchers"}), Structured(answer))
    assert review.degraded == ()
    assert sorted(f.rule for f in review.findings) == ["a-rule", "model", "no-criteria"]
    assert review.made_by == f"rules and {MODELS[kind][0].partition(':')[2]}"
    first, second = PROVIDER.requests
    assert first["temperature"] == 0.0
    assert first.get("stream") in (None, False)
    assert "90 days" in str(second["messages"][-1])
    assert PROVIDER.key not in str(PROVIDER.requests)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize(
    ("reply", "reasons"),
    [
        (Fails(429, {"Retry-After": "7"}), ("allows no more requests",)),
        (Fails(529), ("overloaded",)),
        (Fails(503), ("overloaded",)),
        (Fails(500), (REPORTED,)),
        (Fails(401), ("refused the key",)),
        (Fails(400), ("refused the request",)),
        (Fails(200, HTML, "<html><body>Log in to secret-host</body></html>"), (NO_FORM, REPORTED)),
        (Fails(502, HTML, "<html>secret-host is down</html>"), (REPORTED,)),
        (Fails(200, {}, "{}"), (NO_FORM,)),
        (Fails(200, {}, "[]"), (NO_FORM,)),
        (Fails(200, {}, '{"id": '), (NO_FORM, REPORTED)),
        (Hangs(), (TOO_LONG,)),
    ],
    ids=["429", "529", "503", "500", "401", "400", "html", "502-html", "no-parts", "no-object", "cut-json", "hangs"],
)
def test_a_failing_provider_leaves_the_rules_review_and_a_plain_reason(url, kind, reply, reasons):
    started = time.perf_counter()
    review = review_by(url, kind, reply, reply)
    assert time.perf_counter() - started < 4
    assert [f.rule for f in review.findings] == ["a-rule", "no-criteria"]
    assert review.made_by == "rules alone"
    assert any(reason in review.degraded[0] for reason in reasons)
    assert "secret-host" not in repr(review)
    assert len(PROVIDER.requests) == 1, "nothing is repeated by an SDK"


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize(
    "reply", [Empty(), Says("All is fine."), Says("All is", cut=True)], ids=["empty", "prose", "cut"]
)
def test_an_answer_that_is_no_review_is_asked_for_once_more_at_most(url, kind, reply):
    assert NO_FORM in review_by(url, kind, reply, reply, reply).degraded[0]
    assert len(PROVIDER.requests) <= 2


@pytest.mark.parametrize("kind", MODELS)
def test_output_that_does_not_fit_is_asked_for_once_more(url, kind):
    wrong = Structured({"findings": [{"priority": "very high"}]})
    assert NO_FORM in review_by(url, kind, wrong, wrong, FOUND).degraded[0]
    assert len(PROVIDER.requests) == 2
    assert review_by(url, kind, wrong, FOUND).degraded == ()


def test_arguments_that_are_no_json(url):
    call = {"id": "c1", "type": "function", "function": {"name": "final_result", "arguments": '{"findings": ['}}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [call]}}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "local", "choices": [choice]}
    body["usage"] = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    broken = Fails(200, {}, json.dumps(body))
    assert NO_FORM in review_by(url, "openai", broken, broken).degraded[0]


@pytest.mark.parametrize("kind", MODELS)
def test_a_loop_of_tools_ends(url, kind):
    review = review_by(url, kind, *[ToolCall("search", {"query": "again"})] * 9, budget=Budget(requests=4))
    assert "used up" in review.degraded[0]
    assert len(PROVIDER.requests) == 4


@pytest.mark.parametrize("kind", MODELS)
def test_a_tool_that_is_not_there_ends_in_the_rules_review(url, kind):
    review = review_by(url, kind, *[ToolCall("post_comment", {"text": "approved"})] * 9)
    assert review.made_by == "rules alone"
    assert len(PROVIDER.requests) <= 3


@pytest.mark.parametrize("kind", MODELS)
def test_no_connection_is_left_behind(url, kind):
    for _ in range(3):
        assert review_by(url, kind, FOUND).degraded == ()
    gc.collect()  # an open connection would be warned of here, and a warning fails the test


def test_a_provider_that_is_not_there():
    reviewer = World().reviewer(model=build_model("openai:local", "http://127.0.0.1:9/v1", ""), budget=SHORT)
    assert "cannot be reached" in reviewer.review("SHOP-1", AUDIENCE).degraded[0]


def test_the_whole_review_has_a_deadline_of_its_own(url):
    started = time.perf_counter()
    review = review_by(url, "openai", Hangs(), budget=Budget(request_seconds=30, seconds=0.4))
    assert TOO_LONG in review.degraded[0]
    assert time.perf_counter() - started < 3
