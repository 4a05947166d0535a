"""Mermaid: which kind of diagram a text is, and the reader for it. See https://mermaid.js.org/intro/syntax-reference.html

Every reader goes through its text once, and no pattern can match the same text in two ways.
"""

import re
from collections.abc import Callable, Iterator

from core.parsing.diagrams import c4, mermaid_flow, mermaid_sequence, mermaid_shapes, mermaid_state
from core.parsing.diagrams.graph import Graph, NotAGraph
from core.parsing.markdown import clean

LONGEST = 500_000
"""Characters; 10,000 lines have about 300,000."""

Lines = list[tuple[int, str]]

_READERS: dict[str, Callable[[Lines], Graph]] = {
    "graph": mermaid_flow.read,
    "flowchart": mermaid_flow.read,
    "flowchart-elk": mermaid_flow.read,
    "sequencediagram": mermaid_sequence.read,
    "statediagram": mermaid_state.read,
    "statediagram-v2": mermaid_state.read,
    "erdiagram": mermaid_shapes.read_entities,
    "classdiagram": mermaid_shapes.read_classes,
    "classdiagram-v2": mermaid_shapes.read_classes,
    **dict.fromkeys(("c4context", "c4container", "c4component", "c4dynamic", "c4deployment"), c4.read),
}
_BLANKS = re.compile(r"[^\S\n]+")
_KIND = re.compile(r"[A-Za-z][\w-]*")


def read(text: str) -> Graph:
    """The diagram. Raises NotAGraph for a kind that has no reader here."""
    if len(text) > LONGEST:
        raise NotAGraph(f"it has more than {LONGEST:,} characters")
    lines = list(_lines(clean(text)))
    kind = _KIND.match(lines[0][1]) if lines else None
    if kind is None:
        raise NotAGraph("it names no kind of diagram")
    reader = _READERS.get(kind[0].lower())
    if reader is None:
        raise NotAGraph(f"it is of the kind {kind[0][:40]}")
    number, first = lines[0]
    rest = first[kind.end() :].partition(";")[2].strip()
    return reader([*([(number, rest)] if rest else []), *lines[1:]])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that count, numbered from 1, with single blanks only. Front matter, directives and comments do not."""
    inside = ""
    for number, line in enumerate(text.split("\n"), 1):
        stripped = _BLANKS.sub(" ", line).strip()
        if inside:
            inside = "" if stripped.endswith(inside) else inside
        elif stripped == "---" and number == 1:
            inside = "---"
        elif stripped.startswith("%%{"):
            inside = "" if stripped.endswith("}%%") else "}%%"
        elif stripped and not stripped.startswith("%%"):
            yield number, stripped
