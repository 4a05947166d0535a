"""Jira Cloud as a source: tickets, and each comment as a document of its own, so that a restricted one hides nothing
but itself.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from core.connectors import jira_values as values
from core.connectors.base import Labels, fingerprint, moment
from core.connectors.jira_api import project_key, quoted
from core.connectors.jira_reader import JiraReader
from core.errors import SourceError, SourceForbidden, SourceGone, SourceIncomplete, SourceUnavailable
from core.tickets import Comment, Ticket
from core.types import Document

__all__ = ["JiraConnector", "JiraReader"]

# A search may be minutes behind, and JQL knows minutes at best: what changed shortly before the mark is read again.
_OVERLAP = timedelta(minutes=10)
_ID = re.compile(r"jira:([0-9]{1,18})(?::comment:([0-9]{1,18}))?", re.ASCII)
_MANY = 20  # from so many comments of one ticket on, all are listed instead
_MOST_UNREAD = 20  # tickets; a source that fails for more is down
_IDS_AT_ONCE = 1000


class JiraConnector:
    """The tickets of some projects. The cursor is Jira's own time in milliseconds since 1970, which JQL takes unquoted
    and reads in no time zone.
    """

    def __init__(self, name: str, reader: JiraReader, projects: Sequence[str]) -> None:
        self._name = name
        self._reader = reader
        self._projects = [project_key(key) for key in projects]
        self._scope = f"project in ({', '.join(map(quoted, self._projects))})"

    @property
    def name(self) -> str:
        return self._name

    def mark(self) -> str:
        now = self._reader.api.server_time()
        at = values.epoch_milliseconds(moment(now))
        if at <= 0:
            raise SourceUnavailable(f"Jira gave {now!r} as its time")
        return str(at)

    def load(self) -> Iterator[Document]:
        return self._documents(f"{self._scope} ORDER BY created ASC, key ASC")

    def changed_since(self, cursor: str) -> Iterator[Document]:
        since = int(cursor) - _OVERLAP // timedelta(milliseconds=1)
        return self._documents(f"{self._scope} AND updated >= {since} ORDER BY updated ASC, key ASC")

    def ids(self) -> set[str]:
        self._check_projects()
        found: set[str] = set()
        for issue in self._reader.api.search(f"{self._scope} ORDER BY created ASC, key ASC", ["comment"]):
            number = str(issue.get("id"))
            shown = values.part(values.part(issue, "fields"), "comment")
            comments = shown.get("comments")
            if not isinstance(comments, list) or shown.get("total") != len(comments):
                comments = self._reader.api.comments(number)
            found.add(f"jira:{number}")
            found |= {f"jira:{number}:comment:{one.get('id')}" for one in comments}
        return found

    def labels_now(self, ids: Iterable[str]) -> Labels:
        asked = list(ids)
        by_ticket: dict[str, set[str]] = {}
        for document in asked:
            match = _ID.fullmatch(document)
            if match:
                by_ticket.setdefault(match[1], set()).update([match[2]] if match[2] else [])
        found: dict[str, frozenset[str] | None] = {}
        for ticket, comments in by_ticket.items():
            found |= self._ticket_labels(ticket, comments)
        return {document: found.get(document) for document in asked}

    def total(self) -> int | None:
        """Tickets with their comments are not known beforehand: the tickets alone are counted."""
        jql = f"{self._scope} ORDER BY key ASC"
        return sum(1 for _ in self._reader.api.search(jql, ["id"], page_size=_IDS_AT_ONCE))

    def _check_projects(self) -> None:
        """A project that the account sees no more must not look like one without tickets."""
        for key in self._projects:
            try:
                self._reader.api.project(key)
            except SourceGone as error:
                raise SourceForbidden(f"The project {key} does not exist, or Jira does not show it to us") from error

    def _documents(self, jql: str) -> Iterator[Document]:
        self._check_projects()
        unread: list[str] = []
        for issue in self._reader.api.search(jql, ["key"]):
            key = str(issue.get("key"))
            try:
                ticket = self._reader.open_part(str(issue.get("id")))
                comments = self._reader.comments(ticket)
            except SourceGone:  # which is also Jira's answer for what is hidden; `ids` will not list it
                continue
            except SourceError as error:
                unread.append(f"{key} ({error})")
                if len(unread) > _MOST_UNREAD:
                    break
                continue
            yield self._ticket_document(ticket)
            # A bot's answers repeat what they cite; found again, they would confirm themselves.
            yield from (self._comment_document(ticket, comment) for comment in comments if not comment.by_bot)
        if unread:
            raise SourceIncomplete(f"{len(unread)} tickets could not be read: {'; '.join(unread[:3])}")

    def _ticket_document(self, ticket: Ticket) -> Document:
        parts = [f"# {ticket.summary}", ticket.description]
        parts += [f"## {field.name}\n\n{field.text}" for field in ticket.fields]
        text = "\n\n".join(part for part in parts if part.strip())
        title = ticket.locator.title
        context = f"{ticket.project} > {title}"
        return Document(
            id=ticket.document_id,
            source=self._name,
            kind="ticket",
            version=fingerprint(title, text, context, *sorted(map("=".join, ticket.attributes.items()))),
            title=title,
            text=text,
            context=context,
            url=ticket.locator.url,
            labels=ticket.labels,
            updated=ticket.updated,
            created=ticket.created,
            keys=frozenset({ticket.key}),
            attributes=ticket.attributes,
        )

    def _comment_document(self, ticket: Ticket, comment: Comment) -> Document:
        context = f"{ticket.project} > {ticket.locator.title} > comment"
        text = comment.text or "[no text]"
        attributes = {**ticket.attributes, "author": comment.author.name}
        return Document(
            id=comment.locator.document_id,
            source=self._name,
            kind="comment",
            version=fingerprint(text, context, *sorted(map("=".join, attributes.items()))),
            title=comment.locator.title,
            text=text,
            context=context,
            url=comment.locator.url,
            labels=comment.labels,
            updated=comment.updated,
            created=comment.created,
            attributes=attributes,
        )

    def _ticket_labels(self, ticket: str, comments: set[str]) -> Labels:
        """Labels of a ticket and some of its comments, by document id; who is left out is gone or unreadable."""
        try:
            raw = self._reader.api.issue(ticket, values.LABEL_FIELDS)
            shown = list(self._raw_comments(ticket, comments))
        except SourceGone:
            return {}
        fields = values.part(raw, "fields")
        of_ticket = values.ticket_labels(fields)
        project = str(values.part(fields, "project").get("key") or "?")
        found: dict[str, frozenset[str] | None] = {f"jira:{ticket}": of_ticket}
        for one in shown:
            labels = values.comment_labels(one, of_ticket, project)
            found[f"jira:{ticket}:comment:{one.get('id')}"] = labels
        return found

    def _raw_comments(self, ticket: str, wanted: set[str]) -> Iterator[values.Json]:
        if len(wanted) > _MANY:
            yield from self._reader.api.comments(ticket)
            return
        for comment in wanted:
            try:
                yield self._reader.api.comment(ticket, comment)
            except SourceGone:
                continue
