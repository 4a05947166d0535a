"""What a question in a thread goes on from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review.follow_up import KEYS, Entered, answering, asked_after, goes_on
from review.register import Passage
from tests.review.discussions import discussion, remark

LOCKED = "How long is an account locked after failed sign-ins?"


@pytest.mark.parametrize(
    "question",
    [
        "and for partners?",
        "What about partners?",
        "Why?",
        "Does it hold for partners too?",
        "Is that still right?",
        "partners?",
        "und für Partner?",
        "Was ist mit Partnern?",
        "Gilt das auch für Partner?",
        "and in PAY-13?",
        "What does it say in PAY-13?",
        "???",
    ],
)
def test_these_go_on_from_what_was_said(question: str):
    assert goes_on(question)


@pytest.mark.parametrize(
    "question",
    [
        LOCKED,
        "Which policy holds for vouchers?",
        "What does PAY-12 say?",
        "PAY-12?",
        "`lock_account`",
        "Is there a limit for how often it may be tried before the account of a partner is locked?",
        "Wie lange ist ein Konto nach Fehlversuchen gesperrt?",
    ],
)
def test_these_stand_on_their_own(question: str):
    assert not goes_on(question)


def asked(question: str, *texts: str):
    return asked_after(question, discussion(*texts).remarks)


def test_a_follow_up_is_searched_with_the_question_before():
    found = asked("and for partners?", LOCKED)
    assert found.question == "and for partners?"
    assert found.text == f"{LOCKED} and for partners?"
    assert found.variants == ()


def test_a_question_that_stands_alone_is_searched_as_it_is():
    assert asked("Which policy holds for vouchers?", LOCKED, "PAY-12").text == "Which policy holds for vouchers?"
    assert asked("Which policy holds for vouchers?", "See PAY-12").keys == ()


def test_a_second_follow_up_goes_on_from_the_question_and_not_from_the_first():
    assert asked("and for admins?", LOCKED, "and for partners?").text == f"{LOCKED} and for admins?"


def test_what_was_told_since_the_question_is_searched_too():
    told = "The new passkey policy changes that for partner accounts."
    found = asked("is that true?", LOCKED, told)
    assert found.text == f"{LOCKED} is that true?"
    assert found.variants == (f"{told} is that true?",)


def test_without_a_question_before_the_newest_remark_is_meant():
    told = "Partner accounts are locked for an hour."
    assert asked("is that true?", "Vouchers are printed on paper.", told).text == f"{told} is that true?"


def test_nothing_before_it_leaves_a_question_as_it_is():
    assert asked("and for partners?").text == "and for partners?"
    assert asked("and for partners?", "why?", "ok").text == "and for partners?"


def test_keys_named_before_are_meant_the_last_named_first():
    found = asked("why was it rejected?", "PAY-1 and PAY-2 wait.", "PAY-3 was rejected, like PAY-2.", "PAY-4 is mine.")
    assert found.keys == ("PAY-4", "PAY-3", "PAY-2")
    assert len(found.keys) == KEYS


def test_keys_are_meant_though_nothing_stands_on_its_own():
    assert asked("and for partners?", "is it PAY-12?").keys == ("PAY-12",)


def test_a_quoted_mark_is_nothing_to_look_up():
    assert asked("why was it rejected?", "The board wrote “???” in PAY-12.").keys == ("PAY-12",)


def test_an_identifier_is_not_cut_in_half():
    long = f"{'word ' * 98}PAY-1234 was rejected by the board."
    assert asked("why was it rejected?", long).keys in {(), ("PAY-1234",)}


def test_a_question_that_names_something_itself_means_that():
    assert asked("and what of PAY-9?", "PAY-1 was rejected by the board.").keys == ()


def entered(*remarks):
    return [
        Entered(
            one, None if one.by_bot else Passage(f"S{n}", "thread", "", one.text, one.locator, frozenset(), "slack")
        )
        for n, one in enumerate(remarks)
    ]


def told(question: str, *remarks):
    people = [one for one in remarks if not one.by_bot]
    return [text for _, _, text in answering(asked_after(question, people), entered(*remarks))]


def test_a_remark_answers_if_it_has_the_question_s_words():
    said = "I asked around. For partners an account is locked for an hour. Lunch?"
    assert told("and for partners?", remark(LOCKED), remark(said)) == ["For partners an account is locked for an hour."]
    assert told("and for partners?", remark(LOCKED), remark("Partners eat lunch.")) == []


@pytest.mark.parametrize("same", [LOCKED, f"{LOCKED} Anybody?", "Tell me how long an account is locked after sign-ins"])
def test_a_question_is_no_answer_to_itself(same: str):
    assert told(LOCKED, remark(same)) == []


def test_what_the_bot_said_is_no_answer():
    said = "After failed sign-ins an account is locked for an hour."
    assert told(LOCKED, remark(said, by_bot=True)) == []
    assert told(LOCKED, remark(said)) == [said]


@given(st.text(max_size=80), st.lists(st.text(max_size=200), max_size=4))
def test_anything_can_be_asked_after_anything(question: str, texts: list[str]):
    found = asked(question, *texts)
    assert question in found.text
    assert len(found.keys) <= KEYS
    assert list(answering(found, entered(*discussion(*texts).remarks))) is not None
