"""Takes a sentence apart: the condition under which it holds, and what then holds."""

import re
from dataclasses import dataclass

from review.test_cases.lexicon import CLAUSES
from review.test_cases.material import raised
from review.text import phrases

_THEN = re.compile(r"\A(?:then|dann|so)\s+", re.IGNORECASE)
_FEWEST = 2
"""Words without which a part is none."""


@dataclass(frozen=True, slots=True)
class Clauses:
    condition: str
    """With its opening word: `When the hold has run out`. Empty: it holds always, or cannot be told apart."""
    outcome: str


def clauses(text: str) -> Clauses:
    """`If it is late, it is refused` and `It is refused if it is late` alike."""
    found = phrases(CLAUSES).find(text)
    if found is None:
        return Clauses("", text)
    comma = text.find(", ", found.end(1))
    condition = text[found.start(1) :] if comma < 0 else text[found.start(1) : comma]
    rest = "" if comma < 0 else text[comma + 2 :]
    before = text[: found.start(1)].rstrip(" ,")
    outcome = ", ".join(part for part in (before, _THEN.sub("", rest)) if part)
    if min(len(condition.split()), len(outcome.split())) < _FEWEST:
        return Clauses("", text)
    return Clauses(raised(condition), raised(outcome))
