"""What a page of the console is made of, and what it is told of the request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from starlette.datastructures import QueryParams

from bots.text import one_line
from crosscheck.mcp.caller import Caller
from crosscheck.operations import Operations

LONGEST = 4_000
"""Characters of what a visitor may ask."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A request for a page, of somebody who is known."""

    viewer: Caller
    """`viewer.audience` is the audience of every operation that is run for the page."""
    path: Mapping[str, Any]
    """The path's parameters, converted."""
    query: QueryParams
    now: datetime
    operations: Operations
    """Their errors tell nothing that is an administrator's: see `crosscheck.for_callers`."""

    def word(self, name: str, default: str = "", limit: int = LONGEST) -> str:
        """A parameter of the query, cleaned and on one line."""
        return one_line(self.query.get(name, default), limit)

    def number(self, name: str, default: int, most: int = 10**9) -> int:
        """A parameter of the query as a number from 0; what is none is the default."""
        given = self.query.get(name, "")
        return min(int(given), most) if given.isascii() and given.isdecimal() and len(given) < 12 else default

    def run(self, operation: str, /, **arguments: Any) -> dict[str, Any]:
        """The result of an operation. Progress is told to nobody."""
        return self.operations.run(operation, arguments, lambda _message: None)


@dataclass(frozen=True, slots=True)
class Shown:
    """A page: a template of this package, and its values beside those that every template has."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True, slots=True)
class File:
    """What is no page."""

    content: bytes
    media: str
    status: int = 200


@dataclass(frozen=True, slots=True)
class View:
    """A page's address below /console, and what answers there. `answer` runs in a thread and may raise `NoPage`, and
    whatever operations raise.
    """

    path: str
    """As Starlette writes it: `/jobs/{id}`."""
    name: str
    """By which templates find the address: `url("job", id=3)`."""
    answer: Callable[[Visit], Shown | File]
    menu: str = ""
    """What the navigation calls it; empty: it is not in there."""
