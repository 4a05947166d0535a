"""Tickets as the sandbox's Jira keeps them, made from the company's records."""

import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sandbox.adf import Node
from sandbox.records import Change, Project

INTERNAL = "sd.public.comment"
"""The comment property that makes a service desk's comment an internal note."""


@dataclass(slots=True)
class Note:
    """A comment."""

    id: str
    author: str
    created: datetime
    body: Node
    updated: datetime
    updated_by: str
    role: str | None = None
    group: str | None = None
    properties: dict[str, Any] = field(default_factory=dict)
    wiki: str | None = None
    """The text as it was written in wiki markup, where it was; `body` then only holds its words."""

    @property
    def internal(self) -> bool:
        value = self.properties.get(INTERNAL)
        return isinstance(value, dict) and value.get("internal") is True


@dataclass(frozen=True, slots=True)
class File:
    """An attachment."""

    id: str
    name: str
    author: str
    created: datetime
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Indexed:
    """What the search index knows of an issue since a moment of the monotonic clock."""

    since: float
    updated: datetime
    status: str
    resolution: str | None
    deleted: bool


@dataclass(slots=True)
class Issue:
    id: str
    key: str
    project: Project
    type: str
    summary: str
    description: Node | None
    status: str
    resolution: str | None
    reporter: str
    assignee: str | None
    parent: str | None
    security: str | None
    created: datetime
    updated: datetime
    fields: dict[str, Any]
    """By field id, as Jira sends them."""
    notes: dict[str, Note] = field(default_factory=dict)
    """By id, oldest first."""
    history: list[tuple[str, list[Change]]] = field(default_factory=list)
    """Entries of the changelog with their ids, oldest first; the changes of one entry were made at once."""
    links: list[tuple[str, str, str]] = field(default_factory=list)
    """Link id, type and the key that the link leads to."""
    linked_from: list[tuple[str, str, str]] = field(default_factory=list)
    """Link id, type and the key that the link comes from."""
    remote_links: list[tuple[int, str, str]] = field(default_factory=list)
    """Id, title and URL."""
    children: list[str] = field(default_factory=list)
    roles: tuple[str, ...] = ()
    """Who has any of these project roles may see it, as in team-managed projects; empty is no restriction."""
    files: dict[str, File] = field(default_factory=dict)
    """By id, oldest first."""
    former: tuple[str, ...] = ()
    """Keys that it had before."""
    deleted: bool = False
    archived: tuple[datetime, str] | None = None
    """When it was archived and by whom."""
    seen: list[Indexed] = field(default_factory=list)

    def index(self, lag: float) -> None:
        """Let the search index know, and forget what no search can see any more."""
        now = time.monotonic()
        while len(self.seen) > 1 and self.seen[1].since <= now - lag:
            del self.seen[0]
        self.seen.append(Indexed(now, self.updated, self.status, self.resolution, self.deleted))

    def follow(self, former: str, key: str) -> None:
        """Another ticket has a new key."""
        self.links = [(number, kind, key if to == former else to) for number, kind, to in self.links]
        self.linked_from = [(number, kind, key if by == former else by) for number, kind, by in self.linked_from]
        self.children = [key if child == former else child for child in self.children]
        self.parent = key if self.parent == former else self.parent

    def as_searched(self, lag: float) -> Indexed:
        """What a search sees now, `lag` seconds late."""
        limit = time.monotonic() - lag
        return next((entry for entry in reversed(self.seen) if entry.since <= limit), self.seen[0])
