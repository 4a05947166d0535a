"""Builds the model that the settings name."""

from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

from review.errors import ModelNotKnown

CACHE = "crosscheck"
"""Tells OpenAI that requests begin alike, so that they reach the same cache."""


def build_model(name: str, base_url: str | None, api_key: str) -> Model:
    """The model called `anthropic:NAME` or `openai:NAME`. With a base URL the latter is any server that speaks
    Chat Completions (vLLM, Ollama, llama.cpp), whose key may be empty.

    The SDK's own retries are off: who asks knows how much time there is. Providers keep what many requests begin with:
    Anthropic where it is marked, the tools and the fixed part of the instructions; others by themselves.
    Raises ModelNotKnown.
    """
    provider_name, _, model_name = name.partition(":")
    if not model_name:
        raise ModelNotKnown(f"The model {name!r} is not written as provider:name.")
    if provider_name == "anthropic":
        if not api_key:
            raise ModelNotKnown("Anthropic's models need an API key.")
        anthropic = AnthropicProvider(api_key=api_key, base_url=base_url)
        kept = AnthropicModelSettings(anthropic_cache_instructions=True, anthropic_cache_tool_definitions=True)
        common = _settings(anthropic.model_profile(model_name))
        return AnthropicModel(model_name, provider=anthropic, settings=kept | common)
    if provider_name == "openai":
        if not (api_key or base_url):
            raise ModelNotKnown("OpenAI's models need an API key.")
        openai = OpenAIProvider(api_key=api_key or "none", base_url=base_url)
        own = OpenAIChatModelSettings() if base_url else OpenAIChatModelSettings(openai_prompt_cache_key=CACHE)
        return OpenAIChatModel(model_name, provider=openai, settings=own | _settings(openai.model_profile(model_name)))
    raise ModelNotKnown(f"The model provider {provider_name!r} is not known; use anthropic or openai.")


def with_fallback(model: Model, fallback: Model) -> Model:
    """One model that asks the second where the first fails or gives no usable answer."""
    return FallbackModel(model, fallback, fallback_on=(ModelAPIError, UnexpectedModelBehavior))


def _settings(profile: ModelProfile | None) -> ModelSettings:
    """Temperature 0 where the model takes one: models that reason refuse it."""
    known = dict(profile or {})
    if known.get("anthropic_disallows_sampling_settings") or known.get("openai_supports_reasoning"):
        return ModelSettings(max_retries=0)
    return ModelSettings(max_retries=0, temperature=0.0)
