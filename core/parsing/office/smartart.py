"""SmartArt: its data model (ECMA-376 part 1, 21.4.3) is a tree whose layout says what the tree stands for."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from core.parsing import markdown
from core.parsing.diagrams.graph import Edge, Graph, Node
from core.parsing.office.drawingml import plain
from core.parsing.office.package import Element, whole

_DEEPEST = 50


@dataclass(slots=True)
class _Point:
    id: str
    text: str
    assistant: bool
    children: list["_Point"] = field(default_factory=list)
    onward: str = ""
    """What is written on the arrow to the next point."""


def smartart_text(root: Element, layout: Element | None) -> str:
    """A hierarchy reads `parent -> child`, a process `step -> next step`, a list as a list. Empty without any text.
    `layout` is the root of the layout's definition, which knows the category when the model does not say it.
    """
    points = {_id(point): _point(point) for point in root.iterfind("{*}ptLst/{*}pt")}
    document = next((point for point in root.iterfind("{*}ptLst/{*}pt") if point.get("type") == "doc"), None)
    if document is None or not any(point.text for point in points.values()):
        return ""
    _link(root, points)
    category = _category(document, layout)
    top = points[_id(document)].children
    return markdown.join([f"Diagram ({category}):" if category else "Diagram:", _drawn(category, top)])


def _drawn(category: str, top: list[_Point]) -> str:
    if category == "hierarchy" or (category in {"cycle", "relationship"} and len(top) == 1 and top[0].children):
        return _tree(top, directed=category == "hierarchy").text()
    if category in {"process", "cycle"}:
        return _chain([point for point in top if point.text], closed=category == "cycle").text()
    return "\n".join(_list(top))


def _category(document: Element, layout: Element | None) -> str:
    settings = document.find("{*}prSet")
    said = "" if settings is None else str(settings.get("loCatId", ""))
    if said or layout is None:
        return said
    kinds = [str(kind.get("type", "")) for kind in layout.iterfind("{*}catLst/{*}cat")]
    return next((kind for kind in kinds if kind != "convert"), "")  # which only says what it can be made from


def _id(point: Element) -> str:
    return str(point.get("modelId", ""))


def _point(point: Element) -> _Point:
    return _Point(_id(point), plain(point.find("{*}t")), point.get("type") == "asst")


def _link(root: Element, points: dict[str, _Point]) -> None:
    """Hang each point below its parent, once, in the order of the drawing."""
    found = [cxn for cxn in root.iterfind("{*}cxnLst/{*}cxn") if cxn.get("type", "parOf") == "parOf"]
    placed: set[str] = set()
    for cxn in sorted(found, key=lambda cxn: whole(cxn.get("srcOrd"))):
        parent, child = points.get(cxn.get("srcId", "")), points.get(cxn.get("destId", ""))
        if parent is None or child is None or child.id in placed:
            continue
        placed.add(child.id)
        parent.children.append(child)
        arrow = points.get(cxn.get("sibTransId", ""))
        child.onward = arrow.text if arrow else ""


def _below(points: list[_Point], depth: int = 0) -> Iterator[tuple[_Point, _Point]]:
    """Each parent with each child, from the top."""
    for point in points if depth < _DEEPEST else ():
        yield from ((point, child) for child in point.children)
        yield from _below(point.children, depth + 1)


def _tree(top: list[_Point], *, directed: bool) -> Graph:
    pairs = list(_below(top))
    edges = [Edge(a.id, b.id, "assistant" if b.assistant else "", "->" if directed else "-") for a, b in pairs]
    nodes = {point.id: Node(point.id, point.text) for point in [*top, *(child for _parent, child in pairs)]}
    return Graph(tuple(nodes.values()), tuple(edges))


def _chain(steps: list[_Point], *, closed: bool) -> Graph:
    following = [*steps[1:], *steps[:1]] if closed and len(steps) > 1 else steps[1:]
    edges = [Edge(step.id, after.id, step.onward) for step, after in zip(steps, following, strict=False)]
    nodes = [Node(step.id, step.text, details=tuple(b.text for _a, b in _below([step]) if b.text)) for step in steps]
    return Graph(tuple(nodes), tuple(edges))


def _list(points: list[_Point], indent: int = 0, depth: int = 0) -> Iterator[str]:
    """A point without text is no level to a reader, but it may stand below itself."""
    for point in points if depth < _DEEPEST else ():
        if point.text:
            yield "  " * indent + f"- {point.text}"
        yield from _list(point.children, indent + bool(point.text), depth + 1)
