"""What is reviewed: tickets by their keys, pages by the ids of their documents."""

from collections.abc import Callable
from typing import Protocol

from core.errors import SourceGone
from core.tickets import Ticket


class Reads(Protocol):
    def ticket(self, key: str) -> Ticket: ...


class Subjects:
    """`review.reading.TicketSource` over several sources. The readers are made when they are first needed."""

    def __init__(self, tickets: Callable[[], Reads], pages: Callable[[], Reads] | None) -> None:
        self._tickets = tickets
        self._pages = pages

    def ticket(self, key: str) -> Ticket:
        """Raises SourceError."""
        if not key.startswith("confluence:"):
            return self._tickets().ticket(key)
        if self._pages is None:
            raise SourceGone("No Confluence is configured.")
        return self._pages().ticket(key)
