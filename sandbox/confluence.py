"""The sandbox's Confluence in memory: spaces, pages, comments and files, read restrictions; and what tests do to it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from dataclasses import replace as changed
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Literal

from sandbox.accounts import Accounts
from sandbox.adf import Node
from sandbox.confluence_talk import Files, Notes
from sandbox.markup import Resolve, ToAdf, ToStorage
from sandbox.records import Company, Page, PageVersion, Person, Space
from sandbox.storage_adf import to_adf

Status = Literal["current", "archived", "trashed"]
FIRST_SPACE = 65601
LONGEST_COMMENT = 1_000_000
"""Characters of storage format. What Confluence allows is not documented."""
DEFAULT_ZONE: tzinfo = timezone(timedelta(hours=3), "Europe/Istanbul")


@dataclass(slots=True)
class Sheet:
    """A page. A page or space that is purged is gone altogether."""

    id: str
    space: str
    title: str
    versions: list[PageVersion]
    parent: str | None
    status: Status
    groups: set[str] = field(default_factory=set)
    users: set[str] = field(default_factory=set)
    labels: tuple[str, ...] = ()

    @property
    def restricted(self) -> bool:
        return bool(self.groups or self.users)


class Confluence:
    """State behind one lock. A person sees a space by its groups (none: everybody in the company), and in it the
    pages of which no restriction, their own or an ancestor's, leaves the person out. Customers see nothing.
    """

    def __init__(self, company: Company, accounts: Accounts, resolve: Resolve, lock: threading.RLock) -> None:
        self.lock = lock
        self.accounts = accounts
        self.spaces: dict[str, Space] = {space.key: space for space in company.spaces}
        self._numbers = {space.key: str(FIRST_SPACE + at) for at, space in enumerate(company.spaces)}
        self.pages: dict[str, Sheet] = {}
        self.now: Callable[[], datetime] = lambda: datetime.now(UTC)
        self.search_lag = 0.0
        """Seconds until a change is seen by a search; reading by id is always current."""
        self.zone: tzinfo = DEFAULT_ZONE
        """The accounts' time zone: CQL's dates are read in it."""
        self.rewrites = False
        """Storage format is read back as Cloud's editor leaves it: with ids of its own, and without XML comments."""
        self.longest_comment = LONGEST_COMMENT
        self.locked_spaces: set[str] = set()
        """Archived: read, never written."""
        self.silent: set[tuple[str, str]] = set()
        """Spaces and the accounts that may not comment there."""
        self._gone: set[str] = set()
        self.notes = Notes(self._page, self._time)
        self.files = Files(self._page, self._time)
        for page in company.pages:
            self.add_page(page)
        self.to_adf = ToAdf(lambda account: accounts.of(account).name, resolve)
        self.to_storage = ToStorage(self._named, resolve)

    def _time(self) -> datetime:
        return self.now()

    def space_id(self, key: str) -> str:
        return self._numbers[key]

    def space_key(self, space_id: str) -> str | None:
        return next((key for key, number in self._numbers.items() if number == space_id and key in self.spaces), None)

    def space_status(self, key: str) -> str:
        return "archived" if key in self.locked_spaces else "current"

    def _named(self, page_id: str) -> tuple[str, str]:
        page = self.pages.get(page_id)
        return (page.title, page.space) if page is not None else (page_id, "")

    def person(self, account_id: str) -> Person:
        """Whoever has this account; of one that was removed only the id is left."""
        person = self.accounts.of(account_id)
        return changed(person, name="Former user", email="", groups=()) if account_id in self._gone else person

    def known(self, account_id: str) -> Person | None:
        """The account, if there is one and it was not removed."""
        return None if account_id in self._gone else self.accounts.people.get(account_id)

    def sees_space(self, person: Person, key: str) -> bool:
        if person.id == self.accounts.reader.id:
            return True
        groups = self.spaces[key].groups
        return not person.customer and (not groups or any(group in person.groups for group in groups))

    def sees(self, person: Person, page: Sheet) -> bool:
        if person.id == self.accounts.reader.id:
            return page.space in self.spaces
        if page.space not in self.spaces or not self.sees_space(person, page.space):
            return False
        return all(self._let_in(person, one) for one in (page, *self.ancestors(page)))

    def may_comment(self, person: Person, page: Sheet) -> bool:
        """On a page that the person sees, archived or not."""
        return self.sees(person, page) and self.may_comment_in(person, page.space)

    def may_comment_in(self, person: Person, space: str) -> bool:
        """In a space that the person sees. The indexing account never writes."""
        return (
            person.id != self.accounts.reader.id
            and space not in self.locked_spaces
            and (space, person.id) not in self.silent
        )

    @staticmethod
    def _let_in(person: Person, page: Sheet) -> bool:
        return not page.restricted or person.id in page.users or bool(page.groups & set(person.groups))

    def ancestors(self, page: Sheet) -> list[Sheet]:
        """Nearest first."""
        out: list[Sheet] = []
        while page.parent is not None and page.parent in self.pages and len(out) < len(self.pages):
            page = self.pages[page.parent]
            out.append(page)
        return out

    # What tests and the demo do.

    def add_page(self, page: Page) -> None:
        if not page.id.isdecimal():
            raise ValueError(f"Confluence's page ids are numbers, not {page.id!r}")
        status: Status = "archived" if page.archived else "current"
        versions, groups, users = list(page.versions), set(page.groups), set(page.users)
        self.pages[page.id] = Sheet(
            page.id, page.space, page.title, versions, page.parent, status, groups, users, page.labels
        )
        self.notes.take(page)
        self.files.take(page)

    def storage(self, version: PageVersion) -> str:
        """A version's body in storage format."""
        return self.to_storage(version.text) if version.storage is None else version.storage

    def document(self, version: PageVersion) -> Node:
        """A version's body as ADF; of what has both Markdown and storage format, the former."""
        posted = version.storage is not None and not version.text
        return to_adf(version.storage or "") if posted else self.to_adf(version.text)

    def edit(
        self,
        page_id: str,
        text: str,
        author_id: str | None = None,
        message: str = "",
        storage: str | None = None,
    ) -> int:
        """A new version (Markdown, or storage format where that cannot say it); returns its number."""
        with self._page(page_id) as page:
            author = author_id or page.versions[-1].author
            page.versions.append(PageVersion(self.now(), author, text, message, storage))
            return len(page.versions)

    def move(self, page_id: str, *, parent: str | None, space: str | None = None) -> None:
        """Put a page below another, or at the top, of its space or of another one. No version comes of it."""
        with self._page(page_id) as page:
            page.parent = parent
            page.space = space or page.space

    def relabel(self, page_id: str, *labels: str) -> None:
        """Set a page's labels. No version comes of it."""
        with self._page(page_id) as page:
            page.labels = labels

    def rename(self, page_id: str, title: str) -> None:
        with self._page(page_id) as page:
            page.versions = [changed(version, title=version.title or page.title) for version in page.versions]
            page.title = title
            last = page.versions[-1]
            page.versions.append(PageVersion(self.now(), last.author, last.text, storage=last.storage))

    def set_status(self, page_id: str, status: Status) -> None:
        """Archive, move to the trash, or bring back."""
        with self._page(page_id) as page:
            page.status = status

    def purge(self, page_id: str) -> None:
        with self._page(page_id):
            for note in [note for note in self.notes if note.page == page_id]:
                self.notes.remove(note.id)
            for file in self.files.on(page_id):
                self.files.remove(file.id)
            del self.pages[page_id]

    def restrict(self, page_id: str, *, groups: tuple[str, ...] = (), users: tuple[str, ...] = ()) -> None:
        """Set who may read; nobody named lifts the restriction. No version comes of it."""
        with self._page(page_id) as page:
            page.groups, page.users = set(groups), set(users)

    def silence(self, space: str, account_id: str) -> None:
        """Take from an account the permission to comment in a space."""
        with self.lock:
            self.silent.add((space, account_id))

    def allow(self, space: str, account_id: str) -> None:
        with self.lock:
            self.silent.discard((space, account_id))

    def lock_space(self, key: str, *, locked: bool = True) -> None:
        """Archive a space, or bring it back."""
        with self.lock:
            (self.locked_spaces.add if locked else self.locked_spaces.discard)(key)

    def remove_user(self, account_id: str) -> None:
        """The account is gone: no login, no name. What it wrote stays."""
        with self.lock:
            self._gone.add(self.accounts.of(account_id).id)

    def remove_space(self, key: str) -> None:
        with self.lock:
            del self.spaces[key]

    @contextmanager
    def _page(self, page_id: str) -> Iterator[Sheet]:
        with self.lock:
            if page_id not in self.pages:
                raise ValueError(f"there is no page {page_id}")
            yield self.pages[page_id]
