"""What comments decided after a text of the ticket was written."""

from collections.abc import Iterator
from datetime import datetime

from core.tickets import Comment
from review.case import Case
from review.checks import changed_after_agreement, flipped_value
from review.checks.matching import matches
from review.checks.places import Place, comment_place, said
from review.checks.replies import is_question
from review.checks.statements import Statement, statements
from review.register import normal, ticket_text
from review.text import language_of, phrases
from review.types import Cited, Finding

_OF_THE_PAST = frozenset({changed_after_agreement.ID, flipped_value.ID})
"""Rules that quote on purpose what a ticket said before."""
_OF_VALUES = frozenset({"conflict", "undecided condition", "boundary and exception"})
"""Categories of findings that a decision for another value leaves without a point."""
_MOST = 100
"""The latest values in comments that decide something."""


class Decisions:
    """The values that comments decide, of one ticket."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._ticket = case.ticket
        self._language = language_of(f"{case.ticket.summary} {case.ticket.description}")
        self._now = normal(ticket_text(case.ticket))
        self._comments = {comment.locator.document_id: comment for comment in case.ticket.comments}
        self._decided = list(self._values())[-_MOST:]

    def overtaking(self, finding: Finding) -> Cited | None:
        """The latest decision for another value than the one that the finding quotes from an older text of the ticket.

        What the finding cites itself it has considered.
        """
        if finding.rule in _OF_THE_PAST or finding.category not in _OF_VALUES:
            return None
        considered = {cited.locator.document_id for cited in finding.evidence}
        for cited in finding.evidence:
            decided = self._other_value(cited)
            if decided and decided.locator.document_id not in considered:
                return decided
        return None

    def is_history(self, finding: Finding) -> bool:
        """Whether all that the finding quotes of the ticket stands in it no more."""
        if finding.rule in _OF_THE_PAST:
            return False
        quotes = [normal(c.quote) for c in finding.evidence if c.locator.document_id == self._ticket.document_id]
        quotes = [quote for quote in quotes if quote]
        return bool(quotes) and not any(quote in self._now for quote in quotes)

    def _values(self) -> Iterator[tuple[Comment, Statement]]:
        """Oldest first."""
        words = self._case.words
        for comment in said(self._case):
            for value in statements(comment_place(comment), self._ticket.summary, words, self._language):
                prose = value.sentence.prose
                if (
                    prose in phrases(words.decided)
                    and prose not in phrases(words.undecided)
                    and not is_question(value.sentence, words)
                ):
                    yield comment, value

    def _written(self, cited: Cited) -> datetime | None:
        """Since when the quote stands in the ticket's text or the comment; None if it is from elsewhere."""
        if comment := self._comments.get(cited.locator.document_id):
            return comment.created
        quote = normal(cited.quote)
        if cited.locator.document_id != self._ticket.document_id or not quote:
            return None
        came = [c.at for c in self._ticket.history if quote in normal(c.after) and quote not in normal(c.before)]
        return max(came, default=self._ticket.created)

    def _other_value(self, cited: Cited) -> Cited | None:
        """The last decision on a value that is quoted, if it is younger than the text and for another value."""
        written = self._written(cited)
        if written is None:
            return None
        later = [(comment, value) for comment, value in self._decided if comment.created > written]
        quoted = Place("", cited.quote, cited.locator, cited.labels)
        for claim in statements(quoted, self._ticket.summary, self._case.words, self._language):
            alike = [
                (comment, match)
                for comment, value in later
                if (match := next(iter(matches(claim, [value], exactly=True)), None))
            ]
            if alike and not alike[-1][1].equal:
                comment, match = alike[-1]
                return comment_place(comment).cite(match.rule.sentence.text)
        return None
