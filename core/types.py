"""The types at core's borders. All are frozen; none does I/O."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

ORG = "org"  # the label of what everybody in the organisation may read


@dataclass(frozen=True, slots=True)
class Audience:
    """The labels that everybody who can read a reply is known to hold.

    An empty audience may read nothing.
    """

    labels: frozenset[str]

    def may_read(self, labels: Iterable[str]) -> bool:
        """Whether a document with these labels may be shown: all of them must be held, and there must be one."""
        wanted = frozenset(labels)
        return bool(wanted) and wanted <= self.labels

    def covers(self, other: "Audience") -> bool:
        """Whether everything that `other` may read may be read here too."""
        return other.labels <= self.labels


@dataclass(frozen=True, slots=True)
class Locator:
    """Where a person finds a piece of evidence. Every link in a reply comes from one of these."""

    document_id: str
    title: str
    url: str
    """Opens at the place itself (`#L12`, `#Heading`) where the host can."""
    heading: str | None = None
    line: int | None = None

    @property
    def label(self) -> str:
        """Title and place, as a link's text."""
        if self.line is not None:
            return f"{self.title}, line {self.line}"
        if self.heading and not self.title.endswith(self.heading):
            return f"{self.title}, {self.heading}"
        return self.title


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a document that people turn to: a page, a slide, a group of rows."""

    start: int
    """Where it begins in the document's text."""
    label: str
    """`page 3`, `slide 12`, `sheet Prices, rows 2 to 40`."""
    fragment: str = ""
    """Added to the document's address to open it there (`#page=3`); empty where nothing can."""


@dataclass(frozen=True, slots=True)
class Document:
    """One thing a source holds: a ticket, a comment, a page, a file, a commit, a test record."""

    id: str
    """Stable over renames of its title: `jira:10012`, `jira:10012:comment:10044`, `confluence:98312`,
    `git:REPO:src/a.py`, `git:REPO@<sha>`."""
    source: str
    """The source's name in the settings."""
    kind: str
    """ticket, comment, history, page, attachment, file, code, commit or qa."""
    version: str
    """Changes whenever anything of the text, title or context changes."""
    title: str
    text: str
    """Markdown for prose, the file as it is for code."""
    context: str
    """Where it lives: `SPACE > Page`, `PAY-12 Lock accounts`, `repo > src/a.py`."""
    url: str
    labels: frozenset[str]
    """One label for each independent restriction. Never empty."""
    updated: datetime
    created: datetime | None = None
    keys: frozenset[str] = frozenset()
    """Exact identifiers it is looked up by: ticket key, path, commit id, page title."""
    repo: str | None = None
    path: str | None = None
    branch: str | None = None
    development: bool = False
    """Differs on its branch from the baseline; found only by who asks for the branch."""
    places: tuple[Place, ...] = ()
    """In the order of the text. A chunk never spans two that are large enough to stand alone."""
    unread: tuple[str, ...] = ()
    """What of it could not be read, each as a sentence's end: `picture not read: login.png`."""
    as_indexed: bool = False
    """Of this version the index holds the text, which is not given: only its labels were read."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    """What rules ask for by name: `type`, `status`, `resolution`, `done`, `archived`, `space`. Values are text."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, small enough to be embedded. `document.text[start:end] == text`."""

    document_id: str
    ordinal: int
    text: str
    start: int
    end: int
    context: str
    heading: str | None = None
    line: int | None = None
    """First line, from 1; None where lines mean nothing to a reader."""
    symbols: tuple[str, ...] = ()
    """Names it defines."""
    references: tuple[str, ...] = ()
    """Names it uses."""
    fragment: str = ""
    """Added to the document's address to open at the chunk's place."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Narrows a search. The audience always applies; None or empty means no restriction of that kind."""

    sources: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    repos: frozenset[str] = frozenset()
    path: str | None = None
    """A glob over the path."""
    languages: frozenset[str] = frozenset()
    """Of code, as `core.chunking.languages` names them."""
    branch: str | None = None
    """None is the baseline of each repository; a branch in development is asked for by name."""
    as_of: datetime | None = None
    """Leaves out what did not exist, or was changed, after this moment."""
    code_of_today: bool = False
    """Code is found as it is, whatever `as_of` says, since no earlier state of it is kept; the commits that vote for it
    are those of then.
    """
    documents: frozenset[str] = frozenset()
    """Ids of the only documents to be found."""
    without: frozenset[str] = frozenset()
    """Document ids to leave out (the ticket under review finds itself otherwise)."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for. Variants are other wordings of the same question."""

    text: str
    variants: tuple[str, ...] = ()
    filters: Filters = field(default_factory=Filters)
    limit: int = 10


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of text that the audience may read, and where it stands."""

    id: str
    """The chunk's id; unique within a search."""
    document_id: str
    source: str
    kind: str
    text: str
    context: str
    locator: Locator
    labels: frozenset[str]
    updated: datetime
    score: float
    """Comparable within one search only. Not a confidence."""
    route: str
    """`exact`, `hybrid`, or `read` (opened directly)."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    """What of its document could not be read."""


@dataclass(frozen=True, slots=True)
class TracedArm:
    """One ranked list that was asked for."""

    name: str
    """`content words`, `context meaning`, `commit votes`, ..."""
    collection: str
    weight: float
    """What it counted in the fusion."""
    hits: int


@dataclass(frozen=True, slots=True)
class TracedCandidate:
    """What became of one candidate."""

    id: str
    """As `Evidence.id`."""
    document_id: str
    title: str
    kind: str
    ranks: Mapping[str, int]
    """Its place in each arm that found it, from 1, by the arm's name."""
    fused: int | None
    """Its place after the fusion, from 1; None for what was looked up."""
    reranked: float | None
    """The reranker's score; None if it was not asked about it."""
    fate: str
    """`result 3`, or why it is none: `like` and the title of a better one, `no place left`."""


