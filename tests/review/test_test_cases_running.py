"""Drafts say where what is to be tested runs."""

from core.types import NullMetrics
from review.budget import Budget
from review.reading import Reading
from review.test_cases.refine import Additions, next_version
from review.test_cases.running import under_test, where_to_test
from tests.review.cases import AUDIENCE, NOW, ticket
from tests.review.drafts import Shop
from tests.review.pull_cases import Heads, pull
from tests.review.standings import on
from tests.review.test_test_cases import FIXED, Pulls

WISH = ticket("Book for eight", "A booking must take at most 8 passengers.")
MERGED = on(pull(state="merged"), staging="yes", test="no", production="unknown")
WHERE = "pull request 7 of shop is merged, on staging since 2026-03-02 09:00 UTC, not on test yet"


def of(subject, snapshot, **facts):
    shop = Shop({subject.key: subject}, **facts)
    shop.pulls = Pulls(snapshot, Heads({"src/a.py": "+x"}))
    return shop.drafter().draft(subject.key, AUDIENCE)


def test_a_draft_says_first_where_to_test():
    draft = of(WISH, MERGED)
    assert draft.said == (f"Where to test: {WHERE}.",)
    assert {"deployed:staging", "deployed:test"} <= draft.rests_on & draft.read_live


def test_a_fix_is_verified_again_where_it_runs_and_the_cases_cite_that():
    draft = of(FIXED, MERGED)
    assert draft.cases
    for one in draft.cases:
        assert one.preconditions[-1] == f"The version under test holds the fix: {WHERE}."
        cited = {cited.quote for cited in one.sources if cited.locator.document_id.startswith("deployed:")}
        assert cited == {"Pull request 7 of shop is on staging", "Pull request 7 of shop is not on test yet"}


def test_without_environments_nothing_of_them_is_said():
    draft = of(FIXED, pull(state="merged"))
    assert draft.said == ()
    assert all(one.preconditions[-1] == "The version under test holds the fix." for one in draft.cases)
    assert under_test((MERGED, pull(8))) == f"The version under test holds the fix: {WHERE}."


def test_what_is_not_merged_is_said_to_be_so():
    (said,) = where_to_test([on(pull(), staging="no")])
    assert said == "Where to test: pull request 7 of shop is not merged, not on staging yet."
    assert where_to_test([on(pull(state="merged"), staging="unknown"), pull(8)]) == ()


def test_a_case_that_tells_of_an_environment_goes_when_that_is_closed():
    """A later version may be for people who may not know of it."""
    draft = of(FIXED, MERGED)
    reading = Reading(Shop(), Shop(), AUDIENCE, Budget(), NullMetrics())
    closed = frozenset({"deployed:staging", "deployed:test"})
    later = next_version(draft, Additions(), (), closed=closed, reading=reading, at=NOW)
    told = " ".join([*later.said, *(text for one in later.cases for text in one.preconditions)])
    assert "staging" not in told
    assert not later.rests_on & closed
