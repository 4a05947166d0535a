"""Tickets of Jira, read live and whole."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import TypeVar

import structlog

from core.connectors import jira_values as values
from core.connectors.base import MOST_UNREAD, may_pass, moment
from core.connectors.http import Limits
from core.connectors.jira_api import JiraApi, connect
from core.connectors.jira_attachments import Attachment, attachment
from core.connectors.jira_development import pull_addresses
from core.connectors.jira_labels import (
    LABEL_FIELDS,
    attachment_labels,
    comment_labels,
    is_service_desk,
    ticket_labels,
)
from core.connectors.jira_wire import ISSUES_AT_ONCE, Json, objects, part, project_key, quoted
from core.errors import SourceError
from core.parsing.markdown import clean, one_line
from core.ticket_masking import without_credentials
from core.tickets import AttachedFile, Comment, Person, Ticket, TicketLink
from core.types import Locator

_MOST_LINKS = 100  # of one ticket
_OPEN_FIELDS = "*all,-comment,-worklog"
_WHOLE_FIELDS = "*all,-worklog"
_OUTLINE_FIELDS = f"summary,status,issuetype,resolution,priority,reporter,assignee,created,updated,{LABEL_FIELDS}"
_LINK_FIELDS = f"summary,status,issuetype,resolution,{LABEL_FIELDS}"
_T = TypeVar("_T")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Whole:
    """A ticket with all of it that is indexed: comments, history, links, and its attachments."""

    ticket: Ticket
    attachments: tuple[Attachment, ...]


class JiraReader:
    """Reads with an account that must not be able to write. Raises SourceError.

    Which flavour a site speaks is asked at the first read. `bots` gives the account ids (Data Center: keys or names) of
    those whose comments are a program's, and whose files are left out; apps are known by themselves.
    """

    def __init__(
        self,
        site: str,
        user: str,
        token: str,
        *,
        limits: Limits | None = None,
        bots: Callable[[], frozenset[str]] = frozenset,
        development: bool = True,
        through: Callable[[JiraApi], JiraApi] | None = None,
    ) -> None:
        """Without a `user`, the token is a personal access token of Data Center. `development` asks for a ticket's pull
        requests, too, at the cost of a request or more. `through` is what the site is looked at through, given its API.
        """
        self._connect = partial(connect, site, user, token, limits or Limits())
        self._through = through
        self._connecting = Lock()
        self._api: JiraApi | None = None
        self._bots = bots
        self._development = development
        self._described: values.Described | None = None
        self._people: dict[str, Person | None] = {}

    @property
    def api(self) -> JiraApi:
        """Raises SourceError until the site has said once what it is."""
        with self._connecting:
            if self._api is None:
                api = self._connect()
                self._api = self._through(api) if self._through else api
            return self._api

    def ticket(self, key_or_id: str) -> Ticket:
        """The ticket with comments, history and links; what of it could not be read is in `unread`, in plain words.
        Credentials are masked in it.

        Raises SourceError when the ticket itself cannot be read.
        """
        raw = self.api.issue(key_or_id, _OPEN_FIELDS)
        fields = part(raw, "fields")
        unread: list[str] = []
        about = _tried(lambda: self._described or self.read_fields(), "The names of the fields", unread)
        about = about or values.described(())
        ticket = self._ticket(raw, about)
        comments = _tried(lambda: self.api.comments(ticket.id, desk=ticket.service_desk), "The comments", unread)
        if comments is None and self.attached(fields):
            unread.append("The files")  # who may see them, the comments say
        history = _tried(lambda: self.api.changelog(ticket.id), "The history", unread) or ()
        remote = _tried(lambda: self.api.remote_links(ticket.id), "The links to other sites", unread) or ()
        wanted = [number for _, number in values.linked(fields, about)[:_MOST_LINKS]]
        linked = _tried(lambda: self._linked(wanted), "Some of the linked tickets", unread) or {}
        whole = replace(
            ticket,
            comments=self._comments(ticket, comments or ()),
            history=values.changes(history, about),
            links=self._links(values.linked(fields, about), linked, unread),
            remote_links=tuple(link for link in map(values.remote_link, remote) if link),
            pull_addresses=pull_addresses(self.api, ticket.id) if self._development else (),
            files=() if comments is None else _files(ticket, self._attachments(fields, comments)),
            unread=tuple(dict.fromkeys(unread)),
        )
        return without_credentials(whole)

    def whole(self, numbers: Sequence[str]) -> Iterator[tuple[str, Whole | SourceError]]:
        """Each ticket of these ids with all of it that is indexed, or why it could not be read: one request for a
        hundred tickets, another for those they link to, and more for what does not fit; no further than to more than
        `MOST_UNREAD` of a hundred that may be read another time. Credentials are as they stand.

        Raises SourceError when nothing can be read.
        """
        about = self._described or self.read_fields()
        for start in range(0, len(numbers), ISSUES_AT_ONCE):
            page = self._page(numbers[start : start + ISSUES_AT_ONCE])
            read = {
                name: raw for number, raw in page if not isinstance(raw, SourceError) for name in _names(number, raw)
            }
            links = (values.linked(part(raw, "fields"), about)[:_MOST_LINKS] for raw in read.values())
            wanted = {name for found in links for _, name in found}
            linked = read | self._linked(sorted(wanted - read.keys()))
            for number, raw in page:
                yield number, raw if isinstance(raw, SourceError) else self._whole(raw, linked, about)

    def outline(self, number: str) -> Ticket:
        """What a listing would show of a ticket, as it is now: without what people wrote, but for its summary."""
        return self._ticket(self.api.issue(number, _OUTLINE_FIELDS), self._described or self.read_fields())

    def read_fields(self) -> values.Described:
        """What fields there are, asked anew; otherwise those are known that the first ticket was read with."""
        self._described = values.described(self.api.fields())
        return self._described

    def keys(self, project: str | None = None, *, jql: str | None = None) -> Iterator[str]:
        """The keys of a project's tickets, or of those that a JQL expression finds."""
        found = (
            self.api.search(jql, ["key"])
            if jql
            else self.api.listing(f"project = {quoted(project_key(project or ''))}", ["key"])
        )
        return (str(issue.get("key")) for issue in found)

    def shown_comments(self, number: str, fields: Json) -> tuple[Sequence[Json], bool]:
        """The comments that came with an issue, or all of them if those were not, or if they do not say whether a
        service project's customers see them; and whether they came.
        """
        shown, desk = part(fields, "comment"), is_service_desk(fields)
        comments = objects(shown.get("comments"))
        if shown.get("total") == len(comments) and not (desk and any("jsdPublic" not in one for one in comments)):
            return comments, True
        return self.api.comments(number, desk=desk), False

    def attached(self, fields: Json) -> list[Json]:
        """The files at a ticket without those that a bot attached: what it drafted itself is no evidence."""
        found = objects(fields.get("attachment"))
        bots = self._bots() if found else frozenset()
        return [one for one in found if not values.is_by(one, bots)]

    def _attachments(self, fields: Json, comments: Sequence[Json]) -> tuple[Attachment, ...]:
        labels = attachment_labels(fields, comments)
        return tuple(attachment(one, labels[str(one.get("id"))]) for one in self.attached(fields))

    def _page(self, numbers: Sequence[str]) -> list[tuple[str, Json | SourceError]]:
        page: list[tuple[str, Json | SourceError]] = []
        failed = 0
        for number, raw in self.api.issues(numbers, _WHOLE_FIELDS, "changelog"):
            page.append((number, raw))
            failed += isinstance(raw, SourceError) and may_pass(raw)
            if failed > MOST_UNREAD:
                break
        return page

    def _whole(self, raw: Json, linked: Mapping[str, Json], about: values.Described) -> Whole | SourceError:
        number, fields = str(raw.get("id")), part(raw, "fields")
        try:
            comments, came = self.shown_comments(number, fields)
            history = self.api.shown_changes(raw)
            if history is None:
                history, came = self.api.changelog(number), False
            if not came:  # what was read later may be restricted by now
                fields = {**fields, **part(self.api.issue(number, LABEL_FIELDS), "fields")}
        except SourceError as error:
            return error
        ticket = self._ticket({**raw, "fields": fields}, about)
        ticket = replace(
            ticket,
            comments=self._comments(ticket, comments),
            history=values.changes(history, about),
            links=self._links(values.linked(fields, about), linked, []),
        )
        return Whole(ticket, self._attachments(fields, comments))

    def _ticket(self, raw: Json, about: values.Described) -> Ticket:
        """The ticket's own fields, without comments, history and links."""
        fields = part(raw, "fields")
        number, key = str(raw.get("id")), str(raw.get("key"))
        summary = one_line(clean(str(fields.get("summary") or "")))
        attributes = {name: values.text_of(fields.get(field)) for name, field in _ATTRIBUTES.items()}
        done = values.is_done(fields)
        return Ticket(
            id=number,
            key=key,
            project=str(part(fields, "project").get("key") or "?"),
            summary=summary,
            description=values.prose(fields.get("description"), self._person).text,
            type=attributes["type"],
            status=attributes["status"],
            done=done,
            resolution=attributes["resolution"] or None,
            reporter=values.person(fields.get("reporter")),
            assignee=values.person(fields.get("assignee")),
            created=moment(fields.get("created")),
            updated=moment(fields.get("updated")),
            labels=ticket_labels(fields),
            locator=self._locator(number, key, summary),
            service_desk=is_service_desk(fields),
            fields=values.filled(fields, about, self._person),
            attributes={**{k: v for k, v in attributes.items() if v}, "done": "true" if done else "false", "key": key},
        )

    def _comments(self, ticket: Ticket, raw: Sequence[Json]) -> tuple[Comment, ...]:
        """Comments, oldest first, each with its own labels."""
        bots = self._bots()
        found = []
        for one in raw:
            labels = comment_labels(one, ticket.labels, ticket.project, service_desk=ticket.service_desk)
            found.append(values.comment(one, ticket.locator, labels, bots, self._person))
        return tuple(sorted(found, key=lambda comment: comment.created))

    def _person(self, name: str) -> Person | None:
        """Whom a text mentions, asked for once."""
        if name not in self._people:
            try:
                self._people[name] = values.person(self.api.user(name))
            except SourceError as error:
                if may_pass(error):
                    return None
                self._people[name] = None
        return self._people[name]

    def _linked(self, numbers: Sequence[str]) -> dict[str, Json]:
        """Other tickets as far as a link shows them; those that cannot be read are not there, whatever the reason."""
        found: dict[str, Json] = {}
        for number, raw in self.api.issues(numbers, _LINK_FIELDS):
            if isinstance(raw, SourceError):
                log.warning("linked ticket could not be read", ticket=number, reason=str(raw))
            else:
                found[number] = raw
        return found

    def _links(
        self, wanted: Sequence[tuple[str, str]], linked: Mapping[str, Json], unread: list[str]
    ) -> tuple[TicketLink, ...]:
        found = tuple(self._link(relation, linked[number]) for relation, number in wanted if number in linked)
        if len(found) < len(wanted):
            # How many these are must not be told: whoever is answered may not know of them.
            unread.append("Some of the linked tickets")
            log.warning("linked tickets could not be read", read=len(found), linked=len(wanted))
        return found

    def _link(self, relation: str, raw: Json) -> TicketLink:
        """A linked ticket with its own labels."""
        fields = part(raw, "fields")
        key = str(raw.get("key"))
        summary = one_line(clean(str(fields.get("summary") or "")))
        return TicketLink(
            relation=relation,
            key=key,
            summary=summary,
            type=values.text_of(fields.get("issuetype")),
            status=values.text_of(fields.get("status")),
            done=values.is_done(fields),
            resolution=values.text_of(fields.get("resolution")) or None,
            labels=ticket_labels(fields),
            locator=self._locator(str(raw.get("id")), key, summary),
        )

    def _locator(self, number: str, key: str, summary: str) -> Locator:
        return Locator(f"jira:{number}", f"{key} {summary}".strip(), f"{self.api.site}/browse/{key}")


_ATTRIBUTES = {"type": "issuetype", "status": "status", "resolution": "resolution", "priority": "priority"}


def _names(number: str, raw: Json) -> tuple[str, str]:
    """What a link may call it."""
    return number, str(raw.get("key"))


def _files(ticket: Ticket, found: Sequence[Attachment]) -> tuple[AttachedFile, ...]:
    return tuple(AttachedFile(f"{ticket.document_id}:attachment:{it.id}", it.name, it.labels) for it in found)


def _tried(read: Callable[[], _T], what: str, unread: list[str]) -> _T | None:
    """A part of a ticket; if it cannot be read, what is missing is noted, and the reason is logged: people are not
    shown Jira's words, which may name what they may not know of.
    """
    try:
        return read()
    except SourceError as error:
        unread.append(what)
        log.warning("a part of a ticket could not be read", part=what, reason=str(error))
        return None
