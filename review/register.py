"""The register of what one review has read. What is not in it cannot be cited."""

import threading
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from core.tickets import Change, Comment, Ticket, TicketLink
from core.types import Audience, Evidence, Locator
from review.types import Cited

TICKETS = "jira"
"""The source of a ticket that is read from its source."""


def normal(text: str) -> str:
    """Text as quotes are compared: Unicode NFC, any run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that was read, and where it stands."""

    id: str
    """`S1`, `S2`, ... in the order of reading; means something within one review only."""
    kind: str
    """ticket, history, link, comment, or what the index calls it: page, code, commit, qa."""
    title: str
    text: str
    locator: Locator
    labels: frozenset[str]
    source: str
    """The source's name in the settings."""
    chunk: str = ""
    """The index's id of it: sorts the passages of one document as the document has them."""

    @property
    def place(self) -> tuple[int, str]:
        """Sorts the passages of one document as they stand in it."""
        return self.locator.line or 0, self.chunk

    def holds(self, quote: str) -> bool:
        """Whether the quote, already `normal`, stands in this text."""
        return quote in normal(self.text)


class Register:
    """Everything that one review has read for one audience. Tools may add from several threads.

    Nothing enters that the audience may not read (law 4); the same text of the same document enters once.
    """

    def __init__(self, audience: Audience) -> None:
        self.audience = audience
        self._passages: dict[tuple[str, str, str], Passage] = {}
        self._by_id: dict[str, Passage] = {}
        self._by_document: dict[str, list[Passage]] = {}
        self._live: set[str] = set()
        self._lock = threading.Lock()

    def add(
        self,
        kind: str,
        title: str,
        text: str,
        locator: Locator,
        labels: frozenset[str],
        source: str = TICKETS,
        chunk: str = "",
    ) -> Passage | None:
        """Enter a text; None if the audience may not read it."""
        if not self.audience.may_read(labels):
            return None
        key = (locator.document_id, kind, text)
        with self._lock:
            if key not in self._passages:
                number = len(self._passages) + 1
                passage = Passage(f"S{number}", kind, title, text, locator, labels, source, chunk)
                self._passages[key] = self._by_id[passage.id] = passage
                self._by_document.setdefault(locator.document_id, []).append(passage)
            return self._passages[key]

    def documents(self) -> frozenset[str]:
        """Ids of everything that was read."""
        with self._lock:
            return frozenset(self._by_document)

    def live(self) -> frozenset[str]:
        """Ids of what was read from its source, and not from the index."""
        with self._lock:
            return frozenset(self._live)

    def add_evidence(self, evidence: Evidence) -> Passage | None:
        """Enter what the index gave."""
        return self.add(
            evidence.kind,
            evidence.context,
            evidence.text,
            evidence.locator,
            evidence.labels,
            evidence.source,
            evidence.id,
        )

    def add_ticket(self, ticket: Ticket) -> tuple[Passage, ...]:
        """Enter a ticket that was read from its source, with its comments, links and history, a passage each."""
        entered = [self.add("ticket", _title(ticket), ticket_text(ticket), ticket.locator, ticket.labels)]
        entered += [self.add("link", _title(ticket), link_text(x), x.locator, x.labels) for x in ticket.links]
        entered += [self.add("comment", _title(ticket), comment_text(x), x.locator, x.labels) for x in ticket.comments]
        entered += [
            self.add("history", _title(ticket), change_text(x), ticket.locator, ticket.labels) for x in ticket.history
        ]
        readable = tuple(passage for passage in entered if passage is not None)
        with self._lock:
            self._live.update(passage.locator.document_id for passage in readable)
        return readable

    def __getitem__(self, passage_id: str) -> Passage:
        return self._by_id[passage_id]

    def __contains__(self, passage_id: str) -> bool:
        return passage_id in self._by_id

    def __iter__(self) -> Iterator[Passage]:
        with self._lock:
            return iter(tuple(self._passages.values()))

    def standing(self, cited: Cited) -> Passage | None:
        """The passage of the cited document that holds the quote, at the very place that was cited if it can be; for
        an absence the passage at that place. None if there is none.
        """
        quote = normal(cited.quote)
        read = sorted(self.of(cited.locator.document_id), key=lambda passage: passage.locator != cited.locator)
        return next((passage for passage in read if passage.holds(quote)), None)

    def of(self, document_id: str) -> tuple[Passage, ...]:
        """What was read of a document, in the order of reading."""
        with self._lock:
            return tuple(self._by_document.get(document_id, ()))


def _title(ticket: Ticket) -> str:
    return f"{ticket.key} {ticket.summary}"


def ticket_text(ticket: Ticket) -> str:
    """A ticket's open part as one text. Fields keep the names that people see."""
    facts = [
        ("Type", ticket.type),
        ("Status", ticket.status),
        ("Resolution", ticket.resolution or ""),
        *((field.name, field.text) for field in ticket.fields),
    ]
    named = [f"{name}: {text}" for name, text in facts if text]
    remote = [f"Link: {link.title}" for link in ticket.remote_links]
    return "\n\n".join(part for part in (ticket.summary, ticket.description, *named, *remote) if part)


def link_text(link: TicketLink) -> str:
    """A link as read from its ticket, with what is known of its other end."""
    state = ", ".join(part for part in (link.type, link.status, link.resolution) if part)
    return f"{link.relation} {link.key} {link.summary} ({state})"


def comment_text(comment: Comment) -> str:
    return f"{comment.author.name}, {comment.created:%Y-%m-%d}:\n{comment.text}"


def change_text(change: Change) -> str:
    return f"{change.at:%Y-%m-%d} {change.field}\nbefore: {change.before}\nafter: {change.after}"
