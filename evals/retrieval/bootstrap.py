"""Whether one run is better than another, or only luckier with the questions."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

_RESAMPLES = 10_000
_AT_ONCE = 1_000  # resamples in memory


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean difference of two runs over the same questions, and its 95 % interval."""

    mean: float
    low: float
    high: float


def paired(ours: Mapping[str, float], theirs: Mapping[str, float], *, seed: int = 0) -> Difference:
    """Ours minus theirs, by the percentiles of a paired bootstrap over the questions that both have values for (Efron
    and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13). ValueError if there is none.
    """
    questions = sorted(ours.keys() & theirs.keys())
    if not questions:
        raise ValueError("there is no question that both runs have a value for")
    differences = np.array([ours[key] - theirs[key] for key in questions])
    random = np.random.default_rng(seed)
    means = np.concatenate(
        [
            differences[random.integers(len(differences), size=(_AT_ONCE, len(differences)))].mean(axis=1)
            for _ in range(_RESAMPLES // _AT_ONCE)
        ]
    )
    low, high = np.percentile(means, [2.5, 97.5])
    return Difference(float(differences.mean()), float(low), float(high))
