"""The values that tests and test records expect, as statements that can be compared with a ticket's."""

import re
from collections.abc import Iterator

from core.types import Evidence
from review.checks.constants import words_of_name
from review.checks.places import Place, evidence_place
from review.checks.statements import Statement, statements
from review.text import language_of, phrases
from review.words import Words

_NAMED = re.compile(
    r"\b(?:def|fun|func|function|void|fn)\s+(?P<name>test\w{4,150}|Test\w{4,150}|\w{4,150}[tT]est)\s*\("
    r"|\b(?:it|test|describe|context|scenario|specify)\s*\(?\s*(?P<mark>[\"'`])(?P<text>.{6,200}?)(?P=mark)"
)
_REFUSED = re.compile(
    r"\b(?:refus\w*|reject\w*|too|more|less|fewer|exceed\w*|fails?|failure|invalid|over|beyond|above|below|not|no|never|until|"
    r"denied|forbid\w*|error|boundary|edge|abgelehnt|mehr|weniger|nicht|kein\w*|zu)\b",
    re.IGNORECASE,
)
"""What a case says that tries the other side of a limit."""
_RULE = re.compile(
    r"\b(?:after|within|for|lasts?|up to|at most|at least|max\w*|min\w*|limit\w*|exactly|nach|innerhalb|binnen|bis zu|"
    r"höchstens|mindestens)\b",
    re.IGNORECASE,
)
"""What makes a number a limit, and no mere input."""
_NOTED = re.compile(r"\A(?:Test case|Told by|Runs?:|Latest result)")


def of_code(evidence: Evidence, words: Words) -> Iterator[tuple[Statement, str]]:
    """What the names of tests say, each with the name as it stands: `test_closes_after_five_days`."""
    for found in _NAMED.finditer(evidence.text):
        literal = found["name"] or found["text"]
        told = " ".join(words_of_name(literal)) if found["name"] else literal
        told = told.removeprefix("test ")
        if _RULE.search(told) and not _REFUSED.search(told):
            place = Place(evidence.locator.title, told, evidence.locator, evidence.labels)
            for statement in statements(place, evidence.locator.title, words, "en"):
                yield statement, literal


def of_record(evidence: Evidence, words: Words) -> Iterator[tuple[Statement, str]]:
    """What a test record expects, each with its sentence."""
    language = language_of(evidence.text)
    for statement in statements(evidence_place(evidence), evidence.locator.title, words, language):
        prose = statement.sentence.prose
        before = prose[: statement.quantity.end]
        noted = _NOTED.match(prose) or prose in phrases(words.superseded)
        if not noted and _RULE.search(before) and not _REFUSED.search(prose):
            yield statement, statement.sentence.text
