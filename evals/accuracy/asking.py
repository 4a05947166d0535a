"""Asks a model that writes or judges for one structured answer, which is checked."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from pydantic_ai import Agent, ModelRetry, ToolOutput
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModelSettings

from crosscheck.settings import Secrets
from crosscheck.settings_evaluating import EvalModel
from evals.accuracy.models import Account, AccountedModel, Price, build, price_of
from evals.accuracy.types import Spent
from evals.harness.errors import EvalError
from review.agents.failures import reason
from review.agents.meter import Meter, Stage
from review.agents.patient import PatientModel

T = TypeVar("T")

_RETRIES = 2  # of an answer in a wrong form
_REQUESTS = 8  # for one answer, whatever fails on the way
_SECONDS = 900.0  # for one answer
_REQUEST_SECONDS = 300.0
_ANSWER = 16_000  # tokens
_PAUSE = 2.0  # seconds before a failed request is sent again, doubled each time


@dataclass(frozen=True, slots=True)
class Asked:
    """A model that writes criteria or judges."""

    label: str
    name: str
    """`provider:model`, by which it is known whether it is a candidate too."""
    model: Callable[[], Model]
    price: Price | None = None
    """None: the provider's published one, where there is one."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the form of the answer."""

    name: str
    instructions: str
    prompt: str
    says: str
    """What giving the answer means."""


class NotAnswered(EvalError):
    """Nothing came of what a model was asked; and what it took all the same."""

    def __init__(self, message: str, spent: Spent) -> None:
        super().__init__(message)
        self.spent = spent


def by_settings(one: EvalModel, secrets: Secrets) -> Asked:
    """As the settings name it. Raises ModelNotKnown."""
    build(one, secrets)  # what cannot be built is told before anything is spent
    return Asked(one.label, one.name, lambda: build(one, secrets), price_of(one))


def ask(asked: Asked, question: Question, output: type[T], wrong: Callable[[T], str]) -> tuple[T, Spent]:
    """The answer, and what it took. `wrong` says in a sentence what is wrong with one, for the model to mend; empty
    where nothing is. Raises NotAnswered.
    """
    account = Account(asked.price)
    try:
        return asyncio.run(_ask(asked, question, output, wrong, account)), account.spent()
    except AgentRunError as error:
        raise NotAnswered(f"{asked.label} gave no usable answer: {reason(error)}.", account.spent()) from error


async def _ask(asked: Asked, question: Question, output: type[T], wrong: Callable[[T], str], account: Account) -> T:
    ends = asyncio.get_running_loop().time() + _SECONDS
    stage = Stage(Meter(_REQUESTS, _UNCOUNTED), _REQUESTS, _UNCOUNTED, ends, _REQUEST_SECONDS)
    model = PatientModel(AccountedModel(asked.model(), account), stage, alone=True, pause=_PAUSE)
    agent: Agent[None, T] = Agent(
        model,
        output_type=ToolOutput(output, description=question.says),
        instructions=question.instructions,
        model_settings=AnthropicModelSettings(max_tokens=_ANSWER),
        retries=_RETRIES,
        name=question.name,
    )

    @agent.output_validator
    def checked(answer: T) -> T:
        if fault := wrong(answer):
            raise ModelRetry(fault)
        return answer

    async with model:
        return (await agent.run(question.prompt)).output


_UNCOUNTED = 10**9  # tokens: the requests are what is limited
