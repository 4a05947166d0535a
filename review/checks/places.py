"""Where the rules look in a ticket: its texts by the names that people see, and what people said."""

import re
from dataclasses import dataclass

from core.tickets import Comment, Ticket
from core.types import Evidence, Locator
from review.case import Case
from review.types import Cited

_COMMAND = re.compile(r"\s*(?:@\w+\s+)?#[a-z][\w-]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """A text and where it stands."""

    name: str
    """`summary`, `description`, a field's name, `a comment by NAME`, a page's title."""
    text: str
    locator: Locator
    labels: frozenset[str]

    def cite(self, quote: str) -> Cited:
        """A quote from this place; it must stand literally in the text."""
        return Cited(self.locator, self.labels, quote=quote)


def written(ticket: Ticket) -> tuple[Place, ...]:
    """Summary, description and filled fields, as they are now."""
    texts = [("summary", ticket.summary), ("description", ticket.description)]
    texts += [(field.name, field.text) for field in ticket.fields]
    return tuple(Place(name, text, ticket.locator, ticket.labels) for name, text in texts if text.strip())


def said(case: Case) -> tuple[Comment, ...]:
    """What people wrote, oldest first; neither the bot's words nor commands given to it (`#command`)."""
    people = (c for c in case.ticket.comments if not c.by_bot and c.text.strip() and not _COMMAND.match(c.text))
    return tuple(sorted(people, key=lambda comment: comment.created))


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
