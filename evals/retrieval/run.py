"""A set through the product's own path: indexed into a store of its own, searched, and its answers written down."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from core.embedders import Embedders
from core.errors import BadQuery
from core.ingest import Ingest
from core.search import Searcher
from core.store.base import Store
from core.store.edge import EdgeStore
from core.types import Audience, Filters, Query, SearchResult, Trace
from evals.retrieval.baseline import Baseline
from evals.retrieval.errors import BadSet
from evals.retrieval.shelf import Shelf
from evals.retrieval.types import Corpus, Question, Report, RetrievalSet
from state.cursors import Cursors
from state.db import open_database
from state.registry import Registry


class Searches(Protocol):
    def search(self, query: Query, audience: Audience) -> SearchResult: ...


@dataclass(frozen=True, slots=True)
class Setup:
    """How this installation embeds and searches."""

    embedders: Embedders
    searcher: Callable[[Store, Embedders], Searches] = Searcher


@dataclass(slots=True)
class Outcome:
    """What was found for each question, and what it took. Grows corpus by corpus."""

    run: dict[str, list[str]] = field(default_factory=dict)
    baseline: dict[str, list[str]] = field(default_factory=dict)
    """The same questions by BM25 over whole documents."""
    arms: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(dict))
    """The same questions by one arm of the search alone, by the arm's name, where searches are traced."""
    documents: int = 0
    chunks: int = 0
    indexing: float = 0.0
    """Seconds."""
    searching: list[float] = field(default_factory=list)
    """Seconds of each search."""
    degraded: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """What searches said that did not go as it should, and how often."""
    unasked: dict[str, str] = field(default_factory=dict)
    """The questions that were refused, each with the reason."""
    made_with: dict[str, str] = field(default_factory=dict)
    """What else decides over the numbers: the embedders' names."""


def run(chosen: RetrievalSet, setup: Setup, report: Report) -> Outcome:
    """Everything of the set, one corpus at a time. Raises EvalError and CoreError."""
    names = {"documents by": setup.embedders.documents.name, "code by": setup.embedders.code.name}
    outcome = Outcome(made_with=names)
    for corpus in chosen.corpora():
        with TemporaryDirectory(prefix="crosscheck-eval-") as folder:
            _run_corpus(corpus, setup, Path(folder), outcome, report)
    return outcome


def _run_corpus(corpus: Corpus, setup: Setup, folder: Path, outcome: Outcome, report: Report) -> None:
    store = EdgeStore.open(folder / "index", setup.embedders)
    try:
        _index(corpus, store, setup, folder, outcome, report)
        searcher = setup.searcher(store, setup.embedders)
        audience = Audience(frozenset(label for document in corpus.documents for label in document.labels))
        for number, question in enumerate(corpus.questions, 1):
            ask(corpus, question, searcher, audience, outcome)
            report({"step": f"{corpus.name}: searching", "done": number, "total": len(corpus.questions)})
    finally:
        store.close()
    baseline = Baseline(corpus.texts)
    for question in corpus.questions:
        without = frozenset(corpus.names[key] for key in question.without if key in corpus.names)
        outcome.baseline[question.id] = baseline.search(question.text, corpus.limit, without)


def _index(corpus: Corpus, store: Store, setup: Setup, folder: Path, outcome: Outcome, report: Report) -> None:
    """Raises BadSet when a document was not taken."""
    database = open_database(folder / "registry.sqlite", busy_timeout=timedelta(seconds=10))
    step = f"{corpus.name}: indexing"
    try:
        ingest = Ingest(store, setup.embedders, Registry(database), Cursors(database), chunker=corpus.chunker)
        for source in dict.fromkeys(document.source for document in corpus.documents):
            shelf = Shelf(source, [document for document in corpus.documents if document.source == source])
            done = ingest.sync(shelf, progress=lambda at, of: report({"step": step, "done": at, "total": of}))
            if done.unread:
                raise BadSet(f"{corpus.name}: {done.unread[0]}.")
            outcome.documents += done.read
            outcome.chunks += done.chunks
            outcome.indexing += done.seconds
    finally:
        database.dispose()


def ask(corpus: Corpus, question: Question, searcher: Searches, audience: Audience, outcome: Outcome) -> None:
    """One question; a refusal is written down."""
    filters = Filters(kinds=corpus.kinds, without=question.without)
    started = time.perf_counter()
    try:
        result = searcher.search(Query(question.text, filters=filters, limit=corpus.limit), audience)
    except BadQuery as refusal:
        outcome.unasked[question.id] = str(refusal)
        return
    outcome.searching.append(time.perf_counter() - started)
    for sentence in result.degraded:
        outcome.degraded[sentence] += 1
    outcome.run[question.id] = _named(corpus.names, [(one.id, one.document_id) for one in result.evidence])
    for arm, found in _arms(corpus.names, result.trace).items():
        outcome.arms[arm][question.id] = found


def _named(names: Mapping[str, str], found: Sequence[tuple[str, str]]) -> list[str]:
    """The set's own ids of chunks, given with their documents, each where it is first found."""
    own = (names.get(chunk) or names.get(document) for chunk, document in found)
    return list(dict.fromkeys(name for name in own if name))


def _arms(names: Mapping[str, str], trace: Trace | None) -> dict[str, list[str]]:
    """What each arm would have answered alone."""
    ranked: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for candidate in trace.candidates if trace else ():
        for arm, rank in candidate.ranks.items():
            ranked[arm].append((rank, candidate.id, candidate.document_id))
    return {arm: _named(names, [found[1:] for found in sorted(some)]) for arm, some in ranked.items()}
