"""One agent that judges what the rules found and adds what they could not see."""

from collections.abc import Sequence

from pydantic_ai import Agent, ToolOutput, UsageLimits
from pydantic_ai.exceptions import (
    AgentRunError,
    FallbackExceptionGroup,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelTimeoutError,
    ModelUnavailableError,
    RunTimedOut,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from core.tickets import Ticket
from review.agents import loop
from review.agents.answer import Answer
from review.agents.guarded import GuardedModel
from review.agents.prompt import Fence, Prompt, build
from review.budget import Budget
from review.errors import ModelFailed
from review.merge import Judged, judge
from review.reading import Reading
from review.tools import Tools
from review.types import Finding, Unknown


class ReviewAgent:
    """Asks one model. Holds nothing of a review, so threads may share it."""

    def __init__(self, model: Model, budget: Budget) -> None:
        self.name = model.model_name
        self._model = GuardedModel(model)
        self._budget = budget

    def judge(self, ticket: Ticket, reading: Reading, facts: Sequence[Finding], request: str) -> Judged:
        """The rules' findings after the model's verdicts, and its own. Raises ModelFailed, whatever went wrong.

        What the model was not shown of what was read is noted as unknown.
        """
        fence = Fence()
        prompt = build(ticket, reading.register, facts, request, fence, self._budget)
        answer = self._ask(prompt, Tools(reading, fence, self._budget))
        if prompt.unseen:
            reading.note([_unseen(prompt.unseen)])
        return judge(facts, answer, reading.register, prompt.whole)

    def _ask(self, prompt: Prompt, tools: Tools) -> Answer:
        budget = self._budget
        agent = Agent(
            self._model,
            output_type=ToolOutput(Answer, description="Gives the review. Ends the work."),
            instructions=prompt.instructions,
            tools=[tools.search, tools.lookup, tools.open_source],
            model_settings=ModelSettings(request_timeout=budget.request_seconds, max_tokens=budget.answer_tokens),
            retries=1,
            name="reviewer",
        )
        limits = UsageLimits(request_limit=budget.requests, total_tokens_limit=budget.tokens)
        try:
            return loop.run(self._run(agent, prompt.case, limits), budget.seconds)
        except (AgentRunError, FallbackExceptionGroup, TimeoutError) as error:
            raise failed(error) from error

    async def _run(self, agent: Agent[object, Answer], case: str, limits: UsageLimits) -> Answer:
        """One run. Entering the model opens its connections, and the last review to leave closes them."""
        async with self._model:
            return (await agent.run(case, usage_limits=limits)).output


def try_out(model: Model, seconds: float = 30) -> None:
    """Ask the model for one word, to see that it is reached and takes the key. Raises ModelFailed."""
    guarded = GuardedModel(model)
    agent = Agent(guarded, model_settings=ModelSettings(request_timeout=seconds, max_tokens=64), name="try out")

    async def ask() -> None:
        async with guarded:
            await agent.run("Answer with the word: yes")

    try:
        loop.run(ask(), seconds)
    except (AgentRunError, FallbackExceptionGroup, TimeoutError) as error:
        raise failed(error) from error


def failed(error: Exception) -> ModelFailed:
    """The one failure that the review knows, with the reason in plain words: nothing of a provider's message, which
    may hold parts of a request.
    """
    return ModelFailed(f"The model gave no usable answer: {_reason(error)}.")


def _reason(error: Exception) -> str:
    match error:
        case ModelRateLimitError():
            return "its provider allows no more requests just now"
        case ModelUnavailableError():
            return "its provider is overloaded"
        case ModelTimeoutError() | ModelRequestTimeout() | RunTimedOut() | TimeoutError():
            return "it took too long"
        case ModelConnectionError():
            return "its provider cannot be reached"
        case ModelAuthenticationError():
            return "its provider refused the key"
        case ModelRequestRejectedError():
            return "its provider refused the request"
        case ModelAPIError():
            return "its provider reported an error"
        case UsageLimitExceeded():
            return "it used up what one review may use"
        case UnexpectedModelBehavior():
            return "it did not answer in the form that was asked for"
        case _:
            return "no model of those configured answered"


def _unseen(count: int) -> Unknown:
    return Unknown(
        f"The model was not shown {count} of this ticket's texts and changes, or not in full; the rules read all.",
        "A shorter ticket, or reading those texts oneself.",
    )
