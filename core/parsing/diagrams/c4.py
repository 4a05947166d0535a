"""The macros of the C4 model, which PlantUML (by a library) and Mermaid write alike: `Rel(web, api, "calls", "HTTPS")`.

Source of the names: https://github.com/plantuml-stdlib/C4-PlantUML
"""

import re

from core.parsing.diagrams.builder import Builder, unquoted
from core.parsing.diagrams.graph import Edge, Graph

_CALL = re.compile(r"(?P<name>[A-Z]\w*)\s?\((?P<arguments>.*)\)\s?(?P<open>\{)?")
_ARGUMENT = re.compile(r'(?:[^,"]|"[^"]*")+')
_NAMED = re.compile(r"\$\w+\s?=")
_BOX = re.compile(r"(?:Person|System|Container|Component)(?:Db|Queue)?(?:_Ext)?|(?:Deployment_)?Node(?:_[LR])?")


def read(lines: list[tuple[int, str]]) -> Graph:
    """A Mermaid diagram of these macros alone."""
    builder = Builder()
    for number, line in lines:
        if not line.startswith(("title", "Update", "Layout", "UpdateLayoutConfig")) and not read_line(builder, line):
            builder.lost_line(number)
    return builder.graph()


def read_line(builder: Builder, line: str) -> bool:
    """Whether the line is one of the macros."""
    if line == "}" and builder.depth:
        builder.close_group()
        return True
    found = _CALL.fullmatch(line)
    if not found:
        return False
    name = found["name"]
    given = [unquoted(part) for part in _ARGUMENT.findall(found["arguments"]) if not _NAMED.match(part.strip())]
    if name.startswith(("Rel", "BiRel")):
        return _relation(builder, name, given[1:] if name.startswith("RelIndex") else given)
    if not given or not (name.endswith("Boundary") or _BOX.fullmatch(name)):
        return False
    key, title = given[0], given[1] if len(given) > 1 else ""
    if found["open"]:
        builder.open_group(key, title)
    else:
        builder.box(key, title)
        for detail in given[2:]:
            builder.detail(key, detail)
    return True


def _relation(builder: Builder, name: str, given: list[str]) -> bool:
    if len(given) < 2:
        return False
    source, target = given[:2]
    if name.startswith("Rel_Back"):
        source, target = target, source
    label = "; ".join(part for part in given[2:4] if part)
    builder.edge(Edge(builder.box(source), builder.box(target), label, "<->" if name.startswith("BiRel") else "->"))
    return True
