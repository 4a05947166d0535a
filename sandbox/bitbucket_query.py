"""Bitbucket Cloud's filter language (`q=`): `title ~ "BKG-142" AND (state = "OPEN" OR id > 7)`."""

import re
from collections.abc import Callable, Mapping
from typing import Any

LONGEST = 2000
DEEPEST = 20
_TOKEN = re.compile(r'\s*(?:([()])|(!~|!=|>=|<=|[~=<>])|("(?:[^"\\]|\\.)*")|([^\s()~=<>!"]+))')

Test = Callable[[Mapping[str, Any]], bool]


class BadQuery(Exception):
    """The filter cannot be read."""


def parse(text: str) -> Test:
    """A filter of one object's JSON. Raises BadQuery."""
    tokens: list[str] = []
    at = 0
    text = text.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or len(text) > LONGEST:
            raise BadQuery(text[:80])
        tokens.append(match[0].strip())
        at = match.end()
    parser = _Parser(tokens)
    found = parser.either(0)
    if parser.left:
        raise BadQuery(text[:80])
    return found


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self.left = tokens

    def either(self, depth: int) -> Test:
        """Joined by OR; AND binds closer."""
        parts = [self._both(depth)]
        while self._word("OR"):
            parts.append(self._both(depth))
        return lambda value: any(part(value) for part in parts)

    def _both(self, depth: int) -> Test:
        parts = [self._one(depth)]
        while self._word("AND"):
            parts.append(self._one(depth))
        return lambda value: all(part(value) for part in parts)

    def _one(self, depth: int) -> Test:
        if depth > DEEPEST:
            raise BadQuery("too deep")
        if self._word("("):
            inner = self.either(depth + 1)
            if not self._word(")"):
                raise BadQuery(")")
            return inner
        if len(self.left) < 3:
            raise BadQuery("incomplete")
        name, sign, wanted = self.left[:3]
        del self.left[:3]
        return _comparison(name, sign, wanted)

    def _word(self, word: str) -> bool:
        if self.left and self.left[0].upper() == word:
            del self.left[0]
            return True
        return False


def _comparison(name: str, sign: str, wanted: str) -> Test:
    if sign not in {"~", "!~", "=", "!=", "<", "<=", ">", ">="}:
        raise BadQuery(sign)
    text = re.sub(r"\\(.)", r"\1", wanted[1:-1]) if wanted.startswith('"') else wanted

    def test(value: Mapping[str, Any]) -> bool:
        found: Any = value
        for part in name.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        return _compared(found, sign, text)

    return test


def _compared(found: Any, sign: str, text: str) -> bool:
    if sign in {"~", "!~"}:
        return (text.lower() in str(found or "").lower()) == (sign == "~")
    if isinstance(found, bool) or found is None:
        same = {True: "true", False: "false", None: "null"}[found] == text.lower()
        return same == (sign == "=")
    try:
        order = float(found) - float(text) if isinstance(found, int) else (str(found) > text) - (str(found) < text)
    except ValueError:
        return sign == "!="
    return {"=": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[sign]
