"""Asks a model one question, and takes care of how that can fail."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic_ai import Agent, ToolOutput
from pydantic_ai.exceptions import AgentRunError, FallbackExceptionGroup, ModelAPIError, UnexpectedModelBehavior
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModelSettings
from pydantic_ai.models.fallback import FallbackModel

from review.agents.failures import too_long
from review.agents.guarded import GuardedModel
from review.agents.meter import Stage
from review.agents.patient import PatientModel

T = TypeVar("T")

SHORTENED = 0.25
"""Of the usual prompt, for a model that cannot take it in."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is sent: the text, and tools that are made for this one run."""

    prompt: str
    tools: Sequence[Callable[..., str]] = ()


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """What a model is asked, and the form of its answer."""

    name: str
    instructions: str
    """The same for every review, so that a provider can keep it."""
    output: type[T]
    says: str
    """What giving the answer means."""
    prepare: Callable[[float], Prepared]
    """Makes the prompt in a share of its usual length."""


class Asker:
    """Asks the first model; the others, in order, where it gives no usable answer."""

    def __init__(self, models: Sequence[Model], answer_tokens: int, pause: float) -> None:
        self._models = tuple(models)
        self._answer_tokens = answer_tokens
        self._pause = pause

    async def ask(self, question: Question[T], stage: Stage, ending: str) -> T:
        """The answer. `ending` closes the instructions; it may differ from review to review.

        A failing request is repeated and passed on within the run; what cannot be taken in, or is cut short, is asked
        once more with less to read; an answer in a wrong form, even after it was asked for again, passes to the next
        model. Raises AgentRunError or FallbackExceptionGroup.
        """
        models, share = self._models, 1.0
        while True:
            try:
                return await self._run(question, models, stage, ending, share)
            except (AgentRunError, FallbackExceptionGroup) as error:
                if too_long(error) and share == 1.0:
                    share = SHORTENED
                elif isinstance(error, UnexpectedModelBehavior) and len(models) > 1:
                    models = models[1:]
                else:
                    raise

    async def _run(self, question: Question[T], models: Sequence[Model], stage: Stage, ending: str, share: float) -> T:
        """One run. Entering the model opens its connections, and the last review to leave closes them."""
        prepared = question.prepare(share)
        settings = AnthropicModelSettings(max_tokens=self._answer_tokens)
        if prepared.tools:  # what was read is sent again with every answer of a tool
            settings["anthropic_cache"] = True
        patient = [PatientModel(one, stage, alone=one is models[-1], pause=self._pause) for one in models]
        model: Model = patient[0]
        if len(patient) > 1:
            model = FallbackModel(*patient, fallback_on=(ModelAPIError, UnexpectedModelBehavior))
        agent: Agent[object, T] = Agent(
            model,
            output_type=ToolOutput(question.output, description=question.says),
            instructions=[question.instructions, lambda: ending],
            tools=prepared.tools,
            model_settings=settings,
            retries=1,
            name=question.name,
        )
        async with model:
            return (await agent.run(prepared.prompt)).output


def opened(model: Model) -> tuple[Model, ...]:
    """The models of one that falls back to others, in order."""
    return tuple(model.models) if isinstance(model, FallbackModel) else (model,)


async def one_word(model: Model, seconds: float) -> None:
    """Ask each of the models for a word, to see that it is reached and takes the key. Raises AgentRunError."""
    for one in opened(model):
        guarded = GuardedModel(one)
        settings = AnthropicModelSettings(request_timeout=seconds, max_tokens=64)
        async with guarded:
            await Agent(guarded, model_settings=settings, name="try out").run("Answer with the word: yes")
