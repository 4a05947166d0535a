"""A question as it is compared with a collection: its words, and its meaning."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.embedders import Embedders
from core.embedding.base import Embedder, Vectors, normalised
from core.embedding.sparse import SparseVector, title_of
from core.embedding.sparse import query as sparse_query
from core.errors import EmbedderUnavailable
from core.ranking import telling
from core.store.base import CollectionName, Using

_NO_TERMS = SparseVector((), ())


@dataclass(frozen=True, slots=True)
class Asked:
    """One wording of a question."""

    text: str
    terms: SparseVector
    dense: Vectors | None
    """None: the embedder did not answer. Zeros: there is nothing that has a meaning."""


@dataclass(frozen=True, slots=True)
class NamedArm:
    """One list to be asked for."""

    name: str
    """`content words`, `context meaning`; of another wording, `content words 2`."""
    using: Using
    vector: Vectors | SparseVector
    share: float
    """What it counts, as a share of the first wording's."""
    words: frozenset[str] = frozenset()
    """The question's words, where the arm compares words."""

    @property
    def kind(self) -> str:
        """The arm's name without its wording's number."""
        return " ".join(self.name.split()[:2])


def asked(texts: Sequence[str], embedder: Embedder) -> list[Asked]:
    """Raises EmbedderUnavailable. A report's title counts as much for its meaning as all of its text."""
    titles = [title for text in texts if (title := title_of(text))]
    encoded = embedder.embed([*texts, *titles], "query")
    with_title = iter(encoded.dense[len(texts) :])
    meanings = normalised(
        np.stack(
            [row + next(with_title) if title_of(text) else row for text, row in zip(texts, encoded.dense, strict=False)]
        )
    )
    learned = encoded.terms
    terms = [sparse_query(text) for text in texts] if learned is None else learned[: len(texts)]
    return [Asked(text, weights, row) for text, weights, row in zip(texts, terms, meanings, strict=True)]


def words_alone(texts: Sequence[str], embedder: Embedder) -> list[Asked]:
    """Words can be compared without the embedder where it did not weigh them."""
    return [Asked(text, _NO_TERMS if embedder.learned_terms else sparse_query(text), None) for text in texts]


def arms_of(wordings: Sequence[Asked], variant: float) -> list[NamedArm]:
    """What is to be asked for; `variant` is the share of wordings after the first."""
    arms: list[NamedArm] = []
    for number, one in enumerate(wordings, 1):
        share, last = (1.0, "") if number == 1 else (variant, f" {number}")
        places: tuple[Using, ...] = ("content", "context")
        if one.terms:
            words = telling(one.text)
            arms += [NamedArm(f"{place} words{last}", place, one.terms, share, words) for place in places]
        if one.dense is not None and one.dense.any():
            arms += [NamedArm(f"{place} meaning{last}", place, one.dense, share) for place in places]
    return arms


@dataclass(frozen=True, slots=True)
class Encoded:
    """A question's wordings for each collection, and what to say if their meaning could not be compared."""

    wordings: dict[CollectionName, list[Asked]]
    failures: tuple[str, ...] = ()


def encoded(texts: Sequence[str], embedders: Embedders, collections: Sequence[CollectionName]) -> Encoded:
    """Each embedder is asked once."""
    by_name: dict[str, list[Asked]] = {}
    failures: dict[str, None] = {}
    for collection in collections:
        embedder = embedders.of(collection)
        if embedder.name not in by_name:
            try:
                by_name[embedder.name] = asked(texts, embedder)
            except EmbedderUnavailable:
                by_name[embedder.name] = words_alone(texts, embedder)
                failures[_failure(embedder)] = None
    return Encoded({name: by_name[embedders.of(name).name] for name in collections}, tuple(failures))


def _failure(embedder: Embedder) -> str:
    if embedder.learned_terms:
        return "The embedder did not answer, so only names and keys were looked up, and no words or meaning compared."
    return "The embedder did not answer, so only words were compared, not meaning."
