"""The quantities that a ticket demands."""

from collections.abc import Iterator, Sequence
from itertools import islice

from review.case import Case
from review.checks.matching import same_value
from review.checks.places import comment_place, said, written
from review.checks.statements import Statement, claims
from review.text import Language, language_of, phrases

CLAIMS = 200
"""Sentences of the ticket that are looked at."""


def demanded(case: Case) -> list[Statement]:
    """What the ticket states in its texts, and in comments that decide something; the first of a long ticket."""
    language = language_of(f"{case.ticket.summary} {case.ticket.description}")
    return list(islice(_claims(case, language), CLAIMS))


def unchanged(stated: Sequence[Statement]) -> list[Statement]:
    """Without what the ticket names as the purpose of a change: there the old value is known to be another."""
    targets = [claim.quantity for claim in stated if claim.role == "to"]
    return [c for c in stated if c.role != "to" and not any(same_value(c.quantity, target) for target in targets)]


def _claims(case: Case, language: Language) -> Iterator[Statement]:
    """A bug's text tells what is wrong today, except where it says what should be."""
    words, ticket = case.words, case.ticket
    is_bug = ticket.type.strip().lower() in words.bugs
    for place in written(ticket):
        context = f"{ticket.summary} {place.name if place.part == 'field' else ''}"
        for claim in claims(place, context, words, language):
            demanded = (
                claim.sentence.prose in phrases(words.must)
                or claim.sentence.heading.lower().strip() in words.acceptance
            )
            labelled = claim.sentence.prose.split(":")[0].lower().strip(" *_") in words.acceptance
            if not is_bug or demanded or labelled:
                yield claim
    for comment in said(case):
        for claim in claims(comment_place(comment), ticket.summary, words, language):
            if claim.sentence.prose in phrases(words.decided):
                yield claim
