"""The scripted model, driven by the real SDKs through pydantic-ai."""

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
import requests
from pydantic import BaseModel
from pydantic_ai import Agent, ModelSettings, NativeOutput
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelOverloadedError,
    ModelRateLimitError,
    ModelServerError,
    UnexpectedModelBehavior,
)
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from sandbox.model_replies import Empty, Fails, Hangs, Pace, Paced, Says, Structured, ToolCall

SETTINGS = ModelSettings(max_tokens=2000, max_retries=0, request_timeout=5)


class Verdict(BaseModel):
    title: str
    findings: list[str]


@pytest.fixture(params=["openai", "anthropic"])
def chat(request, sandbox):
    """Makes the provider's model on an HTTP client."""

    def make(client, key=sandbox.model.key):
        if request.param == "openai":
            provider = OpenAIProvider(base_url=sandbox.model_url + "/v1", api_key=key, http_client=client)
            return OpenAIChatModel("m", provider=provider)
        provider = AnthropicProvider(base_url=sandbox.model_url, api_key=key, http_client=client)
        return AnthropicModel("m", provider=provider)

    return make


def ask(chat, *, output=str, tools=(), settings=SETTINGS, stream=False, **options):
    async def run():
        async with httpx2.AsyncClient(trust_env=False) as client:
            agent = Agent(chat(client, **options), output_type=output, tools=tools)
            if not stream:
                return (await agent.run("go", model_settings=settings)).output
            async with agent.run_stream("go", model_settings=settings) as result:
                return [text async for text in result.stream_text(delta=True, debounce_by=None)]

    return asyncio.run(run())


def test_a_structured_agent_with_one_tool_call(sandbox, chat):
    sandbox.model.script([ToolCall("search", {"text": "lock"}), Structured({"title": "ok", "findings": ["a", "b"]})])
    asked = []

    def search(text: str) -> str:
        """Search."""
        asked.append(text)
        return "found it"

    assert ask(chat, output=Verdict, tools=[search]) == Verdict(title="ok", findings=["a", "b"])
    assert asked == ["lock"]
    assert "found it" in str(sandbox.model.requests[1])
    assert sandbox.model.left == 0


def test_structured_output_by_response_format(sandbox):
    sandbox.model.script([Structured({"title": "t", "findings": []})])

    def make(client):
        provider = OpenAIProvider(base_url=sandbox.model_url + "/v1", api_key=sandbox.model.key, http_client=client)
        return OpenAIChatModel("gpt-5", provider=provider)

    assert ask(make, output=NativeOutput(Verdict)) == Verdict(title="t", findings=[])
    assert sandbox.model.requests[0]["response_format"]["type"] == "json_schema"


def test_a_callable_sees_the_request_and_parallel_calls_arrive(sandbox, chat):
    called = []
    sandbox.model.script(
        [
            [ToolCall("note", {"text": "1"}), ToolCall("note", {"text": "2"})],
            lambda request: f"{len(request['messages'])}",
        ]
    )

    def note(text: str) -> str:
        """Note."""
        called.append(text)
        return text

    assert int(ask(chat, tools=[note])) > 1
    assert sorted(called) == ["1", "2"]


def test_streaming_when_the_client_asks(sandbox, chat):
    sandbox.model.script([Says("a longer text that comes in several pieces")])
    pieces = ask(chat, stream=True)
    assert "".join(pieces) == "a longer text that comes in several pieces"
    assert len(pieces) > 1
    assert sandbox.model.requests[0]["stream"] is True


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Fails(429, {"retry-after": "7"}), ModelRateLimitError),
        (Fails(529), ModelOverloadedError),
        (Fails(500), ModelServerError),
        (Fails(400), ModelAPIError),
    ],
)
def test_errors_reach_the_client_as_the_providers(sandbox, chat, reply, error):
    sandbox.model.script([reply])
    with pytest.raises(error) as caught:
        ask(chat)
    assert caught.value.status_code == reply.status
    if reply.status == 429:
        assert caught.value.retry_after == 7


def test_a_page_instead_of_an_answer(sandbox, chat):
    sandbox.model.script([Fails(200, {"content-type": "text/html"}, "<html>log in</html>")])
    with pytest.raises((ModelAPIError, UnexpectedModelBehavior)):
        ask(chat)


def test_no_choices(sandbox, chat):
    sandbox.model.script([Empty()] * 3)
    with pytest.raises((IndexError, UnexpectedModelBehavior)):
        ask(chat)


