"""The company's tickets as issues, with deterministic ids."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sandbox import files
from sandbox.accounts import Accounts
from sandbox.catalog import LINK_TYPES, SYSTEM_NAMES, Catalog
from sandbox.issues import INTERNAL, File, Issue, Note
from sandbox.markup import Resolve, ToAdf
from sandbox.records import Attachment, Change, Comment, Company, Ticket

FIRST_ISSUE, FIRST_COMMENT, FIRST_CHANGE, FIRST_LINK, FIRST_REMOTE = 20001, 30001, 50001, 60001, 70001
FIRST_FILE = 40001


class Loader:
    """Turns the records into issues once; refuses what could not exist in Jira."""

    def __init__(self, company: Company, accounts: Accounts, catalog: Catalog, resolve: Resolve) -> None:
        self._company = company
        self._accounts = accounts
        self._catalog = catalog
        self._resolve = resolve
        self._adf = ToAdf(lambda account: accounts.of(account).name, resolve)
        self._projects = {project.key: project for project in company.projects}
        given = {c.id for t in company.tickets for c in t.comments if c.id is not None}
        wrong = [comment_id for comment_id in given if not comment_id.isdecimal()]
        if wrong:
            raise ValueError(f"Jira's comment ids are numbers, not {wrong[0]!r}")
        self._comment_ids = _counter(FIRST_COMMENT, given)
        self._change_ids = _counter(FIRST_CHANGE)
        self._link_ids = _counter(FIRST_LINK)
        self._remote_ids = _counter(FIRST_REMOTE)
        self._file_ids = _counter(FIRST_FILE)

    def issues(self) -> dict[str, Issue]:
        tickets = self._company.tickets
        issues = {t.key: self._issue(str(FIRST_ISSUE + at), t) for at, t in enumerate(tickets)}
        for ticket in tickets:
            for link in ticket.links:
                if link.type not in LINK_TYPES or link.key not in issues:
                    raise ValueError(f"{ticket.key}: link {link.type} to {link.key} cannot be")
                link_id = next(self._link_ids)
                issues[ticket.key].links.append((link_id, link.type, link.key))
                issues[link.key].linked_from.append((link_id, link.type, ticket.key))
            if ticket.parent is not None:
                issues[ticket.parent].children.append(ticket.key)
        return issues

    def _issue(self, issue_id: str, ticket: Ticket) -> Issue:
        issue = Issue(
            id=issue_id,
            key=ticket.key,
            project=self._projects[ticket.key.rpartition("-")[0]],
            type=ticket.type,
            summary=ticket.summary,
            description=self._adf(ticket.description) if ticket.description else None,
            status=ticket.status,
            resolution=ticket.resolution,
            reporter=self._accounts.of(ticket.reporter).id,
            assignee=self._accounts.of(ticket.assignee).id if ticket.assignee else None,
            parent=ticket.parent,
            security=ticket.security,
            created=ticket.created,
            updated=ticket.updated,
            fields=dict(self.field(name, value) for name, value in ticket.fields.items()),
            notes={note.id: note for note in map(self._note, sorted(ticket.comments, key=lambda c: c.at))},
            history=self._history(ticket.history),
            files={file.id: file for file in map(self._file, ticket.attachments)},
            remote_links=[
                (int(next(self._remote_ids)), link.title, self._resolve(link.url)) for link in ticket.remote_links
            ],
        )
        issue.index(0)
        return issue

    def field(self, name: str, value: str) -> tuple[str, Any]:
        """A field's id and its value as Jira sends it."""
        if name in SYSTEM_NAMES:
            return SYSTEM_NAMES[name], self._system_value(name, value)
        custom = self._catalog.fields[name]
        return custom.id, self._adf(value) if custom.rich else value

    def _system_value(self, name: str, value: str) -> Any:
        if name == "Environment":
            return self._adf(value)
        if name == "Priority":
            return {"name": value, "id": str(self._catalog.priorities[value])}
        parts = [part.strip() for part in value.split(",") if part.strip()]
        return parts if name == "Labels" else [{"name": part} for part in parts]

    def _note(self, comment: Comment) -> Note:
        author = self._accounts.of(comment.author).id
        return Note(
            id=comment.id or next(self._comment_ids),
            author=author,
            created=comment.at,
            body=self._adf(comment.text),
            updated=comment.at,
            updated_by=author,
            role=comment.role,
            group=comment.group,
            properties={INTERNAL: {"internal": True}} if comment.internal else {},
        )

    def _file(self, attachment: Attachment) -> File:
        author = self._accounts.of(attachment.author).id
        content = files.content(attachment.name, attachment.text)
        return File(next(self._file_ids), attachment.name, author, attachment.at, content)

    def _history(self, changes: Iterable[Change]) -> list[tuple[str, list[Change]]]:
        entries: list[tuple[str, list[Change]]] = []
        for change in sorted(changes, key=lambda c: c.at):
            last = entries[-1][1][0] if entries else None
            if last is not None and (last.at, last.author) == (change.at, change.author):
                entries[-1][1].append(change)
            else:
                entries.append((next(self._change_ids), [change]))
        return entries

    def counters(self) -> tuple[Callable[[], str], Callable[[], str], Callable[[], str]]:
        """The next ids of a comment, of a changelog's entry and of a file, for what is written later."""
        return (lambda: next(self._comment_ids), lambda: next(self._change_ids), lambda: next(self._file_ids))


def _counter(first: int, taken: Iterable[str] = ()) -> Iterator[str]:
    used = frozenset(taken)
    while True:
        if str(first) not in used:
            yield str(first)
        first += 1
