"""Where work runs, as reviews, drafts of test cases and answers of the whole product tell it."""

import time
from contextlib import closing

import pytest
from pydantic import SecretStr

from core.types import Audience
from crosscheck.demo_settings import deployed_text, probes
from crosscheck.operations import Local
from crosscheck.wiring import Program
from evals.playground import Unindexed
from sandbox.load import load_company
from tests.crosscheck.live import at_work, opened, quick, text_of
from tests.fakes import Tally

TICKET = "GATE-49"
READERS = "jira:GATE,jira:BKG,repo:booking-api,repo:gate-app"
STANDS = {
    "Pull request 19 of booking-api": "not on production yet, on staging since 2026-09-01 07:30 UTC",
    "Pull request 5 of gate-app": "not on production yet, on staging since 2026-08-12 07:00 UTC",
}
WHOLE = 8.0
"""Seconds that are the most which environments may take of a review."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The company, with settings that name its environments and databases."""
    with opened(load_company(), tmp_path_factory.mktemp("told")) as company:
        databases = company.file.parent / "databases"
        databases.mkdir()
        with company.file.open("a", encoding="utf-8") as file:
            file.write(deployed_text(company.box, databases))
        tokens = {name: SecretStr(company.box.version_token) for name in probes(company.box)}
        company.secrets = company.secrets.model_copy(update={"probe_tokens": tokens})
        yield company


@pytest.fixture(scope="module")
def live(made):
    with at_work(made.box, Program(quick(made.settings), made.secrets, metrics=Tally())) as running:
        yield running


def run(live, operation, **arguments):
    return Local(live.program).run(operation, {**arguments, "audience": READERS}, lambda _message: None)


def test_a_review_says_where_the_work_runs_and_is_posted(live):
    """Delivery looks at the labels of all that a reply rests on, of what runs where as well, right before it posts."""
    asked = live.ask(TICKET)
    told = text_of(live.answer(TICKET, asked)["body"])
    for name, stands in STANDS.items():
        assert f"the {name[:1].lower()}{name[1:]} is merged but {stands}." in told
        assert f"“{name} is on staging”" in told
        assert f"“{name} is not on production yet”" in told
    (post,) = live.settled(asked).posts
    rests_on = {document for document in post.payload["rests_on"] if document.startswith("deployed:")}
    assert rests_on == {f"deployed:{name}" for name in probes(live.box)}
    assert live.program.sources.labels_now(rests_on) == {
        one: frozenset({"repo:booking-api" if "booking" in one else "repo:gate-app"}) for one in rests_on
    }
    assert live.program.sources.labels_now({"deployed:elsewhere"}) == {"deployed:elsewhere": None}


def test_a_draft_of_test_cases_says_where_to_test(live):
    told = run(live, "test_cases", key=TICKET, form=None)["reply"]
    for name, stands in STANDS.items():
        assert f"Where to test: {name[:1].lower()}{name[1:]} is merged, {stands}." in told


def test_whether_it_is_there_is_answered(live):
    answer = run(live, "ask", text=f"Is {TICKET} on production?")
    first, second = (statement["text"] for statement in answer["statements"][:2])
    assert first.startswith(f"The work of {TICKET} in booking-api is not on production yet: 2 commits stand between")
    assert second.startswith(f"The work of {TICKET} in gate-app is not on production yet: 3 commits stand between")
    assert "staging" not in first + second


def test_which_version_runs_is_answered(live):
    answer = run(live, "ask", text="Which version of gate-app is on production?")
    assert any(one["text"].startswith("production runs 2.3.0 (commit fe2217103e20)") for one in answer["statements"])


def test_who_may_not_read_a_repository_hears_nothing_of_where_it_runs(live):
    for label in ("jira:GATE", "repo:gate-app"):
        audience = Audience(frozenset({"jira:GATE", "jira:BKG", label}))
        answer = live.program.answerer.answer(f"Is {TICKET} on production?", audience)
        assert "booking-api is" not in " ".join(one.text for one in answer.statements)


def reviewed(made, data):
    """A review by a program that has read no environment yet, and the seconds that it took."""
    program = Unindexed(quick(made.settings, data=data), made.secrets, metrics=Tally())
    with closing(program):
        began = time.monotonic()
        return program.reviewer.review(TICKET, program.audiences.named(READERS)), time.monotonic() - began


def test_an_environment_that_hangs_delays_a_review_by_its_bound_and_is_an_unknown(made, tmp_path):
    _, without = reviewed(made, tmp_path / "well")
    made.box.faults.add("GET", "^/production/", "hang", 1000)
    review, seconds = reviewed(made, tmp_path / "hanging")
    made.box.faults.clear()
    assert seconds < without + WHOLE
    told = [one.what for one in review.unknowns if "production" in one.what]
    assert told == [
        f"{name}: Whether it is on production is not known: it could not be read (no answer within 5 s)."
        for name in STANDS
    ]
    stands = [say for pull in review.pulls for say in pull.says if say.startswith("It is on staging since")]
    assert len(stands) == len(STANDS)
    assert not [one for one in review.findings if one.rule == "not-deployed"]
