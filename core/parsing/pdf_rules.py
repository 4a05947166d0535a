"""The straight lines drawn on a page, which part columns and rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.parsing.pdf_words import Word

_ONE_RULE = 2.0  # points; a line is often drawn in pieces, or as a thin box

Gutter = tuple[float, float]
"""A strip of white from top to bottom: its left and right edge."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line drawn on the page: from left to right at the height `at`, or upright at `at` from the left."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Rules:
    """The lines drawn on a page."""

    level: tuple[Rule, ...] = ()
    upright: tuple[Rule, ...] = ()

    def divide(self, gutter: Gutter, words: Sequence[Word]) -> bool:
        """Whether an upright line runs down the gutter beside these words."""
        middle = (min(word.top for word in words) + max(word.bottom for word in words)) / 2
        return any(gutter[0] <= rule.at <= gutter[1] and rule.start <= middle <= rule.end for rule in self.upright)

    def across(self, columns: Sequence[Sequence[Word]]) -> list[float]:
        """The heights of the lines that are drawn through the white between two columns."""
        edges = [(max(word.right for word in a), min(word.left for word in b)) for a, b in pairwise(columns)]
        found: list[float] = []
        for rule in sorted(self.level, key=lambda rule: rule.at):
            crosses = any(rule.start <= left and right <= rule.end for left, right in edges)
            if crosses and not (found and rule.at - found[-1] < _ONE_RULE):
                found.append(rule.at)
        return found
