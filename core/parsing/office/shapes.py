"""A drawing's shapes as text: on a slide, on a sheet. Connectors become a graph.

Shapes are read as elements, since python-pptx tells neither what connectors join, nor their heads, nor alternative
texts, and knows no drawings on sheets.
"""

from collections.abc import Iterator

from core.parsing import markdown
from core.parsing.diagrams.ends import connection
from core.parsing.diagrams.graph import LONGEST_LABEL, Edge, Graph, Node
from core.parsing.office import drawingml
from core.parsing.office.charts import chart_text
from core.parsing.office.connectors import Connector, Frame, Shape, labels, read_connector
from core.parsing.office.errors import PartUnreadable
from core.parsing.office.package import Element, Part, is_on, local, reference, target, xml
from core.parsing.office.pictures import Pictures
from core.parsing.office.smartart import smartart_text

_DEEPEST = 60
# Placeholders that are no part of a drawing's own content.
_FRAMING = frozenset({"title", "ctrTitle", "sldNum", "dt", "sldImg", "hdr", "ftr"})
_MEDIA = {"videoFile": "video", "quickTimeFile": "video", "audioFile": "sound", "wavAudioFile": "sound"}


class Drawing:
    """Reads the shapes of one part. `where` is `on slide 3`."""

    def __init__(self, part: Part, where: str, pictures: Pictures) -> None:
        self._part = part
        self._where = where
        self._pictures = pictures
        self._found: list[Shape | Connector | str] = []
        self._names: dict[str, str] = {}
        self._bulleted = True
        self.unread: list[str] = []
        self.wordless = 0
        """Shapes that hold no text."""

    def read(self, tree: Element, *, bulleted: bool = True) -> list[str]:
        """Blocks in the order of the drawing, each text once; at the end what its connectors join. Paragraphs of
        placeholders for text are items of a list, unless they say otherwise, when `bulleted`.
        """
        self._bulleted = bulleted
        self._walk(tree, Frame(), 0)
        connectors = [item for item in self._found if isinstance(item, Connector)]
        shapes = [item for item in self._found if isinstance(item, Shape)]
        tags = labels(connectors, shapes)
        ends = {end for line in connectors for end in (line.source, line.target)}
        told = {shape.id for shape in shapes if shape.id in ends and len(shape.words) <= LONGEST_LABEL}
        told |= {shape.id for shape in tags.values()}
        blocks: list[str] = []
        for item in self._found:
            if isinstance(item, str):
                blocks.append(item)
            elif isinstance(item, Shape) and item.id not in told:
                blocks += item.blocks
        return [*blocks, self._graph(connectors, tags)]

    def graphic(self, content: Element) -> str:
        """A table, a chart, a SmartArt or an embedded file as text; what cannot be read is said."""
        match local(content):
            case "tbl":
                return drawingml.table(content, self._part)
            case "chart":
                return self._chart(content)
            case "relIds":
                return self._smartart(content)
            case "oleObj" | "OLEObject":
                name = content.get("name") or "object"
                program = content.get("progId") or content.get("ProgID")
                return self.lost(f"embedded file not read: {name}{f' ({program})' if program else ''}")
            case other:
                return self.lost(f"{other} not read")

    def lost(self, what: str, reason: str = "") -> str:
        """Note something as unread; gives what stands in its place."""
        said = markdown.clean(
            " ".join(part for part in (what, self._where) if part) + (f": {reason}" if reason else "")
        )
        self.unread.append(said)
        return f"[{said}]"

    def _walk(self, tree: Element, frame: Frame, depth: int) -> None:
        if depth > _DEEPEST:
            self._found.append(self.lost("shapes nested too deeply not read"))
            return
        for element in tree:
            match local(element):
                case "sp":
                    self._shape(element, frame)
                case "cxnSp":
                    self._found.append(read_connector(element, frame))
                case "pic":
                    self._found += self._picture(element)
                case "graphicFrame":
                    self._found += self._graphics(element)
                case "contentPart":
                    self._found.append(self.lost("handwriting not read"))
                case "grpSp":
                    self._names[_key(element)] = _name(element)
                    self._walk(element, frame.within(element), depth + 1)
                case "twoCellAnchor" | "oneCellAnchor" | "absoluteAnchor":
                    self._walk(element, frame, depth + 1)

    def _shape(self, element: Element, frame: Frame) -> None:
        kind = placeholder(element)
        body = element.find("{*}txBody")
        key = _key(element)
        if kind in _FRAMING:
            self._names[key] = drawingml.plain(body)
            return
        bulleted = self._bulleted and kind in {"body", "obj"}
        blocks = [] if body is None else drawingml.blocks(body, self._part, bulleted=bulleted)
        if element.find("{*}spPr/{*}blipFill") is not None:
            blocks.append(self._pictures.text(element, self._part, self._where, _alternative(element)))
        self._names[key] = markdown.one_line(" ".join(blocks)) or _name(element)
        self.wordless += not blocks and kind is None
        if blocks:
            settings = element.find("{*}nvSpPr/{*}cNvSpPr")
            floating = settings is not None and is_on(settings.get("txBox"))
            self._found.append(Shape(key, tuple(blocks), floating, frame.box(element)))

    def _picture(self, element: Element) -> Iterator[str]:
        self._names[_key(element)] = _alternative(element) or _name(element)
        for name, kind in _MEDIA.items():
            if element.find(f"{{*}}nvPicPr/{{*}}nvPr/{{*}}{name}") is not None:
                yield self.lost(f"{kind} not read: {_name(element) or 'unnamed'}")
        yield self._pictures.text(element, self._part, self._where, _alternative(element))

    def _graphics(self, element: Element) -> Iterator[str]:
        self._names[_key(element)] = _alternative(element) or _name(element)
        for content in element.iterfind("{*}graphic/{*}graphicData/*"):
            yield self.graphic(content)
            if local(content) == "oleObj" and (preview := content.find("{*}pic")) is not None:
                yield self._pictures.text(preview, self._part, self._where, _alternative(element))

    def _chart(self, content: Element) -> str:
        try:
            text = chart_text(xml(target(self._part, reference(content))))
        except PartUnreadable as error:
            return self.lost("chart not read", str(error))
        return text or self.lost("chart not read", "its kind is not known")

    def _smartart(self, content: Element) -> str:
        try:
            part = target(self._part, reference(content, "dm"))
            layout = xml(target(self._part, reference(content, "lo"))) if reference(content, "lo") else None
        except PartUnreadable as error:
            return self.lost("SmartArt not read", str(error))
        root = xml(part)
        images = [blip.getparent() for blip in root.iter("{*}blip")]
        marks = [self._pictures.text(image, part, self._where, "") for image in images]
        return markdown.join([smartart_text(root, layout) or "[SmartArt without text]", *marks])

    def _graph(self, connectors: list[Connector], tags: dict[int, Shape]) -> str:
        edges: list[Edge] = []
        loose = 0
        for number, line in enumerate(connectors):
            if line.source is None and line.target is None:
                loose += any(line.marks)
                continue
            label = tags[number].words if number in tags else ""
            edges.append(connection(line.source, line.target, line.marks, label=label, dashed=line.dashed))
        used = dict.fromkeys(end for edge in edges for end in (edge.source, edge.target) if end is not None)
        nodes = tuple(Node(key, self._names.get(key, "")) for key in used)
        lost = (f"arrows that are attached to no shape: {loose}",) if loose else ()
        graph = Graph(nodes, tuple(edges), lost=lost)
        self.unread += [f"of the diagram {self._where}: {what}" for what in graph.unread()]
        return graph.text()


def placeholder(shape: Element) -> str | None:
    """The kind of placeholder that a shape fills; None for a shape of its own."""
    found = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
    return None if found is None else str(found.get("type", "obj"))


def _properties(element: Element, *names: str) -> str:
    found = element.find("./*/{*}cNvPr")
    values = [] if found is None else [found.get(name, "") for name in names]
    return markdown.one_line(next((value for value in values if value.strip()), ""))


def _key(element: Element) -> str:
    return _properties(element, "id")


def _name(element: Element) -> str:
    return _properties(element, "name")


def _alternative(element: Element) -> str:
    return _properties(element, "descr", "title")
