"""Puts a document together block by block, and keeps where its places begin."""

from collections.abc import Iterable

from core.parsing import markdown
from core.parsing.parsed import Parsed, Picture
from core.types import Place

_GAP = "\n\n"


class Composer:
    """Blocks of Markdown with a blank line between them."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._places: list[Place] = []
        self._length = 0
        self._open = False

    def heading(self, text: str, place: str) -> None:
        """A heading at which a place begins; a block with a place that follows at once gives it a closer label."""
        self.add(markdown.heading(2, text), place)
        self._open = True

    def add(self, text: str, place: str = "") -> None:
        """A block; with a label, a place begins there. One without text is left out."""
        text = markdown.clean(text).strip("\n")
        if not text.strip():
            return
        if place and self._open:
            self._places[-1] = Place(self._places[-1].start, markdown.clean(place))
        elif place:
            self._places.append(Place(self._length, markdown.clean(place)))
        self._open = False
        self._blocks.append(text)
        self._length += len(text) + len(_GAP)

    def add_all(self, blocks: Iterable[str], otherwise: str) -> None:
        """Blocks under a heading, and what is said when there are none."""
        for block in blocks:
            self.add(block)
        if self._open:
            self.add(otherwise)

    def parsed(self, unread: Iterable[str], pictures: Iterable[Picture]) -> Parsed:
        text = _GAP.join(self._blocks) or "[it holds nothing]"
        return Parsed(text, tuple(self._places), tuple(dict.fromkeys(map(markdown.clean, unread))), tuple(pictures))
