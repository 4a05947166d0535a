"""Whether several judges say the same, and what they say together."""

from collections.abc import Mapping, Sequence
from statistics import median_low

import krippendorff
import numpy as np

from evals.harness.types import Counted, Values


def agreement(ratings: Mapping[str, Sequence[Sequence[float]]]) -> Values:
    """Krippendorff's alpha of ordered ratings, as what each case adds to it (Content Analysis, 4th edition, 2018,
    chapter 12). A case has units, and each unit the ratings of those who judged it. 1: they agree, 0: as by chance.

    `overall(..., share=False)` of it is alpha itself. Its interval holds the disagreement by chance as it is, like
    that of Hayes and Krippendorff (Answering the Call for a Standard Reliability Measure for Coding Data, 2007).
    Empty where no unit was judged by two, or all say the same of everything: then there is nothing to agree on.
    """
    units = {case: [one for one in given if len(one) > 1] for case, given in ratings.items()}
    said = [rating for given in units.values() for one in given for rating in one]
    known = sorted(set(said))
    if len(known) < 2:
        return {}
    counts = [[one.count(value) for value in known] for given in units.values() for one in map(list, given)]
    alpha = float(krippendorff.alpha(value_counts=counts, level_of_measurement="ordinal"))
    # The ordinal distance of two values is that of their middle ranks, so disagreement on a unit is their variance.
    times = np.array([said.count(value) for value in known], dtype=float)
    rank = dict(zip(known, np.cumsum(times) - times / 2, strict=True))
    apart = {
        case: sum(2 * len(one) * float(np.var([rank[rating] for rating in one], ddof=1)) for one in given)
        for case, given in units.items()
    }
    rated = {case: sum(map(len, given)) for case, given in units.items() if given}
    chance = sum(apart.values()) / (1 - alpha) / sum(rated.values()) if any(apart.values()) else 1.0
    return {case: Counted(whole - apart[case] / chance, whole) for case, whole in rated.items()}


def together(ratings: Sequence[float]) -> float:
    """What most of them say: the middle rating, and of two in the middle the lower, since a doubt counts."""
    return median_low(ratings)
