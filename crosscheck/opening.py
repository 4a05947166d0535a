"""Opening what a search found: a ticket with its history, a page, a file at any commit, a pull request, a document."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from core.errors import BadQuery, SourceError
from core.mirror import unshown
from core.pulls.content import content_of
from core.pulls.repository import Repository
from core.pulls.types import Found, PullRef, Pulls, Snapshot
from core.tickets import KEY, Ticket
from core.types import Audience, Evidence, Locator
from core.visibility import jira_project
from crosscheck.errors import NothingToOpen

_FILE = re.compile(r"git:(?P<repo>[^:@!]+):(?P<path>.+)", re.DOTALL)
_PULL = re.compile(r"git:(?P<repo>[^:@!]+)!(?P<number>[0-9]{1,9})")
_LIVE = re.compile(r"(?:jira|confluence):[0-9]+")
_CHUNKS = 2_000
"""Of one document, at most."""
_HISTORY = 200
"""Changes of a ticket, the latest."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A source as text."""

    locator: Locator
    kind: str
    version: str
    """Of a page its number, of a file or a pull request its commit; empty where nothing is known."""
    text: str
    notes: tuple[str, ...] = ()
    """What has to be known of the text: what is missing, how old it is."""


class Finds(Protocol):
    def lookup(self, key: str, audience: Audience) -> tuple[Evidence, ...]: ...
    def open_document(self, document_id: str, audience: Audience, limit: int) -> tuple[Evidence, ...]: ...


class Reads(Pulls, Protocol):
    """Reads pull requests, by their numbers too."""

    def of_ref(self, ref: PullRef, audience: Audience) -> Found: ...


@dataclass(frozen=True, slots=True)
class Opener:
    """Opens sources for one audience at a time. What it may not read is answered like what is not there."""

    finds: Finds
    ticket: Callable[[str], Ticket]
    """Reads a ticket or page live, by its key. Raises SourceError."""
    repositories: Mapping[str, Repository]
    pulls: Reads | None = None

    def open(self, source: str, audience: Audience, ref: str | None = None) -> Opened:
        """`source` is a document's id, or what it is looked up by: a ticket's key, a path, a commit, a title. `ref` is
        the branch, tag or commit at which a file is read; without one it is the baseline.

        Raises NothingToOpen, BadQuery and CoreError.
        """
        if pull := _PULL.fullmatch(source):
            return self._pull(PullRef(pull["repo"], int(pull["number"])), audience)
        if file := _FILE.fullmatch(source):
            return self._file(file["repo"], file["path"], ref, audience)
        if ref:
            return self._found_file(source, ref, audience)
        if KEY.fullmatch(source):
            return self._live(source, audience) or self._found(source, audience)
        return self._document(source, audience) or self._found(source, audience)

    # Documents of the index, and what is read live

    def _document(self, document: str, audience: Audience) -> Opened | None:
        chunks = self.finds.open_document(document, audience, _CHUNKS)
        if not chunks:
            return None
        if _LIVE.fullmatch(document) and (key := _key_of(chunks[0], document)):
            live = self._live(key, audience)
            if live is not None:
                return live
        return _indexed(chunks)

    def _found(self, name: str, audience: Audience) -> Opened:
        """What bears a name; of several documents the first, with the others named."""
        found = self.finds.lookup(name, audience)
        ids = tuple(dict.fromkeys(one.document_id for one in found))
        opened = self._document(ids[0], audience) if ids else None
        if opened is None:
            raise NothingToOpen(_nothing(name))
        others = [one for one in ids[1:6] if one != opened.locator.document_id]
        note = f"Other documents bear or mention this name: {', '.join(others)}." if others else ""
        return replace(opened, notes=(*opened.notes, note)) if note else opened

    def _live(self, key: str, audience: Audience) -> Opened | None:
        """None for what may not be read. Of a project that is hidden as a whole nothing is asked: how long that took
        would tell which of its tickets there are.
        """
        if KEY.fullmatch(key) and jira_project(key.rpartition("-")[0]) not in audience.labels:
            return None
        try:
            ticket = self.ticket(key).seen_by(audience)
        except SourceError:
            return None  # the index may still hold it, and says how old that is
        if ticket is None:
            return None
        text = "\n\n".join(_told(ticket))
        return Opened(ticket.locator, ticket.kind, ticket.version, text, ticket.unread)

    # Repositories

    def _repository(self, name: str, audience: Audience) -> Repository | None:
        found = self.repositories.get(name)
        return found if found and audience.may_read(found.labels) else None

    def _file(self, repo: str, path: str, ref: str | None, audience: Audience) -> Opened:
        found = self._repository(repo, audience)
        if found is None:
            raise NothingToOpen(_nothing(f"git:{repo}:{path}"))
        commit = found.mirror.commit_of(ref) if ref else found.mirror.head(found.baseline or None)
        if commit is None:
            raise NothingToOpen(f"{repo} has no branch, tag or commit {_short(ref or '', 80)!r} that was fetched.")
        return self._at(found, commit, path)

    def _at(self, repository: Repository, commit: str, path: str) -> Opened:
        entry = repository.mirror.entry(commit, unshown(path))
        if entry is None:
            raise NothingToOpen(f"{repository.name} has no file {_short(path, 200)!r} at {commit[:10]}.")
        content = content_of(repository.mirror, entry)
        url = repository.host.page(repository.project, commit, unshown(path), None)
        locator = Locator(f"git:{repository.name}:{path}", f"{repository.name} > {path}", url)
        text = "\n".join(content.line(number) for number in range(1, len(content.lines) + 1))
        return Opened(locator, "code", commit, text, tuple(filter(None, [content.unread])))

    def _found_file(self, path: str, ref: str, audience: Audience) -> Opened:
        """A path without a repository: in the first that has it there."""
        for name in sorted(self.repositories):
            repository = self._repository(name, audience)
            commit = repository.mirror.commit_of(ref) if repository else None
            if repository and commit and repository.mirror.entry(commit, unshown(path)):
                return self._at(repository, commit, path)
        raise NothingToOpen(f"No repository that you may read has a file {_short(path, 200)!r} at {_short(ref, 80)!r}.")

    def _pull(self, ref: PullRef, audience: Audience) -> Opened:
        if self.pulls is None or self._repository(ref.repo, audience) is None:
            raise NothingToOpen(_nothing(ref.document_id))
        found = self.pulls.of_ref(ref, audience)
        notes = tuple(gap.what for gap in found.gaps)
        if not found.snapshots:
            raise NothingToOpen(" ".join(notes) or _nothing(ref.document_id))
        snapshot = found.snapshots[0]
        text = "\n\n".join(_differences(self.pulls, snapshot))
        notes += tuple(gap.what for gap in snapshot.gaps)
        return Opened(snapshot.locator, "pull", snapshot.head, text, notes)


