"""Findings are matched by category and by what they cite, never by their wording; and what the numbers then say."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from core.types import Locator
from evals.planted.matching import judged, within
from evals.planted.scores import scores, share
from evals.planted.types import CATEGORIES, Cite, Gap, Leave, Planted, Reviewed
from review.types import Cited, Finding, Priority

GAP = Gap(
    "30 days, the policy says 14",
    ("conflict",),
    (Cite(("jira:1",), ("30 days",)), Cite(("confluence:7",), ("14 days",))),
)
LEAVE = Leave("Answered", CATEGORIES, (Cite(("jira:1",), ("who pays",)),), answered=True)
PLANTED = Planted("BKG-1", "A number", (GAP,), (LEAVE,))


def cited(document: str, quote: str = "") -> Cited:
    return Cited(Locator(document, document, f"https://wiki.example/{document}"), frozenset(), quote)


def finding(*evidence: Cited, category: str = "conflict", statement: str = "Something.") -> Finding:
    return Finding("model", category, Priority.P1, statement, "Why.", "Which?", evidence)


RIGHT = finding(cited("jira:1", "Paid  within\n30 DAYS."), cited("confluence:7", "within 14 days"))


def test_a_gap_is_found_by_both_its_sides_whatever_the_words() -> None:
    row = judged(PLANTED, Reviewed("BKG-1", (RIGHT, replace(RIGHT, statement="Quite other words."))))
    assert (row.found, row.missed, row.wrong) == ((GAP,), (), ())
    assert len(row.right) == 2


def test_half_a_conflict_another_category_and_the_right_words_are_no_find() -> None:
    half = finding(cited("jira:1", "30 days"), statement=GAP.what)
    other = replace(RIGHT, category="missing rule")
    elsewhere = finding(cited("jira:1", "30 days"), cited("confluence:71", "14 days"))
    row = judged(PLANTED, Reviewed("BKG-1", (half, other, elsewhere)))
    assert (row.found, row.missed) == ((), (GAP,))
    assert [one for one, _ in row.wrong] == [half, other, elsewhere]


def test_a_question_that_has_its_answer_is_counted_as_asked() -> None:
    asked = finding(cited("jira:1:comment:3", "And who pays?"), category="undecided condition")
    row = judged(PLANTED, Reviewed("BKG-1", (RIGHT, asked)))
    assert row.wrong == ((asked, LEAVE),)
    numbers = scores([row])
    assert (numbers.recall.value, numbers.false.value, numbers.answered.value) == (1.0, 0.5, 1.0)
    assert numbers.by_category.keys() == {"conflict"}


def test_what_may_be_told_as_well_counts_for_nothing_when_it_is_missed() -> None:
    also = replace(GAP, demanded=False)
    row = judged(replace(PLANTED, gaps=(also,)), Reviewed("BKG-1", ()))
    assert (row.found, row.missed) == ((), ())
    assert scores([row]).recall.of == 0
    assert judged(replace(PLANTED, gaps=(also,)), Reviewed("BKG-1", (RIGHT,))).wrong == ()


def test_words_of_other_people_s_places_are_noticed_wherever_they_are_shown() -> None:
    row = judged(PLANTED, Reviewed("BKG-1", (), shown="… the Heronwick fares …"), forbidden=["heronwick", "other"])
    assert row.forbidden == ("heronwick",)
    assert scores([row]).forbidden == 1


def test_a_part_of_a_document_is_within_it_and_a_longer_number_is_not() -> None:
    assert within("jira:1:comment:4", "jira:1")
    assert within("confluence:7", "confluence")
    assert not within("jira:12", "jira:1")
    assert not within("git:shop!7", "git:shop")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 4).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))), max_size=30))
def test_an_interval_holds_its_share_and_is_the_same_every_time(pairs: list[tuple[int, int]]) -> None:
    parts, wholes = [part for part, _ in pairs], [of for _, of in pairs]
    told = share(parts, wholes)
    assert (told.part, told.of) == (sum(parts), sum(wholes))
    assert 0 <= told.low <= told.high <= 1
    assert told == share(parts, wholes)
