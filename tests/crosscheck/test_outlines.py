"""The reply as a product owner reads it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bots.outline import Bullets, Link
from bots.plain import plain
from core.types import Audience, Freshness, Locator
from crosscheck import outlines
from review.types import Cited, Priority, Unknown
from tests import fakes

ORG = Audience(frozenset({"org"}))


def text(review, sources=(), asked=fakes.START):
    return plain(outlines.review_outline(review, sources, asked=asked))


def test_the_first_line_is_the_verdict():
    one = fakes.finding("d:1", "five", ["org"])
    findings = (replace(one, priority=Priority.P0), one, one)
    assert outlines.verdict(fakes.review(ORG, *findings)) == (
        "PAY-1: 3 points to settle: 1 P0 (stops the work), 2 P1 (answer before work starts)."
    )


def test_nothing_found_never_hides_what_was_not_checked():
    unknown = Unknown("A picture was not read.", "A description of it.")
    review = replace(fakes.review(ORG), unknowns=(unknown,))
    assert "could not be checked; they are listed" in outlines.verdict(review)
    assert "A picture was not read. What would settle it: A description of it." in text(review)


def test_a_finding_has_its_priority_reason_question_and_links():
    said = text(fakes.review(ORG, fakes.finding("d:1", "five tries", ["org"])))
    for part in ("1. P1: conflict", "It says five tries.", "Why it matters:", "Question:", "<http://x/d:1>"):
        assert part in said


def test_a_source_is_named_once_with_all_that_is_quoted_from_it():
    where = Locator("d:1", "Policy", "http://x/1")
    other = Locator("d:2", "Ticket", "http://x/2")
    cited = tuple(
        Cited(locator, frozenset({"org"}), quote) for locator, quote in ((where, "a"), (other, "b"), (where, "c"))
    )
    finding = replace(fakes.finding("d:1", "five", ["org"]), evidence=cited)
    (sources,) = [
        block
        for block in outlines.review_outline(fakes.review(ORG, finding), (), asked=fakes.START)
        if isinstance(block, Bullets) and isinstance(block.items[0][0], Link)
    ]
    assert [span.text for item in sources.items for span in item] == ["Policy", ": “a”; “c”", "Ticket", ": “b”"]


def test_an_absence_says_what_was_looked_for():
    cited = (Cited(Locator("d:1", "PAY-1", "http://x/1"), frozenset({"org"}), looked_for="acceptance criteria"),)
    said = text(fakes.review(ORG, replace(fakes.finding("d:1", "", ["org"]), evidence=cited)))
    assert "looked for acceptance criteria, found none" in said


def test_a_source_without_an_address_is_no_link():
    cited = (Cited(Locator("d:1", "commit 12ab", ""), frozenset({"org"}), "x"),)
    said = text(fakes.review(ORG, replace(fakes.finding("d:1", "", ["org"]), evidence=cited)))
    assert "- commit 12ab: “x”" in said


@pytest.mark.parametrize(("minutes", "late"), [(5, False), (29, False), (31, True), (60 * 26, True)])
def test_a_late_answer_says_so(minutes, late):
    review = fakes.review(ORG)
    assert ("late by" in text(review, asked=review.at - timedelta(minutes=minutes))) is late


def test_freshness_is_said_by_source_and_staleness_too():
    review = fakes.review(ORG)
    sources = (
        Freshness("jira", 7, review.at - timedelta(hours=3), stale=False),
        Freshness("wiki", 7, review.at - timedelta(days=2), stale=True),
        Freshness("api", 0, None, stale=True),
    )
    said = text(review, sources)
    assert "Read 3 hours ago: jira." in said
    assert "Read 2 days ago (stale: should have been read again since): wiki." in said
    assert "api: never read completely." in said


def test_a_failure_says_why_and_what_to_do():
    said = plain(outlines.failure("Jira does not answer.", 5))
    assert "Jira does not answer." in said
    assert "tried 5 times" in said
    assert "in a new comment" in said
