"""The chain of rerankers, and every way in which one of them can fail."""

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import RerankerUnavailable, RerankerUnusable
from core.rerank.base import Reranker
from core.rerank.chain import Reranked, Reranking
from core.rerank.cut import head, in_batches
from core.rerank.make import RerankerSettings, make
from tests.fakes import Tally

TEXTS = ("a", "bbb", "cc")
LIGHTER = "so a lighter one ordered the results."


@dataclass
class Fake:
    """Answers as it is told."""

    answer: Callable[[Sequence[str]], Sequence[float]] = lambda texts: [float(len(text)) for text in texts]
    name: str = "best"
    asked: int = 0

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked += 1
        return self.answer(texts)


@dataclass
class Hanging:
    """Answers once it is let go."""

    name: str = "hanging"
    let_go: threading.Event = field(default_factory=threading.Event)
    asked: int = 0

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked += 1
        self.let_go.wait(30)
        return [0.5] * len(texts)


def raising(error: Exception) -> Callable[[Sequence[str]], Sequence[float]]:
    def raise_it(texts: Sequence[str]) -> Sequence[float]:
        raise error

    return raise_it


def lighter() -> Fake:
    return Fake(lambda texts: [1.0] * len(texts), "lighter")


def test_the_first_answers_and_the_others_are_not_asked() -> None:
    second, tally = lighter(), Tally()
    assert Reranking([Fake(), second], 5, tally).rank("q", TEXTS) == Reranked((1.0, 3.0, 2.0), "best")
    assert second.asked == 0
    assert not tally.counts


def test_numbers_of_any_kind_become_floats() -> None:
    first = Fake(lambda texts: np.arange(len(texts), dtype=np.float32))
    ranked = Reranking([first], 5).rank("q", TEXTS)
    assert ranked.scores == (0.0, 1.0, 2.0)
    assert ranked.scores is not None
    assert {type(score) for score in ranked.scores} == {float}


def test_nothing_to_rank_asks_nobody() -> None:
    first = Fake()
    assert Reranking([first], 5).rank("q", ()) == Reranked((), None)
    assert first.asked == 0


def test_without_a_reranker_the_order_stays_and_there_is_nothing_to_say() -> None:
    assert Reranking([], 5).rank("q", TEXTS) == Reranked(None, None)


@pytest.mark.parametrize(
    ("answer", "reason", "said"),
    [
        (raising(RerankerUnavailable("The card is on fire.")), "unavailable", "The card is on fire"),
        (raising(RerankerUnusable("No key.")), "unavailable", "No key"),
        (lambda texts: [1.0], "wrong_count", "The reranker gave 1 scores for 3 texts"),
        (lambda texts: [1.0] * 4, "wrong_count", "The reranker gave 4 scores for 3 texts"),
        (lambda texts: [], "wrong_count", "The reranker gave 0 scores for 3 texts"),
        (lambda texts: [1.0, math.nan, 0.0], "not_finite", "The reranker gave scores that are not finite"),
        (lambda texts: [1.0, 2.0, -math.inf], "not_finite", "The reranker gave scores that are not finite"),
        (lambda texts: [math.inf] * 3, "not_finite", "The reranker gave scores that are not finite"),
    ],
)
def test_one_that_fails_is_passed_over_said_and_counted(
    answer: Callable[[Sequence[str]], Sequence[float]], reason: str, said: str
) -> None:
    tally = Tally()
    ranked = Reranking([Fake(answer), lighter()], 5, tally).rank("q", TEXTS)
    assert ranked == Reranked((1.0, 1.0, 1.0), "lighter", (f"{said}, {LIGHTER}",))
    assert tally.counts == {
        ("crosscheck_rerank_fallbacks_total", frozenset({("reranker", "best"), ("reason", reason)})): 1
    }


def test_a_fault_in_the_program_costs_no_answer_and_is_reported() -> None:
    reported: list[threading.ExceptHookArgs] = []
    usual, threading.excepthook = threading.excepthook, reported.append
    try:
        tally = Tally()
        ranked = Reranking([Fake(raising(TypeError("a fault"))), lighter()], 5, tally).rank("q", TEXTS)
    finally:
        threading.excepthook = usual
    assert ranked == Reranked((1.0, 1.0, 1.0), "lighter", (f"The reranker failed, {LIGHTER}",))
    assert tally.total("crosscheck_rerank_fallbacks_total", reranker="best", reason="crashed") == 1
    assert [str(each.exc_value) for each in reported] == ["a fault"]


