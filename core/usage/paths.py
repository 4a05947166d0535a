"""Paths of routes as they are written: parameters in any spelling, joined strings, with or without a base."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

PARAMETER = "{}"
ANY = "**"

_SEGMENT = (
    r"(?:\$?\{\{?[^{}\n]{0,80}\}?\}|\#\{[^{}\n]{1,80}\}|\(\?P?<\w{1,40}>[^()/\n]{1,40}\)|:[A-Za-z_]\w{0,40}(?:\([^()\n]{0,40}\))?\??"
    r"|<[^<>/\s]{1,60}>|\[{1,2}(?:\.\.\.)?\w{1,40}\]{1,2}|%[sdvi](?!\w)|\$[A-Za-z_]\w{0,40}|\*{1,2}|[\w.~@-])"
)
_PARAMETER = re.compile(r".*(?:\{.*\}|\(\?P?<.*\)|<.*>|\[.*\]|%[sdvi])|:[A-Za-z_].*|\$[A-Za-z_]\w*", re.DOTALL)
_PATH = re.compile(
    rf"(?P<origin>(?:https?|wss?)://[^\s/\"'`<>{{}}]{{1,200}}|(?:https?|wss?)://(?=[{{$]))?"
    rf"(?P<path>/?(?:{_SEGMENT}){{1,100}}+(?:/(?:{_SEGMENT}){{1,100}}+){{0,30}}+/?)"
)
_BETWEEN = re.compile(r"[\"'`]\s{0,3}[+.]\s{0,3}[^\"'`+\n]{1,80}?\s{0,3}[+.]\s{0,3}[rf]?[\"'`](?=/)")
_AT_END = re.compile(r"/[\"'`]\s{0,3}\+\s{0,3}[\w$][\w$.]{0,60}(?:\([\w$.,\s]{0,60}\))?(?:\s{0,3}\+\s{0,3}[\"'`])?")
_VALUE = re.compile(r"(?!v[0-9]{1,2}\Z).*[0-9].*", re.IGNORECASE)
_BASE = re.compile(r"api|rest|public|internal|gateway|v[0-9]{1,2}(?:\.[0-9])?|\{\}", re.IGNORECASE)

Fit = Literal["whole", "based", "within a base", "inside", "under a prefix", "ending", "covered"]
"""How a path that was found is that of a route.

`whole`: all of it. `based`: behind a host or a variable. `within a base`: behind `/api`, `/v1` and the like.
`inside`: behind other segments. `under a prefix`: without what the file says is put before it. `ending`: without its
first segments. `covered`: by a pattern.
"""


@dataclass(frozen=True, slots=True)
class Written:
    """A path in a line."""

    segments: tuple[str, ...]
    """Parameters are `{}`."""
    rooted: bool
    """It begins with a slash or a host."""
    start: int


def segments_of(path: str) -> tuple[str, ...]:
    """The segments of a path that was asked for; those with a number in them are a parameter's value."""
    found = [_plain(part) for part in path.strip().strip("/").split("/") if part]
    return tuple(PARAMETER if _VALUE.fullmatch(part) else part for part in found)


def written(line: str) -> Iterator[Written]:
    """The paths in a line of code or text."""
    joined = _AT_END.sub('/{}"', _BETWEEN.sub("{}", line))
    for match in _PATH.finditer(joined):
        path = match["path"].split("?")[0]
        before = joined[match.start() - 1 : match.start()]
        if "/" not in path or before.isalnum() or before in {"_", ".", "\\"}:
            continue
        parts = tuple(_plain(part) for part in path.strip("/").split("/") if part)
        if parts:
            yield Written(parts, bool(match["origin"]) or path.startswith("/"), match.start())


def _plain(segment: str) -> str:
    bare = segment.rstrip(".").removesuffix("$")
    return PARAMETER if _PARAMETER.fullmatch(bare) else bare


def is_base(segment: str) -> bool:
    """Whether many routes begin with this segment: `api`, `v1`."""
    return _BASE.fullmatch(segment) is not None


def fit(wanted: Sequence[str], found: Written, prefixes: Sequence[Sequence[str]]) -> Fit | None:
    """How a path in a file with these prefixes (the other paths in it) is that of a route; None if it is another."""
    parts = found.segments
    if len(parts) > 1 and set(parts[-1]) == {"*"}:
        covers = len(parts) <= len(wanted) and _alike(wanted[: len(parts) - 1], parts[:-1])
        return "covered" if covers and any(part not in {PARAMETER, ANY} for part in parts[:-1]) else None
    if len(parts) >= len(wanted):
        extra = parts[: len(parts) - len(wanted)]
        if not _alike(wanted, parts[len(extra) :]):
            return None
        return _before(extra, rooted=found.rooted, literal=_literals(wanted))
    missing = wanted[: len(wanted) - len(parts)]
    if not _alike(wanted[len(missing) :], parts):
        return None
    if any(_is_prefix(one, missing) for one in prefixes):
        return "under a prefix"
    if not _literals(parts) or len(parts) < 2:
        return None
    if all(map(is_base, missing)):
        return "within a base"
    return "ending" if _literals(parts) > 1 and found.rooted else None


def _before(extra: Sequence[str], *, rooted: bool, literal: int) -> Fit | None:
    if not extra:
        return "whole"
    if len(extra) == 1 and not rooted and (extra[0] == PARAMETER or extra[0].isdecimal()):
        return "based"
    if all(map(is_base, extra)):
        return "within a base"
    return "inside" if PARAMETER not in extra and literal > 1 else None


def _is_prefix(path: Sequence[str], missing: Sequence[str]) -> bool:
    """Whether a path in the file is what is missing, a base before it aside."""
    if not path or not _literals(path) or len(path) > len(missing):
        return False
    extra = missing[: len(missing) - len(path)]
    return _alike(missing[len(extra) :], path) and all(map(is_base, extra))


def _literals(parts: Sequence[str]) -> int:
    return sum(part != PARAMETER for part in parts)


def _alike(wanted: Sequence[str], found: Sequence[str]) -> bool:
    return len(wanted) == len(found) and all(map(_same, wanted, found))


def _same(wanted: str, found: str) -> bool:
    if wanted == PARAMETER:
        return found in {PARAMETER, "*"} or _VALUE.fullmatch(found) is not None
    return wanted.casefold() == found.casefold()
