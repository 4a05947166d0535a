"""Weights fitted to labelled questions: what wins is taken, what is luck is not."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.fitting import ARMS, LARGEST, Labelled, Scores, Weights, fit, interval
from core.ranking import VOTES, Ranking, Rankings, fuse
from core.store.base import document_of, point_id

K = 10.0
START = Weights(context_words=0.5, content_meaning=0.5, context_meaning=0.5, votes=1.0, document=0.4)
FILES = [point_id(f"git:shop:src/{number}.py", 0, "code") for number in range(40)]


def labelled(question: str, lists: dict[str, list[str]], right: str) -> Labelled:
    chunks = [Ranking(name, ids, 0 if name == VOTES else 1) for name, ids in lists.items()]
    documents = [Ranking(name, [document_of(key) for key in ids], 1) for name, ids in lists.items()]
    return Labelled(question, Rankings(chunks, documents), frozenset({document_of(right)}))


def history(seed: int, *, size: int, knows: dict[str, float]) -> list[Labelled]:
    """Questions whose arms put the right file among their first three so often, and anywhere otherwise."""
    dice = random.Random(seed)
    made = []
    for number in range(size):
        right = dice.choice(FILES)
        lists = {}
        for name in (*ARMS, VOTES):
            found = dice.sample(FILES, 40)
            if dice.random() < knows.get(name, 0):
                found = [key for key in found if key != right]
                found.insert(dice.randrange(3), right)
            lists[name] = found
        made.append(labelled(f"jira:{number:04}", lists, right))
    return made


def by_fusing(one: Labelled, weights: Weights) -> float:
    """The reciprocal rank, by the product's own fusion."""
    share = {name: getattr(weights, name.replace(" ", "_")) for name in ARMS[1:]}
    share |= {ARMS[0]: 1.0, VOTES: weights.votes}

    def weighed(ranking: Ranking, by: float) -> Ranking:
        return Ranking(ranking.name, ranking.ids, ranking.weight * share[ranking.name] * by)

    chunks = [weighed(ranking, 1) for ranking in one.rankings.chunks]
    documents = [weighed(r, 1 if r.name == VOTES else weights.document) for r in one.rankings.documents]
    order = list(dict.fromkeys(document_of(key) for key, _ in fuse(chunks, documents, K)))
    return max((1 / (order.index(key) + 1) for key in one.relevant if key in order), default=0.0)


def test_an_arm_that_knows_is_given_weight_and_what_it_wins_is_held_out():
    found = fit(history(1, size=120, knows={"content words": 0.3, "context meaning": 0.9}), START, K)
    assert found.wins
    assert found.weights.context_meaning > START.context_meaning
    assert found.gain.low > 0
    assert found.gain.mean == pytest.approx(found.after.mrr - found.before.mrr)
    assert found.after.first > found.before.first
    assert found.after.recall >= found.before.recall - 0.02


def test_votes_that_mislead_lose_their_weight():
    found = fit(history(2, size=150, knows={"content words": 0.7}), START, K)
    assert found.wins
    assert found.weights.votes < START.votes


def test_luck_hardly_ever_wins():
    """The interval promises one of forty, and keeps more than it promises."""
    wins = [fit(history(seed, size=40, knows={}), START, K).wins for seed in range(40)]
    assert sum(wins) <= 1


def test_where_the_start_is_right_nothing_is_changed_for_a_clear_gain_only():
    same = dict.fromkeys((*ARMS, VOTES), FILES[:20])
    found = fit([labelled(f"jira:{n}", same, FILES[n % 20]) for n in range(40)], START, K)
    assert (found.weights, found.wins) == (START, False)
    assert found.before == found.after
    assert (found.gain.mean, found.gain.low, found.gain.high) == (0, 0, 0)


def test_the_same_questions_in_any_order_give_the_same_fit():
    questions = history(3, size=60, knows={"content words": 0.5, VOTES: 0.6})
    assert fit(questions, START, K) == fit(questions[::-1], START, K) == fit(questions, START, K)


def test_questions_without_any_answer_count_as_missed():
    empty = [Labelled(f"jira:{n}", Rankings([], []), frozenset({"somewhere"})) for n in range(5)]
    assert fit(empty, START, K).before == Scores(0, 0, 0)
    known = history(4, size=5, knows=dict.fromkeys(ARMS, 1.0))
    alone, beside = fit(known, START, K).before, fit([*known, *empty_named("z", 5)], START, K).before
    assert beside.mrr == pytest.approx(alone.mrr / 2)
    assert fit([*empty_named("a", 5), *known], START, K).before.mrr == pytest.approx(alone.mrr / 2)


def empty_named(name: str, size: int) -> list[Labelled]:
    return [Labelled(f"{name}:{n}", Rankings([], []), frozenset({"somewhere"})) for n in range(size)]


def test_too_few_to_hold_any_out():
    with pytest.raises(ValueError, match="5 questions"):
        fit(history(0, size=4, knows={}), START, K)


weight = st.sampled_from([0.0, 0.25, 0.4, 0.5, 1.0, 2.0, LARGEST])


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    weights=st.builds(
        Weights, context_words=weight, content_meaning=weight, context_meaning=weight, votes=weight, document=weight
    ),
)
def test_questions_are_judged_by_the_order_that_a_search_has(seed: int, weights: Weights):
    """Several chunks a file, short lists, arms of several collections, more than one right file."""
    dice = random.Random(seed)
    points = [point_id(f"git:shop:{n}.py", ordinal, "code") for n in range(12) for ordinal in range(3)]
    asked = []
    for number in range(5):
        lists = [(name, dice.sample(points, dice.randrange(1, 20))) for name in (*ARMS, *ARMS, VOTES)]
        belief = [dice.choice((0.1, 1 / 3, 1.0)) for _ in lists]
        chunks = [Ranking(n, ids, 0 if n == VOTES else b) for (n, ids), b in zip(lists, belief, strict=True)]
        documents = [
            Ranking(n, list(dict.fromkeys(map(document_of, ids))), b) for (n, ids), b in zip(lists, belief, strict=True)
        ]
        right = frozenset(map(document_of, dice.sample(points, dice.randrange(1, 4))))
        asked.append(Labelled(f"jira:{number}", Rankings(chunks, documents), right))
    expected = sum(by_fusing(one, weights) for one in asked) / len(asked)
    assert fit(asked, weights, K).before.mrr == pytest.approx(expected)


def test_an_interval_narrows_with_the_number_of_questions_and_holds_the_mean():
    values = np.random.default_rng(0).normal(0.1, 1, 2_000)
    few, many = interval(values[:50]), interval(values)
    assert few.low < few.mean < few.high
    assert many.high - many.low < (few.high - few.low) / 3
    assert interval(values) == many
    wide = interval(values, wider=1.5)
    assert wide.high - wide.low == pytest.approx(1.5 * (many.high - many.low))
