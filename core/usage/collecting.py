"""The lines that have to do with a name, put in order: where it is defined, and who uses it."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.keys import looks_like_code
from core.usage.looking import Looking
from core.usage.sought import Role, Sighting, Sought
from core.usage.spelling import words
from core.usage.symbols import Definitions, SymbolSought
from core.usage.types import CONFIDENCES, Confidence
from core.usage.view import View

_READ_CLOSELY = 400
"""Passages that are read line by line, of each kind that a name may be."""
_SECONDS = 4.0
"""After these no further passage is read, which is said. Real code takes a hundredth of it."""
_HOLDERS = 3
"""Constants that hold a name and are followed to where they are used."""
_CONSTANT = re.compile(
    r"^\s*(?P<modifiers>(?:(?:export|public|private|protected|internal|static|final|readonly|const|let|var|val|String|string)\s+)*)"
    r"(?P<name>[A-Za-z_]\w{2,80})\s*(?::\s*[\w.\[\]]+\s*)?:?=\s*[rbf]?[\"'`][^\"'`]*[\"'`]\s*[;,]?\s*$"
)


@dataclass(frozen=True, slots=True)
class Line:
    """A sighting with its place."""

    view: View
    sighting: Sighting

    @property
    def text(self) -> str:
        return self.view.rows[self.sighting.row].strip()

    @property
    def number(self) -> int | None:
        """From 1; None where lines mean nothing to a reader."""
        first = self.view.passage.line
        return None if first is None else first + self.sighting.row

    @property
    def place(self) -> tuple[str, str, str, int, str]:
        passage = self.view.passage
        return (self.view.repo, self.view.path, passage.branch or "", self.number or 0, self.text)


@dataclass(frozen=True, slots=True)
class Collected:
    """All that was found of a name, unlimited, in order."""

    defined: tuple[Line, ...]
    used: tuple[Line, ...]
    cut: bool
    """There may be more that was not looked at."""

    @property
    def weight(self) -> int:
        """How much speaks for it that the name is what it was looked for as."""
        lines = [line for line in (*self.defined, *self.used) if line.sighting.telling and not line.view.prose]
        told = [line.sighting.confidence for line in lines]
        return 3 * told.count("sure") + told.count("likely")


def collect(sought: Sought, looking: Looking, follow: Callable[[str], Role] | None) -> Collected:
    """What the passages say that the name leads to. With `follow`, constants that hold it are followed to where they
    are used; it says what such a line does.
    """
    lines, cut = _lines(sought, looking)
    if follow:
        for holder in _holders(lines):
            uses, more = _lines(SymbolSought(Definitions.of("", holder, looking.defining(holder))), looking)
            lines += [
                _held(line, holder, follow) for line in uses if line.sighting.role == "uses" and not line.view.prose
            ]
            cut |= more
    return _sorted_out(lines, looking, cut=cut)


def _lines(sought: Sought, looking: Looking) -> tuple[list[Line], bool]:
    found = looking.following(sought.trail)
    worth = [one for one in found.passages.values() if one.repo and one.path and sought.may_be_in(one.text)]
    read, cut = worth[:_READ_CLOSELY], found.cut or len(worth) > _READ_CLOSELY
    heads = looking.heads(read)
    lines: list[Line] = []
    until = time.monotonic() + _SECONDS
    for passage in read:
        if time.monotonic() > until:
            return lines, True
        view = View(passage, heads.get(passage.document_id, "") if passage.ordinal else "")
        seen = [Line(view, one) for one in sought.sightings(view)]
        cut |= bool(seen) and (passage.document_id, passage.ordinal) in found.late
        lines += seen
    return lines, cut


def _holders(lines: Iterable[Line]) -> list[str]:
    """The constants that are made of a text that is the name, and of nothing else."""
    names: dict[str, None] = {}
    for line in lines:
        match = (
            None if line.view.prose or line.view.configuration else _CONSTANT.match(line.view.bare[line.sighting.row])
        )
        if match is None or len(words(match["name"])) < 2 or not looks_like_code(match["name"]):
            continue
        if match["name"].isupper() or re.search(r"const|final|static|readonly", match["modifiers"]):
            names[match["name"]] = None
    return sorted(names)[:_HOLDERS]


def _held(line: Line, holder: str, follow: Callable[[str], Role]) -> Line:
    confidence: Confidence = "likely" if line.sighting.confidence == "sure" else "possible"
    why = f"It uses “{holder}”, which holds the name."
    made = replace(line.sighting, confidence=confidence, why=why, role=follow(line.text))
    return replace(line, sighting=made)


def _sorted_out(lines: Sequence[Line], looking: Looking, *, cut: bool) -> Collected:
    best: dict[tuple[str, str, str, int, str], Line] = {}
    for line in lines:
        if line.place not in best or _surer(line, best[line.place]):
            best[line.place] = line
    kept = _without_doubles(best.values())
    reading = {line.view.repo for line in kept if line.sighting.role in {"uses", "defines"} and line.view.reading}
    defined = [line for line in kept if _defines(line, reading)]
    homes = {line.view.repo for line in defined}
    used = [line for line in kept if looking.covers(line.view.repo) and not _defines(line, reading)]
    doing = {(line.view.passage.document_id) for line in used if line.sighting.role != "imports"}
    used = [line for line in used if line.sighting.role != "imports" or line.view.passage.document_id not in doing]
    return Collected(tuple(_ordered(defined, frozenset())), tuple(_ordered(used, homes)), cut)


def _surer(one: Line, other: Line) -> bool:
    return CONFIDENCES.index(one.sighting.confidence) < CONFIDENCES.index(other.sighting.confidence)


def _without_doubles(lines: Iterable[Line]) -> list[Line]:
    """What a branch in development has as the baseline has it is told once."""
    lines = list(lines)
    baseline = {(one.view.repo, one.view.path, one.text) for one in lines if not one.view.passage.development}
    return [
        one
        for one in lines
        if not one.view.passage.development or (one.view.repo, one.view.path, one.text) not in baseline
    ]


def _defines(line: Line, reading: set[str]) -> bool:
    """A setting's value is set for who reads it; in another repository that is a use."""
    role = line.sighting.role
    return role == "defines" or (role == "sets" and (line.view.repo in reading or not reading))


def _ordered(lines: Sequence[Line], homes: "set[str] | frozenset[str]") -> Iterator[Line]:
    """Code, then tests, then documentation; the surest, other repositories than the home, the first of each file."""
    seen: set[tuple[int, str]] = set()
    first: dict[tuple[str, str, str, int, str], bool] = {}
    for line in sorted(lines, key=lambda one: (CONFIDENCES.index(one.sighting.confidence), one.place)):
        key = (CONFIDENCES.index(line.sighting.confidence), line.view.passage.document_id)
        first[line.place] = key not in seen
        seen.add(key)

    def rank(line: Line) -> tuple[object, ...]:
        group = 2 if line.view.prose else int(line.view.test)
        confidence = CONFIDENCES.index(line.sighting.confidence)
        return (group, confidence, line.view.repo in homes, not first[line.place], line.place)

    yield from sorted(lines, key=rank)
