"""Where the rules look in a ticket: its texts by the names that people see, and what people said."""

import re
from dataclasses import dataclass
from typing import Literal

from core.tickets import KEY, Comment, Ticket
from core.types import Evidence, Locator
from review.case import Case
from review.types import Cited

TEXTS = frozenset({"summary", "description", "zusammenfassung", "beschreibung", "title", "text"})
"""The fields that are a ticket's or page's own words, as a history calls them, lower case."""
_COMMAND = re.compile(r"\s*(?:@\w+\s+)?#[a-z][\w-]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """A text and where it stands."""

    name: str
    """`summary` and `description`, of a page `title` and `text`; a field's name, `a comment by NAME`, another page's
    title."""
    text: str
    locator: Locator
    labels: frozenset[str]
    part: Literal["title", "body", "field"] | None = None
    """Of the ticket or page itself."""

    def cite(self, quote: str) -> Cited:
        """A quote from this place; it must stand literally in the text."""
        return Cited(self.locator, self.labels, quote=quote)


def written(ticket: Ticket) -> tuple[Place, ...]:
    """Summary, description and filled fields, as they are now."""
    title, body = ("title", "text") if ticket.kind == "page" else ("summary", "description")
    where, labels = ticket.locator, ticket.labels
    places = [
        Place(title, ticket.summary, where, labels, "title"),
        Place(body, ticket.description, where, labels, "body"),
    ]
    places += [Place(field.name, field.text, where, labels, "field") for field in ticket.fields]
    return tuple(place for place in places if place.text.strip())


def said(case: Case) -> tuple[Comment, ...]:
    """What people wrote, oldest first; neither the bot's words nor commands given to it (`#command`)."""
    people = (c for c in case.ticket.comments if not c.by_bot and c.text.strip() and not _COMMAND.match(c.text))
    return tuple(sorted(people, key=lambda comment: comment.created))


def named_keys(ticket: Ticket) -> tuple[str, ...]:
    """What looks like a ticket's key in its texts and in what people said of it, each once, as first named."""
    texts = (place.text for place in written(ticket))
    people = (comment.text for comment in ticket.comments if not comment.by_bot)
    return tuple(dict.fromkeys(key for text in (*texts, *people) for key in KEY.findall(text) if key != ticket.key))


def comment_place(comment: Comment) -> Place:
    return Place(f"a comment by {comment.author.name}", comment.text, comment.locator, comment.labels)


def evidence_place(evidence: Evidence) -> Place:
    return Place(evidence.locator.title, evidence.text, evidence.locator, evidence.labels)


def absent(ticket: Ticket, looked_for: str) -> Cited:
    """What was looked for in the ticket and not found."""
    return Cited(ticket.locator, ticket.labels, looked_for=looked_for)


def shown(text: str, limit: int = 160) -> str:
    """A piece of a source inside a sentence of ours: one line, not too long."""
    line = " ".join(text.split()).removesuffix(".")  # the sentence around it has its own stop
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + " …"
