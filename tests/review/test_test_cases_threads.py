"""Drafts of test cases from what people said in a thread."""

from dataclasses import replace

import pytest

from core.errors import SourceUnavailable
from core.types import Audience
from review.service import Models
from review.test_cases.types import THREAD
from tests.review.cases import AUDIENCE, LABELS, bug, link, page, ticket
from tests.review.drafts import Shop, hidden, of_kind
from tests.review.test_test_cases_model import answering, case
from tests.review.threads import THREAD_ID, thread


def drafted(discussion, *evidence, tickets=(), audience=AUDIENCE, closed=frozenset(), say=lambda _what: None):
    shop = Shop({one.key: one for one in tickets}, evidence)
    return shop.drafter().draft_of(discussion, audience, closed=closed, say=say)


SPOKEN = thread(
    "Ana: PAY-1 is about refunds. An order may hold at most 5 vouchers.",
    "Ben: Only shift leads may pay out a refund.",
    "Cem: Decided: a locked account cannot be reset. When the card is declined, the seat stays on hold.",
    "Ana: We should show the price with tax.",
)


def test_a_ticket_of_a_type_called_thread_is_no_thread():
    told = ticket("Vouchers", "The page has 30 days of history.", key="PAY-1", kind="Thread")
    assert len(of_kind(Shop({"PAY-1": told}).drafter().draft("PAY-1", AUDIENCE), "boundary")) == 3


def test_what_people_say_is_tried_as_limits_roles_states_exceptions_and_demands():
    draft = drafted(SPOKEN)
    assert len(of_kind(draft, "boundary")) == 3
    assert {one.title.split(":")[0] for one in of_kind(draft, "role")} == {
        "Allowed for shift leads",
        "Refused to others than shift leads",
    }
    assert [one.title.split(":")[0] for one in of_kind(draft, "state")] == ["State “locked”"]
    assert [one.expected for one in of_kind(draft, "exception")] == ["The seat stays on hold."]
    assert [one.expected for one in of_kind(draft, "criterion")] == ["We should show the price with tax."]


def test_each_case_cites_the_remark_with_its_own_address_and_literally():
    draft = drafted(SPOKEN)
    texts = {one.locator.url: one.text for one in SPOKEN.remarks}
    for one in draft.cases:
        for cited in one.sources:
            assert cited.quote in texts[cited.locator.url]
            assert (cited.locator.document_id, cited.labels) == (THREAD_ID, SPOKEN.labels)
    assert {cited.locator.url[-1] for one in draft.cases for cited in one.sources} == {"1", "2", "3", "4"}


def test_a_thread_s_draft_rests_on_the_thread_which_was_read_live():
    draft = drafted(SPOKEN)
    assert THREAD_ID in draft.rests_on & draft.read_live
    assert draft.title == "PAY-1 is about refunds."
    assert draft.locator == SPOKEN.locator
    assert (draft.version, draft.gone) == (1, frozenset())


@pytest.mark.parametrize(
    "line",
    [
        "Ana: I'll be back after 10 minutes, thanks.",
        "Ana: It took 3 hours to find.",
        "Ana: We need to ask legal tomorrow.",
        "Ana: How long should a voucher be valid, 30 days?",
        "Ana: Lunch was 12 EUR.",
        "Ana: We can look at the till on Monday.",
        "Bot: Trainees must not open the till.",
    ],
)
def test_talk_questions_and_the_bot_s_own_words_are_no_matter(line):
    assert drafted(thread("Ben: The voucher page looks odd.", line)).cases == ()
    assert drafted(thread(line, "Ben: The voucher page looks odd.")).cases == ()


def test_a_ticket_that_is_named_gives_the_key_and_is_read_live_around_it():
    subject = ticket("Vouchers", "A voucher expires after 30 days.", key="PAY-7")
    heard: list[str] = []
    draft = drafted(
        thread("Ana: SHA-256 and PAY-7: trainees must not open the till."), tickets=[subject], say=heard.append
    )
    assert (draft.key, draft.ticket) == ("PAY-7", "PAY-7")
    assert subject.document_id in draft.rests_on & draft.read_live
    assert not of_kind(draft, "boundary")  # what the ticket says is not what the thread says
    assert any("SHA-256" in one.what for one in draft.unknowns)
    assert heard == ["Reading PAY-7", "Searching", "Drafting test cases"]


def test_a_named_bug_that_was_fixed_is_tried_again():
    fixed = replace(ticket("The till stays open", kind="Bug", done=True, key="PAY-9"), resolution="Fixed")
    draft = drafted(thread("Ana: As in PAY-9, trainees must not open the till."), tickets=[fixed])
    assert [one.title for one in of_kind(draft, "regression")] == [
        "Earlier bug PAY-9 does not come back: The till stays open"
    ]


