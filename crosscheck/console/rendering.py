"""Pages from templates: everything is escaped, and whatever a template names must be there."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined

from bots.text import clean, one_line

LONGEST_TEXT = 20_000
"""Characters of a text that a page shows."""
LONGEST_LINE = 300
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


class Rendering:
    """Templates of this package."""

    def __init__(self) -> None:
        self._templates = Environment(
            loader=PackageLoader("crosscheck.console"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters |= {
            "line": line,
            "text": text,
            "link": link,
            "age": age,
            "minute": minute,
            "second": second,
            "span": span,
        }

    def html(self, template: str, values: Mapping[str, Any]) -> str:
        """Whole pages; `values` need not be clean, for the filters clean what they show."""
        return self._templates.get_template(template).render(values)


def line(value: object, limit: int = LONGEST_LINE) -> str:
    """Anything as one line."""
    return one_line(str(value)[: limit * 4], limit)


def text(value: object, limit: int = LONGEST_TEXT) -> str:
    """Anything as a text of several lines, cut where it is too long."""
    given = str(value)
    cut = clean(given[: limit + 1])
    return cut if len(given) <= limit else cut[: limit - 1] + "…"


def link(address: object) -> str:
    """An address that may be followed; empty for what is none of the web's."""
    given = str(address or "")
    try:
        parts = urlsplit(given)
    except ValueError:
        return ""
    usable = parts.scheme in {"http", "https"} and parts.netloc and given.isprintable() and len(given) < 2_000
    return given if usable else ""


def minute(moment: str) -> str:
    """Of a time as records have it."""
    return _utc(moment).strftime("%Y-%m-%d %H:%M UTC")


def second(moment: str) -> str:
    """The same to the second: for what happens in a row."""
    return _utc(moment).strftime("%Y-%m-%d %H:%M:%S UTC")


def age(moment: str, now: datetime) -> str:
    """How long ago it is, in words."""
    seconds = (now - _utc(moment)).total_seconds()
    told = span(abs(seconds))
    return f"{told} ago" if seconds >= 0 else f"in {told}"


def span(seconds: float) -> str:
    """A duration in words, in its largest unit."""
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size), (1, "second"))
    whole = int(seconds // size)
    return f"{whole} {unit}{'' if whole == 1 else 's'}"


def _utc(moment: str) -> datetime:
    read = datetime.fromisoformat(moment)
    return read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)
