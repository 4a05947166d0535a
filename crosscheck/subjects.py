"""What is reviewed: tickets by their keys, pages by the ids of their documents."""

from collections.abc import Callable, Collection
from typing import Protocol

from core.errors import SourceGone
from core.tickets import Ticket
from crosscheck.assured import LabelsNow


class Reads(Protocol):
    def ticket(self, key: str) -> Ticket: ...


class Subjects:
    """`review.reading.TicketSource` over several sources. The readers are made when they are first needed."""

    def __init__(
        self,
        tickets: Callable[[], Reads] | None,
        pages: Callable[[], Reads] | None,
        *,
        projects: Collection[str],
        labels_now: LabelsNow,
    ) -> None:
        """`projects` are those that are read; what can be seen of others is not for an answer."""
        self._tickets = tickets
        self._pages = pages
        self._projects = projects
        self._labels_now = labels_now

    def ticket(self, key: str) -> Ticket:
        """Raises SourceError."""
        if not key.startswith("confluence:"):
            if self._tickets is None:
                raise SourceGone("No Jira is configured.")
            return self._ours(self._tickets().ticket(key))
        if self._pages is None:
            raise SourceGone("No Confluence is configured.")
        return self._pages().ticket(key)

    def _ours(self, ticket: Ticket) -> Ticket:
        """A project that has another key than in the settings by now is known by its tickets' labels."""
        document = ticket.document_id
        if ticket.project not in self._projects and self._labels_now([document]).get(document) is None:
            raise SourceGone(f"{ticket.key} is in no project that is read")
        return ticket
