"""Whether the ticket's other texts, the pages or the code answer a question already. Rather asks than guesses."""

import re
from collections.abc import Iterator

from core.types import Evidence, Filters, Query
from review.asked import Asked, asked_by
from review.case import Case
from review.checks.constants import constant, words_of_name
from review.checks.matching import same_value
from review.checks.pages import in_force
from review.checks.places import Place, comment_place, evidence_place, said, written
from review.checks.quantities import Quantity
from review.checks.replies import is_question
from review.checks.statements import Statement, statements
from review.text import Language, Sentence, language_of, phrases, sentences, stems, visible_prose
from review.types import Cited, Finding
from review.wording import cut

SEARCHES = 8
"""Of one review."""
_PASSAGES = 8
_TEXT = 400
"""Passages that a search returns, and characters that are searched for."""
_MOST = 0.75
_INSIDE = 0.5
"""Shares of a question's subject that an answer has in its sentence and headings together, and in its sentence."""
_WHOLE = 3
"""Words of a question that a sentence has all, so that it answers without `must` or `may`."""
_INCLUSIVE = re.compile(
    r"\b(?:inclusive|including|included|exactly|at|or (?:more|less|fewer|above|below|older|younger)|from|einschließlich"
    r"|inklusive|genau|ab|bei|oder (?:mehr|weniger))\b|[≤≥]",
    re.IGNORECASE,
)
_BESIDE = 20
"""Characters beside a value in which words say that it belongs to its side."""
_EXAMPLE = re.compile(
    r"\b(?:e\.g|for example|for instance|such as|z\.\s?b|zum beispiel|beispielsweise)\b", re.IGNORECASE
)
_NEW = re.compile(r"\b(?:new|neue[nrms]?|from now on|künftig)\b", re.IGNORECASE)


