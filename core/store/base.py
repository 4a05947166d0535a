"""What a store is, whatever engine stands behind it."""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, Protocol

from core.embedding.base import Vectors
from core.embedding.sparse import SparseVector
from core.types import Audience, Filters

SCHEMA = 5
"""Changes whenever what is stored changes its meaning: chunking, terms, payload, vectors."""

CollectionName = Literal["documents", "code"]
COLLECTIONS: tuple[CollectionName, ...] = ("documents", "code")
Using = Literal["content", "context"]
"""Which of a chunk's vectors: of its text, of its place."""
USINGS: tuple[Using, ...] = ("content", "context")
KeyField = Literal["keys", "symbols", "references", "tails"]
NameField = Literal["source", "repo", "branch", "language", "touched", "document_id"]

_DOCUMENT = len("00000000-0000-0000-0000")


def collection_of(kind: str) -> CollectionName:
    """Where documents of this kind are kept."""
    return "code" if kind == "code" else "documents"


def point_id(document_id: str, ordinal: int, collection: CollectionName) -> str:
    """The same chunk gets the same id in every run, so that writing it again overwrites it.

    A UUID as the engines want it: 80 bits tell the document, 48 are the ordinal, so that hits are told apart by their
    documents without being read.
    """
    digest = hashlib.blake2b(f"{collection}\x00{document_id}".encode("utf-8", "replace"), digest_size=10).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:]}-{ordinal:012x}"


def document_of(point: str) -> str:
    """What the ids of a document's chunks have in common."""
    return point[:_DOCUMENT]


def first_of(document: str) -> str:
    """The id of the first chunk of what `document_of` told."""
    return f"{document}-{0:012x}"


@dataclass(frozen=True, slots=True)
class Passage:
    """What is kept of a chunk beside its vectors: all that evidence and filters need."""

    document_id: str
    ordinal: int
    source: str
    kind: str
    title: str
    url: str
    text: str
    context: str
    labels: frozenset[str]
    updated: datetime
    heading: str | None = None
    line: int | None = None
    symbols: tuple[str, ...] = ()
    keys: frozenset[str] = frozenset()
    repo: str | None = None
    path: str | None = None
    branch: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    references: tuple[str, ...] = ()
    development: bool = False
    unread: tuple[str, ...] = ()
    language: str | None = None

    @property
    def touched(self) -> tuple[str, ...]:
        """Of a commit: the files it touched, by the names they have today."""
        return tuple(self.attributes.get("paths", "").split("\n")) if self.attributes.get("paths") else ()


@dataclass(frozen=True, slots=True)
class Point:
    """A passage and its vectors, as written."""

    passage: Passage
    content: Vectors
    """Shape (size,)."""
    context: Vectors
    content_terms: SparseVector
    context_terms: SparseVector

    @property
    def collection(self) -> CollectionName:
        return collection_of(self.passage.kind)

    @property
    def id(self) -> str:
        return point_id(self.passage.document_id, self.passage.ordinal, self.collection)


@dataclass(frozen=True, slots=True)
class Vectored:
    """A text's vectors, as they were written with it."""

    dense: Vectors
    terms: SparseVector


@dataclass(frozen=True, slots=True)
class Arm:
    """One ranked list to be fetched: the vector looked for, and which of a chunk's vectors it is compared with."""

    using: Using
    vector: Vectors | SparseVector


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks and within what. Applies inside every arm."""

    audience: Audience
    filters: Filters = field(default_factory=Filters)

    def within(self, collection: CollectionName) -> "Scope":
        """What of it applies to a collection."""
        if collection == "code" and self.filters.code_of_today:
            return replace(self, filters=replace(self.filters, as_of=None))
        return self


@dataclass(frozen=True, slots=True)
class Hit:
    """A point found, with the engine's score: comparable within one arm only."""

    id: str
    score: float


class Store(Protocol):
    """Holds points. Reads are safe from any thread, beside one writer at a time. Raises `IndexUnusable`.

    Nothing is returned whose labels the scope's audience does not all hold; an empty audience gets nothing.
    """

    def upsert(self, points: Sequence[Point]) -> None:
        """Write or overwrite. ValueError for a point without labels or with a number
        that is not finite; then none of them is written.
        """
        ...

    def trim(self, collection: CollectionName, sizes: Mapping[str, int]) -> None:
        """Of each document keep its first n chunks in this collection, and nothing in the other."""
        ...

    def relabel(self, labels: Mapping[str, frozenset[str]]) -> None:
        """Set the labels of all chunks of these documents. ValueError if one is left without."""
        ...

    def delete(self, document_ids: Collection[str]) -> None:
        """Delete all chunks of these documents."""
        ...

    def rank(
        self, collection: CollectionName, arms: Sequence[Arm], scope: Scope, limit: int
    ) -> tuple[tuple[Hit, ...], ...]:
        """For each arm its best points, best first, ties by id; in one batch."""
        ...

    def fetch(self, collection: CollectionName, ids: Sequence[str], audience: Audience) -> dict[str, Passage]:
        """The passages of these points, as far as they (still) exist and the audience may read them."""
        ...

    def find(
        self, collection: CollectionName, by: KeyField, value: str, scope: Scope, limit: int, *, prefix: bool = False
    ) -> tuple[Passage, ...]:
        """Passages by exact identifier (or its beginning), ordered by document and place in it."""
        ...

    def read(self, document_id: str, audience: Audience, limit: int) -> tuple[Passage, ...]:
        """The first chunks of a document, in order."""
        ...

    def vectors(
        self, collection: CollectionName, document_ids: Collection[str], texts: Collection[str]
    ) -> dict[str, Vectored]:
        """What is stored of these texts, as far as these documents hold one as a text or context. For upkeep."""
        ...

    def names(self, field: NameField, scope: Scope) -> dict[str, int]:
        """The values of a field among what is in scope, each with its number of chunks.

        Branches are those in development, too, unless one is asked for. Not to be changed by the caller.
        """
        ...

    def points(self, collection: CollectionName, at_once: int = 256) -> Iterator[Sequence[Point]]:
        """All points with their vectors, some at a time, each once. For moving them elsewhere."""
        ...

    def count(self) -> int:
        """How many points there are."""
        ...

    def documents(self, source: str) -> dict[str, int]:
        """Id and number of chunks of each document of a source, whoever may read it. For upkeep, never for answers."""
        ...

    def optimize(self) -> None:
        """Mend what makes an index slow: much written since it was opened, and much deleted, whose room is given back.
        May take minutes, beside nearly all reading and writing; nothing is done where little was.

        Loses nothing whenever it is killed. DiskFull if there is no room to copy the index.
        """
        ...

    def flush(self) -> None:
        """Put all that was written on disk. What was not may be lost with the machine, and nothing would say so."""
        ...

    def close(self) -> None:
        """Put everything on disk and let go of the index."""
        ...
