"""A model whose requests, tokens and cost are counted."""

import asyncio
import time

from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from core.spans import step, tell
from core.types import Metrics


class CountedModel(WrapperModel):
    """Raises what the model raises. `purpose` says what it is asked for: review, pictures."""

    def __init__(self, wrapped: Model, purpose: str, metrics: Metrics) -> None:
        super().__init__(wrapped)
        self._purpose = purpose
        self._metrics = metrics

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        with step("model", purpose=self._purpose, model=self.model_name):
            return await self._counted(messages, model_settings, model_request_parameters)

    async def _counted(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        began, outcome = time.monotonic(), "failed"
        try:
            response = await super().request(messages, model_settings, model_request_parameters)
            outcome = "answered"
        except asyncio.CancelledError:
            outcome = "given up"
            raise
        except AgentRunError as error:
            self._metrics.count("crosscheck_errors_total", part="model", kind=type(error).__name__)
            raise
        finally:
            tell(outcome=outcome)
            purpose, model, seconds = self._purpose, self.model_name, time.monotonic() - began
            self._metrics.observe("crosscheck_model_request_seconds", seconds, purpose=purpose, model=model)
            self._metrics.count("crosscheck_model_requests_total", purpose=purpose, model=model, outcome=outcome)
        self._used(response)
        return response

    def _used(self, response: ModelResponse) -> None:
        used, metrics, purpose, model = response.usage, self._metrics, self._purpose, self.model_name
        tell(tokens_in=used.input_tokens, tokens_out=used.output_tokens)
        for direction, tokens in (("in", used.input_tokens), ("out", used.output_tokens)):
            metrics.count("crosscheck_model_tokens_total", tokens, purpose=purpose, model=model, direction=direction)
        metrics.count("crosscheck_model_cost_dollars_total", _dollars(response), purpose=purpose, model=model)


def _dollars(response: ModelResponse) -> float:
    """By the provider's published prices; 0 where none is known, as for a server of one's own."""
    try:
        return float(response.cost().total_price)
    except (AssertionError, LookupError, ValueError):  # no name, no price, no usage
        return 0.0
