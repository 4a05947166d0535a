"""A model that answers each question of the product in its form and at a usual length, with quotes that stand."""

import re
from collections.abc import Mapping
from typing import Any

from sandbox.model_replies import Answer, Json, Structured, ToolCall, output_tool, tool_names

_SOURCE = re.compile(r'<(source-\w+) id="(S\d+)"[^>]*>\n.*?\n---\n(.*?)\n</\1>', re.DOTALL)
_FINDING = re.compile(r"^(F\d+|C\d+),", re.MULTILINE)
_QUOTE = 80  # characters
_SENTENCE = 160  # characters


def reply(request: Json) -> Answer:
    """By the form that is asked for: an agent that has tools looks once before it answers."""
    tools = set(tool_names(request)) - {output_tool(request)}
    fields = _fields(request)
    if "search" in tools and not any(message["role"] == "tool" for message in request["messages"]):
        return ToolCall("search", {"query": "who is told, after how many attempts, and when it ends"})
    text = "\n".join(str(message.get("content") or "") for message in request["messages"])
    if "response" in fields:
        return Structured({"response": [1, 2, 3, 5, 8]})
    if "statements" in fields:
        return Structured({"statements": [_statement(text, at) for at in range(3)], "open": []})
    if "cases" in fields:
        return Structured({"cases": [_case(text, at) for at in range(4)]})
    if "dropped" in fields:
        return Structured({"sources": _named(text), "checks": [_check(text)], "dropped": []})
    if "verdicts" in fields:
        known = dict.fromkeys(_FINDING.findall(text))
        verdicts = [{"finding": one, "decision": "keep", "into": "", "reason": ""} for one in known]
        return Structured({"verdicts": verdicts, "ranked": [one for one in known if one[0] == "C"], "findings": []})
    return Structured({"findings": [_finding(text)]})


def _fields(request: Json) -> Mapping[str, Any]:
    """What the tool that ends the work takes."""
    wanted = output_tool(request)
    made = (tool["function"] for tool in request["tools"] if tool["function"]["name"] == wanted)
    return next((dict(one["parameters"]["properties"]) for one in made), {})


def _ids(text: str) -> list[str]:
    return [source for _, source, _ in _SOURCE.findall(text)]


def _line(text: str, at: int) -> tuple[str, str]:
    """A source and a line of it, word for word."""
    found = [(source, line.strip()) for _, source, body in _SOURCE.findall(text) for line in body.splitlines()[:3]]
    long = [one for one in found if len(one[1]) > _QUOTE // 4] or [("S1", "")]
    return long[at % len(long)]


def _quoted(text: str, at: int = 0) -> dict[str, str]:
    source, line = _line(text, at)
    return {"source": source, "quote": line[:_QUOTE].strip()}


def _statement(text: str, at: int) -> Json:
    source, line = _line(text, at)
    return {"text": line[:_SENTENCE].strip(), "sources": [source]}


def _finding(text: str) -> Json:
    return {
        "category": "missing rule",
        "priority": "P2",
        "statement": "What staff are told about the lock, and when, is not described anywhere in the ticket.",
        "why": "Staff may be asked about it before they know of it.",
        "question": "What are staff told, and who tells them?",
        "citations": [_quoted(text)],
    }


def _case(text: str, at: int) -> Json:
    return {
        "kind": "boundary",
        "title": f"The limit holds for attempt {at + 1} after the change",
        "preconditions": ["An account that is open"],
        "steps": [{"action": f"Try {at + 1} times in a row", "expected": "The page says what happened"}],
        "expected": "The account is as the policy says, and the passenger is told why.",
        "priority": "medium",
        "reason": "The value differs between what was read.",
        "sources": [_quoted(text, at)],
    }


def _named(text: str) -> list[Json]:
    return [{"source": one, "why": "It states a limit that the plan does not name."} for one in _ids(text)[:2]]


def _check(text: str) -> Json:
    return {
        "category": "requirement or policy",
        "priority": "P2",
        "statement": "Compare the value in the plan with what is written here before the code is changed.",
        "why": "The two may not agree.",
        "citations": [_quoted(text)],
    }
