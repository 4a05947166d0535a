"""Finds the command in what somebody said: `#qa-check` as its own word, said by the author and not merely shown.

A command that is quoted, in code or part of a link is somebody else's, or an example: the surfaces' readers of markup
leave these out before it is looked for. No I/O.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import normalize

WORDS = ("qa-check", "ask", "test-cases")
"""The words that address the bot, as long as the settings name no others."""
GLUE = "\ufffc"
"""Stands in a text where a link was: what touches it is part of the link to the eye."""

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_REACH = 2_000  # characters looked at on either side of a command
_ARGUMENT = 1_000  # characters of what is said to a command; a reason is a sentence or two
_TEXT = 8_000  # characters of what is said after it, over all lines; a question is a paragraph or two
_INVISIBLE = (
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\ufe0e\ufe0f\ufeff"
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
_HYPHENS = str.maketrans("\u2010\u2011", "--")  # what editors make of a hyphen that shall not break the line
_UNSEEN = str.maketrans({**dict.fromkeys(_INVISIBLE, ""), GLUE: " ", "\r": " "})
_MARKS = " \t\u00a0,.:;!?)]}*\"'”\u2019-\u2013\u2014"  # `#qa-check: ...`, `(#qa-check) ...`, `*#qa-check* ...`
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)

# A word, or a path, address, option or code that goes on to the left of `#`.
_NO_LEFT = re.compile(r"[\w/\\#&=?.:%~+\-@$`" + GLUE + "]")
# ... or to the right of the command. `#qa-check.` ends a phrase; `#qa-check.md` and `#qa-check-2` are other words.
_NO_RIGHT = re.compile(r"[\w`" + GLUE + r"]|\.\w|[-/\\@=#&+~%$]+\w")


@dataclass(frozen=True, slots=True)
class Command:
    """What somebody told the bot to do."""

    word: str
    """As the settings spell it, without `#`."""
    argument: str
    """What follows on its line, on one line and without what is merely shown: `dismiss 2: agreed with sales`."""
    text: str
    """All that follows, line by line."""


def find_command(said: str, words: Collection[str] = WORDS) -> Command | None:
    """The first command in what a comment says, shown parts left out; None when there is none.

    `(#qa-check)`, `#qa-check,` and `#QA-Check` count; `#qa-checks`, `x#qa-check`, `#qa-check-2` and `foo/#qa-check`
    do not.
    """
    text = _QUOTED_LINE.sub("", normalize("NFC", said).translate(_HYPHENS))
    ordered = _longest_first(frozenset(words))
    for match in _pattern(ordered).finditer(text):
        if _is_own_word(text, match.start(), match.end()):
            argument, after = _after(text, match.end())
            return Command(ordered[(match.lastindex or 1) - 1], argument, after)
    return None


def has_trigger_word(text: str, words: Collection[str] = WORDS) -> bool:
    """A cheap look at a comment's text in any markup: False only when `find_command` would surely find nothing."""
    return bool(_loose_pattern(_longest_first(frozenset(words))).search(normalize("NFC", text)))


@lru_cache(maxsize=16)
def _longest_first(words: frozenset[str]) -> tuple[str, ...]:
    composed = {normalize("NFC", word) for word in words}
    if not words or not all(_WORD.fullmatch(word) for word in composed):
        raise ValueError(f"trigger words are letters, digits and hyphens, without `#`: {sorted(words)}")
    return tuple(sorted(composed, key=lambda word: (-len(word), word)))


@lru_cache(maxsize=16)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("#(?:" + "|".join(f"({re.escape(word)})" for word in words) + ")", re.IGNORECASE)


@lru_cache(maxsize=16)
def _loose_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """The letters in order, with whatever marks a markup may put between them."""
    gap = r"[\W_]{0,16}"
    letters = [gap.join(re.escape(char) for char in word if char.isalnum()) for word in words]
    return re.compile(f"#{gap}(?:{'|'.join(letters)})" + r"(?![^\W_])", re.IGNORECASE)


def _is_own_word(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - _REACH) : start].rstrip(_INVISIBLE)
    after = text[end : end + _REACH].lstrip(_INVISIBLE)
    if _NO_RIGHT.match(after) or (before and _NO_LEFT.match(before[-1])):
        return False
    return before[-1:].isspace() or "://" not in (before.split() or [""])[-1]


def _after(text: str, start: int) -> tuple[str, str]:
    """The rest of the line, and the rest of all, but for the marks that end the command."""
    seen = text[start : start + _TEXT].translate(_UNSEEN).lstrip(_MARKS)
    lines = [" ".join(line.split()) for line in seen.split("\n")]
    return lines[0][:_ARGUMENT], "\n".join(lines).strip()
