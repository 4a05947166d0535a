"""What a retrieval set is, whatever its shape."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from core.chunking import chunk
from core.types import Chunk, Document

Run = Mapping[str, Sequence[str]]
"""For each question what was found, best first, by the set's own ids."""
Values = Mapping[str, Mapping[str, float]]
"""For each metric, by name, its value for each question that it is defined for."""
Report = Callable[[Mapping[str, Any]], None]
"""Told `{"step": ..., "done": ..., "total": ...}`."""


class Judgement(NamedTuple):
    """That a document answers a question."""

    grade: int
    """From 1."""
    source: str
    """`code`, `doc`, `test`, ...; empty where the set does not tell them apart."""


Relevant = Mapping[str, Mapping[str, Judgement]]
"""For each question the documents that answer it, by the set's own ids."""


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    text: str
    without: frozenset[str] = frozenset()
    """Ids of documents to leave out: a ticket finds itself otherwise."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents that are indexed together, and the questions that are asked of them."""

    name: str
    documents: Sequence[Document]
    names: Mapping[str, str]
    """The set's own id of what may be found, by document id; by evidence id where pieces of documents are."""
    texts: Mapping[str, str]
    """What may be found, by the set's own id, each as one text with its title: what the baseline searches."""
    questions: Sequence[Question]
    limit: int
    """Pieces of evidence to ask for."""
    kinds: frozenset[str] = frozenset()
    """Of documents that are asked for; empty is all."""
    chunker: Callable[[Document], list[Chunk]] = chunk


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """Questions with known answers over one or several corpora."""

    name: str
    shape: str
    questions: int
    relevant: Relevant
    """Empty where nobody says what the right answers are: then there is a run, and nothing is measured."""
    headline: Sequence[str]
    """The metrics that count, the first of them first."""
    corpora: Callable[[], Iterator[Corpus]] = field(repr=False)
    """Made one at a time: packages are downloaded and read only when it is their turn."""
