"""What is told of environments and databases: contradictions that the plan rests on, and nothing else."""

from dataclasses import replace

import pytest

from core.probes.standing import Contained, DeployedState, Standing
from core.schema.types import SchemaHistory, State, Step, Touched
from core.types import Audience, Locator
from review.plan.types import PlanReview
from review.types import Priority
from tests.review.plan.world import AUDIENCE, NOW, OPEN, Index, checker, passage

FIRST = passage(
    "git:api@abc1234567",
    "commit",
    "SHOP-97 Passes",
    "SHOP-97 Passes",
    attributes={"paths": "src/passes.py"},
)


def standing(environment: str, contained: Contained, name: str) -> Standing:
    """As an environment tells of a piece of work."""
    return Standing(
        probe=environment,
        environment=environment,
        repo="api",
        contained=contained,
        says=(f"{name} is {'' if contained == 'yes' else 'not '}on {environment} yet.",)
        if contained != "unknown"
        else (),
        remarks=(),
        labels=OPEN,
        locator=Locator(f"deployed:{environment}", environment, "https://deploy.example"),
        read_at=NOW,
        unread="no answer within 5 s" if contained == "unknown" else "",
    )


class Environments:
    """Staging runs everything and production nothing; SHOP-404 is in no commit, SHOP-1 is everywhere."""

    def __init__(self, staging: Contained = "yes", production: Contained = "no", commit: str = "") -> None:
        self.of = {"staging": staging, "production": production}
        self.commit = commit
        self.asked: list[str] = []

    def environments(self, audience: Audience) -> tuple[str, ...]:
        return tuple(self.of) if audience.may_read(OPEN) else ()

    def state(
        self,
        audience: Audience,
        *,
        repo: str | None = None,
        commit: str | None = None,
        ticket: str | None = None,
        pull: int | None = None,
        seconds: float | None = None,
    ) -> DeployedState:
        del seconds
        name = ticket or commit or f"{repo}#{pull}"
        self.asked.append(name)
        if name == "SHOP-404" or not audience.may_read(OPEN):
            return DeployedState()
        everywhere: dict[str, Contained] = dict.fromkeys(self.of, "yes")
        where = everywhere if name == "SHOP-1" else self.of
        every = (standing(environment, contained, name) for environment, contained in where.items())
        return DeployedState(tuple(replace(one, commit=self.commit) for one in every))


def of_deployed(plan: str, environments: Environments | None = None, branch: str | None = None) -> PlanReview:
    made = checker(Index([FIRST]), deployments=environments or Environments())
    return made.check(plan, AUDIENCE, repo="api", branch=branch)


@pytest.mark.parametrize(
    ("plan", "name"),
    [
        ("Now that SHOP-97 is live, remove the form for new passwords.", "SHOP-97"),
        ("SHOP-97: remove the old form. SHOP-97 is in production since May.", "SHOP-97"),
        ("The page is new. It builds on SHOP-97 and its queue.", "SHOP-97"),
        ("Remove the form, since PR 12 has been out for a week.", "pull request 12"),
        ("It depends on abc1234567, which brought the queue.", "abc1234567"),
        ("Die Seite baut auf SHOP-97 auf.", "SHOP-97"),
        ("Patch src/passes.py on production by hand.", "src/passes.py"),
    ],
)
def test_work_that_a_plan_rests_on_is_told_where_people_use_it(plan: str, name: str) -> None:
    (check,) = of_deployed(plan).checks
    assert (check.category, check.priority) == ("deployed or migrated", Priority.P1)
    assert check.statement.startswith(f"The plan rests on {name} (")
    assert "which is not on production." in check.statement
    assert [one.locator.document_id for one in check.evidence] == ["deployed:production"]


@pytest.mark.parametrize(
    "plan",
    [
        "SHOP-97: a clock in the basket. See also SHOP-98.",
        "SHOP-97: it builds on what SHOP-97 asks for.",
        "Now that SHOP-1 is live, remove the form.",
        "It builds on SHOP-404.",
        "It builds on SHOP-97, so it is released after that.",
        "It builds on SHOP-97. SHOP-97 is not on production yet.",
        "Is SHOP-97 live?",
        "Now that SHOP-97 is live on staging, test it there.",
        "Change src/passes.py and its test.",
    ],
)
def test_what_a_plan_carries_out_or_knows_is_not_told(plan: str) -> None:
    assert not of_deployed(plan).checks


def test_the_branch_tells_which_ticket_is_its_own() -> None:
    assert not of_deployed("It builds on SHOP-97 and its queue.", branch="feature/shop-97-clock").checks


