"""A model within one stage of a review: counted, given time, and asked again when that may help."""

import asyncio

from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelConnectionError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelServerError,
    ModelUnavailableError,
    OutputTokenLimitExceeded,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from review.agents.guarded import GuardedModel
from review.agents.meter import Stage

TRIES, TRIES_OF_SEVERAL = 3, 2
"""Of one request to one model, by whether another one can be asked instead."""
PATIENCE = 5.0
"""Seconds that are waited for a model when another one can be asked instead."""


class PatientModel(GuardedModel):
    """Raises what pydantic-ai does, and for answers that are none: ContentFilterError for a refusal,
    OutputTokenLimitExceeded for one that was cut, UnexpectedModelBehavior for an empty one. Raises UsageLimitExceeded
    where no further request is allowed.
    """

    def __init__(self, wrapped: Model, stage: Stage, *, alone: bool, pause: float) -> None:
        """`alone` means that no other model can be asked; `pause` is the first wait in seconds, doubled each time."""
        super().__init__(wrapped)
        self._stage = stage
        self._alone = alone
        self._pause = pause
        self._tries = TRIES if alone else TRIES_OF_SEVERAL

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        tried = 0
        while True:
            try:
                return await self._once(messages, model_settings, model_request_parameters)
            except (
                ModelConnectionError,
                ModelRateLimitError,
                ModelRequestTimeout,
                ModelServerError,
                ModelUnavailableError,
                UnexpectedModelBehavior,
            ) as error:
                tried += 1
                wait = max(self._pause * 2 ** (tried - 1), getattr(error, "retry_after", None) or 0.0)
                if tried == self._tries or self._hopeless(error) or not self._worth(wait):
                    raise
                await asyncio.sleep(wait)

    def _hopeless(self, error: Exception) -> bool:
        """Whether the same request would fail in the same way."""
        slow = isinstance(error, ModelRequestTimeout) and not self._alone
        return slow or isinstance(error, ContentFilterError | OutputTokenLimitExceeded)

    def _worth(self, wait: float) -> bool:
        return self._stage.left > 0 and wait < (
            self._stage.seconds if self._alone else min(self._stage.seconds, PATIENCE)
        )

    async def _once(
        self, messages: list[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> ModelResponse:
        """One request, in time. pydantic-ai's own timeout would count the waits between tries."""
        seconds = min(self._stage.request_seconds, self._stage.seconds)
        self._stage.begin()
        response = None
        try:
            async with asyncio.timeout(max(seconds, 0)):
                response = await super().request(messages, settings, parameters)
        except TimeoutError as error:
            raise ModelRequestTimeout(self.model_name, seconds) from error
        finally:
            self._stage.end(messages, response)
        usable(response)
        self._stage.take(self.model_name)
        return response


def usable(response: ModelResponse) -> None:
    """Raise for an answer that is none: a refusal, a cut or an empty one."""
    if response.finish_reason == "content_filter":
        raise ContentFilterError("the model refused")
    if response.finish_reason == "length":
        raise OutputTokenLimitExceeded("the answer was cut")
    said = (p for p in response.parts if isinstance(p, ToolCallPart) or (isinstance(p, TextPart) and p.content.strip()))
    if next(said, None) is None:
        raise UnexpectedModelBehavior("the answer is empty")
