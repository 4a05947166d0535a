"""The app's home tab: what the bot can do, what it reads, what this person asked lately. No I/O."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from bots.slack.abilities import ABILITIES, COMMAND, SHORTCUT
from bots.slack.rich_text import Node, link, listed, literal, plain_text, rich_text, section
from bots.text import is_visible, one_line
from bots.web_address import web_address

MOST_SOURCES = 40
MOST_REQUESTS = 15
_NAME = 100
_TEXT = 200

_CAN = (
    *((f"@Crosscheck {one.text}", one.gives) for one in ABILITIES),
    (f"{COMMAND} {ABILITIES[0].text}", "an answer that only you see"),
    (SHORTCUT, "in the menu of any message: an answer about it that only you see"),
)


@dataclass(frozen=True, slots=True)
class SourceLine:
    name: str
    read: datetime | None
    """When it was last read completely; None: never."""
    stale: bool
    """It should have been read again since."""


@dataclass(frozen=True, slots=True)
class RequestLine:
    at: datetime
    text: str
    state: str
    url: str | None
    """Where the answer is."""


def home_view(sources: Sequence[SourceLine], requests: Sequence[RequestLine], now: datetime) -> dict[str, Any]:
    """The view for `views.publish`. Lists that are too long are cut, and say so."""
    return {
        "type": "home",
        "blocks": [
            _header("What you can ask"),
            _told("Write to me directly, or mention me in a channel that I am in:"),
            _list([[literal(command, code=True), literal(f"  {gives}")] for command, gives in _CAN]),
            _header("What I read"),
            *_listing([_source(one, now) for one in sources], MOST_SOURCES, "No source has been set up yet."),
            _header("What you asked lately"),
            *_listing([_request(one, now) for one in requests], MOST_REQUESTS, "Nothing yet."),
        ],
    }


def _source(source: SourceLine, now: datetime) -> list[Node]:
    age = f"read {_age(now - source.read)}" if source.read else "never read completely"
    stale = " (stale: it should have been read again since)" if source.stale else ""
    return [literal(_shown(source.name, _NAME), bold=True), literal(f": {age}{stale}")]


def _request(request: RequestLine, now: datetime) -> list[Node]:
    text = _shown(request.text, _TEXT)
    address = web_address(request.url) if request.url else None
    asked = link(text, address) if address else literal(text)
    return [asked, literal(f": {_shown(request.state, _NAME)}, asked {_age(now - request.at)}")]


def _listing(items: Sequence[list[Node]], most: int, none: str) -> Iterator[Node]:
    if not items:
        yield _told(none)
        return
    yield _list(items[:most])
    if len(items) > most:
        yield _told(f"… and {len(items) - most} more")


def _shown(text: str, limit: int) -> str:
    line = one_line(text, limit)
    return line if is_visible(line) else "(no text)"


def _age(span: timedelta) -> str:
    seconds = max(0, int(span.total_seconds()))
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit} ago" if count == 1 else f"{count} {unit}s ago"
    return "just now"


def _header(text: str) -> Node:
    return {"type": "header", "text": plain_text(text)}


def _told(text: str) -> Node:
    return rich_text([section([literal(text)])])


def _list(items: Iterable[list[Node]]) -> Node:
    return rich_text([listed(section(item) for item in items)])
