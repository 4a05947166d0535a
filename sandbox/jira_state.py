"""The sandbox's Jira in memory: what its APIs and what acts on it share."""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

from sandbox.accounts import Accounts
from sandbox.adf import Node
from sandbox.catalog import Catalog
from sandbox.issues import File, Issue, Note
from sandbox.jql import Query
from sandbox.loading import Loader
from sandbox.markup import Resolve, ToAdf
from sandbox.permissions import Permissions
from sandbox.records import Change, Company, Person, Project

Fire = Callable[[str, Issue, Note], None]
"""Told of every comment event: its name as Jira sends it, the ticket, the comment."""

DEFAULT_ZONE: tzinfo = timezone(timedelta(hours=-4), "America/La_Paz")


class JiraState:
    """Behind one lock, which callers of these methods hold."""

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
        self._places = {note.id: issue for issue in self.issues.values() for note in issue.notes.values()}
        self._adf = ToAdf(lambda account: accounts.of(account).name, resolve)
        self.archived_projects: set[str] = set()
        """Keys."""
        self.base = ""
        """The server's URL, for links in what is not an answer to a request."""
        self.fire: Fire = lambda _event, _issue, _note: None
        self.search_lag = 0.0
        """Seconds until a change is seen by a search; reading by key is always current."""
        self.zone: tzinfo = DEFAULT_ZONE
        """The accounts' time zone: JQL's dates are read in it and timestamps are sent in it."""
        self.now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def find(self, key_or_id: str) -> Issue | None:
        """By its key, a former key, or its id."""
        key = key_or_id.upper()
        issue = self.issues.get(key) or self._by_id.get(key_or_id)
        if issue is None:
            issue = next((other for other in self.issues.values() if key in other.former), None)
        return issue if issue is not None and not issue.deleted else None

    def keys(self, issues: Iterable[Issue] | None = None) -> set[str]:
        """Every key, former ones too, of these tickets or of all."""
        chosen = self.issues.values() if issues is None else issues
        return {key for issue in chosen for key in (issue.key, *issue.former)}

    def search(self, person: Person, query: Query, fresh: Collection[str] = ()) -> list[Issue]:
        """What a person finds, in the query's order: as the index knows it, those of the `fresh` ids as they are."""
        found = []
        for issue in self.issues.values():
            seen = issue.as_searched(0 if issue.id in fresh else self.search_lag)
            if seen.deleted or self.archived(issue) or not query.matches(issue, seen):
                continue
            if self.permissions.indexed(person, issue):
                found.append((query.sort_key(issue, seen), issue))
        return [issue for _, issue in sorted(found, key=lambda pair: (pair[0], int(pair[1].id)))]

    def project(self, key_or_id: str) -> Project | None:
        """By its key, a former key, or its number."""
        numbers = {str(number): key for key, number in self.catalog.projects.items()}
        return self.projects.get(self.catalog.project_key(numbers.get(key_or_id, key_or_id)))

    def archived(self, issue: Issue) -> bool:
        return issue.archived is not None or issue.project.key in self.archived_projects

    def issue(self, key: str) -> Issue:
        issue = self.find(key)
        if issue is None:
            raise ValueError(f"there is no ticket {key}")
        return issue

    def place_of(self, comment_id: str) -> tuple[Issue, Note] | None:
        issue = self._places.get(comment_id)
        note = issue.notes.get(comment_id) if issue is not None and not issue.deleted else None
        return (issue, note) if issue is not None and note is not None else None

    def file(self, file_id: str) -> tuple[Issue, File] | None:
        """An attachment with the ticket that holds it."""
        found = ((issue, issue.files.get(file_id)) for issue in self.issues.values() if not issue.deleted)
        return next(((issue, file) for issue, file in found if file is not None), None)

    @contextmanager
    def changing(self, key: str) -> Iterator[Issue]:
        """The ticket, locked; `updated` moves and the search index is told at the end."""
        with self.lock:
            issue = self.issue(key)
            yield issue
            issue.updated = max(self.now(), issue.updated)
            issue.index(self.search_lag)

    def write(
        self,
        issue: Issue,
        author: str,
        body: Node,
        role: str | None,
        group: str | None,
        properties: dict[str, Any],
        wiki: str | None = None,
    ) -> Note:
        now = self.now()
        note = Note(self._next_comment(), author, now, body, now, author, role, group, properties, wiki)
        issue.notes[note.id] = note
        self._places[note.id] = issue
        self.fire("comment_created", issue, replace(note))
        return note

    def rewrite(self, issue: Issue, note: Note, author: str, body: Node, wiki: str | None = None) -> None:
        note.body, note.wiki, note.updated, note.updated_by = body, wiki, self.now(), author
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
