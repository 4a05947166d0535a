"""How pull requests, files and commits are named in sentences for people. What strangers wrote is made one harmless
line.
"""

import re
from collections.abc import Sequence

from core.mirror import shown
from core.parsing.markdown import clean, one_line

_STEERING = re.compile("[\x80-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")  # what is shown, and its order
_NO_BYTES = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # surrogates that stand for no byte of a name
_LONGEST = 300  # characters of a name
_LISTED = 5  # names in a sentence


def named(name: str) -> str:
    """A path, branch or title as people are shown it."""
    line = one_line(_STEERING.sub("", clean(shown(_NO_BYTES.sub("\ufffd", name))))) or "?"
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def short(commit: str) -> str:
    return commit[:12]


def listed(names: Sequence[str]) -> str:
    """Some of the names, and how many more there are."""
    more = len(names) - _LISTED
    return ", ".join(map(named, names[:_LISTED])) + (f" and {more:,} more" if more > 0 else "")


def counted(number: int, what: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def size_of(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB" if size >= 1_000_000 else counted(size, "byte")
