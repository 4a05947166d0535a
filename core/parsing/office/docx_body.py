"""Blocks of a text document: headings, paragraphs, lists, tables, text boxes (ECMA-376 part 1, 17.2 to 17.4)."""

from collections.abc import Iterator, Mapping

from core.parsing import markdown
from core.parsing.office.docx_runs import Runs
from core.parsing.office.docx_styles import Numbering, Styles, numbered, outline_level, value
from core.parsing.office.package import Element, Package, local, whole
from core.parsing.office.pictures import Pictures
from core.parsing.office.shapes import Drawing

_GRAPHICS = ("chart", "relIds", "OLEObject")


class Body:
    """Reads one part of a document: its body, its notes, a header."""

    def __init__(
        self,
        package: Package,
        part: str,
        styles: Styles,
        numbering: Numbering,
        pictures: Pictures,
        notes: Mapping[tuple[str, str], str],
    ) -> None:
        self._styles = styles
        self._numbering = numbering
        self._pictures = pictures
        self._graphics = Drawing(package, part, "", pictures)
        self._relations = package.relations(part)
        self._runs = Runs(self._relations, notes, self._drawing)
        self._aside: list[str] = []
        self._carried = ""

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
            match local(element):
                case "p":
                    yield from self._paragraph(element)
                case "tbl":
                    yield from ((block, False) for block in self._table(element))
                case "altChunk":
                    yield self._graphics.lost("embedded document not read"), False
                case "del" | "moveFrom" | "sdtPr" | "sdtEndPr":
                    continue
                case _:
                    yield from self._items(element)

    def _paragraph(self, paragraph: Element) -> Iterator[tuple[str, bool]]:
        aside, self._aside = self._aside, []
        properties = paragraph.find("{*}pPr")
        style = self._styles.get("" if properties is None else value(properties.find("{*}pStyle")))
        text = self._carried + self._runs.text(paragraph)
        self._carried = ""
        if properties is not None and properties.find("{*}rPr/{*}del") is not None:
            self._carried = text  # its end was deleted, so that the next paragraph goes on with it
        elif (text := text.strip()) and not style.name.lower().startswith("toc "):
            place = numbered(properties) or style.numbered
            label = self._numbering.label(place) if place else ""
            heading = outline_level(properties) or style.heading
            if heading is not None:
                yield markdown.heading(heading, f"{label.removeprefix('-')} {text}"), False
            elif label and place:
                item = markdown.item(label, [text])
                indent = "  " * place.level
                yield indent + item.replace("\n", f"\n{indent}"), True
            else:
                yield text, False
        beside, self._aside = self._aside, aside
        yield from ((block, False) for block in beside)

    def _table(self, table: Element) -> list[str]:
        above: dict[int, str] = {}
        rows = [self._row(row, above) for row in _rows(table)]
        if len(rows) == 1 and len(rows[0]) == 1:
            return [rows[0][0]]  # a frame around text
        return [markdown.table(rows)]

    def _row(self, row: Element, above: dict[int, str]) -> list[str]:
        """The cells of a row; `above` holds the last row's by column, of which merged ones go on."""
        cells = [""] * min(_span(row.find("{*}trPr/{*}gridBefore"), 0), 100)
        for cell in row.iter("{*}tc"):
            if next(cell.iterancestors("{*}tr")) is not row:
                continue  # of a table within a cell
            properties = cell.find("{*}tcPr")
            merged = None if properties is None else properties.find("{*}vMerge")
            column = len(cells)
            if merged is not None and value(merged) != "restart" and column in above:
                text = above[column]
            else:
                text = "\n".join(self.blocks(cell))
            above[column] = text
            span = _span(None if properties is None else properties.find("{*}gridSpan"), 1)
            cells += [text, *[""] * (min(span, 100) - 1)]
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
                marks.append(self._pictures.text(holder, self._relations, "", _alternative(element)))
        if next(element.iter("{*}cNvCnPr"), None) is not None:
            marks.append(self._graphics.lost("lines between the shapes of a drawing not read"))
        return f" {' '.join(marks)} " if marks else ""


def _rows(table: Element) -> Iterator[Element]:
    """The rows that are left once changes are accepted."""
    for row in table.iter("{*}tr"):
        if next(row.iterancestors("{*}tbl")) is table and row.find("{*}trPr/{*}del") is None:
            yield row


def _outermost(box: Element, drawing: Element) -> bool:
    for above in box.iterancestors():
        if above is drawing:
            return True
        if local(above) == "txbxContent":
            return False
    return True


def _span(element: Element | None, otherwise: int) -> int:
    return whole(value(element), otherwise)


def _alternative(drawing: Element) -> str:
    properties = next(drawing.iter("{*}docPr"), None)
    return "" if properties is None else properties.get("descr") or properties.get("title") or ""