def test_work_that_is_partly_there_is_told_where_instances_differ() -> None:
    plan = "Now that SHOP-97 is live, remove the form."
    later = Environments(production="partly", commit="1" * 40)
    differing = Environments(production="partly", commit=f"{'1' * 40}, {'2' * 40}")
    assert not of_deployed(plan, later).checks
    assert "only partly on production" in of_deployed(plan, differing).checks[0].statement


def test_an_environment_that_could_not_be_read_is_an_unknown() -> None:
    review = of_deployed("Now that SHOP-97 is live, remove the form.", Environments(production="unknown"))
    assert not review.checks
    assert [one.what for one in review.unknowns] == [
        "What production runs of api could not be read: no answer within 5 s."
    ]


MADE = passage("git:api:db/V1__voucher.sql", "code", "V1", "CREATE TABLE voucher (\n    sold date\n);")
ADDED = passage("git:api:db/V3__locked.sql", "code", "V3", "-- since\nALTER TABLE account ADD COLUMN locked_at text;")


class Databases:
    """`voucher` is made on staging alone; of `locked_at` production is told in the given state."""

    def __init__(self, state: State = "edited") -> None:
        self.state = state

    def histories(self, audience: Audience) -> tuple[SchemaHistory, ...]:
        made = (Touched("voucher", how="made"), Touched("voucher", "sold", "made"))
        column = (Touched("account", "locked_at", "made"), Touched("account"))
        on_staging = (
            Step("V1", "voucher", "applied", touched=made, tickets=("SHOP-3",), locator=MADE.locator),
            Step("V3", "locked", "applied", touched=column, tickets=("SHOP-3",), locator=ADDED.locator),
        )
        on_production = (replace(on_staging[0], state="pending"), replace(on_staging[1], state=self.state))
        if not audience.may_read(OPEN):
            return ()
        return (
            SchemaHistory("a", "staging", "flyway", "api", NOW, OPEN, on_staging),
            SchemaHistory("b", "production", "flyway", "api", NOW, OPEN, on_production),
            SchemaHistory("c", "test", "flyway", "api", NOW, OPEN, unread="it refused the password"),
        )


def of_migrated(plan: str, databases: Databases | None = None) -> PlanReview:
    return checker(Index([MADE, ADDED]), schema=databases or Databases()).check(plan, AUDIENCE)


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        ("Report: read voucher.sold each month.", "migration V1 “voucher” is not applied yet on production of api"),
        ("Report: SELECT sold FROM voucher.", "migration V1 “voucher” is not applied yet on production of api"),
        ("Fill the table voucher from the old system.", "migration V1 “voucher” is not applied yet"),
        ("Show locked_at in the list.", "migration V3 “locked” was changed after it had been applied on production"),
        ("Add a column to db/V3__locked.sql.", "The plan changes migration V3 “locked”, which is applied on staging"),
        (
            "--- a/db/V3__locked.sql\n+++ b/db/V3__locked.sql\n@@ -1 +1 @@\n-a\n+b\n",
            "The plan changes migration V3 “locked”, which is applied on staging of api, production of api already.",
        ),
    ],
)
def test_what_is_not_migrated_as_the_plan_takes_it_is_told(plan: str, says: str) -> None:
    review = of_migrated(plan)
    (check,) = [one for one in review.checks if one.category == "deployed or migrated"]
    assert says in check.statement
    assert check.evidence[0].quote in {"CREATE TABLE voucher (", "ALTER TABLE account ADD COLUMN locked_at text;"}
    assert any("c is migrated could not be read: it refused the password" in one.what for one in review.unknowns)


@pytest.mark.parametrize(
    "plan",
    [
        "Redeem a voucher when the account is paid.",
        "SHOP-3: SELECT sold FROM voucher.",
        "SELECT sold FROM voucher on staging.",
        "SELECT sold FROM voucher, once V1 is applied.",
        "A new migration beside db/V3__locked.sql adds an index to the column email of account.",
        "db/V3__locked.sql is not changed.",
    ],
)
def test_a_plan_that_does_not_rest_on_it_is_left_alone(plan: str) -> None:
    assert not of_migrated(plan).checks


@pytest.mark.parametrize(("state", "priority"), [("failed", Priority.P1), ("pending", Priority.P2)])
def test_a_failed_migration_is_more_urgent_than_one_that_waits(state: State, priority: Priority) -> None:
    (check,) = of_migrated("Show locked_at in the list.", Databases(state)).checks
    assert check.priority == priority


def test_an_audience_that_may_not_know_of_databases_hears_nothing() -> None:
    strangers = Audience(frozenset({"other"}))
    made = checker(Index([MADE, ADDED], leaking=True), schema=Databases(), deployments=Environments())
    assert made.check("Now that SHOP-97 is live, read voucher.sold.", strangers).nothing_new
