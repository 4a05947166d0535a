"""Two rules meet at a limit, and neither says what holds at the limit itself; or two ranges overlap or leave a gap."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from review.case import Case, Checked
from review.checks.demands import demanded
from review.checks.matching import same_value
from review.checks.places import shown
from review.checks.statements import Statement
from review.types import Finding, Priority

ID = "thresholds"
_MOST = 3
_ABOVE = re.compile(
    r"\b(?:over|above|beyond|exceed\w*|(?:more|greater|larger|longer|later|older|higher|heavier) than|über"
    r"|oberhalb(?: von)?|(?:mehr|größer|länger|später|älter|höher|schwerer) als)\s+\Z",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"\b(?:under|below|(?:less|fewer|smaller|shorter|earlier|younger|lower|lighter|cheaper) than|unter"
    r"|unterhalb(?: von)?|(?:weniger|kleiner|kürzer|früher|jünger|niedriger|leichter) als)\s+\Z",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\b(?:not?|never|nicht|kein\w*|nie)\s+(?:\w+\s+){0,2}\Z", re.IGNORECASE)
_REACH = 40
"""Characters before a value in which words say on which side of it a rule holds."""


@dataclass(frozen=True, slots=True)
class Side:
    """A statement that holds on one side of its value, the value itself left out."""

    statement: Statement
    above: bool


def check(case: Case) -> Checked:
    stated = demanded(case)
    found = [*_at_the_limit(stated, case.ticket.kind), *_between_ranges(stated)]
    unique = {finding.fingerprint: finding for finding in found}
    findings = sorted(unique.values(), key=lambda finding: not case.focus.is_of(finding))
    return Checked(tuple(findings[:_MOST]))


def _at_the_limit(stated: Sequence[Statement], noun: str) -> Iterator[Finding]:
    """`over 100 EUR` and `under 100 EUR`, and nothing of 100 EUR."""
    sides = [side for statement in stated if (side := _side(statement))]
    exclusive = {id(side.statement) for side in sides}
    for one in sides:
        for other in sides:
            value = one.statement.quantity
            if not one.above or other.above or not same_value(value, other.statement.quantity):
                continue
            told = any(id(s) not in exclusive and same_value(s.quantity, value) for s in stated)
            if not told and _on_one_matter(one.statement, other.statement):
                yield _undecided(one.statement, other.statement, noun)


def _side(statement: Statement) -> Side | None:
    quantity = statement.quantity
    before = statement.sentence.prose[max(0, quantity.start - _REACH) : quantity.start]
    if quantity.low != quantity.high or quantity.bound in {"at most", "at least"}:
        return None
    for pattern, above in ((_ABOVE, True), (_BELOW, False)):
        if (found := pattern.search(before)) and not _NEGATED.search(before[: found.start()]):
            return Side(statement, above)
    return None


def _on_one_matter(one: Statement, other: Statement) -> bool:
    same_sentence = one.sentence == other.sentence and one.place == other.place
    return same_sentence or bool(one.near & other.near) or one.quantity.dimension.startswith("count ")


def _between_ranges(stated: Sequence[Statement]) -> Iterator[Finding]:
    """Neighbouring lines of a list or table whose ranges share an end, or leave out a whole number."""
    ranges = [s for s in stated if s.quantity.low < s.quantity.high and s.sentence.kind in {"item", "row"}]
    for one, other in pairwise(ranges):
        low, high = one.quantity, other.quantity
        if one.place != other.place or one.sentence.heading != other.sentence.heading:
            continue
        if low.dimension != high.dimension or one.sentence == other.sentence or low.dimension == "clock":
            continue
        if low.low < low.high == high.low:
            yield _overlap(one, other)
        elif low.dimension.startswith("count ") and low.high + 1 < high.low:
            yield _gap(one, other)


def _undecided(one: Statement, other: Statement, noun: str) -> Finding:
    value = one.value
    return _finding(
        one,
        other,
        f"The {noun} says what holds over and under “{value}”, but not what holds at exactly that value: "
        f"“{shown(one.sentence.text)}”, “{shown(other.sentence.text)}”.",
        f"What happens at exactly “{value}”?",
    )


def _overlap(one: Statement, other: Statement) -> Finding:
    return _finding(
        one,
        other,
        f"Two ranges share an end: “{shown(one.sentence.text)}” and “{shown(other.sentence.text)}”.",
        f"Which of the two holds where “{one.value}” ends and “{other.value}” begins?",
    )


def _gap(one: Statement, other: Statement) -> Finding:
    return _finding(
        one,
        other,
        f"Between two ranges something is left out: “{shown(one.sentence.text)}” and “{shown(other.sentence.text)}”.",
        f"What holds between “{one.value}” and “{other.value}”?",
    )


def _finding(one: Statement, other: Statement, statement: str, question: str) -> Finding:
    quotes = (one.place.cite(one.sentence.text), other.place.cite(other.sentence.text))
    return Finding(
        rule=ID,
        category="boundary and exception",
        priority=Priority.P2,
        statement=statement,
        why="The value at the limit is the first that a tester tries, and everybody assumes another answer.",
        question=question,
        evidence=tuple(dict.fromkeys(quotes)),
    )
