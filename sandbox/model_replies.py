"""What the scripted model may answer, and how each provider writes it down."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Says:
    """Plain text; `cut` ends it at the token limit."""

    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Structured:
    """The structured output that the request asks for: by its output tool, or as JSON when it names a format."""

    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Fails:
    """An error answer; without a body, the provider's own error object. HTML: a body and its content type."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None


@dataclass(frozen=True, slots=True)
class Empty:
    """No choice, no content."""


@dataclass(frozen=True, slots=True)
class Hangs:
    """No answer until the client goes away."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a reply comes: seconds until its first token, then tokens a second."""

    first: float = 0.0
    per_second: float = 0.0
    """0: all at once."""

    def seconds(self, tokens: int) -> float:
        """From the request until so many tokens are there."""
        return self.first + (tokens / self.per_second if self.per_second else 0.0)


@dataclass(frozen=True, slots=True)
class Paced:
    """An answer at a pace of its own."""

    answer: "str | Says | ToolCall | list[ToolCall] | Structured | Empty"
    pace: Pace


Answer = str | Says | ToolCall | list[ToolCall] | Structured | Fails | Empty | Hangs | Paced
Scripted = Answer | Callable[[Json], Answer]
"""A callable gets the request's JSON and gives the answer."""


Rule = Callable[[Json], Answer | None]
"""Gives the answer to a request by what it asks; None leaves it to the script."""


@dataclass(frozen=True, slots=True)
class Message:
    """An answer that is a message, whatever the provider."""

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    cut: bool = False
    empty: bool = False

    @property
    def tokens(self) -> int:
        return tokens_of(self.text) + sum(tokens_of(json.dumps(arguments)) for _, arguments in self.calls)


def message_of(answer: "str | Says | ToolCall | list[ToolCall] | Structured | Empty", request: Json) -> Message:
    if isinstance(answer, str):
        return Message(answer)
    if isinstance(answer, Says):
        return Message(answer.text, cut=answer.cut)
    if isinstance(answer, Empty):
        return Message(empty=True)
    if isinstance(answer, Structured):
        tool = output_tool(request)
        if tool is None:
            return Message(json.dumps(answer.value))
        return Message(calls=((tool, answer.value),))
    calls = answer if isinstance(answer, list) else [answer]
    return Message(calls=tuple((call.name, call.arguments) for call in calls))


def tool_names(request: Json) -> list[str]:
    """The tools that a request offers, of either provider."""
    return [str(tool.get("name") or tool.get("function", {}).get("name")) for tool in request.get("tools") or []]


def output_tool(request: Json) -> str | None:
    """The tool by which the request wants its result: the one it forces, else the one called `final_result...`."""
    if request.get("response_format", {}).get("type") == "json_schema" or "output_config" in request:
        return None
    choice = request.get("tool_choice")
    if isinstance(choice, dict):
        forced = choice.get("name") or choice.get("function", {}).get("name")
        if forced:
            return str(forced)
    return next((name for name in tool_names(request) if name.startswith("final_result")), None)


def openai_json(message: Message, request: Json, number: int) -> Json:
    """A `chat.completion`."""
    calls = [
        {"id": f"call_{number}_{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for at, (name, args) in enumerate(message.calls)
    ]
    said: Json = {"role": "assistant", "content": message.text or None, "refusal": None}
    if calls:
        said["tool_calls"] = calls
    choice = {"index": 0, "message": said, "finish_reason": _openai_reason(message), "logprobs": None}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_760_000_000 + number,
        "model": request.get("model", "scripted"),
        "choices": [] if message.empty else [choice],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def _openai_reason(message: Message) -> str:
    if message.cut:
        return "length"
    return "tool_calls" if message.calls else "stop"


Piece = tuple[str, int]
"""A server-sent event, and how many tokens of the reply it holds."""


def openai_stream(message: Message, request: Json, number: int) -> Iterator[Piece]:
    """The same as server-sent events."""
    whole = openai_json(message, request, number)
    head = {key: whole[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    usage = whole["usage"] if (request.get("stream_options") or {}).get("include_usage") else None

    def chunk(delta: Json, reason: str | None = None, tokens: int = 0) -> Piece:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return _event(head | {"choices": [choice]}), tokens

    for choice in whole["choices"]:
        yield chunk({"role": "assistant", "content": ""})
        for piece in _pieces(message.text):
            yield chunk({"content": piece}, tokens=tokens_of(piece))
        for at, call in enumerate(choice["message"].get("tool_calls", [])):
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            yield chunk({"tool_calls": [{"index": at, **call, "function": {"name": name, "arguments": ""}}]})
            for piece in _pieces(arguments):
                part = {"index": at, "function": {"arguments": piece}}
                yield chunk({"tool_calls": [part]}, tokens=tokens_of(piece))
        yield chunk({}, choice["finish_reason"])
    if usage:
        yield _event(head | {"choices": [], "usage": usage}), 0
    yield "data: [DONE]\n\n", 0


def anthropic_json(message: Message, request: Json, number: int) -> Json:
    """A `message`."""
    content: list[Json] = [{"type": "text", "text": message.text, "citations": None}] if message.text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{number}_{at}", "name": name, "input": dict(args)}
        for at, (name, args) in enumerate(message.calls)
    ]
    reason = "max_tokens" if message.cut else "tool_use" if message.calls else "end_turn"
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": request.get("model", "scripted"),
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20},
    }


def anthropic_stream(message: Message, request: Json, number: int) -> Iterator[Piece]:
    """The same as server-sent events."""
    whole = anthropic_json(message, request, number)
    start = whole | {"content": [], "stop_reason": None}
    yield _named({"type": "message_start", "message": start}), 0
    for at, block in enumerate(whole["content"]):
        text = block["type"] == "text"
        opened: Json = {**block, "text": ""} if text else {**block, "input": {}}
        kind, part = ("text_delta", "text") if text else ("input_json_delta", "partial_json")
        yield _named({"type": "content_block_start", "index": at, "content_block": opened}), 0
        for piece in _pieces(block["text"] if text else json.dumps(block["input"])):
            delta = {"type": kind, part: piece}
            yield _named({"type": "content_block_delta", "index": at, "delta": delta}), tokens_of(piece)
        yield _named({"type": "content_block_stop", "index": at}), 0
    end: Json = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield _named({"type": "message_delta", "delta": end, "usage": {"output_tokens": 20}}), 0
    yield _named({"type": "message_stop"}), 0


def tokens_of(text: str) -> int:
    """About as many as a tokenizer makes of it: one for four letters."""
    return -(-len(text) // 4)


def _pieces(text: str, size: int = 20) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _event(data: Json) -> str:
    return f"data: {json.dumps(data)}\n\n"


def _named(data: Json) -> str:
    return f"event: {data['type']}\n{_event(data)}"
