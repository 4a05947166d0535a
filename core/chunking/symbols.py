"""The names that code defines and uses, and the definitions that a place in it stands in."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from tree_sitter import Node

from core.chunking.columns import Columns
from core.chunking.lines import defined_in
from core.chunking.piece import MANY, MAX_NAME, MAX_SIGNATURE
from core.chunking.trees import Match

_PREFIX = ":@\"`'["  # of a symbol of Ruby, a name in quotes
_LAST = re.compile(r"(?P<name>[^\W\d][\w$]*[?!]?)[\"`'\]]*\Z")  # `name` in `a.b::name`
_ANNOTATIONS = re.compile(r"(?:\s*[@\[#][^\n]*\n)+")


@dataclass(frozen=True, slots=True)
class Definition:
    """A node that defines a name, or one that only lends its name to what it holds. Offsets are bytes."""

    name: str
    start: int
    end: int
    node: Node
    defines: bool
    receiver: str | None
    """The type it belongs to, where it does not stand inside it; None if nothing is known of that."""


class Symbols:
    """The names in one text, by where they stand. Offsets are bytes."""

    def __init__(self, definitions: Iterable[Definition], references: Iterable[tuple[int, str]]) -> None:
        self._definitions = sorted(definitions, key=lambda one: (one.start, -one.end))
        self._starts = [one.start for one in self._definitions]
        self._parents = list(_parents(self._definitions))
        self._references = sorted(references)

    def defined(self, start: int, end: int) -> tuple[str, ...]:
        """The distinct names whose definition begins there, each as it is and after what it belongs to."""
        within = range(bisect_left(self._starts, start), bisect_left(self._starts, end))
        return _first(name for index in within for name in self._names(index))

    def used(self, start: int, end: int) -> tuple[str, ...]:
        """The distinct names used there."""
        within = range(bisect_left(self._references, (start, "")), bisect_left(self._references, (end, "")))
        return _first(self._references[index][1] for index in within)

    def enclosing(self, at: int) -> list[Definition]:
        """The definitions that begin before this place and end after it, outermost first."""
        found = []
        index = bisect_left(self._starts, at) - 1
        while index >= 0:
            if self._definitions[index].end > at:
                found.append(self._definitions[index])
            index = self._parents[index]
        return found[::-1]

    def _names(self, index: int) -> Iterator[str]:
        one = self._definitions[index]
        if not one.defines:
            return
        yield one.name
        if one.receiver is None:
            return
        parent = self._parents[index]
        if owner := one.receiver or (self._definitions[parent].name if parent >= 0 else ""):
            yield f"{owner}.{one.name}"


def _parents(definitions: Sequence[Definition]) -> Iterator[int]:
    """The index of the definition that each stands in, -1 for none. Several names of one node are no parents."""
    around: list[int] = []
    for index, one in enumerate(definitions):
        while around and (definitions[around[-1]].end < one.end or definitions[around[-1]].end <= one.start):
            around.pop()
        while around and definitions[around[-1]].node == one.node:
            around.pop()
        yield around[-1] if around else -1
        around.append(index)


def _first(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(dict.fromkeys(names), MANY))


def symbols_of(source: bytes, matches: Iterable[Match]) -> Symbols:
    """What the matches of a language's query for names say (see `core.chunking.languages`)."""
    definitions: dict[int, Definition] = {}
    references: dict[int, str] = {}
    columns = Columns()
    unsure: list[Node] = []
    for _, captures in matches:
        if "name" not in captures:
            columns.statements.extend(node.start_byte for node in captures.get("statement", ()))
            unsure.extend(captures.get("lines", ()))
            continue
        node = captures["name"][0]
        at = node.start_byte
        text = source[at : node.end_byte].decode()
        for capture, nodes in captures.items():
            if capture == "name":
                continue
            kind = capture.partition(".")[0]  # the tags queries say `definition.class`, `reference.call`
            if kind in {"definition", "scope"}:
                one = _definition(nodes[0], text, _text(source, captures, "receiver"), defines=kind == "definition")
                if one.name and (at not in definitions or one.receiver):
                    definitions[at] = one
            elif kind in {"reference", "table"} and (name := _used(text)):
                references[at] = name
                if kind == "table":
                    columns.tables.append((at, name))
            elif kind == "alias":
                columns.aliases.append((at, _used(_text(source, captures, "alias")), _used(text)))
            elif kind == "column":
                columns.columns.append((at, _used(_text(source, captures, "qualifier")), _used(text)))
    for one in _recovered(source, unsure):
        definitions.setdefault(one.start, one)
    used = [(at, name) for at, name in references.items() if at not in definitions]
    return Symbols(definitions.values(), [*used, *columns.references()])


def _text(source: bytes, captures: Mapping[str, Sequence[Node]], capture: str) -> str:
    return source[slice(*captures[capture][0].byte_range)].decode() if capture in captures else ""


def _definition(node: Node, name: str, receiver: str, *, defines: bool) -> Definition:
    if receiver and "::" in name:
        receiver, _, name = name.rpartition("::")
    owner = _used(receiver.partition("<")[0])
    return Definition(_defined(name), node.start_byte, node.end_byte, node, defines, owner)


def _recovered(source: bytes, unsure: Iterable[Node]) -> Iterator[Definition]:
    """The definitions that stand in what the grammar could not read, by their lines."""
    at = 0
    for node in sorted(unsure, key=lambda one: one.start_byte):
        at = max(at, source.rfind(b"\n", at, node.start_byte) + 1)
        for line in source[at : node.end_byte].splitlines(keepends=True):
            if name := defined_in(line.decode()):
                yield Definition(name, at, at + len(line), node, defines=True, receiver=None)
            at += len(line)


def _defined(text: str) -> str:
    """The name without what marks it as one; empty if it is no name."""
    bare = text.lstrip(_PREFIX)
    if len(bare) < len(text):
        bare = bare.rstrip("\"`']")
    return bare if len(bare) <= MAX_NAME and not re.search(r"\s", bare) else ""


def _used(text: str) -> str:
    """The last part of a name; empty if it is no name."""
    if text.isidentifier():
        return text if len(text) <= MAX_NAME else ""
    match = _LAST.search(text[-MAX_NAME:])
    return match["name"] if match else ""


def signature(source: bytes, definition: Definition) -> str:
    """How a definition begins, up to its body or a comment, in one line."""
    node = definition.node
    body = node.child_by_field_name("body")
    after = next((child for child in node.named_children if child == body or _ends_signature(child)), None)
    text = source[node.start_byte : after.start_byte if after else node.end_byte].decode()
    if annotations := _ANNOTATIONS.match(text):
        text = text[annotations.end() :]
    lines = text if after else text.lstrip().partition("\n")[0]
    return " ".join(lines[:1_000].split()).rstrip(" {")[:MAX_SIGNATURE]


def _ends_signature(node: Node) -> bool:
    return node.is_extra or node.type.endswith(("_body", "block"))
