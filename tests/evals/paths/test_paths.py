"""The real paths, through the company's systems on loopback, beside the scripted model."""

import pytest

from evals.paths import paths as ways
from evals.paths.paths import paths
from evals.paths.replies import reply
from evals.paths.using import used
from evals.paths.workplace import workplace
from sandbox.model_replies import Fails, Pace, Structured

FIRST = 0.05
CALLS = {ways.ASK_MODEL: 1, ways.ASK_FILTER: 2, ways.CASES_MODEL: 1, ways.PLAN_MODEL: 2, ways.REVIEW_MODEL: 5}
MALFORMED = {"statements": "none", "findings": "none", "verdicts": "none"}
IN_A_ROW = CALLS | {ways.PLAN_MODEL: 1, ways.REVIEW_MODEL: 3}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    with workplace(tmp_path_factory.mktemp("paths"), Pace(FIRST, 5_000)) as made:
        yield made


def through(place, rule=reply, *, only=None, cases=1):
    chosen = [one for one in paths(place, cases) if only is None or one.name in only]
    found = used(chosen, place.box.model, rule, lambda: 30.0, lambda _: None, rounds=1)
    return {one.path: one for one in found}


def test_every_path_ends_as_it_should_and_its_calls_are_counted(place):
    found = through(place)
    assert [one.failures for one in found.values()] == [()] * 13
    uses = {name: timed[0].use for name, one in found.items() for timed in one.timed.values()}
    assert {name: use.calls for name, use in uses.items() if use.calls} == CALLS
    assert {name: use.in_a_row for name, use in uses.items() if use.calls} == IN_A_ROW
    for use in uses.values():
        assert use.own > 0
        assert use.own + use.model == pytest.approx(use.whole)
        assert use.model >= 1000 * FIRST * use.in_a_row
        assert (use.tokens_in > 500) == (use.tokens_out > 0) == (use.calls > 0)
    (comment,) = found[ways.COMMENT].timed.values()
    assert 0 < (comment[0].acknowledged or 0) < comment[0].use.whole


def test_calls_in_a_row_are_those_that_the_review_tells(place):
    place.box.model.answer_by(reply)
    review = place.asking.reviewer.review("BKG-142", place.readers)
    assert review.numbers["model_requests_in_a_row"] == IN_A_ROW[ways.REVIEW_MODEL]
    assert review.numbers["model_requests"] == CALLS[ways.REVIEW_MODEL]
    assert [one for one in review.findings if one.rule == "model"]


@pytest.mark.parametrize("failing", [Fails(400), Structured(MALFORMED)], ids=["400", "malformed"])
def test_a_model_that_fails_costs_the_paths_that_ask_it(place, failing):
    found = through(place, lambda _request: failing, only={ways.ASK, ways.ASK_MODEL, ways.REVIEW_MODEL})
    assert found[ways.ASK].timed
    for path in (ways.ASK_MODEL, ways.REVIEW_MODEL):
        assert found[path].timed == {}
        assert "Unanswered" in found[path].failures[0].reason
