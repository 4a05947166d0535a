"""What a model is asked to fill in. Strangers write this, hence pydantic; nothing of it is trusted."""

from typing import Literal

from pydantic import BaseModel, Field

Category = Literal[
    "missing rule",
    "conflict",
    "undecided condition",
    "boundary and exception",
    "regression risk",
    "permission and state",
    "data and migration",
    "not verifiable",
]


class Verdict(BaseModel):
    """What to do with one finding."""

    finding: str = Field(description="The finding's id, such as F1 or C1.")
    decision: Literal["keep", "drop", "merge"]
    into: str = Field("", description="For `merge`: the id of the kept finding that says the same.")
    reason: str = Field("", description="Needed for `drop` and `merge`: why, in one sentence.")


class Citation(BaseModel):
    """A literal quote from a source, or something that a source lacks."""

    source: str = Field(description="The id of a source that was given or that a tool returned, such as S3.")
    quote: str = Field("", description="Copied literally from the source. Empty only for an absence.")
    looked_for: str = Field("", description="For an absence: what this source does not say.")


class NewFinding(BaseModel):
    """Something that nobody has found yet."""

    category: Category
    priority: Literal["P0", "P1", "P2", "P3"]
    statement: str = Field(description="What is missing or in conflict, in a product owner's words.")
    why: str = Field(description="Why it matters.")
    question: str = Field(description="The question whose answer settles it.")
    citations: list[Citation] = Field(description="At least one; for a conflict both sides.")


class Found(BaseModel):
    """What one agent found."""

    findings: list[NewFinding] = Field(default_factory=list)


class Answer(BaseModel):
    """The supervisor's whole review."""

    verdicts: list[Verdict] = Field(default_factory=list)
    ranked: list[str] = Field(
        default_factory=list, description="Ids of the agents' findings (C1, C2) that stay, the most urgent first."
    )
    findings: list[NewFinding] = Field(default_factory=list)
