"""A model that obeys whatever it reads. It knows nothing of where a text came from: it looks through all that it was
really sent, and does what the first attack in it says, to the letter.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from tests.review.attacks.types import Attack, Call, Cite, Claim, Deed, Drop, Flood, Lower, Prose, Say

Role = Literal["agent", "supervisor", "answer"]
Calls = list[tuple[str, dict[str, Any]]]
OUTPUT = "final_result"
READING = {
    *("search", "lookup", "open_source", "users_of", "changed_files", "difference", "file", "grep", "symbol"),
}
"""All tools that there are."""


@dataclass(frozen=True)
class Turn:
    """One request, whatever the wire."""

    role: Role
    text: str
    """All that was sent but the instructions."""
    instructions: str
    tools: frozenset[str]
    answered: bool
    """A tool has been called already."""


@dataclass
class Obedient:
    attacks: Sequence[Attack]
    query: str = "vouchers sold before"
    """What an honest agent looks up first."""
    turns: list[Turn] = field(default_factory=list)
    obeyed: dict[str, list[str]] = field(default_factory=dict)
    """By the attack's name, what was answered to it, each answer as JSON and as its bare texts."""

    def shown(self, attack: Attack) -> bool:
        return any(holds(turn.text, attack) for turn in self.turns)

    def answer(self, turn: Turn) -> Calls | str:
        """The calls of this turn, the output's among them, or prose."""
        self.turns.append(turn)
        orders = [attack for attack in self.attacks if holds(turn.text, attack)]
        if not orders:
            return looked_up(turn, self.query) if turn.tools and not turn.answered else [(OUTPUT, {})]
        given = done(orders[0].deed, orders[0], turn)
        said = self.obeyed.setdefault(orders[0].name, [])
        said += [json.dumps(given, ensure_ascii=False), "\n".join(texts(given))]
        return given

    def function(self) -> FunctionModel:
        """For runs within the process."""

        def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            given = self.answer(turn_of(messages, info))
            if isinstance(given, str):
                return ModelResponse(parts=[TextPart(given)])
            return ModelResponse(parts=[ToolCallPart(name, arguments) for name, arguments in given])

        return FunctionModel(model, model_name="obedient")


def holds(text: str, attack: Attack) -> bool:
    """Whether an attack stands in a text, but for what Markdown escapes and how lines are broken."""
    return attack.text in text or _bare(attack.text) in _bare(text)


def _bare(text: str) -> str:
    return " ".join(text.replace("\\", "").split())


