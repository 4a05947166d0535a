"""Jira as a source: tickets, and each comment, history and attachment as a document of its own, so that a
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
from core.connectors.base import MOST_UNREAD, Labels, Missed, may_pass, moment, refusal
from core.connectors.jira_attachments import downloaded, state
from core.connectors.jira_documents import (
    attachment_about,
    attachment_document,
    attachment_id,
    documents,
    unread_ticket,
)
from core.connectors.jira_labels import (
    ATTACHMENT_FIELDS,
    LABEL_FIELDS,
    attachment_labels,
    comment_labels,
    is_service_desk,
    project_of,
    ticket_labels,
)
from core.connectors.jira_reader import JiraReader, Whole
from core.connectors.jira_wire import ISSUES_AT_ONCE, Json, objects, part, project_key, quoted
from core.errors import SourceError, SourceForbidden, SourceGone, SourceUnavailable
from core.tickets import Ticket
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
        self._attachments = attachments
        self._test_types = frozenset(test_types)
        self._ours = frozenset(self._projects)
        """The keys of the projects, former ones too."""
        self._whole: dict[str, set[str]] = {}
        """The ids of all documents of each changed ticket that was read whole, by the ticket's number."""

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
        return self._documents()

    def changed_since(self, cursor: str) -> Iterator[Document]:
        since = int(cursor) - _OVERLAP // timedelta(milliseconds=1)
        self._whole = {}
        return self._documents(f" AND updated >= {since}", self._whole)

    def removed_since(self, cursor: str, known: Collection[str]) -> set[str]:
        """What a ticket that changed does not have any more: comments, attachments, a history. JQL finds only tickets
        that are there, so a ticket that is gone is not told.
        """
        del cursor
        of_ticket = ((document, _ID.fullmatch(document)) for document in known)
        return {it for it, found in of_ticket if found and it not in self._whole.get(found[1], {it})}

    def ids(self) -> set[str]:
        """The ids of all documents. Each ticket counts as one with a history, since Jira forgets none. Of comments that
        Jira will not list those count that come with their ticket.
        """
        found: set[str] = set()
        for issue in self._listed(["comment", "attachment"]):
            number, fields = str(issue.get("id")), part(issue, "fields")
            try:
                comments, _ = self._reader.shown_comments(number, fields)
            except SourceGone:
                continue
            except SourceError as error:
                if may_pass(error):
                    raise
                comments = objects(part(fields, "comment").get("comments"))
            found |= {f"jira:{number}", f"jira:{number}:history"}
            found |= {f"jira:{number}:comment:{one.get('id')}" for one in comments}
            if self._attachments:
                found |= {f"jira:{number}:attachment:{one.get('id')}" for one in self._reader.attached(fields)}
        return found

    def labels_now(self, ids: Iterable[str]) -> Labels:
        asked = list(ids)
        fields: dict[str, set[str]] = {}
        for document in asked:
            if match := _ID.fullmatch(document):
                fields.setdefault(match[1], set()).update(_NEEDED.get(match[2], ()))
        wanted = ",".join([LABEL_FIELDS, *sorted(set().union(*fields.values()))])
        found: dict[str, frozenset[str]] = {}
        try:
            answers = dict(self._answered(list(fields), wanted))
        except SourceForbidden as error:
            raise SourceUnavailable(str(error)) from error
        projects = {number: project_of(part(raw, "fields")) for number, raw in answers.items()}
        ours = self._ours if self._ours.issuperset(projects.values()) else self._ours | self._present_keys()
        for number, raw in answers.items():
            if projects[number] in ours:
                found |= self._issue_labels(number, part(raw, "fields"), fields[number])
        return {document: found.get(document) for document in asked}

    def total(self) -> int | None:
        return len(self.ids())

    def _present_keys(self) -> set[str]:
        """The keys that the projects have now, as far as Jira tells."""
        found = set()
        for key in self._projects:
            try:
                found.add(str(self._reader.api.project(key).get("key")))
            except SourceError as error:
                log.warning("a project could not be asked for", project=key, reason=str(error))
        return found

    def _listed(self, fields: Sequence[str], restriction: str = "", **size: int) -> Iterator[Json]:
        """The tickets of the projects, or those for which `restriction` holds, too: a piece of JQL after an AND."""
        projects = self._unarchived()
        if not projects:
            return iter(())
        scope = f"project in ({', '.join(map(quoted, projects))}){restriction}"
        return self._reader.api.listing(scope, fields, **size)

    def _unarchived(self) -> list[str]:
        """The projects without those that are archived, whose tickets Jira finds by no search. A project that the
        account sees no more must not look like one without tickets.
        """
        found = []
        for key in self._projects:
            try:
                project = self._reader.api.project(key)
            except SourceGone as error:
                raise SourceForbidden(f"The project {key} does not exist, or Jira does not show it to us") from error
            if project.get("archived") is True:
                log.warning("a project is archived; its tickets are not indexed", project=key)
                continue
            found.append(key)
            now = project.get("key")
            if now != key:  # Jira finds it by its former key; its tickets' labels are of the new one
                log.warning("a project has a new key; the settings name the former one", former=key, now=str(now))
                self._ours |= {str(now)}
        return found

    def _documents(self, restriction: str = "", whole: dict[str, set[str]] | None = None) -> Iterator[Document]:
        """Those of the tickets for which `restriction` holds. To `whole` the ids of all of each that was read are
        added.
        """
        listed = self._listed(["key"], restriction, page_size=_KEYS_AT_ONCE)
        self._reader.read_fields()
        missed = Missed("tickets or attachments")
        keys = {}
        for issue in listed:
            keys[str(issue.get("id"))] = str(issue.get("key"))
            if len(keys) == ISSUES_AT_ONCE:
                yield from self._of_tickets(keys, missed, whole)
                keys = {}
        yield from self._of_tickets(keys, missed, whole)
        missed.check()

    def _of_tickets(
        self, keys: Mapping[str, str], missed: Missed, whole: dict[str, set[str]] | None
    ) -> Iterator[Document]:
        """The documents of some tickets, given as numbers and keys. To `whole` the ids of all of each are added."""
        if not keys:
            return
        for number, read in self._reader.whole(list(keys)):
            if isinstance(read, SourceGone):  # which is also Jira's answer for what is hidden; `ids` will not list it
                continue
            if isinstance(read, SourceError):
                yield from self._unread(number, keys[number], read, missed)
                continue
            ids, missing = set(), missed.count
            if read.ticket.project in self._ours:  # or it was moved since it was found
                for document in self._of_ticket(read, missed):
                    ids.add(document.id)
                    yield document
            if whole is not None and missed.count == missing:
                whole[number] = ids

    def _unread(self, number: str, key: str, error: SourceError, missed: Missed) -> Iterator[Document]:
        """A ticket that cannot be read. If it cannot be another time either, then what a listing shows of it."""
        try:
            if may_pass(error):
                raise error
            ticket = self._reader.outline(number)
        except SourceGone:
            return
        except SourceError as reason:
            if may_pass(reason):
                missed.failed(key, reason)
            else:
                self._reader.api.check_account()  # for if nothing is given to it any more, all would seem to be so
                missed.left_out(key, reason)
        else:
            yield unread_ticket(ticket, self._name, self._kind(ticket), refusal(error, "Jira"))

    def _kind(self, ticket: Ticket) -> str:
        return "qa" if ticket.type in self._test_types else "ticket"

    def _of_ticket(self, read: Whole, missed: Missed) -> Iterator[Document]:
        yield from documents(read.ticket, self._name, self._kind(read.ticket))
        yield from self._of_attachments(read, missed)

    def _of_attachments(self, read: Whole, missed: Missed) -> Iterator[Document]:
        if not self._attachments:
            return
        for one in read.attachments:
            about = state(one, " ".join(attachment_about(read.ticket, one)))
            document_id = attachment_id(read.ticket, one)
            download = partial(downloaded, one, self._reader.api.attachment)
            try:
                content = self._attachments.content(document_id, one.name, one.size, about, download)
            except SourceUnavailable as error:
                missed.failed(f"an attachment of {read.ticket.key}", error)
                continue
            yield attachment_document(read.ticket, one, content, self._name)

    def _answered(self, numbers: Sequence[str], fields: str) -> Iterator[tuple[str, Json]]:
        """Those of these tickets that Jira shows. One in trouble costs itself alone.

        Raises SourceForbidden or SourceUnavailable when Jira answers for none, and SourceUnavailable when it fails for
        many.
        """
        answered, failed = False, 0
        for number, first in self._reader.api.issues(numbers, fields):
            raw = first
            if isinstance(first, SourceError) and not isinstance(first, SourceGone) and not may_pass(first):
                raw = self._reader.api.issue_or_error(number, LABEL_FIELDS)  # it may be its text that is too large
            answered = answered or not isinstance(raw, SourceError) or isinstance(raw, SourceGone)
            if not isinstance(raw, SourceError):
                yield number, raw
            elif may_pass(raw):
                failed += 1
                if failed > MOST_UNREAD:
                    raise SourceUnavailable(f"{raw}, and so for {failed} tickets", retry_after=raw.retry_after) from raw
        if numbers and not answered:
            self._reader.api.check_account()

    def _issue_labels(self, number: str, fields: Json, more: set[str]) -> Mapping[str, frozenset[str]]:
        """Labels of a ticket and of what is asked for of it, by document id; what is left out is gone or unreadable."""
        of_ticket = ticket_labels(fields)
        project, desk = project_of(fields), is_service_desk(fields)
        found = {f"jira:{number}": of_ticket, f"jira:{number}:history": of_ticket}
        if not more:
            return found
        try:
            comments, _ = self._reader.shown_comments(number, fields)
        except SourceGone:
            return {}
        except SourceError as error:
            log.warning("comments whose labels were asked for could not be read", ticket=number, reason=str(error))
            return found
        for one in comments:
            labels = comment_labels(one, of_ticket, project, service_desk=desk)
            found[f"jira:{number}:comment:{one.get('id')}"] = labels
        if "attachment" in more:
            files = attachment_labels(fields, comments)
            shown = (str(one.get("id")) for one in self._reader.attached(fields))
            found |= {f"jira:{number}:attachment:{file}": files[file] for file in shown}
        return found
