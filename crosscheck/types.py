"""The program's own border types."""

from dataclasses import dataclass
from typing import Literal

from bots.types import Place, Trigger
from core.types import Audience

Kind = Literal["review", "ask", "test cases"]


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asked in a comment, where, and for whom the answer will be readable."""

    kind: Kind
    subject: str
    """The ticket's key, or the document id of the page."""
    document_id: str
    """Of the ticket or page."""
    trigger: Trigger
    audience: Audience

    @property
    def place(self) -> Place:
        return self.trigger.place
