"""What a check of a plan tells, and when it tells nothing."""

import re
from dataclasses import replace

import pytest

from core.errors import BadQuery
from core.types import Audience, Locator, Query, SearchResult
from review.plan.check import PlanChecker
from review.plan.errors import BadPlan
from review.plan.sources import TEXT
from review.plan.types import LONGEST, MOST_CHECKS, MOST_SOURCES, PlanReview
from review.types import Priority
from tests.review.plan.world import (
    AUDIENCE,
    BUG,
    FIX,
    HIDDEN,
    KNOWING,
    OLD,
    PLAN,
    POLICY,
    READER,
    Index,
    Uses,
    checker,
    passage,
)


def texts(review: PlanReview) -> str:
    parts = [one.text + one.locator.title + one.why for one in review.sources]
    parts += [f"{one.statement} {one.why} {[cited.quote for cited in one.evidence]}" for one in review.checks]
    return "\n".join([*parts, *(one.what for one in review.unknowns)])


@pytest.mark.parametrize("plan", ["", " \n\t", "...", "x" * (LONGEST + 1)])
def test_a_plan_without_words_or_too_long_is_refused_with_the_limit(plan: str) -> None:
    with pytest.raises(BadPlan, match="60,000") as refused:
        checker().check(plan, AUDIENCE)
    assert refused.value.advice == "tell"


def test_the_longest_plan_is_read() -> None:
    assert checker(Index([])).check("lock " * (LONGEST // 5), AUDIENCE).nothing_new


def test_a_broken_rule_and_an_old_fault_come_first() -> None:
    review = checker().check(PLAN, AUDIENCE, repo="api")
    assert [(one.category, one.priority) for one in review.checks] == [
        ("requirement or policy", Priority.P1),
        ("past regression", Priority.P1),
    ]
    rule, fault = review.checks
    assert "“5 failed sign-in attempts”" in rule.statement
    assert [cited.locator.document_id for cited in rule.evidence] == [POLICY.document_id]
    assert {cited.locator.document_id for cited in fault.evidence} == {BUG.document_id, "git:api@abc1234567"}
    assert [one.locator.document_id for one in review.sources] == [POLICY.document_id, BUG.document_id]
    assert not review.nothing_new
    assert review.made_by.startswith("rules alone")
    assert review.rests_on >= {POLICY.document_id, BUG.document_id}


def test_what_the_plan_shows_to_know_is_not_told_again() -> None:
    review = checker().check(KNOWING, AUDIENCE, repo="api")
    assert review.nothing_new, texts(review)


def test_a_plan_that_touches_nothing_known_goes_on() -> None:
    review = checker().check("Cache the virtual environment by the hash of the lock file.", AUDIENCE)
    assert review.nothing_new
    assert review.unknowns == ()


def test_a_superseded_page_is_no_source() -> None:
    review = checker(Index([OLD])).check(PLAN, AUDIENCE)
    assert review.nothing_new


@pytest.mark.parametrize("leaking", [False, True])
def test_what_the_audience_may_not_read_is_not_there(*, leaking: bool) -> None:
    with_it = checker(Index(leaking=leaking)).check(PLAN, AUDIENCE, repo="api")
    without = checker(Index([one for one in Index().documents if one is not HIDDEN])).check(PLAN, AUDIENCE, repo="api")
    assert texts(with_it) == texts(without)
    assert "board" not in texts(with_it)
    assert HIDDEN.document_id not in with_it.rests_on


def test_an_empty_audience_reads_nothing() -> None:
    assert checker().check(PLAN, Audience(frozenset())).nothing_new


def test_there_are_never_more_than_three_sources_and_five_checks() -> None:
    rules = [
        passage(f"confluence:{n}", "page", f"Account policy {n}", POLICY.text.replace("5 failed", f"{n + 20} failed"))
        for n in range(10)
    ]
    review = checker(Index([*rules, BUG])).check(PLAN, AUDIENCE)
    assert len(review.sources) == MOST_SOURCES
    assert 0 < len(review.checks) <= MOST_CHECKS


def test_a_diff_is_held_against_the_pages() -> None:
    diff = """--- a/src/accounts.py
+++ b/src/accounts.py
@@ -1,2 +1,2 @@
-LOCK_MINUTES = 30
+LOCK_MINUTES = 60
"""
    rule = next(one for one in checker().check(diff, AUDIENCE).checks if one.category == "requirement or policy")
    assert "“LOCK_MINUTES = 60”, but the page “Account security policy” says “30 minutes”" in rule.statement


HOLD = passage(
    "confluence:5",
    "page",
    "Decision: seats on hold",
    "Supersedes the decision of 2025.\n\nAn unpaid booking keeps its seats for 15 minutes.",
)
OLD_HOLD = passage(
    "confluence:6",
    "page",
    "Decision: seats on hold (2025)",
    "Status: superseded by the decision of 2026.",
    attributes={"space": "ENG"},
)
OLD_RULE = replace(
    OLD_HOLD, id="confluence:6#1", text="An unpaid booking keeps its seats for 12 minutes.", context="Decision > Rule"
)
CANCELLED = passage(
    "jira:6",
    "ticket",
    "SHOP-6 Keep seats longer",
    "An unpaid booking keeps its seats for 20 minutes.",
    attributes={"key": "SHOP-6", "status": "Cancelled", "resolution": "Won't do"},
)
HELD = (
    "Let seats be held for HOLD_MINUTES = {} minutes and extend the hold while the bank is asked, in "
    "src/booking/holds.py."
)


def changed(path: str, before: str, after: str) -> str:
    return f"--- a/{path}\n+++ b/{path}\n@@ -3 +3 @@\n-{before}\n+{after}\n"


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (HELD.format(10), "15 minutes"),
        (HELD.format(15), ""),
        ("Retry the bank 3 times and wait 10 minutes in between, in src/booking/holds.py.", ""),
        ("Look for bookings that are unpaid every 5 minutes, and release their seats, in src/booking/holds.py.", ""),
        (changed("src/booking/holds.py", "HOLD_MINUTES = 15", "HOLD_MINUTES = 10"), "15 minutes"),
        (changed("src/booking/holds.py", "HOLD_MINUTES = 10", "HOLD_MINUTES = 15"), ""),
        (changed("src/booking/holds.py", "POLL_SECONDS = 900", "POLL_SECONDS = 600"), ""),
        (changed("src/accounts.py", "MAX_FAILED_SIGN_INS = 5", "MAX_FAILED_SIGN_INS = 8"), "5 failed sign-in attempts"),
        ("Set MAX_FAILED_SIGN_INS in src/accounts.py to 8.", "5 failed sign-in attempts"),
        ("Set MAX_FAILED_SIGN_INS in src/accounts.py to 5.", ""),
        (changed("src/accounts.py", "MAX_FAILED_SIGN_INS = 8", "MAX_FAILED_SIGN_INS = 5"), ""),
        (changed("src/accounts.py", "PAGE_SIZE = 5", "PAGE_SIZE = 8"), ""),
    ],
)
def test_a_limit_is_held_against_the_rule_in_force(plan: str, says: str) -> None:
    index = Index([HOLD, POLICY, OLD, CANCELLED])
    told = [one for one in checker(index).check(plan, AUDIENCE).checks if one.category == "requirement or policy"]
    assert [(one.priority, f"says “{says}”" in one.statement) for one in told] == [(Priority.P1, True)] * bool(says)


