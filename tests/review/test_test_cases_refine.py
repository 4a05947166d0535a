"""The next version of a draft: what goes, what comes, what stays, and what is said of it."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.types import Audience
from review.errors import NothingToReview
from review.service import Models
from review.test_cases import refine as refining
from review.test_cases.wished import OPEN
from tests.review.cases import AUDIENCE, LABELS, page, ticket
from tests.review.drafts import Shop, drafted
from tests.review.test_test_cases_model import answering, case
from tests.review.threads import THREAD_ID, remark, thread

SUBJECT = ticket(
    "Vouchers at the till",
    "An order may hold at most 5 vouchers. A voucher expires after 30 days. Only shift leads may pay out a refund.",
    key="PAY-1",
)
ASKED = thread("Ana: test cases for PAY-1", "Bot: PAY-1: 8 test cases drafted.")
DRAFT = drafted(SUBJECT)


def refined(
    draft=DRAFT, add="", drop=(), *, text=None, shop=None, models=None, around=ASKED, audience=AUDIENCE, **options
):
    """The next version; `text` is all of the message that asks."""
    shop = shop or Shop({"PAY-1": SUBJECT})
    wish = remark("Ana", text or f"add {add}", 9)
    return shop.drafter(models).refine(
        draft, add=add, drop=drop, wish=wish, discussion=around, audience=audience, **options
    )


def added(draft, before=DRAFT):
    known = {one.id for one in before.cases}
    return [one for one in draft.cases if one.id not in known]


def test_a_case_goes_by_its_number_and_all_others_keep_theirs():
    second = refined(drop=(4,))
    assert second.version == 2
    assert dict(second.numbered) == {number: one for number, one in DRAFT.numbered if number != 4}
    assert [(one.kind, one.number) for one in second.changes] == [("dropped", 4)]
    assert second.said == ()


def test_numbers_that_are_not_there_are_told_and_change_nothing():
    same = refined(drop=(99, 9, 0))
    assert same.said == ("There are no cases 0, 9, 99; the draft has cases 1 to 8.",)
    assert (same.version, same.cases) == (1, DRAFT.cases)
    third = refined(refined(drop=(4,)), drop=(4, 12))
    assert third.said == ("Dropped already: case 4.", "There is no case 12; the draft has cases 1 to 3, 5 to 8.")
    assert third.version == 2


def test_a_number_that_was_given_is_not_given_again():
    without_last = refined(drop=(8,))
    again = refined(without_last, "a case for the printer")
    assert [number for number, _ in again.numbered] == [1, 2, 3, 4, 5, 6, 7, 9]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.frozensets(st.integers(min_value=-2, max_value=12), max_size=4), max_size=4))
def test_law_numbers_name_the_same_case_for_ever(rounds):
    first = dict(DRAFT.numbered)
    draft, gone = DRAFT, set()
    for drop in rounds:
        draft = refined(draft, drop=tuple(drop))
        gone |= drop
        assert dict(draft.numbered) == {number: one for number, one in first.items() if number not in gone}
    assert draft.gone == gone & first.keys()


def test_a_boundary_is_tried_as_the_source_states_it_and_cites_source_and_wish():
    plain = ticket("Vouchers", "A voucher expires after 30 days.", key="PAY-1")
    empty = replace(DRAFT, cases=())
    second = refined(empty, "the boundary of 30 days", shop=Shop({"PAY-1": plain}))
    assert [one.title.split(":")[0] for one in second.cases] == [
        "29 days (one below)",
        "30 days (at the limit)",
        "31 days (one above)",
    ]
    for one in second.cases:
        assert [cited.quote for cited in one.sources] == ["A voucher expires after 30 days.", "the boundary of 30 days"]
        assert one.sources[0].locator == plain.locator
        assert one.sources[1].locator.url == "https://chat.example/C1/9"
        assert "A voucher expires after 30 days" in one.expected
    assert {THREAD_ID, plain.document_id} <= second.rests_on & second.read_live


def test_a_limit_that_no_source_states_has_an_open_end():
    second = refined(add="the boundary of 12 parcels")
    assert {one.expected for one in added(second)} == {OPEN}
    assert len(added(second)) == 3
    assert [cited.quote for one in added(second) for cited in one.sources] == ["the boundary of 12 parcels"] * 3


def test_a_value_of_something_else_is_no_source():
    other = refined(replace(DRAFT, cases=()), "the boundary of 30 days for refunds")
    assert {one.expected for one in other.cases} == {OPEN}
    same = refined(replace(DRAFT, cases=()), "the boundary of 30 days for a voucher")
    assert OPEN not in {one.expected for one in same.cases}


@pytest.mark.parametrize(
    ("wish", "kind", "expected"),
    [
        ("that guests must not see the price", "role", "It is refused and changes nothing"),
        ("a case that a locked account cannot be reset", "state", "A locked account cannot be reset."),
        ("when the card is declined, the seat stays on hold", "exception", "The seat stays on hold."),
        ("at most 12 parcels an order", "boundary", "It is accepted"),
        ("a case for the printer", "criterion", OPEN),
        ("the role auditor", "criterion", OPEN),
        ("the refund by shift leads", "role", "It is possible"),
    ],
)
def test_a_wish_is_drafted_by_its_kind(wish, kind, expected):
    second = refined(replace(DRAFT, cases=()), wish)
    assert second.cases
    assert {one.kind for one in second.cases} == {kind}
    assert any(one.expected.startswith(expected) for one in second.cases)
    assert all(one.sources[-1].locator.url == "https://chat.example/C1/9" for one in second.cases)


def test_what_people_said_in_the_thread_is_a_source_and_an_earlier_wish_is_none():
    spoken = thread("Ana: add the boundary of 12 parcels", "Ben: Decided: an order holds at most 12 parcels.")
    second = refined(add="the boundary of 12 parcels", around=spoken)
    assert {one.sources[0].locator.url for one in added(second)} == {"https://chat.example/C1/2"}
    alone = refined(add="the boundary of 12 parcels", around=thread("Ana: add the boundary of 12 parcels"))
    assert {one.expected for one in added(alone)} == {OPEN}


def test_a_page_says_what_has_to_happen():
    rule = page("Parcel rules", "A parcel in the till room must be weighed by the clerk.")
    second = refined(add="a case for weighing a parcel", shop=Shop({"PAY-1": SUBJECT}, [rule]))
    (one,) = added(second)
    assert one.sources[0].locator.title == "Parcel rules"
    assert one.expected == "A parcel in the till room must be weighed by the clerk."


def test_what_is_there_already_is_told_with_its_numbers():
    numbers = [number for number, one in DRAFT.numbered if " days (" in one.title]
    told = ", ".join(map(str, numbers))
    same = refined(add="the boundary of 30 days")
    assert same.version == 1
    assert same.cases == DRAFT.cases
    assert same.said == (f"Already there: cases {told}.",)
    only = refined(add="the boundary of 30 days", drop=(numbers[0],))
    assert [one.kind for one in only.changes] == ["dropped", "added"]
    assert [number for number, _ in only.numbered][-1] == 9


def test_a_wish_that_is_not_literally_in_its_message_is_drafted_from_the_message():
    second = refined(add="the boundary of 12 parcels", text="Add: the limit of 12 parcels")
    assert {cited.quote for one in added(second) for cited in one.sources} == {"Add: the limit of 12 parcels"}


def test_nothing_asked_for_changes_nothing():
    same = refined(add="  … ")
    assert (same.version, same.cases, same.said, same.changes) == (1, DRAFT.cases, (), ())


def test_a_draft_does_not_grow_for_ever():
    many = tuple(replace(DRAFT.cases[0], title=f"Case {n}", condition=f"c{n}") for n in range(refining.MOST - 1))
    second = refined(replace(DRAFT, cases=many), "the boundary of 12 parcels")
    assert len(second.cases) == refining.MOST
    assert any(f"at most {refining.MOST} cases" in one for one in second.said)


WIDER = Audience(LABELS | {"jira:PAY"})


def test_a_draft_for_readers_of_more_is_not_gone_on_with():
    wider = replace(DRAFT, audience=WIDER)
    assert not wider.is_for(AUDIENCE)
    with pytest.raises(NothingToReview):
        refined(wider, drop=(1,))
    assert DRAFT.is_for(WIDER)
    assert refined(drop=(1,), audience=WIDER).audience == WIDER


def test_a_wish_that_not_all_readers_may_read_is_not_drafted_and_dropping_works():
    second = refined(add="the boundary of 12 parcels", drop=(1,), around=thread("Ana: x", labels={"slack:C1"}))
    assert [one.kind for one in second.changes] == ["dropped"]
    assert second.said[0].startswith("Nothing was added")
    assert THREAD_ID not in second.rests_on


def test_what_is_closed_meanwhile_goes_with_all_that_may_hold_its_words():
    rule = page("Till rules", "Trainees must not open the till on Sundays.")
    trainees = ticket("Trainees must not open the till", "Trainees must not open the till.", key="PAY-1")
    shop = Shop({"PAY-1": trainees}, [rule])
    invented = case(sources=[{"source": "S1", "quote": "Trainees must not open the till"}])
    first = shop.drafter(Models(answering(invented))).draft("PAY-1", AUDIENCE)
    assert any(one.by_model for one in first.cases)
    assert rule.document_id in first.rests_on
    second = refined(first, shop=shop, closed=frozenset({rule.document_id}))
    assert rule.document_id not in second.rests_on
    assert "Sundays" not in repr(second)
    assert not any(one.by_model for one in second.cases)
    assert second.cases
    assert {one.title for one in second.changes} == {refining.LOST}
    with pytest.raises(NothingToReview):
        refined(first, shop=shop, closed=frozenset({trainees.document_id}))


def test_a_model_drafts_for_the_wish_and_what_rules_left_open_goes():
    seen: list[object] = []
    quoted = case(title="A voucher of a closed branch", sources=[{"source": "S1", "quote": "a case for the printer"}])
    second = refined(add="a case for the printer", models=Models(answering(quoted, seen=seen)))
    (one,) = added(second)
    assert one.by_model
    assert one.sources[-1].locator.url == "https://chat.example/C1/9"
    prompt = repr(seen)
    assert "# What is asked for" in prompt
    assert DRAFT.cases[0].title in prompt  # so that it is not drafted again
    assert second.made_by == "rules alone: no model is configured; then rules and scripted"


def test_a_model_s_case_whose_quote_does_not_stand_leaves_the_open_one():
    false = case(title="Invented", sources=[{"source": "S1", "quote": "never said"}])
    second = refined(add="a case for the printer", models=Models(answering(false)))
    (one,) = added(second)
    assert (one.expected, second.dropped) == (OPEN, 1)


def test_whoever_waits_is_told_what_is_being_done():
    heard: list[str] = []
    refined(add="the boundary of 12 parcels", say=heard.append)
    assert heard == ["Reading PAY-1", "Searching", "Drafting test cases"]
