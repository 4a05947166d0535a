"""What of a ticket becomes documents: itself, each comment, its history, each attachment. Without I/O."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from urllib.parse import quote

from core.connectors.attachments import Content
from core.connectors.base import fingerprint
from core.connectors.jira_attachments import Attachment
from core.connectors.jira_history import history_text
from core.parsing import markdown
from core.parsing.parsed import unreadable
from core.tickets import KEY, Change, Comment, Ticket, TicketLink
from core.types import Document


def documents(ticket: Ticket, source: str, kind: str) -> Iterator[Document]:
    """The ticket, its comments and its history; `kind` is the ticket's own."""
    yield ticket_document(ticket, source, kind)
    # A bot's answers repeat what they cite; found again, they would confirm themselves.
    yield from (comment_document(ticket, comment, source) for comment in ticket.comments if not comment.by_bot)
    changes = ticket.history_with(_open_links(ticket))
    if changes:
        yield history_document(ticket, changes, source)


def ticket_document(ticket: Ticket, source: str, kind: str) -> Document:
    links = "\n".join(f"- {link.relation} {link.key}" for link in _open_links(ticket))
    text = markdown.join(
        [
            f"# {ticket.summary}",
            ticket.description,
            *(f"## {field.name}\n\n{field.text}" for field in ticket.fields),
            f"## Links\n\n{links}" if links else "",
        ]
    )
    title = ticket.locator.title
    context = f"{ticket.project} > {title}"
    earlier = {change.before.strip() for change in ticket.history if change.field == "Key"}
    keys = frozenset({ticket.key, *filter(KEY.fullmatch, earlier)})
    return Document(
        id=ticket.document_id,
        source=source,
        kind=kind,
        version=fingerprint(kind, title, text, context, *sorted(keys), *_state(ticket)),
        title=title,
        text=text,
        context=context,
        url=ticket.locator.url,
        labels=ticket.labels,
        updated=ticket.updated,
        created=ticket.created,
        keys=keys,
        attributes=ticket.attributes,
    )


def unread_ticket(ticket: Ticket, source: str, kind: str, reason: str) -> Document:
    """A ticket of which only its fields are known."""
    known, parsed = ticket_document(ticket, source, kind), unreadable(reason)
    version = fingerprint(known.version, parsed.text)
    return replace(known, version=version, text=parsed.text, unread=parsed.unread)


def comment_document(ticket: Ticket, comment: Comment, source: str) -> Document:
    context = f"{ticket.project} > {ticket.locator.title} > comment"
    text = comment.text or "[no text]"
    return Document(
        id=comment.locator.document_id,
        source=source,
        kind="comment",
        version=fingerprint(text, context, comment.author.name, *_state(ticket)),
        title=comment.locator.title,
        text=text,
        context=context,
        url=comment.locator.url,
        labels=comment.labels,
        updated=comment.updated,
        created=comment.created,
        attributes={**ticket.attributes, "author": comment.author.name},
    )


def history_document(ticket: Ticket, changes: Sequence[Change], source: str) -> Document:
    text, left_out = history_text(changes)
    title = f"{ticket.locator.title}, history"
    context = f"{ticket.project} > {ticket.locator.title} > history"
    return Document(
        id=f"{ticket.document_id}:history",
        source=source,
        kind="history",
        version=fingerprint(title, text, context, *_state(ticket)),
        title=title,
        text=text,
        context=context,
        url=ticket.locator.url,
        labels=ticket.labels,
        updated=changes[-1].at,
        created=changes[0].at,
        unread=(left_out,) if left_out else (),
        attributes=ticket.attributes,
    )


def attachment_about(ticket: Ticket, it: Attachment) -> tuple[str, str]:
    """An attachment's title and context."""
    return f"{ticket.locator.title}, {it.name}", f"{ticket.project} > {ticket.locator.title} > {it.name}"


def attachment_id(ticket: Ticket, it: Attachment) -> str:
    return f"{ticket.document_id}:attachment:{it.id}"


def attachment_document(ticket: Ticket, it: Attachment, content: Content, source: str) -> Document:
    """Without a text when the index holds it already: its version is the same then."""
    title, context = attachment_about(ticket, it)
    parsed = content.parsed
    site = ticket.locator.url.removesuffix(f"/browse/{ticket.key}")
    return Document(
        id=attachment_id(ticket, it),
        source=source,
        kind="attachment",
        version=content.version,
        title=title,
        text=parsed.text if parsed else "",
        context=context,
        url=f"{site}/secure/attachment/{it.id}/{quote(it.name, safe='')}",
        labels=it.labels,
        updated=it.created,
        created=it.created,
        keys=frozenset({it.name}),
        places=parsed.places if parsed else (),
        unread=parsed.unread if parsed else (),
        as_indexed=parsed is None,
        attributes={"key": ticket.key, "author": it.author},
    )


def _open_links(ticket: Ticket) -> list[TicketLink]:
    """Links to those tickets that everybody who reads this one may know of. Their summaries stay where their own
    labels are.
    """
    return [link for link in ticket.links if link.labels <= ticket.labels]


def _state(ticket: Ticket) -> list[str]:
    return sorted(map("=".join, ticket.attributes.items()))
