"""Times as databases write them."""

import re
from datetime import UTC, datetime

_MILLISECONDS = re.compile(r"[0-9]{11,14}")
_SHORT_ZONE = re.compile(r"[+-][0-9]{2}$")
_FRACTION = re.compile(r"(?<=\.)([0-9]+)")


def moment_of(text: str) -> tuple[datetime | None, bool]:
    """A time in UTC, and whether it says so itself; None for what is no time. One without a zone is taken for UTC, a
    number for milliseconds since 1970 (as Prisma writes into SQLite).
    """
    text = text.strip()
    try:
        if _MILLISECONDS.fullmatch(text):
            return datetime.fromtimestamp(int(text) / 1000, UTC), True
        text = _FRACTION.sub(lambda found: found[1][:6].ljust(6, "0"), text, count=1)
        read = datetime.fromisoformat(f"{text}:00" if _SHORT_ZONE.search(text) and ":" in text else text)
        return (read.replace(tzinfo=UTC), False) if read.tzinfo is None else (read.astimezone(UTC), True)
    except (ValueError, OverflowError, OSError):
        return None, False
