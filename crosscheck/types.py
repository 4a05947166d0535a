"""The program's own border types."""

from dataclasses import dataclass
from typing import Literal

from bots.types import Place, Trigger
from core.types import Audience

Kind = Literal["review"]


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asked, where, and for whom the answer will be readable."""

    key: str
    """Idempotency key: surface, site, comment and command."""
    kind: Kind
    subject: str
    """The ticket's key."""
    trigger: Trigger
    audience: Audience

    @property
    def place(self) -> Place:
        return self.trigger.place
