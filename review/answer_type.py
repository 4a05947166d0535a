"""What kind of answer a question wants, by its first word: a time, a person, a place or a reason.

A sentence that holds nothing of that kind does not answer, however much it is about the subject. What it holds may be
no answer either: this is a condition that is needed, and is not enough.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from review.checks.quantities import quantities
from review.checks.units import MONTHS
from review.text import STOPWORDS, language_of, stem_words

AnswerType = Literal["time", "person", "place", "reason"]

_VERB = (
    r"(?=(?:is|are|was|were|am|be|do|does|did|can|could|may|might|must|shall|should|will|would|has|have|had)(?:n't)?\b)"
)
"""What follows `when` in a question, and not in `when a ship leaves, what ...`."""
_OPENS = (
    r"(?:\A|[.!?:;]\s|\b(?:know|tell me|tell us|remember|wei(?:ß|ss) jemand,?|wissen,?)\s)\W*"
    r"(?:(?:and|but|so|then|und|aber|also)\s+)?"
)
_ASKS: Mapping[AnswerType, re.Pattern[str]] = {
    "time": re.compile(
        rf"{_OPENS}(?:when\s+{_VERB}|(?:since|until|till|by|from|as of)\s+when\b|(?:at\s+)?what\s+time\b"
        r"|(?:(?:on|by|since|until|from|in)\s+)?(?:which|what)\s+(?:day|date|month|year)\b"
        r"|(?:(?:bis|seit|ab|von)\s+)?wann\b)",
        re.IGNORECASE,
    ),
    "person": re.compile(
        rf"{_OPENS}(?:(?:(?:by|to|from|with|for)\s+)?(?:who|whom|whose)\b"
        r"|(?:(?:von|bei|mit|an|für)\s+)?(?:wer|wem|wen|wessen)\b"
        r"|(?:which|what|welches?)\s+(?:team|person|role|rolle)\b)",
        re.IGNORECASE,
    ),
    "place": re.compile(
        rf"{_OPENS}(?:(?:from\s+)?where\s+{_VERB}|(?:wo|wohin|woher)\b"
        r"|(?:in|on|at|under)\s+(?:which|what)\s+(?:file|folder|place|path)\b)",
        re.IGNORECASE,
    ),
    "reason": re.compile(
        rf"{_OPENS}(?:why\b|how come\b|for what reason\b|what\s+(?:is|was)\s+the\s+reason\b"
        r"|(?:warum|weshalb|wieso|wozu|weswegen)\b)",
        re.IGNORECASE,
    ),
}
_SAID = re.compile(
    r"\b(?:documented|described|written|stated|specified|defined|implemented|explained|steht|beschrieben"
    r"|dokumentiert|festgelegt|implementiert)\b",
    re.IGNORECASE,
)
"""Where something is said: any source that says it is the place."""

_WHEN = re.compile(
    rf"\b(?:\d{{4}}-\d\d|(?:19|20)\d\d)\b|\b(?:{MONTHS})\b|\bv(?:ersion)?\.?\s*\d|\b\d+\.\d+\.\d+\b|"
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|montags?|dienstags?|mittwochs?|donnerstags?|freitags?"
    r"|samstags?|sonntags?|today|tomorrow|yesterday|tonight|midnight|noon|spring|summer|autumn|winter|heute|morgen"
    r"|gestern|mitternacht|mittags?|frühling|frühjahr|sommer|herbst|hourly|daily|nightly|weekly|monthly|quarterly"
    r"|yearly|stündlich|täglich|wöchentlich|monatlich|jährlich|at once|immediately|sofort|always|never|immer|nie"
    r"|until|till|before|after|during|while|once|whenever|as soon as"
    r"|(?<=[a-z] )when(?<!done when)|bis|bevor|vor|nach|nachdem|während|sobald"
    r"|(?:every|each|same|next|on the) (?:day|night|week|month|year|hour|minute|morning|evening|release|sprint)"
    r"|(?:am|jede[nrs]?) (?:tag|nacht|woche|monat|jahr|stunde|morgen|abend))\b",
    re.IGNORECASE,
)
TIMES = frozenset({"time", "working", "clock"})
"""Dimensions of quantities that are a time."""
_WHY = re.compile(
    r"\b(?:because|since|so that|so as|so(?= \w+ (?:do|does|can|may|must|need|will|would|is|are|have|has)\b)"
    r"|in order to|due to|owing to|thanks to|therefore|thus|hence|otherwise|or else|reasons?|grounds?|cause[sd]?"
    r"|causing|for fear|as(?= (?:we|it|they|he|she|the|this|that|nobody|people)\b)|too (?:many|much|few|little"
    r"|long|short|large|small|slow|often|late|early)|not enough|cannot|could not|want(?:s|ed)?"
    r"|needs? (?:a|an|the|to|no)|would|prefers?|avoid\w*|prevent\w*|protect\w*|risk\w*|laws?|legal\w*"
    r"|requires?|required by|weil|da|damit|denn|deshalb|deswegen|daher|darum|wegen"
    r"|aufgrund|sonst|um\b[^.]*\bzu|gr[uü]nde?|zu viele?|zu wenig|gesetz\w*)\b"
    r"|(?:\w+ ){3,}\w+:(?: [^\W\d]\w*){3}",
    re.IGNORECASE,
)
_PLACE_NAME = re.compile(
    r"https?://|[\w.-]+/[\w./-]+|\b\w+\.[a-z]{2,4}\b|\b(?:here|there|nowhere|anywhere|everywhere|online|offline|abroad"
    r"|inside|outside|hier|dort|nirgends|überall|draußen|drinnen)\b",
    re.IGNORECASE,
)
_IN = re.compile(
    r"\b(?:in|at|on|onto|into|under|near|behind|beside|between|next to|to|from|via|through"
    r"|im|am|an|auf|bei|beim|unter|hinter|neben|aus|nach|zu|zum|zur|ins|ans)\s+"
    r"(?:(?:the|a|an|our|their|its|every|each|any|der|die|das|dem|den|einem|einer|eine|ein)\s+)?([^\W\d_][\w-]+)",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"\b(teams?|crews?|staff|leads?|officers?|owners?|agents?|admins?|administrators?|managers?|supports?|sales|legal"
    r"|finance|operations|police|departments?|offices?|councils?|boards?|groups?|everybody|everyone|anybody|anyone|nobody"
    r"|no one|somebody|leitung|abteilung|besatzung|polizei|amt|verantwortlich\w*|jede[rm]?|niemand|alle)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<=[\w,;:)] )([A-ZÄÖÜ][a-zäöüß][\w-]*)|@\w|\[~")
_SUBJECT = re.compile(
    r"(?:\A|[.;:,]\s|\band\s|\bthat\s|\b(?:only|nur)\s)\W*(?:only|nur)?\s*"
    r"(?:the|a|an|our|each|every|der|die|das|ein|eine|jeder|jede)\s+([^\W\d_]+)",
    re.IGNORECASE,
)
_BY = re.compile(
    r"\b(?:by|von|vom|durch)\s+(?:(?:the|a|an|our|der|dem|den|die|das|einem|einer)\s+)?([^\W\d_]+)", re.IGNORECASE
)


def type_of(question: str) -> AnswerType | None:
    """What the first question in it asks for; None if that is none of these."""
    found = {name: match.start() for name, asks in _ASKS.items() if (match := asks.search(question))}
    name = min(found, key=lambda one: found[one], default=None)
    return None if name == "place" and _SAID.search(question) else name


def meets(text: str, wanted: AnswerType, asked: frozenset[str]) -> bool:
    """Whether a sentence holds something of the kind that is wanted. `asked` are the forms of the question's words:
    what it names itself is no answer to who and where.
    """
    return _MEETS[wanted](text, asked)


def _time(text: str, _asked: frozenset[str]) -> bool:
    if _WHEN.search(text):
        return True
    return any(one.dimension.partition(" ")[0] in TIMES for one in quantities(text, language_of(text)))


def _person(text: str, asked: frozenset[str]) -> bool:
    return _new(_people(text), text, asked)


def _place(text: str, asked: frozenset[str]) -> bool:
    return bool(_PLACE_NAME.search(text)) or _new((found[1] for found in _IN.finditer(text)), text, asked)


def _reason(text: str, _asked: frozenset[str]) -> bool:
    return _WHY.search(text) is not None


_MEETS: Mapping[AnswerType, Callable[[str, frozenset[str]], bool]] = {
    "time": _time,
    "person": _person,
    "place": _place,
    "reason": _reason,
}


def _people(text: str) -> Iterator[str]:
    for pattern in (_ROLE, _NAMED, _SUBJECT, _BY):
        yield from (found[1] or found[0] for found in pattern.finditer(text))


def _new(words: Iterator[str], text: str, asked: frozenset[str]) -> bool:
    """Whether one of the words is not of the question."""
    language = language_of(text)
    told = {word.lower() for word in words}
    return any(not asked.intersection([word, *stem_words([word], language)]) for word in told - STOPWORDS)
