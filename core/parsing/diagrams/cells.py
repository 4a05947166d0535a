"""A page of draw.io: its cells (shapes, lines, layers) as a graph."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lxml import etree

from core.parsing.diagrams.ends import Mark, connection
from core.parsing.diagrams.graph import Edge, Graph, Group, Node
from core.parsing.diagrams.labels import plain

MAX_CELLS = 20_000
_DEEPEST = 30  # levels of shapes within shapes
_MOST_ROWS = 1_000  # of one list or table
_MOST_PLACEHOLDERS = 20  # in one label

_POINTED = frozenset({"classic", "classicThin", "open", "openThin", "openAsync", "block", "blockThin", "async"})
_COUNTS = {
    "ERone": "one",
    "ERmandOne": "exactly one",
    "ERmany": "many",
    "ERoneToMany": "one or more",
    "ERzeroToOne": "zero or one",
    "ERzeroToMany": "zero or more",
}
_ROWS = frozenset({"text", "line", "partialRectangle", "tableRow"})
"""Shapes that are lines within a box when they stand in a list or a table."""
_PLACEHOLDER = re.compile(r"%([\w .-]{1,100})%")
_NO_DETAIL = frozenset({"id", "label", "placeholders", "placeholder", "link", "tooltip", "tags"})


@dataclass(frozen=True, slots=True)
class _Cell:
    id: str
    parent: str
    kind: str
    """vertex, edge, or empty for a layer."""
    value: str
    style: Mapping[str, str]
    source: str
    target: str
    x: float
    """Of an edge's label: from -1 at the edge's start to 1 at its end."""
    visible: bool
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def shape(self) -> str:
        """What it is drawn as; empty for a plain box."""
        first = next(iter(self.style), "")
        return self.style.get("shape") or (first if not self.style.get(first) else "")

    @property
    def symbol(self) -> str:
        """What the picture on it stands for: `(lambda_function)`, `(Function_Apps)`, else its shape."""
        image = self.style.get("image", "")
        icon = "" if image.startswith("data:") else image.rpartition("/")[2].partition(".")[0]
        return f"({icon or (self.style.get('resIcon') or self.shape or 'box').rpartition('.')[2]})"


def read(model: etree._Element, page: str, number: int, pages: Mapping[str, str]) -> Graph:
    """The drawing. `pages` gives the names of the file's pages by id, for links between them."""
    cells: dict[str, _Cell] = {}
    lost: tuple[str, ...] = ()
    for cell in _cells(model):
        if len(cells) == MAX_CELLS:
            lost = (f"all after the first {MAX_CELLS:,} shapes",)
            break
        cells.setdefault(cell.id, cell)
    return _Page(cells, {"page": page, "pagenumber": str(number)}, pages).graph(lost)


def _cells(model: etree._Element) -> Iterator[_Cell]:
    for number, element in enumerate(model.iterfind("root/*")):
        if not isinstance(element.tag, str):
            continue  # a comment
        cell = element if element.tag == "mxCell" else element.find("mxCell")
        if cell is None:
            continue
        wrapper = None if element is cell else element
        geometry = cell.find("mxGeometry")
        yield _Cell(
            id=element.get("id") or cell.get("id") or f"#{number}",
            parent=cell.get("parent", ""),
            kind="edge" if cell.get("edge") == "1" else "vertex" if cell.get("vertex") == "1" else "",
            value=(cell if wrapper is None else wrapper).get("value" if wrapper is None else "label", ""),
            style=_style(cell.get("style", "")),
            source=cell.get("source", ""),
            target=cell.get("target", ""),
            x=_number("" if geometry is None else geometry.get("x", "")),
            visible=cell.get("visible") != "0",
            attributes={} if wrapper is None else {str(key): str(value) for key, value in wrapper.attrib.items()},
        )


def _style(text: str) -> dict[str, str]:
    parts = (part.partition("=") for part in text.split(";") if part.strip())
    return {name.strip(): value.strip() for name, _, value in parts}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


