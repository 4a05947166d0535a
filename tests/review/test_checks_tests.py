"""Tests and test records against the ticket."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.types import Evidence, Locator
from review.checks.contradicted_by_tests import check
from review.types import Priority
from tests.review.cases import LABELS, NOW, START, assert_cited, case, change, ticket
from tests.review.pull_cases import Heads, pull, pulled

LOCK = ticket("Lock an account", "After 8 failed sign-in attempts the account is locked.")


def found(kind, title, text, *, path="", status="", updated=START):
    identity = f"git:shop:{path}" if path else f"qa:records:{title}"
    return Evidence(
        f"{identity}#0",
        identity,
        "source",
        kind,
        text,
        f"{title} account",  # the shelf finds by whole words, an index by the words of a name
        Locator(identity, title, f"https://x.example/{len(title)}"),
        LABELS,
        updated,
        1.0,
        "hybrid",
        {"status": status, "type": "test case"},
    )


def record(text, **more):
    return found("qa", "TC-12 Account lock", text, **more)


def code(text, path="tests/test_lock.py"):
    return found("code", path, text, path=path)


CATCHES = {
    "record": record("## Expected\n\nAfter 5 failed sign-in attempts the account is locked."),
    "name of a test": code("def test_account_is_locked_after_five_failed_attempts():\n    ..."),
    "title of a test": code('it("locks the account after 5 failed attempts", () => {', "web/lock.test.ts"),
    "test of Java": code("  void testAccountIsLockedAfterFiveFailedAttempts() {", "src/test/LockTest.java"),
}
FINE = {
    "record agrees": record("After 8 failed sign-in attempts the account is locked."),
    "test agrees": code("def test_account_is_locked_after_eight_failed_attempts(): ..."),
    "other side of the limit": code("def test_account_is_not_locked_after_five_failed_attempts(): ..."),
    "just below": code("def test_account_is_open_after_seven_failed_attempts(): ..."),
    "no test": code("def account_is_locked_after_five_failed_attempts(): ...", "src/lock.py"),
    "another matter": code("def test_mail_is_sent_after_five_failed_deliveries(): ..."),
    "an input": record("Enter a wrong password 5 times on the sign-in page of the account."),
}


@pytest.mark.parametrize("name", CATCHES)
def test_catches(name):
    subject = case(LOCK, CATCHES[name])
    checked = check(subject)
    assert [finding.priority for finding in checked.findings] == [Priority.P2]
    assert_cited(subject, checked, [CATCHES[name]])


@pytest.mark.parametrize("name", FINE)
def test_leaves_alone(name):
    assert not check(case(LOCK, FINE[name])).findings


def test_the_purpose_of_a_change_is_no_contradiction():
    subject = ticket("Lock later", "Raise the limit from 5 to 8 failed sign-in attempts until the account is locked.")
    assert not check(case(subject, CATCHES["name of a test"])).findings


def test_a_value_that_the_ticket_states_elsewhere():
    subject = replace(LOCK, description=f"{LOCK.description} After 5 failed attempts a warning is shown.")
    assert not check(case(subject, CATCHES["name of a test"])).findings


def test_a_test_that_the_pull_request_changes():
    path = "tests/test_lock.py"
    heads = Heads({path: "+def test_account_is_locked_after_five_failed_attempts():"})
    subject = pulled(LOCK, pull(files=[path]), heads=heads)
    checked = check(subject)
    assert len(checked.findings) == 1
    assert_cited(subject, checked, heads.given)


DONE = ticket("Print the slip", "Text.", key="PS-1", done=True, history=[change("status", "Open", "Done", 10)])
LATER, EARLIER = START + timedelta(days=12), START + timedelta(days=3)
OF_IT = "Print the slip. Test case. Latest result: {} on 2026-03-14. Runs: 1.\n\nTickets: PS-1"


def test_a_record_that_failed_after_the_ticket_was_done():
    failing = record(OF_IT.format("failed"), status="failed", updated=LATER)
    checked = check(case(DONE, failing))
    assert [finding.priority for finding in checked.findings] == [Priority.P1]
    assert_cited(case(DONE), checked, [failing])


@pytest.mark.parametrize(
    ("subject", "text", "status", "updated"),
    [
        (DONE, OF_IT.format("passed"), "passed", LATER),
        (DONE, OF_IT.format("failed").replace("PS-1", "PS-10"), "failed", LATER),
        (DONE, OF_IT.format("failed"), "failed", EARLIER),
        (ticket("Print the slip", "Text.", key="PS-1"), OF_IT.format("failed"), "failed", NOW),
    ],
)
def test_a_record_that_says_nothing_against_it(subject, text, status, updated):
    assert not check(case(subject, record(text, status=status, updated=updated))).findings


def test_a_record_that_failed_before_is_an_unknown():
    checked = check(case(DONE, record(OF_IT.format("failed"), status="failed", updated=EARLIER)))
    assert len(checked.unknowns) == 1
    assert checked.sources
