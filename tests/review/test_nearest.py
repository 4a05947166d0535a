"""What comes nearest to a question that nothing answers."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.types import Evidence
from review.nearest import NEAREST, nearest
from tests.review.fakes import evidence, locator


def titled(number: int, title: str, chunk: int = 0) -> Evidence:
    one = evidence(f"wiki:{number}", "Text.")
    return replace(one, id=f"wiki:{number}#{chunk}", locator=locator(f"wiki:{number}", title))


def titles(question: str, *found: Evidence) -> list[str]:
    return [one.locator.title for one in nearest(question, found)]


def test_titles_with_most_of_the_question_s_words_come_first():
    found = (
        titled(1, "Refunds"),
        titled(2, "Opening hours"),
        titled(3, "Refunds of vouchers"),
        titled(1, "Refunds", 1),
    )
    assert titles("How are vouchers refunded?", *found) == ["Refunds of vouchers", "Refunds"]


def test_a_weak_match_is_none():
    assert titles("What are the salary bands of grade seven?", titled(1, "Grade of steel"), titled(2, "Lunch")) == []
    assert titles("???", titled(1, "Refunds")) == []


@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=8))
def test_only_what_was_found_is_named_each_once(question: str, names: list[str]):
    found = [titled(number % 3, name, number) for number, name in enumerate(names)]
    near = nearest(question, found)
    assert len(near) <= NEAREST
    assert len({one.document_id for one in near}) == len(near)
    assert all(one in found for one in near)
