"""Comments on the sandbox's pages and files attached to them."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sandbox.confluence_files import content, media_type
from sandbox.records import Attachment, Page, PageVersion

FIRST_COMMENT, FIRST_FILE, FIRST_PROPERTY = 80001, 90001, 70001
State = Literal["open", "reopened", "resolved", "dangling"]
Event = Literal["comment_created", "comment_updated", "comment_removed"]


@dataclass(slots=True)
class Property:
    """What an application keeps at a comment; people do not see it."""

    id: str
    key: str
    values: list[tuple[datetime, str, Any]]
    """When, by whom, what; the last one is current."""


@dataclass(slots=True)
class Note:
    """A comment. One that was removed is gone altogether."""

    id: str
    page: str
    parent: str | None
    marked: str | None
    """The page's text that an inline comment is about; None at the foot of the page."""
    state: State
    versions: list[PageVersion]
    properties: dict[str, Property] = field(default_factory=dict)
    settled: tuple[datetime, str] | None = None
    """When its thread was last resolved or reopened, and by whom."""

    @property
    def author(self) -> str:
        return self.versions[0].author

    @property
    def inline(self) -> bool:
        return self.marked is not None


@dataclass(slots=True)
class File:
    """An attachment with all its versions."""

    id: str
    page: str
    name: str
    media_type: str
    versions: list[tuple[datetime, str, bytes]] = field(default_factory=list)

    @property
    def data(self) -> bytes:
        return self.versions[-1][2]


class Notes:
    """Comments by their ids, in the order of their making."""

    def __init__(self, locked: Callable[[str], AbstractContextManager[object]], now: Callable[[], datetime]) -> None:
        self._locked = locked
        self._now = now
        self._by_id: dict[str, Note] = {}
        self._made = 0
        self._properties = 0
        self.fire: Callable[[Event, Note], None] = lambda _event, _note: None
        """Told of every comment that is written, changed or removed."""

    def __iter__(self) -> Iterator[Note]:
        return iter(list(self._by_id.values()))

    def get(self, note_id: str) -> Note | None:
        return self._by_id.get(note_id)

    def take(self, page: Page) -> None:
        """The comments that the company's records have."""
        for comment in page.comments:
            self.add(page.id, comment.text, comment.author, marked=comment.marked, state=comment.state, at=comment.at)

    def add(
        self,
        page_id: str,
        text: str,
        author: str,
        *,
        marked: str | None = None,
        reply_to: str | None = None,
        state: str = "open",
        at: datetime | None = None,
        storage: str | None = None,
    ) -> str:
        """A comment (Markdown, or storage format), at the foot of the page or about a marked text; its id."""
        marked = self._by_id[reply_to].marked if reply_to else marked
        version = PageVersion(at or self._now(), author, text, storage=storage)
        return self.write(page_id, version, parent=reply_to, marked=marked, state=_state(state)).id

    def write(
        self, page_id: str, version: PageVersion, *, parent: str | None, marked: str | None, state: State = "open"
    ) -> Note:
        """A comment as it is: a reply may stand at another place than what it answers. One that stands at the same text
        is as open or resolved as its thread.
        """
        with self._locked(page_id):
            above = self._by_id.get(parent) if parent else None
            state = above.state if above is not None and marked is not None else state
            number = str(FIRST_COMMENT + self._made)
            self._made += 1
            note = self._by_id[number] = Note(number, page_id, parent, marked, state, [version])
            self.fire("comment_created", note)
            return note

    def edit(self, note_id: str, text: str, *, storage: str | None = None) -> None:
        note = self._by_id[note_id]
        self.rewrite(note, PageVersion(self._now(), note.author, text, storage=storage))

    def rewrite(self, note: Note, version: PageVersion) -> None:
        with self._locked(note.page):
            note.versions.append(version)
            self.fire("comment_updated", note)

    def first(self, note: Note) -> Note:
        """The comment that the note's thread begins with, as far as it is still there."""
        while note.parent is not None and (above := self._by_id.get(note.parent)) is not None:
            note = above
        return note

    def thread(self, note: Note) -> list[Note]:
        """Every comment of the note's thread that hangs together with it."""
        first = self.first(note)
        return [one for one in self if self.first(one) is first]

    def resolve(self, note_id: str, state: State = "resolved", by: str | None = None) -> None:
        """Resolve, reopen or dangle the thread of a comment. No version comes of it."""
        note = self._by_id[note_id]
        with self._locked(note.page):
            for one in self.thread(note):
                one.state = state
                one.settled = (self._now(), by or one.author)

    def remove(self, note_id: str) -> None:
        """One comment; the replies to it stay, without it."""
        note = self._by_id[note_id]
        with self._locked(note.page):
            del self._by_id[note_id]
            self.fire("comment_removed", note)

    def remove_thread(self, note_id: str) -> None:
        for note in reversed(self.thread(self._by_id[note_id])):
            self.remove(note.id)

    def keep(self, note: Note, key: str, value: Any, by: str) -> Property:
        """Set a property of a comment. No version comes of it, and no event."""
        with self._locked(note.page):
            if key not in note.properties:
                note.properties[key] = Property(str(FIRST_PROPERTY + self._properties), key, [])
                self._properties += 1
            note.properties[key].values.append((self._now(), by, value))
            return note.properties[key]


def _state(text: str) -> State:
    states: tuple[State, ...] = ("open", "reopened", "resolved", "dangling")
    return next(state for state in states if state == text)


class Files:
    """Attachments by their ids."""

    def __init__(self, locked: Callable[[str], AbstractContextManager[object]], now: Callable[[], datetime]) -> None:
        self._locked = locked
        self._now = now
        self._by_id: dict[str, File] = {}
        self._made = 0

    def __iter__(self) -> Iterator[File]:
        return iter(list(self._by_id.values()))

    def get(self, file_id: str) -> File | None:
        return self._by_id.get(file_id)

    def take(self, page: Page) -> None:
        """The files that the company's records have."""
        for file in page.attachments:
            self._attach(page.id, file)

    def _attach(self, page_id: str, file: Attachment) -> None:
        self.add(page_id, file.name, content(file.name, file.text), file.author, at=file.at)

    def add(self, page_id: str, name: str, data: bytes, author: str, *, at: datetime | None = None) -> str:
        """A file, or a new version of the one of that name; its id."""
        with self._locked(page_id):
            file = next((file for file in self.on(page_id) if file.name == name), None)
            if file is None:
                file = File(f"att{FIRST_FILE + self._made}", page_id, name, media_type(name))
                self._made += 1
                self._by_id[file.id] = file
            file.versions.append((at or self._now(), author, data))
            return file.id

    def on(self, page_id: str) -> Iterable[File]:
        return [file for file in self._by_id.values() if file.page == page_id]

    def remove(self, file_id: str) -> None:
        with self._locked(self._by_id[file_id].page):
            del self._by_id[file_id]
