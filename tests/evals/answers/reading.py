"""Judges that look at what they are shown: a statement is supported if its words stand in the sources that it cites."""

import re
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from evals.accuracy.asking import Asked
from evals.accuracy.models import Price

_STATEMENT = re.compile(r"Statement (\d+), cites ([\d, ]+|nothing):\n\n<(source-\w+)>\n(.*?)\n</\3>", re.DOTALL)
_SOURCE = re.compile(r"Source (\d+):\n\n<(source-\w+)>\n(.*?)\n</\2>", re.DOTALL)
_QUESTION = re.compile(r"# Question\n\n<(source-\w+)>\n(.*?)\n</\1>", re.DOTALL)


def opinion(prompt: str) -> dict[str, Any]:
    """`yes` where all words of a statement stand in what it cites, `partly` where some do; the question is answered if
    a statement has a word of it.
    """
    sources = {int(number): _words(text) for number, _, text in _SOURCE.findall(prompt)}
    said = []
    for number, cites, _, text in _STATEMENT.findall(prompt):
        cited = set().union(*(sources[int(one)] for one in cites.split(", ") if one != "nothing"))
        share = len(_words(text) & cited) / len(_words(text))
        said.append({"statement": int(number), "supported": "yes" if share == 1 else "partly" if share else "no"})
    asked = _QUESTION.search(prompt)
    assert asked
    told = set().union(*(_words(text) for *_, text in _STATEMENT.findall(prompt)))
    return {"statements": said, "answers": "yes" if _words(asked[2]) & told else "no"}


@dataclass
class Reads:
    """A judge, and what it was shown, oldest first."""

    label: str
    price: Price | None = None
    prompts: list[str] = field(default_factory=list)

    @property
    def judge(self) -> Asked:
        return Asked(self.label, f"test:{self.label}", lambda: FunctionModel(self._said), self.price)

    def _said(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        prompt = "\n".join(str(part.content) for part in messages[0].parts if isinstance(part, UserPromptPart))
        self.prompts.append(f"{info.instructions}\n{prompt}")
        call = ToolCallPart(info.output_tools[0].name, self.opinion(prompt))
        return ModelResponse(parts=[call], usage=RequestUsage(input_tokens=100, output_tokens=10))

    def opinion(self, prompt: str) -> dict[str, Any]:
        return opinion(prompt)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]{2,}", text.casefold()))
