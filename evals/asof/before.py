"""A second guard around any source: no document that says of itself that it is later."""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime

from core.connectors.base import Connector, Labels
from core.types import Document
from evals.asof.remarks import Remarks


class Before:
    """The documents of `source` that came and changed no later than `at`. `core.connectors.base.Connector`."""

    def __init__(self, source: Connector, at: datetime, remarks: Remarks) -> None:
        self._source = source
        self._at = at
        self._remarks = remarks
        self._later: set[str] = set()
        """The documents that were left out, as far as they were read."""

    @property
    def name(self) -> str:
        return self._source.name

    def mark(self) -> str:
        return self._source.mark()

    def load(self) -> Iterator[Document]:
        return self._before(self._source.load())

    def changed_since(self, cursor: str) -> Iterator[Document]:
        return self._before(self._source.changed_since(cursor))

    def removed_since(self, cursor: str, known: Collection[str]) -> set[str]:
        return self._source.removed_since(cursor, known) | (self._later & set(known))

    def ids(self) -> set[str]:
        return self._source.ids() - self._later

    def labels_now(self, ids: Iterable[str]) -> Labels:
        asked = list(ids)
        found = self._source.labels_now([document for document in asked if document not in self._later])
        return {document: found.get(document) for document in asked}

    def total(self) -> int | None:
        return self._source.total()

    def _before(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            if max(document.updated, document.created or document.updated) <= self._at:
                yield document
            else:
                self._later.add(document.id)
                self._remarks.add(f"Documents of {self.name} that were written or changed later, left out", document.id)
