"""Comments on the sandbox's pages and files attached to them."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from sandbox.confluence_files import content, media_type
from sandbox.records import Attachment, Page, PageVersion

FIRST_COMMENT, FIRST_FILE = 80001, 90001
State = Literal["open", "reopened", "resolved", "dangling"]


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

    @property
    def author(self) -> str:
        return self.versions[-1].author


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
    ) -> str:
        """A comment (Markdown), at the foot of the page or about a marked text; its id."""
        with self._locked(page_id):
            number = str(FIRST_COMMENT + self._made)
            self._made += 1
            above = self._by_id[reply_to] if reply_to else None
            marked, state = (above.marked, above.state) if above else (marked, _state(state))
            versions = [PageVersion(at or self._now(), author, text)]
            self._by_id[number] = Note(number, page_id, reply_to, marked, _state(state), versions)
            return number

    def edit(self, note_id: str, text: str) -> None:
        note = self._by_id[note_id]
        with self._locked(note.page):
            note.versions.append(PageVersion(self._now(), note.author, text))

    def resolve(self, note_id: str, state: State = "resolved") -> None:
        """No version comes of it."""
        note = self._by_id[note_id]
        with self._locked(note.page):
            note.state = state

    def remove(self, note_id: str) -> None:
        note = self._by_id[note_id]
        with self._locked(note.page):
            del self._by_id[note_id]


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
