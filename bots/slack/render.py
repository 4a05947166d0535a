"""Outline -> the messages that tell it, as Slack's blocks. No I/O.

Text from outside stands in rich text and plain text alone, where it is literal. One rich text block holds what stands
under one heading.
"""

import itertools
from collections.abc import Iterable
from typing import Any

from bots.outline import Outline
from bots.parts import packed
from bots.slack import bodies
from bots.slack.fallback import fallback
from bots.slack.rich_text import Node, listed, literal, plain_text, preformatted, rich_text, section
from bots.slack.units import ROOM, Kind, Shell, Unit, units

UP, DOWN = "crosscheck_up", "crosscheck_down"
"""The actions of the buttons under an answer; their value is the job's number."""
CODE_GOES_ON = "… (the code goes on in the next message)"
CODE_CONTINUED = "(code, continued)"


def render(outline: Outline, job: int | None = None) -> list[dict[str, Any]]:
    """The messages (`bodies.message`), in order; each within Slack's limits, none if there is nothing to see.

    A paragraph, a list item and a table row stay whole. One that is too long for a message of its own is cut, with a
    visible mark; code that is too long goes on in the next message, between two lines. Every part after the first
    begins with a line that says so. With the number of the job that made it, the last one ends with buttons that ask
    whether it helped.
    """
    parts = [_joined(part) for part in packed(units(outline), ROOM, _second_table)]
    for number, blocks in enumerate(parts[1:], start=2):
        told = f"(continued, part {number} of {len(parts)})"
        blocks.insert(0, {"type": "context", "elements": [plain_text(told)]})
    texts = [fallback(blocks) for blocks in parts]
    if parts and job is not None:
        parts[-1].append(_buttons(job))
    return [bodies.message(text, blocks) for text, blocks in zip(texts, parts, strict=True)]


def _second_table(part: Iterable[Unit], unit: Unit) -> bool:
    """A message may hold one table."""
    return unit.shell.kind is Kind.TABLE and any(
        one.shell.kind is Kind.TABLE and one.shell is not unit.shell for one in part
    )


def _joined(part: Iterable[Unit]) -> list[Node]:
    blocks: list[Node] = []
    group: int | None = None  # of the rich text block that is open
    for shell, run in itertools.groupby(part, key=lambda unit: unit.shell):
        inside = list(run)
        if shell.kind in {Kind.HEADER, Kind.TABLE}:
            blocks.append(inside[0].nodes[0] if shell.kind is Kind.HEADER else _table_block(shell, inside))
            group = None
        elif group == shell.group:
            blocks[-1]["elements"].extend(_elements(shell, inside))
        else:
            blocks.append(rich_text(_elements(shell, inside)))
            group = shell.group
    return blocks


def _elements(shell: Shell, inside: list[Unit]) -> list[Node]:
    """Of a rich text block."""
    if shell.kind is Kind.LIST:
        return [listed([section(unit.nodes) for unit in inside], inside[0].number)]
    if shell.kind is Kind.CODE:
        return _code_elements(shell, inside)
    elements = [*inside[0].nodes]
    for last, unit in itertools.pairwise(inside):
        elements += [literal("\n" if last.leads else "\n\n"), *unit.nodes]
    return [section(elements)]


def _code_elements(shell: Shell, inside: list[Unit]) -> list[Node]:
    """Code, and a mark outside of it where it is continued."""
    text = "\n".join(unit.nodes[0]["text"] for unit in inside) or " "
    begins = [section([literal(CODE_CONTINUED)])] if (inside[0].number or 1) > 1 else []
    ends = [section([literal(CODE_GOES_ON)])] if (inside[-1].number or shell.lines) < shell.lines else []
    return [*begins, preformatted(text), *ends]


def _table_block(shell: Shell, inside: list[Unit]) -> Node:
    rows = [list(row) for row in (shell.header, *(unit.nodes for unit in inside)) if row]
    return {"type": "table", "column_settings": [{"is_wrapped": True} for _ in rows[0]], "rows": rows}


def _buttons(job: int) -> Node:
    asked = ((UP, "👍", "This answer helped"), (DOWN, "👎", "This answer did not help"))
    return {
        "type": "actions",
        "elements": [
            {
                "type": "button",
                "action_id": action,
                "text": {"type": "plain_text", "text": sign, "emoji": True},
                "value": str(job),
                "accessibility_label": label,
            }
            for action, sign, label in asked
        ],
    }
