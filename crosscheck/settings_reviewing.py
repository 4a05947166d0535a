"""Settings of who reviews: the rules, the models, the agents, and what sees pictures."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from crosscheck.settings_finding import Name, Section
from review.words import Words


class Review(Section):
    languages: tuple[Literal["en", "de"], ...] = Field(
        ("en", "de"), description="Languages whose words the rules know."
    )
    words: Mapping[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description='More words for the rules, by list, e.g. { agreed = ["ship it"] }.',
    )

    @field_validator("words")
    @classmethod
    def _known(cls, value: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
        lists = sorted(field.name for field in fields(Words))
        if unknown := sorted(set(value) - set(lists)):
            raise ValueError(f"there is no list {unknown[0]!r}; the lists are {', '.join(lists)}")
        return value

    truth: Path | None = Field(
        None, description="File of expectations (TOML) against which `crosscheck review --all` counts its findings."
    )


class Fallback(Section):
    name: str = Field(description="anthropic:NAME or openai:NAME. Its key: CROSSCHECK_FALLBACK_API_KEY.")
    base_url: str | None = Field(None, description="Address of an OpenAI-compatible server; empty: the provider's own.")


class Model(Section):
    name: str = Field(description="anthropic:NAME or openai:NAME. Its key: CROSSCHECK_MODEL_API_KEY.")
    base_url: str | None = Field(None, description="Address of an OpenAI-compatible server; empty: the provider's own.")
    fallback: Fallback | None = Field(None, description="The model that is asked when the first gives no answer.")
    filter: bool = Field(False, description="Have the model first choose which of the evidence matters: one more call.")
    calls: int = Field(12, ge=1, description="Most model calls in one review, of all agents together.")
    tokens: int = Field(200_000, ge=1000, description="Most tokens, read and written, in one review.")
    seconds: float = Field(150, gt=0, description="Most seconds the model may take in one review.")
    day_tokens: int = Field(
        5_000_000, ge=0, description="Most tokens in a day (UTC) of all reviews and answers; then the rules review."
    )
    withhold: tuple[str, ...] = Field(
        (), description='Access labels or sources never shown to a model, e.g. ["repo:payments", "confluence:HR"].'
    )


class Agent(Section):
    name: Name = Field(description="What the agent is called.")
    kind: Literal["documents", "code"] = Field(description="What it reads: documents, or code and pull requests.")
    about: str = Field(min_length=10, max_length=500, description="What it looks at, told to the model in a sentence.")
    sources: tuple[str, ...] = Field((), description="Sources that it searches; empty: all.")
    repos: tuple[str, ...] = Field((), description="Repositories that it searches; empty: all.")
    path: str = Field("", description="Glob of paths that it searches; empty: all.")


class Pictures(Section):
    name: str = Field(
        description="A model that sees pictures: anthropic:NAME or openai:NAME. Its key: CROSSCHECK_PICTURES_API_KEY."
    )
    base_url: str | None = Field(None, description="Address of an OpenAI-compatible server; empty: the provider's own.")
    run: int = Field(200, ge=0, description="Most pictures that are described in one sync.")
    day: int = Field(1_000, ge=0, description="Most pictures that are described in a day.")
    tokens: int = Field(3_000_000, ge=0, description="Most tokens, read and written, that pictures may cost in a day.")
