"""Values of strangers' JSON as they may be shown: bounded, on one line, of the type that is expected."""

import re
from datetime import UTC, datetime

from core.masking import masked
from core.probes.guard import Unread

_LONGEST = 200  # characters; a tag of an image has at most 128
_EARLIEST = 2000  # a year; zero in the clocks of Go, of .NET and of Unix lies before
_ISO = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d.*", re.ASCII)
_HALF_SECONDS, _MILLISECONDS = 10**11, 10**14


def version(value: object) -> str:
    """Empty for nothing. Raises Unread for what can be no version: another type, too long, or more than a line."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Unread("what it gives as its version is neither text nor a number: an administrator has to check it")
    told = str(value).strip() if isinstance(value, str) or value < 10**18 else "?" * (_LONGEST + 1)
    if len(told) > _LONGEST or not told.isprintable():
        raise Unread(
            "what it gives as its version is too long, or holds characters that no version has: an administrator has "
            "to check it"
        )
    return masked(told)[0]


def name(value: object) -> str:
    """A name to be shown; empty if it is none."""
    told = value.strip() if isinstance(value, str) else ""
    return masked(told)[0] if len(told) <= _LONGEST and told.isprintable() else ""


def moment(value: object) -> datetime | None:
    """ISO 8601 with its offset, or seconds or milliseconds since 1970, in UTC. None for all else, and for what stands
    for no time: a time without an offset may be any of a day's.
    """
    try:
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 14:
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _MILLISECONDS:
            found = datetime.fromtimestamp(value if value < _HALF_SECONDS else value / 1000, UTC)
        elif isinstance(value, str) and len(value) <= _LONGEST and _ISO.fullmatch(value):
            found = datetime.fromisoformat(value)
        else:
            return None
        found = found.astimezone(UTC) if found.tzinfo else datetime.min.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return found if found.year >= _EARLIEST else None
