"""How a model failed, in plain words."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_ai.exceptions import (
    ContentFilterError,
    FallbackExceptionGroup,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelTimeoutError,
    ModelUnavailableError,
    OutputTokenLimitExceeded,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)

from review.agents.meter import Usage
from review.errors import ModelFailed


class JudgingFailed(ModelFailed):
    """No usable review by the models, and what was spent and sent all the same."""

    def __init__(self, message: str, usage: Usage, audit: tuple[Mapping[str, Any], ...]) -> None:
        super().__init__(message)
        self.usage = usage
        self.audit = audit


def failed(error: BaseException) -> ModelFailed:
    """The one failure that a caller knows, with the reason in plain words: nothing of a provider's message, which
    may hold parts of a request.
    """
    return ModelFailed(f"The model gave no usable answer: {reason(error)}.")


def causes(error: BaseException) -> Iterator[BaseException]:
    """The failure, or each model's where several were asked."""
    if isinstance(error, FallbackExceptionGroup):
        for one in error.exceptions:
            yield from causes(one)
    else:
        yield error


def too_long(error: BaseException) -> bool:
    """Whether a shorter prompt may help."""
    return any(isinstance(one, ModelContextWindowExceededError | OutputTokenLimitExceeded) for one in causes(error))


def reason(error: BaseException) -> str:
    """Ends a sentence. Of several models the first counts."""
    return _reason(next(causes(error)))


def _reason(error: BaseException) -> str:
    for kinds, words in _REASONS:
        if isinstance(error, kinds):
            return words
    return "no model of those configured answered"


_REASONS: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((ModelRateLimitError, ModelQuotaExceededError), "its provider allows no more requests just now"),
    ((ModelUnavailableError,), "its provider is overloaded"),
    ((ModelTimeoutError, ModelRequestTimeout, TimeoutError), "it took too long"),
    ((ModelConnectionError,), "its provider cannot be reached"),
    ((ModelAuthenticationError,), "its provider refused the key"),
    ((ModelContextWindowExceededError,), "there was more to read than it can take in"),
    ((ModelRequestRejectedError,), "its provider refused the request"),
    ((ModelAPIError,), "its provider reported an error"),
    ((UsageLimitExceeded,), "it used up what one review may use"),
    ((ContentFilterError,), "it refused to answer"),
    ((OutputTokenLimitExceeded,), "its answer was cut short"),
    ((UnexpectedModelBehavior,), "it did not answer in the form that was asked for"),
)
"""The first that fits counts, the special before the general."""
