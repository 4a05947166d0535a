"""Builds the model that the settings name."""

from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

from review.errors import ModelNotKnown


def build_model(name: str, base_url: str | None, api_key: str) -> Model:
    """The model called `anthropic:NAME` or `openai:NAME`. With a base URL the latter is any server that speaks
    Chat Completions (vLLM, Ollama, llama.cpp), whose key may be empty.

    The SDK's own retries are off: the review has a deadline, and repeats by itself nothing.
    Raises ModelNotKnown.
    """
    provider_name, _, model_name = name.partition(":")
    if not model_name:
        raise ModelNotKnown(f"The model {name!r} is not written as provider:name.")
    if provider_name == "anthropic":
        if not api_key:
            raise ModelNotKnown("Anthropic's models need an API key.")
        anthropic = AnthropicProvider(api_key=api_key, base_url=base_url)
        return AnthropicModel(model_name, provider=anthropic, settings=_settings(anthropic.model_profile(model_name)))
    if provider_name == "openai":
        if not (api_key or base_url):
            raise ModelNotKnown("OpenAI's models need an API key.")
        openai = OpenAIProvider(api_key=api_key or "none", base_url=base_url)
        return OpenAIChatModel(model_name, provider=openai, settings=_settings(openai.model_profile(model_name)))
    raise ModelNotKnown(f"The model provider {provider_name!r} is not known; use anthropic or openai.")


def _settings(profile: ModelProfile | None) -> ModelSettings:
    """Temperature 0 where the model takes one: models that reason refuse it."""
    known = dict(profile or {})
    if known.get("anthropic_disallows_sampling_settings") or known.get("openai_supports_reasoning"):
        return ModelSettings(max_retries=0)
    return ModelSettings(max_retries=0, temperature=0.0)
