"""Comments that answer a point of an earlier review: by its number (`2: at most 30 days`) or by quoting it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.tickets import Comment
from review.case import Case
from review.checks.places import said
from review.checks.quantities import quantities
from review.checks.replies import is_question
from review.previous import Previous
from review.register import normal
from review.text import Sentence, language_of, phrases, sentences, visible_prose
from review.types import Finding
from review.words import Words

_NAMED = r"(?:question|point|finding|number|frage|punkt|nummer|nr\.?|no\.?|q)"
_TOWARDS = r"(?:re|ad|to|on|for|regarding|concerning|answer(?:s|ing)?(?:\s+to)?|antwort(?:\s+(?:auf|zu))?|zu|zur|auf)"
_JOINT = r"\s*(?:,|&|\+|\band\b|\bund\b)\s*"
_NUMBERED = re.compile(
    rf"[\s*_•-]*(?P<towards>{_TOWARDS}\b[\s:.]*)?(?P<named>{_NAMED}\s*)?#?"
    rf"(?P<numbers>\d{{1,2}}(?:{_JOINT}#?\d{{1,2}})*)(?!\w)[*_]*\s*(?P<mark>[:,.)\u2013\u2014-])?[*_]*"
    r"(?P<answer>\s+\S.*|\s*)\Z",
    re.IGNORECASE,
)
_SHORTEST = 12
"""Characters of a quotation by which a point can be told."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What somebody answered."""

    comment: Comment
    answer: str
    """Literally."""


def replies(case: Case, previous: Sequence[Previous]) -> Mapping[str, Reply]:
    """The last answer to each point that was told, by the point's fingerprint.

    A comment speaks of the last review that was told before it, among those that all its readers could see: its
    numbers mean nothing else.
    """
    found: dict[str, Reply] = {}
    for comment in said(case):
        review = _seen_before(comment, case, previous)
        if review is not None:
            for finding, answer in _answered(comment, review, case.words):
                found[finding.fingerprint] = Reply(comment, answer)
    return found


def _seen_before(comment: Comment, case: Case, previous: Sequence[Previous]) -> Previous | None:
    """Who reads the comment reads the review if they can read what asked for it, whose visibility the review has."""
    asked = {one.id: one.labels for one in case.ticket.comments}
    told = [
        review
        for review in previous
        if review.told_at < comment.created
        and case.audience.covers(review.made_for)
        and asked.get(review.trigger_id, comment.labels) <= comment.labels
    ]
    return max(told, key=lambda review: review.told_at, default=None)


def _answered(comment: Comment, review: Previous, words: Words) -> Iterator[tuple[Finding, str]]:
    for numbers, answer in _by_number(comment.text, words):
        for number in numbers:
            if finding := review.numbered(number):
                yield finding, answer
    for quoted, answer in _by_quotation(comment.text):
        if (finding := _quoted(quoted, review)) and _stating(answer, words):
            yield finding, answer


def _by_number(text: str, words: Words) -> Iterator[tuple[list[int], str]]:
    """`2: yes`, `Re 2: yes`, `To question 2, 3: both`. A list (`2. Click`) and a count (`for 2 guests`) are none."""
    lines = _lines(text)
    for place, (line, literal) in enumerate(lines):
        found = _NUMBERED.match(line)
        if found is None:
            continue
        mark, named = found["mark"] or "", found["named"]
        if not (mark == ":" or (mark and (named or found["towards"])) or named):
            continue
        answer = literal[found.start("answer") :].strip()
        if not answer and place + 1 < len(lines) and not _NUMBERED.match(lines[place + 1][0]):
            answer = lines[place + 1][1].strip()
        if _decides(answer, words) if not mark else _stating(answer, words):
            yield [int(number) for number in re.findall(r"\d+", found["numbers"])], answer


def _lines(text: str) -> list[tuple[str, str]]:
    """The lines that say something, as prose and literally; neither quotations nor code."""
    pairs = zip(visible_prose(text).splitlines(), text.splitlines(), strict=True)
    return [(prose, literal) for prose, literal in pairs if prose.strip()]


def _by_quotation(text: str) -> Iterator[tuple[str, str]]:
    """Each quotation with what is written below it."""
    quoted: list[str] = []
    below: list[str] = []
    for line in [*text.splitlines(), ">"]:
        if not line.lstrip().startswith(">"):
            below.append(line)
            continue
        if any(part.strip() for part in below):
            if quoted:
                yield "\n".join(quoted), "\n".join(below).strip()
            quoted, below = [], []
        quoted.append(line.lstrip().lstrip("> "))


def _quoted(quoted: str, review: Previous) -> Finding | None:
    """The one point that is quoted, by its statement or its question; None if it could be several."""
    flat = _flat(quoted)
    if len(flat) < _SHORTEST:
        return None
    for texts in ([f.statement for f in review.findings], [f.question for f in review.findings]):
        plain = [_flat(text) for text in texts]
        hits = [n for n, text in enumerate(plain) if flat in text or (len(text) >= _SHORTEST and text in flat)]
        if len(hits) == 1:
            return review.findings[hits[0]]
    return None


def _flat(text: str) -> str:
    return " ".join(re.sub(r"[*_\\`]", "", normal(text)).casefold().split())


def _stating(answer: str, words: Words) -> list[Sentence]:
    """The sentences that answer something: not asking back, not evading, not leaving it open."""
    return [
        sentence
        for sentence in sentences(answer)
        if any(char.isalnum() for char in sentence.prose)
        and not is_question(sentence, words)
        and sentence.prose not in phrases(words.evasions)
        and sentence.prose not in phrases(words.undecided)
        and sentence.prose.strip(" .*_-").lower() not in words.empty
    ]


def _decides(answer: str, words: Words) -> bool:
    """Whether an answer that no mark sets apart from its number says a value, a rule or a decision."""
    telling = phrases((*words.must, *words.may, *words.may_not, *words.decided, *words.agreed, *words.answers))
    return any(
        sentence.prose in telling or quantities(sentence.prose, language_of(answer))
        for sentence in _stating(answer, words)
    )
