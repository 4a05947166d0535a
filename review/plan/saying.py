"""What a plan says of work that is done elsewhere: that it rests on it, or that it is still to come."""

import re
from collections.abc import Iterator, Sequence

from core.tickets import KEY
from review.checks.replies import is_question
from review.plan.given import Given
from review.text import Sentence, phrases, sentences
from review.words import Words

_LIVE = re.compile(
    r"\bnow that\b|\bsince\b.{0,80}\b(?:is|are|was|were|has|have|works?|runs?|brought|added|made)\b"
    r"|\b(?:is|are|was|were|has been|have been|runs?|works?)\s+(?:already\s+)?(?:on|in|live)\s+(?:all\s+)?\w+"
    r"|\balready\s+(?:live|deployed|released|there|runs?|out)\b|\bschon\s+(?:live|da|ausgeliefert)\b|\bseit(?:dem)?\b",
    re.IGNORECASE,
)
"""Beside the words of `Words.live`."""
_BUILDS = re.compile(
    r"\b(?:builds?|building|based|relies|rely|relying|depends?|depending|rests?|resting)\s+(?:up)?on\b"
    r"|\b(?:thanks to|using what|requires?|presupposes?)\b|\b(?:baut auf|beruht auf|hängt von|setzt\b.{0,60}\bvoraus)",
    re.IGNORECASE,
)
_AT_START = re.compile(rf"[\[(]?{KEY.pattern}")
_AWAITED = re.compile(
    r"\b(?:once|until|as soon as|unless|pending|awaits?|waits?\s+(?:for|until)|waiting\s+for|after|before"
    r"|not\s+(?:yet|on|in|live|deployed|released|merged|applied|run|there)|hasn't|has\s+not|have\s+not|isn't|first"
    r"|sobald|erst|noch\s+nicht|wartet|warten|nachdem|bevor)\b",
    re.IGNORECASE,
)


def own_tickets(given: Given, branch: str | None) -> frozenset[str]:
    """Keys of the tickets that the plan carries out: those that its title begins with, or names without resting on
    them, and those of its branch.
    """
    first = next((one.text for one in sentences(given.title)), "")
    own = [found[0]] if (found := _AT_START.match(given.title)) else []
    if not (_BUILDS.search(first) or _LIVE.search(first)):
        own += KEY.findall(first)
    return frozenset(key.strip("[(") for key in (*own, *KEY.findall((branch or "").upper())))


def resting(given: Given, words: Words) -> Iterator[tuple[Sentence, bool]]:
    """The sentences that take something for done, each with whether it is said to be in use."""
    for sentence in given.sentences:
        live = sentence.text in phrases(words.live) or _LIVE.search(sentence.text) is not None
        if (live or _BUILDS.search(sentence.text)) and not is_question(sentence, words):
            yield sentence, live


def is_awaited(given: Given, names: Sequence[str]) -> bool:
    """Whether a sentence that names one of these says that it is still to come: then the plan knows."""
    return any(
        _AWAITED.search(one.text) is not None and any(_names(one.text, name) for name in names if name)
        for one in given.sentences
    )


def _names(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None