def test_a_hidden_ticket_is_as_one_that_does_not_exist():
    secret = replace(ticket("Salaries", key="HR-1"), labels=frozenset({"jira:HR"}))
    spoken = thread("Ana: HR-1: trainees must not open the till.")
    with_it, without = drafted(spoken, tickets=[secret]), drafted(spoken)
    assert (with_it.key, with_it.cases, with_it.unknowns) == (without.key, without.cases, without.unknowns)
    assert with_it.key == THREAD
    assert with_it.ticket == ""


def test_a_ticket_that_does_not_answer_is_the_draft_s_all_the_same():
    class Down(Shop):
        def ticket(self, key):
            raise SourceUnavailable("down")

    draft = Down().drafter().draft_of(thread("Ana: PAY-1: trainees must not open the till."), AUDIENCE)
    assert draft.key == "PAY-1"
    assert any("could not be read just now" in one.what for one in draft.unknowns)


def test_policies_are_searched_as_for_a_ticket_and_hidden_ones_are_not():
    rule = page("Till rules", "Trainees must not open the till on Sundays.")
    spoken = thread("Ana: Trainees must not open the till.")
    draft = drafted(spoken, rule, hidden(page("Pay", "Trainees must not open the till of the vault.")))
    titles = [one.title for one in of_kind(draft, "role")]
    assert titles == ["Refused to Trainees: open the till", "Refused to Trainees: open the till on Sundays"]


def test_a_policy_that_says_another_value_than_the_thread_is_told():
    rule = page("Parcel rules", "An order may hold at most 3 parcels.")
    draft = drafted(thread("Ana: An order may hold at most 5 parcels."), rule)
    assert any(one.what.startswith("The thread says “5 parcels”") for one in draft.unknowns)


def test_a_thread_that_not_all_readers_may_read_is_not_told_of():
    spoken = thread("Ana: Trainees must not open the till.", labels={"slack:C1"})
    for draft in (
        drafted(spoken),
        drafted(SPOKEN, closed=frozenset({THREAD_ID})),
        drafted(SPOKEN, audience=Audience(frozenset())),
    ):
        assert (draft.key, draft.title, draft.cases, draft.rests_on) == (THREAD, "", (), frozenset())
        assert "#qa" not in draft.locator.title
        assert [one.what for one in draft.unknowns] == [
            "This thread cannot be read by everybody who can read this reply."
        ]


@pytest.mark.parametrize("spoken", [thread(), thread("Bot: A voucher expires after 30 days."), thread("Ana: 🎉 …")])
def test_where_nobody_said_anything_the_draft_says_so(spoken):
    draft = drafted(spoken)
    assert draft.cases == ()
    assert "Nobody has said anything" in draft.unknowns[0].what


def test_where_nothing_can_be_tried_the_draft_says_what_would_help():
    draft = drafted(thread("Ana: The voucher page looks odd."))
    assert draft.unknowns[-1].settled_by == "Saying in the thread what must hold."


def test_a_model_is_shown_the_remarks_and_cites_them():
    seen: list[object] = []
    quoted = case(sources=[{"source": "S2", "quote": "A voucher expires after 30 days."}])
    shop = Shop()
    spoken = thread("Ana: Trainees must not open the till.", "Ben: A voucher expires after 30 days.")
    draft = shop.drafter(Models(answering(quoted, seen=seen))).draft_of(spoken, AUDIENCE)
    (added,) = [one for one in draft.cases if one.by_model]
    assert added.sources[0].locator == spoken.remarks[1].locator
    assert "# The thread: THREAD" in repr(seen)
    assert draft.made_by == "rules and scripted"


def test_a_channel_that_is_withheld_does_not_reach_the_model():
    seen: list[object] = []
    labels = LABELS | {"slack:C1"}
    spoken = thread("Ana: Trainees must not open the till.", labels=labels)
    models = Models(answering(seen=seen), withheld=frozenset({"slack:C1"}))
    draft = Shop().drafter(models).draft_of(spoken, Audience(labels))
    assert "open the till" not in repr(seen)
    assert of_kind(draft, "role")


def test_a_thread_s_named_tickets_are_bounded():
    keys = " ".join(f"PAY-{number}" for number in range(1, 31))
    draft = drafted(thread(f"Ana: {keys} Trainees must not open the till."))
    assert any("Only 10 of 30 tickets" in one.what for one in draft.unknowns)
    assert len(draft.unknowns) == 11


def test_links_of_the_ticket_named_are_not_followed_but_bugs_alike_are_found():
    alike = bug("Till opens for trainees when the drawer is jammed", "The till opens.", key="PAY-90")
    named = ticket("Till", key="PAY-7", links=[link("relates to", "PAY-8")])
    draft = drafted(thread("Ana: PAY-7: trainees must not open the till."), alike, tickets=[named])
    assert "jira:PAY-8" in draft.rests_on  # as the link tells of it
    assert "jira:PAY-90" in draft.rests_on
