"""A paragraph's text: fields, links, notes and marks within it (ECMA-376 part 1, 17.3 and 17.16)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from docx.text.run import Run

from core.parsing import markdown
from core.parsing.office.docx_changes import PAGES
from core.parsing.office.docx_numbering import value_of
from core.parsing.office.package import Element, Part, address, local, reference

_LINK = re.compile(r'\s*HYPERLINK\s+"([^"]+)"')
_SAID = frozenset({"t", "tab", "ptab", "br", "cr", "noBreakHyphen"})  # python-docx knows how each reads


@dataclass(slots=True)
class _Field:
    """A field that is open: its instruction, then its result."""

    instruction: str = ""
    result: list[str] | None = None


@dataclass(slots=True)
class Runs:
    """Reads the paragraphs of one part."""

    part: Part
    notes: Mapping[tuple[str, str], str]
    """What stands for a reference, by its kind (`footnoteReference`) and id."""
    drawing: Callable[[Element], str]
    """What a drawing or an embedded object gives within the line."""
    _fields: list[_Field] = field(default_factory=list)
    _said: list[str] = field(default_factory=list)

    def text(self, paragraph: Element) -> str:
        """The text with its line breaks."""
        around = self._fields, self._said  # a text box within a paragraph holds paragraphs of its own
        self._fields, self._said = [], []
        self._inside(paragraph)
        while self._fields:
            self._close()
        text = "".join(self._said).replace("~~~~", "")
        self._fields, self._said = around
        return text

    def _inside(self, element: Element) -> None:
        for child in element:
            name = local(child)
            if name == "r":
                self._run(child)
            elif name in _SAID:
                self._say(str(child))
            elif name == "hyperlink":
                self._fields.append(_Field(f'HYPERLINK "{address(self.part, reference(child))}"', []))
                self._inside(child)
                self._close()
            elif name == "fldChar":
                self._field(value_of(child, "fldCharType"))
            elif name == "instrText" and self._fields and self._fields[-1].result is None:
                self._fields[-1].instruction += child.text or ""
            elif name in {"footnoteReference", "endnoteReference", "commentReference"}:
                self._say(self.notes.get((name, value_of(child, "id")), ""))
            elif name in {"drawing", "pict", "object"}:
                self._say(self.drawing(child))

    def _run(self, element: Element) -> None:
        font = Run(element, self.part).font
        marked = element.find("{*}t") is not None
        struck = "~~" if marked and (font.strike or font.double_strike) else ""
        self._say(struck)
        self._inside(element)
        self._say(struck + (" (hidden)" if marked and font.hidden else ""))

    def _field(self, kind: str) -> None:
        if kind == "begin":
            self._fields.append(_Field())
        elif kind == "separate" and self._fields:
            self._fields[-1].result = []
        elif kind == "end" and self._fields:
            self._close()

    def _close(self) -> None:
        done = self._fields.pop()
        text = "".join(done.result or ())
        if done.instruction.upper().split()[:1] in PAGES:
            return
        link = _LINK.match(done.instruction)
        self._say(markdown.link(text, link[1]) if link and text.strip() else text)

    def _say(self, text: str) -> None:
        if not self._fields:
            self._said.append(text)
        elif (result := self._fields[-1].result) is not None:
            result.append(text)
