"""The models of an evaluation, by the settings, and a count of what each of them takes."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from crosscheck.settings import Secrets
from crosscheck.settings_evaluating import EvalModel
from evals.accuracy.types import Arm, Spent, Task
from review.agents.guarded import GuardedModel
from review.agents.meter import CHARACTERS
from review.agents.models import build_model

_MILLION = 1_000_000


class Price(NamedTuple):
    """US dollars for a million tokens."""

    dollars_in: float
    dollars_out: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that implements tickets."""

    label: str
    model: Callable[[Task, Arm], Model]
    """Makes it for one attempt."""
    price: Price | None = None
    """None: the provider's published one, where there is one."""


def candidate(one: EvalModel, secrets: Secrets) -> Candidate:
    """As the settings name it. Raises ModelNotKnown."""
    build(one, secrets)  # what cannot be built is told before the first attempt
    return Candidate(one.label, lambda _task, _arm: build(one, secrets), price_of(one))


def build(one: EvalModel, secrets: Secrets) -> Model:
    """Raises ModelNotKnown."""
    return build_model(one.name, one.base_url, secrets.eval_key(one.label))


def price_of(one: EvalModel) -> Price | None:
    """None where the settings have none."""
    return None if one.dollars_in is None or one.dollars_out is None else Price(one.dollars_in, one.dollars_out)


@dataclass(slots=True)
class Account:
    """What a model took so far."""

    price: Price | None = None
    requests: int = 0
    """That were answered."""
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float | None = 0.0
    """None from the first answer on whose price is not known."""
    began: float = field(default_factory=time.monotonic)

    def take(self, messages: list[ModelMessage], response: ModelResponse) -> None:
        """Count one answer. Where the provider does not say how many tokens there were, they are estimated."""
        read, wrote = response.usage.input_tokens, response.usage.output_tokens
        if not (read or wrote):
            read = sum(len(repr(message.parts)) for message in messages) // CHARACTERS
            wrote = len(repr(response.parts)) // CHARACTERS
        self.requests += 1
        self.tokens_in += read
        self.tokens_out += wrote
        cost = self._cost(response, read, wrote)
        self.dollars = None if self.dollars is None or cost is None else self.dollars + cost

    def _cost(self, response: ModelResponse, read: int, wrote: int) -> float | None:
        if self.price:
            return (read * self.price.dollars_in + wrote * self.price.dollars_out) / _MILLION
        try:
            return float(response.cost().total_price)
        except (AssertionError, LookupError, ValueError):  # no name, no price, no usage
            return None

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.tokens_in + self.tokens_out

    def spent(self) -> Spent:
        dollars = self.dollars if self.requests else None
        return Spent(self.requests, self.tokens_in, self.tokens_out, dollars, time.monotonic() - self.began)


class AccountedModel(GuardedModel):
    """Raises what pydantic-ai does; an answer that lacks its parts is UnexpectedModelBehavior."""

    def __init__(self, wrapped: Model, account: Account) -> None:
        super().__init__(wrapped)
        self._account = account

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        response = await super().request(messages, model_settings, model_request_parameters)
        self._account.take(messages, response)
        return response
