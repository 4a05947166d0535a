"""Files and commits of a Git repository as documents: the baseline branch in full, and its latest commits."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import PurePosixPath
from urllib.parse import quote

from core.connectors.base import Labels, fingerprint
from core.errors import SourceGone
from core.mirror import Commit, Entry, Mirror, shown
from core.parsing.markdown import clean
from core.types import Document
from core.visibility import repository

_LARGEST = 1_000_000  # bytes; larger files are data or generated
_SNIFFED = 8_000  # Git, too, looks for a NUL in the first 8,000 bytes to tell a binary file
_TICKET_KEY = re.compile(r"(?<![A-Za-z0-9_-])[A-Z][A-Z0-9_]+-[1-9][0-9]*(?![A-Za-z0-9_])", re.ASCII)
_FOREIGN_FOLDERS = frozenset({"node_modules", "bower_components", "vendor", "third_party", ".yarn", "__snapshots__"})
_LOCK_FILES = frozenset(
    {"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum", "packages.lock.json", "gradle.lockfile"}
)
_GENERATED = re.compile(
    r"(?:\.lock|[.-]min\.(?:js|css|mjs)|\.(?:js|css)\.map|_pb2(?:_grpc)?\.pyi?|\.pb\.go)$", re.IGNORECASE
)
_ATTRIBUTES = ("linguist-generated", "linguist-vendored", "binary")
_MANY_PATHS = 200  # of a commit; a mass rename's list says nothing


class GitConnector:
    """A repository's baseline branch. The cursor is a commit id; `mark` fetches, all else reads the mirror.

    `name` is the repository's as well as the source's. `link` is the address of a file's page with `{branch}` and
    `{path}` (a `{line}` is left for who knows the line), `commit_link` of a commit's with `{sha}`. `commits` is how
    many of the latest are documents.
    """

    def __init__(
        self,
        name: str,
        mirror: Mirror,
        *,
        branch: str | None = None,
        link: str = "",
        commit_link: str = "",
        commits: int = 5_000,
    ) -> None:
        self._name = name
        self._mirror = mirror
        self._branch = branch
        self._link = link
        self._commit_link = commit_link
        self._commits = commits
        self._labels = frozenset({repository(name)})

    @property
    def name(self) -> str:
        return self._name

    def mark(self) -> str:
        self._mirror.fetch()
        return self._mirror.head(self._branch)

    def load(self) -> Iterator[Document]:
        head = self._mirror.head(self._branch)
        commits = self._log(head)
        yield from self._code(self._entries(head), commits)
        yield from (self._commit_document(commit) for commit in commits)

    def changed_since(self, cursor: str) -> Iterator[Document]:
        head = self._mirror.head(self._branch)
        try:
            written, removed = self._mirror.changed(cursor, head)
            commits = list(self._mirror.log(head, since=cursor, limit=self._commits))
        except SourceGone:  # history was rewritten and the old commit is no more
            yield from self.load()
            return
        if any(PurePosixPath(path).name == ".gitattributes" for path in written | removed):
            yield from self.load()  # what counts as generated may have changed for any file
            return
        rewritten = [entry for entry in self._entries(head) if entry.path in written]
        yield from self._code(rewritten, commits, unreadable="[nothing to read]")
        yield from (self._commit_document(commit) for commit in commits)

    def ids(self) -> set[str]:
        head = self._mirror.head(self._branch)
        files = {self._file_id(entry.path) for entry in self._entries(head)}
        return files | {self._commit_id(commit) for commit in self._log(head)}

    def labels_now(self, ids: Iterable[str]) -> Labels:
        try:
            known = self.ids()
        except SourceGone:  # the branch is no more, and all of it with it
            known = set()
        return {document: self._labels if document in known else None for document in ids}

    def total(self) -> int | None:
        head = self._mirror.head(self._branch)
        return len(self._entries(head)) + len(self._log(head))

    def _log(self, head: str) -> list[Commit]:
        return list(self._mirror.log(head, limit=self._commits)) if self._commits else []

    def _entries(self, head: str) -> list[Entry]:
        """The files that people write: no links, nothing large, generated or copied in from elsewhere."""
        found = [e for e in self._mirror.files(head) if not e.link and e.size <= _LARGEST and not _foreign(e.path)]
        said = self._mirror.attributes(head, [entry.path for entry in found], _ATTRIBUTES)
        marked = {path for path, _name, value in said if value in {"set", "true"}}
        return [entry for entry in found if entry.path not in marked]

    def _code(self, entries: list[Entry], commits: list[Commit], unreadable: str = "") -> Iterator[Document]:
        """Documents of files. A file that none of these commits touched was last written before the oldest of them,
        whose date it gets. A binary or empty file is left out, or says what `unreadable` does: it may have held text
        before.
        """
        written: dict[str, datetime] = {}
        for commit in commits:
            for path in commit.paths:
                written.setdefault(path, commit.committed)
        oldest = commits[-1].committed if commits else datetime.fromtimestamp(0, UTC)
        branch = self._branch or self._mirror.default_branch()
        contents = self._mirror.blobs([entry.blob for entry in entries])
        for entry, content in zip(entries, contents, strict=True):
            text = _decoded(content) or unreadable
            if text:
                yield self._file_document(entry, text, branch, written.get(entry.path, oldest))

    def _file_document(self, entry: Entry, text: str, branch: str, updated: datetime) -> Document:
        path = shown(entry.path)
        return Document(
            id=self._file_id(entry.path),
            source=self._name,
            kind="code",
            version=entry.blob,
            title=path,
            text=text,
            context=f"{self._name} > {path}",
            url=_filled(self._link, branch=branch, path=path),
            labels=self._labels,
            updated=updated,
            keys=frozenset({path, PurePosixPath(path).name}),
            repo=self._name,
            path=path,
            branch=branch,
        )

    def _commit_document(self, commit: Commit) -> Document:
        paths = [shown(path) for path in commit.paths[:_MANY_PATHS]]
        more = len(commit.paths) - len(paths)
        files = "\n".join([*(f"- {path}" for path in paths), *([f"- and {more} more"] if more > 0 else [])])
        message = clean(commit.message)
        text = f"{message}\n\nFiles:\n{files}" if files else message
        subject = message.partition("\n")[0].strip() or commit.id[:12]
        return Document(
            id=self._commit_id(commit),
            source=self._name,
            kind="commit",
            version=fingerprint(text),
            title=subject,
            text=text or subject,
            context=f"{self._name} > {commit.id[:12]} {subject}",
            url=_filled(self._commit_link, sha=commit.id),
            labels=self._labels,
            updated=commit.committed,
            created=commit.authored,
            keys=frozenset({commit.id, commit.id[:7], commit.id[:12], *_TICKET_KEY.findall(message)}),
            repo=self._name,
            attributes={"author": clean(commit.author), "paths": "\n".join(paths)},
        )

    def _file_id(self, path: str) -> str:
        return f"git:{self._name}:{shown(path)}"

    def _commit_id(self, commit: Commit) -> str:
        return f"git:{self._name}@{commit.id}"


def _filled(template: str, **values: str) -> str:
    for name, value in values.items():
        template = template.replace(f"{{{name}}}", quote(value))
    return template


def _foreign(path: str) -> bool:
    """Whether a file's place or name says that nobody here writes it."""
    found = PurePosixPath(path)
    return (
        not _FOREIGN_FOLDERS.isdisjoint(found.parts[:-1]) or found.name in _LOCK_FILES or bool(_GENERATED.search(path))
    )


def _decoded(content: bytes) -> str:
    """A file's text with line feeds only and no byte order mark; empty for a binary file and for one of only space."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = content.decode("utf-16", "replace")
    elif b"\0" in content[:_SNIFFED]:
        return ""
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\0", "") if text.strip() else ""
