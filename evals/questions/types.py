"""Questions with their sources, and what became of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

CATEGORIES = ("single", "cross", "key", "superseded", "restricted", "unanswerable")
REFUSED = ("restricted", "unanswerable")
"""Categories of which nothing is to be told."""
OPEN, HELD = PARTS = ("open", "held")


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
    """What an answer should say, each literally in any of these wordings."""
    fine: frozenset[str]
    old: frozenset[str]

    @property
    def answerable(self) -> bool:
        return bool(self.wanted)

    @property
    def documents(self) -> frozenset[str]:
        """All that it names."""
        return frozenset(self.fine | self.old).union(*self.wanted)


@dataclass(frozen=True, slots=True)
class Said:
    """A statement of an answer, and the numbers of its sources."""

    text: str
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """What an answer cites."""

    number: int
    document: str
    """Its id in the index."""
    title: str
    url: str
    texts: tuple[str, ...] = ()
    """What was read there."""
    labels: frozenset[str] = frozenset()
    """Who may read it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What `crosscheck ask --json` says, as far as it is measured."""

    statements: tuple[Said, ...]
    sources: tuple[Source, ...]
    degraded: tuple[str, ...]
    made_by: str
    numbers: Mapping[str, float] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        return not self.statements

    @property
    def text(self) -> str:
        return "\n".join(one.text for one in self.statements)


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer, beside what it should cite and say."""

    question: Question
    answer: Answer
    cited: tuple[str, ...]
    """Names of documents, each once."""
    wrong: tuple[str, ...]
    missed: tuple[frozenset[str], ...]
    as_valid: tuple[str, ...]
    """Old documents that a statement cites without saying that they hold no longer; they are wrong as well."""
    unsaid: tuple[tuple[str, ...], ...]
    """Facts of which no wording stands in the answer or in what it cites."""
