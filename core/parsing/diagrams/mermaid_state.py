"""Mermaid's state diagrams. Source of the signs: https://mermaid.js.org/syntax/stateDiagram.html"""

import re

from core.parsing.diagrams.builder import Builder
from core.parsing.diagrams.graph import Edge, Graph
from core.parsing.diagrams.mermaid_text import label, looks_only

_NAME = r"(?:\[\*\]|[^\s:{}<>\"-][^\s:{}<>\"]*)"
_CLASS = re.compile(r":::[\w-]+")
_MOVE = re.compile(rf"(?P<source>{_NAME})\s*-->\s*(?P<target>{_NAME})\s*(?::(?P<text>.*))?")
_STATE = re.compile(
    rf"state\s+(?:\"(?P<title>[^\"]*)\"\s+as\s+)?(?P<id>{_NAME})\s*(?:<<(?P<kind>[^<>]*)>>|(?P<open>\{{))?"
)
_DESCRIBED = re.compile(rf"(?P<id>{_NAME})\s*:(?P<text>.*)")
_NOTE = re.compile(r"note\s+(?:right|left)\s+of\s+(?P<who>[^\s:]+)\s*(?P<text>:.*)?", re.IGNORECASE)
_ALONE = re.compile(_NAME)


def read(lines: list[tuple[int, str]]) -> Graph:
    """States and their transitions; a state that holds others is a group."""
    builder = Builder()
    note: list[str] | None = None
    who = ""
    for number, line in lines:
        if note is not None:
            if line.lower() == "end note":
                builder.note(f"{label(' '.join(note))} (on {who})")
                note = None
            else:
                note.append(line)
        elif (found := _NOTE.fullmatch(line)) is not None:
            who = found["who"]
            if found["text"]:
                builder.note(f"{label(found['text'][1:])} (on {who})")
            else:
                note = []
        elif not _line(builder, _CLASS.sub("", line)):
            builder.lost_line(number)
    return builder.graph()


def _line(builder: Builder, line: str) -> bool:
    if line == "}":
        builder.close_group()
    elif found := _MOVE.fullmatch(line):
        ends = [_end(builder, found[end], end) for end in ("source", "target")]
        builder.edge(Edge(ends[0], ends[1], label(found["text"] or "")))
    elif found := _STATE.fullmatch(line):
        name = label(found["title"] or "") or (f"{found['id']} ({found['kind']})" if found["kind"] else "")
        if found["open"]:
            builder.open_group(found["id"], name)
        else:
            builder.box(found["id"], name)
    elif looks_only(line) or line == "--":
        pass
    elif found := _DESCRIBED.fullmatch(line):
        builder.detail(found["id"], label(found["text"]))
    elif _ALONE.fullmatch(line):
        builder.box(line)
    else:
        return False
    return True


def _end(builder: Builder, name: str, end: str) -> str:
    """`[*]` is the start of what it stands in where an arrow leaves it, and its end otherwise."""
    if name != "[*]":
        return builder.box(name)
    what = "start" if end == "source" else "end"
    within = builder.group
    return builder.box(f"[*] {what} {within or ''}", f"{what} of {within}" if within else what)
