"""Answers to whether something has arrived: plain sentences with the environment as their source."""

from dataclasses import dataclass, field, replace

import pytest

from core.errors import BadQuery, IndexUnusable
from core.probes.standing import DeployedState, Standing
from core.types import NullMetrics
from review.answer import Answerer
from review.budget import Budget
from review.service import Models
from tests.review.cases import LABELS
from tests.review.fakes import AUDIENCE, NOW, POLICY, Index, evidence
from tests.review.standings import standing
from tests.review.test_answer import written

TICKET = replace(
    evidence("jira:10007", "Accounts are locked after five attempts at signing in."),
    kind="ticket",
    attributes={"key": "SHOP-7"},
)
COMMIT = replace(evidence(f"git:shop@{'c' * 40}", "Accounts are locked in the sign-in service."), kind="commit")


@dataclass
class Environments:
    """Tells the same of everything that is asked."""

    standings: tuple[Standing, ...] = ()
    notes: tuple[str, ...] = ()
    known: tuple[str, ...] = ("staging", "production")
    asked: list[dict[str, object]] = field(default_factory=list)

    def environments(self, audience):
        return self.known if audience.labels >= LABELS else ()

    def state(self, audience, **subject):
        named = {name: value for name, value in subject.items() if value is not None}
        self.asked.append(named)
        if named.get("commit") == "0" * 9 + "bad":
            raise BadQuery("no commit")
        return DeployedState(self.standings, self.notes)


BOTH = (
    standing("staging", "yes", "The work of SHOP-7 in shop"),
    standing("production", "no", "The work of SHOP-7 in shop"),
)


def answered(question, environments, *, model=None, index=None, audience=AUDIENCE):
    return Answerer(
        index or Index([POLICY, TICKET]),
        lambda _: [],
        models=Models(model) if model else None,
        clock=lambda: NOW,
        metrics=NullMetrics(),
        budget=Budget(seconds=5),
        deployments=environments,
    ).answer(question, audience)


@pytest.fixture
def audience():
    return replace(AUDIENCE, labels=AUDIENCE.labels | LABELS)


def test_without_a_model_it_is_a_plain_sentence_with_its_source(audience):
    environments = Environments(BOTH)
    answer = answered("Is SHOP-7 deployed?", environments, audience=audience)
    assert environments.asked == [{"ticket": "SHOP-7"}]
    first, second = answer.statements[:2]
    assert first.text == "The work of SHOP-7 in shop is on staging since 2026-03-02 09:10 UTC."
    assert second.text.startswith("The work of SHOP-7 in shop is not on production yet: 2 commits stand between")
    reference = answer.references[first.sources[0] - 1]
    assert (reference.kind, reference.cited.locator.url) == ("deployment", "https://deploy.example/staging")
    assert {"deployed:staging", "deployed:production"} <= answer.rests_on & answer.read_live


def test_only_the_environment_that_is_named_is_told(audience):
    answer = answered("Has SHOP-7 reached production?", Environments(BOTH), audience=audience)
    assert [one.text for one in answer.statements if "staging" in one.text] == []
    assert "not on production yet" in answer.statements[0].text


@pytest.mark.parametrize(
    "question",
    [
        "Is SHOP-7 on staging?",
        "When was SHOP-7 released?",
        "SHOP-7: is it there yet?",
        "Ist SHOP-7 schon ausgerollt?",
        "Ist SHOP-7 auf production?",
        "In which environment is SHOP-7?",
    ],
)
def test_what_asks_for_it(question, audience):
    environments = Environments(BOTH)
    answered(question, environments, audience=audience)
    assert environments.asked == [{"ticket": "SHOP-7"}]


@pytest.mark.parametrize(
    "question",
    ["What does SHOP-7 say of attempts?", "How long is a voucher valid?", "What is the staging database called?"],
)
def test_what_does_not_ask_for_it_costs_no_reading(question, audience):
    environments = Environments(BOTH)
    answer = answered(question, environments, audience=audience)
    assert environments.asked == []
    assert not any("is on staging" in one.text for one in answer.statements)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Is commit 4f2a91c0d deployed?", {"commit": "4f2a91c0d"}),
        ("Is acme/shop#7 deployed?", {"pull": 7, "repo": "shop"}),
        ("Which version runs on staging?", {}),
    ],
)
def test_commits_pull_requests_and_environments_are_asked_for(question, asked, audience):
    environments = Environments(BOTH)
    answered(question, environments, audience=audience)
    assert environments.asked == [asked]


@pytest.mark.parametrize(
    ("found", "asked"), [(TICKET, {"ticket": "SHOP-7"}), (COMMIT, {"commit": "c" * 40, "repo": "shop"}), (POLICY, None)]
)
def test_where_nothing_is_named_what_was_found_first_is_asked_for(found, asked, audience):
    environments = Environments(BOTH)
    answered("Is the locking of accounts live?", environments, index=Index([found]), audience=audience)
    assert environments.asked == ([asked] if asked is not None else [])


def test_what_could_not_be_read_and_what_is_not_there_are_unknowns(audience):
    answer = answered(
        "Is SHOP-7 on staging?",
        Environments(
            (standing("staging", "unknown", "The work of SHOP-7"),), ("The work of SHOP-7 was not found in x.",)
        ),
        audience=audience,
    )
    told = {one.what: one.settled_by for one in answer.unknowns}
    unread = "Whether the work of SHOP-7 is on staging is not known: it could not be read (no answer within 5 s)."
    assert told[unread] == "Asking again later."
    assert told["The work of SHOP-7 was not found in x."]
    assert "deployed:staging" not in answer.rests_on


def test_whoever_may_know_of_no_environment_is_asked_nothing():
    environments = Environments(BOTH)
    narrow = replace(AUDIENCE, labels=AUDIENCE.labels - LABELS)
    assert environments.environments(narrow) == ()
    with_none = answered("Is SHOP-7 on staging?", environments, audience=narrow)
    without = answered("Is SHOP-7 on staging?", None, audience=narrow)
    assert environments.asked == []
    assert (with_none.statements, with_none.unknowns) == (without.statements, without.unknowns)


def test_a_standing_beyond_the_audience_is_not_told(audience):
    hidden = tuple(replace(one, labels=frozenset({"ops"})) for one in BOTH)
    answer = answered("Is SHOP-7 deployed?", Environments(hidden), audience=audience)
    assert not any("SHOP-7 in shop" in one.text for one in answer.statements)


def test_an_index_out_of_use_hides_no_environment(audience):
    broken = Index([])
    broken.error = IndexUnusable("closed")
    answer = answered("Is SHOP-7 deployed?", Environments(BOTH), index=broken, audience=audience)
    assert answer.statements[0].text.startswith("The work of SHOP-7 in shop is on staging")


def test_what_is_no_identifier_is_passed_over(audience):
    answer = answered("Is commit 000000000bad deployed?", Environments(BOTH), audience=audience)
    assert not any("SHOP-7 in shop" in one.text for one in answer.statements)


def test_a_model_is_shown_it_and_cites_it(audience):
    model, asked = written(("The work of SHOP-7 is on staging.", ["S3", "S1", "S2"]))
    answer = answered("Is SHOP-7 deployed?", Environments(BOTH), model=model, audience=audience)
    assert "is on staging since 2026-03-02 09:10 UTC" in str(asked[0][0])
    assert any(one.kind == "deployment" for one in answer.references)
