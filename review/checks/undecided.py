"""Something is marked as not decided, and nothing later decides it."""

import re
from collections.abc import Iterator

from core.tickets import Comment
from review.case import Case, Checked
from review.checks import acceptance_criteria
from review.checks.places import Place, comment_place, said, shown, written
from review.checks.replies import changed_since, is_question, subject_stems
from review.text import Language, Phrases, Sentence, language_of, phrases, sentences, stems, without_quoted
from review.types import Finding, Priority, Settled
from review.words import Words

ID = "undecided"
_QUOTES = 5
"""Quotes that one finding cites."""
_SIGN = 6
"""Characters of the abbreviations, such as `t.b.d.`; the longer markers are phrases."""
_MARKS = re.compile(
    r"(?:(?<=[\s:=(\[|])|\A)\?{3,}(?=[\s.,;:)\]|%]|\Z)|(?:(?<=[:=(\[|])|(?<=[:=|] ))\?\?(?=[\s.,;)\]|%]|\Z)"
)
"""`???` anywhere, `??` in the place of a value."""
_NEGATED = re.compile(
    r"\b(?:no|not any(?: longer| more)?|without|zero|none|nothing(?: is| was| left)?|never|keine?|ohne|nichts)"
    r"\s+(?:\w+\s+)?\Z",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?:\b(?:if|when|whenever|while|until|unless|where|as long as|wenn|falls|solange|sofern|bis)\b"
    r"|(?<=\w )wh(?:o|ich)\b"
    r"|,\s(?:die|der|das)\s)[^,;:.]*\Z",
    re.IGNORECASE,
)
_SHOWN_BEFORE = re.compile(
    r"\b(?:shows?|displays?|displayed|shown|reads?|says|prints?|as|the word|the text|labell?ed|label|placeholder|"
    r"status|called|named|marked|removes?|replaces?|renames?|the|an?|zeigt|anzeigen|als|text|wort)\s+\Z",
    re.IGNORECASE,
)  # fmt: skip
_SHOWN_AFTER = re.compile(
    r"\A\s+(?:labels?|badges?|placeholders?|status|entries|entry|rows?|values?|columns?|options?|texts?|tags?|fields?|"
    r"markers?|types?|slots?|items?|filter|state|instead|anzeigen|angezeigt)\b",
    re.IGNORECASE,
)  # fmt: skip


def check(case: Case) -> Checked:
    language = language_of(f"{case.ticket.summary} {case.ticket.description}")
    taken = _reported_as_missing(case)
    findings: list[Finding] = []
    for place in written(case.ticket):
        found = [s for s in _markers(place.text, case.words) if not any(s.text in quote for quote in taken)]
        found = case.focus.first(found, lambda sentence: sentence.text)
        if found:
            findings.append(_finding(place, found, _decided_by(case, found, language)))
    findings += [_finding(place, found, None) for place, found in _open_comments(case, language)]
    if findings:
        return Checked(findings=tuple(findings))
    return Checked(settled=(Settled("Nothing in the text or the comments is marked as undecided."),))


def _reported_as_missing(case: Case) -> tuple[str, ...]:
    """Quotes that `acceptance-criteria` reports already, which is not for pages: `Acceptance criteria: TBD`."""
    if case.ticket.kind == "page":
        return ()
    findings = acceptance_criteria.check(case).findings
    return tuple(cited.quote for finding in findings for cited in finding.evidence if cited.quote)


def _markers(text: str, words: Words) -> Iterator[Sentence]:
    """The sentences that say something is undecided."""
    markers = phrases(words.undecided)
    listing = False
    for sentence in sentences(text):
        if sentence.ticked:
            continue
        if sentence.kind == "heading":
            listing = f"{sentence.prose}:" in markers and not _is_sign(sentence.prose, markers)
        if listing and sentence.kind == "heading":
            continue
        if listing:
            if _is_open_item(sentence, words):
                yield sentence
            continue
        if _is_marked(sentence, words):
            yield sentence


def _is_sign(heading: str, markers: Phrases) -> bool:
    """`Late fee (TBD)` is itself undecided; `Open questions` heads a list of what is."""
    found = markers.find(f"{heading}:")
    return found is None or len(found[1]) <= _SIGN or len(heading.split()) > 4


