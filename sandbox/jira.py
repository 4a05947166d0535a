"""What people, tests and the demo do in the sandbox's Jira."""

from collections.abc import Iterable, Mapping
from typing import Any

from sandbox.adf import Node, paragraphs, plain
from sandbox.adf_wiki import to_wiki
from sandbox.catalog import LINK_TYPES
from sandbox.issues import INTERNAL, File, Issue
from sandbox.jira_administration import Administration
from sandbox.jira_json import JiraJson
from sandbox.records import Change


class Jira(Administration):
    """Methods that take an author act as that person and check nothing: they are for tests and the demo, the REST
    APIs check.
    """

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
        wiki: str | None = None,
    ) -> str:
        """Write a comment (Markdown, or `adf` or `wiki` markup as it is) and return its id."""
        properties: dict[str, Any] = {INTERNAL: {"internal": True}} if internal else {}
        author = self.accounts.of(author_id).id
        with self.changing(key) as issue:
            note = self.write(issue, author, self._body(text, adf, wiki), role, group, properties, wiki)
        return note.id

    def edit_comment(
        self, key: str, comment_id: str, text: str = "", *, adf: Node | None = None, wiki: str | None = None
    ) -> None:
        with self.changing(key) as issue:
            note = self._note(issue, comment_id)
            self.rewrite(issue, note, note.author, self._body(text, adf, wiki), wiki)

    def _body(self, text: str, adf: Node | None, wiki: str | None) -> Node:
        if wiki is not None:
            return paragraphs(wiki)
        return adf if adf is not None else self._adf(text)

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
            self.rewrite(issue, note, note.author, note.body, note.wiki)

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
            changes = [Change(at, author, name, *self._set(issue, name, value)) for name, value in fields.items()]
            issue.history.append((self._next_change(), changes))

    def link(self, key: str, kind: str, to: str, author_id: str | None = None) -> None:
        """Link a ticket to another, with an entry in the history of each."""
        outward, inward = LINK_TYPES[kind]
        with self.changing(key) as issue, self.changing(to) as other:
            author = author_id or issue.reporter
            number = str(max((int(n) for i in self.issues.values() for n, _, _ in i.links), default=60_000) + 1)
            issue.links.append((number, kind, other.key))
            other.linked_from.append((number, kind, issue.key))
            self._changed(issue, author, "Link", "", f"This issue {outward} {other.key}")
            self._changed(other, author, "Link", "", f"This issue {inward} {issue.key}")

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

    def delete_issue(self, key: str) -> None:
        with self.changing(key) as issue:
            issue.deleted = True

    def comments(self, key: str) -> list[dict[str, Any]]:
        """All comments of a ticket as the API answers them, properties included, nobody's permission asked."""
        with self.lock:
            issue = self.issue(key)
            return [JiraJson(self, self.base).comment(issue, note, properties=True) for note in issue.notes.values()]

    def _set(self, issue: Issue, name: str, value: str) -> tuple[str, str]:
        """Set one field; its values before and after as a history has them: rich text as wiki markup."""
        if name == "description":
            before = to_wiki(issue.description)
            issue.description = self._adf(value)
            return before, to_wiki(issue.description)
        if name in {"summary", "status", "resolution"}:
            before = getattr(issue, name) or ""
            setattr(issue, name, value)
            self.catalog.status_id(issue.status)
            return before, value
        field_id, new = self._loader.field(name, value)
        old = issue.fields.get(field_id, "")
        issue.fields[field_id] = new
        custom = self.catalog.fields_by_id.get(field_id)
        if custom and custom.rich:
            return to_wiki(old or None), to_wiki(new)
        return plain(old) if isinstance(old, dict) else str(old), value
