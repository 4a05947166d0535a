"""Mermaid's flowcharts. Source of the signs: https://mermaid.js.org/syntax/flowchart.html"""

import re
from collections.abc import Iterator
from itertools import islice, product

from core.parsing.diagrams.builder import Builder
from core.parsing.diagrams.graph import Arrow, Edge, Graph
from core.parsing.diagrams.mermaid_text import label, looks_only

_ID = re.compile(r"(?:[^\s\[\](){}<>|;&\"@:,=~^-]|-(?![->.])|=(?!=))+")
_CLOSING = {
    "(((": (")))",),
    "((": ("))",),
    "([": ("])",),
    "(": (")",),
    "[[": ("]]",),
    "[(": (")]",),
    "[/": ("/]", "\\]"),
    "[\\": ("\\]", "/]"),
    "[": ("]",),
    "{{": ("}}",),
    "{": ("}",),
    ">": ("]",),
}
_OPENING = re.compile(r"\(\(\(|\(\(|\(\[|\(|\[\[|\[\(|\[/|\[\\|\[|\{\{|\{|>")
_CLASS = re.compile(r":::[\w-]+")
_DATA = re.compile(r"@\{([^{}]*)\}")
_DATA_LABEL = re.compile(r'\blabel\s*:\s*("[^"]*"|[^,}]*)')
_LINK = re.compile(
    r"(?:\w++@)?(?P<left>[<ox]?)(?:--+(?P<plain>[->ox])|==+(?P<thick>[=>ox])|-?\.+-(?P<dotted>[>ox]?)|(?P<unseen>~~~+))"
)
_START = re.compile(r"(?:\w++@)?(?P<left>[<ox]?)(?P<body>--|==|-\.)")
_END = {
    "--": re.compile(r"(?<!-)--+(?P<right>[->ox])"),
    "==": re.compile(r"(?<!=)==+(?P<right>[=>ox])"),
    "-.": re.compile(r"(?<!\.)\.++-(?P<right>[>ox]?)"),
}
_PIPED = re.compile(r"\|([^|]*)\|")
_SUBGRAPH = re.compile(r"subgraph\b\s*(?P<id>[^\s\[\"]*)\s*(?P<title>.*)")
_LONGEST = 2_000  # characters of a box's text
_MOST_LINES = 30  # of one quoted text
_BLANKS = re.compile(r"\s*")


class _NotUnderstood(Exception):
    """A line is no statement that is known here."""


def read(lines: list[tuple[int, str]]) -> Graph:
    """The chart: its lines, without the one that names the kind."""
    builder = Builder()
    for number, line in _whole(lines):
        found = _SUBGRAPH.match(line)
        if found:
            _open(builder, found["id"], found["title"])
        elif line.rstrip(";") == "end":
            builder.close_group()
        elif not looks_only(line):
            try:
                _Statements(builder, line).read()
            except _NotUnderstood:
                builder.lost_line(number)
    return builder.graph()


def _whole(lines: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Lines put together where a quoted text goes on in the next ones."""
    at = 0
    while at < len(lines):
        more = (
            next((n for n in range(1, _MOST_LINES) if _odd(lines[at + n : at + n + 1])), 0) if _odd([lines[at]]) else 0
        )
        yield lines[at][0], "\n".join(text for _, text in lines[at : at + more + 1])
        at += more + 1


def _odd(lines: list[tuple[int, str]]) -> bool:
    return any(line.count('"') % 2 for _, line in lines)


def _open(builder: Builder, key: str, title: str) -> None:
    """`subgraph id [Title]`, or a title alone, which is then the id."""
    title = title.strip().rstrip(";").strip()
    if title.startswith("[") and title.endswith("]"):
        builder.open_group(key, label(title[1:-1]))
    else:
        whole = label(f"{key} {title}".strip())
        builder.open_group(whole or f"subgraph {builder.depth}", whole or "unnamed")


class _Statements:
    """The statements of one line."""

    def __init__(self, builder: Builder, line: str) -> None:
        self._builder = builder
        self._line = line
        self._at = 0

    def read(self) -> None:
        while not self._ended():
            sources = self._nodes()
            while link := self._link():
                targets = self._nodes()
                arrow, text = link
                if arrow is not None:
                    for source, target in islice(product(sources, targets), self._builder.room):
                        self._builder.edge(Edge(source, target, text, arrow))
                sources = targets
            if not self._ended() and not self._take(";"):
                raise _NotUnderstood

    def _ended(self) -> bool:
        self._skip()
        return self._at >= len(self._line)

    def _skip(self) -> None:
        found = _BLANKS.match(self._line, self._at)
        self._at = found.end() if found else self._at

    def _take(self, sign: str) -> bool:
        self._skip()
        taken = self._line.startswith(sign, self._at)
        self._at += len(sign) * taken
        return taken

    def _match(self, pattern: "re.Pattern[str]") -> "re.Match[str] | None":
        found = pattern.match(self._line, self._at)
        if found:
            self._at = found.end()
        return found

    def _nodes(self) -> list[str]:
        nodes = [self._node()]
        while self._take("&"):
            nodes.append(self._node())
        return nodes

    def _node(self) -> str:
        self._skip()
        found = self._match(_ID)
        if not found:
            raise _NotUnderstood
        text = ""
        if data := self._match(_DATA):
            named = _DATA_LABEL.search(data[1])
            text = label(named[1]) if named else ""
        elif opening := self._match(_OPENING):
            text = label(self._until(_CLOSING[opening[0]]))
        self._match(_CLASS)
        return self._builder.box(found[0], text)

    def _until(self, closings: tuple[str, ...]) -> str:
        """The text up to where its box ends. Quoted text may hold any bracket."""
        start = self._at
        at = start
        if self._line.startswith('"', start):
            at = self._line.find('"', start + 1, start + _LONGEST) + 1
            if not at:
                raise _NotUnderstood
        ends = [
            (end, len(closing)) for closing in closings if (end := self._line.find(closing, at, at + _LONGEST)) >= 0
        ]
        if not ends:
            raise _NotUnderstood
        end, length = min(ends)
        self._at = end + length
        return self._line[start:end]

    def _link(self) -> tuple[Arrow | None, str] | None:
        """The arrow (None for a link that is not drawn) and its text; None if the statement ends here."""
        self._skip()
        if found := self._match(_LINK):
            right = found["plain"] or found["thick"] or found["dotted"] or ""
            self._skip()
            piped = self._match(_PIPED)
            text = label(piped[1]) if piped else ""
            return (None if found["unseen"] else _arrow(found["left"], right)), text
        if found := self._match(_START):
            end = _END[found["body"]].search(self._line, self._at)
            if not end:
                raise _NotUnderstood
            text = label(self._line[self._at : end.start()])
            self._at = end.end()
            return _arrow(found["left"], end["right"]), text
        return None


def _arrow(left: str, right: str) -> Arrow:
    """A circle or a cross at an end is taken for a head: the line was drawn to there."""
    if right in {"", "-", "="}:
        return "-"
    return "<->" if left else "->"
