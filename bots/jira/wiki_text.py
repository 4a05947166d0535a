r"""Text from outside -> Jira's wiki markup that shows it to the character, and nothing else. No I/O.

Jira's renderer is a row of regular expressions over the whole comment (macros, blocks, links, bare addresses, `\`
escapes, HTML escapes, dashes, emoticons, images, phrases, in about this order), so no place in it is inert. What could
begin something is written in one of two ways:

- `\*`, for what only begins a phrase or a list: Jira turns it into the character's HTML entity by itself.
- `&#123;`, an HTML entity, which Jira leaves to the browser: for what is looked for before the escapes are, or by
  programs that know none. `\{\{x\}\}` would be monospaced after all; `[~ana]` notifies Ana wherever it stands, in code
  as well; a `|` ends a cell or the text of a link; `http://` is a link after any character but a letter.

What cannot begin anything is left as it is, so that `check_user_lock` stays findable and readable where the markup is
shown. A phrase begins after anything but a letter or digit and before anything but a space, and a list or heading at
the beginning of a line.
"""

import re
import unicodedata
from functools import lru_cache

_OF_INTEREST = r"[\\\[{|&*_+\-^~?!#:()]|(?:h[1-6]|bq)\."
_ALWAYS = frozenset("\\[{|&")
_PHRASE = frozenset("*_+-^~!")
_LIST = frozenset("*-#")
_BEFORE_COLON = re.compile(r"(?:mailto|file)\Z", re.IGNORECASE)
_AFTER_COLON = re.compile(r":(?://|-?[DPp)(])")
_INDENT = re.compile(r"^[^\S\n]*+", re.MULTILINE)
_ICON = re.compile(r"\((?:[-+*/!?ynix]|\*[rgby]|on|off|flag|flagoff)\)", re.IGNORECASE)


def is_word(char: str) -> bool:
    r"""Whether no phrase begins after it, nor ends before it: `\p{L}` and `\p{Nd}` in Java."""
    return char.isalpha() or char.isdecimal()


def entity(char: str) -> str:
    return "&amp;" if char == "&" else f"&#{ord(char)};"


def inert(text: str, *, before: str = "\n", after: str = "\n", also: str = "") -> str:
    """The markup that shows a text. `before` and `after` are the characters around it, a line end where there is none;
    `also` are characters that mean something where it stands, and become entities wherever they are in it.
    """
    escaped = 0  # up to here, at once before what comes: an entity ends like an emoticon's eye, `;)`
    first = {match.end() for match in _INDENT.finditer(text) if match.start() or before == "\n"}  # on their lines

    def written(match: re.Match[str]) -> str:
        nonlocal escaped
        start, found = match.start(), match[0]
        after_eye, escaped = start == escaped or text[start - 1] in ":;", match.end()
        if len(found) > 1:  # h1. or bq.
            if start in first:
                return found[:-1] + entity(".")
        elif found in _ALWAYS or found in also or (found == ")" and after_eye):
            return entity(found)
        else:
            previous = text[start - 1] if start else before
            following = text[start + 1 : start + 2] or after
            if _is_sign(text, start, previous, following):
                return entity(found)
            if _is_delimiter(found, previous, following) or (found in _LIST and start in first):
                return "\\" + found
        escaped = -1
        return found

    return _pattern(also).sub(written, text)


@lru_cache(maxsize=8)
def _pattern(also: str) -> re.Pattern[str]:
    return re.compile(f"{_OF_INTEREST}|[{re.escape(also)}]" if also else _OF_INTEREST, re.IGNORECASE)


def _is_delimiter(char: str, previous: str, following: str) -> bool:
    if char == "?":  # two of them are one
        return "?" in previous + following
    return char in _PHRASE and not is_word(previous) and not following.isspace()


def _is_sign(text: str, start: int, previous: str, following: str) -> bool:
    """Whether an address or an emoticon may begin with this character."""
    last = start + 1 == len(text)
    if text[start] == ":":
        return not following.isspace() and bool(
            last
            or start == 0
            or _AFTER_COLON.match(text, start)
            or _BEFORE_COLON.search(text[max(0, start - 6) : start])
        )
    if text[start] == "(":
        return previous == ":" or _ICON.match(text, start) is not None or (last and not following.isspace())
    return False


def can_be_marked(text: str) -> bool:
    """Whether a phrase may hold it: Jira's pattern of one knows no other characters."""
    return all(unicodedata.category(char)[0] in "LZSMP" or char.isdecimal() for char in text)
