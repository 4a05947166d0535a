"""A ticket's history as a text: a line a change, what differs rather than what was there before and after."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from core.parsing.markdown import one_line
from core.tickets import Change

MOST = 1_000
"""Changes, the latest."""
LONGEST = 100_000
"""Characters of all changes together."""
_LINE = 600  # characters of a value before or after
_COMPARED = 400  # pieces of a text; a longer one is compared at its two ends alone
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+")


def history_text(changes: Sequence[Change]) -> tuple[str, str]:
    """Changes, given oldest first, as a list; and what of them was left out, as a sentence's end, or nothing."""
    lines: list[str] = []
    size = 0
    for change in reversed(changes[-MOST:]):
        line = _line(change)
        size += len(line) + 1
        if size > LONGEST:
            break
        lines.append(line)
    missing = len(changes) - len(lines)
    if not missing:
        return "\n".join(reversed(lines)), ""
    left_out = f"{missing} older changes not read"
    return "\n".join([f"[{left_out}]", "", *reversed(lines)]), left_out


def _line(change: Change) -> str:
    before, after = differing(change.before, change.after)
    return f"- {change.at:%Y-%m-%d %H:%M} UTC, {change.author.name}: {one_line(change.field)}: {before} -> {after}"


def differing(before: str, after: str) -> tuple[str, str]:
    """What two texts do not share, in a line each: short ones whole, of longer ones the lines and sentences that only
    one of them has.
    """
    if len(before) <= _LINE // 4 and len(after) <= _LINE // 4:
        return _shown([before]), _shown([after])
    old, new = _pieces(before), _pieces(after)
    start = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    same = zip(reversed(old[start:]), reversed(new[start:]), strict=False)
    end = next((n for n, (a, b) in enumerate(same) if a != b), min(len(old), len(new)) - start)
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(old), len(new)) > _COMPARED:
        return _shown(old), _shown(new)
    codes = SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    gone = [" ".join(old[a:b]) for kind, a, b, _, _ in codes if kind != "equal" and b > a]
    come = [" ".join(new[a:b]) for kind, _, _, a, b in codes if kind != "equal" and b > a]
    return _shown(gone), _shown(come)


def _pieces(text: str) -> list[str]:
    pieces = [piece.strip() for line in text.splitlines() for piece in _SENTENCE.split(line)]
    return [piece for piece in pieces if piece]


def _shown(pieces: Sequence[str]) -> str:
    text = one_line(" … ".join(pieces))
    if len(text) > _LINE:
        return f"{text[:_LINE]} [{len(text) - _LINE:,} more characters]"
    return text or "nothing"
