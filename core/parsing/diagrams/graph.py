"""What every diagram becomes: boxes, arrows, groups and notes, and one way of writing them down."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from core.parsing.markdown import clean, one_line

MAX_EDGES = 2_000
MAX_NODES = 5_000
MAX_NOTES = 500
MAX_DETAILS = 60
"""Of one node."""
LONGEST_LABEL = 200
"""Characters; a longer name or label ends in an ellipsis."""
LONGEST_NOTE = 2_000

Arrow = Literal["->", "<->", "-"]
"""As it is written: from source to target, both ways, without a direction."""

_AMBIGUOUS = re.compile(r"->|: | - |; |^\[")


class NotAGraph(ValueError):
    """A diagram of a kind that is not read as boxes and arrows; the message says which: `it is a gantt chart`."""


@dataclass(frozen=True, slots=True)
class Node:
    """A box, an actor, a state, a table. Without a label it is called `unnamed`."""

    id: str
    label: str
    group: str | None = None
    """The id of the innermost group that it stands in."""
    details: tuple[str, ...] = ()
    """What is written within it: a table's columns, a class's members, a link."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection. An end that is None is not attached to anything."""

    source: str | None
    """The id of a node or of a group."""
    target: str | None
    label: str = ""
    arrow: Arrow = "->"
    condition: str = ""
    """When it holds: `alt: the card is valid`."""


@dataclass(frozen=True, slots=True)
class Group:
    """A frame around nodes and other groups."""

    id: str
    label: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """A diagram. Everything is in the order of the drawing."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    groups: tuple[Group, ...] = ()
    notes: tuple[str, ...] = ()
    """Text that belongs to no single node."""
    lost: tuple[str, ...] = ()
    """What of the drawing is not in here, as it is said to people: `line 7 was not understood`."""

    def unread(self) -> tuple[str, ...]:
        """What `text` does not tell, for `Parsed.unread`: what the parser lost and what is over a limit."""
        counts = (
            (len(self.edges) - MAX_EDGES, "connections"),
            (len(self.nodes) - MAX_NODES, "boxes"),
            (len(self.groups) - MAX_NODES, "groups"),
            (len(self.notes) - MAX_NOTES, "notes"),
            (sum(max(0, len(node.details) - MAX_DETAILS) for node in self.nodes[:MAX_NODES]), "lines within boxes"),
        )
        return (*self.lost, *(f"{count:,} of the {what}" for count, what in counts if count > 0))

    def text(self) -> str:
        """The diagram in lines of Markdown: groups, connections (`A -> B: label`), what is within boxes, boxes
        without a connection, notes, and in square brackets what is left out. Empty for an empty diagram.
        """
        return "\n".join(_lines(self))


def _lines(graph: Graph) -> Iterator[str]:
    nodes, edges, groups = graph.nodes[:MAX_NODES], graph.edges[:MAX_EDGES], graph.groups[:MAX_NODES]
    names = _names([*((group.id, group.label) for group in groups), *((node.id, node.label) for node in nodes)])
    yield from _group_lines(nodes, groups, names)
    for edge in edges:
        yield _edge_line(edge, names)
    for node in nodes:
        if node.details:
            yield f"{names[node.id]} holds: {'; '.join(map(_short, node.details[:MAX_DETAILS]))}"
    told = {end for edge in edges for end in (edge.source, edge.target)}
    lone = [node for node in nodes if node.id not in told and not node.details and node.group not in names]
    if lone:
        yield "Without a connection:"
        yield from (f"- {names[node.id]}" for node in lone)
    yield from (f"Note: {_short(note, LONGEST_NOTE)}" for note in graph.notes[:MAX_NOTES])
    yield from (f"[of the diagram not read: {_short(what)}]" for what in graph.unread())


def _group_lines(nodes: Iterable[Node], groups: Iterable[Group], names: Mapping[str, str]) -> Iterator[str]:
    members: dict[str, list[str]] = {group.id: [] for group in groups}
    for group in groups:
        if group.parent in members and group.parent != group.id:
            members[group.parent].append(f"group {names[group.id]}")
    for node in nodes:
        if node.group in members:
            members[node.group].append(names[node.id])
    for group_id, held in members.items():
        yield f"Group {names[group_id]}: {'; '.join(held)}" if held else f"Group {names[group_id]}"


def _edge_line(edge: Edge, names: Mapping[str, str]) -> str:
    ends = [names.get(end, "(nothing)") if end is not None else "(nothing)" for end in (edge.source, edge.target)]
    label = f": {_short(edge.label)}" if edge.label.strip() else ""
    condition = f" ({_short(edge.condition)})" if edge.condition.strip() else ""
    return f"{ends[0]} {edge.arrow} {ends[1]}{label}{condition}"


def _names(labels: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What each id is called. Those that share a label are numbered in order: `Start (1)`, `Start (2)`."""
    wanted = {key: _short(label) or "unnamed" for key, label in labels}
    shared = {label for label, count in Counter(wanted.values()).items() if count > 1}
    taken = set(wanted.values())
    numbers: Counter[str] = Counter()
    names = {}
    for key, label in wanted.items():
        name = label
        while name in shared or (label in shared and name in taken):
            numbers[label] += 1
            name = f"{label} ({numbers[label]})"
        taken.add(name)
        names[key] = f'"{name}"' if _AMBIGUOUS.search(name) else name
    return names


def _short(text: str, longest: int = LONGEST_LABEL) -> str:
    text = one_line(clean(text[: 4 * longest]))
    return text if len(text) <= longest else text[: longest - 1] + "…"
