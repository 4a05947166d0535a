"""A review says where a merged pull request runs, rests on what told it, and says what could not be read."""

from dataclasses import replace

from core.pulls.types import Gap
from core.types import NullMetrics
from review.service import Reviewer
from tests.review.fakes import AUDIENCE, NOW, WORDS, PullTexts, World, conflict_rule, rule
from tests.review.pull_cases import pull
from tests.review.standings import on


def reviewed(snapshot):
    world = World()
    return Reviewer(
        world.tickets,
        world.index,
        lambda _: (),
        rules=[rule(conflict_rule)],
        words=WORDS,
        clock=lambda: NOW,
        metrics=NullMetrics(),
        pulls=PullTexts((snapshot,)),
    ).review("SHOP-1", AUDIENCE)


def test_where_it_runs_is_said_with_the_pull_request_and_the_review_rests_on_it():
    review = reviewed(on(pull(state="merged"), staging="yes", production="no"))
    (seen,) = review.pulls
    assert "It is on staging since 2026-03-02 09:00 UTC, not on production yet." in seen.says
    assert {"deployed:staging", "deployed:production"} <= review.rests_on & review.read_live


def test_what_could_not_be_read_is_an_unknown():
    snapshot = on(pull(state="merged", gaps=["Whether it is on test is not known."]), test="unknown")
    review = reviewed(snapshot)
    assert snapshot.gaps == (Gap("Whether it is on test is not known.", "A new try."),)
    told = {one.what: one.settled_by for one in review.unknowns}
    assert told["Pull request 7 of shop: Whether it is on test is not known."] == "A new try."


def test_a_standing_beyond_the_audience_is_no_evidence():
    """Whoever finds pull requests gives none of these; if it did, nothing would be cited."""
    snapshot = on(pull(state="merged"), staging="yes")
    hidden = tuple(replace(one, labels=frozenset({"ops"})) for one in snapshot.standings)
    review = reviewed(replace(snapshot, standings=hidden))
    assert "It is on staging" not in str(review.pulls)
    assert not any(document.startswith("deployed:") for document in review.rests_on)
