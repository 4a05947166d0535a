"""The default reranker: hand-computed cases, and texts that hold nothing."""

import time
from collections.abc import Sequence
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.embedding.static import StaticEmbedder
from core.rerank.late import LateInteraction, together

VECTORS = {"lock": (3.0, 0.0), "bolt": (4.0, 3.0), "tree": (0.0, 2.0), "hate": (-5.0, 0.0), "void": (0.0, 0.0)}


class Tokens(StaticEmbedder):
    """Words with vectors that can be reckoned with by hand; others have none."""

    def __init__(self) -> None:
        self.name, self.size, self.learned_terms = "tokens@1", 2, False

    def tokens(self, texts: Sequence[str]) -> list[np.ndarray]:
        known = list(VECTORS)
        numbers = [[known.index(word) for word in text.split() if word in VECTORS] for text in texts]
        return [np.array(some, dtype=np.intp) for some in numbers]

    def vectors_of(self, tokens: np.ndarray) -> np.ndarray:
        return np.array(list(VECTORS.values()), dtype=np.float32)[tokens]


LATE = LateInteraction(Tokens())


def test_each_token_counts_by_its_length_with_its_most_similar() -> None:
    # lock (length 3) and tree (length 2); the cosine of lock and bolt is 0.8, of tree and bolt 0.6
    meaning = LATE.meaning("lock tree", ["lock tree", "tree lock", "bolt", "lock", "bolt tree", "hate", "void"])
    expected = [1, 1, (3 * 0.8 + 2 * 0.6) / 5, 3 / 5, (3 * 0.8 + 2) / 5, -3 / 5, 0]
    assert meaning == pytest.approx(expected, abs=1e-6)


def test_a_repeated_token_counts_once_and_texts_may_be_none() -> None:
    assert LATE.meaning("lock tree lock", ["lock"]) == pytest.approx([3 / 5])
    assert LATE.meaning("lock", []).tolist() == list(LATE.scores("lock door", [])) == []


@pytest.mark.parametrize("question", ["", "nothing known", "void void"])
def test_a_question_without_tokens_has_no_meaning(question: str) -> None:
    assert LATE.meaning(question, ["lock", ""]).tolist() == [0, 0]


def test_an_empty_text_is_like_nothing() -> None:
    assert LATE.meaning("lock", ["", "lock", "unknown"]) == pytest.approx([0, 1, 0])
    assert together("lock door", ["", "lock door"]) == pytest.approx([0, 1])


def test_pairs_count_by_their_commoner_word() -> None:
    texts = ["red lock of the door", "the red door", "lock", "tree"]
    # of four texts two hold each of red, lock and door: each pair weighs alike
    assert together("red lock door", texts) == pytest.approx([1, 0, 0, 0])
    # red is in three now, lock and door in two: the pair of red and lock weighs as red
    rare, common = log(1 + 2.5 / 2.5), log(1 + 1.5 / 3.5)
    texts = ["red lock", "lock door", "red door", "red"]
    assert together("red lock door", texts) == pytest.approx([common / (common + rare), rare / (common + rare), 0, 0])


@pytest.mark.parametrize(("between", "near"), [(0, 1), (6, 1), (7, 0), (50, 0)])
def test_a_pair_stands_within_eight_words_in_either_order(between: int, near: int) -> None:
    filler = " ".join(["tree"] * between)
    assert together("lock door", [f"lock {filler} door", f"door {filler} lock", ""]) == pytest.approx([near, near, 0])


def test_the_nearest_of_many_places_counts() -> None:
    far = " tree" * 20
    assert together("lock door", [f"lock{far} door{far} lock{far} door lock", ""]) == pytest.approx([1, 0])


@pytest.mark.parametrize("question", ["", "lock", "lock lock lock", "?!"])
def test_without_a_pair_nothing_stands_together(question: str) -> None:
    assert together(question, ["lock lock", ""]).tolist() == [0, 0]
    assert together(question, []).tolist() == []


def test_only_the_beginning_of_a_text_is_compared() -> None:
    filler = "x " * 1_500
    assert LATE.scores("lock door", [f"{filler}lock door", filler]) == [0, 0]
    assert LATE.scores("x " * 800 + "lock door", ["lock door", ""]) == [0, 0]


@settings(deadline=None, max_examples=60)
@given(
    st.text(st.sampled_from("ab cd\n漢字ไทย한국é.-_\x00\u0301🙂"), max_size=30),
    st.lists(st.text(st.sampled_from("ab cd\n漢字ไทย한국é.-_\x00\u0301🙂"), max_size=30), min_size=1, max_size=6),
)
def test_every_text_gets_a_finite_score(embedder: StaticEmbedder, question: str, texts: list[str]) -> None:
    late = LateInteraction(embedder)
    scores = late.scores(question, texts)
    assert len(scores) == len(texts)
    assert np.isfinite(scores).all()
    assert ((together(question, texts) >= 0) & (together(question, texts) <= 1 + 1e-9)).all()
    twice = late.scores(question, [texts[0], *texts])
    assert twice[0] == pytest.approx(twice[1])


def test_what_answers_comes_before_what_does_not(embedder: StaticEmbedder) -> None:
    texts = ["The bakery opens at seven.", "After five failed logins the account is locked.", "Refunds take a week."]
    scores = LateInteraction(embedder).scores("when is an account locked", texts)
    assert max(scores) == scores[1]


@pytest.mark.parametrize("piece", ["lock the door ", "漢字", "a\u0301\u0323", "x", "lock_door.Lock/", "\u0301\u0323"])
def test_long_texts_take_a_bounded_time(embedder: StaticEmbedder, piece: str) -> None:
    text = (piece * 8_000)[:8_000]
    started = time.process_time()
    assert np.isfinite(LateInteraction(embedder).scores(text, [text] * 50)).all()
    assert time.process_time() - started < 10
