"""The answer that shows a part of one source."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crosscheck.mcp.budget import LINK, tokens
from crosscheck.mcp.page import FOR_CURSOR, Link, More, Page
from crosscheck.mcp.quoting import DATA, address, inline, quoted, repeating, sentence

_COMMIT = re.compile(r"[0-9a-f]{40,64}")
SIZE = 12_000
"""Characters that are asked for at once; what does not fit is left for the next page."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A part of a source's text."""

    title: str
    url: str
    kind: str
    id: str
    version: str
    text: str
    start: int
    total: int
    notes: tuple[str, ...]

    def before(self, _position: int) -> str:
        """The same as long as the source is of the same version, and as long."""
        return f"{self.id}\n{self.version}\n{self.total}"

    def page(self, _start: int, budget: int, more: More) -> Page:
        """As much of the text as fits."""
        url = address(self.url)
        link = Link(sentence(self.title, 60), url)
        notes = [f"- {repeating(note, 200)}" for note in self.notes[:4]]
        room = budget - FOR_CURSOR - 250 - tokens("\n".join(notes)) - tokens(link.name) - tokens(url) - LINK
        shown = _fitting(self.text, room)
        end = self.start + len(shown)
        version = f", version {inline(_short(self.version), 40)}" if self.version else ""
        head = f"{inline(self.title)} {inline(self.kind, 20)[1:-1]}{version}, id {inline(self.id, 200)}"
        where = f"Characters {self.start:,} to {end:,} of {self.total:,}." if shown else f"It ends at {self.total:,}."
        rest = more(end, f"{end:,} of {self.total:,} characters") if shown and end < self.total else ""
        block = quoted(shown, len(shown)) if shown else ""
        parts = (f"{head}. {where}", *notes, DATA, block, rest)
        return Page("\n".join(part for part in parts if part), (link,) if url else ())


def opened(found: Mapping[str, Any]) -> Opened:
    return Opened(
        title=found["title"],
        url=found.get("url") or "",
        kind=found["kind"],
        id=found["id"],
        version=found["version"],
        text=found["text"],
        start=int(found["start"]),
        total=int(found["total"]),
        notes=tuple(found.get("notes", ())),
    )


def _short(version: str) -> str:
    """A commit is called by its first twelve digits."""
    return version[:12] if _COMMIT.fullmatch(version) else version


def _fitting(text: str, room: int) -> str:
    """The beginning that costs no more, ended at a line's end where one is near."""
    while text and (cost := tokens(quoted(text, len(text)))) > room:
        text = text[: min(len(text) - 1, len(text) * room // cost)]
        line = text.rfind("\n") + 1
        text = text[:line] if line > len(text) * 4 // 5 else text
    return text
