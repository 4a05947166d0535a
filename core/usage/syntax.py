"""What a grammar says of a passage, row by row: definitions, uses, and what is code, string or comment."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from core.chunking.languages import Language, grammar
from core.chunking.trees import Match, matches_of, tree_of

_STRING = re.compile("string|template|char_literal|character_literal|rune_literal|heredoc|regex")
_CODE_WITHIN = re.compile("interpolation|substitution|interpolated_expression")
_LINE_END = re.compile(rb"[^\n]")


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition within a passage. Rows are from 0."""

    name: str
    row: int
    """Where its name stands."""
    first: int
    last: int
    receiver: str = ""
    """The type it belongs to, where it is told beside the name."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A passage as its grammar reads it."""

    definitions: tuple[Defined, ...]
    used: dict[int, set[str]]
    """Names by row."""
    bare: list[str]
    """The rows without comments."""
    naked: list[str]
    """The rows without comments and without what stands in strings."""


def read(source: str, language: Language) -> Reading | None:
    """None where the text is nothing for a grammar (see `core.chunking.trees`)."""
    known, text = grammar(language), source.encode("utf-8", "replace")
    tree = tree_of(known.tables, text)
    matches = matches_of(known.names, tree.root_node, text) if tree else None
    if tree is None or matches is None:
        return None
    comments, strings = _marked(tree.root_node)
    bare = _blanked(text, comments)
    definitions, used = _names(matches)
    return Reading(definitions, used, _rows(bare), _rows(_blanked(bare, strings)))


def _names(matches: Sequence[Match]) -> tuple[tuple[Defined, ...], dict[int, set[str]]]:
    definitions: dict[int, Defined] = {}
    used: dict[int, set[str]] = defaultdict(set)
    for _, captures in matches:
        if "name" not in captures:
            continue
        name = captures["name"][0]
        text, row = _text(name), name.start_point.row
        for capture, nodes in captures.items():
            kind = capture.partition(".")[0]
            if kind in {"definition", "scope"}:
                receiver = _text(captures["receiver"][0]) if "receiver" in captures else ""
                if name.start_byte not in definitions or receiver:
                    rows = nodes[0].start_point.row, nodes[0].end_point.row
                    definitions[name.start_byte] = Defined(text, row, *rows, receiver)
            elif kind in {"reference", "table", "column"}:
                used[row].add(text)
    return tuple(definitions[at] for at in sorted(definitions)), used


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace").strip("\"`'[]:@")


def _marked(root: Node) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Where comments are, a string that stands for itself among them, and where the text of strings is. In bytes."""
    comments: list[tuple[int, int]] = []
    strings: list[tuple[int, int]] = []
    waiting = [(root, False)]
    while waiting:
        node, quoted = waiting.pop()
        if "comment" in node.type or node.type == "marginalia" or _is_docstring(node):
            comments.append(node.byte_range)
            continue
        if _CODE_WITHIN.search(node.type):
            quoted = False
        elif node.is_named and _STRING.search(node.type):
            quoted = True
        if quoted and not node.named_child_count:
            strings.append(node.byte_range)
        waiting.extend((child, quoted) for child in (node.children if quoted else node.named_children))
    return comments, strings


def _is_docstring(node: Node) -> bool:
    return node.type == "expression_statement" and node.child_count == 1 and node.children[0].type == "string"


def _blanked(text: bytes, spans: Sequence[tuple[int, int]]) -> bytes:
    """The text with spaces in these places; line breaks stay."""
    if not spans:
        return text
    made = bytearray(text)
    for start, end in spans:
        made[start:end] = _LINE_END.sub(b" ", text[start:end])
    return bytes(made)


def _rows(text: bytes) -> list[str]:
    return text.decode("utf-8", "replace").split("\n")
