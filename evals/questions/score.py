"""How well answers cite: precision and recall of their documents, and what is refused."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from evals.questions.names import Names
from evals.questions.reader import MISTAKEN, SUPERSEDED, TRUE, UNRELATED, kind_of
from evals.questions.types import CATEGORIES, Count, Dropped, Judged, Mean, Question, Scores
from review.answer import Answered

_RESAMPLES = 10_000
_OLD = re.compile(r"supersede|replaced|archived|outdated|no longer", re.IGNORECASE)
"""How a statement says that its source holds no longer."""


def judged(question: Question, answered: Answered, names: Names) -> Judged:
    """A document is right if the question names it; an old one only where each statement that cites it says so."""
    cited: dict[str, list[int]] = {}
    for reference in answered.references:
        cited.setdefault(names.of(reference.cited.locator), []).append(reference.number)
    right = question.fine.union(*question.wanted)
    wrong = [
        name
        for name, numbers in cited.items()
        if not (name in right or (name in question.old and _as_old(answered, numbers)))
    ]
    missed = [group for group in question.wanted if not group & cited.keys()]
    said = tuple(one.text for one in answered.statements)
    degraded = bool(answered.degraded) and "refused" not in answered.numbers
    return Judged(question, tuple(cited), tuple(wrong), tuple(missed), said, degraded)


def _as_old(answered: Answered, numbers: Iterable[int]) -> bool:
    wanted = set(numbers)
    return all(_OLD.search(one.text) for one in answered.statements if wanted & set(one.sources))


def scores(rows: Sequence[Judged]) -> Scores:
    answerable = [row for row in rows if row.question.answerable]
    categories = [name for name in CATEGORIES if any(row.question.category == name for row in answerable)]
    return Scores(
        precision=_precision(answerable),
        recall=_recall(answerable),
        restricted_refused=_refused(row for row in rows if row.question.category == "restricted"),
        unanswerable_refused=_refused(row for row in rows if row.question.category == "unanswerable"),
        falsely_refused=_refused(answerable),
        by_category={
            name: (_precision(only), _recall(only))
            for name in categories
            for only in [[row for row in answerable if row.question.category == name]]
        },
        degraded=sum(row.degraded for row in rows),
    )


def dropped(rows: Iterable[Judged], made: Mapping[tuple[str, str], int]) -> Dropped:
    """What the reader made and the answers do not hold."""
    kept: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for row in rows:
        kept.update(kind_of(text) for text in row.statements)
        whole.update({kind: number for (name, kind), number in made.items() if name == row.question.id})

    def count(*kinds: str) -> Count:
        of = sum(whole[kind] for kind in kinds)
        return Count(of - sum(kept[kind] for kind in kinds), of)

    return Dropped(count(UNRELATED), count(MISTAKEN), count(TRUE, SUPERSEDED))


def mean(values: Sequence[float], *, seed: int = 0) -> Mean:
    """The mean and the percentiles of a bootstrap over questions (Efron and Tibshirani, An Introduction to the
    Bootstrap, 1993, chapter 13). All zero for no values.
    """
    if not values:
        return Mean(0.0, 0, 0.0, 0.0)
    given = np.array(values, dtype=float)
    drawn = np.random.default_rng(seed).integers(len(given), size=(_RESAMPLES, len(given)))
    low, high = np.percentile(given[drawn].mean(axis=1), [2.5, 97.5])
    return Mean(float(given.mean()), len(given), float(low), float(high))


def _precision(rows: Iterable[Judged]) -> Mean:
    return mean([row.precision for row in rows if row.precision is not None])


def _recall(rows: Iterable[Judged]) -> Mean:
    return mean([row.recall for row in rows if row.recall is not None])


def _refused(rows: Iterable[Judged]) -> Count:
    refused = [row.refused for row in rows]
    return Count(sum(refused), len(refused))
