"""Mermaid's class and entity-relationship diagrams.

Source of the signs: https://mermaid.js.org/syntax/classDiagram.html and entityRelationshipDiagram.html
"""

import re

from core.parsing.diagrams.builder import Builder, unquoted
from core.parsing.diagrams.ends import Mark, connection
from core.parsing.diagrams.graph import Graph
from core.parsing.diagrams.mermaid_text import label, looks_only

_COUNTS = {"|o": "zero or one", "||": "exactly one", "}o": "zero or more", "}|": "one or more"}
_ENTITY = r"(?:\"[^\"]*\"|[^\s\"\[\]{}|:]+)"
_RELATED = re.compile(
    rf"(?P<source>{_ENTITY})\s*(?P<left>\|o|\|\||\}}o|\}}\|)(?:--|\.\.)(?P<right>o\||\|\||o\{{|\|\{{)"
    rf"\s*(?P<target>{_ENTITY})\s*(?::(?P<text>.*))?"
)
_TABLE = re.compile(
    rf"(?P<id>{_ENTITY})\s*(?:\[(?P<title>[^\[\]]*)\])?\s*(?::::[\w-]+)?\s*(?P<open>\{{(?P<rest>[^{{}}]*)(?P<close>\}})?)?"
)

_PART = r"[^\s\"`:{}<>*|~\[\](),.-]++"
_CLASS_NAME = rf"(?:`[^`]*`|{_PART}(?:\.{_PART})*+(?:~(?:[^\s:\".-]|-(?!-)|\.(?!\.))*~)?)"
_LEFT = r"<\||\*|o|<|\(\)"
_RIGHT = r"\|>|\*|o|>|\(\)"
_RELATION = re.compile(
    rf"(?P<source>{_CLASS_NAME})\s*(?:\"(?P<many>[^\"]*)\")?\s*(?P<left>{_LEFT})?(?P<line>--|\.\.)(?P<right>{_RIGHT})?"
    rf"\s*(?:\"(?P<more>[^\"]*)\")?\s*(?P<target>{_CLASS_NAME})\s*(?::(?P<text>.*))?"
)
_CLASS = re.compile(
    rf"class\s+(?P<id>{_CLASS_NAME})\s*(?:\[(?P<title>[^\[\]]*)\])?\s*(?::::[\w-]+)?\s*(?:<<(?P<kind>[^<>]*)>>)?"
    r"\s*(?P<open>\{(?P<rest>[^{}]*)(?P<close>\})?)?"
)
_KIND = re.compile(rf"<<(?P<kind>[^<>]*)>>\s*(?P<id>{_CLASS_NAME})")
_MEMBER = re.compile(rf"(?P<id>{_CLASS_NAME})\s*:(?P<text>.*)")
_SPACE = re.compile(r"namespace\s+(?P<id>[^\s{]+)\s*\{")
_NOTE = re.compile(r"note\s+(?:for\s+(?P<who>\S+)\s+)?(?P<text>\"[^\"]*\")")
_MARKS: dict[str, Mark] = {
    "<|": "triangle",
    "|>": "triangle",
    "*": "diamond",
    "o": "hollow diamond",
    "<": "arrow",
    ">": "arrow",
}


def read_entities(lines: list[tuple[int, str]]) -> Graph:
    """Tables with their columns, and how many rows of one belong to how many of the other."""
    builder = Builder()
    table: str | None = None
    for number, line in lines:
        if table is not None:
            column, closed, _ = line.partition("}")
            builder.detail(table, " ".join(column.split()))
            table = None if closed else table
        elif found := _RELATED.fullmatch(line):
            ends = [builder.box(unquoted(found[end])) for end in ("source", "target")]
            counts = (_COUNTS[found["left"]], _COUNTS[found["right"][::-1].replace("{", "}")])
            builder.edge(connection(ends[0], ends[1], ("", ""), label=label(found["text"] or ""), counts=counts))
        elif looks_only(line):
            continue
        elif found := _TABLE.fullmatch(line):
            key = builder.box(unquoted(found["id"]), label(found["title"] or ""))
            if found["open"]:
                builder.detail(key, " ".join(found["rest"].split()))
                table = None if found["close"] else key
        else:
            builder.lost_line(number)
    return builder.graph()


def read_classes(lines: list[tuple[int, str]]) -> Graph:
    """Classes with their members, and what they are to each other."""
    builder = Builder()
    inside: str | None = None
    for number, line in lines:
        if inside is not None:
            member, closed, _ = line.partition("}")
            builder.detail(inside, _member(member))
            inside = None if closed else inside
        elif found := _CLASS.fullmatch(line):
            key = builder.box(_name(found["id"]), label(found["title"] or ""))
            builder.detail(key, found["kind"] or "")
            if found["open"]:
                builder.detail(key, _member(found["rest"]))
                inside = None if found["close"] else key
        elif not _class_line(builder, line):
            builder.lost_line(number)
    return builder.graph()


def _class_line(builder: Builder, line: str) -> bool:
    if found := _RELATION.fullmatch(line):
        ends = [builder.box(_name(found[end])) for end in ("source", "target")]
        builder.edge(
            connection(
                ends[0],
                ends[1],
                (_MARKS.get(found["left"] or "", ""), _MARKS.get(found["right"] or "", "")),
                label=label(found["text"] or ""),
                counts=(found["many"] or "", found["more"] or ""),
                dashed=found["line"] == "..",
            )
        )
    elif found := _SPACE.fullmatch(line):
        builder.open_group(found["id"])
    elif line == "}":
        builder.close_group()
    elif found := _NOTE.fullmatch(line):
        builder.note(label(found["text"]) + (f" (on {found['who']})" if found["who"] else ""))
    elif found := _KIND.fullmatch(line):
        builder.detail(_name(found["id"]), found["kind"])
    elif found := _MEMBER.fullmatch(line):
        builder.detail(_name(found["id"]), _member(found["text"]))
    else:
        return looks_only(line)
    return True


def _name(text: str) -> str:
    """A class' name: backquotes undone, `List~int~` as `List<int>`."""
    head, tilde, inner = text.strip("`").partition("~")
    return f"{head}<{inner.rstrip('~')}>" if tilde else head


_GENERIC = re.compile(r"~([^~]*)~")


def _member(text: str) -> str:
    return _GENERIC.sub(r"<\1>", " ".join(text.split()))
