"""A ticket or page with its comments, as what was said before a question."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.types import NullMetrics, Query
from review.answer import Answerer
from review.budget import Budget
from review.discussion import discussion_of
from review.reading import Reading
from tests.review.cases import day, person
from tests.review.fakes import AUDIENCE, NOW, OPEN, ROLE, Index, Tickets, comment, evidence, ticket
from tests.review.pages import KEY, remarks, spec

LEADS = comment(2, "Only leads know: 14 days.", ROLE)
ASKED = ticket(
    comments=(
        replace(comment(1, "What about partners?"), created=day(1)),
        replace(LEADS, created=day(2)),
        replace(comment(3, "Nothing is missing.", by_bot=True), created=day(3)),
        replace(comment(4, "Partners get 60 days."), created=day(4)),
    ),
    updated=day(5),
)


def reading(index=None, closed=frozenset()):
    return Reading(Tickets(), index or Index(), AUDIENCE, Budget(), NullMetrics(), closed)


def test_the_text_comes_first_then_the_comments():
    found = discussion_of(ASKED)
    assert (found.locator, found.labels, found.source) == (ASKED.locator, OPEN, "jira")
    first, *others = found.remarks
    assert (first.author, first.kind, first.labels, first.at) == ("Ann Field", "ticket", OPEN, day(5))
    assert first.text == f"{ASKED.summary}\n\n{ASKED.description}"
    assert [one.locator.document_id for one in others] == [f"jira:1:comment:{n}" for n in (1, 2, 3, 4)]
    assert [one.labels for one in others] == [OPEN, ROLE, OPEN, OPEN]
    assert [one.by_bot for one in others] == [False, False, True, False]


@pytest.mark.parametrize(("before", "number"), [(day(0), 1), (day(1), 2), (day(2), 3), (day(9), 5), (None, 5)])
def test_what_was_said_up_to_the_question(before, number):
    assert len(discussion_of(ASKED, before).remarks) == number


def test_comments_are_told_as_they_were_said():
    mixed = replace(ASKED, comments=ASKED.comments[::-1])
    assert discussion_of(mixed) == discussion_of(ASKED)


def test_nobody_is_known_to_have_written_it():
    assert discussion_of(replace(ASKED, reporter=None)).remarks[0].author == "Somebody"


def test_a_page():
    subject = spec("Sign in", "Lock it.", comments=remarks("Ana: Why?", marked="Lock\nit"))
    found = discussion_of(subject)
    assert (found.source, found.locator.document_id) == ("confluence", KEY)
    assert [(one.author, one.kind) for one in found.remarks] == [("Rae", "page"), ("Ana", "comment")]
    assert found.remarks[1].text == "> Lock\n> it\n\nWhy?"


def test_each_remark_is_entered_as_its_own_document_for_its_own_readers():
    it = reading()
    entered = it.enter_thread(discussion_of(ASKED))
    assert [one.passage and one.passage.locator.document_id for one in entered] == [
        ASKED.document_id,
        "jira:1:comment:1",
        None,
        "jira:1:comment:4",
    ]
    assert [(one.kind, one.source, one.labels) for one in it.register] == [
        ("ticket", "jira", OPEN),
        ("comment", "jira", OPEN),
        ("comment", "jira", OPEN),
    ]
    assert "14 days" not in "".join(one.text for one in it.register)
    assert it.live == {ASKED.document_id, "jira:1:comment:1", "jira:1:comment:4"}


def test_who_may_not_read_the_ticket_is_told_nothing_of_it():
    it = reading()
    assert it.enter_thread(discussion_of(replace(ASKED, labels=ROLE))) == ()
    assert list(it.register) == []
    assert it.live == frozenset()


def test_what_is_closed_is_not_entered():
    it = reading(closed=frozenset({"jira:1:comment:4"}))
    entered = it.enter_thread(discussion_of(ASKED))
    assert not any("60 days" in one.remark.text for one in entered)
    assert reading(closed=frozenset({ASKED.document_id})).enter_thread(discussion_of(ASKED)) == ()


@given(st.lists(st.tuples(st.sampled_from([OPEN, ROLE]), st.booleans(), st.text(max_size=8)), max_size=6))
def test_no_remark_is_entered_that_the_audience_may_not_read(said):
    comments = tuple(comment(n, text, labels, by_bot=by_bot) for n, (labels, by_bot, text) in enumerate(said, 1))
    it = reading()
    entered = it.enter_thread(discussion_of(replace(ASKED, comments=comments)))
    assert all(one.remark.labels == OPEN for one in entered)
    assert all((one.passage is None) == one.remark.by_bot for one in entered)
    assert all(AUDIENCE.may_read(one.labels) for one in it.register)


def test_the_index_s_copies_of_comments_are_no_evidence_beside_them():
    copies = [evidence(f"jira:1:comment:{n}", f"Copy {n}.", kind="comment") for n in (1, 2, 3)]
    index = Index([*copies, evidence(ASKED.document_id, "Fields of the ticket.", kind="ticket")])
    it = reading(index)
    it.enter_thread(discussion_of(ASKED))
    found = it.search(Query("copy")).evidence
    assert [one.document_id for one in found] == ["jira:1:comment:2", ASKED.document_id]
    assert it.lookup("jira:1:comment:3") == ()


def answered(question, discussion, *found):
    made = Answerer(Index(list(found)), lambda _: (), models=None, clock=lambda: NOW, metrics=NullMetrics())
    return made.answer(question, AUDIENCE, discussion=discussion)


def test_a_question_in_a_comment_goes_on_from_it():
    answer = answered("How many days do partners get?", discussion_of(ASKED))
    (statement,) = answer.statements
    assert "60 days" in statement.text
    (reference,) = answer.references
    assert reference.cited.locator.document_id == "jira:1:comment:4"
    assert (reference.kind, reference.updated) == ("comment", day(4))
    assert answer.rests_on >= {ASKED.document_id, "jira:1:comment:4"}


def test_the_ticket_itself_answers():
    answer = answered("After how many days does a voucher expire?", discussion_of(ASKED))
    assert "30 days" in answer.statements[0].text
    assert answer.references[0].cited.locator.document_id == ASKED.document_id
    assert answer.references[0].updated == day(5)


def test_people_are_named_as_they_are_shown():
    two = replace(ASKED.comments[0], author=person("Ben"))
    assert discussion_of(replace(ASKED, comments=(two,))).remarks[1].author == "Ben"
