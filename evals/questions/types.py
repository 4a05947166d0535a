"""Questions with their sources, and what became of them."""

from dataclasses import dataclass

CATEGORIES = ("single", "cross", "key", "superseded", "restricted", "unanswerable")
PARTS = ("open", "held")


@dataclass(frozen=True, slots=True)
class Question:
    """A question of somebody in a channel. Documents are named as `questions.toml` says."""

    id: str
    part: str
    category: str
    text: str
    holds: frozenset[str]
    """Labels that the channel's readers hold beside those of the organisation."""
    wanted: tuple[frozenset[str], ...]
    """Of each group one must be cited; none where there is nothing to answer."""
    facts: tuple[tuple[str, ...], ...]
    """Of each group what its documents say literally: any of these."""
    fine: frozenset[str]
    old: frozenset[str]

    @property
    def answerable(self) -> bool:
        return bool(self.wanted)


@dataclass(frozen=True, slots=True)
class Judged:
    """What an answer cites, beside what it should."""

    question: Question
    cited: tuple[str, ...]
    """Names of documents, each once."""
    wrong: tuple[str, ...]
    missed: tuple[frozenset[str], ...]
    statements: tuple[str, ...]
    degraded: bool = False
    """No model answered although one was asked."""

    @property
    def precision(self) -> float | None:
        """Share of the cited documents that are right; None of an answer that cites none."""
        return (len(self.cited) - len(self.wrong)) / len(self.cited) if self.cited else None

    @property
    def recall(self) -> float | None:
        """Share of the wanted groups that are cited; None where nothing is wanted."""
        wanted = len(self.question.wanted)
        return (wanted - len(self.missed)) / wanted if wanted else None

    @property
    def refused(self) -> bool:
        return not self.statements


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over questions, and its 95 % interval."""

    value: float
    of: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Count:
    part: int
    of: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """What became of a model's statements that name a source which was shown."""

    unrelated: Count
    """Of those that name a source about something else, how many were dropped."""
    mistaken: Count
    """The same of those with a wrong number."""
    true: Count
    """The same of those that are so: none should be."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Numbers of many questions."""

    precision: Mean
    """Over the answerable questions whose answer cites something."""
    recall: Mean
    """Over all answerable questions; a refusal cites nothing."""
    restricted_refused: Count
    unanswerable_refused: Count
    falsely_refused: Count
    by_category: dict[str, tuple[Mean, Mean]]
    """Precision and recall of each answerable category."""
    degraded: int