HOLDS = passage(
    "git:api:src/booking/holds.py",
    "code",
    "src/booking/holds.py",
    '"""Seats that belong to a booking which has not been paid."""\n\nHOLD_MINUTES = 10\n',
)
TWICE = replace(
    BUG,
    id="jira:88",
    document_id="jira:88",
    locator=Locator("jira:88", "SHOP-88 Sold twice", "https://host.example/jira:88"),
    text="Steps: pay by card, wait on the page of the bank.",
    attributes={**BUG.attributes, "key": "SHOP-88"},
)
EXTENDED = replace(
    FIX,
    id="git:api@88",
    document_id="git:api@88",
    locator=Locator("git:api@88", "SHOP-88 Ask once more", "https://host.example/git:api@88"),
    text="SHOP-88 Ask once more",
    attributes={"paths": "src/booking/holds.py\nCHANGELOG.md"},
)
ELSEWHERE = replace(
    EXTENDED,
    id="git:app@89",
    document_id="git:app@89",
    locator=Locator("git:app@89", "Pictures", "https://host.example/git:app@89"),
    attributes={"paths": "lib/holds.py"},
)
BOTH = ["requirement or policy", "past regression"]


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ("Raise HOLD_MINUTES in src/booking/holds.py to 45.", BOTH),
        ("Raise HOLD_MINUTES in holds.py to 45.", BOTH),
        ("HOLD_MINUTES in src/booking/holds.py: 10 -> 45", BOTH),
        ("Hold seats for 30 minutes in src/booking/holds.py", BOTH),
        (
            "Set HOLD_MINUTES = 30 in src/booking/holds.py so that an unpaid booking keeps its seats for 30 minutes.",
            BOTH,
        ),
        (changed("src/booking/holds.py", "HOLD_MINUTES = 10", "HOLD_MINUTES = 45"), BOTH),
        ("Raise HOLD_MINUTES in /home/ada/api/src/booking/holds.py to 45.", BOTH),
        ("Set HOLD_MINUTES in src/booking/holds.py to 15.", ["past regression"]),
        ("Set POLL_MINUTES in src/booking/holds.py to 45.", ["past regression"]),
        ("Rename a variable in src/booking/holds.py.", ["past regression"]),
        ("Rename a variable in src/booking/holds.py, and keep what SHOP-88 repaired.", []),
        ("Tell of the new variable in CHANGELOG.md.", []),
        ("Rename a variable in src/booking/holds.py, and tell of it in CHANGELOG.md.", ["past regression"]),
    ],
)
def test_what_is_told_of_a_file_hangs_on_the_file_and_not_on_the_wording(plan: str, told: list[str]) -> None:
    review = checker(Index([HOLD, HOLDS, TWICE, EXTENDED])).check(plan, AUDIENCE, repo="api")
    assert [(one.category, one.priority) for one in review.checks] == [(category, Priority.P1) for category in told]


