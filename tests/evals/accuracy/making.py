"""Tasks, attempts and verdicts as the tests of accuracy need them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from evals.accuracy.asking import Asked
from evals.accuracy.scores import Ticket
from evals.accuracy.types import ARMS, Arm, Attempt, Criterion, Met, Spent, Task, Verdict

JUDGES = ("ada", "bo", "cy")
CRITERIA = (
    Criterion("C1", "An unpaid booking is released after 15 minutes"),
    Criterion("C2", "The passenger is told by mail that it was released"),
    Criterion("C3", "A paid booking is never released"),
)


def task(name: str = "T-1", **more: Any) -> Task:
    given = {
        "id": name,
        "repo": "booking-api",
        "key": name,
        "title": "Release unpaid bookings",
        "text": "As a passenger I get my seat.",
        "told_by": "ticket",
        "base": "a" * 40,
        "tip": "b" * 40,
        "moment": datetime(2026, 6, 1, tzinfo=UTC),
        "files": ("app/booking.py",),
    }
    return Task(**{**given, **more})


def attempt(name: str, arm: Arm, patch: str = "+line\n", **spent: Any) -> Attempt:
    taken = {"requests": 3, "tokens_in": 1000, "tokens_out": 100, "dollars": 0.01, "seconds": 5.0, **spent}
    return Attempt(name, "small", arm, patch, Spent(**taken))


def verdict(name: str, arm: Arm, judge: str, met: Sequence[Met], shown_as: str) -> Verdict:
    ids = [one.id for one in CRITERIA]
    reasons = dict.fromkeys(ids, "because")
    return Verdict(name, "small", arm, judge, dict(zip(ids, met, strict=True)), reasons, shown_as, Spent(dollars=0.0))


def ticket(
    name: str,
    baseline: Sequence[Sequence[Met]],
    crosscheck: Sequence[Sequence[Met]],
    shown: Sequence[tuple[str, str]] = (("patch 1", "patch 2"),) * 3,
    extra: int = 0,
) -> Ticket:
    """What each judge says of each criterion, in both arms; `shown` is what each saw the two called; `extra` are the
    tokens that Crosscheck's arm wrote more, at a thousandth of a dollar each.
    """
    said: Mapping[Arm, Sequence[Sequence[Met]]] = {"baseline": baseline, "crosscheck": crosscheck}
    return Ticket(
        task(name),
        CRITERIA,
        {
            "baseline": attempt(name, "baseline"),
            "crosscheck": attempt(name, "crosscheck", tokens_out=100 + extra, dollars=0.01 + extra / 1000),
        },
        {
            arm: tuple(
                verdict(name, arm, judge, met, places[at])
                for judge, met, places in zip(JUDGES, said[arm], shown, strict=False)
            )
            for at, arm in enumerate(ARMS)
        },
    )


def asked(answer: Callable[[list[ModelMessage], AgentInfo], Any], label: str = "ada") -> Asked:
    """A model that gives what the function makes, as its structured answer."""

    def said(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        made = answer(messages, info)
        if isinstance(made, ModelResponse):
            return made
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, made)])

    return Asked(label, f"openai:{label}", lambda: FunctionModel(said, model_name=label))


def prompt_of(messages: list[ModelMessage]) -> str:
    return "\n".join(str(part.content) for part in messages[0].parts if part.part_kind == "user-prompt")
