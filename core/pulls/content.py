"""Files as lines of text, with what looks like a credential masked."""

from dataclasses import dataclass
from itertools import accumulate

from core.masking import masked
from core.mirror import Entry, Mirror
from core.mirror.pointers import LONGEST, pointed_size
from core.parsing.text import decoded
from core.pulls.wording import named, size_of

MOST = 2_000_000
"""Bytes that are read of a file."""
_LONGEST_LINE = 2_000  # characters
_SNIFFED = 8_000  # bytes in which Git looks for a NUL to tell a binary file
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # text of two bytes a character, whose lines are not Git's


@dataclass(frozen=True, slots=True)
class Content:
    """A file's lines. `unread` is a sentence in square brackets if not all of it was read."""

    lines: tuple[str, ...]
    unread: str = ""

    def line(self, number: int) -> str:
        """Counted from 1; a long one is cut, and says so."""
        text = self.lines[number - 1]
        more = len(text) - _LONGEST_LINE
        return f"{text[:_LONGEST_LINE]} [{more:,} more characters of this line are not shown.]" if more > 0 else text


def content_of(mirror: Mirror, entry: Entry | None) -> Content:
    """An absent file has no lines. What is not text has none either, and says so."""
    if entry is None:
        return Content(())
    if entry.link:
        target = decoded(mirror.content(entry.blob, MOST))
        return Content((), f"[A symbolic link to {named(target)}. It was not followed.]")
    data = mirror.content(entry.blob, MOST)
    if b"\0" in data[:_SNIFFED] or data.startswith(_WIDE):
        return Content((), f"[Not examined: it is not text. It has {size_of(entry.size)}.]")
    if entry.size <= LONGEST and (size := pointed_size(data)) is not None:
        return Content((), f"[Not examined: its content, of {size_of(size)}, is kept apart (Git LFS).]")
    if entry.size <= MOST:
        return Content(text_lines(data))
    unread = f"[Not examined: what follows the first {size_of(MOST)} of {size_of(entry.size)}.]"
    return Content(text_lines(data)[:-1], unread)


def text_lines(data: bytes) -> tuple[str, ...]:
    """The lines as Git counts them: only a line feed ends one."""
    text = decoded(data.replace(b"\r\n", b"\n").replace(b"\r", b" "))
    lines = text.split("\n") if data else []
    if data.endswith(b"\n"):
        lines.pop()
    hidden, count = masked(text)
    if not count:
        return tuple(lines)
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    return tuple(hidden[start : start + len(line)] for start, line in zip(starts, lines, strict=False))
