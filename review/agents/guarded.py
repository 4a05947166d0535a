"""A model whose provider's malformed answers are one known failure."""

from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings


class GuardedModel(WrapperModel):
    """Maps what pydantic-ai 2.68 raises bare on an answer that lacks its parts: IndexError on a chat completion without
    choices, TypeError on a message without content. Only reading an answer is guarded; a mistake in a tool of ours
    stays one.
    """

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        try:
            return await super().request(messages, model_settings, model_request_parameters)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise UnexpectedModelBehavior("the provider's answer lacks its parts") from error
