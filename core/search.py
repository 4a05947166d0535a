"""Finding evidence: route, candidates, fusion, diversity, order."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest

from core.embedders import Embedders
from core.embedding.base import Embedder, Vectors
from core.embedding.sparse import SparseVector
from core.embedding.sparse import query as sparse_query
from core.errors import BadQuery, EmbedderUnavailable
from core.exact import ExactRoute
from core.keys import Key, Keys, parse
from core.ranking import Candidate, Ranking, fuse, in_reading_order, reserved, share_known, telling, thinned
from core.store.base import COLLECTIONS, Arm, CollectionName, Passage, Scope, Store, collection_of, point_id
from core.tokens import well_formed
from core.types import Audience, Evidence, Filters, Locator, Metrics, NullMetrics, Query, SearchResult

_LONGEST = 8_000  # characters of a question that are looked at
_KEYS = 8  # identifiers of a question that are looked up
_QUESTION = 200  # characters; the names in a longer text are part of a story, not what is asked for


@dataclass(frozen=True, slots=True)
class Tuning:
    """Measured, not chosen by taste. The weights are of the four arms: a question's words and its meaning, compared
    with a chunk's content and its context. The static vectors' meaning is weak and counts less.
    """

    content_words: float = 1.0
    context_words: float = 0.3
    content_meaning: float = 0.4
    context_meaning: float = 0.2
    variant: float = 0.5
    """What an arm of another wording counts, as a share."""
    k: float = 10
    """See `fuse`."""
    depth: int = 50
    """Points asked of each arm, at least."""
    per_document: int = 3
    """Chunks of one document among the results."""
    places: Mapping[str, int] = field(default_factory=lambda: {"ticket": 2, "page": 2, "code": 2})
    """Of ten results, how many are kept for each group of kinds that has as many to offer."""


@dataclass(frozen=True, slots=True)
class _NamedArm:
    name: str
    weight: float
    arm: Arm
    words: frozenset[str] = frozenset()
    """The question's words, where the arm compares words."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A wording of the question as it is compared with a collection."""

    text: str
    terms: SparseVector
    dense: Vectors | None
    """None: the embedder did not answer."""


