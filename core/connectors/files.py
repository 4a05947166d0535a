"""A folder of files as a source: each file that people put there is a document."""

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from core.connectors.base import Labels, Missed, fingerprint
from core.connectors.folder import File, Listing, content, listed
from core.parsing.files import too_large
from core.parsing.markdown import clean, one_line
from core.parsing.parsed import Parsed, ReadFile, unreadable
from core.types import Document
from core.visibility import files_folder

_KIND = "files or folders"


class FilesConnector:
    """The files below `folder`, but for hidden ones and what symbolic links point at. The cursor holds a short
    fingerprint of every file's size and times: what changed is found by comparing listings.

    `link` is the address of a file's page with `{path}`; without one a file is known by its name alone. `describe`
    puts the descriptions of pictures in the place of their marks.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        read: ReadFile,
        *,
        describe: Callable[[Parsed], Parsed],
        link: str = "",
        labels: frozenset[str] | None = None,
        largest: int = 50_000_000,
    ) -> None:
        """`largest` in bytes: of a larger file only the name is indexed."""
        self._name = name
        self._folder = folder
        self._read = read
        self._describe = describe
        self._link = link
        self._labels = labels or frozenset({files_folder(name)})
        self._largest = largest

    @property
    def name(self) -> str:
        return self._name

    def mark(self) -> str:
        listing = self._listing()
        return json.dumps({file.shown: file.fingerprint for file in listing.files}, separators=(",", ":"))

    def load(self) -> Iterator[Document]:
        listing = self._listing()
        return self._documents(listing.files, listing.unread)

    def changed_since(self, cursor: str) -> Iterator[Document]:
        before = json.loads(cursor)
        listing = self._listing()
        changed = [file for file in listing.files if before.get(file.shown) != file.fingerprint]
        return self._documents(changed, listing.unread)

    def removed_since(self, cursor: str, known: Collection[str]) -> set[str]:
        del known
        listing = self._listing()
        if listing.unread:
            return set()
        return {self._id(path) for path in json.loads(cursor).keys() - {file.shown for file in listing.files}}

    def ids(self) -> set[str]:
        listing = self._listing()
        Missed(_KIND, listing.unread).check()
        return {self._id(file.shown) for file in listing.files}

    def labels_now(self, ids: Iterable[str]) -> Labels:
        known = {self._id(file.shown) for file in self._listing().files}
        return {document: self._labels if document in known else None for document in ids}

    def total(self) -> int | None:
        return len(self._listing().files)

    def _listing(self) -> Listing:
        return listed(self._folder)

    def _documents(self, files: Iterable[File], unlisted: Sequence[str]) -> Iterator[Document]:
        missed = Missed(_KIND, unlisted)
        for file in files:
            try:
                parsed = self._parsed(file)
            except PermissionError:  # when it is granted, the file counts as changed
                yield self._document(file, unreadable("permission denied"))
            except OSError as error:  # also one that has gone: whether for good, the next listing tells
                missed.failed(file.shown, error.strerror)
            else:
                yield self._document(file, self._describe(parsed))
        missed.check()

    def _parsed(self, file: File) -> Parsed:
        if file.size > self._largest:
            return too_large(self._largest)
        data, whole = content(self._folder, file.path, self._largest)
        if len(data) > self._largest:
            return too_large(self._largest)
        parsed = self._read(file.shown, data)
        return parsed if whole else replace(parsed, unread=(*parsed.unread, "it was written to while it was read"))

    def _document(self, file: File, parsed: Parsed) -> Document:
        path = one_line(clean(file.shown))
        title = PurePosixPath(path).name
        context = " > ".join([self._name, *PurePosixPath(path).parts])
        return Document(
            id=self._id(file.shown),
            source=self._name,
            kind="file",
            version=fingerprint(path, parsed.text, context),
            title=title,
            text=parsed.text,
            context=context,
            url=self._link.replace("{path}", quote(os.fsencode(file.path))),
            labels=self._labels,
            updated=datetime.fromtimestamp(file.written // 1_000_000_000, UTC),
            keys=frozenset({path, title}),
            path=path,
            places=parsed.places,
            unread=parsed.unread,
        )

    def _id(self, path: str) -> str:
        return f"files:{self._name}:{path}"
