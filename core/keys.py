"""Exact identifiers in a question: what is looked up instead of searched for."""

import re
from dataclasses import dataclass
from typing import Literal

from core.tokens import WORDLIKE, normalised

KeyKind = Literal["ticket", "commit", "path", "phrase", "identifier"]

_FOUND = re.compile(
    r"`(?P<code>[^`\n]{1,200})`"
    r"|[\"“”„«](?P<phrase>[^\"“”„«»\n]{2,200})[\"“”»]"
    r"|(?<![\w/.@-])(?P<path>(?:[\w.@-]+/)*[\w.@-]*[\w@-]\.[A-Za-z]\w{0,9})(?::(?P<line>[0-9]{1,7}))?(?![\w/])"
    rf"|(?<![{WORDLIKE}-])(?P<ticket>[A-Z][A-Z0-9_]+-[0-9]{{1,10}})(?![{WORDLIKE}])"
    rf"|(?<![{WORDLIKE}])(?P<commit>(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{{7,40}})(?![{WORDLIKE}])"
    rf"|(?<![{WORDLIKE}])(?P<identifier>_*(?![0-9])[{WORDLIKE}]+)"
)
_NAME = re.compile(
    r"_*[^\W_]+(?:_+[^\W_]+)+_*|_+[^\W_]+_*"  # check_user_lock, MAX_RETRY, __init__, _private
    r"|[^\W_]*[a-z0-9][A-Z][^\W_]*|[A-Z]{2,}[a-z][^\W_]*"  # checkUserLock, LockService, HTTPServer
)


@dataclass(frozen=True, slots=True)
class Key:
    """One identifier. `line` only with a path."""

    kind: KeyKind
    text: str
    line: int | None = None

    @property
    def certain(self) -> bool:
        """It cannot be meant as a word: where it is not found, there is nothing to find."""
        return self.kind in {"ticket", "commit"} or (self.kind == "path" and "/" in self.text)


@dataclass(frozen=True, slots=True)
class Keys:
    """The identifiers of a question, each once, in order of appearance."""

    found: tuple[Key, ...] = ()
    words: bool = False
    """Something is asked beside them."""

    @property
    def alone(self) -> bool:
        """Nothing but identifiers is asked for."""
        return bool(self.found) and not self.words


def parse(text: str) -> Keys:
    """The identifiers in a question: ticket keys, commit ids, paths with or without a line, what is quoted, what is in
    back-ticks, and what is written like a name in code (whether there is such a name, only the index knows).
    """
    text = normalised(text)
    found: dict[Key, None] = {}
    left = []
    end = 0
    for match in _FOUND.finditer(text):
        if key := _key(match):
            found[key] = None
            left.append(text[end : match.start()])
            end = match.end()
    left.append(text[end:])
    return Keys(tuple(found), any(c.isalnum() for rest in left for c in rest))


def _key(match: re.Match[str]) -> Key | None:
    if code := (match["code"] or "").strip():
        inner = parse(code)
        return inner.found[0] if len(inner.found) == 1 and inner.alone else Key("identifier", code)
    if phrase := (match["phrase"] or "").strip():
        return Key("phrase", phrase)
    if match["path"]:
        return Key("path", match["path"].removeprefix("./"), int(match["line"]) if match["line"] else None)
    if match["ticket"]:
        return Key("ticket", match["ticket"])
    if match["commit"]:
        return Key("commit", match["commit"])
    name: str | None = match["identifier"]
    return Key("identifier", name) if name and _NAME.fullmatch(name) else None
