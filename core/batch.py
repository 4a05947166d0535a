"""Documents on their way into the index."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import structlog

from core.chunking import chunk
from core.chunking.languages import language_of
from core.embedders import Embedders
from core.encode import Encoder
from core.errors import SourceError
from core.masking import masked
from core.registry import Entry, Indexed, Registry, doubtful, settled
from core.store.base import CollectionName, Passage, Store, collection_of
from core.tokens import well_formed
from core.types import Chunk, Document, Progress

log = structlog.get_logger(__name__)

_BATCH = 1024  # chunks embedded and written at once
_MOST_UNREAD = 5  # things unread that come with each of a document's chunks


class Batch:
    """The documents of one run on their way into the index, a bounded number of chunks at a time.

    Each is recorded as in doubt before the index changes, and as it is after that; with `hold` only at the end, when
    the cursor has moved: until then a source that goes back to what it was at the cursor need not list it again.
    """

    def __init__(
        self,
        store: Store,
        embedders: Embedders,
        registry: Registry,
        source: str,
        known: Mapping[str, Entry],
        *,
        hold: bool = False,
        chunker: Callable[[Document], list[Chunk]] = chunk,
    ) -> None:
        self._store = store
        self._encoder = Encoder(store, embedders)
        self._registry = registry
        self._source = source
        self._chunker = chunker
        self._known = dict(known)
        self._written_before = known.keys()
        self._chunks: list[tuple[Document, Chunk]] = []
        self._complete: dict[str, Indexed] = {}
        self._relabelled: dict[str, Indexed] = {}
        self._hold = hold
        self._held: dict[str, Indexed] = {}
        self._gone: set[str] = set()
        self.seen: set[str] = set()
        self.count = self.written = self.relabelled = self.chunks = self.masked = self.partly = 0
        self.unread: list[str] = []

    def trust(self, held: Mapping[str, int]) -> None:
        """Take as known only the documents of which the index holds all chunks; the others are written again."""
        self._known = {key: entry for key, entry in self._known.items() if held.get(key) == entry.chunks}

    def finish(self) -> None:
        """Record what was held back."""
        self._registry.record(self._source, self._held.values())
        self._registry.forget(self._gone)

    def read(self, documents: Iterable[Document], progress: Progress | None, total: int | None) -> None:
        """Take them all in; what came before a SourceError too."""
        try:
            for document in documents:
                self.count += 1
                self.seen.add(document.id)
                self._take(document)
                if progress:
                    progress(self.count, total)
        except SourceError:
            self._settle()
            raise
        self._settle()

    def _take(self, document: Document) -> None:
        entry = self._known.get(document.id)
        hidden = 0
        try:
            _check(document, self._source)
            unchanged = entry is not None and _is_as_indexed(document, entry)
            if not unchanged:
                document, hidden = _fit(document)
            pieces = [] if unchanged else self._chunker(document)
        except ValueError as error:
            self._leave_out(document.id, str(error))
            return
        self.partly += bool(document.unread)
        if entry is None or not unchanged:
            self._add(document, pieces, hidden)
        elif entry.labels != document.labels:
            self._known[document.id] = self._relabelled[document.id] = _indexed(document, entry.chunks, entry.masked)
            self.relabelled += 1
        if len(self._complete) + len(self._relabelled) >= _BATCH:
            self._settle()

    def _add(self, document: Document, pieces: Sequence[Chunk], hidden: int) -> None:
        for waiting in (self._complete, self._relabelled):
            waiting.pop(document.id, None)  # an earlier state of it, read in the same batch
        for piece in pieces:
            self._chunks.append((document, piece))
            if len(self._chunks) == _BATCH:
                self._settle()
        self._known[document.id] = self._complete[document.id] = _indexed(document, len(pieces), hidden)
        self.written += 1
        self.masked += hidden
        if document.unread:
            log.info("document not read in full", document=document.id, unread=list(document.unread[:_MOST_UNREAD]))

    def _leave_out(self, document_id: str, reason: str) -> None:
        """What cannot be indexed as it is now must not be cited as it was, nor to those who could read it then."""
        self.unread.append(f"{document_id}: {reason}")
        self._known.pop(document_id, None)
        self._settle()
        self._registry.record(self._source, [doubtful(document_id)])
        self._store.delete([document_id])
        self._store.flush()
        self._held.pop(document_id, None)
        self._gone.add(document_id)

    def _write(self) -> None:
        """Embed and write the chunks that wait."""
        passages = [_passage(document, piece) for document, piece in self._chunks]
        points = self._encoder.points(passages, self._written_before)
        written = dict.fromkeys(document.id for document, _ in self._chunks)
        self._registry.record(self._source, [doubtful(key) for key in written])
        self._store.upsert(points)
        self.chunks += len(points)
        self._chunks.clear()

    def _settle(self) -> None:
        """Finish the complete documents: their chunks, then their stale ones, then the registry."""
        if self._chunks:
            self._write()
        relabelled = [indexed for key, indexed in self._relabelled.items() if key not in self._complete]
        self._registry.record(self._source, map(_text_known, relabelled))
        by_collection: dict[CollectionName, dict[str, int]] = defaultdict(dict)
        for indexed in self._complete.values():
            by_collection[collection_of(indexed.kind)][indexed.id] = indexed.chunks
        for collection, sizes in by_collection.items():
            self._store.trim(collection, sizes)
        if self._relabelled:
            self._store.relabel({indexed.id: indexed.labels for indexed in self._relabelled.values()})
        if done := self._complete | self._relabelled:
            self._store.flush()
            self._gone -= done.keys()
            if self._hold:
                self._held |= done
                self._registry.record(self._source, map(_text_known, self._complete.values()))
            else:
                self._registry.record(self._source, done.values())
        self._complete.clear()
        self._relabelled.clear()


def _is_as_indexed(document: Document, entry: Entry) -> bool:
    """Whether the index holds the document as it is, labels aside. A date, an address or a reason for something unread
    may change while the text, and so the version, does not; such a document is written again, and embedded not.
    """
    if document.version != entry.version:
        return False
    if document.as_indexed or not settled(entry):  # of what is in doubt, the text alone is known
        return True
    return (_url(document, None), document.updated, document.unread) == (entry.url, entry.updated, entry.unread)


def _check(document: Document, source: str) -> None:
    """ValueError if the document cannot be indexed as it is."""
    if not document.labels:
        raise ValueError("it has no access label")
    if not document.version:
        raise ValueError("it has no version")
    if document.source != source:
        raise ValueError(f"it says that its source is {document.source}")
    if document.updated.tzinfo is None:
        raise ValueError("its date has no time zone")


def _fit(document: Document) -> tuple[Document, int]:
    """The document with text that can be stored and shows no credential, and how many of these it held. ValueError if
    its text is not there, because the index was thought to hold it.
    """
    if document.as_indexed:
        raise ValueError("its text was not read again")
    text, in_text = masked(well_formed(document.text))
    names, values = list(document.attributes), list(document.attributes.values())
    about, in_about = _masked_each([document.title, document.context, *document.keys, *document.unread, *values])
    title, context = about[:2]
    fitting = replace(
        document,
        title=title,
        text=text,
        context=context,
        keys=frozenset(about[2 : 2 + len(document.keys)]),
        unread=tuple(about[2 + len(document.keys) : len(about) - len(values)]),
        attributes=dict(zip(names, about[len(about) - len(values) :], strict=True)),
    )
    return fitting, in_text + in_about


def _masked_each(texts: Sequence[str]) -> tuple[list[str], int]:
    """Short texts as `masked` leaves them, in one go."""
    whole, count = masked(well_formed("\x1e".join(texts)))
    pieces = whole.split("\x1e")
    if len(pieces) == len(texts):
        return pieces, count
    return [masked(well_formed(text))[0] for text in texts], count  # the separator itself was taken for part of one


def _indexed(document: Document, chunks: int, hidden: int) -> Indexed:
    return Indexed(
        id=document.id,
        version=document.version,
        kind=document.kind,
        title=document.title,
        url=_url(document, None),
        labels=document.labels,
        chunks=chunks,
        updated=document.updated,
        unread=document.unread,
        masked=hidden,
    )


def _text_known(indexed: Indexed) -> Indexed:
    return doubtful(indexed.id, indexed.version, indexed.chunks)


def _passage(document: Document, piece: Chunk) -> Passage:
    return Passage(
        document_id=document.id,
        ordinal=piece.ordinal,
        source=document.source,
        kind=document.kind,
        title=document.title,
        url=_url(document, piece.line) + piece.fragment,
        text=piece.text,
        context=piece.context,
        labels=document.labels,
        updated=document.updated,
        heading=piece.heading,
        line=piece.line,
        symbols=piece.symbols,
        keys=document.keys,
        repo=document.repo,
        path=document.path,
        branch=document.branch,
        attributes=document.attributes,
        references=piece.references,
        development=document.development,
        unread=_some(document.unread),
        language=_language(document),
    )


def _language(document: Document) -> str | None:
    language = language_of(document.path or document.title, document.text) if document.kind == "code" else None
    return language.name if language else None


def _some(unread: tuple[str, ...]) -> tuple[str, ...]:
    more = len(unread) - _MOST_UNREAD
    return unread if more <= 0 else (*unread[:_MOST_UNREAD], f"{more} more things not read")


def _url(document: Document, line: int | None) -> str:
    """A link into code holds `{line}` where its host wants the line's number."""
    return document.url.replace("{line}", str(line or 1))
