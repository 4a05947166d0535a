"""A paragraph's text: tracked changes, fields, links, notes and comments within it.

ECMA-376 part 1, 17.3 (runs), 17.13 (changes, notes, comments) and 17.16 (fields).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.parsing import markdown
from core.parsing.office.docx_styles import value, value_of
from core.parsing.office.package import Element, Relation, local, related

_LEFT_OUT = frozenset(
    {"del", "moveFrom", "pPr", "rPr", "sdtPr", "sdtEndPr", "rt", "instrText", "delText", "delInstrText"}
)
_PAGES = frozenset({"PAGE", "NUMPAGES", "SECTIONPAGES", "PAGEREF"})  # fields whose text no author wrote
_LINK = re.compile(r'\s*HYPERLINK\s+"([^"]+)"')
_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


@dataclass(slots=True)
class _Field:
    """A field that is open: its instruction, then its result."""

    instruction: str = ""
    result: list[str] | None = None


@dataclass(slots=True)
class Runs:
    """Reads the paragraphs of one part."""

    relations: Mapping[str, Relation]
    notes: Mapping[tuple[str, str], str]
    """What stands for a reference, by its kind (`footnoteReference`) and id."""
    drawing: Callable[[Element], str]
    """What a drawing or an embedded object gives within the line."""
    _fields: list[_Field] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)

    def text(self, paragraph: Element) -> str:
        """The text with its line breaks. What was deleted is left out, what was inserted is kept."""
        around = self._fields, self._parts  # a text box within a paragraph holds paragraphs of its own
        self._fields, self._parts = [], []
        self._inside(paragraph)
        while self._fields:
            self._close()
        text = "".join(self._parts).replace("~~~~", "")
        self._fields, self._parts = around
        return text

    def _inside(self, element: Element) -> None:
        for child in element:
            self._read(child)

    def _read(self, element: Element) -> None:
        name = local(element)
        match name:
            case "instrText" if self._fields and self._fields[-1].result is None:
                self._fields[-1].instruction += element.text or ""
            case _ if name in _LEFT_OUT:
                return
            case "r":
                self._run(element)
            case "t":
                self._say(element.text or "")
            case _ if name in _SIGNS:
                self._say("" if value_of(element, "type") == "page" else _SIGNS[name])
            case "fldChar":
                self._field(value_of(element, "fldCharType"))
            case "fldSimple":
                self._fields.append(_Field(value_of(element, "instr"), []))
                self._inside(element)
                self._close()
            case "hyperlink":
                relation = self.relations.get(related(element))
                self._fields.append(_Field(f'HYPERLINK "{relation.target}"' if relation else "", []))
                self._inside(element)
                self._close()
            case "footnoteReference" | "endnoteReference" | "commentReference":
                self._say(self.notes.get((name, value_of(element, "id")), ""))
            case "drawing" | "pict" | "object":
                self._say(self.drawing(element))
            case _:
                self._inside(element)

    def _run(self, run: Element) -> None:
        properties = run.find("{*}rPr")
        marks = (
            {local(mark) for mark in properties if value(mark) not in {"0", "false"}}
            if properties is not None
            else set()
        )
        if not marks & {"strike", "dstrike", "vanish"} or run.find("{*}t") is None:
            self._inside(run)
            return
        struck = "~~" if marks & {"strike", "dstrike"} else ""
        self._say(struck)
        self._inside(run)
        self._say(struck + (" (hidden)" if "vanish" in marks else ""))

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
        if done.instruction.split()[:1] and done.instruction.split()[0].upper() in _PAGES:
            return
        link = _LINK.match(done.instruction)
        self._say(markdown.link(text, link[1]) if link and text.strip() else text)

    def _say(self, text: str) -> None:
        if not self._fields:
            self._parts.append(text)
        elif (result := self._fields[-1].result) is not None:
            result.append(text)