def test_a_name_of_several_files_does_not_suffice_without_the_repository_that_the_plan_is_for() -> None:
    index, plan = Index([HOLDS, TWICE, EXTENDED, ELSEWHERE]), "Rename a variable in holds.py."
    assert not checker(index).check(plan, AUDIENCE).checks
    assert [one.category for one in checker(index).check(plan, AUDIENCE, repo="api").checks] == ["past regression"]
    assert checker(index).check(plan.replace("in ", "in booking/"), AUDIENCE).checks


@pytest.mark.parametrize("plan", ["Raise HOLD_MINUTES in {} to 45.", "Raise PAYMENT_HOLD_MINUTES in {} to 45."])
def test_a_word_in_the_title_of_a_page_does_not_suffice(plan: str) -> None:
    other = replace(HOLD, text="The music on hold plays for 15 minutes.")
    assert not checker(Index([other, HOLDS])).check(plan.format("src/booking/holds.py"), AUDIENCE).checks


def test_pages_that_do_not_agree_on_the_value_of_a_constant_say_nothing_of_it() -> None:
    second = passage("confluence:8", "page", "Holds of groups", "A booking of a group keeps its seats for 30 minutes.")
    review = checker(Index([HOLD, second, HOLDS])).check("Raise HOLD_MINUTES in src/booking/holds.py to 45.", AUDIENCE)
    assert not review.checks


def test_a_rule_is_quoted_with_the_code_that_it_begins_with() -> None:
    page = replace(HOLD, text="Decided. `HOLD_MINUTES` of an unpaid booking, which keeps its seats, is 15 minutes.")
    check = checker(Index([page])).check("An unpaid booking keeps its seats for 10 minutes.", AUDIENCE).checks[0]
    assert check.evidence[0].quote == page.text.removeprefix("Decided. ")


def test_neither_a_cancelled_ticket_nor_a_page_whose_beginning_says_that_it_is_replaced_is_a_rule() -> None:
    class Partly(Index):
        """Finds the rule of the old page alone; its beginning is there for whoever opens it."""

        def search(self, query: Query, audience: Audience) -> SearchResult:
            found = super().search(query, audience)
            return replace(found, evidence=tuple(one for one in found.evidence if one is not OLD_HOLD))

    review = checker(Partly([OLD_HOLD, OLD_RULE, CANCELLED])).check(HELD.format(10), AUDIENCE)
    assert [one.category for one in review.checks] == []
    in_force = replace(OLD_HOLD, text="Status: accepted.")
    review = checker(Partly([in_force, OLD_RULE, CANCELLED])).check(HELD.format(10), AUDIENCE)
    assert [one.category for one in review.checks] == ["requirement or policy"]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (
            "The page asks the bank now. `extend_hold` in `holds.py`\nextends the hold of the seats.",
            "`extend_hold` in `holds.py`\nextends the hold of the seats.",
        ),
        (
            "It was slow.\n\n- `extend_hold` extends the hold of the seats in `holds.py`",
            "`extend_hold` extends the hold of the seats in `holds.py`",
        ),
        (
            "Done. `extend_hold`\nextends the hold of the seats, see https://host.example/1 `now`.",
            "`extend_hold`\nextends the hold of the seats, see https://host.example/1 `now`.",
        ),
        (
            "```\nhold()\n```\nThe hold of the seats is extended, twice for a group.",
            "The hold of the seats is extended, twice for a group.",
        ),
        (
            "`seats`\n\nThe hold of the seats is extended, twice for a group.",
            "The hold of the seats is extended, twice for a group.",
        ),
    ],
)
def test_a_quoted_sentence_is_whole(text: str, quoted: str) -> None:
    ticket = passage("jira:88", "ticket", "SHOP-88 Seats are sold twice", text, attributes={"key": "SHOP-88"})
    review = checker(Index([ticket])).check("Extend the hold of the seats while the bank is asked.", AUDIENCE)
    assert [one.text for one in review.sources] == [quoted]


