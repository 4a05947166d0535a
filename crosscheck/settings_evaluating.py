"""Settings of evaluations that ask models: who is measured, who judges, and what a run may cost."""

from typing import Self

from pydantic import Field, model_validator

from crosscheck.settings_finding import Name, Section

JUDGES = 3
"""Always as many: an odd number has a majority, and one judge's taste is none."""


class EvalModel(Section):
    label: Name = Field(description="What it is called in results. Its key: CROSSCHECK_EVAL_KEY_<LABEL>, in capitals.")
    name: str = Field(description="anthropic:NAME or openai:NAME.")
    base_url: str | None = Field(None, description="Address of an OpenAI-compatible server; empty: the provider's own.")
    dollars_in: float | None = Field(
        None, ge=0, description="US dollars for a million tokens read; empty: the provider's published price."
    )
    dollars_out: float | None = Field(
        None, ge=0, description="US dollars for a million tokens written; empty: the provider's published price."
    )

    @model_validator(mode="after")
    def _both(self) -> Self:
        if (self.dollars_in is None) != (self.dollars_out is None):
            raise ValueError(f"{self.label}: set both of dollars_in and dollars_out, or none")
        return self


class Eval(Section):
    candidates: tuple[EvalModel, ...] = Field(
        (),
        description="Models that implement tickets in `crosscheck eval accuracy`, one [[eval.candidates]] table each.",
    )
    judges: tuple[EvalModel, ...] = Field(
        (),
        description="The three models that judge, the same for all that is compared, one [[eval.judges]] table each.",
    )
    writer: EvalModel | None = Field(
        None, description="The model that writes what a ticket's change must do; empty: the first judge."
    )
    calls: int = Field(40, ge=2, description="Most model calls of one attempt at a ticket.")
    tokens: int = Field(400_000, ge=1000, description="Most tokens, read and written, of one attempt at a ticket.")
    seconds: float = Field(1800, gt=0, description="Most seconds of one attempt at a ticket.")
    dollars: float = Field(
        50, ge=0, description="Most US dollars of one run, judges included; what is not priced is not counted."
    )

    @model_validator(mode="after")
    def _labels(self) -> Self:
        labels = [one.label for one in (*self.candidates, *self.judges)]
        if twice := [label for label in labels if labels.count(label) > 1]:
            raise ValueError(f"two models of [eval] have the label {twice[0]}; call one of them something else")
        writer = self.writer
        if writer and any(one.label == writer.label and one != writer for one in (*self.candidates, *self.judges)):
            raise ValueError(f"[eval.writer] has the label {writer.label} of another model; call it something else")
        return self
