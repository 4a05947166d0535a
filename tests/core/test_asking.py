"""A question as it is compared: its words and its meaning, and what is left of them without the embedder."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.asking import arms_of, asked, encoded, words_alone
from core.embedders import Embedders
from core.embedding.sparse import query, term_id, title_of
from core.errors import EmbedderUnavailable
from tests.core.parts import Letters, Raising, Weighing

DOWN = EmbedderUnavailable("connection refused")


def weights(text: str) -> dict[int, float]:
    vector = query(text)
    return dict(zip(vector.indices, vector.values, strict=True))


def test_function_words_weigh_nothing_unless_they_are_alone() -> None:
    assert weights("what does the lock do") == weights("lock") == {term_id("lock"): 1.0}
    assert set(weights("to be or not to be")) == {term_id(word) for word in ("to", "be", "or", "not")}


def test_a_repeated_word_is_damped_and_a_title_weighs_more() -> None:
    assert weights("lock lock lock door")[term_id("lock")] == pytest.approx(1 + np.log(3))
    told = weights("Lock fails\nThe door opens though it must not.")
    assert told[term_id("lock")] == pytest.approx(1 + 2.5)
    assert told[term_id("door")] == 1.0
    assert term_id("it") not in told


@pytest.mark.parametrize(
    ("text", "title"),
    [("One line", ""), ("Title\nand more", "Title"), ("  \nTitle\nmore", "Title"), ("Title\n  \n", ""), ("", "")],
)
def test_a_title_is_the_first_line_of_a_text_that_has_more(text: str, title: str) -> None:
    assert title_of(text) == title
    assert title_of("x" * 301 + "\nmore") == ""


def test_a_title_counts_as_much_for_the_meaning_as_all_of_the_text() -> None:
    text = "aaaa\nbbbb bbbb bbbb"
    embedder = Letters(64)
    whole, title = embedder.embed([text, "aaaa"], "query").dense
    both = whole + title
    [one, plain] = asked([text, "cccc"], embedder)
    assert one.dense == pytest.approx(both / np.linalg.norm(both))
    assert plain.dense == pytest.approx(embedder.embed(["cccc"], "query").dense[0])


def test_titles_fall_to_their_own_texts() -> None:
    texts = ["one", "aaaa\nbbbb", "two", "cccc\ndddd"]
    together = [one.dense for one in asked(texts, Letters(64))]
    apart = [asked([text], Letters(64))[0].dense for text in texts]
    assert np.array(together) == pytest.approx(np.array(apart))


def test_what_the_embedder_learned_takes_the_place_of_words() -> None:
    [one] = asked(["lock doors"], Weighing(8))
    assert one.terms.indices == (4, 5)
    assert asked(["lock doors"], Letters(8))[0].terms == query("lock doors")


def test_wordings_after_the_first_count_a_share() -> None:
    arms = arms_of(asked(["lock", "door", "gate"], Letters(8)), 0.5)
    assert [(arm.name, arm.share) for arm in arms[::4]] == [
        ("content words", 1.0),
        ("content words 2", 0.5),
        ("content words 3", 0.5),
    ]
    assert [arm.kind for arm in arms] == 3 * ["content words", "context words", "content meaning", "context meaning"]


def test_what_says_nothing_is_not_asked_for() -> None:
    """A question of no known letter has no meaning, one of no word no words."""
    [silent] = words_alone(["lock"], Weighing(8))
    assert arms_of([silent], 0.5) == []
    assert [arm.name for arm in arms_of(words_alone(["lock"], Letters(8)), 0.5)] == ["content words", "context words"]


def test_each_embedder_is_asked_once() -> None:
    one, other = Letters(8), Letters(16)
    encoded(["lock", "door"], Embedders.same(one), ["documents", "code"])
    assert one.given == ["lock", "door"]
    both = encoded(["lock"], Embedders(one, other), ["documents", "code"])
    assert other.given == ["lock"]
    assert [len(both.wordings[name][0].dense) for name in ("documents", "code")] == [8, 16]


def test_only_what_did_not_answer_is_missing() -> None:
    answer = encoded(["lock"], Embedders(Letters(8), Raising(Letters(16), DOWN)), ["documents", "code"])
    assert answer.wordings["documents"][0].dense is not None
    assert answer.wordings["code"][0].dense is None
    assert answer.wordings["code"][0].terms == query("lock")
    assert answer.failures == ("The embedder did not answer, so only words were compared, not meaning.",)
    assert encoded(["lock"], Embedders(Letters(8), Raising(Letters(16), DOWN)), ["documents"]).failures == ()


def test_one_that_weighs_words_takes_them_with_it() -> None:
    both = Embedders(Raising(Letters(8), DOWN), Raising(Weighing(16, "w"), DOWN))
    answer = encoded(["lock"], both, ["documents", "code"])
    assert not answer.wordings["code"][0].terms
    assert len(answer.failures) == 2
    assert answer.failures[1].endswith("only names and keys were looked up, and no words or meaning compared.")


@given(st.text(max_size=80))
def test_any_text_can_be_asked(text: str) -> None:
    vector = query(text)
    assert len(set(vector.indices)) == len(vector.indices)
    assert all(np.isfinite(vector.values))
    assert all(value >= 1 for value in vector.values)
