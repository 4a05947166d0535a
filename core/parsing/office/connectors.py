"""Lines between shapes, where shapes stand, and the texts that people put beside lines as their labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.parsing import markdown
from core.parsing.diagrams.ends import Mark
from core.parsing.office.package import Element

_LONGEST_TAG = 60  # characters of a text that may be a line's label
_NEAR = 274_320  # English Metric Units (0.3 inch) from a line's middle to the text beside it
_MOST_PAIRS = 1_000_000  # of lines and texts that are compared
_MARKS: Mapping[str, Mark] = {"triangle": "arrow", "arrow": "arrow", "stealth": "arrow", "diamond": "hollow diamond"}


@dataclass(frozen=True, slots=True)
class Frame:
    """From a group's coordinates to those of the drawing: `offset + scale * value`, in English Metric Units."""

    x: float = 0
    y: float = 0
    across: float = 1
    down: float = 1

    def within(self, group: Element) -> "Frame":
        """The frame for a group's members (ECMA-376 part 1, 20.1.7.5)."""
        transform = group.find("{*}grpSpPr/{*}xfrm")
        if transform is None:
            return self
        x, y = _pair(transform, "off", "x", "y")
        width, height = _pair(transform, "ext", "cx", "cy")
        inner_x, inner_y = _pair(transform, "chOff", "x", "y")
        inner_width, inner_height = _pair(transform, "chExt", "cx", "cy")
        across = self.across * (width / inner_width if inner_width else 1)
        down = self.down * (height / inner_height if inner_height else 1)
        left, top = self.x + self.across * x, self.y + self.down * y
        return Frame(left - across * inner_x, top - down * inner_y, across, down)

    def box(self, shape: Element) -> "Box":
        transform = shape.find("{*}spPr/{*}xfrm")
        if transform is None:
            return Box()
        x, y = _pair(transform, "off", "x", "y")
        extent = _pair(transform, "ext", "cx", "cy")
        width, height = self.across * extent[0], self.down * extent[1]
        return Box(self.x + self.across * x + width / 2, self.y + self.down * y + height / 2, width, height)


@dataclass(frozen=True, slots=True)
class Box:
    """Where a shape stands in the drawing; of no size when the shape does not say."""

    x: float = 0
    """Of its middle."""
    y: float = 0
    width: float = 0
    height: float = 0


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape with text of its own."""

    id: str
    blocks: tuple[str, ...]
    floating: bool
    """A bare text box, which may label a line."""
    box: Box

    @property
    def words(self) -> str:
        return markdown.one_line(" ".join(self.blocks))


@dataclass(frozen=True, slots=True)
class Connector:
    """A line; an end that is None is attached to no shape."""

    source: str | None
    target: str | None
    marks: tuple[Mark, Mark]
    """At its two ends."""
    dashed: bool
    box: Box


def read_connector(element: Element, frame: Frame) -> Connector:
    """From a `cxnSp` element."""
    ends = [element.find(f"{{*}}nvCxnSpPr/{{*}}cNvCxnSpPr/{{*}}{name}") for name in ("stCxn", "endCxn")]
    source, target = (None if end is None else end.get("id") for end in ends)
    head, tail = (_mark(element.find(f"{{*}}spPr/{{*}}ln/{{*}}{name}")) for name in ("headEnd", "tailEnd"))
    dash = element.find("{*}spPr/{*}ln/{*}prstDash")
    dashed = dash is not None and "dash" in dash.get("val", "").lower()
    return Connector(source, target, (head, tail), dashed, frame.box(element))


def labels(connectors: Sequence[Connector], shapes: Sequence[Shape]) -> dict[int, Shape]:
    """The short free text at each connector's middle, by the connector's number. The format has no label for a
    connector: people put a text box beside it.
    """
    ends = {end for line in connectors for end in (line.source, line.target)}
    free = [one for one in shapes if one.floating and one.id not in ends and len(one.words) <= _LONGEST_TAG]
    found: dict[int, Shape] = {}
    taken: set[int] = set()
    for _distance, number, at in sorted(_pairs(connectors, free)):
        if number not in found and at not in taken:
            found[number] = free[at]
            taken.add(at)
    return found


def _pairs(connectors: Sequence[Connector], free: Sequence[Shape]) -> Iterator[tuple[float, int, int]]:
    """Distance, connector and text of all that are near each other."""
    if len(connectors) * len(free) > _MOST_PAIRS:
        return
    for number, line in enumerate(connectors):
        for at, shape in enumerate(free if line.source and line.target else ()):
            beside = abs(shape.box.x - line.box.x) - shape.box.width / 2
            above = abs(shape.box.y - line.box.y) - shape.box.height / 2
            if max(beside, above) <= _NEAR and shape.box.width:
                yield max(beside, 0) + max(above, 0), number, at


def _mark(end: Element | None) -> Mark:
    return "" if end is None else _MARKS.get(end.get("type", ""), "")


def _pair(transform: Element, name: str, first: str, second: str) -> tuple[int, int]:
    found = transform.find(f"{{*}}{name}")
    values = ("0", "0") if found is None else (found.get(first, "0"), found.get(second, "0"))
    a, b = (int(value) if value.lstrip("-").isdecimal() and len(value) < 16 else 0 for value in values)
    return a, b