def _is_open_item(sentence: Sentence, words: Words) -> bool:
    """A point below `Open questions` that is neither `none` nor answered beside it."""
    plain = sentence.prose.strip(" .*_-").lower()
    answered = re.search(r"(?:->|→|=>|\b(?:answer|a|antwort)\s*:)\s*\w", sentence.prose, re.IGNORECASE)
    return bool(plain) and plain not in words.empty and not answered and sentence.prose not in phrases(words.decided)


def _is_marked(sentence: Sentence, words: Words) -> bool:
    prose = without_quoted(sentence.prose)
    if _MARKS.search(prose) and sentence.kind != "heading":
        return True
    found = list(phrases(words.undecided).finditer(prose))
    rest = prose
    for marker in found:  # `to be confirmed by` is not `confirmed by`
        rest = rest[: marker.start(1)] + " " * len(marker[1]) + rest[marker.end(1) :]
    return rest not in phrases(words.decided) and any(not _is_other_use(prose, marker) for marker in found)


def _is_other_use(prose: str, found: re.Match[str]) -> bool:
    """Whether the words are negated, a condition that the product handles, or a text that it shows."""
    before, after = prose[max(0, found.start(1) - 120) : found.start(1)], prose[found.end(1) : found.end(1) + 30]
    if _NEGATED.search(before) or _CONDITION.search(before):
        return True
    is_sign = len(found[1]) <= _SIGN
    return is_sign and bool(_SHOWN_BEFORE.search(before) or _SHOWN_AFTER.search(after))


def _open_comments(case: Case, language: Language) -> Iterator[tuple[Place, list[Sentence]]]:
    """Comments with markers that nothing later settles: no decision on the same subject or in the next comment, no
    change of the text. What was settled is gathered from the last comment backwards.
    """
    common = stems(case.ticket.summary, language)
    changes = changed_since(case.ticket, language)
    settled: set[str] = set()
    found: list[tuple[Place, list[Sentence]]] = []
    settled_next = False
    for comment in reversed(said(case)):
        while changes and changes[-1][0] > comment.created:
            settled |= changes.pop()[1]
        marked = [s for s in _markers(comment.text, case.words) if not is_question(s, case.words)]
        about = subject_stems([s.prose for s in marked], common, language)
        if marked and not settled_next and not about & settled:
            found.append((comment_place(comment), marked))
        settles = _settled_stems(comment, case.words, language)
        settled |= settles
        settled_next = bool(settles)
    return reversed(found)


def _settled_stems(comment: Comment, words: Words, language: Language) -> frozenset[str]:
    """What a comment decides: the stems of all it says, if it decides at all and leaves nothing open."""
    said_in = [s for s in sentences(comment.text) if not is_question(s, words)]
    decides = any(s.prose in phrases(words.decided) or s.prose in phrases(words.agreed) for s in said_in)
    if not decides or any(_is_marked(s, words) for s in said_in):
        return frozenset()
    return frozenset[str]().union(*(stems(s.prose, language) for s in said_in))


def _decided_by(case: Case, found: list[Sentence], language: Language) -> Comment | None:
    """The latest comment that decides what the text still calls undecided."""
    about = subject_stems([s.prose for s in found], stems(case.ticket.summary, language), language)
    for comment in reversed(said(case)):
        if about & _settled_stems(comment, case.words, language):
            return comment
    return None


def _finding(place: Place, found: list[Sentence], decided_by: Comment | None) -> Finding:
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    quotes = tuple(place.cite(sentence.text) for sentence in found[:_QUOTES])
    if decided_by:
        after = comment_place(decided_by)
        return Finding(
            rule=ID,
            category="undecided condition",
            priority=Priority.P2,
            statement=f"The {place.name} still calls something undecided, though {after.name} seems to decide it: "
            f"“{shown(found[0].text)}”{more}.",
            why="Whoever reads only the text will not know what was decided.",
            question="What was decided? Please write it where the text still leaves it open.",
            evidence=(*quotes, after.cite(decided_by.text.strip())),
        )
    where = f"In {place.name}" if place.name.startswith("a comment") else f"In the {place.name}"
    return Finding(
        rule=ID,
        category="undecided condition",
        priority=Priority.P1,
        statement=f"{where} something is marked as not decided yet: “{shown(found[0].text)}”{more}.",
        why="What is left open gets decided by whoever builds or tests it first, each in their own way.",
        question="What was decided here, or who decides it, and by when?",
        evidence=quotes,
    )