class _Page:
    """The cells of one page, and what each of them is."""

    def __init__(self, cells: Mapping[str, _Cell], variables: Mapping[str, str], pages: Mapping[str, str]) -> None:
        self._cells = cells
        self._variables = variables
        self._pages = pages
        self._children: dict[str, list[_Cell]] = defaultdict(list)
        for cell in cells.values():
            self._children[cell.parent].append(cell)
        self._ends = {end for cell in cells.values() if cell.kind == "edge" for end in (cell.source, cell.target)}
        self._row_of: dict[str, str] = {}
        """The list or table that a cell is a line of."""
        for cell in cells.values():
            rows = self._rows(cell)
            self._row_of.update((row.id, cell.id) for row in rows if row.id not in self._row_of)
        self._groups = {cell.id for cell in cells.values() if self._is_group(cell)}

    def graph(self, lost: tuple[str, ...]) -> Graph:
        nodes, groups, notes, edges = [], [], [], []
        loose = 0
        for cell in self._cells.values():
            if cell.kind == "edge":
                edge = self._edge(cell)
                if edge.source is None and edge.target is None and not edge.label:
                    loose += 1
                else:
                    edges.append(edge)
            elif cell.id in self._row_of or (cell.kind == "vertex" and self._kind(cell.parent) == "edge"):
                continue  # told with its table or its edge
            elif cell.id in self._groups:
                groups.append(Group(cell.id, self._label(cell) + self._hidden(cell), self._group_of(cell)))
            elif cell.kind == "vertex" and self._is_note(cell):
                notes.append("; ".join([self._label(cell) + self._hidden(cell), *self._details(cell)]))
            elif cell.kind == "vertex" and (self._label(cell) or cell.id in self._ends or cell.attributes):
                nodes.append(self._node(cell))
        if loose:
            lost = (*lost, f"{loose} of the lines, attached to nothing at either end and without a label")
        return Graph(tuple(nodes), tuple(edges), tuple(groups), tuple(notes), lost)

    def _kind(self, cell_id: str) -> str:
        cell = self._cells.get(cell_id)
        return cell.kind if cell else ""

    def _above(self, cell: _Cell) -> Iterator[_Cell]:
        """What it stands in, innermost first."""
        for _ in range(_DEEPEST):
            parent = self._cells.get(cell.parent)
            if parent is None or parent is cell:
                return
            yield parent
            cell = parent

    def _rows(self, cell: _Cell) -> list[_Cell]:
        """The lines of a list or table, cells included; none if it is any other shape, or holds any."""
        if cell.kind != "vertex" or not ("childLayout" in cell.style or cell.shape == "table"):
            return []
        rows: list[_Cell] = []
        waiting = list(self._children[cell.id])
        while waiting:
            row = waiting.pop()
            if row.kind != "vertex" or row.shape not in _ROWS or len(rows) == _MOST_ROWS or row is cell:
                return []
            rows.append(row)
            waiting += self._children[row.id]
        return rows

    def _is_group(self, cell: _Cell) -> bool:
        """A shape around shapes. One that nobody named or points at is only for moving them together."""
        if cell.kind == "":
            return not cell.visible and bool(self._children[cell.id])
        holds = any(child.kind == "vertex" and child.id not in self._row_of for child in self._children[cell.id])
        return holds and (bool(self._label(cell)) or cell.id in self._ends)

    def _group_of(self, cell: _Cell) -> str | None:
        return next((above.id for above in self._above(cell) if above.id in self._groups), None)

    def _is_note(self, cell: _Cell) -> bool:
        return cell.shape in {"text", "note"} and cell.id not in self._ends and bool(self._label(cell))

    def _node(self, cell: _Cell) -> Node:
        name = self._label(cell) or cell.symbol
        lines = [self._line(row) for row in self._children[cell.id] if row.id in self._row_of]
        details = (*filter(None, lines), *self._details(cell))
        return Node(cell.id, name + self._hidden(cell), self._group_of(cell), details)

    def _line(self, row: _Cell) -> str:
        """A row's text: its own, or that of its cells."""
        return " ".join(filter(None, [self._label(row), *(self._label(cell) for cell in self._children[row.id])]))

    def _hidden(self, cell: _Cell) -> str:
        if cell.visible:
            return ""
        return " (hidden)" if cell.kind else "(hidden layer)" if not cell.value else " (hidden layer)"

    def _edge(self, cell: _Cell) -> Edge:
        labels = sorted((child for child in self._children[cell.id] if child.kind == "vertex"), key=lambda at: at.x)
        style = cell.style
        start, end = style.get("startArrow", "none"), style.get("endArrow", "classic")
        source, target = self._end(cell.source), self._end(cell.target)
        rows = [self._line(self._cells[at]) if at in self._row_of else "" for at in (cell.source, cell.target)]
        at_rows = f"(from {rows[0] or 'the box'} to {rows[1] or 'the box'})" if any(rows) else ""
        texts = [self._label(cell), *(self._label(label) for label in labels), *self._details(cell), at_rows]
        return connection(
            source,
            target,
            (_mark(start, style.get("startFill")), _mark(end, style.get("endFill"))),
            label="; ".join(filter(None, texts)),
            counts=(_COUNTS.get(start, ""), _COUNTS.get(end, "")),
            dashed=style.get("dashed") == "1",
            condition="" if all(at.visible for at in (cell, *self._above(cell))) else "hidden",
        )

    def _end(self, cell_id: str) -> str | None:
        """The node or group at a line's end; None if it ends nowhere, or at another line."""
        cell = self._cells.get(self._row_of.get(cell_id, cell_id))
        return cell.id if cell is not None and cell.kind == "vertex" else None

    def _label(self, cell: _Cell) -> str:
        value = cell.value
        if cell.attributes.get("placeholders") == "1":
            value = _PLACEHOLDER.sub(
                lambda found: self._variable(cell, found[1]) or found[0], value, count=_MOST_PLACEHOLDERS
            )
        return plain(value) if cell.style.get("html") == "1" else " ".join(value.split())

    def _variable(self, cell: _Cell, name: str) -> str:
        for at in (cell, *self._above(cell)):
            if name in at.attributes and name != "label":
                return at.attributes[name]
        return self._variables.get(name, "")

    def _details(self, cell: _Cell) -> list[str]:
        """A shape's own data, its link and its tooltip."""
        told = cell.attributes
        details = [f"{name}: {plain(value)}" for name, value in told.items() if name not in _NO_DETAIL and value]
        if tooltip := told.get("tooltip"):
            details.append(f"tooltip: {plain(tooltip)}")
        link = told.get("link", "")
        if link.startswith("data:page/id,"):
            details.append(f"link to the page {self._pages.get(link.partition(',')[2], 'that is not there')}")
        elif link and not link.startswith("data:"):
            details.append(f"link: {link}")
        return details


def _mark(arrow: str, fill: str | None) -> Mark:
    hollow = fill == "0"
    if arrow in {"block", "blockThin"} and hollow:
        return "triangle"
    if arrow in {"diamond", "diamondThin"}:
        return "hollow diamond" if hollow else "diamond"
    return "arrow" if arrow in _POINTED else ""
