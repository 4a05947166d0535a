"""Reading Markdown as people read it: what is prose, where sentences and sections are, what words mean the same.

Nothing here changes an offset, so whatever is found can be quoted literally from its source. All is linear in the
length of the text.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import Stemmer

from review.lexicon import IRREGULAR

Language = Literal["en", "de"]
Kind = Literal["heading", "item", "row", "text"]

LABEL_LEVEL = 7
"""Level of a heading that is only a bold line or a short line with a colon; below all of `#` to `######`."""

_LABEL_WORDS = 8
_BARE_WORDS = 4
"""Words of a line that may be a heading with a colon, and without."""
_INLINE = re.compile(
    r"`[^`]*`"  # code
    r"|~~[^~]*~~"  # struck out: withdrawn by its author
    r"|https?://[^\s<>\])]+"
    r"|\]\([^)\s\]]*\)"  # a link's target
    r"|<[a-zA-Z/!][^<>]*>"
)
_ITEM = re.compile(r"\s*(?:[-*+•‣\u2013]|\d{1,3}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?")
_ATX = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+|h([1-6])\.[ \t]+")
_RULE = re.compile(r"\s*\|?[\s:|-]+\|?\s*$")
_END = re.compile(r"[.!?…؟。！？]+[\"'”’)\]*_]*(?=\s|$)")  # noqa: RUF001 - full-width stops end sentences too


def word_set(block: str) -> frozenset[str]:
    """The words of a block of text, for lists that read better without a quotation mark for each."""
    return frozenset(block.split())


_ABBREVIATIONS = word_set(
    "e.g eg i.e ie etc approx max min no nr incl excl resp vs dr mr mrs ms prof st ca z.b bzw usw ggf d.h u.a inkl evtl"
    " vgl abs mio mrd tel"
)
_WORD = re.compile(r"[^\W_]+")
_GERMAN_FORM = re.compile(r"(?:ung|ungen|keit|heit|schaft|lich)\Z(?<!young)|[äöüß]")
_BASES = {form: forms[-1] for forms in map(str.split, IRREGULAR.split(",")) for form in forms[:-1]}
_GERMAN_STEM = 7
"""Letters of a German stem that count: joins participles and compounds with their first part."""
# None holds its own opening mark: of many marks that are never closed, each would be looked for to the end of the line.
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^“”\n]*”|„[^„“”\n]*[“”]|«[^«»\n]*»|»[^»«\n]*«|(?<!\w)'[^'\n]*'(?!\w)")

_ENGLISH = word_set(
    """a about above after again against all also although always am among an and any anybody anyone anything are aren
    as at away back be became because become been before being below between both but by came can cannot could did do
    does doing done down during each either else even ever every everybody everyone everything few for from further
    get gets getting give given go goes going got had has have having he her here hers him his how however i if in
    instead into is isn it its itself just let like likely ll made make makes many may maybe me might mine more most
    much must my near need needed needs neither never no nobody none nor not nothing now of off often on once one only
    onto or other others our ours out over own per perhaps please put quite rather re really same see seem seems shall
    she should since so some somebody someone something soon still such take taken takes than that the their theirs
    them then there therefore these they thing things this those though through thus till to too toward towards under
    unless until up upon us use used uses using usually ve very want wants was way we well were what whatever when
    where whether which while who whom whose why will with within without won would yes yet you your yours able allow
    allowed allows add added adding new ticket story page don doesn didn wasn weren hasn haven isn couldn shouldn
    wouldn says say said currently today least most exactly every first second last next people person
    user users max min maximum minimum
    one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred"""
)
_GERMAN = word_set(
    """ab aber alle allem allen aller alles als also am an andere anderen anderer anders auch auf aus bei beim bereits
    bin bis bist bitte da dabei dadurch dafür dagegen daher damit danach dann daran darauf daraus darf das dass davon
    dazu dem den denn der deren des deshalb dessen die dies diese diesem diesen dieser dieses doch dort du durch
    dürfen ein eine einem einen einer eines er erst es etwa etwas euch euer für gegen gibt hab habe haben hat hatte
    hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in indem ins innerhalb ist ja je jede
    jedem jeden jeder jedes jetzt kann kein keine keinem keinen keiner können könnte man mehr mein meine mit muss
    müssen nach nachdem neue neuen neuer nicht nichts noch nun nur ob oder ohne per schon sehr sein seine seinem seinen
    seiner seit sich sie sind so sobald sodass soll sollen sollte sollten sondern sonst sowie über um und uns unser
    unter viel vom von vor wann war waren warum was weil weiter welche welchem welchen welcher welches wenn wer werde
    werden wie wieder will wir wird wo wollen worden wurde wurden würde zu zum zur zwar zwischen während wegen betragen
    beträgt zwei drei vier fünf sechs sieben acht neun zehn
    zwölf zwanzig dreißig höchstens
    mindestens maximal"""
)
STOPWORDS = _ENGLISH | _GERMAN
"""What carries no subject, with what every ticket says (`add`, `new`, `should`)."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, list item, table row or heading. `source[start:end] == text`."""

    text: str
    prose: str
    """`text` with code, quotes, link targets and struck-out text blanked; same length."""
    start: int
    kind: Kind
    heading: str
    """The heading it stands under, empty at the top."""
    ticked: bool = False
    """A task that is done."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and all that stands below it, until a heading of its own rank or higher."""

    title: str
    """The heading as written, without its marks."""
    body: str
    """Literal."""
    whole: str
    """Title and body as they stand in the source."""


