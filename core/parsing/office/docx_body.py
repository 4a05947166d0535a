"""Blocks of a text document: headings, paragraphs, lists, tables, text boxes."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from docx.exceptions import PythonDocxError
from docx.opc.exceptions import OpcError
from docx.oxml.exceptions import InvalidXmlError
from docx.text.paragraph import Paragraph

from core.parsing import markdown
from core.parsing.office.docx_numbering import Numbering, numbered, outline_level
from core.parsing.office.docx_runs import Runs
from core.parsing.office.package import Element, Part, local
from core.parsing.office.pictures import Pictures
from core.parsing.office.shapes import Drawing

FOREIGN = (PythonDocxError, OpcError, InvalidXmlError, AttributeError, KeyError, TypeError, ValueError)
"""What python-docx raises where the XML is not as the schema wants it."""

_WIDEST = 100  # columns that a cell may take
_HEADING = re.compile(r"heading (\d)")
_GRAPHICS = ("chart", "relIds", "OLEObject")


class Body:
    """Reads one part of a document: its body, its notes, a header."""

    def __init__(
        self,
        part: Part,
        document: Any,
        numbering: Numbering,
        pictures: Pictures,
        notes: Mapping[tuple[str, str], str],
    ) -> None:
        self._part = part
        self._document = document
        self._numbering = numbering
        self._pictures = pictures
        self._graphics = Drawing(part, "", pictures)
        self._runs = Runs(part, notes, self._drawing)
        self._aside: list[str] = []

    @property
    def unread(self) -> list[str]:
        return self._graphics.unread

    def blocks(self, holder: Element) -> list[str]:
        """The blocks within an element, list items that follow each other as one."""
        found: list[list[str]] = []
        in_list = False
        for text, is_item in self._items(holder):
            if is_item and in_list:
                found[-1].append(text)
            else:
                found.append([text])
            in_list = is_item
        return ["\n".join(lines) for lines in found]

    def line(self, holder: Element) -> str:
        return markdown.one_line(" ".join(self.blocks(holder)))

    def _items(self, holder: Element) -> Iterator[tuple[str, bool]]:
        """Each block, and whether it is an item of a list."""
        for element in holder:
            aside = self._aside
            try:
                yield from list(self._block(element))
            except FOREIGN:
                self._aside = aside
                what = "table" if local(element) == "tbl" else "paragraph"
                yield self._graphics.lost(f"{what} not read", "it is damaged"), False

    def _block(self, element: Element) -> Iterator[tuple[str, bool]]:
        match local(element):
            case "p":
                yield from self._paragraph(element)
            case "tbl":
                yield self._table(element), False
            case "altChunk":
                yield self._graphics.lost("embedded document not read"), False

    def _paragraph(self, element: Element) -> Iterator[tuple[str, bool]]:
        aside, self._aside = self._aside, []
        style = Paragraph(element, self._document).style
        text = self._runs.text(element).strip()
        if text and not _name(style).startswith("toc "):
            properties = [element.pPr, *_properties(style)]
            place = next((found for one in properties if (found := numbered(one))), None)
            label = self._numbering.label(place) if place else ""
            heading = _heading(style, properties)
            if heading is not None:
                yield markdown.heading(heading, f"{label.removeprefix('-')} {text}"), False
            elif label and place:
                indent = "  " * place.level
                yield indent + markdown.item(label, [text]).replace("\n", f"\n{indent}"), True
            else:
                yield text, False
        beside, self._aside = self._aside, aside
        yield from ((block, False) for block in beside)

    def _table(self, table: Element) -> str:
        above: dict[int, str] = {}
        rows = [self._row(row, above) for row in table.tr_lst]
        if len(rows) == 1 and len(rows[0]) == 1:
            return rows[0][0]  # a frame around text
        return markdown.table(rows)

    def _row(self, row: Element, above: dict[int, str]) -> list[str]:
        """The cells of a row; `above` holds the last row's by column, of which merged ones go on: python-docx climbs
        up to the first of them for each, and ends in a RecursionError from a thousand rows.
        """
        cells = [""] * min(row.grid_before, _WIDEST)
        for cell in row.tc_lst:
            column = len(cells)
            if cell.vMerge != "continue" or column not in above:
                above[column] = "\n".join(self.blocks(cell))
            cells += [above[column], *[""] * (min(cell.grid_span, _WIDEST) - 1)]
        return cells

    def _drawing(self, element: Element) -> str:
        """Marks of what is within the line; text boxes come after the paragraph."""
        boxes = [box for box in element.iter("{*}txbxContent") if _outermost(box, element)]
        for box in boxes:
            self._aside += self.blocks(box)
        marks = []
        for found in element.iter("{*}pic", "{*}imagedata", *(f"{{*}}{name}" for name in _GRAPHICS)):
            if any(local(above) == "txbxContent" for above in found.iterancestors() if above in boxes):
                continue
            if local(found) in _GRAPHICS:
                self._aside.append(self._graphics.graphic(found))
            else:
                holder = found.getparent() if local(found) == "imagedata" else found
                marks.append(self._pictures.text(holder, self._part, "", _alternative(element)))
        if next(element.iter("{*}cNvCnPr"), None) is not None:
            marks.append(self._graphics.lost("lines between the shapes of a drawing not read"))
        return f" {' '.join(marks)} " if marks else ""


def _name(style: Any) -> str:
    return "" if style is None else (style.name or "").lower()


def _properties(style: Any) -> Iterator[Element]:
    """Of a style, and of those it is based on."""
    seen: set[str] = set()
    while style is not None and style.style_id not in seen:
        seen.add(style.style_id)
        yield style.element.pPr
        style = style.base_style


def _heading(style: Any, properties: list[Element]) -> int | None:
    """From 1, as deep as the outline goes; None for body text."""
    if (level := outline_level(properties[0])) is not None:
        return level
    if named := _HEADING.fullmatch(_name(style)):
        return int(named[1])
    if _name(style) == "title":
        return 1
    return next((level for one in properties[1:] if (level := outline_level(one)) is not None), None)


def _outermost(box: Element, drawing: Element) -> bool:
    for above in box.iterancestors():
        if above is drawing:
            return True
        if local(above) == "txbxContent":
            return False
    return True


def _alternative(drawing: Element) -> str:
    properties = next(drawing.iter("{*}docPr"), None)
    return "" if properties is None else properties.get("descr") or properties.get("title") or ""
