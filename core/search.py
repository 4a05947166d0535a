"""Finding evidence: route, candidates, fusion, reranking, diversity, order."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import zip_longest

import structlog

from core.arms import Arms
from core.asking import Encoded, encoded
from core.embedders import Embedders
from core.errors import BadQuery, EmbedderUnavailable
from core.exact import ExactRoute
from core.key import Key
from core.keys import Keys, parse
from core.names import unfound, unknown
from core.ranking import (
    PAGE,
    Candidate,
    Likeness,
    Rankings,
    arranged,
    first_of_each,
    fuse,
    standardised,
    thinned,
    varied,
)
from core.rerank.chain import Reranking
from core.rerank.late import NAME as LATE
from core.spans import step, tell
from core.store.base import (
    COLLECTIONS,
    CollectionName,
    Passage,
    Scope,
    Store,
    collection_of,
    point_id,
)
from core.tokens import well_formed
from core.tracing import Tracer
from core.tuning import Tuning
from core.types import Audience, Evidence, Filters, Locator, Metrics, NullMetrics, Query, SearchResult

log = structlog.get_logger(__name__)

_LONGEST = 8_000  # characters of a question that are looked at
_POOL = 40  # candidates of a collection, at least
_KEYS = 8  # identifiers of a question that are looked up
_RESULTS = 200  # each is compared with all others
_VARIANTS = 8  # other wordings that are searched for: each takes four arms
_QUESTION = 200  # characters; the names in a longer text are part of a story, not what is asked for


class Searcher:
    """Finds what an audience may read. Raises BadQuery and IndexUnusable."""

    def __init__(
        self,
        store: Store,
        embedders: Embedders,
        metrics: Metrics | None = None,
        tuning: Tuning | None = None,
        reranking: Reranking | None = None,
    ) -> None:
        """Without `reranking` the fused order is the order."""
        self._store = store
        self._embedders = embedders
        self._metrics = metrics or NullMetrics()
        self._tuning = tuning or Tuning()
        self._reranking = reranking
        self._exact = ExactRoute(store)
        self._arms = Arms(store, self._metrics)

    def search(self, query: Query, audience: Audience) -> SearchResult:
        """At most `query.limit` pieces of evidence, and 200, best first. What the question names exactly comes before
        the rest.

        What the audience may not read is not there: it takes no place and is in no count.
        """
        with step("search"):
            result = self._search(query, audience)
            tell(evidence=len(result.evidence), degraded=len(result.degraded))
        return result

    def _search(self, query: Query, audience: Audience) -> SearchResult:
        text, degraded = _readable(query.text)
        filters, limit = _plain(query.filters), min(query.limit, _RESULTS)
        if limit < 1 or not audience.labels:
            return SearchResult((), degraded)
        scope = Scope(audience, filters)
        keys = parse(text)
        trace = Tracer(keys.found[:_KEYS])
        with self._timed("exact", trace):
            pinned, missing = self._pinned(text, keys, scope, limit)
        notes = (*((unfound(missing),) if missing else ()), *unknown(filters, self._store, audience))
        alone = keys.alone and (bool(pinned) or any(key.certain for key in keys.found))
        route = "exact" if alone else "hybrid"
        self._metrics.count("crosscheck_search_total", route=route)
        tell(route=route)
        found: list[Candidate] = []
        first = [Candidate(_id(passage), passage, 1.0) for passage in pinned]
        if not alone:
            found, failures = self._hybrid([text, *_variants(query)], first, scope, limit, trace)
            degraded += failures
        exact = [_evidence(candidate, "exact") for candidate in first]
        hybrid = [_evidence(candidate, "hybrid") for candidate in found]
        self._measured(trace.seconds, route)
        return SearchResult(
            self._guarded([*exact, *hybrid], audience), degraded, notes, trace.finished(route, first, found)
        )

    def lookup(self, key: str, audience: Audience, limit: int = 20) -> tuple[Evidence, ...]:
        """What bears this ticket key, path, commit id, title or symbol, then what mentions it. Nothing if that does
        not exist or may not be read.
        """
        text, _ = _readable(key)
        keys = parse(text)
        if limit < 1:
            return ()
        wanted = keys.found[0] if keys.alone and len(keys.found) == 1 else Key("identifier", text)
        passages = self._exact.find(wanted, Scope(audience), limit)
        return self._guarded(
            [_evidence(Candidate(_id(passage), passage, 1.0), "exact") for passage in passages], audience
        )

    def open_document(self, document_id: str, audience: Audience, limit: int = 20) -> tuple[Evidence, ...]:
        """The first `limit` chunks of a document, in its own order; nothing if it may not be read."""
        passages = self._store.read(well_formed(document_id), audience, limit) if limit > 0 else ()
        return self._guarded(
            [_evidence(Candidate(_id(passage), passage, 1.0), "read") for passage in passages], audience
        )

    def _guarded(self, found: Sequence[Evidence], audience: Audience) -> tuple[Evidence, ...]:
        """The same, whatever the engine's filters did. What they let through is an alarm."""
        kept = tuple(evidence for evidence in found if audience.may_read(evidence.labels))
        if len(kept) < len(found):
            self._metrics.count("crosscheck_leaked_labels_total", len(found) - len(kept), where="search")
            log.error("evidence withheld", alarm="leaked label", count=len(found) - len(kept))
        return kept

    def rankings(self, question: str, scope: Scope, voters: Filters) -> Rankings:
        """What each arm ranks of the code in scope, before it is weighed: for fitting the weights. The commits that
        vote are those that `voters` leaves. Raises EmbedderUnavailable rather than leave out an arm.
        """
        asked = encoded([_readable(question)[0]], self._embedders, COLLECTIONS)
        if asked.failures:
            raise EmbedderUnavailable(asked.failures[0])
        tuning = self._tuning
        wordings, commits = asked.wordings["code"], asked.wordings["documents"][0]
        return self._arms.rankings(
            "code", wordings, scope, tuning.depth, tuning.variant, commits=commits, voters=voters
        )

    def _pinned(self, text: str, keys: Keys, scope: Scope, limit: int) -> tuple[list[Passage], list[Key]]:
        """What the question names: all results if it asks for nothing else, at most half of them otherwise; and the
        certain names that nothing bears.
        """
        named = keys.found[:_KEYS]
        if keys.alone:
            found = [self._exact.find(key, scope, limit) for key in named]
        else:
            limit = (limit + 1) // 2
            short = len(text) <= _QUESTION
            found = [
                self._exact.among_words(key, scope) if short else self._exact.bearing(key, scope) if key.certain else []
                for key in named
            ]
            found.append(self._exact.bearing(Key("phrase", text), scope))
        missing = [key for key, passages in zip(named, found, strict=False) if key.certain and not passages]
        pinned: dict[tuple[str, int], Passage] = {}
        for row in zip_longest(*found):  # the first of each key, then the second of each
            for passage in row:
                if passage is not None:
                    pinned.setdefault((passage.document_id, passage.ordinal), passage)
        return list(pinned.values())[:limit], missing

    def _hybrid(
        self, texts: Sequence[str], first: Sequence[Candidate], scope: Scope, limit: int, trace: Tracer
    ) -> tuple[list[Candidate], tuple[str, ...]]:
        """What is found beside what is pinned, and what did not go as it should."""
        with self._timed("embedding", trace):
            wanted = _collections(scope.filters)
            question = encoded(texts, self._embedders, COLLECTIONS if "code" in wanted else wanted)
        if question.failures:
            self._metrics.count("crosscheck_search_degraded_total", part="embedder")
        depth = max(self._tuning.depth, 3 * limit)
        with self._timed("candidates", trace):
            answers = {name: self._answers(name, question, scope, depth) for name in wanted}
            trace.asked(answers)
        with self._timed("fusion", trace):
            fused, likeness = self._fused(answers, first, scope, limit, trace)
        with self._timed("reranking", trace):
            ordered, failures = self._reranked(texts[0], fused, limit, trace)
        with self._timed("order", trace):
            found = arranged(self._varied(ordered, likeness), self._tuning.arrangement, limit, first)
        return found, question.failures + failures

    def _answers(self, collection: CollectionName, question: Encoded, scope: Scope, depth: int) -> Rankings:
        """What all arms say of a collection; of code, commits too, which are among the documents."""
        wordings, tuning = question.wordings[collection], self._tuning
        commits = question.wordings["documents"][0] if collection == "code" and tuning.votes else None
        return tuning.weighed(self._arms.rankings(collection, wordings, scope, depth, tuning.variant, commits=commits))

    def _fused(
        self,
        answers: Mapping[CollectionName, Rankings],
        first: Sequence[Candidate],
        scope: Scope,
        limit: int,
        trace: Tracer,
    ) -> tuple[list[Candidate], Likeness]:
        """The best of each collection by all arms together, without those pinned and what is almost the same as one
        before; and how alike they are.
        """
        scores: list[tuple[str, float]] = []
        passages: dict[str, Passage] = {}
        most = 2 * self._tuning.arrangement.per_document  # whatever the limit: so the first page is the same for all
        best = max(self._tuning.reranked if self._reranking else _POOL, 3 * limit)
        for collection, each in answers.items():
            fused = first_of_each(fuse(each.chunks, each.documents, self._tuning.k), most)[:best]
            passages |= self._store.fetch(collection, [key for key, _ in fused], scope.audience)
            scores += fused
        scores.sort(key=lambda scored: (-scored[1], scored[0]))
        taken = {candidate.id for candidate in first}
        rest = [Candidate(key, passages[key], score) for key, score in scores if key in passages and key not in taken]
        trace.fused(rest)
        likeness = Likeness()
        thin = thinned([*first, *rest], likeness)
        trace.dropped(thin.dropped)
        return [candidate for candidate in thin.kept if candidate.id not in taken], likeness

    def _reranked(
        self, question: str, fused: Sequence[Candidate], limit: int, trace: Tracer
    ) -> tuple[list[Candidate], tuple[str, ...]]:
        """The first candidates in the order that the reranker and the fusion agree on, the others after them."""
        read, rest = fused[: max(self._tuning.reranked, limit)], fused[max(self._tuning.reranked, limit) :]
        if self._reranking is None or len(read) < 2:
            return list(fused), ()
        texts = [f"{candidate.passage.context}\n{candidate.passage.text}" for candidate in read]
        answer = self._reranking.rank(question, texts)
        if answer.scores is None:
            return list(fused), answer.degraded
        trace.reranked(answer.by, dict(zip((candidate.id for candidate in read), answer.scores, strict=True)))
        share = self._tuning.late if answer.by == LATE else self._tuning.model
        believed = share * min(1.0, self._tuning.short / max(len(question.split()), 1))
        opinions = standardised([candidate.score for candidate in read]) + believed * standardised(answer.scores)
        order = sorted(range(len(read)), key=lambda number: (-opinions[number], number))
        high = max((candidate.score for candidate in rest), default=0.0)
        # scores that fit the new order, above those of what was not read
        scores = opinions - opinions.min() + max(high, 0.0) + 1e-9
        return [Candidate(read[n].id, read[n].passage, float(scores[n])) for n in order] + list(rest), answer.degraded

    def _varied(self, ordered: Sequence[Candidate], likeness: Likeness) -> list[Candidate]:
        """The same, with the first of the code in an order that repeats itself less."""
        code = [candidate for candidate in ordered if candidate.group == "code"][: 2 * PAGE]
        reordered = dict(zip((one.id for one in code), varied(code, self._tuning.novelty, likeness), strict=True))
        return [reordered.get(candidate.id, candidate) for candidate in ordered]

    @staticmethod
    @contextmanager
    def _timed(name: str, trace: Tracer) -> Iterator[None]:
        started = time.perf_counter()
        with step(f"search.{name}"):
            yield
        trace.took(name, time.perf_counter() - started)

    def _measured(self, seconds: Mapping[str, float], route: str) -> None:
        for name, each in seconds.items():
            self._metrics.observe("crosscheck_search_step_seconds", each, step=name, route=route)
        self._metrics.observe("crosscheck_search_seconds", sum(seconds.values()), route=route)


