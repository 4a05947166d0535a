"""Role cases: who may do something, who may not, and that only those may who are named."""

import re
from dataclasses import dataclass

from review.test_cases.lexicon import PEOPLE
from review.test_cases.material import Told, bare, gist
from review.test_cases.types import DraftedCase, Step, Urgency
from review.text import phrases, word_set
from review.wording import cut
from review.words import Words

_BY = re.compile(r"\b(?:by|von|vom|durch)\s+", re.IGNORECASE)
_CONJUNCTIONS = frozenset({"and", "or", "und", "oder"})
_ARTICLE = re.compile(r"\A(?:The|A|An|Der|Die|Das|Ein|Eine)\b")
_WHO, _SUBJECT = 10, 6
"""Words that name those for whom a deed is reserved, and the subject of another sentence."""
_NO_NAME = word_set(
    "is are was were has have that which who before after when if because ist sind war hat bevor nachdem"
)
"""What a subject of a few words does not hold: a clause of its own."""


@dataclass(frozen=True, slots=True)
class Deed:
    """Who is spoken of, and what they may or may not do."""

    who: str
    deed: str


def roles(told: Told, words: Words) -> tuple[DraftedCase, ...]:
    """The cases of one sentence; none if it is not about who may do what."""
    if found := _reserved(told, words):
        return (_may(told, found), _others(told, found))
    if (found := _split(told, words.may_not)) and _is_person(found.who):
        return (_may_not(told, found),)
    if told.sentence.prose in phrases(words.may_not):
        return ()
    if (found := _split(told, words.may)) and _is_person(found.who):
        return (_may(told, found),)
    return ()


def _reserved(told: Told, words: Words) -> Deed | None:
    """`Only shift leads may pay out`, `may be paid out only by shift leads`."""
    prose, text = told.sentence.prose, told.sentence.text
    only, verb = phrases(words.only).find(prose), phrases(words.may).find(prose)
    if only is None or verb is None or prose in phrases(words.may_not):
        return None
    if only.end(1) <= verb.start(1) and not prose[: only.start(1)].strip(" *_-"):
        return _deed(text[only.end(1) : verb.start(1)], text[verb.end(1) :])
    if by := _BY.search(prose, only.end(1)):
        return _deed(text[by.end() :], text[: only.start(1)])
    return None


def _split(told: Told, verbs: tuple[str, ...]) -> Deed | None:
    verb = phrases(verbs).find(told.sentence.prose)
    if verb is None:
        return None
    return _deed(told.sentence.text[: verb.start(1)], told.sentence.text[verb.end(1) :])


def _deed(who: str, deed: str) -> Deed | None:
    """None where there is nobody, or nothing to do."""
    who, deed = bare(who), bare(deed)
    named = re.split(r",\s|:\s", who)[-1].strip()
    spoken = [word for word in named.split() if word.lower() not in _CONJUNCTIONS]
    named = _ARTICLE.sub(lambda article: article.group().lower(), named)
    return Deed(named, deed) if 0 < len(spoken) <= _WHO and deed else None


def _is_person(who: str) -> bool:
    """Whether a subject is somebody: a few words, the last of them a person's or a role's."""
    spoken = who.lower().split()
    return len(spoken) <= _SUBJECT and spoken[-1] in PEOPLE and not _NO_NAME & set(spoken)


def _may(told: Told, found: Deed) -> DraftedCase:
    return _case(
        told,
        title=f"Allowed for {found.who}: {cut(found.deed, 120)}",
        who=f"Signed in as: {found.who}.",
        deed=found.deed,
        expected=f"It is possible: “{told.text}”.",
        urgency="medium",
        reason="Those who need it must not be kept from it.",
        condition=_condition("allowed", found),
    )


def _others(told: Told, found: Deed) -> DraftedCase:
    return _case(
        told,
        title=f"Refused to others than {found.who}: {cut(found.deed, 120)}",
        who=f"Signed in as somebody who is none of: {found.who}.",
        deed=found.deed,
        expected=f"It is refused and changes nothing, since “{told.text}”.",
        urgency="high",
        reason="A right that everybody has by mistake is seen by nobody until it is used.",
        condition=_condition("refused to others", found),
    )


def _may_not(told: Told, found: Deed) -> DraftedCase:
    return _case(
        told,
        title=f"Refused to {found.who}: {cut(found.deed, 120)}",
        who=f"Signed in as: {found.who}.",
        deed=found.deed,
        expected=f"It is refused and changes nothing, since “{told.text}”.",
        urgency="high",
        reason="What is forbidden is not tried by those who build it.",
        condition=_condition("refused", found),
    )


def _condition(verdict: str, found: Deed) -> str:
    return f"{verdict}: {gist(found.who)} / {gist(found.deed)}"


def _case(
    told: Told, *, title: str, who: str, deed: str, expected: str, urgency: Urgency, reason: str, condition: str
) -> DraftedCase:
    return DraftedCase(
        kind="role",
        title=title,
        preconditions=(who,),
        steps=(Step(f"Try this: {deed}."),),
        expected=expected,
        urgency=urgency,
        reason=reason,
        sources=(told.cite(),),
        condition=condition,
    )
