"""A graph while a diagram's text is read line by line."""

import re
from dataclasses import dataclass, field

from core.parsing.diagrams.graph import LONGEST_LABEL, MAX_DETAILS, MAX_EDGES, MAX_NODES, Edge, Graph, Group, Node

_MOST_LOST = 5  # lines that are named
_MOST_BLOCKS = 5  # of an edge's condition
_KEPT = 10  # times the graph's own limits: what is over those is counted, what is over this is not even kept


@dataclass(slots=True)
class _Box:
    label: str
    group: str | None
    details: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Block:
    kind: str
    title: str


class Builder:
    """Collects boxes, edges, groups and notes, in the order in which they are met.

    Boxes and groups are known by the ids of the text. A box stands in the group in which it is first met, as in every
    notation that is read here. Blocks are the frames around messages: they become the edges' conditions.
    """

    def __init__(self) -> None:
        self._boxes: dict[str, _Box] = {}
        self._groups: dict[str, tuple[str, str | None]] = {}
        self._edges: list[Edge] = []
        self._notes: list[str] = []
        self._lost: list[int] = []
        self._said: dict[str, None] = {}
        self._stack: list[str | None] = []
        self._blocks: list[_Block] = []

    @property
    def group(self) -> str | None:
        """The id of the group that is open."""
        return self._stack[-1] if self._stack else None

    @property
    def depth(self) -> int:
        return len(self._stack)

    @property
    def condition(self) -> str:
        """The innermost blocks that are open, outermost first."""
        open_now = self._blocks[-_MOST_BLOCKS:]
        return " > ".join(f"{block.kind}: {block.title}" if block.title else block.kind for block in open_now)

    @property
    def room(self) -> int:
        """How many more edges are kept."""
        return _KEPT * MAX_EDGES - len(self._edges)

    def box(self, key: str, label: str = "") -> str:
        """Meet a box; a label given later is the better one. Its id."""
        known = self._boxes.get(key)
        if known is None:
            if len(self._boxes) < _KEPT * MAX_NODES:
                self._boxes[key] = _Box(label or key, self.group)
        else:
            known.label = label or known.label
            known.group = known.group or self.group
        return key

    def detail(self, key: str, text: str) -> None:
        """Something written within a box."""
        self.box(key)
        box = self._boxes.get(key)
        if text and box is not None and len(box.details) < _KEPT * MAX_DETAILS:
            box.details.append(text)

    def edge(self, edge: Edge) -> None:
        """A connection under the blocks that are open."""
        if self.room:
            condition = self.condition
            self._edges.append(Edge(edge.source, edge.target, edge.label, edge.arrow, condition) if condition else edge)

    def open_group(self, key: str, label: str = "") -> None:
        if key not in self._groups and len(self._groups) < MAX_NODES:
            self._groups[key] = (label or key, self.group)
        self._stack.append(key)

    def open_nothing(self) -> None:
        """Something that ends like a group but is none."""
        self._stack.append(self.group)

    def close_group(self) -> None:
        if self._stack:
            self._stack.pop()

    def open_block(self, kind: str, title: str = "") -> None:
        self._blocks.append(_Block(kind, title[:LONGEST_LABEL]))

    def next_block(self, kind: str, title: str = "") -> None:
        """The block's other part: `else` after `alt`."""
        if self._blocks:
            self._blocks[-1] = _Block(kind, title[:LONGEST_LABEL])

    def close_block(self) -> bool:
        """Whether there was one to close."""
        return bool(self._blocks) and self._blocks.pop() is not None

    def note(self, text: str) -> None:
        if text.strip():
            self._notes.append(text)

    def lost_line(self, number: int) -> None:
        """A line, from 1, that was not understood."""
        self._lost.append(number)

    def lost(self, what: str) -> None:
        """Something else that is not in the graph; said once."""
        self._said[what] = None

    def graph(self) -> Graph:
        named = self._lost[:_MOST_LOST]
        lines = f"line {named[0]}" if len(named) == 1 else f"lines {', '.join(map(str, named))}"
        more = f" and {len(self._lost) - _MOST_LOST:,} more" if len(self._lost) > _MOST_LOST else ""
        lost = [*self._said, *([f"{lines}{more}, not understood"] if named else [])]
        return Graph(
            nodes=tuple(
                Node(key, box.label, box.group, tuple(box.details))
                for key, box in self._boxes.items()
                if key not in self._groups
            ),
            edges=tuple(self._edges),
            groups=tuple(Group(key, label, parent) for key, (label, parent) in self._groups.items()),
            notes=tuple(self._notes),
            lost=tuple(lost),
        )


_QUOTES = re.compile(r'^"(.*)"$', re.DOTALL)


def unquoted(text: str) -> str:
    """Without the double quotes around it, if it has them."""
    text = text.strip()
    found = _QUOTES.match(text)
    return found[1].strip() if found else text
