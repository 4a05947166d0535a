"""A measurement: what came of each case, metric by metric, before anything is summed up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Better = Literal["more", "less", "neither"]
Unit = Literal["share", "score", "ms", "seconds", "days", "tokens", "dollars", "letters", "calls", "ratio", "count"]


class Counted(NamedTuple):
    """What one case adds to a metric: a part of a whole. A metric is the sum of the parts over the sum of the wholes,
    so with a whole of 1 for each case it is their mean, and with findings as wholes it is the share of findings.
    """

    part: float
    whole: float = 1.0


Values = Mapping[str, Counted]
"""By case. A case that a metric is not defined for is not there."""


@dataclass(frozen=True, slots=True)
class Metric:
    """What is measured."""

    name: str
    """`recall@10 code`; the same in every run."""
    about: str
    """What it says, in a sentence without its full stop."""
    better: Better = "more"
    unit: Unit = "share"
    noise: float = 0.0
    """A part of what it was by which it changes from run to run by itself, in all cases at once, which an interval over
    cases cannot know. A smaller change is within noise.
    """


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that came to nothing, or a scorer that could not judge it. It is data: the run goes on."""

    case: str
    what: str
    """`task`, or the scorer's name."""
    reason: str
    """The error's kind and its message, in a line."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Something to look at, as plain data; the report knows how each kind is drawn."""

    kind: str
    """`flow`, `map`, `arms`, `wins`, ..."""
    title: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One set, measured in one way."""

    part: str
    """`retrieval`, `answers`, `reviews`, `outcomes`, `accuracy`, `latency`."""
    set: str
    way: str
    """How it was done: `rules alone`, `scripted reader`, a model's name."""
    metrics: tuple[Metric, ...]
    """In the order in which people should read them."""
    values: Mapping[str, Values]
    """By the metric's name. A metric that no case has a value for is not there."""
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences: what was left out, what the numbers do not say."""
    made_with: Mapping[str, str] = field(default_factory=dict)
    """What else decides over the numbers: the embedder, the model, a digest of the set."""
    figures: tuple[Figure, ...] = ()

    @property
    def key(self) -> tuple[str, str, str]:
        """The same in every run that measured this."""
        return self.part, self.set, self.way


@dataclass(frozen=True, slots=True)
class Run:
    """Measurements that were made together."""

    commit: str
    """Of the program that was measured, or its version where there is no repository."""
    at: str
    """ISO 8601, UTC."""
    machine: str
    measurements: tuple[Measurement, ...]
