"""What each kind of figure holds, read and checked once. An interval is `{"value", "low", "high", "n"}`, as
`dataclasses.asdict` makes it of `Interval`, or None where nothing is known; what is not named here is passed over.

`wins`, `judges`, `arms`   as `evals.accuracy.measure` says
`latency`                  as `evals.paths.figure` says
`map`, `flow`              as `evals.report.figures` makes them
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from bots.text import one_line
from evals.harness.errors import EvalError
from evals.harness.intervals import Interval
from evals.harness.types import Figure

_NAME = 100  # characters
_LOOSE = ConfigDict(extra="ignore", allow_inf_nan=False)


@with_config(_LOOSE)
@dataclass(frozen=True, slots=True)
class Win:
    """A ticket's score in both arms, 0 to 1."""

    ticket: str
    title: str
    baseline: float
    crosscheck: float


@with_config(_LOOSE)
@dataclass(frozen=True, slots=True)
class Wins:
    """Tickets in the order in which they are shown."""

    tickets: tuple[Win, ...]


@with_config(_LOOSE)
@dataclass(frozen=True, slots=True)
class Pair:
    """Two judges, and how often they say the same."""

    judges: tuple[str, str]
    same: Interval | None


@with_config(_LOOSE)
@dataclass(frozen=True, slots=True)
class Gain:
    """What one judge alone says of the gain, in score."""

    judge: str
    gain: Interval | None


@with_config(_LOOSE)
@dataclass(frozen=True, slots=True)
class Judges:
    """Whether they agree."""

    alpha: Interval | None
    """Krippendorff's."""
    pairs: tuple[Pair, ...]
    gains: tuple[Gain, ...]
    shown_first: Interval | None
    """What a patch gains in score by being shown first."""


@with_config(_LOOSE)
@dataclass(frozen=True, slots=True)
class Taken:
    """What an arm reached and took, per ticket."""

    arm: str
    score: Interval | None
    tokens_out: Interval | None
    requests: Interval | None
    seconds: Interval | None
    dollars: Interval | None


@with_config(_LOOSE)
@dataclass(frozen=True, slots=True)
class Price:
    """What the gain costs more."""

    of: str
    extra: Interval | None
    """Per ticket."""
    per_point: Interval | None
    """For a hundredth of score."""


@with_config(_LOOSE)
@dataclass(frozen=True, slots=True)
class Arms:
    """Both arms beside each other."""

    arms: tuple[Taken, ...]
    gain: Interval | None
    price: tuple[Price, ...]
    price_said: str


@with_config(_LOOSE)
@dataclass(frozen=True, slots=True)
class Path:
    """What a common path takes: medians in ms."""

    path: str
    n: int
    whole_ms: float
    own_ms: float
    model_ms: float
    own_most_ms: float | None
    """The budget of its own time."""


@with_config(_LOOSE)
@dataclass(frozen=True, slots=True)
class Latency:
    """Paths in the order in which they are shown."""

    first_s: float
    """Seconds to the model's first token."""
    per_second: float
    """Its tokens a second, 0 for all at once."""
    paths: tuple[Path, ...]


@with_config(_LOOSE)
@dataclass(frozen=True, slots=True)
class Flow:
    """A search, and the way of each of its candidates."""

    question: str
    trace: Mapping[str, Any]
    """As `crosscheck.records.trace_record` makes it."""


@with_config(_LOOSE)
@dataclass(frozen=True, slots=True)
class Map:
    """A picture of the index."""

    drawn: Mapping[str, Any]
    """As `crosscheck.map_data.map_data` makes it."""


Held = Wins | Judges | Arms | Latency | Flow | Map
_KINDS: Mapping[str, TypeAdapter[Any]] = {
    name: TypeAdapter(kind)
    for name, kind in (
        ("wins", Wins),
        ("judges", Judges),
        ("arms", Arms),
        ("latency", Latency),
        ("flow", Flow),
        ("map", Map),
    )
}


def held(figure: Figure) -> Held:
    """What the figure holds. EvalError for a kind that is not known, and for data that is not of its kind."""
    kind = _KINDS.get(figure.kind)
    if kind is None:
        named = one_line(figure.kind, _NAME)
        raise EvalError(f"No report draws figures of the kind {named!r}. There are: {', '.join(_KINDS)}.")
    try:
        read: Held = kind.validate_python(dict(figure.data))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        named = one_line(figure.title, _NAME)
        raise EvalError(f"The figure {named!r} is no {figure.kind!r}: {place}: {first['msg']}.") from error
    return read