def test_of_a_file_the_lines_that_concern_the_plan_are_quoted() -> None:
    filler = [f"def unrelated_{n}(value: int) -> int:\n    return value + {n}\n\n" for n in range(30)]
    wanted = "def extend_hold(seats: Seats) -> None:\n    seats.hold.until += HOLD_TIME\n"
    text = "".join([*filler[:20], wanted, *filler[20:]])
    code = passage("git:api:src/late.py", "code", "src/late.py", text)
    review = checker(Index([code])).check("Extend the hold of the seats: extend_hold takes HOLD_TIME.", AUDIENCE)
    (source,) = review.sources
    assert wanted.strip() in source.text
    assert len(source.text) <= TEXT
    assert source.text in text
    assert set(source.text.splitlines()) <= set(text.splitlines())


DECK = passage(
    "confluence:3",
    "page",
    "Vehicles on the car deck",
    "A vehicle is at most 4.20 m high.\n\nA vehicle is at most 18 m long.\n\nA crossing takes up to 20 bicycles.",
)


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (
            "--- a/deck.py\n+++ b/deck.py\n@@ -1 +1 @@\n-MAX_VEHICLE_HEIGHT_CM = 420\n+MAX_VEHICLE_HEIGHT_CM = 450\n",
            "4.20 m",
        ),
        (
            "--- a/deck.py\n+++ b/deck.py\n@@ -1 +1 @@\n-MAX_VEHICLE_LENGTH_CM = 1800\n+MAX_VEHICLE_LENGTH_CM = 2000\n",
            "18 m",
        ),
        ("--- a/deck.py\n+++ b/deck.py\n@@ -1 +1 @@\n-MAX_BICYCLES = 20\n+MAX_BICYCLES = 30\n", "20 bicycles"),
        ("More room: raise MAX_VEHICLE_HEIGHT_CM in src/deck.py to 450 and adjust the test.", "4.20 m"),
        ("--- a/deck.py\n+++ b/deck.py\n@@ -1 +1 @@\n-MAX_BICYCLES = 20\n+MAX_BICYCLES = 18\n", ""),
        ("MAX_VEHICLE_HEIGHT_CM stays 420.", ""),
        ("More room: raise MAX_VEHICLE_HEIGHT_CM in src/deck.py to 420 and adjust the test.", ""),
    ],
)
def test_a_constant_is_held_against_what_people_say_of_it(plan: str, says: str) -> None:
    told = [one.statement for one in checker(Index([DECK])).check(plan, AUDIENCE).checks]
    assert [f"says “{says}”" in one for one in told] == ([True] if says else [])


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ("As “Account security policy 2024” says, the lock of an account is lifted by hand.", True),
        ("The old Account security policy 2024 is not followed: the lock of an account ends by itself.", False),
        ("The lock of an account is lifted by hand.", False),
    ],
)
def test_a_page_that_holds_no_longer_is_no_ground(plan: str, *, told: bool) -> None:
    checks = checker(Index([OLD])).check(plan, AUDIENCE).checks
    assert ["which is archived" in one.statement for one in checks] == [True] * told


LEADS = passage(
    "confluence:4", "page", "Who may do what", "Only leads of the shift may change the name of a passenger."
)


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ("Every clerk may change the name of a passenger in the booking.", True),
        ("Every lead of the shift may change the name of a passenger in the booking.", False),
        ("Show the name of a passenger in the booking.", False),
    ],
)
def test_what_a_page_reserves_for_others_is_told(plan: str, *, told: bool) -> None:
    checks = checker(Index([LEADS])).check(plan, AUDIENCE).checks
    assert [one.evidence[0].quote for one in checks] == [LEADS.text] * told


