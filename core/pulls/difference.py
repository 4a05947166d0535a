"""The difference of one file, in pieces that are small enough to be read and cited."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.mirror import Entry, Hunk, Hunks, Mirror
from core.pulls.content import Content, content_of
from core.pulls.types import Side
from core.pulls.wording import counted
from core.types import Evidence

_LINES = 80  # of a piece
_CHARACTERS = 6_000
_MOST = 48_000  # characters of all pieces

# A note begins its line, which no line of a file does: that has its mark before it.
_NOT_ALL = re.compile(r"^\[[^\n]*\bNot examined: |more characters of this line are not shown\.\]$", re.MULTILINE)

Numbered = tuple[str, int, int]
"""A line's mark (` `, `-`, `+`), and its numbers before and after."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a hunk. `line` exists in the file on this `side`; None where the piece shows no line."""

    text: str
    side: Side
    line: int | None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """Two states of a file, and where they differ."""

    before: Content
    after: Content
    hunks: Hunks


def how_far(pieces: Sequence[Evidence]) -> Literal["wholly", "partly", "not"]:
    """How much of a difference was examined, by the notes that stand at its end and in its lines."""
    if not any(_NOT_ALL.search(piece.text) for piece in pieces):
        return "wholly"
    return "partly" if any(piece.text.startswith("@@") for piece in pieces) else "not"


def compared(mirror: Mirror, before: Entry | None, after: Entry | None, *, around: int = 3) -> Compared:
    """What is absent on one side, or is not text, counts as a file without lines there."""
    old, new = content_of(mirror, before), content_of(mirror, after)
    if before and after and old.lines and new.lines:
        return Compared(old, new, mirror.hunks(before.blob, after.blob, around=around))
    removed = (Hunk(1, 0, "-" * len(old.lines)),) if old.lines else ()
    added = (Hunk(0, 1, "+" * len(new.lines)),) if new.lines else ()
    return Compared(old, new, Hunks((*removed, *added)))


def pieces(found: Compared) -> list[Piece]:
    """In the order of the file, no more than some 48,000 characters; what is left out is said at the end."""
    made: list[Piece] = []
    used, left = 0, 0
    for lines in _parts(found):
        if used >= _MOST:
            left += sum(mark != " " for mark, _, _ in lines)
            continue
        piece = _piece(lines, found)
        used += len(piece.text)
        made.append(piece)
    notes = [found.before.unread, found.after.unread]
    if left:
        notes.append(f"[Not examined: the rest of the difference, {counted(left, 'changed line')}.]")
    elif not found.hunks.text:
        notes = ["[Not examined: it is too large to be compared, or not text.]"]
    elif not found.hunks.whole:
        notes.append("[Not examined: the rest of the difference, which is very large.]")
    return _with_note(made, " ".join(dict.fromkeys(filter(None, notes))))


def _with_note(made: list[Piece], note: str) -> list[Piece]:
    if not note:
        return made
    if not made:
        return [Piece(note, "head", None)]
    last = made[-1]
    return [*made[:-1], Piece(f"{last.text}\n{note}", last.side, last.line, last.last)]


def _parts(found: Compared) -> Iterator[list[Numbered]]:
    """The hunks, the large ones in parts; of the lines that were read."""
    for hunk in found.hunks.hunks:
        part: list[Numbered] = []
        size = 0
        for one in hunk.numbered():
            text = _text(one, found)
            if text is None:
                break
            if part and (len(part) == _LINES or size + len(text) > _CHARACTERS):
                yield part
                part, size = [], 0
            part.append(one)
            size += len(text)
        if part:
            yield part


def _text(one: Numbered, found: Compared) -> str | None:
    mark, old, new = one
    content, number = (found.before, old) if mark == "-" else (found.after, new)
    return f"{mark}{content.line(number)}" if number <= len(content.lines) else None


def _piece(lines: Sequence[Numbered], found: Compared) -> Piece:
    text = "\n".join([_head(lines), *(_text(one, found) or "" for one in lines)])
    at_head = [new for mark, _, new in lines if mark != "-"]
    if at_head:
        first = next((new for mark, _, new in lines if mark == "+"), at_head[0])
        return Piece(text, "head", first, at_head[-1])
    return Piece(text, "base", lines[0][1], lines[-1][1])


def _head(lines: Sequence[Numbered]) -> str:
    """As in a unified difference; where a side has no line here, its number is that of the line above."""
    old = sum(mark != "+" for mark, _, _ in lines)
    new = sum(mark != "-" for mark, _, _ in lines)
    _, before, after = lines[0]
    return f"@@ -{before - (not old)},{old} +{after - (not new)},{new} @@"