def test_when_all_fail_the_order_stays_and_each_is_counted() -> None:
    tally = Tally()
    chain: list[Reranker] = [
        Fake(raising(RerankerUnavailable("Busy.")), "first"),
        Fake(lambda texts: [math.nan] * len(texts), "second"),
        Fake(raising(RerankerUnavailable("Busy.")), "third"),
    ]
    ranked = Reranking(chain, 5, tally).rank("q", TEXTS)
    assert ranked == Reranked(
        None,
        None,
        (
            "Busy, so the results are in the search's own order.",
            "The reranker gave scores that are not finite, so the results are in the search's own order.",
        ),
    )
    assert tally.total("crosscheck_rerank_fallbacks_total") == 3


def test_one_that_hangs_costs_one_question_its_limit_and_is_left_alone_until_it_is_done() -> None:
    hanging, tally = Hanging(), Tally()
    chain = Reranking([hanging, lighter()], 0.1, tally)
    before = threading.active_count()
    started = time.monotonic()
    first = chain.rank("q", TEXTS)
    assert 0.1 <= time.monotonic() - started < 5
    assert first == Reranked((1.0,) * 3, "lighter", (f"The reranker did not answer in 0.1 s, {LIGHTER}",))

    started = time.monotonic()
    for _ in range(20):
        ranked = chain.rank("q", TEXTS)
        assert ranked.by == "lighter"
        assert ranked.degraded == (f"The reranker has not answered an earlier question yet, {LIGHTER}",)
    assert time.monotonic() - started < 1
    assert hanging.asked == 1
    assert threading.active_count() == before + 1
    assert tally.total("crosscheck_rerank_fallbacks_total", reranker="hanging", reason="timeout") == 1
    assert tally.total("crosscheck_rerank_fallbacks_total", reranker="hanging", reason="hanging") == 20

    hanging.let_go.set()
    until = time.monotonic() + 10
    while threading.active_count() > before:
        assert time.monotonic() < until
        time.sleep(0.005)
    assert chain.rank("q", TEXTS) == Reranked((0.5,) * 3, "hanging")


def test_questions_at_once_hang_no_more_threads_than_they_are() -> None:
    hanging = Hanging()
    chain = Reranking([hanging, lighter()], 0.2)
    ranked: list[Reranked] = []
    before = threading.active_count()
    for _ in range(3):
        asking = [threading.Thread(target=lambda: ranked.append(chain.rank("q", TEXTS))) for _ in range(8)]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join(10)
    assert [each.by for each in ranked] == ["lighter"] * 24
    assert hanging.asked <= 8
    assert threading.active_count() - before <= 8
    hanging.let_go.set()


def test_questions_at_once_do_not_wait_for_each_other() -> None:
    meeting = threading.Barrier(4)

    def meet(texts: Sequence[str]) -> Sequence[float]:
        meeting.wait(5)
        return [1.0] * len(texts)

    chain = Reranking([Fake(meet)], 10)
    ranked: list[Reranked] = []
    asking = [threading.Thread(target=lambda: ranked.append(chain.rank("q", TEXTS))) for _ in range(4)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(10)
    assert [each.by for each in ranked] == ["best"] * 4


@given(st.lists(st.text(max_size=9), max_size=20), st.integers(1, 7))
def test_batches_are_small_and_scores_come_in_the_texts_order(texts: list[str], size: int) -> None:
    seen: list[Sequence[str]] = []

    def score(some: Sequence[str]) -> list[float]:
        seen.append(some)
        return [float(sum(map(ord, text))) for text in some]

    assert in_batches(texts, size, score) == tuple(score(texts))
    batches = seen[:-1]
    assert sorted(text for some in batches for text in some) == sorted(texts)
    assert all(1 <= len(some) <= size for some in batches)
    lengths = [len(text) for some in batches for text in some]
    assert lengths == sorted(lengths, reverse=True)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_batch_with_the_wrong_number_of_scores_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="zip"):
        in_batches(["a", "b"], 2, lambda some: [1.0] * count)


@pytest.mark.parametrize(("most", "kept"), [(1, "one "), (2, "one two "), (3, "one two three"), (9, "one two three")])
def test_the_head_of_a_text_is_cut_before_a_token(most: int, kept: str) -> None:
    assert head("one two three", [0, 4, 8], most) == kept


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (RerankerSettings("bge", ""), "needs `path`"),
        (RerankerSettings("cross_encoder", "", batch=3), "needs `path`"),
        (RerankerSettings("bge", "nowhere", batch=-1), "-1 texts at once"),
        (RerankerSettings("bge", "nowhere", longest=12), "12 tokens sees too little"),
        (RerankerSettings("cross_encoder", "nowhere", longest=-5), "-5 tokens"),
        (RerankerSettings("bge", "nowhere"), "no folder nowhere"),
        (RerankerSettings("cross_encoder", "nowhere"), "no folder nowhere"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: RerankerSettings, said: str) -> None:
    with pytest.raises(RerankerUnusable, match=said):
        make(settings)
