"""What a ticket asked for at a moment."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from core.errors import SourceForbidden, SourceGone
from core.tickets import Ticket
from core.types import Audience
from evals.accuracy.finding import Told

_FEWEST = 40
"""Characters of a field that is text and no choice."""


class Reads(Protocol):
    """Tickets as they stood at one moment."""

    def ticket(self, key: str) -> Ticket: ...


class TicketsAt:
    """`finding.Tickets` over readers of tickets, each of one moment."""

    def __init__(self, at: Callable[[datetime], Reads], audience: Audience) -> None:
        """What the audience may not read is no task, as if it were not there."""
        self._at = at
        self._audience = audience

    def __call__(self, key: str, moment: datetime) -> Told | None:
        """Raises SourceError for what may be read another time."""
        try:
            ticket = self._at(moment).ticket(key)
        except (SourceGone, SourceForbidden):
            return None
        if ticket.created > moment or not self._audience.may_read(ticket.labels):
            return None
        return told(ticket)


def told(ticket: Ticket) -> Told:
    """Its summary, and what people wrote into its description and other fields, acceptance criteria among them."""
    written = [field for field in ticket.fields if len(field.text) >= _FEWEST or "\n" in field.text]
    parts = [ticket.description.strip(), *(f"## {field.name}\n\n{field.text.strip()}" for field in written)]
    return Told(ticket.summary.strip(), "\n\n".join(part for part in parts if part))
