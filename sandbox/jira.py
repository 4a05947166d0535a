"""The sandbox's Jira in memory, and what tests and the demo do to it."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

from sandbox.accounts import Accounts
from sandbox.adf import Node, plain
from sandbox.catalog import Catalog
from sandbox.issues import INTERNAL, File, Issue, Note
from sandbox.jira_json import JiraJson
from sandbox.loading import Loader
from sandbox.markup import Resolve, ToAdf
from sandbox.permissions import Permissions
from sandbox.records import Change, Company, Project

Fire = Callable[[str, Issue, Note], None]
"""Told of every comment event: its name as Jira sends it, the ticket, the comment."""

DEFAULT_ZONE: tzinfo = timezone(timedelta(hours=-4), "America/La_Paz")


class Jira:
    """State behind one lock. Methods that take an author act as that person and check nothing: they are for tests
    and the demo, the REST API checks.
    """

    def __init__(self, company: Company, accounts: Accounts, resolve: Resolve, lock: threading.RLock) -> None:
        self.lock = lock
        self.accounts = accounts
        self.catalog = Catalog(company)
        self.permissions = Permissions(company, accounts)
        self.projects: dict[str, Project] = {project.key: project for project in company.projects}
        self._loader = Loader(company, accounts, self.catalog, resolve)
        self.issues = self._loader.issues()
        self._by_id = {issue.id: issue for issue in self.issues.values()}
        self._next_comment, self._next_change, self._next_file = self._loader.counters()
        self._former: dict[str, str] = {}
        self._places = {note.id: issue for issue in self.issues.values() for note in issue.notes.values()}
        self._adf = ToAdf(lambda account: accounts.of(account).name, resolve)
        self.base = ""
        """The server's URL, for links in what is not an answer to a request."""
        self.fire: Fire = lambda _event, _issue, _note: None
        self.search_lag = 0.0
        """Seconds until a change is seen by a search; reading by key is always current."""
        self.zone: tzinfo = DEFAULT_ZONE
        """The accounts' time zone: JQL's dates are read in it and timestamps are sent in it."""
        self.now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def find(self, key_or_id: str) -> Issue | None:
        key = key_or_id.upper()
        issue = self.issues.get(self._former.get(key, key)) or self._by_id.get(key_or_id)
        return issue if issue is not None and not issue.deleted else None

    def issue(self, key: str) -> Issue:
        issue = self.find(key)
        if issue is None:
            raise ValueError(f"there is no ticket {key}")
        return issue

    def place_of(self, comment_id: str) -> tuple[Issue, Note] | None:
        issue = self._places.get(comment_id)
        note = issue.notes.get(comment_id) if issue is not None and not issue.deleted else None
        return (issue, note) if issue is not None and note is not None else None

    # As a person.

    def add_comment(
        self,
        key: str,
        author_id: str,
        text: str = "",
        *,
        role: str | None = None,
        group: str | None = None,
        internal: bool = False,
        adf: Node | None = None,
    ) -> str:
        """Write a comment (Markdown, or `adf` as it is) and return its id."""
        properties: dict[str, Any] = {INTERNAL: {"internal": True}} if internal else {}
        author = self.accounts.of(author_id).id
        with self.changing(key) as issue:
            note = self.write(issue, author, adf if adf is not None else self._adf(text), role, group, properties)
        return note.id

    def edit_comment(self, key: str, comment_id: str, text: str = "", *, adf: Node | None = None) -> None:
        with self.changing(key) as issue:
            note = self._note(issue, comment_id)
            self.rewrite(issue, note, note.author, adf if adf is not None else self._adf(text))

    def delete_comment(self, key: str, comment_id: str) -> None:
        with self.changing(key) as issue:
            self.remove(issue, self._note(issue, comment_id))

    def set_visibility(
        self, key: str, comment_id: str, *, role: str | None = None, group: str | None = None, internal: bool = False
    ) -> None:
        """Change who may see a comment; the event is `comment_updated`."""
        with self.changing(key) as issue:
            note = self._note(issue, comment_id)
            note.role, note.group = role, group
            note.properties.pop(INTERNAL, None)
            if internal:
                note.properties[INTERNAL] = {"internal": True}
            self.rewrite(issue, note, note.author, note.body)

    def set_security(self, key: str, level: str | None) -> None:
        with self.changing(key) as issue:
            if level is not None and level not in issue.project.security_levels:
                raise ValueError(f"{issue.project.key} has no security level {level}")
            issue.security = level

    def set_roles(self, key: str, roles: Iterable[str]) -> None:
        """Restrict a ticket to who has any of these project roles."""
        with self.changing(key) as issue:
            issue.roles = tuple(roles)

    def set_fields(self, key: str, fields: Mapping[str, str], author_id: str | None = None) -> None:
        """Change fields by name (`summary`, `description`, `status`, `resolution` or as in `Ticket.fields`), with
        the history entry; Markdown.
        """
        at = self.now()
        with self.changing(key) as issue:
            author = author_id or issue.reporter
            changes = [Change(at, author, name, self._set(issue, name, value), value) for name, value in fields.items()]
            issue.history.append((self._next_change(), changes))

    def attach(self, key: str, author_id: str, name: str, content: bytes) -> str:
        """Add a file to a ticket and return its id."""
        with self.changing(key) as issue:
            file = File(self._next_file(), name, self.accounts.of(author_id).id, self.now(), content)
            issue.files[file.id] = file
            self._changed(issue, author_id, "Attachment", "", name)
        return file.id

    def detach(self, key: str, file_id: str) -> None:
        with self.changing(key) as issue:
            file = issue.files.pop(file_id)
            self._changed(issue, file.author, "Attachment", file.name, "")

    def file(self, file_id: str) -> tuple[Issue, File] | None:
        """An attachment with the ticket that holds it."""
        found = ((issue, issue.files.get(file_id)) for issue in self.issues.values() if not issue.deleted)
        return next(((issue, file) for issue, file in found if file is not None), None)

    def move_issue(self, key: str, project: str) -> str:
        """Move a ticket to another project and return its new key; it keeps its id, and is found by the former key."""
        with self.changing(key) as issue:
            taken = [int(other.rpartition("-")[2]) for other in self.issues if other.startswith(f"{project}-")]
            former, issue.key = issue.key, f"{project}-{max(taken, default=0) + 1}"
            issue.project, issue.security = self.projects[project], None
            self.issues = {(issue.key if k == former else k): other for k, other in self.issues.items()}
            self._former = {old: issue.key if now == former else now for old, now in self._former.items()}
            self._former[former] = issue.key
            for other in self.issues.values():
                other.follow(former, issue.key)
            self._changed(issue, issue.reporter, "Key", former, issue.key)
        return issue.key

    def delete_issue(self, key: str) -> None:
        with self.changing(key) as issue:
            issue.deleted = True

    def comments(self, key: str) -> list[dict[str, Any]]:
        """All comments of a ticket as the API answers them, properties included, nobody's permission asked."""
        with self.lock:
            issue = self.issue(key)
            return [JiraJson(self, self.base).comment(issue, note, properties=True) for note in issue.notes.values()]

    # What the API and the methods above share; under the lock.

    @contextmanager
    def changing(self, key: str) -> Iterator[Issue]:
        """The ticket, locked; `updated` moves and the search index is told at the end."""
        with self.lock:
            issue = self.issue(key)
            yield issue
            issue.updated = max(self.now(), issue.updated)
            issue.index(self.search_lag)

    def write(
        self, issue: Issue, author: str, body: Node, role: str | None, group: str | None, properties: dict[str, Any]
    ) -> Note:
        now = self.now()
        note = Note(self._next_comment(), author, now, body, now, author, role, group, properties)
        issue.notes[note.id] = note
        self._places[note.id] = issue
        self.fire("comment_created", issue, replace(note))
        return note

    def rewrite(self, issue: Issue, note: Note, author: str, body: Node) -> None:
        note.body, note.updated, note.updated_by = body, self.now(), author
        self.fire("comment_updated", issue, replace(note))

    def remove(self, issue: Issue, note: Note) -> None:
        del issue.notes[note.id]
        del self._places[note.id]
        self.fire("comment_deleted", issue, replace(note))

    def _changed(self, issue: Issue, author: str, field: str, before: str, after: str) -> None:
        issue.history.append((self._next_change(), [Change(self.now(), author, field, before, after)]))

    def _note(self, issue: Issue, comment_id: str) -> Note:
        note = issue.notes.get(comment_id)
        if note is None:
            raise ValueError(f"{issue.key} has no comment {comment_id}")
        return note

    def _set(self, issue: Issue, name: str, value: str) -> str:
        """Set one field; returns its value before, as text."""
        if name == "description":
            before = plain(issue.description)
            issue.description = self._adf(value)
            return before
        if name in {"summary", "status", "resolution"}:
            before = getattr(issue, name) or ""
            setattr(issue, name, value)
            self.catalog.status_id(issue.status)
            return before
        field_id, new = self._loader.field(name, value)
        old = issue.fields.get(field_id, "")
        issue.fields[field_id] = new
        return plain(old) if isinstance(old, dict) else str(old)
