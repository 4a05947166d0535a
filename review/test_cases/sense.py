"""On which side of a limit its rule holds, and what is to be seen at a value on either side."""

import re
from typing import Literal

from review.checks.statements import Statement
from review.test_cases.nearby import Place

Sense = Literal["at most", "at least", "over", "under", "exact", "ahead"]
"""`ahead`: counted back from an event, so what is more lies earlier (`closes 20 minutes before departure`)."""
REACH = 40
"""Characters beside a quantity in which words say how it is meant."""
_OVER = re.compile(
    r"\b(?:over|above|beyond|exceed\w*|(?:more|greater|larger|longer|later|older|higher|heavier) than|über"
    r"|oberhalb(?: von)?|(?:mehr|größer|länger|später|älter|höher|schwerer) als)\s+\Z",
    re.IGNORECASE,
)
_UNDER = re.compile(
    r"\b(?:under|below|(?:less|fewer|smaller|shorter|earlier|younger|lower|lighter|cheaper) than|unter"
    r"|unterhalb(?: von)?|(?:weniger|kleiner|kürzer|früher|jünger|niedriger|leichter) als)\s+\Z",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|cannot|nicht|nie|kein\w*)\s+(?:be\s+)?\Z", re.IGNORECASE)
_AHEAD = re.compile(r"\s+(?:before|prior to|ahead of|in advance|vor(?:her)?)\b", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|no later than|not later than|bis|spätestens)\s+\Z", re.IGNORECASE)


def sense_of(statement: Statement) -> Sense:
    """`up to 24 hours before departure` asks for at least these, though it is worded like an upper bound."""
    quantity, prose = statement.quantity, statement.sentence.prose
    before = prose[max(0, quantity.start - REACH) : quantity.start]
    ahead = quantity.dimension.startswith("time") and _AHEAD.match(prose, quantity.end) is not None
    if ahead and (quantity.bound == "up to" or _UNTIL.search(before)):
        return "at least"
    if quantity.bound in {"at most", "up to"}:
        return "at most"
    if quantity.bound == "at least":
        return "at least"
    if over := _OVER.search(before):
        return "at most" if _NOT.search(before[: over.start()]) else "over"
    if under := _UNDER.search(before):
        return "at least" if _NOT.search(before[: under.start()]) else "under"
    return "ahead" if ahead else "exact"


def is_beyond(place: Place, sense: Sense) -> bool:
    """Whether a value beside a bound breaks it."""
    return (place, sense) in {("one above", "at most"), ("one below", "at least")}


def expected(place: Place, sense: Sense, text: str) -> str:
    """What is to be seen, in words; `text` is the rule."""
    if sense in {"at most", "at least"}:
        if is_beyond(place, sense):
            return f"It is refused, or treated as the source wants what goes beyond: “{text}”."
        return f"It is accepted, since it keeps to “{text}”."
    if sense in {"over", "under"}:
        holds = place == ("one above" if sense == "over" else "one below")
        return f"What the source says happens: “{text}”." if holds else f"This does not happen yet: “{text}”."
    if place == "at the limit":
        return f"The limit is reached, and what the source says holds: “{text}”."
    early = place == ("one above" if sense == "ahead" else "one below")
    side = "not reached yet" if early else "passed"
    return f"The limit is {side}, and what the source says for that holds: “{text}”."
