"""Tickets of Jira Cloud, read live and whole."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

import structlog

from core.connectors import jira_values as values
from core.connectors.base import moment
from core.connectors.http import Limits
from core.connectors.jira_api import JiraApi, project_key, quoted
from core.errors import SourceError
from core.parsing import adf
from core.parsing.markdown import clean
from core.tickets import Comment, Ticket, TicketLink
from core.types import Locator

_MOST_LINKS = 100  # each linked ticket costs one request
_LINK_FIELDS = f"summary,status,issuetype,resolution,{values.LABEL_FIELDS}"
_T = TypeVar("_T")

log = structlog.get_logger(__name__)


class JiraReader:
    """Reads with an account that must not be able to write. Raises SourceError.

    `bots` gives the account ids whose comments are a program's; apps are known by themselves.
    """

    def __init__(
        self,
        site: str,
        user: str,
        token: str,
        *,
        limits: Limits | None = None,
        bots: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self.api = JiraApi(site, user, token, limits or Limits())
        self._bots = bots

    def ticket(self, key_or_id: str) -> Ticket:
        """The ticket with comments, history and links; what of it could not be read is in `unread`, in plain words.

        Raises SourceError when the ticket itself cannot be read.
        """
        ticket, fields = self._open_part(key_or_id)
        unread = list(ticket.unread)
        comments = _tried(lambda: self.comments(ticket), "The comments", unread)
        history = _tried(lambda: values.changes(self.api.changelog(ticket.id)), "The history", unread)
        remote = _tried(lambda: self.api.remote_links(ticket.id), "The links to other sites", unread)
        return replace(
            ticket,
            comments=comments or (),
            history=history or (),
            links=self._links(fields, unread),
            remote_links=tuple(link for link in map(values.remote_link, remote or ()) if link),
            unread=tuple(unread),
        )

    def open_part(self, key_or_id: str) -> Ticket:
        """The ticket's own fields, without comments, history and links."""
        return self._open_part(key_or_id)[0]

    def comments(self, ticket: Ticket) -> tuple[Comment, ...]:
        """All comments of a ticket, oldest first, each with its own labels."""
        raw = self.api.comments(ticket.id)
        title, of_ticket = ticket.locator, ticket.labels
        return tuple(values.comment(one, title, of_ticket, ticket.project, self._bots()) for one in raw)

    def keys(self, project: str | None = None, *, jql: str | None = None) -> Iterator[str]:
        """The keys of a project's tickets, or of those that a JQL expression finds."""
        asked = jql or f"project = {quoted(project_key(project or ''))} ORDER BY key ASC"
        return (str(issue.get("key")) for issue in self.api.search(asked, ["key"]))

    def _open_part(self, key_or_id: str) -> tuple[Ticket, values.Json]:
        raw = self.api.issue(key_or_id, "*all,-comment,-worklog,-attachment")
        fields = values.part(raw, "fields")
        unread: list[str] = []
        names, machine = _tried(lambda: self._names, "The names of the fields", unread) or ({}, frozenset())
        number, key = str(raw.get("id")), str(raw.get("key"))
        summary = " ".join(clean(str(fields.get("summary") or "")).split())
        attributes = {name: values.text_of(fields.get(field)) for name, field in _ATTRIBUTES.items()}
        done = values.is_done(fields)
        ticket = Ticket(
            id=number,
            key=key,
            project=str(values.part(fields, "project").get("key") or "?"),
            summary=summary,
            description=adf.read(fields.get("description")).text,
            type=attributes["type"],
            status=attributes["status"],
            done=done,
            resolution=attributes["resolution"] or None,
            reporter=values.person(fields.get("reporter")),
            assignee=values.person(fields.get("assignee")),
            created=moment(fields.get("created")),
            updated=moment(fields.get("updated")),
            labels=values.ticket_labels(fields),
            locator=self._locator(number, key, summary),
            service_desk=values.part(fields, "project").get("projectTypeKey") == "service_desk",
            fields=values.filled(fields, names, machine),
            unread=tuple(unread),
            attributes={**{k: v for k, v in attributes.items() if v}, "done": "true" if done else "false", "key": key},
        )
        return ticket, fields

    @cached_property
    def _names(self) -> tuple[dict[str, str], frozenset[str]]:
        described = self.api.fields()
        names = {str(field.get("id")): clean(str(field.get("name") or field.get("id"))) for field in described}
        return names, values.machine_fields(described)

    def _links(self, fields: values.Json, unread: list[str]) -> tuple[TicketLink, ...]:
        wanted = values.linked(fields)
        read = [self._link(relation, number) for relation, number in wanted[:_MOST_LINKS]]
        found = tuple(link for link in read if link)
        if len(found) < len(wanted):
            # How many these are must not be told: whoever is answered may not know of them.
            unread.append("Some of the linked tickets")
            log.warning("linked tickets could not be read", read=len(found), linked=len(wanted))
        return found

    def _link(self, relation: str, number: str) -> TicketLink | None:
        """A linked ticket with its own labels; None when it cannot be read, whatever the reason."""
        try:
            raw = self.api.issue(number, _LINK_FIELDS)
        except SourceError as error:
            log.warning("linked ticket could not be read", ticket=number, reason=str(error))
            return None
        fields = values.part(raw, "fields")
        key = str(raw.get("key"))
        summary = " ".join(clean(str(fields.get("summary") or "")).split())
        return TicketLink(
            relation=relation,
            key=key,
            summary=summary,
            type=values.text_of(fields.get("issuetype")),
            status=values.text_of(fields.get("status")),
            done=values.is_done(fields),
            resolution=values.text_of(fields.get("resolution")) or None,
            labels=values.ticket_labels(fields),
            locator=self._locator(str(raw.get("id")), key, summary),
        )

    def _locator(self, number: str, key: str, summary: str) -> Locator:
        return Locator(f"jira:{number}", f"{key} {summary}".strip(), f"{self.api.site}/browse/{key}")


_ATTRIBUTES = {"type": "issuetype", "status": "status", "resolution": "resolution", "priority": "priority"}


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
