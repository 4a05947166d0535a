"""Text from outside, made safe to show: nothing in it can steer a terminal, an editor or the order of what is read."""

import re
import unicodedata

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f"  # C0 and C1 controls: NUL, escape sequences
    "\u202a-\u202e\u2066-\u2069"  # bidirectional embeddings, overrides and isolates
    "\U000e0000-\U000e007f"  # tag characters: text that nobody sees
    "\ufdd0-\ufdef\ufffe\uffff]"  # noncharacters, which XML and some databases refuse
)
_BLANK = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Cs"})
_SURROGATES = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """The text as people may see it: lines end in a line feed, tabs stay, and controls are gone.

    Halves of surrogate pairs, which cannot be sent, become U+FFFD. Everything else is left to the character.
    """
    text = _LINE_ENDS.sub("\n", text)
    return _SURROGATES.sub("\ufffd", _FORBIDDEN.sub("", text))


def one_line(text: str, limit: int) -> str:
    """Cleaned, on one line, at most `limit` characters: for messages and logs."""
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def is_visible(text: str) -> bool:
    """Whether a reader would see anything."""
    return any(unicodedata.category(char) not in _BLANK for char in text)