def test_a_column_that_goes_is_looked_up() -> None:
    used = passage("git:app:src/list.ts", "code", "src/list.ts", "select phone from passenger")
    plan = "A migration: ALTER TABLE passenger DROP COLUMN phone, which nobody fills."
    review = checker(Index([used]), consumers=Uses({"passenger.phone": used})).check(plan, AUDIENCE, repo="api")
    assert ["“passenger.phone” is also used in src/list.ts in app" in one.statement for one in review.checks] == [True]


def test_who_shows_to_have_read_needs_more_to_be_told() -> None:
    near = passage("jira:5", "ticket", "SHOP-5 Mail the passenger", "Mail about a lock.", attributes={"key": "SHOP-5"})
    known = [POLICY, BUG, near]
    said = "Send a mail when the lock of an account begins."
    assert checker(Index(known)).check(said, AUDIENCE).sources
    assert not checker(Index(known)).check(f"{said} Account security policy, SHOP-97.", AUDIENCE).sources


def test_other_repositories_that_use_a_changed_field_are_told() -> None:
    plan = 'entry() in src/manifest.py returns "birth_year" instead of "passenger_age".'
    review = checker(Index([READER]), consumers=Uses({"passenger_age": READER})).check(plan, AUDIENCE, repo="api")
    (check,) = review.checks
    assert (check.category, check.priority) == ("consumer", Priority.P2)
    assert "src/reader.ts in app, line 1" in check.statement
    assert [one.locator.document_id for one in review.sources] == [READER.document_id]


def test_a_consumer_that_the_plan_names_is_known() -> None:
    plan = 'entry() returns "birth_year" instead of "passenger_age"; src/reader.ts reads it and changes as well.'
    assert not checker(Index([READER]), consumers=Uses({"passenger_age": READER})).check(plan, AUDIENCE).checks


def test_what_could_not_be_looked_at_is_said() -> None:
    review = checker(consumers=Uses({}, BadQuery("no"))).check(f"{PLAN} See sign_in_counter.", AUDIENCE)
    assert any("Consumers in other repositories were not all looked at" in one.what for one in review.unknowns)
    broken = checker(Index(failing=frozenset({"page", "commit"}))).check(PLAN, AUDIENCE)
    said = " ".join(one.what for one in broken.unknowns)
    assert "Policies, tickets and code were not searched: the index could not be used" in said
    assert "The history of src/accounts.py was not read" in said
    for unknown in (*review.unknowns, *broken.unknowns):
        assert re.match(r"(?:Asking|Checking) .+\.\Z", unknown.settled_by)


def test_without_time_nothing_further_is_begun_and_it_is_said() -> None:
    review = checker(seconds=0.0).check(PLAN, AUDIENCE)
    said = " ".join(one.what for one in review.unknowns)
    assert "The history of src/accounts.py was not read: there was no time left" in said
    assert "Limits and policies were not looked at: no time was left" in said
    assert not review.checks


def test_a_branch_is_searched_before_the_baseline() -> None:
    index = Index()
    checker(index).check(PLAN, AUDIENCE, repo="api", branch="feature/lock")
    first, second = (query.filters for query in index.queries[1:3])
    assert (first.branch, first.repos, second.branch) == ("feature/lock", frozenset({"api"}), None)


def test_a_repository_that_is_not_known_is_said_and_the_plan_is_checked_without() -> None:
    class Misspelt(Index):
        def search(self, query: Query, audience: Audience) -> SearchResult:
            found = super().search(query, audience)
            unknown = "There is no repository “apy”; the nearest is api." if query.filters.repos else ""
            return replace(found, notes=(unknown,) if unknown else ())

    told = checker(Misspelt()).check(PLAN, AUDIENCE, repo="apy")
    right = checker().check(PLAN, AUDIENCE, repo="api")
    assert [one.what for one in told.unknowns] == ["There is no repository “apy”; the nearest is api."]
    assert told.checks == right.checks


def test_the_same_plan_gets_the_same_answer() -> None:
    made: PlanChecker = checker()
    first, second = (made.check(PLAN, AUDIENCE) for _ in range(2))
    assert (first.sources, first.checks, first.unknowns) == (second.sources, second.checks, second.unknowns)
