"""Cases by sentence: what holds in a state, what goes wrong, what happens twice, and what else the ticket asks for."""

import re

from review.test_cases.clauses import clauses
from review.test_cases.lexicon import STATES, TROUBLES, TWICE
from review.test_cases.material import Told, gist, raised
from review.test_cases.types import DraftedCase, Kind, Step, Urgency
from review.text import language_of, phrases
from review.wording import cut
from review.words import Words

_NOT = re.compile(r"\b(?:not|never|nicht|nie)\s+(?:(?:yet|been|be|noch|ever|being)\s+)*\Z", re.IGNORECASE)
_GOES_WRONG: tuple[tuple[tuple[str, ...], str, Urgency, str], ...] = (
    (
        TWICE,
        "Twice or at once",
        "high",
        "What happens twice or at the same time is rarely tried by hand and costs data or money.",
    ),
    (TROUBLES, "When it goes wrong", "medium", "The way out of a failure is built last and tried least."),
)


def exception(told: Told, *, bounded: bool) -> DraftedCase | None:
    """What goes wrong, ends too early or happens twice; None if the sentence tells of no such thing. Of a sentence
    whose limit is tried only what happens twice: what goes wrong beyond the limit is tried with it.
    """
    for words, head, urgency, reason in _GOES_WRONG[:1] if bounded else _GOES_WRONG:
        if found := phrases(words).find(told.prose):
            return _case(told, "exception", f"{head} (“{found.group(1).lower()}”)", urgency, reason)
    return None


def state(told: Told, words: Words) -> DraftedCase | None:
    """What holds while something is in a state; None if the sentence names none."""
    found = phrases(STATES).find(told.prose)
    if found is None:
        return None
    negated = _NOT.search(told.prose[: found.start(1)])
    name = f"{'not ' if negated else ''}{found.group(1).lower()}"
    forbidden = told.sentence.prose in phrases(words.may_not)
    urgency: Urgency = "high" if forbidden else "medium"
    reason = (
        "What must not happen in a state is built as if it were always allowed."
        if forbidden
        else "A state that is reached on another way than the usual one is easily forgotten."
    )
    return _case(told, "state", f"State “{name}”", urgency, reason, (f"What this is about is in the state “{name}”.",))


def criterion(told: Told) -> DraftedCase:
    """What the ticket asks for, as it is written."""
    return _case(told, "criterion", "As asked for", "medium", "The work is not done without it.")


def _case(
    told: Told, kind: Kind, head: str, urgency: Urgency, reason: str, preconditions: tuple[str, ...] = ()
) -> DraftedCase:
    parts = clauses(told.text)
    steps: tuple[Step, ...] = (Step(f"Do what the source describes: “{told.text}”."),)
    if parts.condition:
        steps = (Step(f"Bring this about: {parts.condition}."), Step("Look at what happens."))
    if not told.own:
        urgency, reason = ("medium" if urgency == "high" else "low"), f"{reason} It is a policy's rule."
    return DraftedCase(
        kind=kind,
        title=f"{head}: {cut(told.text, 140)}",
        preconditions=preconditions,
        steps=steps,
        expected=f"{raised(parts.outcome)}.",
        urgency=urgency,
        reason=reason,
        sources=(told.cite(),),
        condition=gist(told.text, language_of(told.place.text)),
    )