class Answers:
    """Looks for answers on behalf of one review."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._language: Language = language_of(f"{case.ticket.summary} {case.ticket.description}")
        self._common = stems(case.ticket.summary, self._language)
        self._searches = 0

    def to(self, finding: Finding) -> tuple[Cited, ...]:
        """Where everything that the finding asks is answered; empty if something is not. Raises CoreError."""
        found: dict[Cited, None] = {}
        for asked in asked_by(finding, self._case.words, self._language):
            answer = self._answer(asked, finding)
            if answer is None:
                return ()
            found[answer] = None
        return tuple(found)

    def _answer(self, asked: Asked, finding: Finding) -> Cited | None:
        if not asked.about:
            return None
        if asked.wants != "rule" and not asked.of_model and (own := self._in_ticket(asked, finding)):
            return own
        if self._is_changing(asked):
            return None
        return self._in_pages(asked) or (self._in_code(asked) if asked.today and asked.wants == "value" else None)

    def _in_ticket(self, asked: Asked, finding: Finding) -> Cited | None:
        """In the ticket's texts, or in comments that are younger than those which the finding rests on."""
        resting = {cited.locator.document_id: "" for cited in finding.evidence}
        since = [c.created for c in self._case.ticket.comments if c.locator.document_id in resting]
        later = [
            c for c in said(self._case) if c.locator.document_id not in resting and all(c.created > t for t in since)
        ]
        quoted = [cited.quote for cited in finding.evidence]
        for place in (*written(self._case.ticket), *map(comment_place, later)):
            for sentence in self._answering(asked, place, place.name):
                if not any(sentence.text in quote for quote in quoted):
                    return place.cite(sentence.text)
        return None

    def _is_changing(self, asked: Asked) -> bool:
        """Whether what is asked for is to become another: then what pages and code say of today is no answer."""
        texts = (asked.text, self._case.ticket.summary)
        return any(text in phrases(self._case.words.changes) or _NEW.search(text) for text in texts)

    def _in_pages(self, asked: Asked) -> Cited | None:
        for page in self._search(asked, "page"):
            if in_force(page, self._case.words):
                place = evidence_place(page)
                title = f"{page.locator.title} {page.locator.heading or ''}"
                for sentence in self._answering(asked, place, title):
                    around = stems(f"{sentence.prose} {sentence.heading} {title}", self._language)
                    if self._is_on_the_matter(asked, around):
                        return place.cite(sentence.text)
        return None

    def _in_code(self, asked: Asked) -> Cited | None:
        for passage in self._search(asked, "code"):
            place = evidence_place(passage)
            about = stems(" ".join(words_of_name(f"{passage.context} {passage.text}")))
            if not self._is_on_the_matter(asked, about):
                continue
            for line in passage.text.splitlines():
                found = constant(line, place, [passage.locator.title])
                if found and _measures(asked, found.quantity) and asked.about <= _named(found):
                    return place.cite(line.strip())
        return None

    def _search(self, asked: Asked, kind: str) -> list[Evidence]:
        if self._searches >= SEARCHES:
            return []
        self._searches += 1
        text = cut(visible_prose(f"{asked.text} {self._case.ticket.summary}"), _TEXT)
        found = self._case.search(Query(text, filters=Filters(kinds=frozenset({kind})), limit=_PASSAGES))
        return [one for one in found.evidence if one.kind == kind]

    def _is_on_the_matter(self, asked: Asked, around: frozenset[str]) -> bool:
        """A text of elsewhere shares a word with the ticket's summary, too; words of a question are few."""
        further = self._common - asked.about
        return bool(further & around) if further else len(asked.about) > 1

    def _answering(self, asked: Asked, place: Place, context: str) -> Iterator[Sentence]:
        """The sentences of a text that say what is asked for."""
        words = self._case.words
        if asked.wants == "rule":
            telling = phrases((*words.must, *words.may, *words.may_not, *words.only, *words.decided))
            for sentence in sentences(place.text):
                inside = stems(sentence.prose, self._language)
                rules = sentence.prose in telling or (len(asked.about) >= _WHOLE and asked.about <= inside)
                if rules and len(asked.about) > 1 and self._covers(asked, sentence, context, whole=True):
                    yield sentence
            return
        for statement in statements(place, context, words, self._language):
            whole = asked.wants == "value" and not asked.measures
            if _fits(asked, statement) and self._covers(asked, statement.sentence, context, whole=whole):
                yield statement.sentence

    def _covers(self, asked: Asked, sentence: Sentence, context: str, *, whole: bool) -> bool:
        """Whether a sentence states something of the subject that is asked about."""
        if sentence.kind == "heading" or not self._declares(sentence):
            return False
        inside = asked.about & stems(sentence.prose, self._language)
        around = inside | (asked.about & stems(f"{sentence.heading} {context}", self._language))
        if asked.wants == "limit":
            return bool(inside)
        enough = len(asked.about) if whole else _MOST * len(asked.about)
        return len(around) >= enough and len(inside) >= _INSIDE * len(asked.about)

    def _declares(self, sentence: Sentence) -> bool:
        words, prose = self._case.words, sentence.prose
        void = phrases((*words.undecided, *words.superseded, *words.evasions))
        return prose not in void and not is_question(sentence, words) and not _EXAMPLE.search(prose)


def _fits(asked: Asked, statement: Statement) -> bool:
    quantity = statement.quantity
    if asked.wants == "limit":
        return _includes(asked, quantity, statement.sentence.prose)
    return _measures(asked, quantity) and _counts(asked, quantity)


def _measures(asked: Asked, quantity: Quantity) -> bool:
    """Whether a value is of the kind that is asked for."""
    return not asked.measures or quantity.dimension.removeprefix("working ").split()[0] in asked.measures


def _counts(asked: Asked, quantity: Quantity) -> bool:
    """Whether what is counted, if it is a count, is part of the subject; joined words are counted as one (`signin`)."""
    kind, _, thing = quantity.dimension.partition(" ")
    return kind != "count" or any(thing.startswith(stem) for stem in asked.about)


def _named(found: Statement) -> frozenset[str]:
    return found.around | set(found.quantity.dimension.split()[1:])


def _includes(asked: Asked, quantity: Quantity, prose: str) -> bool:
    """Whether a sentence says what holds at the very value."""
    if asked.limit is None or not same_value(quantity, asked.limit):
        return False
    beside = prose[max(0, quantity.start - _BESIDE) : quantity.end + _BESIDE]
    return quantity.bound in {"at most", "at least"} or _INCLUSIVE.search(beside) is not None
