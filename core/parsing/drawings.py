"""Files that hold a diagram as text or XML, and Markdown with diagrams in it."""

from collections.abc import Iterable

from core.parsing import markdown
from core.parsing.diagrams import drawio, mermaid, plantuml, prose
from core.parsing.diagrams.graph import Graph, NotAGraph
from core.parsing.parsed import Parsed, unreadable
from core.parsing.text import decoded


def parse_drawio(_name: str, data: bytes) -> Parsed:
    """draw.io, alone or within a picture."""
    return drawio.parse(data)


def parse_mermaid(_name: str, data: bytes) -> Parsed:
    """What the diagram says, and its source."""
    return _drawn(decoded(data), "mermaid")


def parse_plantuml(_name: str, data: bytes) -> Parsed:
    """What the diagrams say, and their source."""
    return _drawn(decoded(data), "plantuml")


def parse_markdown(_name: str, data: bytes) -> Parsed:
    """The text as it is. What a diagram in it says stands below the diagram."""
    text, unread = prose.read(decoded(data))
    return Parsed(text, unread=unread) if text.strip() else unreadable("it is empty")


def _drawn(source: str, kind: str) -> Parsed:
    said, unread = _said(source, kind)
    return Parsed(markdown.join([said, markdown.fence(source, kind)]), unread=unread)


def _said(source: str, kind: str) -> tuple[str, tuple[str, ...]]:
    """What a diagram's text says, and what of it could not be read."""
    try:
        graphs: Iterable[Graph] = (mermaid.read(source),) if kind.lower() == "mermaid" else plantuml.read(source)
    except NotAGraph as error:
        reason = f"diagram not read: {error}"
        return f"[{reason}]", (reason,)
    held = tuple(graphs)
    return markdown.join(graph.text() for graph in held), tuple(
        f"of a diagram not read: {reason}" for graph in held for reason in graph.unread()
    )
