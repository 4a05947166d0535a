"""Drafts of test cases by rules: from limits, roles, states, exceptions, past bugs; and how a fix is verified again."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import IndexLocked, SourceUnavailable
from core.pulls.types import Found, Gap
from core.types import Audience
from review.errors import NothingToReview
from review.register import Register, normal
from review.test_cases.draft import CASES
from review.test_cases.proving import distinct
from tests.review.cases import AUDIENCE, LABELS, NOW, bug, comment, link, page, ticket
from tests.review.drafts import Shop, commit, drafted, hidden, of_kind
from tests.review.pull_cases import Heads, piece, pull, use


def tried(draft):
    """The values that are tried, with the first word of what is expected."""
    return {one.title.split(": ")[0]: one.expected for one in of_kind(draft, "boundary")}


def test_a_limit_is_tried_at_its_value_one_below_and_one_above():
    draft = drafted(ticket("Orders", "An order may hold at most 5 parcels."))
    boundaries = tried(draft)
    assert list(boundaries) == ["5 parcels (at the limit)", "6 parcels (one above)", "4 parcels (one below)"]
    assert boundaries["6 parcels (one above)"].startswith("It is refused")
    assert boundaries["5 parcels (at the limit)"].startswith("It is accepted")
    assert boundaries["4 parcels (one below)"].startswith("It is accepted")
    assert [one.urgency for one in of_kind(draft, "boundary")] == ["high", "high", "medium"]
    assert all(one.reason for one in draft.cases)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A hold must last at least 10 minutes.", {"9 minutes": "It is refused", "10 minutes": "It is accepted"}),
        ("Orders over 100 EUR are shipped free.", {"100.00 EUR": "This does not", "100.01 EUR": "What the source"}),
        ("Orders under 20 EUR cost a fee.", {"19.99 EUR": "What the source", "20.00 EUR": "This does not"}),
        (
            "Check-in closes 20 minutes before departure.",
            {"19 minutes": "The limit is passed", "21 minutes": "The limit is not"},
        ),
        (
            "It can be cancelled up to 24 hours before departure.",
            {"23 hours": "It is refused", "25 hours": "It is accepted"},
        ),
        ("A log is not older than 90 days.", {"89 days": "It is accepted", "91 days": "It is refused"}),
        (
            "The pause is never shorter than 20 minutes.",
            {"19 minutes": "It is refused", "21 minutes": "It is accepted"},
        ),
        ("Vouchers expire after 30 days.", {"29 days": "The limit is not", "31 days": "The limit is passed"}),
    ],
)
def test_what_is_expected_follows_the_side_on_which_a_rule_holds(text, expected):
    boundaries = tried(drafted(ticket("Shop", text)))
    for value, beginning in expected.items():
        (told,) = [said for title, said in boundaries.items() if title.startswith(f"{value} (")]
        assert told.startswith(beginning)


def test_both_ends_of_a_range_are_tried():
    values = [title.split(" (")[0] for title in tried(drafted(ticket("Shop", "A group has between 3 and 6 guests.")))]
    assert sorted(values) == ["2 guests", "3 guests", "4 guests", "5 guests", "6 guests", "7 guests"]


def test_the_same_value_in_two_texts_is_tried_once_with_both_as_sources():
    rule = page("Parcel rules", "An order holds at most 5 parcels, whatever it weighs.")
    draft = drafted(ticket("Orders of parcels", "An order may hold at most 5 parcels, whatever the weight."), rule)
    assert len(of_kind(draft, "boundary")) == 3
    assert {cited.locator.title for cited in of_kind(draft, "boundary")[0].sources} >= {"Parcel rules"}


def test_a_policy_that_says_another_value_is_an_unknown_and_no_case():
    rule = page("Parcel rules", "An order may hold at most 3 parcels.")
    draft = drafted(ticket("Orders of parcels", "An order may hold at most 5 parcels."), rule)
    assert not [title for title in tried(draft) if title.startswith(("2 ", "3 "))]
    assert any("“5 parcels”" in one.what and "“3 parcels”" in one.what for one in draft.unknowns)


def test_the_limit_of_a_policy_on_the_same_matter_is_tried_too_and_of_another_matter_not():
    upload = page("Uploads", "An uploaded photo has at most 10 MB.")
    other = page("Canteen", "The canteen serves at most 80 guests at lunch.")
    draft = drafted(ticket("Upload a photo", "Passengers see the uploaded photo beside their booking."), upload, other)
    assert set(tried(draft)) == {
        "10 MB (at the limit)",
        "10 MB and one byte (one above)",
        "10 MB less one byte (one below)",
    }
    assert {one.urgency for one in of_kind(draft, "boundary")} == {"medium"}


def test_what_a_page_only_tells_or_names_is_no_rule():
    facts = (
        "The harbour has two quays for ships.\n\n- **Quay:** ships in the harbour that are not released.\n\n"
        "**Ships offline.** See [Ships on hold](page:1)"
    )
    draft = drafted(ticket("Ships in the harbour", "Ships see the quays of the harbour."), page("Harbour", facts))
    assert draft.cases == ()


def test_a_former_value_must_not_hold_any_more():
    draft = drafted(ticket("Raise the limit", "The limit of parcels is raised from 3 parcels to 5 parcels."))
    former = [one for one in of_kind(draft, "boundary") if "former value" in one.title]
    assert [one.title.split(" (")[0] for one in former] == ["3 parcels"]


def test_only_those_who_are_named_may_and_others_are_refused():
    draft = drafted(ticket("Refunds", "Only shift leads may pay out a refund."))
    by_verdict = {one.title.split(":")[0]: one for one in of_kind(draft, "role")}
    assert set(by_verdict) == {"Allowed for shift leads", "Refused to others than shift leads"}
    assert by_verdict["Refused to others than shift leads"].urgency == "high"
    assert by_verdict["Refused to others than shift leads"].preconditions[0].startswith("Signed in as somebody")
    assert by_verdict["Allowed for shift leads"].steps[0].action == "Try this: pay out a refund."


def test_a_role_that_must_not_and_a_thing_that_may_not():
    draft = drafted(ticket("Till", "Trainees must not open the till. A locked account cannot be reset."))
    assert [one.title for one in of_kind(draft, "role")] == ["Refused to Trainees: open the till"]
    assert [one.title.split(":")[0] for one in of_kind(draft, "state")] == ["State “locked”"]
    assert of_kind(draft, "state")[0].urgency == "high"


def test_what_goes_wrong_becomes_its_condition_and_what_then_holds():
    draft = drafted(ticket("Pay", "When the card is declined, the seat stays on hold. Nothing is charged twice."))
    failed, twice = sorted(of_kind(draft, "exception"), key=lambda one: one.urgency, reverse=True)
    assert failed.steps[0].action == "Bring this about: When the card is declined."
    assert failed.expected == "The seat stays on hold."
    assert (twice.urgency, twice.expected) == ("high", "Nothing is charged twice.")


def test_a_criterion_that_nothing_else_tries_is_tried_as_written():
    fields = {"Acceptance criteria": "- The basket shows the price with tax.\n- At most 5 parcels fit."}
    draft = drafted(ticket("Basket", "As a buyer I want to see my basket.", fields=fields))
    assert [one.expected for one in of_kind(draft, "criterion")] == ["The basket shows the price with tax."]


SCENARIO = "Given a group,\nwhen it books 12 seats,\nthen all 12 passes are in one mail."


@pytest.mark.parametrize(
    ("text", "before", "steps", "expected"),
    [
        (SCENARIO, ["A group."], ["It books 12 seats."], "All 12 passes are in one mail."),
        (
            "- **Given** a locked account\n- **And** a link\n- **When** it is opened\n- **Then** it opens\n- And red",
            ["A locked account.", "A link."], ["It is opened."], "It opens. Red.",
        ),
        (
            "```gherkin\nScenario: late\n  When I pay late\n  Then the seat is lost\nExamples:\n  | a |\n```",
            [], ["I pay late."], "The seat is lost.",
        ),
        (
            "Angenommen ein Konto ist gesperrt, wenn der Link geöffnet wird, dann steht das Konto offen.",
            ["Ein Konto ist gesperrt."], ["Der Link geöffnet wird."], "Steht das Konto offen.",
        ),
    ],
)  # fmt: skip
def test_a_scenario_of_the_ticket_is_tried_as_it_is_written_and_its_values_are_no_limits(text, before, steps, expected):
    draft = drafted(ticket("Groups", f"Sales asks for it.\n\n{text}\n\nNothing is charged twice."))
    (one,) = of_kind(draft, "criterion")
    assert (list(one.preconditions), [step.action for step in one.steps], one.expected) == (before, steps, expected)
    assert one.urgency == "high"
    assert not of_kind(draft, "boundary")
    assert [case.expected for case in of_kind(draft, "exception")] == ["Nothing is charged twice."]


def test_two_scenarios_are_two_cases_and_a_bug_s_own_are_none():
    both = f"{SCENARIO}\n\n{SCENARIO.replace('12', '13')}"
    assert len(of_kind(drafted(ticket("Groups", both)), "criterion")) == 2
    assert not of_kind(drafted(ticket("Groups", both, kind="Bug")), "criterion")


@pytest.mark.parametrize(
    "text",
    [
        "We would like to cross with 36 pupils and 4 teachers.",
        "The form stops at 9 passengers.",
        "Asking for a second link makes the first one useless.",
    ],
)
def test_a_number_that_bounds_nothing_is_no_limit(text):
    assert not of_kind(drafted(ticket("Cross the sea", text)), "boundary")


def test_a_bare_number_is_what_the_summary_counts():
    raised = ticket("Raise the limit for bookings from 9 to 12 passengers", "Sales raises the limit of bookings to 12.")
    values = [title.split(" (")[0] for title in tried(drafted(raised))]
    assert sorted(values) == ["11 passengers", "12 passengers", "13 passengers", "9"]


def test_sentences_that_differ_in_a_number_alone_are_two_cases():
    text = "When a card is declined 2 times, a warning is shown. When a card is declined 4 times, a warning is shown."
    assert len(of_kind(drafted(ticket("Cards", text)), "exception")) == 2


def test_a_state_that_does_not_hold_is_named_so():
    draft = drafted(ticket("Seats", "A booking that is not yet paid keeps its seats."))
    assert of_kind(draft, "state")[0].title.startswith("State “not paid”")


@pytest.mark.parametrize(
    "text",
    [
        "Do we lock the account after 5 attempts?",
        "Whether the limit is 5 parcels is still to be decided.",
        "For example, an order of 5 parcels.",
        "## Background\nToday an order is refused twice when it fails.",
    ],
)
def test_questions_open_points_examples_and_what_is_today_make_no_case(text):
    draft = drafted(ticket("Orders", text))
    assert draft.cases == ()
    assert any("could be tried" in one.what for one in draft.unknowns)


EARLIER = "**Steps:** open the list, pick the seat, pay by card.\n\n**Expected:** the seat is sold once."


def test_an_earlier_bug_on_the_same_matter_is_tried_again_by_its_own_steps():
    old = ticket("Seat sold twice during card payment", EARLIER, kind="Bug", done=True, key="T-90")
    found = bug("Seat sold twice during card payment", EARLIER)
    draft = drafted(ticket("Card payment for a seat", "The passenger pays the seat by card."), found, others=[old])
    (again,) = of_kind(draft, "regression")
    assert again.title.startswith("Earlier bug T-90 does not come back")
    assert [step.action for step in again.steps] == ["Open the list.", "Pick the seat.", "Pay by card."]
    assert again.expected == "The seat is sold once."
    assert any("**Expected:**" in cited.quote for cited in again.sources)


def test_a_linked_repaired_bug_is_tried_again_and_a_rejected_one_not():
    links = [
        link("relates to", "T-7", kind="Bug", done=True, resolution="Fixed"),
        link("relates to", "T-8", kind="Bug", done=True, resolution="Won't Do"),
    ]
    fixed = ticket("Label printed upside down", EARLIER, kind="Bug", done=True, key="T-7")
    refused = replace(ticket("Label is ugly", EARLIER, kind="Bug", done=True, key="T-8"), resolution="Won't Do")
    draft = drafted(ticket("Labels", "Print a label.", links=links), others=[fixed, refused])
    assert ["T-7" in one.title for one in of_kind(draft, "regression")] == [True]


FIXED = ticket(
    "Account stays locked after a reset",
    "**Steps:** lock an account, follow the link, reset the password.\n\n**Actual:** it is locked.\n\n"
    "**Expected:** the reset unlocks the account.",
    kind="Bug",
    done=True,
    comments=[comment("Priya", "The reset clears the lock now.", 3)],
)
FIX = commit("T-1", "Clear the lock\n\nThe counter is cleared as well.", ["src/reset.py", "tests/test_reset.py"])


def test_a_fixed_bug_gets_a_plan_from_its_conditions_and_the_intent_of_the_fix():
    draft = drafted(FIXED, FIX)
    assert draft.plan is not None
    assert [cited.quote for cited in draft.plan.intent] == [
        "T-1 Clear the lock",
        "The counter is cleared as well.",
        "The reset clears the lock now.",
    ]
    assert any(cited.quote.startswith("**Steps:**") for cited in draft.plan.conditions)
    assert [one.what for one in draft.plan.neighbours] == ["what else src/reset.py does"]
    first = draft.cases[0]
    assert (first.urgency, first.expected) == ("high", "The reset unlocks the account.")
    assert [step.action for step in first.steps] == ["Lock an account.", "Follow the link.", "Reset the password."]
    assert not of_kind(draft, "criterion")  # the expected result is tried already


def test_what_git_writes_of_a_merge_is_no_intent_and_the_same_words_count_once():
    merge = commit("", "Merge branch 'bugfix/T-1'", sha="aaa")
    draft = drafted(FIXED, FIX, replace(merge, text=merge.text.strip()), commit("T-1", "Clear the lock", sha="bbb"))
    assert draft.plan is not None
    assert [cited.quote for cited in draft.plan.intent].count("T-1 Clear the lock") == 1
    assert not [cited for cited in draft.plan.intent if "Merge" in cited.quote]


def test_a_commit_of_tests_alone_is_no_intent_and_a_key_is_no_part_of_it():
    alone = commit("T-1", "Test the lock", ["tests/test_reset.py"], sha="bbb")
    draft = drafted(FIXED, FIX, alone)
    assert draft.plan is not None
    assert "T-1 Test the lock" not in [cited.quote for cited in draft.plan.intent]
    assert "The fix does what it says: Clear the lock" in [one.title for one in draft.cases]


def test_around_a_fixed_bug_only_rules_close_to_it_are_tried():
    far = page("Accounts", "An account of a reset may have at most 9 passengers.")
    close = page("Locks", "An account stays locked for at most 30 minutes after a reset of its password.")
    draft = drafted(FIXED, FIX, far, close)
    assert {one.sources[0].locator.title for one in of_kind(draft, "boundary")} == {"Locks"}


def test_neighbours_are_users_of_what_changed_and_finished_tickets_on_the_matter():
    snapshot = pull(files=("src/reset.py",), state="merged", title="T-1 Clear the lock")
    story = bug("Lock an account after a failed reset", "The account is locked.", key="T-5", kind="Story")
    beside = use("care-desk", "src/desk.py", "reset_password(account)")
    shop = Shop({"T-1": FIXED}, [story, beside.evidence])
    shop.pulls = Pulls(snapshot, Heads({"src/reset.py": "-def reset_password():\n+def reset_password(x):"},
                                       symbols=["reset_password"]))  # fmt: skip
    shop.users_of = lambda name, _changed, _audience: (beside,) if name == "reset_password" else ()
    draft = shop.drafter().draft("T-1", AUDIENCE)
    assert draft.plan is not None
    assert [one.why for one in draft.plan.neighbours] == [
        "Changed by the pull request 7 of shop.",
        "It uses what the fix changes.",
        "It is about the same matter.",
    ]
    assert sum(one.title.startswith("Beside the fix") for one in draft.cases) == 3


class Pulls:
    """One snapshot, read from a table."""

    def __init__(self, snapshot, heads, gaps=()):
        self._snapshot = snapshot
        self._heads = heads
        self._gaps = tuple(gaps)

    def of_ticket(self, _ticket, _audience):
        return Found((self._snapshot,), self._gaps)

    def overview(self, snapshot):
        return piece(snapshot, f"{snapshot.pull.title}\nmerged")

    def __getattr__(self, name):
        return getattr(self._heads, name)


def test_what_could_not_be_read_is_an_unknown():
    shop = Shop({"T-1": FIXED}, [FIX])
    shop.pulls = Pulls(pull(), Heads(), [Gap("Pull request 9 could not be read.", "A new try.")])
    told = {one.what for one in shop.drafter().draft("T-1", AUDIENCE).unknowns}
    assert "Pull request 9 could not be read." in told
    assert any("not examined" in what for what in told)
    without = drafted(FIXED)
    assert any("no commit or pull request with its key" in one.what for one in without.unknowns)
    vague = drafted(replace(FIXED, description="It is bad."))
    assert any("not written down in steps" in one.what for one in vague.unknowns)


def test_an_index_out_of_use_costs_the_policies_and_is_said():
    draft = drafted(ticket("Orders", "An order may hold at most 5 parcels."), error=IndexLocked("in use"))
    assert len(of_kind(draft, "boundary")) == 3
    assert any(one.what.startswith("Policies were not looked at") for one in draft.unknowns)


def test_the_draft_says_who_made_it_and_what_it_rests_on():
    rule = page("Parcel rules", "An order holds at most 5 parcels.")
    draft = drafted(ticket("Orders of parcels", "An order holds at most 5 parcels."), rule)
    assert draft.made_by == "rules alone: no model is configured"
    assert draft.rests_on >= {"jira:T-1", "confluence:Parcel rules"}
    assert draft.read_live == {"jira:T-1"}
    assert (draft.at, draft.audience, draft.dropped) == (NOW, AUDIENCE, 0)


def test_nothing_that_the_audience_may_not_read_enters():
    rule = hidden(page("Uploads", "An uploaded photo has at most 10 MB."))
    secret = replace(comment("Ana", "Decided: at most 3 photos.", 1), labels=frozenset({"jira:internal", *LABELS}))
    draft = drafted(ticket("Upload a photo", "Passengers upload a photo.", comments=[secret]), rule)
    assert draft.cases == ()
    assert "10 MB" not in repr(draft)
    assert "3 photos" not in repr(draft)


def test_a_ticket_that_is_hidden_or_cannot_be_read_is_no_draft():
    shop = Shop({"T-1": ticket()})
    with pytest.raises(NothingToReview):
        shop.drafter().draft("T-1", Audience(frozenset({"other"})))

    class Down(Shop):
        def ticket(self, key):
            raise SourceUnavailable("down")

    with pytest.raises(SourceUnavailable):
        Down().drafter().draft("T-1", AUDIENCE)


def test_a_draft_has_an_end_and_tells_what_is_beyond_it():
    kinds = "apples bricks coins drums eggs flags guns hats irons jars kites lamps maps nails oars pens rings saws tins"
    rules = "\n".join(
        f"- A parcel holds at most {n + 5} {kind}, which are weighed.\n- {kind} are never packed twice."
        for n, kind in enumerate(kinds.split())
    )
    draft = drafted(ticket("Parcels by kind", rules))
    assert len(draft.cases) == CASES
    assert draft.more > 0
    assert any(one.what.startswith("11 further limits") for one in draft.unknowns)
    assert draft.cases[0].urgency == "high"


SENTENCES = st.sampled_from(
    [
        "An order may hold at most 5 parcels.",
        "Only shift leads may pay out a refund.",
        "A locked account cannot be reset.",
        "When the card is declined, the seat stays on hold.",
        "Vouchers expire after 30 days.",
        "Nothing is charged twice.",
        "Der Beleg wird nach höchstens 3 Tagen verschickt.",
        "Orders over 100 EUR are shipped free.",
        "An order may hold at most 5 parcels and 2 crates.",
        "# Heading",
        "| a | 5 kg |",
        "Is it 7 days?",
        "Given a ship of 12 seats,\nwhen 13 are asked for,\nthen it is refused.",
        "- When it is late\n- Then it is refused\n- And a mail is sent",
    ]
)
WORDS = st.text(alphabet="ab 0159.,:;|*_`[]()<>#-=+@\n“”\x85\u2028\u202e%€", max_size=60)


@settings(max_examples=60, deadline=None)
@given(st.lists(SENTENCES | WORDS, max_size=8), st.lists(SENTENCES, max_size=4))
def test_law_same_input_same_draft_and_every_case_stands_on_what_was_read(texts, rules):
    subject = ticket("Orders and parcels", "\n\n".join(texts))
    evidence = [page(f"Rule {number}", text) for number, text in enumerate(rules)]
    first, second = drafted(subject, *evidence), drafted(subject, *reversed(evidence))
    assert {**{f: getattr(first, f) for f in first.__slots__}, "numbers": 0, "searches": 0} == {
        **{f: getattr(second, f) for f in second.__slots__}, "numbers": 0, "searches": 0,
    }  # fmt: skip
    register = Register(AUDIENCE)
    register.add_ticket(subject)
    for one in evidence:
        register.add_evidence(one)
    assert len(first.cases) <= CASES
    assert len({one.id for one in first.cases}) == len(first.cases)
    for one in first.cases:
        assert one.sources
        assert one.steps
        assert one.expected.strip()
        assert all(cited.quote and register.standing(cited) for cited in one.sources)
        lines = (one.title, *one.preconditions, *(step.action for step in one.steps), one.expected, one.reason)
        assert all(line == normal(line) and len(line) < 700 for line in lines)
    assert distinct(first.cases) == sorted(first.cases, key=lambda one: one.by_model)
