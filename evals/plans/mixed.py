"""Plans made from messages of real commits, on the set `mixed`: what the project held before each of them."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.connectors.base import moment
from core.consumers import Consumers
from core.embedders import Embedders
from core.ingest import Ingest
from core.store.base import Store
from core.store.edge import EdgeStore
from core.types import Audience, Evidence, Locator, NullMetrics, Query, SearchResult
from crosscheck.settings import Secrets, Settings
from crosscheck.wiring import Program
from evals.plans.run import judge
from evals.plans.types import Judged, Plan
from evals.retrieval.errors import BadSet
from evals.retrieval.files import by_id, needed
from evals.retrieval.packages import Fetch, by_pip
from evals.retrieval.sets import recognise
from evals.retrieval.shelf import Shelf
from evals.retrieval.types import Corpus, Judgement, Question, Relevant
from review.plan.check import PlanChecker
from review.reading import Searcher
from review.words import defaults
from state.cursors import Cursors
from state.db import open_database
from state.registry import Registry

Progress = Callable[[str], None]


class AsOf:
    """A searcher that knows nothing that was made or changed after a moment."""

    def __init__(self, searcher: Searcher, at: datetime) -> None:
        self._searcher = searcher
        self.at = at

    def search(self, query: Query, audience: Audience) -> SearchResult:
        return self._searcher.search(replace(query, filters=replace(query.filters, as_of=self.at)), audience)

    def lookup(self, key: str, audience: Audience) -> tuple[Evidence, ...]:
        return tuple(one for one in self._searcher.lookup(key, audience) if one.updated <= self.at)

    def open_document(self, document_id: str, audience: Audience, limit: int) -> tuple[Evidence, ...]:
        found = self._searcher.open_document(document_id, audience, limit)
        return tuple(one for one in found if one.updated <= self.at)


def measured(folder: Path, report: Progress, fetch: Fetch = by_pip) -> list[Judged]:
    """Every plan of the set, with the default settings. Raises BadSet, NoPackage, CoreError."""
    chosen = recognise(folder, fetch)
    made = _made(folder)
    program = Program(Settings(), Secrets())
    embedders = program.embedders()
    rows: list[Judged] = []
    for corpus in chosen.corpora():
        _nothing_later(corpus, made)
        with tempfile.TemporaryDirectory() as home:
            store = EdgeStore.open(Path(home) / "index", embedders)
            try:
                report(f"indexing {len(corpus.documents):,} documents")
                _index(corpus, store, embedders, Path(home))
                report(f"checking {len(corpus.questions)} plans")
                rows += _checked(corpus, chosen.relevant, made, store, program.searching(store, embedders))
            finally:
                store.close()
    return rows


def _made(folder: Path) -> Mapping[str, datetime]:
    """When each change was made; a plan may know what was there the second before."""
    path = needed(folder, "queries.jsonl")
    when = {}
    for key, record in by_id(path).items():
        about = record.get("metadata")
        date = moment(about.get("date")) if isinstance(about, dict) and about.get("date") else None
        if date is None:
            raise BadSet(f"{path}: {key} does not say when the change was made.")
        when[key] = date.astimezone(UTC) - timedelta(seconds=1)
    return when


def _nothing_later(corpus: Corpus, made: Mapping[str, datetime]) -> None:
    """Raises BadSet if a commit is among the documents that is as late as the first of the changes."""
    first = min(made[question.id] for question in corpus.questions)
    late = next((one.id for one in corpus.documents if one.kind == "commit" and one.updated > first), None)
    if late:
        raise BadSet(f"{corpus.name}: {late} is not earlier than every change that is to be planned.")


def _index(corpus: Corpus, store: Store, embedders: Embedders, home: Path) -> None:
    database = open_database(home / "registry.sqlite", busy_timeout=timedelta(seconds=10))
    try:
        ingest = Ingest(store, embedders, Registry(database), Cursors(database), chunker=corpus.chunker)
        for source in dict.fromkeys(document.source for document in corpus.documents):
            ingest.sync(Shelf(source, [document for document in corpus.documents if document.source == source]))
    finally:
        database.dispose()


def _checked(
    corpus: Corpus, relevant: Relevant, made: Mapping[str, datetime], store: Store, searcher: Searcher
) -> list[Judged]:
    readers = Audience(frozenset(label for document in corpus.documents for label in document.labels))
    return [
        _judged(corpus, question, relevant.get(question.id, {}), AsOf(searcher, made[question.id]), store, readers)
        for question in corpus.questions
    ]


def _judged(
    corpus: Corpus, question: Question, right: Mapping[str, Judgement], then: AsOf, store: Store, readers: Audience
) -> Judged:
    checker = PlanChecker(
        then,
        lambda _audience: (),
        words=defaults(),
        clock=lambda: then.at,
        metrics=NullMetrics(),
        consumers=Consumers(store),
    )
    touched = frozenset(key for key, one in right.items() if one.source != "commit")
    plan = Plan(question.id, "all", question.text, None, (touched,))

    def search(query: Query) -> SearchResult:
        return then.search(query, readers)

    def name(locator: Locator) -> str:
        return corpus.names.get(locator.document_id, locator.document_id)

    return judge(plan, checker, search, readers, name)