@dataclass(slots=True)
class _Block:
    start: int
    end: int
    kind: Kind
    heading: str
    level: int = 0
    ticked: bool = False


def visible_prose(text: str) -> str:
    """The text with code, quotes, link targets, tags and struck-out words blanked; every offset stays."""
    lines: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        head = line.lstrip()
        mark = head[:3]
        if fence:
            lines.append(_blank(line))
            fence = "" if mark == fence else fence
        elif mark in {"```", "~~~"}:
            lines.append(_blank(line))
            fence = mark
        elif head.startswith(">"):
            lines.append(_blank(line))
        else:
            lines.append(_INLINE.sub(lambda found: _blank(found.group()), line))
    return "".join(lines).replace("’", "'")  # noqa: RUF001 - the typographic apostrophe


def _blank(text: str) -> str:
    return "".join(char if char in "\r\n" else " " for char in text)


def without_quoted(prose: str) -> str:
    """Prose with what stands in quotation marks blanked: names of buttons, cited wordings."""
    return _QUOTED.sub(lambda found: " " * len(found.group()), prose)


@lru_cache(maxsize=256)
def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of visible prose, in order. Lines that are wholly code or quote yield nothing.

    Kept for a while, since every rule reads the same ticket and the same pages.
    """
    prose = visible_prose(text)
    return tuple(
        Sentence(text[start:end], prose[start:end], start, block.kind, block.heading, block.ticked)
        for block in _blocks(prose)
        for start, end in _split(prose, block)
    )


def sections(text: str) -> Iterator[Section]:
    """All headings (`#`, bold lines, short lines that end in a colon) with their bodies, code and quotes included."""
    headings = [block for block in _blocks(visible_prose(text)) if block.kind == "heading"]
    ends = [len(text)] * len(headings)
    open_: list[int] = []
    for number, block in enumerate(headings):
        while open_ and headings[open_[-1]].level >= block.level:
            ends[open_.pop()] = text.rfind("\n", 0, block.start) + 1
        open_.append(number)
    for block, end in zip(headings, ends, strict=True):
        newline = text.find("\n", block.end)
        body = text[newline + 1 : max(end, newline + 1)] if newline >= 0 else ""
        yield Section(text[block.start : block.end], body.strip(), text[block.start : max(end, block.end)].strip())


def _blocks(prose: str) -> list[_Block]:
    """Paragraphs, items, rows and headings, by offset. A line that plainly goes on belongs to the one before."""
    blocks: list[_Block] = []
    heading, at, open_block = "", 0, False
    for line in prose.splitlines(keepends=True):
        start, end = at + len(line) - len(line.lstrip()), at + len(line.rstrip())
        at += len(line)
        if start >= end or (line.lstrip().startswith("|") and _RULE.match(line)):
            open_block = False
            continue
        block = _block(prose, start, end, heading)
        if block.kind == "item" and open_block and _heads_list(prose, blocks[-1]):
            blocks[-1] = _Block(blocks[-1].start, blocks[-1].end, "heading", "", LABEL_LEVEL)
            block.heading = heading = prose[blocks[-1].start : blocks[-1].end]
        if block.kind == "text" and open_block and _goes_on(prose, blocks[-1], start):
            blocks[-1].end = end
            continue
        if block.kind == "heading":
            heading = prose[block.start : block.end]
        blocks.append(block)
        open_block = block.kind in {"text", "item"}
    return blocks


def _block(prose: str, start: int, end: int, heading: str) -> _Block:
    line = prose[start:end]
    if mark := _ATX.match(line):
        level = len(mark[1]) if mark[1] else int(mark[2])
        return _Block(*_trim(prose, start + mark.end(), end), "heading", "", level)
    if line.startswith("|"):
        return _Block(*_trim(prose, start, end), "row", heading)
    if mark := _ITEM.match(line):
        return _Block(start + mark.end(), end, "item", heading, ticked=(mark[1] or " ") in "xX")
    marked = len(line) > 2 and line[0] in "*_" and line.rstrip(":")[-1:] == line[0]
    label = line.endswith(":") and len(line.split()) <= _LABEL_WORDS
    if (marked and len(line) <= 100 and line[0] not in line.strip(" *_:")) or label:
        return _Block(*_trim(prose, start, end), "heading", "", LABEL_LEVEL)
    return _Block(start, end, "text", heading)


def _heads_list(prose: str, before: _Block) -> bool:
    """Whether the line above a list is its heading, though nothing marks it: `Done when`, but no sentence."""
    line = prose[before.start : before.end]
    return before.kind == "text" and "\n" not in line and len(line.split()) <= _BARE_WORDS and line[-1] not in ".!?…,;"


def _trim(prose: str, start: int, end: int) -> tuple[int, int]:
    """Without the marks around a heading's or row's words; never empty where there was something."""
    marks = " \t#*_|:"
    line = prose[start:end]
    left, right = len(line) - len(line.lstrip(marks)), len(line.rstrip(marks))
    return (start + left, start + right) if left < right else (start, end)


def _goes_on(prose: str, before: _Block, start: int) -> bool:
    tail = prose[before.end - 1]
    if tail in ".!?…:;":
        return False
    return (
        prose[start].islower()
        or prose[start] in "(,;"
        or before.end - max(before.start, prose.rfind("\n", 0, before.end - 1)) > 60
    )


def _split(prose: str, block: _Block) -> Iterator[tuple[int, int]]:
    start = block.start
    if block.kind in {"text", "item"}:
        for stop in _END.finditer(prose, block.start, block.end):
            if stop.end() < block.end and not _ends_sentence(prose, start, stop):
                continue
            yield from _stripped(prose, start, stop.end())
            start = stop.end()
    yield from _stripped(prose, start, block.end)


def _ends_sentence(prose: str, start: int, stop: re.Match[str]) -> bool:
    rest = prose[stop.end() : stop.end() + 12].lstrip()
    if stop.group()[0] not in ".…":
        return True
    before = prose[max(start, stop.start() - 12) : stop.start()].split()
    word = before[-1].lower().lstrip("(") if before else ""
    return not (rest[:1].islower() or word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha()))


def _stripped(prose: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = prose[start:end]
    if piece.strip():
        yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def language_of(text: str) -> Language:
    """English unless German prevails in function words, endings and umlauts. Judges by the first 4,000 characters."""
    found = _WORD.findall(text[:4000].lower())
    german = sum((word in _GERMAN and word not in _ENGLISH) or bool(_GERMAN_FORM.search(word)) for word in found)
    english = sum(word in _ENGLISH and word not in _GERMAN for word in found)
    return "de" if german > english else "en"


@lru_cache(maxsize=1024)
def stems(text: str, language: Language = "en") -> frozenset[str]:
    """Stems of the words that carry a subject: no stop words, no bare numbers."""
    kept = [
        word for word in _WORD.findall(text.lower()) if len(word) > 1 and word not in STOPWORDS and not word.isdecimal()
    ]
    return frozenset(stem_words(kept, language))


def stem_words(words: Iterable[str], language: Language = "en") -> list[str]:
    """The stem of each word (Snowball). The stemmer is made anew since it must not be shared by threads."""
    lower = [word.lower() for word in words]
    stemmer = Stemmer.Stemmer("german" if language == "de" else "english", 0)
    if language == "de":
        return [stem[:_GERMAN_STEM] for stem in stemmer.stemWords(lower)]
    return [_deed(stem) for stem in stemmer.stemWords([_BASES.get(word, word) for word in lower])]


def _deed(stem: str) -> str:
    """Without the `ment` that the Snowball stemmer leaves: who pays makes a payment."""
    return stem[:-4] if len(stem) >= 7 and stem.endswith("ment") else stem


class Phrases:
    """Finds any of many phrases in a sentence, as whole words, whatever the case and spacing.

    A leading `^` wants the beginning of the sentence (after `@Name` or `ok`), a trailing `$` the end of a clause, a
    lone `*` stands for up to four words.
    """

    def __init__(self, phrases: Iterable[str]) -> None:
        self._by_word: dict[str, list[re.Pattern[str]]] = {}
        """The patterns of the phrases by their longest word, so that a sentence is tried with few of hundreds."""
        for phrase in phrases:
            if words := _WORD.findall(phrase.lower()):
                self._by_word.setdefault(max(words, key=len), []).append(_pattern(phrase))

    def find(self, prose: str) -> re.Match[str] | None:
        """The leftmost match, the longest there. Group 1 is the phrase itself."""
        return min(self.finditer(prose), key=lambda found: (found.start(1), -found.end(1)), default=None)

    def finditer(self, prose: str) -> Iterator[re.Match[str]]:
        """Each phrase's matches, in no particular order."""
        for word in set(_WORD.findall(prose.lower())):
            for pattern in self._by_word.get(word, ()):
                yield from pattern.finditer(prose)

    def __contains__(self, prose: str) -> bool:
        return next(self.finditer(prose), None) is not None


@lru_cache(maxsize=4096)
def _pattern(phrase: str) -> re.Pattern[str]:
    core = phrase.strip().removeprefix("^").removesuffix("$").strip()
    words = r"\s+".join(r"(?:\S+\s+){0,3}?\S+" if word == "*" else re.escape(word) for word in core.split())
    start = r"\A[\W_]*(?:@\w+[ ,:]+)?(?:(?:ok|okay|yes|ja|thanks|danke)\b[ ,.!]*)?" if phrase.startswith("^") else ""
    left = r"(?<!\w)" if core[0].isalnum() else ""
    right = r"(?!\w)" if core[-1].isalnum() else ""
    end = r"(?=\s*(?:[.,;:!?)*_|\u2013-]|\Z))" if phrase.endswith("$") else ""
    return re.compile(f"{start}{left}({words}){right}{end}", re.IGNORECASE)


@lru_cache(maxsize=256)
def phrases(words: tuple[str, ...]) -> Phrases:
    """The finder of a list of phrases, kept: lists come from the settings and are few."""
    return Phrases(words)
