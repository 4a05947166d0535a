"""What `#qa-check dismiss 2: reason` says."""

import re
from dataclasses import dataclass

from review.checks.typos import is_typo
from review.wording import cut

REASON = 500
"""Characters of a reason that are kept."""
HOW = (
    "To set points aside, write the command in a new comment, and after it their numbers from the last review and a "
    "reason, as in `dismiss 2: decided with sales` or `dismiss 2, 4: decided with sales`."
)
_MOST = 50
"""The highest number; a review has fewer points."""
_DISMISS = "dismiss"
_WORD = re.compile(rf"{_DISMISS}\b[\s:]*", re.IGNORECASE)
_NUMBER = r"(?:(?:nos?\.|points?|numbers?|questions?)\s*)?#?\d{1,3}(?:[-\u2013]\d{1,3})?"
_NEAR = re.compile(rf"([a-z]{{4,12}})\b[\s:]*{_NUMBER}\b", re.IGNORECASE)
"""A word that may be a misspelt one, and a number."""
_JOINT = r"(?:\s*(?:,|;|&|\+|\band\b|\bund\b)\s*)+"
_NUMBERS = re.compile(rf"{_NUMBER}(?:{_JOINT}{_NUMBER})*(?![\w.]*\w)", re.IGNORECASE)
_RANGE = re.compile(r"(\d+)(?:[-\u2013](\d+))?")
_REASON = re.compile(
    r"\s*(?::|(?:[,;\u2013\u2014-]|\b(?:because|since|as|weil|da)\b)(?!\s*\d)|(?![\s\d,;:\u2013\u2014-]))\s*",
    re.IGNORECASE,
)
"""What stands before a reason. After anything but a colon a number could as well be that of a further point."""


@dataclass(frozen=True, slots=True)
class Dismissal:
    """Points of the last review that somebody sets aside."""

    numbers: tuple[int, ...]
    """Each once, as written."""
    reason: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """It wants to dismiss something, but does not say what or why."""

    told: str
    """For the person: what is missing, and how it is written."""


def parse_dismissal(argument: str) -> Dismissal | Malformed | None:
    """What the text after the command says; None if it does not begin with `dismiss`, or nearly so and a number."""
    word = _WORD.match(argument)
    if word is None:
        near = _NEAR.match(argument)
        if near and is_typo(near[1].lower(), _DISMISS):
            return Malformed(f"“{near[1]}” is not understood; the word is “{_DISMISS}”. {HOW}")
        return None
    found = _NUMBERS.match(argument, word.end())
    rest = _REASON.match(argument, found.end()) if found else None
    if found is None or (rest is None and argument[found.end() :].strip()):
        return Malformed(f"It is not clear which points are to be set aside. {HOW}")
    reason = cut(argument[rest.end() :], REASON) if rest else ""
    if not any(char.isalnum() for char in reason):
        return Malformed(f"The reason is missing. {HOW}")
    return Dismissal(_numbers(found.group()), reason)


def _numbers(text: str) -> tuple[int, ...]:
    """`2, 4-6` is 2, 4, 5, 6; what no review has is left out but for its first number, which then is unknown there."""
    wanted: dict[int, None] = {}
    for first, last in _RANGE.findall(text):
        wanted |= dict.fromkeys(range(int(first), min(int(last or first), _MOST) + 1) or [int(first)])
    return tuple(wanted)
