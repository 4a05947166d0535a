"""All that a renderer knows: a reply as blocks of text. Every string in it may come from a stranger."""

from dataclasses import dataclass
from typing import TypeAlias

from core.types import Locator


@dataclass(frozen=True, slots=True)
class Words:
    text: str
    strong: bool = False
    code: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A link that exists: its address comes from a locator, never from a model or a ticket's text."""

    text: str
    locator: Locator


Span: TypeAlias = Words | Link


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    level: int = 3


@dataclass(frozen=True, slots=True)
class Paragraph:
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Bullets:
    items: tuple[tuple[Span, ...], ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    header: tuple[str, ...]
    rows: tuple[tuple[tuple[Span, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class Code:
    text: str
    language: str | None = None


Block: TypeAlias = Heading | Paragraph | Bullets | Table | Code
Outline: TypeAlias = tuple[Block, ...]


def words(text: str) -> Paragraph:
    """A paragraph of plain words."""
    return Paragraph((Words(text),))