def _readable(text: str) -> tuple[str, tuple[str, ...]]:
    """The part of a question that is looked at, and what to say if it is not all. BadQuery if nothing is in it."""
    cut = well_formed(text[:_LONGEST]).replace("\x00", " ").strip()
    if not any(c.isalnum() for c in cut):
        raise BadQuery("There is no word in this question to search for.")
    if len(text) <= _LONGEST:
        return cut, ()
    return cut, (f"Only the first {_LONGEST} characters of the question were used.",)


def _variants(query: Query) -> list[str]:
    """The other wordings that hold a word, the first eight of them."""
    worded = [variant for variant in query.variants if any(c.isalnum() for c in variant[:_LONGEST])]
    return [_readable(variant)[0] for variant in worded[:_VARIANTS]]


def _plain(filters: Filters) -> Filters:
    """The filters as an engine can be asked. BadQuery for a date that leaves open when it is."""
    if filters.as_of is not None and filters.as_of.tzinfo is None:
        raise BadQuery("The date to search up to needs a time zone.")
    return replace(
        filters,
        sources=frozenset(map(well_formed, filters.sources)),
        kinds=frozenset(map(well_formed, filters.kinds)),
        repos=frozenset(map(well_formed, filters.repos)),
        path=None if filters.path is None else well_formed(filters.path),
        languages=frozenset(map(well_formed, filters.languages)),
        branch=None if filters.branch is None else well_formed(filters.branch),
        documents=frozenset(map(well_formed, filters.documents)),
        without=frozenset(map(well_formed, filters.without)),
    )


def _collections(filters: Filters) -> Sequence[CollectionName]:
    wanted = {collection_of(kind) for kind in filters.kinds}
    return [name for name in COLLECTIONS if not wanted or name in wanted]


def _id(passage: Passage) -> str:
    return point_id(passage.document_id, passage.ordinal, collection_of(passage.kind))


def _evidence(candidate: Candidate, route: str) -> Evidence:
    passage = candidate.passage
    return Evidence(
        id=candidate.id,
        document_id=passage.document_id,
        source=passage.source,
        kind=passage.kind,
        text=passage.text,
        context=passage.context,
        locator=Locator(passage.document_id, passage.title, passage.url, passage.heading, passage.line),
        labels=passage.labels,
        updated=passage.updated,
        score=candidate.score,
        route=route,
        attributes=passage.attributes,
        unread=passage.unread,
    )
