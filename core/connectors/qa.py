"""Test records in a folder as a source: exports of test management tools (CSV, XLSX) and JUnit reports. Each test case
is one document that gathers its results from all files.
"""

import json
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from core.connectors.base import Labels, Missed
from core.connectors.folder import File, content, listed
from core.connectors.qa_documents import case_document, file_document
from core.connectors.qa_records import ROLES, NoRecords, Record, named_tickets, of_report, of_table
from core.parsing.markdown import clean, one_line
from core.parsing.parsed import Parsed, ReadFile, unreadable
from core.types import Document
from core.visibility import qa_records

_KIND = "files or folders"
_FORMATS = frozenset({".csv", ".tsv", ".xlsx", ".xml"})


@dataclass(frozen=True, slots=True)
class _Read:
    """A file as it was read last."""

    fingerprint: str
    records: tuple[Record, ...]
    unread: tuple[str, ...]


class QaConnector:
    """The CSV, XLSX and XML files below `folder`. `columns` gives, for each of `ROLES` that a table has, the header of
    its column; other columns are kept by their headers. Tickets of `projects` that a case names are its keys.

    What a file holds is kept in memory until the file changes, for a case's document needs all of them.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        columns: Mapping[str, str],
        read: ReadFile,
        *,
        projects: Iterable[str] = (),
        link: str = "",
        labels: frozenset[str] | None = None,
        largest: int = 50_000_000,
        counts: Callable[[Record, datetime], bool] | None = None,
    ) -> None:
        """`link` is the address of a file's page with `{path}`; `largest` is in bytes. `counts` is asked for each
        record, with when its file was written; without it all count. ValueError if `columns` names what is no role.
        """
        if unknown := columns.keys() - ROLES:
            raise ValueError(f"{', '.join(sorted(unknown))}: there are {', '.join(sorted(ROLES))}")
        self._name = name
        self._folder = folder
        self._columns = columns
        self._reader = read
        self._tickets = named_tickets(frozenset(projects))
        self._link = link
        self._labels = labels or frozenset({qa_records(name)})
        self._largest = largest
        self._counts = counts
        self._kept: dict[str, _Read] = {}
        self._turn = threading.Lock()

    @property
    def name(self) -> str:
        return self._name

    def mark(self) -> str:
        files, _ = self._files()
        return json.dumps({file.shown: file.fingerprint for file in files}, separators=(",", ":"))

    def load(self) -> Iterator[Document]:
        documents, unread = self._documents()
        yield from documents.values()
        Missed(_KIND, unread).check()

    def changed_since(self, cursor: str) -> Iterator[Document]:
        """All of them when any file changed: a case stands in many."""
        return iter(()) if self.mark() == cursor else self.load()

    def removed_since(self, cursor: str, known: Collection[str]) -> set[str]:
        """What no file tells of any more; nothing can be gone when no file changed."""
        if self.mark() == cursor:
            return set()
        documents, unread = self._documents()
        return set() if unread else set(known) - documents.keys()

    def ids(self) -> set[str]:
        documents, unread = self._documents()
        Missed(_KIND, unread).check()
        return set(documents)

    def labels_now(self, ids: Iterable[str]) -> Labels:
        documents, _ = self._documents()
        return {document: self._labels if document in documents else None for document in ids}

    def total(self) -> int | None:
        return len(self._documents()[0])

    def _files(self) -> tuple[list[File], tuple[str, ...]]:
        listing = listed(self._folder)
        return [file for file in listing.files if PurePosixPath(file.shown.lower()).suffix in _FORMATS], listing.unread

    def _documents(self) -> tuple[dict[str, Document], list[str]]:
        """Every case by its document's id, and every file of which something was not read; and what may be read another
        time.
        """
        with self._turn:
            return self._gathered()

    def _gathered(self) -> tuple[dict[str, Document], list[str]]:
        files, unlisted = self._files()
        unread = list(unlisted)
        found: dict[str, Document] = {}
        cases: dict[str, list[tuple[Record, File]]] = {}
        for file in files:
            try:
                read = self._read(file)
            except PermissionError:  # when it is granted, the file counts as changed
                read = _Read(file.fingerprint, (), unreadable("permission denied").unread)
            except OSError as error:
                unread.append(f"{file.shown} ({error.strerror})")
                continue
            for record in read.records:
                if self._counts and not self._counts(record, _written(file)):
                    continue
                cases.setdefault(record.id, []).append((record, file))
            if read.unread:
                gaps = Parsed("", unread=read.unread)
                path = one_line(clean(file.shown))
                document = file_document(self._name, path, gaps, self._labels, self._url(file), _written(file))
                found[document.id] = document
        self._kept = {file.shown: self._kept[file.shown] for file in files if file.shown in self._kept}
        for told in cases.values():
            document = self._case([record for record, _ in told], told[-1][1])
            found[document.id] = document
        return found, unread

    def _case(self, records: list[Record], file: File) -> Document:
        tickets = frozenset().union(*map(self._tickets, records))
        return case_document(self._name, records, tickets, self._labels, self._url(file), _written(file))

    def _read(self, file: File) -> _Read:
        kept = self._kept.get(file.shown)
        if kept is None or kept.fingerprint != file.fingerprint:
            kept = self._kept[file.shown] = self._parsed(file)
        return kept

    def _parsed(self, file: File) -> _Read:
        """Raises OSError."""
        data, _ = content(self._folder, file.path, self._largest)
        path = one_line(clean(file.shown))
        parsed, records = Parsed(""), list[Record]()
        if len(data) > self._largest:
            parsed = unreadable(f"it is larger than {self._largest:,} bytes")
        else:
            try:
                if path.lower().endswith(".xml"):
                    records += of_report(path, data)
                else:
                    parsed = self._reader(path, data)
                    records += of_table(path, parsed, self._columns)
            except NoRecords as reason:
                parsed = parsed if parsed.unread else unreadable(str(reason))
        return _Read(file.fingerprint, tuple(records), parsed.unread)

    def _url(self, file: File) -> str:
        return self._link.replace("{path}", quote(file.shown))


def _written(file: File) -> datetime:
    return datetime.fromtimestamp(file.written // 1_000_000_000, UTC)
