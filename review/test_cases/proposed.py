"""What a model is asked to fill in. Strangers write this, hence pydantic; nothing of it is trusted."""

from typing import Literal

from pydantic import BaseModel, Field

from review.test_cases.types import Kind


class Quote(BaseModel):
    """A literal quote from a source."""

    source: str = Field(description="The id of a source that was given, such as S3.")
    quote: str = Field(description="Copied literally from the source.")


class NewStep(BaseModel):
    """What the tester does."""

    action: str
    expected: str = Field("", description="What is to be seen after this step, if that matters.")


class NewCase(BaseModel):
    """One test case."""

    kind: Kind
    title: str = Field(description="What is tried, in one line.")
    preconditions: list[str] = Field(default_factory=list)
    steps: list[NewStep]
    expected: str = Field(description="What is to be seen at the end.")
    priority: Literal["high", "medium", "low"]
    reason: str = Field(description="Why it has this priority, in one sentence.")
    sources: list[Quote] = Field(description="At least one.")


class Proposed(BaseModel):
    """All cases that are added."""

    cases: list[NewCase] = Field(default_factory=list)
