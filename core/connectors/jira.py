"""Jira Cloud as a source: tickets, and each comment, history and attachment as a document of its own, so that a
restricted one hides nothing but itself.

A document's id holds its ticket's number, which survives a move to another project and a project's new key. What was
deleted, or moved to a project that is not indexed, is found by `ids`, so with the next full reading; until then nobody
is shown it, for its labels are read live, and the next sweep of labels seals it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial

import structlog

from core.connectors import jira_values as values
from core.connectors.attachments import Attachments
from core.connectors.base import Labels, moment
from core.connectors.jira_api import ISSUES_AT_ONCE, Json, objects, part, project_key, quoted
from core.connectors.jira_attachments import downloaded, state
from core.connectors.jira_documents import attachment_about, attachment_document, attachment_id, documents
from core.connectors.jira_labels import (
    ATTACHMENT_FIELDS,
    LABEL_FIELDS,
    attachment_labels,
    comment_labels,
    is_service_desk,
    ticket_labels,
)
from core.connectors.jira_reader import MOST_UNREAD, JiraReader, Whole
from core.errors import SourceError, SourceForbidden, SourceGone, SourceIncomplete, SourceUnavailable
from core.types import Document

__all__ = ["JiraConnector", "JiraReader"]

# A search may be minutes behind, and JQL knows minutes at best: what changed shortly before the mark is read again.
_OVERLAP = timedelta(minutes=10)
_ID = re.compile(r"jira:([0-9]{1,18})(?::(?:(comment|attachment):[0-9]{1,18}|history))?", re.ASCII)
_NEEDED: Mapping[str | None, Sequence[str]] = {"comment": ["comment"], "attachment": ATTACHMENT_FIELDS}
_KEYS_AT_ONCE = 1000

log = structlog.get_logger(__name__)


class JiraConnector:
    """The tickets of some projects. The cursor is Jira's own time in milliseconds since 1970, which JQL takes unquoted
    and reads in no time zone.

    Without `attachments` these are not indexed. Tickets of the types in `test_types` are of the kind `qa`.
    """

    def __init__(
        self,
        name: str,
        reader: JiraReader,
        projects: Sequence[str],
        *,
        attachments: Attachments | None = None,
        test_types: Collection[str] = (),
    ) -> None:
        self._name = name
        self._reader = reader
        self._projects = [project_key(key) for key in projects]
        self._scope = f"project in ({', '.join(map(quoted, self._projects))})"
        self._attachments = attachments
        self._test_types = frozenset(test_types)

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

    def removed_since(self, _cursor: str) -> set[str]:
        """None: JQL finds what is there."""
        return set()

    def ids(self) -> set[str]:
        """The ids of all documents. Each ticket counts as one with a history, since Jira forgets none."""
        self._check_projects()
        found: set[str] = set()
        for issue in self._reader.api.search(f"{self._scope} ORDER BY created ASC, key ASC", ["comment", "attachment"]):
            number, fields = str(issue.get("id")), part(issue, "fields")
            try:
                comments, _ = self._reader.shown_comments(number, fields)
            except SourceGone:
                continue
            found |= {f"jira:{number}", f"jira:{number}:history"}
            found |= {f"jira:{number}:comment:{one.get('id')}" for one in comments}
            if self._attachments:
                found |= {f"jira:{number}:attachment:{one.get('id')}" for one in objects(fields.get("attachment"))}
        return found

    def labels_now(self, ids: Iterable[str]) -> Labels:
        asked = list(ids)
        fields: dict[str, set[str]] = {}
        for document in asked:
            if match := _ID.fullmatch(document):
                fields.setdefault(match[1], set()).update(_NEEDED.get(match[2], ()))
        wanted = ",".join([LABEL_FIELDS, *sorted(set().union(*fields.values()))])
        found: dict[str, frozenset[str]] = {}
        for number, raw in self._reader.api.issues(list(fields), wanted):
            try:
                found |= self._issue_labels(number, raw, fields[number])
            except SourceGone:  # or hidden from us
                continue
        return {document: found.get(document) for document in asked}

    def total(self) -> int | None:
        """Tickets with their comments are not known beforehand: the tickets alone are counted."""
        jql = f"{self._scope} ORDER BY key ASC"
        return sum(1 for _ in self._reader.api.search(jql, ["id"], page_size=_KEYS_AT_ONCE))

    def _check_projects(self) -> None:
        """A project that the account sees no more must not look like one without tickets."""
        for key in self._projects:
            try:
                now = self._reader.api.project(key).get("key")
            except SourceGone as error:
                raise SourceForbidden(f"The project {key} does not exist, or Jira does not show it to us") from error
            if now != key:  # Jira finds it by its former key; its tickets' labels are of the new one
                log.warning("a project has a new key; the settings name the former one", former=key, now=str(now))

    def _documents(self, jql: str) -> Iterator[Document]:
        self._check_projects()
        self._reader.read_fields()
        unread: list[str] = []
        keys = {}
        for issue in self._reader.api.search(jql, ["key"], page_size=_KEYS_AT_ONCE):
            keys[str(issue.get("id"))] = str(issue.get("key"))
            if len(keys) == ISSUES_AT_ONCE:
                yield from self._of_tickets(keys, unread)
                keys = {}
        yield from self._of_tickets(keys, unread)
        _report(unread)

    def _of_tickets(self, keys: Mapping[str, str], unread: list[str]) -> Iterator[Document]:
        """The documents of some tickets, given as numbers and keys. What cannot be read is added to `unread`; too much
        of that ends all.
        """
        if not keys:
            return
        for number, read in self._reader.whole(list(keys)):
            if isinstance(read, SourceGone):  # which is also Jira's answer for what is hidden; `ids` will not list it
                continue
            if isinstance(read, SourceError):
                unread.append(f"{keys[number]} ({read})")
            else:
                ticket = read.ticket
                yield from documents(ticket, self._name, "qa" if ticket.type in self._test_types else "ticket")
                yield from self._of_attachments(read, unread)
            if len(unread) > MOST_UNREAD:
                _report(unread)

    def _of_attachments(self, read: Whole, unread: list[str]) -> Iterator[Document]:
        if not self._attachments:
            return
        for one in read.attachments:
            about = state(one, " ".join(attachment_about(read.ticket, one)))
            document_id = attachment_id(read.ticket, one)
            download = partial(downloaded, one, self._reader.api.attachment)
            try:
                content = self._attachments.content(document_id, one.name, one.size, about, download)
            except SourceUnavailable as error:
                unread.append(f"an attachment of {read.ticket.key} ({error})")
                continue
            yield attachment_document(read.ticket, one, content, self._name)

    def _issue_labels(self, number: str, raw: Json | SourceError, more: set[str]) -> Mapping[str, frozenset[str]]:
        """Labels of a ticket and of what is asked for of it, by document id; what is left out is gone or unreadable."""
        if isinstance(raw, SourceError):
            raise raw
        fields = part(raw, "fields")
        of_ticket = ticket_labels(fields)
        project, desk = str(part(fields, "project").get("key") or "?"), is_service_desk(fields)
        found = {f"jira:{number}": of_ticket, f"jira:{number}:history": of_ticket}
        if not more:
            return found
        comments, _ = self._reader.shown_comments(number, fields)
        for one in comments:
            labels = comment_labels(one, of_ticket, project, service_desk=desk)
            found[f"jira:{number}:comment:{one.get('id')}"] = labels
        if "attachment" in more:
            files = attachment_labels(fields, comments).items()
            found |= {f"jira:{number}:attachment:{file}": labels for file, labels in files}
        return found


def _report(unread: Sequence[str]) -> None:
    if unread:
        raise SourceIncomplete(f"{len(unread)} tickets or attachments could not be read: {'; '.join(unread[:3])}")
