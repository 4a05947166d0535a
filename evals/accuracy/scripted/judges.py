"""Judges that follow a script. They see what every judge sees, and call a criterion met by the lines that it names."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from evals.accuracy.asking import Asked
from evals.accuracy.models import Price
from evals.accuracy.scripted.writer import one_spaced, prompt_of, quoted
from evals.accuracy.types import Met

PRICE = Price(3.0, 15.0)
"""Made up, so that what it costs can be told."""
_ALL: tuple[Met, ...] = ("met", "partly", "not met")
_CRITERION = re.compile(r"^(\S+): (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Judge:
    label: str
    errs: float
    """Share of its verdicts that are drawn at random."""
    half: Met
    """What it calls a criterion of which some is there."""
    refuses: str = ""
    """It refuses to judge a ticket with this title."""


def judges(refused: str = "") -> tuple[Asked, ...]:
    """Three that err and are strict in different measure; the last refuses the ticket with that title."""
    return tuple(
        _asked(one)
        for one in (
            _Judge("careful", 0.04, "partly"),
            _Judge("strict", 0.08, "not met"),
            _Judge("hasty", 0.12, "partly", refused),
        )
    )


def _asked(judge: _Judge) -> Asked:
    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        prompt = prompt_of(messages)
        if judge.refuses and judge.refuses in _block(prompt, "The ticket"):
            return ModelResponse(parts=[TextPart("I do not judge this.")], finish_reason="content_filter")
        verdicts = list(_verdicts(judge, prompt))
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"verdicts": verdicts})])

    return Asked(judge.label, f"script:{judge.label}", lambda: FunctionModel(answer, model_name=judge.label), PRICE)


def _verdicts(judge: _Judge, prompt: str) -> Iterator[dict[str, str]]:
    criteria = _CRITERION.findall(_block(prompt, "Criteria"))
    for place in ("patch 1", "patch 2"):
        patch = _block(prompt, place.capitalize())
        added = {one_spaced(line[1:]) for line in patch.splitlines() if line.startswith("+")}
        for name, text in criteria if patch else ():
            found = [any(line.startswith(quote) for line in added) for quote in quoted(text)]
            met: Met = "met" if all(found) else judge.half if any(found) else "not met"
            drawn = random.Random(f"{judge.label}\n{text}\n{patch}")
            if drawn.random() < judge.errs:
                met = drawn.choice(_ALL)
            reason = f"Of the {len(found)} lines that it names, the patch adds {sum(found)}."
            yield {"patch": place, "criterion": name, "met": met, "reason": reason}


def _block(prompt: str, head: str) -> str:
    """What is below a heading, without its fence; empty where there is no such heading."""
    found = re.search(rf"# {head}\n\n<(source-\w+)>\n(.*?)\n</\1>", prompt, re.DOTALL)
    return found[2] if found else ""
