"""A question in the comments that nobody answered."""

import re
from datetime import timedelta

from core.tickets import Comment
from review.case import Case, Checked
from review.checks.places import comment_place, shown
from review.checks.replies import Later, Remark, changed_since, names_of, remarks, subject_stems
from review.text import Language, Sentence, language_of, phrases, sentences, stems, without_quoted
from review.types import Finding, Priority, Settled, Unknown
from review.words import Words

ID = "unanswered-question"
_YOUNG = timedelta(hours=1)
"""A question is left alone while people may still be typing."""
_TAG = re.compile(r"\W*(?:\w+\W+){0,3}(?:right|no|eh|oder|gell)\?\W*", re.IGNORECASE)
"""`Easy one, right?`; after more words it is meant."""
_MOST = 8
"""The latest open comments that get a finding each."""


def check(case: Case) -> Checked:
    language = language_of(f"{case.ticket.summary} {case.ticket.description}")
    everything = remarks(case, language)
    open_ = open_questions(case, everything, language)
    if not open_:
        any_asked = any(remark.asked for remark in everything)
        return Checked(
            settled=(Settled("After each question in the comments somebody else wrote, or the text was changed."),)
            if any_asked
            else ()
        )
    findings = tuple(_finding(case, comment, asked) for comment, asked in open_[-_MOST:])
    more = len(open_) - len(findings)
    unknowns = (
        (Unknown(f"{more} earlier comments hold questions that seem open, too.", "Answering them."),) if more else ()
    )
    return Checked(findings, unknowns)


def open_questions(
    case: Case, everything: list[Remark], language: Language
) -> list[tuple[Comment, tuple[Sentence, ...]]]:
    """The unanswered questions by comment, oldest first; one pass from the last comment to the first."""
    common = stems(case.ticket.summary, language)
    changes = changed_since(case.ticket, language)
    later, changed = Later(), set[str]()
    found: list[tuple[Comment, tuple[Sentence, ...]]] = []
    for remark in reversed(everything):
        comment = remark.comment
        while changes and changes[-1][0] > comment.created:
            changed |= changes.pop()[1]
        if comment.created <= case.now - _YOUNG:
            own = common | names_of(comment)
            asked = tuple(
                question
                for question in _real(remark, case.words)
                if not _answered(question, remark, later, changed, own, language)
            )
            if asked:
                found.append((comment, asked))
        later.add(remark)
    return found[::-1]


def _real(remark: Remark, words: Words) -> tuple[Sentence, ...]:
    """The questions on the matter: no pings, nothing for form's sake, nothing answered in the same breath."""
    asked = {question.start for question in remark.asked}
    real: list[Sentence] = []
    answered = settled = False
    for sentence in reversed(sentences(remark.comment.text)):
        if sentence.start not in asked:
            answered = sentence.prose in phrases(words.answers)
            settled = settled or sentence.prose in phrases(words.decided)
        elif not (answered or settled) and _is_meant(sentence, words):
            real.append(sentence)
    return tuple(reversed(real))


def _is_meant(question: Sentence, words: Words) -> bool:
    prose = without_quoted(question.prose)
    is_ping = prose in phrases(words.pings) and prose not in phrases(words.asks)
    return not is_ping and not _TAG.fullmatch(prose) and bool(stems(prose))


def _answered(
    question: Sentence, remark: Remark, later: Later, changed: set[str], common: frozenset[str], language: Language
) -> bool:
    """Whether somebody else replied to it, its author found the answer, or the text changed in its matter.

    The nearest reply by somebody else counts if it begins like an answer, comes from the person who was asked, or
    nobody in particular was asked; any later one counts if it speaks of the same.
    """
    author, asked = remark.comment.author.id, remark.comment.mentions
    about = subject_stems([question.prose], common, language)
    enough = min(2, len(about))
    if about and len(about & changed) >= enough:
        return True
    if about and sum(bool(later.told.get(stem, set()) - {author}) for stem in about) >= enough:
        return True
    own = later.first.get(author)
    if (own and own.decides) or any(author in later.decided.get(stem, set()) for stem in about):
        return True
    if any((reply := later.first.get(person)) and (reply.answers or reply.decides) for person in asked):
        return True
    nearest = later.next_by_other(author)
    if nearest is None:
        return False
    return nearest.answers or nearest.decides or not asked or nearest.comment.author.id in asked


def _finding(case: Case, comment: Comment, asked: tuple[Sentence, ...]) -> Finding:
    place = comment_place(comment)
    more = f" and {len(asked) - 1} more" if len(asked) > 1 else ""
    return Finding(
        rule=ID,
        category="undecided condition",
        priority=Priority.P2 if case.ticket.done else Priority.P1,
        statement=f"{comment.author.name} asked a question{more} on {comment.created:%Y-%m-%d}, and nobody answered.",
        why="The person who asked is still waiting."
        if case.ticket.service_desk
        else "Until it is answered, people build and test by their own guess.",
        question=shown(asked[0].text, 200),
        evidence=tuple(place.cite(question.text) for question in asked[:5]),
    )
