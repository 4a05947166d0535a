"""Mermaid's sequence diagrams. Source of the signs: https://mermaid.js.org/syntax/sequenceDiagram.html"""

import re

from core.parsing.diagrams.builder import Builder
from core.parsing.diagrams.graph import Edge, Graph
from core.parsing.diagrams.mermaid_text import label, looks_only

_DECLARED = re.compile(r"(?:create\s+)?(?:participant|actor)\s+(?P<id>.+)")
_DATA = re.compile(r"@\{[^{}]*\}")
_AS = re.compile(r"\s+as\s+")
_NOTE = re.compile(r"note\s+(?P<where>right of|left of|over)\s+(?P<who>[^:]*):(?P<text>.*)", re.IGNORECASE)
_BLOCK = re.compile(r"(?P<kind>loop|alt|opt|par_over|par|critical|break|rect)\b(?P<title>.*)")
_OTHER = re.compile(r"(?P<kind>else|and|option)\b(?P<title>.*)")
_BOX = re.compile(r"box\b(?P<title>.*)")
_COLOR = re.compile(r"(?:rgba?\([^()]*\)|#[0-9a-fA-F]{3,8}|transparent|aqua|grey|gray|purple|blue|green|red|yellow)\b")
_ARROW = re.compile(r"(?P<left><<)?--?(?P<right>>>|>)")
_ENDING = re.compile(r"--?(?:x|\))")


def read(lines: list[tuple[int, str]]) -> Graph:
    """The messages in their order; what frames them is their condition."""
    builder = Builder()
    for number, line in lines:
        if not (_frame(builder, line) or _declared(builder, line) or _message(builder, line) or looks_only(line)):
            builder.lost_line(number)
    return builder.graph()


def _frame(builder: Builder, line: str) -> bool:
    if line == "end":
        if not builder.close_block():
            builder.close_group()
    elif found := _BLOCK.fullmatch(line):
        shown = "" if found["kind"] == "rect" else label(found["title"])
        builder.open_block("part" if found["kind"] == "rect" else found["kind"].replace("_", " "), shown)
    elif found := _OTHER.fullmatch(line):
        builder.next_block(found["kind"], label(found["title"]))
    elif found := _BOX.fullmatch(line):
        title = label(_COLOR.sub("", found["title"], count=1))
        builder.open_group(title or "box", title)
    elif found := _NOTE.fullmatch(line):
        who = ", ".join(name.strip() for name in found["who"].split(","))
        builder.note(f"{label(found['text'])} ({found['where'].lower()} {who})")
    else:
        return False
    return True


def _declared(builder: Builder, line: str) -> bool:
    found = _DECLARED.fullmatch(line)
    if not found:
        return False
    key, _, name = (part.strip() for part in _partition(_DATA.sub("", found["id"])))
    builder.box(key, label(name))
    return True


def _partition(text: str) -> tuple[str, str, str]:
    parts = _AS.split(text, maxsplit=1)
    return (parts[0], " as ", parts[1]) if len(parts) == 2 else (text, "", "")


def _message(builder: Builder, line: str) -> bool:
    head, _, text = line.partition(":")
    found = _ARROW.search(head) or _ENDING.search(head)
    if not found:
        return False
    source, target = head[: found.start()].strip(), head[found.end() :].strip().lstrip("+-").strip()
    if not source or not target:
        return False
    both = bool(found.groupdict().get("left"))
    builder.edge(Edge(builder.box(source), builder.box(target), label(text), "<->" if both else "->"))
    return True
