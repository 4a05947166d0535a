"""What a check of a plan tells, and when it tells nothing."""

from typing import Any

import pytest

from core.errors import BadQuery
from core.probes.standing import DeployedState, Standing
from core.schema.types import SchemaHistory, Step, Touched
from core.types import Audience, Locator
from review.plan.check import PlanChecker
from review.plan.errors import BadPlan
from review.plan.types import LONGEST, MOST_CHECKS, MOST_SOURCES, PlanReview
from review.types import Priority
from tests.review.plan.world import (
    AUDIENCE,
    BUG,
    HIDDEN,
    KNOWING,
    NOW,
    OLD,
    OPEN,
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


def test_without_time_nothing_further_is_begun_and_it_is_said() -> None:
    review = checker(seconds=0.0).check(PLAN, AUDIENCE)
    said = " ".join(one.what for one in review.unknowns)
    assert "The history of src/accounts.py was not read: there was no time left" in said
    assert "Limits and policies were not looked at: no time was left" in said
    assert not review.checks


class Environments:
    def state(
        self, audience: Audience, *, commit: str | None = None, ticket: str | None = None, seconds: float | None = None
    ) -> DeployedState:
        del commit, seconds
        where = Locator("deployed:prod", "production", "https://deploy.example")
        says = (f"{ticket} is not on production yet.",)
        common: dict[str, Any] = {"repo": "api", "remarks": (), "labels": OPEN, "locator": where, "read_at": NOW}
        one = Standing(probe="prod", environment="production", contained="no", says=says, **common)
        failed = "no answer within 5 s"
        broken = Standing(probe="stage", environment="staging", contained="unknown", says=(), unread=failed, **common)
        return DeployedState((one, broken)) if audience.may_read(OPEN) else DeployedState()


def test_work_that_is_not_deployed_is_told() -> None:
    review = checker(Index([]), deployments=Environments()).check("Build on what SHOP-97 brought.", AUDIENCE)
    (check,) = review.checks
    assert check.category == "deployed or migrated"
    assert "production" in check.statement
    assert [one.what for one in review.unknowns] == [
        "What staging runs of api could not be read: no answer within 5 s."
    ]


MIGRATION = passage("git:api:db/V3.sql", "code", "db/V3.sql", "ALTER TABLE account ADD COLUMN locked_at timestamptz;")


class Databases:
    def histories(self, _audience: Audience) -> tuple[SchemaHistory, ...]:
        touched = (Touched("account", "locked_at", "made"),)
        step = Step("V3", "account locked at", "pending", touched=touched, locator=MIGRATION.locator)
        done = Step("V2", "other", "applied", touched=touched, locator=MIGRATION.locator)
        history = SchemaHistory("main", "production", "flyway", "api", NOW, OPEN, (done, step))
        return (
            history,
            SchemaHistory("other", "staging", "flyway", "api", NOW, OPEN, unread="it refused the password"),
        )


def test_a_pending_migration_of_a_named_column_is_told() -> None:
    made = checker(Index([MIGRATION]), schema=Databases())
    review = made.check("Read account.locked_at in the sign-in page.", AUDIENCE)
    (check,) = [one for one in review.checks if one.category == "deployed or migrated"]
    assert "Migration V3 “account locked at” is not applied yet on main (production)" in check.statement
    assert check.evidence[0].quote == MIGRATION.text
    assert any("other is migrated could not be read" in one.what for one in review.unknowns)
    assert not made.check("Make the sign-in page of an account faster.", AUDIENCE).checks


def test_a_branch_is_searched_before_the_baseline() -> None:
    index = Index()
    checker(index).check(PLAN, AUDIENCE, repo="api", branch="feature/lock")
    first, second = (query.filters for query in index.queries[:2])
    assert (first.branch, first.repos, second.branch) == ("feature/lock", frozenset({"api"}), None)


def test_the_same_plan_gets_the_same_answer() -> None:
    made: PlanChecker = checker()
    first, second = (made.check(PLAN, AUDIENCE) for _ in range(2))
    assert (first.sources, first.checks, first.unknowns) == (second.sources, second.checks, second.unknowns)
