"""Shipped tickets in a repository's history, as tasks."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from evals.accuracy.types import Task

MOST = 20
"""Tasks of one repository."""


@dataclass(frozen=True, slots=True)
class History:
    """A repository whose history is looked at."""

    name: str
    """As the settings call it."""
    folder: Path
    """A checkout or a bare repository."""
    branch: str | None = None
    """The baseline; None: the one that HEAD names."""


@dataclass(frozen=True, slots=True)
class Told:
    """A ticket as it stood at a moment."""

    title: str
    text: str
    """Description and acceptance criteria."""


class Tickets(Protocol):
    """Tickets as they stood at a moment."""

    def __call__(self, key: str, moment: datetime) -> Told | None:
        """None where there was no such ticket, or it may not be read."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """What the history has."""

    tasks: tuple[Task, ...]
    """The newest first."""
    skipped: Mapping[str, int]
    """Why a change is no task, and how many are not for that."""


def by_tickets(history: History, projects: frozenset[str], tickets: Tickets, most: int = MOST) -> Found:
    """Changes of the baseline that name a ticket of these projects. Raises EvalError for what is no repository."""
    raise NotImplementedError


def by_messages(history: History, most: int = MOST) -> Found:
    """Commits of the baseline whose messages say what was asked for. Raises EvalError for what is no repository."""
    raise NotImplementedError
