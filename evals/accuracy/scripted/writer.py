"""A writer of criteria that follows a script: it takes lines of the merged change as what the change must do."""

import re
from collections.abc import Iterator, Sequence

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from evals.accuracy.asking import Asked
from evals.accuracy.criteria import FEWEST
from evals.accuracy.models import Price

LABEL = "writer"
PRICE = Price(3.0, 15.0)
"""Made up, so that what it costs can be told."""
_MOST = 6
_LONGEST = 110  # characters of a line that is quoted
_CHANGE = re.compile(r"# The merged change\n\n<(source-\w+)>\n(.*)\n</\1>", re.DOTALL)
_QUOTED = re.compile(r"«(.*?)»")


def writer() -> Asked:
    return Asked(LABEL, f"script:{LABEL}", lambda: FunctionModel(_answer, model_name=LABEL), PRICE)


def quoted(criterion: str) -> list[str]:
    """The lines that a criterion names."""
    return _QUOTED.findall(criterion)


def one_spaced(line: str) -> str:
    """A line as a criterion can quote it: what is between words is one space."""
    return " ".join(line.split())


def prompt_of(messages: Sequence[ModelMessage]) -> str:
    return "\n".join(str(part.content) for part in messages[0].parts if isinstance(part, UserPromptPart))


async def _answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    found = _CHANGE.search(prompt_of(messages))
    criteria = list(_criteria(found[2] if found else ""))
    return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"criteria": criteria})])


def _criteria(diff: str) -> Iterator[str]:
    """One a hunk while there are not too many, evenly spread over the change; of a small change more of each."""
    hunks = [found for hunk in _hunks(diff) if (found := _telling(hunk))]
    if len(hunks) > _MOST:
        hunks = [hunks[at * len(hunks) // _MOST] for at in range(_MOST)]
    many = -(-FEWEST // max(1, len(hunks)))  # criteria of a hunk
    known: set[str] = set()
    for hunk in hunks:
        lines = [line for line in hunk if line not in known][: 2 * many]
        known.update(lines)
        for at in range(min(many, len(lines))):
            yield f"After the change there is {' and '.join(f'«{line}»' for line in lines[at::many])}."


def _hunks(diff: str) -> Iterator[list[str]]:
    """The lines that each hunk adds."""
    added: list[str] = []
    for line in diff.splitlines():
        if line.startswith(("@@", "diff ")):
            if added:
                yield added
            added = []
        elif line.startswith("+") and not line.startswith("+++"):
            added.append(one_spaced(line[1:]))
    if added:
        yield added


def _telling(lines: Sequence[str]) -> list[str]:
    """Lines that say something, the longest first: not brackets alone, nothing that could end a quote."""
    fit = {line for line in lines if len(re.findall(r"\w", line)) >= 6 and not set(line) & set("«»")}
    return sorted((line[:_LONGEST].rstrip() for line in fit), key=lambda line: (-len(line), line))