def _differences(pulls: Pulls, snapshot: Snapshot) -> Iterator[str]:
    yield pulls.overview(snapshot).text
    for file in snapshot.files:
        try:
            pieces = [one.text for one in pulls.difference(snapshot, file.path)]
        except BadQuery:
            continue  # named in the overview
        yield "\n".join([f"## {file.path}", *pieces])


def _indexed(chunks: tuple[Evidence, ...]) -> Opened:
    first = chunks[0]
    notes = [f"As indexed; last changed {first.updated:%Y-%m-%d}."]
    notes += [f"Not read: {what}." for what in first.unread]
    if len(chunks) == _CHUNKS:
        notes.append("Only its beginning is here: it is longer than is read.")
    locator = Locator(first.document_id, first.locator.title, first.locator.url)
    return Opened(locator, first.kind, "", "\n".join(one.text for one in chunks), tuple(notes))


def _key_of(chunk: Evidence, document: str) -> str | None:
    """What a ticket or page is read by."""
    if document.startswith("confluence:"):
        return document
    found = KEY.search(chunk.locator.title) or KEY.search(chunk.context)
    return found[0] if found else None


def _told(ticket: Ticket) -> Iterator[str]:
    """A ticket or page from its head to its history, in Markdown."""
    yield f"# {ticket.called}" if ticket.kind == "page" else f"# {ticket.key}: {ticket.summary}"
    if ticket.kind == "ticket":
        people = [("reported by", ticket.reporter), ("assigned to", ticket.assignee)]
        told = [f"{what} {who.name}" for what, who in people if who]
        resolution = f" ({ticket.resolution})" if ticket.resolution else ""
        yield ", ".join([ticket.type, f"{ticket.status}{resolution}", *told, f"updated {ticket.updated:%Y-%m-%d}"])
    if ticket.description:
        yield ticket.description
    for field in ticket.fields:
        yield f"{field.name}:\n{field.text}" if "\n" in field.text else f"{field.name}: {field.text}"
    for link in ticket.links:
        yield f"{link.relation} {link.key}: {link.summary} ({link.status})"
    for comment in ticket.comments:
        at = f" at “{comment.marked}”" if comment.marked else ""
        yield f"## Comment by {comment.author.name}, {comment.created:%Y-%m-%d %H:%M}{at}\n\n{comment.text}"
    if ticket.history:
        yield "## History"
        yield "\n".join(
            f"{change.at:%Y-%m-%d %H:%M} {change.author.name}: {change.field}: {_short(change.before)} -> "
            f"{_short(change.after)}"
            for change in ticket.history[-_HISTORY:]
        )


def _short(text: str, most: int = 200) -> str:
    line = " ".join(text.split())
    return (line if len(line) <= most else f"{line[:most]}…") or "(empty)"


def _nothing(name: str) -> str:
    """One sentence for what is hidden and for what does not exist."""
    return (
        f"There is no source {_short(name, 80)!r} that you may read. Give the id of a search result, a ticket's key, a "
        "path or a commit."
    )
