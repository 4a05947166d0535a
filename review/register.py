"""The register of what one review has read. What is not in it cannot be cited."""

import threading
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.tickets import Change, Comment, Ticket, TicketLink
from core.types import Audience, Evidence, Locator
from review.types import Cited

TICKETS, PAGES = "jira", "confluence"
"""The sources of tickets and pages that are read from their source."""
PIECE = 6_000
"""Characters of a ticket's or page's own text that are one passage; what is longer is several, so that a model that is
shown the beginning of each is shown all of it."""


def normal(text: str) -> str:
    """Text as quotes are compared: Unicode NFC, any run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that was read, and where it stands."""

    id: str
    """`S1`, `S2`, ... in the order of reading; means something within one review only."""
    kind: str
    """ticket, page, history, link, comment, or what the index calls it: code, commit, qa, page as well."""
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
        """Enter a ticket or page that was read from its source, with comments, links and history, a passage each."""
        where, labels, source = ticket.locator, ticket.labels, PAGES if ticket.kind == "page" else TICKETS
        texts: list[tuple[str, str, Locator, frozenset[str]]] = []
        texts += [(ticket.kind, piece, where, labels) for piece in pieces(ticket_text(ticket))]
        texts += [("link", link_text(one), one.locator, one.labels) for one in ticket.links]
        texts += [("comment", comment_text(one), one.locator, one.labels) for one in ticket.comments]
        texts += [("history", change_text(one), where, labels) for one in ticket.history]
        title = _title(ticket)
        entered = [self.add(kind, title, text, place, of, source) for kind, text, place, of in texts]
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
        return next((passage for passage in read if passage.holds(quote)), None) or _across(read, quote)

    def pieces_of(self, passage: Passage) -> tuple[Passage, ...]:
        """The whole text of which a passage was entered as a piece."""
        same = (one for one in self.of(passage.locator.document_id) if one.kind == passage.kind)
        return tuple(one for one in same if one.chunk == passage.chunk)

    def of(self, document_id: str) -> tuple[Passage, ...]:
        """What was read of a document, in the order of reading."""
        with self._lock:
            return tuple(self._by_document.get(document_id, ()))


def _across(read: Sequence[Passage], quote: str) -> Passage | None:
    """The first piece of an own text that holds a quote over the end of a piece."""
    own = [passage for passage in read if passage.kind in ("ticket", "page") and not passage.chunk]
    return own[0] if len(own) > 1 and quote in normal("\n".join(passage.text for passage in own)) else None


def _title(ticket: Ticket) -> str:
    """As the index names where its passages stand."""
    return f"{ticket.project} > {ticket.summary}" if ticket.kind == "page" else f"{ticket.key} {ticket.summary}"


def ticket_text(ticket: Ticket) -> str:
    """A ticket's open part, or a page, as one text. Fields keep the names that people see."""
    of_work = [("Type", ticket.type), ("Status", ticket.status), ("Resolution", ticket.resolution or "")]
    facts = [
        *(of_work if ticket.kind != "page" else ()),
        *((field.name, field.text) for field in ticket.fields),
    ]
    named = [f"{name}: {text}" for name, text in facts if text]
    remote = [f"Link: {link.title}" for link in ticket.remote_links]
    return "\n\n".join(part for part in (ticket.summary, ticket.description, *named, *remote) if part)


def pieces(text: str) -> Iterator[str]:
    """A text in pieces of about `PIECE` characters, each ended where a paragraph ends, or else a line."""
    rest = text
    while len(rest) > PIECE:
        ends = (rest.rfind("\n\n", 1, PIECE), rest.rfind("\n", 1, PIECE), rest.find("\n", PIECE))
        end = next((end for end in ends if end > 0), len(rest))
        yield rest[:end]
        rest = rest[end:].lstrip("\n")
    if rest or not text:
        yield rest


def link_text(link: TicketLink) -> str:
    """A link as read from its ticket, with what is known of its other end."""
    state = ", ".join(part for part in (link.type, link.status, link.resolution) if part)
    return f"{link.relation} {link.key} {link.summary} ({state})"


def comment_text(comment: Comment) -> str:
    marked = f", on “{comment.marked}”" if comment.marked else ""
    return f"{comment.author.name}, {comment.created:%Y-%m-%d}{marked}:\n{comment.text}"


def change_text(change: Change) -> str:
    return f"{change.at:%Y-%m-%d} {change.field}\nbefore: {change.before}\nafter: {change.after}"
