"""What the sources say today, each with when it was first there. Collected without any of the rewinding."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from crosscheck.settings_sources import Git
from evals.asof.repositories import Repositories


@dataclass(frozen=True, slots=True)
class Said:
    """A text that somebody wrote."""

    where: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Turn:
    """A change of a ticket's field that holds one of few values, or of a link."""

    number: str
    """The ticket's id."""
    field: str
    """In small letters, as the history has it."""
    before: str
    after: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Present:
    """Everything that the sources say today, earlier versions as far as they are kept."""

    texts: tuple[Said, ...]
    turns: tuple[Turn, ...]
    keys: Mapping[str, datetime]
    """Tickets by their keys, with when they came."""
    gits: tuple[Git, ...]
    repositories: Repositories
