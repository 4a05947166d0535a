"""Numbers of many reviews, with the intervals that so few tickets leave."""

from collections.abc import Sequence

import numpy as np

from evals.planted.types import CATEGORIES, Gap, Judged, Scores, Share

ANY = "any"
_RESAMPLES = 10_000


def scores(rows: Sequence[Judged]) -> Scores:
    categories = dict.fromkeys(first(gap) for row in rows for gap in (*row.found, *row.missed))
    ordered = [name for name in (*CATEGORIES, ANY) if name in categories]
    return Scores(
        tickets=len(rows),
        recall=_recall(rows),
        false=share([len(row.wrong) for row in rows], [len(row.wrong) + len(row.right) for row in rows]),
        by_category={name: _recall(rows, name) for name in ordered},
        answered=share([row.answered for row in rows], [_answerable(row) for row in rows]),
        forbidden=sum(len(row.forbidden) for row in rows),
        missed=[f"{row.planted.key}: {gap.what}" for row in rows for gap in row.missed],
        told_wrongly=[
            f"{row.planted.key}: {finding.rule}, {finding.category}: {finding.statement}"
            + (f" [{leave.what}]" if leave else "")
            for row in rows
            for finding, leave in row.wrong
        ],
    )


def first(gap: Gap) -> str:
    """The category that a gap is counted under."""
    return ANY if gap.categories == CATEGORIES else gap.categories[0]


def share(parts: Sequence[int], wholes: Sequence[int], *, seed: int = 0) -> Share:
    """The sum of the parts over the sum of the wholes, and the percentiles of a bootstrap over tickets, which are drawn
    whole since findings of one ticket are not independent (Efron and Tibshirani, An Introduction to the Bootstrap,
    1993, chapter 13). Resamples without a whole are left out.
    """
    part, whole = np.array(parts, dtype=float), np.array(wholes, dtype=float)
    if not whole.sum():
        return Share(0, 0, 0.0, 0.0)
    drawn = np.random.default_rng(seed).integers(len(part), size=(_RESAMPLES, len(part)))
    sums = whole[drawn].sum(axis=1)
    ratios = part[drawn].sum(axis=1)[sums > 0] / sums[sums > 0]
    low, high = np.percentile(ratios, [2.5, 97.5])
    return Share(int(part.sum()), int(whole.sum()), float(low), float(high))


def _recall(rows: Sequence[Judged], category: str | None = None) -> Share:
    """Of the gaps that are counted under a category, or of all."""
    found = [sum(1 for gap in row.found if category in (None, first(gap))) for row in rows]
    missed = [sum(1 for gap in row.missed if category in (None, first(gap))) for row in rows]
    return share(found, [have + lack for have, lack in zip(found, missed, strict=True)])


def _answerable(row: Judged) -> int:
    return sum(1 for leave in row.planted.leaves if leave.answered)
