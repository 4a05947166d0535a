"""A ticket without the credentials that people left in it."""

from dataclasses import replace

from core.masking import masked
from core.tickets import Comment, Ticket
from core.types import Locator


def without_credentials(ticket: Ticket) -> Ticket:
    """The ticket as a prompt or a post may hold it: strings that look like credentials are masked."""
    return replace(
        ticket,
        summary=_hidden(ticket.summary),
        description=_hidden(ticket.description),
        locator=_titled(ticket.locator),
        fields=tuple(replace(field, text=_hidden(field.text)) for field in ticket.fields),
        comments=tuple(map(_comment, ticket.comments)),
        history=tuple(replace(it, before=_hidden(it.before), after=_hidden(it.after)) for it in ticket.history),
        links=tuple(replace(it, summary=_hidden(it.summary), locator=_titled(it.locator)) for it in ticket.links),
        remote_links=tuple(replace(it, title=_hidden(it.title)) for it in ticket.remote_links),
    )


def _comment(it: Comment) -> Comment:
    return replace(it, text=_hidden(it.text), marked=_hidden(it.marked), locator=_titled(it.locator))


def _hidden(text: str) -> str:
    return masked(text)[0]


def _titled(it: Locator) -> Locator:
    return replace(it, title=_hidden(it.title))
