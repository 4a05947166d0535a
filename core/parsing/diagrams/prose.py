"""Diagrams that stand as code within Markdown."""

import re
from collections.abc import Callable, Iterator

from core.parsing.diagrams import mermaid, plantuml
from core.parsing.diagrams.graph import Graph, NotAGraph

MAX_DIAGRAMS = 200
"""Of one text."""

# A fence may stand within a quote or a list; what is before it stands before each of its lines. Possessive throughout:
# a line may be as long as the text, and must be gone through once.
_OPENING = re.compile(r"(?P<before>[\s>]{0,200}+)(?P<fence>`{3,99}+|~{3,99}+) *+(?P<language>[\w{}.:=-]*+)[^`]*+")
_READERS: dict[str, Callable[[str], tuple[Graph, ...]]] = {
    "mermaid": lambda text: (mermaid.read(text),),
    **dict.fromkeys(("plantuml", "puml", "uml"), plantuml.read),
}


def diagrams_in(markdown: str) -> str:
    """The text with what each fenced Mermaid or PlantUML block shows in lines after it; everything else as it is.

    Again is no harm: what already stands there is not written a second time.
    """
    return read(markdown)[0]


def read(markdown: str) -> tuple[str, tuple[str, ...]]:
    """As `diagrams_in`, and what of the diagrams could not be read, for `Document.unread`."""
    lines = markdown.split("\n")
    pieces: list[str] = []
    unread: list[str] = []
    done = 0
    for count, (start, end) in enumerate(_blocks(lines), 1):
        if count > MAX_DIAGRAMS:
            unread.append(f"diagrams not read: those after the first {MAX_DIAGRAMS}")
            break
        told = _read(lines[start : end + 1], unread)
        pieces += lines[done : end + 1]
        done = end + 1
        if told and lines[done : done + len(told)] != told:
            pieces += told
            if lines[done : done + 1] and lines[done].strip(" >\t\r"):
                pieces.append(told[0])  # a blank line, or what follows would go on with the last one
    return "\n".join([*pieces, *lines[done:]]), tuple(dict.fromkeys(unread))


def _blocks(lines: list[str]) -> Iterator[tuple[int, int]]:
    """The first and the last line of each closed fenced block that may hold a diagram."""
    at = 0
    while at < len(lines):
        found = _OPENING.fullmatch(lines[at])
        if found is None:
            at += 1
            continue
        closing = re.compile(rf"[\s>]*+{re.escape(found['fence'])}{re.escape(found['fence'][0])}*+\s*+")
        end = next((n for n in range(at + 1, len(lines)) if closing.fullmatch(lines[n])), None)
        if end is None:
            return
        if _reader(found["language"], lines[at + 1].strip(" >\t\r")):
            yield at, end
        at = end + 1


def _reader(language: str, first: str) -> Callable[[str], tuple[Graph, ...]] | None:
    if first.startswith("@startuml"):
        return plantuml.read
    return _READERS.get(language.strip("{}.").lower())


def _read(block: list[str], unread: list[str]) -> list[str]:
    """The lines that follow the block; what it does not tell goes into `unread`."""
    found = _OPENING.fullmatch(block[0])
    reader = _reader(found["language"], block[1].strip(" >\t\r")) if found else None
    if found is None or reader is None:
        return []
    before = found["before"]
    try:
        graphs = reader("\n".join(line.removeprefix(before) for line in block[1:-1]))
    except NotAGraph as error:
        unread.append(f"diagram not read: {error}")
        return [before.rstrip(), f"{before}[diagram not read: {error}]"]
    unread += [f"of a diagram not read: {what}" for graph in graphs for what in graph.unread()]
    told = "\n\n".join(f"Diagram read:\n{text}" for graph in graphs if (text := graph.text()))
    return [before.rstrip(), *(f"{before}{line}".rstrip() for line in told.split("\n"))] if told else []
