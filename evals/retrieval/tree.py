"""Files and commits of a repository that is not there, as the Git connector makes them."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from core.connectors.git_documents import Documents, Line
from core.connectors.git_files import holds_no_text, is_foreign
from core.mirror import Commit, Entry, Touch
from core.parsing.files import FileReader
from core.types import Document

LONG_AGO = datetime.fromtimestamp(0, UTC)
_LINE = Line("main")


class Tree:
    """Makes the documents of one repository."""

    def __init__(self, name: str, read: FileReader) -> None:
        self.name = name
        self._make = Documents(name, link="", commit_link="", projects=(), read=read)

    def files(self, contents: Mapping[str, bytes], updated: datetime = LONG_AGO) -> list[Document]:
        """Of those files that the connector would take, in order of path."""
        return [
            self._make.file(_LINE, _entry(path, content), content, updated)
            for path, content in sorted(contents.items())
            if content and not is_foreign(path) and not holds_no_text(path)
        ]

    def commit(
        self, sha: str, message: str, at: datetime, touched: Sequence[str] = (), today: Collection[str] = ()
    ) -> Document:
        """`today` are the files that are still there under their names."""
        touches = tuple(Touch(path) for path in touched)
        commit = Commit(sha, (), "", at, at, message, touches)
        return self._make.commit(_LINE, commit, [path for path in touched if path in today])


def titled(documents: Iterable[Document], names: Mapping[str, str]) -> dict[str, str]:
    """Those documents that have a name in the set, by it, each as one text with its title."""
    return {names[document.id]: f"{document.title}\n{document.text}" for document in documents if document.id in names}


def _entry(path: str, content: bytes) -> Entry:
    return Entry(path, hashlib.sha256(content).hexdigest(), len(content))
