"""Documents in memory as a source."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from core.connectors.base import Labels
from core.types import Document


class Shelf:
    """See `core.connectors.base.Connector`. Nothing of it ever changes."""

    def __init__(self, name: str, documents: Sequence[Document]) -> None:
        self.name = name
        self._documents = documents

    def mark(self) -> str:
        return "read"

    def load(self) -> Iterator[Document]:
        return iter(self._documents)

    def changed_since(self, cursor: str) -> Iterator[Document]:
        del cursor
        return iter(())

    def removed_since(self, cursor: str, known: Collection[str]) -> set[str]:
        del cursor, known
        return set()

    def ids(self) -> set[str]:
        return {document.id for document in self._documents}

    def labels_now(self, ids: Iterable[str]) -> Labels:
        labels = {document.id: document.labels for document in self._documents}
        return {key: labels.get(key) for key in ids}

    def total(self) -> int:
        return len(self._documents)
