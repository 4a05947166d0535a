"""Which documents are indexed, in which version, and how each source is doing."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Text, case, cast, delete, func
from sqlalchemy import select as columns
from sqlmodel import col, select

from state.db import Database
from state.leases import Clock, utc_now
from state.rows import put_all
from state.tables import Document, Source
from state.types import Entry, Indexed, LabelledCount, SourceView, UnreadView

BATCH = 500
"""Rows a transaction: few enough that a webhook does not wait for a synchronisation, and that `IN` takes them."""

Item = TypeVar("Item")


class Registry:
    """The documents in the index of one generation, and the sources they come from."""

    def __init__(
        self, database: Database, clock: Clock = utc_now, *, generation: str = "", redacted: Callable[[str], str] = str
    ) -> None:
        """An error is kept as `redacted` leaves it."""
        self._database = database
        self._clock = clock
        self._generation = generation
        self._redacted = redacted

    def versions(self, source: str) -> dict[str, Entry]:
        """Every indexed document of the source by its id."""
        labels_of = cache(lambda text: frozenset(json.loads(text)))  # a source has few different sets of labels
        unread_of = cache(lambda text: tuple(json.loads(text)))
        as_stored = cast(Document.labels, Text), cast(Document.unread, Text)
        plain = Document.id, Document.version, Document.chunks, Document.url, Document.updated, Document.masked
        query = columns(*plain, *as_stored)  # type: ignore[call-overload]
        with self._database.reading() as session:
            rows = session.connection().execute(query.where(*self._of(source)))
            return {
                document: Entry(version, chunks, labels_of(labels), url, updated, unread_of(unread), masked)
                for document, version, chunks, url, updated, masked, labels, unread in rows
            }

    def entry(self, document_id: str) -> Entry | None:
        """One document; None if it is not indexed."""
        with self._database.reading() as session:
            row = session.exec(select(Document).where(self._mine(), Document.id == document_id)).one_or_none()
            if row is None:
                return None
            labels, unread = frozenset(row.labels), tuple(row.unread)
            return Entry(row.version, row.chunks, labels, row.url, row.updated, unread, row.masked)

    def record(self, source: str, documents: Iterable[Indexed]) -> None:
        """Remember documents as indexed, in place of what was known of their ids. A batch is kept or lost as one."""
        for batch in _batches(documents):
            rows = {document.id: self._row(source, document) for document in batch}  # the last of an id wins
            with self._database.writing() as session:
                put_all(session, Document, list(rows.values()))

    def forget(self, ids: Iterable[str]) -> None:
        """Remove documents; unknown ids are no error."""
        for batch in _batches(ids):
            with self._database.writing() as session:
                session.connection().execute(delete(Document).where(self._mine(), col(Document.id).in_(batch)))

    def unread(self, source: str, limit: int) -> tuple[UnreadView, ...]:
        """The documents of which something could not be read, by title."""
        some = cast(Document.unread, Text) != "[]"
        query = select(Document).where(*self._of(source), some).order_by(Document.title, Document.id)
        with self._database.reading() as session:
            return tuple(
                UnreadView(row.id, row.title, row.url, tuple(row.unread)) for row in session.exec(query.limit(limit))
            )

    def count(self, source: str) -> int:
        """How many documents of the source are indexed."""
        with self._database.reading() as session:
            return session.exec(select(func.count()).where(*self._of(source))).one()

    def counts(self, source: str) -> tuple[LabelledCount, ...]:
        """How many documents of the source have which labels."""
        labels = cast(Document.labels, Text)
        partly = func.sum(case((cast(Document.unread, Text) != "[]", 1), else_=0))
        query = columns(labels, func.count(), partly, func.sum(Document.masked))
        with self._database.reading() as session:
            rows = session.connection().execute(query.where(*self._of(source)).group_by(labels))
            return tuple(LabelledCount(frozenset(json.loads(said)), *numbers) for said, *numbers in rows)

    def started(self, source: str) -> None:
        """A synchronisation began."""
        now = self._clock()
        self._update(source, running_since=now, last_attempt=now)

    def succeeded(self, source: str, at: datetime) -> None:
        """Everything up to `at` (when the listing began, not when it ended) is in the index."""
        self._update(source, last_success=at, last_error=None, running_since=None)

    def failed(self, source: str, error: str) -> None:
        """The synchronisation ended before its end."""
        self._update(source, last_error=self._redacted(error), running_since=None)

    def sources(self) -> tuple[SourceView, ...]:
        """Every source that was ever synchronised, by name."""
        some = cast(Document.unread, Text) != "[]"
        totals = (
            select(
                Document.source.label("source"),  # type: ignore[attr-defined]
                func.count().label("documents"),
                func.sum(case((some, 1), else_=0)).label("partly"),
                func.sum(Document.masked).label("masked"),
            )
            .where(self._mine())
            .group_by(Document.source)
            .subquery()
        )
        with self._database.reading() as session:
            return tuple(
                SourceView(
                    name=row.name,
                    documents=documents or 0,
                    last_success=row.last_success,
                    last_attempt=row.last_attempt,
                    last_error=row.last_error,
                    running_since=row.running_since,
                    partly=partly or 0,
                    masked=masked or 0,
                )
                for row, documents, partly, masked in session.exec(
                    select(Source, totals.c.documents, totals.c.partly, totals.c.masked)
                    .where(Source.generation == self._generation)
                    .outerjoin(totals, totals.c.source == Source.name)
                    .order_by(Source.name)
                )
            )

    def last_success(self, source: str) -> datetime | None:
        """Up to when the source is known to be in the index; None before the first success."""
        with self._database.reading() as session:
            source_row = session.get(Source, (self._generation, source))
            return source_row.last_success if source_row else None

    def _update(self, name: str, **values: datetime | str | None) -> None:
        with self._database.writing() as session:
            put_all(session, Source, [{"generation": self._generation, "name": name, **values}])

    def _mine(self) -> ColumnElement[bool]:
        return col(Document.generation) == self._generation

    def _of(self, source: str) -> tuple[ColumnElement[bool], ...]:
        return self._mine(), col(Document.source) == source

    def _row(self, source: str, document: Indexed) -> Mapping[str, Any]:
        return {
            "generation": self._generation,
            "id": document.id,
            "source": source,
            "version": document.version,
            "kind": document.kind,
            "title": document.title,
            "url": document.url,
            "labels": sorted(document.labels),
            "chunks": document.chunks,
            "updated": document.updated,
            "unread": list(document.unread),
            "masked": document.masked,
            "indexed_at": self._clock(),
        }


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    rest = iter(items)
    while batch := list(islice(rest, BATCH)):
        yield batch
