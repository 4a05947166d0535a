"""How texts are put into requests."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import RerankerUnavailable, RerankerUnusable
from core.model_server import Raised, TooMuch, batches, in_halves

RAISED = Raised(RerankerUnavailable, RerankerUnusable, "The server")
TEXTS = st.lists(st.text("ab", max_size=12), max_size=20)


@given(TEXTS, st.integers(1, 7), st.integers(1, 30))
def test_batches_hold_every_text_once_in_order_and_within_their_bounds(
    texts: list[str], count: int, characters: int
) -> None:
    found = batches(texts, count, characters)
    assert [number for group in found for number in group] == list(range(len(texts)))
    sizes = [sum(len(texts[number]) for number in group) for group in found]
    assert all(0 < len(group) <= count for group in found)
    assert all(size <= characters or len(group) == 1 for size, group in zip(sizes, found, strict=True))
    for group, after, size in zip(found, found[1:], sizes, strict=False):  # the next text did not fit
        assert len(group) == count or size + len(texts[after.start]) > characters


@given(TEXTS, st.integers(1, 9))
def test_halves_change_neither_order_nor_answers(texts: list[str], most: int) -> None:
    def ask(some: Sequence[str]) -> list[int]:
        if len(some) > most:
            raise TooMuch(413)
        return [len(text) for text in some]

    assert in_halves(texts, ask, RAISED) == [len(text) for text in texts]


def test_a_text_that_is_refused_alone_is_said() -> None:
    def ask(some: Sequence[str]) -> list[int]:
        raise TooMuch(422)

    with pytest.raises(RerankerUnusable, match=r"422.*longest"):
        in_halves(["a", "b", "c"], ask, RAISED)
