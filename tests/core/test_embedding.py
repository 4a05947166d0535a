"""Texts as vectors, and the terms they are made of."""

import logging
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embedding.base import normalised
from core.embedding.sparse import Bm25, query, term_id
from core.errors import EmbedderUnavailable
from core.tokens import terms, well_formed

# Dense


def test_vectors_have_length_one_and_nothing_is_zero(embedder) -> None:
    vectors = embedder.embed(["lock the account", "", "計算", "\x00", "x " * 50_000]).dense
    assert vectors.shape == (5, embedder.size)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    assert lengths[[0, 2, 3, 4]] == pytest.approx(1, abs=1e-5)
    assert lengths[1] == 0
    assert embedder.embed([]).dense.shape == (0, embedder.size)


def test_a_vector_does_not_depend_on_its_neighbours(embedder) -> None:
    texts = ["lock the account", "a much longer text " * 300, "refund"]
    together = embedder.embed(texts).dense
    alone = np.concatenate([embedder.embed([text]).dense for text in texts])
    assert np.array_equal(together, alone)


def test_alike_texts_are_nearer(embedder) -> None:
    asked, right, wrong = embedder.embed(
        ["user cannot sign in", "login fails for people", "currency of an invoice"]
    ).dense
    assert asked @ right > asked @ wrong + 0.1


def test_the_name_says_the_model_and_its_version(embedder) -> None:
    assert embedder.name.startswith("wordllama-l2_supercat-256@")


def test_numbers_that_are_not_finite_are_refused() -> None:
    with pytest.raises(EmbedderUnavailable):
        normalised(np.array([[1.0, float("nan")]], dtype=np.float32))


def test_logging_is_left_alone(embedder) -> None:
    assert not any(isinstance(h, logging.StreamHandler) and h.stream is None for h in logging.getLogger().handlers)
    assert "wordllama" not in __import__("sys").modules


# Terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zürich", "zürich"),
        ("Zürich", "Zurich"),
        ("Zürich", "Zuerich"),
        ("Zu\u0308rich", "ZÜRICH"),
        ("straße", "STRASSE"),
        ("locks", "locked"),
        ("check_user_lock", "user"),
        ("checkUserLock", "lock"),
        ("checkUserLock", "checkuserlock"),
        ("HTTPServer", "server"),
        ("PAY-731", "pay-731"),
        ("PAY\u2011731", "PAY-731"),
        ("пользователя", "пользователь"),
        ("КлассPaymentGateway", "payment"),  # noqa: RUF001 - two scripts in one run
        ("결제시스템", "시스템"),
        ("계정이", "계정"),
        ("アカウントをロック", "ロック"),
        ("账户被锁定", "锁定"),
        ("हिन्दी", "हिन्दी"),
        ("ｆｕｌｌ", "full"),  # noqa: RUF001 - full width
    ],
)
def test_what_is_written_either_way_meets(one: str, other: str) -> None:
    assert set(terms(one)) & set(terms(other))


def test_an_identifier_stays_whole_beside_its_parts() -> None:
    assert set(terms("check_user_lock")) == {"check_user_lock", "check", "user", "lock"}
    assert set(terms("checkUserLock2")) == {"checkuserlock2", "check", "user", "lock", "2"}
    assert {"pay-731", "pay", "731"} == set(terms("PAY-731"))
    assert "utf-8" in terms("UTF-8")


def test_no_word_is_dropped() -> None:
    assert terms("the who and to be or not") == ["the", "who", "and", "to", "be", "or", "not"]


@given(st.text(max_size=100))
def test_any_text_has_terms_and_they_are_stable(text: str) -> None:
    once = terms(text)
    assert all(once)
    assert terms(text) == once
    assert bool(once) or not any(c.isalpha() or c.isdecimal() for c in text)


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=50))
def test_well_formed_text_keeps_its_offsets(text: str) -> None:
    mended = well_formed(text)
    assert len(mended) == len(text)
    mended.encode()
    assert all(a == b or "\ud800" <= a <= "\udfff" for a, b in zip(text, mended, strict=True))


# BM25


def test_weights_are_bm25() -> None:
    vector = Bm25(average=4).document("lock lock lock account")
    weights = dict(zip(vector.indices, vector.values, strict=True))
    assert weights[term_id("lock")] == pytest.approx(3 * 2.5 / (3 + 1.5))  # of average length: no penalty
    assert weights[term_id("account")] == pytest.approx(1 * 2.5 / (1 + 1.5))
    longer = Bm25(average=4).document("lock lock lock account " + "filler " * 40)
    assert dict(zip(longer.indices, longer.values, strict=True))[term_id("lock")] < weights[term_id("lock")]


def test_a_question_holds_each_term_once() -> None:
    vector = query("lock account lock")
    assert vector.indices == (term_id("lock"), term_id("account"))
    assert vector.values == pytest.approx((1.0 + math.log(2), 1.0))
    assert not query("?!")


def test_term_ids_are_stable_and_of_32_bits() -> None:
    assert term_id("lock") == 4_006_215_217
    ids = {term_id(str(number)) for number in range(20_000)}
    assert len(ids) >= 19_998
    assert all(0 <= one < 2**32 for one in ids)
    assert math.log2(max(ids)) > 31
