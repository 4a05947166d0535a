"""What stands before a name, and as what a file declares it."""

import re

from core.tokens import WORDLIKE
from core.usage.spelling import bare

ITSELF = frozenset({"self", "this", "cls", "super", "static", "Self", "parent"})
_RECEIVER = re.compile(
    rf"(?P<name>[{WORDLIKE}$]+)\s?(?:\([^()\n]{{0,80}}\)|\[[^\[\]\n]{{0,80}}\])?[!?]{{0,2}}\s{{0,3}}(?:\.|->|::)\s{{0,3}}\Z"
)
_NEAR = 200
"""Characters before a name in which its receiver is looked for."""


def receiver_of(before: str) -> str:
    """The object, class or module that a name is asked of, from what stands before it; empty if there is none."""
    match = _RECEIVER.search(before[-_NEAR:])
    return match["name"] if match else ""


def types_of(name: str, text: str) -> frozenset[str]:
    """The types that a file declares a variable as, or makes it of, as `core.usage.spelling.bare` writes them."""
    one = re.escape(name)
    declared = re.compile(
        rf"(?<![\w$.]){one}\s?[?!]?\s?(?::=|:|=)\s?(?:await |new |[&*]+)?"
        r"(?:\w{1,60}\.){0,3}(?P<after>[A-Z]\w{0,80})"
        rf"|(?<![\w$.])(?P<before>[A-Z]\w{{0,80}})(?:<[^<>\n]{{0,80}}>)?\s?[*&]?\s{one}\s?[=;,):]"
        rf"|(?<![\w$.]){one}\s\*?(?:\w{{1,60}}\.)?(?P<go>[A-Z]\w{{0,80}})\s?[,){{\n]"
    )
    return frozenset(bare(next(filter(None, match.groups()))) for match in declared.finditer(text))