def test_a_hanging_model_is_given_up_by_the_client(sandbox, chat):
    sandbox.model.script([Hangs()])
    started = time.monotonic()
    with pytest.raises(ModelAPIError):
        ask(chat, settings=SETTINGS | {"request_timeout": 0.3})
    assert time.monotonic() - started < 3


def test_a_wrong_key_and_an_empty_script(sandbox, chat):
    with pytest.raises(ModelAuthenticationError):
        ask(chat, key="wrong")
    assert sandbox.model.requests == []
    with pytest.raises(ModelAPIError):
        ask(chat)


def stream_times(sandbox, path, headers, asked):
    """Seconds until each event that holds a part of the reply, and the reply."""
    started, times, parts = time.monotonic(), [], []
    with requests.post(sandbox.model_url + path, json=asked, headers=headers, stream=True, timeout=10) as answer:
        for line in answer.iter_lines():
            if not line.startswith(b"data: {"):
                continue
            event = json.loads(line[6:])
            delta = event.get("delta") or (event.get("choices") or [{}])[0].get("delta") or {}
            function = (delta.get("tool_calls") or [{}])[0].get("function", {})
            text = delta.get("text") or delta.get("content") or delta.get("partial_json") or function.get("arguments")
            if text:
                times.append(time.monotonic() - started)
                parts.append(text)
    return times, "".join(parts)


PROVIDERS = [("/v1/chat/completions", "authorization", "Bearer {}"), ("/v1/messages", "x-api-key", "{}")]


@pytest.mark.parametrize(("path", "header", "form"), PROVIDERS)
@pytest.mark.parametrize("reply", ["word " * 40, ToolCall("look", {"text": "word " * 36})])
def test_a_reply_streams_at_its_pace(sandbox, path, header, form, reply):
    sandbox.model.script([reply])
    sandbox.model.pace = Pace(first=0.1, per_second=200)
    asked = {"model": "m", "messages": [], "stream": True, "max_tokens": 100}
    times, text = stream_times(sandbox, path, {header: form.format(sandbox.model.key)}, asked)
    assert text == (reply if isinstance(reply, str) else json.dumps(reply.arguments))
    assert 0.1 <= times[0] < 0.2
    assert 0.1 + 48 / 200 <= times[-1] < 0.6
    assert all(at >= 0.1 + 5 * number / 200 - 0.01 for number, at in enumerate(times))
    span = sandbox.model.spans[0]
    assert times[-1] - 0.05 < span.ended - span.started < times[-1] + 0.05
    assert span.written == len(text) // 4
    assert 0 < span.read < 10


@pytest.mark.parametrize(("path", "header", "form"), PROVIDERS)
def test_a_whole_reply_takes_as_long(sandbox, path, header, form):
    sandbox.model.script([Paced("word " * 40, Pace(first=0.1, per_second=200)), "at once"])
    for least, most in ((0.35, 0.6), (0, 0.1)):
        started = time.monotonic()
        asked = {"model": "m", "messages": [], "max_tokens": 100}
        headers = {header: form.format(sandbox.model.key)}
        assert requests.post(sandbox.model_url + path, json=asked, headers=headers, timeout=10).status_code == 200
        assert least <= time.monotonic() - started < most


def test_requests_side_by_side_are_answered_by_what_they_ask(sandbox):
    def rule(request):
        said = request["messages"][0]["content"]
        return Paced(said.upper(), Pace(first=0.2)) if said.isalpha() else None

    sandbox.model.answer_by(rule, ["from the script"])
    url, headers = sandbox.model_url + "/v1/chat/completions", {"authorization": f"Bearer {sandbox.model.key}"}

    def ask(said):
        asked = {"model": "m", "messages": [{"role": "user", "content": said}]}
        answer = requests.post(url, json=asked, headers=headers, timeout=10)
        return answer.json()["choices"][0]["message"]["content"] if answer.ok else answer.status_code

    started = time.monotonic()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, ["code", "pages", "42", "both"])) == ["CODE", "PAGES", "from the script", "BOTH"]
    assert time.monotonic() - started < 0.5
    assert ask("43") == 400
    assert len(sandbox.model.requests) == 5


def test_a_stream_can_be_cut_by_a_fault(sandbox):
    sandbox.model.script(["word " * 40])
    sandbox.faults.add("POST", "/v1/messages", "drop_after")
    with pytest.raises(requests.ConnectionError):
        requests.post(
            sandbox.model_url + "/v1/messages",
            json={"model": "m", "messages": [], "stream": True, "max_tokens": 9},
            headers={"x-api-key": sandbox.model.key},
            timeout=10,
        )
    assert sandbox.exchanges.all("model")[-1].status == 0