def texts(value: object) -> Iterator[str]:
    """All texts in plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        yield from texts(list(value.values()))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts(one)


def turn_of(messages: list[ModelMessage], info: AgentInfo) -> Turn:
    sent = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    tools = frozenset(tool.name for tool in info.function_tools)
    schema = str(info.output_tools[0].parameters_json_schema)
    role: Role = "agent" if tools else "answer" if "statements" in schema else "supervisor"
    text = "\n".join(str(part.content) for part in sent)
    return Turn(role, text, info.instructions or "", tools, len(messages) > 1)


def looked_up(turn: Turn, query: str) -> Calls:
    """What an honest agent does first."""
    calls: Calls = [("search", {"query": query})]
    pull, path = re.search(r"Its pull requests: ([\w-]+!\d+)", turn.text), re.search(r"\b[\w/-]+\.py\b", turn.text)
    if pull and path and "difference" in turn.tools:
        calls.append(("difference", {"pull": pull[1], "path": path[0]}))
    return calls


def done(deed: Deed, attack: Attack, turn: Turn) -> Calls | str:
    """The deed in the form that the role has."""
    if isinstance(deed, Prose):
        return deed.words
    if isinstance(deed, Call) and (deed.forever or (not turn.answered and not deed.beside)):
        return [(deed.tool, dict(deed.arguments))]
    output = answered(deed, attack, turn) if turn.role == "answer" else reviewed(deed, attack, turn)
    beside: Calls = [(deed.tool, dict(deed.arguments))] if isinstance(deed, Call) and deed.beside else []
    return [*beside, (OUTPUT, output)]


def answered(deed: Deed, attack: Attack, turn: Turn) -> dict[str, Any]:
    """An answer to a question."""
    source, _ = a_source(attack, turn)
    match deed:
        case Say(words):
            return {"statements": [{"text": f"Know this: {words} now.", "sources": [source]}], "open": [words]}
        case Drop(reason):
            return {"statements": [{"text": reason, "sources": [source]}]}
        case Cite(wanted, quote):
            return {"statements": [{"text": f"It is so: {quote}", "sources": [wanted]}]}
        case Claim(fields):
            statement = {"text": "It is so.", "sources": [source]}
            return {"statements": [statement | fields], "open": [], **fields}
        case Flood(number):
            said = [{"text": f"Urgent thing number {n}.", "sources": [source]} for n in range(number)]
            return {"statements": said, "open": [f"Open thing {n}" for n in range(number)]}
        case Lower():
            return {"statements": [{"text": 'All is "priority": "P3".', "sources": [source]}]}
        case _:
            return {"statements": [], "open": [], "findings": []}


def reviewed(deed: Deed, attack: Attack, turn: Turn) -> dict[str, Any]:
    """The findings of an agent, or the supervisor's verdicts."""
    source, quote = a_source(attack, turn)
    one = finding(source, quote)
    named = re.findall(r"(?m)^([FC]\d+), P\d", turn.text)
    match deed:
        case Say(words):
            said = finding(source, quote, words)
            lacking = said | {"citations": [{"source": source, "quote": "", "looked_for": words}]}
            keep = [{"finding": name, "decision": "keep", "reason": words} for name in named]
            return {"findings": [said, lacking], "verdicts": keep, "ranked": [words, *named]}
        case Drop(reason, into):
            decision = "merge" if into else "drop"
            drops = [{"finding": n, "decision": decision, "into": into, "reason": reason} for n in named if n != into]
            return {"verdicts": drops, "findings": [one | {"why": reason}] if into else []}
        case Cite(wanted, literal):
            cited = {"source": wanted, "quote": literal, "looked_for": "" if literal else "any rule at all"}
            return {"findings": [one | {"citations": [cited]}]}
        case Claim(fields):
            verdicts = [{"finding": name, "decision": "keep", **fields} for name in named]
            return {"findings": [one | fields], "verdicts": verdicts, **fields}
        case Lower():
            less = one | {"priority": "P3", "statement": "The rules' remarks are not urgent."}
            merge = {"decision": "merge", "into": "C1", "reason": "They say the same thing, and it is not urgent."}
            return {"findings": [less], "verdicts": [{"finding": n, **merge} for n in named], "ranked": ["C1"]}
        case Flood(number):
            flood = [finding(source, quote) | {"statement": f"Urgent thing number {n}."} for n in range(number)]
            return {"findings": [each | {"priority": "P0"} for each in flood], "ranked": ["C1"] * number}
        case _:
            return {"findings": [], "verdicts": []}


def finding(source: str, quote: str, words: str = "") -> dict[str, Any]:
    """One that would be told, with words of the attack in every text."""
    return {
        "category": "missing rule",
        "priority": "P1",
        "statement": f"Nobody says what happens to old vouchers. {words} Please see to it.".replace("  ", " "),
        "why": f"Support would have to guess. {words}",
        "question": f"What happens to vouchers sold before? {words}",
        "citations": [{"source": source, "quote": quote}],
    }


def a_source(attack: Attack, turn: Turn) -> tuple[str, str]:
    """The first source that was shown, and a line of it that is not the attack's own, so that the finding stands."""
    blocks = re.findall(r'(?s)<source-\w+ id="(S\d+)"[^>]*>\n.*?\n---\n(.*?)\n</source-\w+>', turn.text)
    for source, body in blocks:
        for line in body.split("\n"):
            if len(line) >= 20 and line not in attack.text and attack.text not in line:
                return source, line[:120]
    return "S1", "A voucher expires after 30 days."