class Searcher:
    """Finds what an audience may read. Raises BadQuery and IndexUnusable."""

    def __init__(
        self, store: Store, embedders: Embedders, metrics: Metrics | None = None, tuning: Tuning | None = None
    ) -> None:
        self._store = store
        self._embedders = embedders
        self._metrics = metrics or NullMetrics()
        self._tuning = tuning or Tuning()
        self._exact = ExactRoute(store)

    def search(self, query: Query, audience: Audience) -> SearchResult:
        """At most `query.limit` pieces of evidence, best first. What the question names exactly comes before the rest.

        What the audience may not read is not there: it takes no place and is in no count.
        """
        text, degraded = _readable(query.text)
        if query.limit < 1 or not audience.labels:
            return SearchResult((), degraded)
        scope = Scope(audience, query.filters)
        keys = parse(text)
        with self._timed("exact"):
            pinned = self._pinned(text, keys, scope, query.limit)
        alone = keys.alone and (bool(pinned) or any(key.certain for key in keys.found))
        self._metrics.count("crosscheck_search_total", route="exact" if alone else "hybrid")
        if alone:
            return SearchResult(tuple(_evidence(passage, 1.0, "exact") for passage in pinned), degraded)
        with self._timed("embedding"):
            arms, failure = self._arms([text, *_variants(query)], _collections(query.filters))
        with self._timed("candidates"):
            rankings = self._candidates(arms, scope, query.limit)
        with self._timed("order"):
            found = self._chosen(rankings, pinned, scope, query.limit)
        exact = [_evidence(passage, 1.0, "exact") for passage in pinned]
        hybrid = [_evidence(candidate.passage, candidate.score, "hybrid") for candidate in found]
        return SearchResult((*exact, *hybrid), degraded + failure)

    def lookup(self, key: str, audience: Audience, limit: int = 20) -> tuple[Evidence, ...]:
        """What bears this ticket key, path, commit id, title or symbol, then what mentions it. Nothing if that does
        not exist or may not be read.
        """
        text, _ = _readable(key)
        keys = parse(text)
        wanted = keys.found[0] if keys.alone and len(keys.found) == 1 else Key("identifier", text)
        passages = self._exact.find(wanted, Scope(audience), limit)
        return tuple(_evidence(passage, 1.0, "exact") for passage in passages)

    def open_document(self, document_id: str, audience: Audience, limit: int = 20) -> tuple[Evidence, ...]:
        """The first `limit` chunks of a document, in its own order; nothing if it may not be read."""
        passages = self._store.read(well_formed(document_id), audience, limit)
        return tuple(_evidence(passage, 1.0, "read") for passage in passages)

    def _pinned(self, text: str, keys: Keys, scope: Scope, limit: int) -> list[Passage]:
        """What the question names: all results if it asks for nothing else, at most half of them otherwise."""
        if keys.alone:
            found = [self._exact.find(key, scope, limit) for key in keys.found[:_KEYS]]
        else:
            limit = (limit + 1) // 2
            found = [self._exact.bearing(Key("phrase", text), scope)]
            for key in keys.found[:_KEYS]:
                if len(text) <= _QUESTION:
                    found.append(self._exact.among_words(key, scope))
                elif key.certain:
                    found.append(self._exact.bearing(key, scope))
        pinned: dict[tuple[str, int], Passage] = {}
        for row in zip_longest(*found):  # the first of each key, then the second of each
            for passage in row:
                if passage is not None:
                    pinned.setdefault((passage.document_id, passage.ordinal), passage)
        return list(pinned.values())[:limit]

    def _candidates(
        self, arms: Mapping[CollectionName, Sequence[_NamedArm]], scope: Scope, limit: int
    ) -> dict[CollectionName, list[Ranking]]:
        """Every arm's answer, by collection."""
        depth = max(self._tuning.depth, 3 * limit)
        rankings: dict[CollectionName, list[Ranking]] = {}
        for collection, asked in arms.items():
            answers = self._store.rank(collection, [named.arm for named in asked], scope, depth)
            best = self._store.fetch(collection, [hits[0].id for hits in answers if hits], scope.audience)
            rankings[collection] = []
            for named, hits in zip(asked, answers, strict=True):
                if not hits:
                    self._metrics.count("crosscheck_search_empty_arms_total", collection=collection, arm=named.name)
                    continue
                knows = share_known(named.words, best[hits[0].id]) if hits[0].id in best else 1.0
                rankings[collection].append(Ranking([hit.id for hit in hits], named.weight * knows))
        return rankings

    def _arms(
        self, texts: Sequence[str], collections: Sequence[CollectionName]
    ) -> tuple[dict[CollectionName, list[_NamedArm]], tuple[str, ...]]:
        """What is asked of each collection, and what to say if the meaning could not be compared."""
        encoded: dict[str, Sequence[_Asked]] = {}
        failures: dict[str, None] = {}
        for collection in collections:
            embedder = self._embedders.of(collection)
            if embedder.name not in encoded:
                try:
                    encoded[embedder.name] = _asked(texts, embedder)
                except EmbedderUnavailable:
                    self._metrics.count("crosscheck_search_degraded_total", part="embedder")
                    encoded[embedder.name] = _words_alone(texts, embedder)
                    failures[_failure(embedder)] = None
        arms = {name: self._arms_of(encoded[self._embedders.of(name).name]) for name in collections}
        return arms, tuple(failures)

    def _arms_of(self, asked: Sequence[_Asked]) -> list[_NamedArm]:
        tuning = self._tuning
        arms = []
        for number, one in enumerate(asked):
            share = tuning.variant if number else 1.0
            if one.terms:
                words = telling(one.text)
                arms.append(_NamedArm("content words", share * tuning.content_words, Arm("content", one.terms), words))
                arms.append(_NamedArm("context words", share * tuning.context_words, Arm("context", one.terms), words))
            if one.dense is not None and one.dense.any():
                arms.append(_NamedArm("content meaning", share * tuning.content_meaning, Arm("content", one.dense)))
                arms.append(_NamedArm("context meaning", share * tuning.context_meaning, Arm("context", one.dense)))
        return arms

    def _chosen(
        self, rankings: Mapping[CollectionName, Sequence[Ranking]], pinned: Sequence[Passage], scope: Scope, limit: int
    ) -> list[Candidate]:
        """The fused best: no near-duplicates, few chunks a document, places for each source, in reading order."""
        fused = fuse((ranking for each in rankings.values() for ranking in each), self._tuning.k)
        fused = fused[: max(self._tuning.depth, 3 * limit)]
        passages: dict[str, Passage] = {}
        for collection, each in rankings.items():
            mine = {key for ranking in each for key in ranking.ids}
            passages |= self._store.fetch(collection, [key for key, _ in fused if key in mine], scope.audience)
        first = [Candidate(_id(passage), passage, 1.0) for passage in pinned]
        taken = {candidate.id for candidate in first}
        rest = [Candidate(key, passages[key], score) for key, score in fused if key in passages and key not in taken]
        kept = thinned([*first, *rest], self._tuning.per_document, len(first) + len(rest))
        kept = [candidate for candidate in kept if candidate.id not in taken]
        open_places = limit - len(first)
        places = {group: wanted * open_places // 10 for group, wanted in self._tuning.places.items()}
        return in_reading_order(reserved(kept, places, open_places))

    @contextmanager
    def _timed(self, step: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self._metrics.observe("crosscheck_search_step_seconds", time.perf_counter() - started, step=step)


def _readable(text: str) -> tuple[str, tuple[str, ...]]:
    """The part of a question that is looked at, and what to say if it is not all. BadQuery if nothing is in it."""
    cut = well_formed(text[:_LONGEST]).replace("\x00", " ").strip()
    if not any(c.isalnum() for c in cut):
        raise BadQuery("There is no word in this question to search for.")
    if len(text) <= _LONGEST:
        return cut, ()
    return cut, (f"Only the first {_LONGEST} characters of the question were used.",)


def _variants(query: Query) -> list[str]:
    """The other wordings that hold a word."""
    return [_readable(variant)[0] for variant in query.variants if any(c.isalnum() for c in variant[:_LONGEST])]


def _asked(texts: Sequence[str], embedder: Embedder) -> list[_Asked]:
    encoded = embedder.embed(texts, "query")
    terms = [sparse_query(text) for text in texts] if encoded.terms is None else encoded.terms
    return [_Asked(text, weights, row) for text, weights, row in zip(texts, terms, encoded.dense, strict=True)]


def _words_alone(texts: Sequence[str], embedder: Embedder) -> list[_Asked]:
    """Words can be compared without the embedder where it did not weigh them."""
    nothing = SparseVector((), ())
    return [_Asked(text, nothing if embedder.learned_terms else sparse_query(text), None) for text in texts]


def _failure(embedder: Embedder) -> str:
    if embedder.learned_terms:
        return "The embedder did not answer, so only names and keys were looked up, and no words or meaning compared."
    return "The embedder did not answer, so only words were compared, not meaning."


def _collections(filters: Filters) -> Sequence[CollectionName]:
    wanted = {collection_of(kind) for kind in filters.kinds}
    return [name for name in COLLECTIONS if not wanted or name in wanted]


def _id(passage: Passage) -> str:
    return point_id(passage.document_id, passage.ordinal, collection_of(passage.kind))


def _evidence(passage: Passage, score: float, route: str) -> Evidence:
    return Evidence(
        id=_id(passage),
        document_id=passage.document_id,
        source=passage.source,
        kind=passage.kind,
        text=passage.text,
        context=passage.context,
        locator=Locator(passage.document_id, passage.title, passage.url, passage.heading, passage.line),
        labels=passage.labels,
        updated=passage.updated,
        score=score,
        route=route,
        attributes=passage.attributes,
        unread=passage.unread,
    )
