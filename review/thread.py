"""Questions in a ticket's comments that a model asks once more although somebody has answered them there."""

from functools import cached_property

from core.tickets import Comment
from review.asked import QUESTIONS
from review.case import Case
from review.checks.places import comment_place
from review.checks.replies import Remark, is_question, remarks
from review.checks.unanswered_question import open_questions
from review.merge import MODEL
from review.register import normal
from review.text import Sentence, language_of, phrases, sentences
from review.types import Cited, Finding


class Thread:
    """The comments of one ticket, as the rule for unanswered questions reads them."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._language = language_of(f"{case.ticket.summary} {case.ticket.description}")

    def reply_to(self, finding: Finding) -> Cited | None:
        """What somebody else answered, if all that a model's question quotes of comments are questions which the rule
        for unanswered questions holds for answered. None for a rule's finding, and for what rests on anything else.
        """
        if finding.rule != MODEL or finding.category not in QUESTIONS or not self._remarks:
            return None
        found: Cited | None = None
        for cited in finding.evidence:
            remark = self._remarks.get(cited.locator.document_id)
            question = _quoted(cited.quote, remark) if remark else None
            if remark is None or question is None or question.text in self._open:
                return None
            found = self._reply(remark.comment)
            if found is None:
                return None
        return found

    @cached_property
    def _remarks(self) -> dict[str, Remark]:
        everything = remarks(self._case, self._language)
        return {remark.comment.locator.document_id: remark for remark in everything}

    @cached_property
    def _open(self) -> frozenset[str]:
        asked = open_questions(self._case, list(self._remarks.values()), self._language)
        return frozenset(question.text for _, questions in asked for question in questions)

    def _reply(self, comment: Comment) -> Cited | None:
        """The first thing that the next other person stated."""
        for remark in self._remarks.values():
            later = remark.comment.created > comment.created
            if later and remark.comment.author.id != comment.author.id and (remark.states or remark.answers):
                return comment_place(remark.comment).cite(self._statement(remark.comment).text)
        return None

    def _statement(self, comment: Comment) -> Sentence:
        words = self._case.words
        every = sentences(comment.text)
        stated = (s for s in every if not is_question(s, words) and s.prose not in phrases(words.evasions))
        return next(stated, every[0])


def _quoted(quote: str, remark: Remark) -> Sentence | None:
    """The question of a comment that a quote is of."""
    wanted = normal(quote)
    same = (one for one in remark.asked if wanted and (wanted in normal(one.text) or normal(one.text) in wanted))
    return next(same, None)
