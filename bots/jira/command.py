"""Finds the command in a comment: `#qa-check` as its own word, said by the author and not merely shown.

A command that is quoted, in code or part of a link is somebody else's, or an example. Both formats of a Jira comment
are read: the document tree of REST v3 (ADF), and wiki markup as webhooks and Data Center send it. No I/O.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

WORDS = ("qa-check",)

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_REACH = 2_000  # characters looked at on either side of a command
_ARGUMENT = 1_000  # characters of what is said to a command; a reason is a sentence or two
_GLUE = "\ufffc"  # stands where a link was: what touches it is part of the link to the eye
_INVISIBLE = (
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\ufe0e\ufe0f\ufeff"
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
_HYPHENS = str.maketrans("\u2010\u2011", "--")  # what editors make of a hyphen that shall not break the line
_UNSEEN = str.maketrans({**dict.fromkeys(_INVISIBLE, ""), _GLUE: " ", "\r": " "})
_MARKS = " \t\u00a0,.:;!?)]}*\"'”\u2019-\u2013\u2014"  # `#qa-check: ...`, `(#qa-check) ...`, `*#qa-check* ...`
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)

# A word, or a path, address, option or code that goes on to the left of `#`.
_NO_LEFT = re.compile(r"[\w/\\#&=?.:%~+\-@$`" + _GLUE + "]")
# ... or to the right of the command. `#qa-check.` ends a phrase; `#qa-check.md` and `#qa-check-2` are other words.
_NO_RIGHT = re.compile(r"[\w`" + _GLUE + r"]|\.\w|[-/\\@=#&+~%$]+\w")

_SHOWN_NODES = ("blockquote", "codeBlock")
_LINK_NODES = ("inlineCard", "blockCard", "embedCard")
_SHOWN_MARKS = ("code",)
_LINK_MARKS = ("link",)

# Bounded, so that a comment of nothing but opening braces stays cheap. What is never closed runs to the end.
_WIKI_CODE = re.compile(r"\{(code|noformat)(?::[^}\n]{0,200})?\}.*?(?:\{\1\}|\Z)", re.DOTALL)
_WIKI_QUOTE = re.compile(r"\{quote\}.*?(?:\{quote\}|\Z)", re.DOTALL)
_WIKI_QUOTED_LINE = re.compile(r"^[ \t]*bq\..*$", re.MULTILINE)
_WIKI_MONOSPACE = re.compile(r"\{\{[^\n]{0,1000}?\}\}")
_WIKI_LINK = re.compile(r"\[[^\[\]\n]*\]")
_WIKI_MARK = re.compile(r"(?<!\w)[_+](?=\S)|(?<=\S)[_+](?!\w)")
_WIKI_ESCAPE = re.compile(r"\\([^\w\s])")


@dataclass(frozen=True, slots=True)
class Command:
    """What somebody told the bot to do."""

    word: str
    """As the settings spell it, without `#`."""
    argument: str
    """What follows on its line, on one line and without what is merely shown: `dismiss 2: agreed with sales`."""


def find_command(body: Mapping[str, Any] | str | None, words: Collection[str] = WORDS) -> Command | None:
    """The first command in a comment; None when there is none.

    `(#qa-check)`, `#qa-check,` and `#QA-Check` count; `#qa-checks`, `x#qa-check`, `#qa-check-2` and `foo/#qa-check`
    do not. Nothing in `body` makes this fail: unknown nodes are walked through, broken ones passed over.
    """
    text = _said_in_wiki(body) if isinstance(body, str) else _said_in_adf(body)
    text = _QUOTED_LINE.sub("", text.translate(_HYPHENS))
    ordered = _longest_first(frozenset(words))
    for match in _pattern(ordered).finditer(text):
        if _is_own_word(text, match.start(), match.end()):
            return Command(ordered[(match.lastindex or 1) - 1], _argument(text, match.end()))
    return None


def has_trigger_word(text: str, words: Collection[str] = WORDS) -> bool:
    """A cheap look at a comment's text in any markup: False only when `find_command` would surely find nothing."""
    return bool(_loose_pattern(_longest_first(frozenset(words))).search(text))


@lru_cache(maxsize=16)
def _longest_first(words: frozenset[str]) -> tuple[str, ...]:
    if not words or not all(_WORD.fullmatch(word) for word in words):
        raise ValueError(f"trigger words are letters, digits and hyphens, without `#`: {sorted(words)}")
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


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


def _argument(text: str, start: int) -> str:
    """The rest of the line, but for the marks that end the command."""
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)][:_ARGUMENT]
    seen = line.translate(_UNSEEN).lstrip(_MARKS)
    return " ".join(seen.split())


def _said_in_wiki(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for shown in (_WIKI_CODE, _WIKI_QUOTE, _WIKI_QUOTED_LINE, _WIKI_MONOSPACE):
        text = shown.sub(" ", text)
    text = _WIKI_LINK.sub(_GLUE, text)
    return _WIKI_ESCAPE.sub(r"\1", _WIKI_MARK.sub(" ", text))


def _said_in_adf(body: Any) -> str:
    """The text of a document tree, blocks on lines of their own, without what is merely shown. Never recursive."""
    said: list[str] = []
    ahead: list[Any] = [body]
    while ahead:
        node = ahead.pop()
        if isinstance(node, str):
            said.append(node)
        elif isinstance(node, Mapping):
            ahead.extend(_parts(node))
    return "".join(said)


def _parts(node: Mapping[str, Any]) -> list[Any]:
    """What a node contributes, last first: strings as they are, nodes to be walked."""
    kind, text, content = node.get("type"), node.get("text"), node.get("content")
    if isinstance(text, str):
        return [_visible(text, node.get("marks"))]
    if kind in _SHOWN_NODES:
        return ["\n"]
    if kind in _LINK_NODES:
        return [_GLUE]
    if kind == "hardBreak":
        return ["\n"]
    if isinstance(content, list):
        return ["\n", *reversed([part for part in content if isinstance(part, Mapping)]), "\n"]
    return [" "]  # a mention, an emoji, a date, or something unknown


def _visible(text: str, marks: Any) -> str:
    kinds = [mark.get("type") for mark in marks if isinstance(mark, Mapping)] if isinstance(marks, list) else []
    if any(kind in _LINK_MARKS for kind in kinds):
        return _GLUE
    return " " if any(kind in _SHOWN_MARKS for kind in kinds) else text
