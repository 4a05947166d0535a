"""What speaks for an acceptance and what does not, where only the records decide."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.tickets import Change, Ticket
from core.types import Audience, Locator
from evals.outcomes.signs import Now, Rerun, outcomes, tellings
from evals.outcomes.types import Outcome, Shown, Sign, Story
from review.checks import changed_after_agreement, unanswered_question
from review.merge import MODEL
from review.previous import Previous
from review.types import Cited, Finding, Priority
from tests.review.cases import LABELS, NOW, WORDS, change, comment, day, ticket

READERS = Audience(LABELS)
TEXT, LEADS = "Paid within 30 days.", Audience(LABELS | {"role"})
EDIT = change("description", TEXT, "Paid within 14 days.", 3)
EDITED = ticket(description=EDIT.after, history=[EDIT])
POLICY = replace(
    ticket(key="T-2", description="Within 30 days."), history=(change("text", "Within 14 days.", "Within 30 days.", 3),)
)


def cited(quote: str = TEXT, document: str = "jira:T-1") -> Cited:
    return Cited(Locator(document, document, "https://tickets.example"), LABELS, quote)


def finding(*evidence: Cited, rule: str = "limit", category: str = "missing rule", statement: str = "It.") -> Finding:
    return Finding(rule, category, Priority.P1, statement, "Why.", "Which?", evidence or (cited(),))


def shown(
    at: float,
    *findings: Finding,
    made_for: Audience = READERS,
    by_model: bool = False,
    whole: bool = True,
) -> Shown:
    return Shown(Previous(day(at), "trigger", made_for, findings), by_model, whole)


def of(now: Ticket, *reviews: Shown, cites: Sequence[Ticket] = (), rerun: Rerun | None = None) -> tuple[Outcome, ...]:
    others = {one.document_id: one for one in cites}
    return outcomes(Story("jira:T-1", reviews, ()), Now(NOW, now, others.get, rerun, WORDS))


def sign(now: Ticket, *reviews: Shown, cites: Sequence[Ticket] = (), rerun: Rerun | None = None) -> Sign:
    """Of the finding that was told first."""
    return of(now, *reviews, cites=cites, rerun=rerun)[0].sign


def test_what_is_told_again_is_one_finding_from_its_first_telling_on() -> None:
    again = finding(statement="In other words.")
    (one,) = tellings([shown(1, finding()), shown(2, again)])
    assert (one.first, one.last.told_at, one.finding.statement) == (day(1), day(2), "In other words.")
    (outcome,) = of(EDITED, shown(1, finding()), shown(2, again))
    assert (outcome.sign, outcome.told_at, outcome.at, outcome.days) == (Sign.EDIT, day(1), day(3), 2)


def test_the_edit_that_took_the_passage_away_is_the_acceptance() -> None:
    before = change("description", f"{TEXT} Soon.", TEXT, 2)
    (outcome,) = of(replace(EDITED, history=(before, EDIT)), shown(1, finding()))
    assert outcome.at == day(3)


def test_an_edit_after_the_review_that_does_not_tell_it_any_more_is_none() -> None:
    assert sign(EDITED, shown(1, finding()), shown(2)) is Sign.NONE


@pytest.mark.parametrize(
    "change_",
    [
        change("status", "Open", "Approved", 3),
        change("Sprint", "", "7", 3),
        replace(EDIT, author=comment("Bot", "Here it is.", 2).author),
    ],
)
def test_neither_another_field_nor_a_program_edits_the_text(change_: Change) -> None:
    by_bot = comment("Bot", "Here it is.", 2, by_bot=True)
    now = ticket(description=EDIT.after, history=[change_], comments=[by_bot])
    assert sign(now, shown(1, finding()), shown(4)) is Sign.NONE


def test_acceptance_criteria_are_text_by_the_names_that_people_give_them() -> None:
    now = ticket(description=TEXT, history=[change("Acceptance Criteria (QA)", "", "- 14 days", 3)])
    assert sign(now, shown(1, finding()), shown(4)) is Sign.EDIT


# What a later review proves


def test_a_later_review_for_fewer_labels_proves_nothing() -> None:
    now = ticket(description=TEXT, history=[replace(EDIT, after=f"{TEXT} Or so.")])
    assert sign(now, shown(1, finding(), made_for=LEADS), shown(4)) is Sign.NONE
    assert sign(now, shown(1, finding()), shown(4, made_for=LEADS)) is Sign.EDIT


def test_what_a_model_told_is_not_missed_by_a_review_that_no_model_judged() -> None:
    now = ticket(description=TEXT, history=[replace(EDIT, after=f"{TEXT} Or so.")])
    told = shown(1, finding(rule=MODEL), by_model=True)
    assert sign(now, told, shown(4)) is Sign.NONE
    assert sign(now, told, shown(4, by_model=True)) is Sign.EDIT
    assert sign(EDITED, told, shown(4)) is Sign.EDIT


def test_a_review_that_could_not_look_or_tell_everything_proves_nothing() -> None:
    now = ticket(description=TEXT, history=[replace(EDIT, after=f"{TEXT} Or so.")])
    assert sign(now, shown(1, finding()), shown(4, whole=False)) is Sign.NONE
    assert sign(now, shown(1, finding()), shown(4, whole=False), shown(5)) is Sign.EDIT


def test_the_same_rule_s_other_points_are_not_the_same_point_in_other_words() -> None:
    other = finding(cited("Another passage."))
    now = ticket(description=f"{EDIT.after} Another passage.", history=[EDIT])
    assert sign(now, shown(1, finding(), other), shown(4, other)) is Sign.EDIT
    assert sign(now, shown(1, finding()), shown(4, other)) is Sign.NONE
    assert sign(now, shown(1, finding()), shown(4, replace(other, category="conflict"))) is Sign.EDIT


def test_a_review_of_now_counts_for_what_rules_told_and_only_where_nobody_reviewed_since() -> None:
    still, gone, fails = (lambda _readers: (finding(),)), (lambda _readers: ()), (lambda _readers: None)
    now = ticket(description=TEXT, history=[replace(EDIT, after=f"{TEXT} Or so.")])
    assert [sign(now, shown(1, finding()), rerun=one) for one in (still, gone, fails)] == [
        Sign.NONE,
        Sign.EDIT,
        Sign.NONE,
    ]
    assert sign(now, shown(1, finding(rule=MODEL)), rerun=gone) is Sign.NONE
    assert sign(now, shown(1, finding()), shown(4), rerun=still) is Sign.EDIT


# What the passage proves


def test_what_was_quoted_of_the_past_is_no_passage_of_now() -> None:
    assert sign(EDITED, shown(1, finding(rule=changed_after_agreement.ID))) is Sign.NONE


def test_a_conflict_falls_with_one_side_even_if_that_is_a_page() -> None:
    sides = (cited(), cited("Within 14 days.", "jira:T-2"))
    untouched = ticket(description=TEXT)
    assert sign(untouched, shown(1, finding(*sides, category="conflict")), cites=[POLICY]) is Sign.EDIT
    assert sign(untouched, shown(1, finding(*sides)), cites=[POLICY]) is Sign.NONE
    assert sign(untouched, shown(1, finding(*sides, category="conflict"))) is Sign.NONE


def test_a_page_s_own_text_is_read_as_a_ticket_s() -> None:
    name = "confluence:7"
    locator = replace(EDITED.locator, document_id=name)
    now = replace(EDITED, kind="page", locator=locator, history=(replace(EDIT, field="text"),))
    assert sign(now, shown(1, finding(cited(document=name)))) is Sign.EDIT


# Answers


def test_a_text_that_states_what_was_asked_for_since_is_an_edit() -> None:
    question = comment("Ann", "How long are packing slips kept?", 0.5)
    where = question.locator.document_id
    asked = finding(cited(question.text, where), rule=unanswered_question.ID, category="undecided condition")
    stated = change("description", "Slips.", "Packing slips must be kept for 30 days.", 3)
    now = ticket(description=stated.after, history=[stated], comments=[question])
    assert sign(now, shown(1, asked)) is Sign.EDIT
    assert sign(replace(now, history=()), shown(1, asked)) is Sign.NONE
    assert sign(replace(now, description="Packing slips must be kept."), shown(1, asked)) is Sign.NONE


@pytest.mark.parametrize("unread", ["The history", "Some of the comments", "Some of the earlier versions"])
def test_of_what_was_read_in_part_nothing_is_known_so_that_not_only_good_news_is_counted(unread: str) -> None:
    reply = comment("Ben", "1: within 30 days.", 2)
    other = finding(cited("Another passage."))
    now = ticket(description=f"{TEXT} Another passage.", comments=[reply], unread=(unread,))
    assert {one.sign for one in of(now, shown(1, finding(), other))} == {Sign.UNKNOWN}
    assert {one.sign for one in of(replace(now, unread=("The files",)), shown(1, finding(), other))} == {
        Sign.REPLY,
        Sign.NONE,
    }


def test_what_was_said_before_the_review_is_no_answer_to_it() -> None:
    now = ticket(description=TEXT, comments=[comment("Ben", "1: within 30 days.", 0.5)])
    assert sign(now, shown(1, finding())) is Sign.NONE
    later = comment("Ben", "1: within 30 days.", 2)
    assert sign(replace(now, comments=(later,)), shown(1, finding())) is Sign.REPLY
