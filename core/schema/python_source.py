"""Migrations that are written in Python: read as a tree, never run."""

import ast
from collections.abc import Iterable, Iterator

_LARGEST = 500_000
"""Bytes."""


def tree_of(data: bytes) -> ast.Module | None:
    """The syntax tree; None for what is no Python of this version, or is too much."""
    if len(data) > _LARGEST:
        return None
    try:
        return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def assigned(body: Iterable[ast.stmt]) -> dict[str, ast.expr]:
    """What names are set to right in this block."""
    found: dict[str, ast.expr] = {}
    for statement in body:
        if isinstance(statement, ast.Assign):
            found |= {target.id: statement.value for target in statement.targets if isinstance(target, ast.Name)}
        elif isinstance(statement, ast.AnnAssign) and statement.value and isinstance(statement.target, ast.Name):
            found[statement.target.id] = statement.value
    return found


class Values:
    """Texts that stand in a file, under the names it gives them too."""

    def __init__(self, module: ast.Module) -> None:
        self._named = {
            name: value.value
            for name, value in assigned(module.body).items()
            if isinstance(value, ast.Constant) and isinstance(value.value, str)
        }

    def text(self, node: ast.expr | None) -> str:
        """Empty for what is no text that stands there."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.Name):
            return self._named.get(node.id, "")
        if isinstance(node, ast.Call) and called(node) in {"text", "quoted_name"} and node.args:
            return self.text(node.args[0])
        return ""

    def texts(self, node: ast.expr | None) -> tuple[str, ...]:
        """Of a list or a tuple of texts, or of one text."""
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return tuple(filter(None, map(self.text, node.elts)))
        return tuple(filter(None, [self.text(node)]))


def argument(call: ast.Call, at: int, *names: str) -> ast.expr | None:
    """By its place or by one of its names."""
    if 0 <= at < len(call.args) and not any(isinstance(given, ast.Starred) for given in call.args[: at + 1]):
        return call.args[at]
    return next((keyword.value for keyword in call.keywords if keyword.arg in names), None)


def called(call: ast.Call) -> str:
    """The last part of what is called: `Column` of `sa.Column(...)`."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def calls(block: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """All calls in these, in the order they stand in."""
    found = [node for part in block for node in ast.walk(part) if isinstance(node, ast.Call)]
    yield from sorted(found, key=lambda call: (call.lineno, call.col_offset))