@dataclass(frozen=True, slots=True)
class Trace:
    """How a search came to its answer. Holds nothing that the audience may not read. Plain data: becomes JSON."""

    route: str
    """`exact` or `hybrid`."""
    keys: tuple[str, ...] = ()
    """The identifiers that were looked up."""
    arms: tuple[TracedArm, ...] = ()
    candidates: tuple[TracedCandidate, ...] = ()
    reranker: str | None = None
    """Which one answered."""
    steps: Mapping[str, float] = field(default_factory=dict)
    """Milliseconds by step."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Evidence, best first, and what did not go as it should (`degraded`, in plain words)."""

    evidence: tuple[Evidence, ...]
    degraded: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What the asker should know of the question: a repository that is not there, with the nearest names."""
    trace: Trace | None = None


@dataclass(frozen=True, slots=True)
class Freshness:
    """How old what is known of a source is."""

    source: str
    documents: int
    last_success: datetime | None
    stale: bool
    last_error: str | None = None
    labels: frozenset[str] = frozenset()
    """Who may know that the source exists."""
    partly: int = 0
    """Documents of which something could not be read."""
    masked: int = 0
    """Strings that looked like credentials and are masked in the index."""


class Metrics(Protocol):
    """What each part reports by. Names follow Prometheus' conventions; labels are few and bounded."""

    def count(self, name: str, amount: float = 1, **labels: str) -> None: ...

    def observe(self, name: str, value: float, **labels: str) -> None: ...

    def gauge(self, name: str, value: float, **labels: str) -> None: ...


class NullMetrics:
    """Metrics for nobody."""

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        """Forget it."""

    def observe(self, name: str, value: float, **labels: str) -> None:
        """Forget it."""

    def gauge(self, name: str, value: float, **labels: str) -> None:
        """Forget it."""


Progress = Callable[[int, int | None], None]
"""Told (done, total); total is None while it is not known."""
