"""A metric over its cases, and the difference of two runs, each with the 95 % interval that so many cases leave."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evals.harness.types import Counted, Values

RESAMPLES = 10_000
DIGITS = 6
"""After the point of what a case counts, in stored runs; what differs less is the same."""
_AT_ONCE = 1_000  # resamples in memory
_KEPT = 2_000  # cases, of which the resamples are kept for the next metric: 40 MB
_MEDIANS = 1_000  # resamples of a median, which is slow
_SURE = 9  # digits of a difference that sums of floats leave sure: what is the same is 0 apart
_Z = 1.959964  # the normal distribution's 97.5th percentile


@dataclass(frozen=True, slots=True)
class Interval:
    """A number, and the ends of its 95 % interval."""

    value: float
    low: float
    high: float
    n: int
    """Cases that it rests on."""

    @property
    def other_than_zero(self) -> bool:
        return self.low > 0 or self.high < 0


def overall(values: Values, *, share: bool = True, seed: int = 0) -> Interval | None:
    """The sum of the parts over the sum of the wholes; None where there is no whole.

    The interval is the percentiles of a bootstrap over cases, which are drawn whole since what stands in one case is
    not independent (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13). Where every case says
    the same a bootstrap knows no doubt, and where they are yes or no there is an exact way: then it is Wilson's
    (Probable Inference, 1927), if the metric is a `share`, with as many trials as there are cases.
    """
    names = sorted(values)
    parts, wholes = _columns([values], names)
    if not wholes[0].sum():
        return None
    value, n = float(parts[0].sum() / wholes[0].sum()), int((wholes[0] > 0).sum())
    counted = wholes[0] > 0
    ratios = parts[0][counted] / wholes[0][counted]
    binary = bool((wholes[0][counted] == 1).all() and np.isin(ratios, (0.0, 1.0)).all())
    if share and 0 <= value <= 1 and (binary or bool((ratios == ratios[0]).all())):
        return Interval(value, *wilson(value, n), n)
    low, high = np.percentile(_resampled(parts, wholes, seed)[0], [2.5, 97.5])
    return Interval(value, float(low), float(high), n)


def middle(samples: Mapping[str, Sequence[float]], *, seed: int = 0) -> Interval | None:
    """The median of all samples, by case; None where there is none. The interval is the percentiles of a bootstrap over
    cases, as in `overall`.
    """
    some = [np.asarray(samples[name], dtype=np.float64) for name in sorted(samples) if len(samples[name])]
    if not some:
        return None
    random = np.random.default_rng(seed)
    drawn = (random.integers(len(some), size=len(some)) for _ in range(_MEDIANS))
    medians = [float(np.median(np.concatenate([some[case] for case in cases]))) for cases in drawn]
    low, high = np.percentile(medians, [2.5, 97.5])
    return Interval(float(np.median(np.concatenate(some))), float(low), float(high), len(some))


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's score interval of a share of n trials."""
    spread = _Z * np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    middle, scale = share + _Z**2 / (2 * n), 1 + _Z**2 / n
    return max(0.0, float((middle - spread) / scale)), min(1.0, float((middle + spread) / scale))


def difference(ours: Values, theirs: Values, *, seed: int = 0) -> Interval | None:
    """Ours less theirs over the cases that both have, each drawn with both of its values (the paired bootstrap); None
    where they share none, or neither has a whole. One of them may come from a stored run, so both have its digits.
    """
    names = sorted(ours.keys() & theirs.keys())
    parts, wholes = _columns([_rounded(ours, names), _rounded(theirs, names)], names)
    if not names or not wholes.sum(axis=1).all():
        return None
    value = float(parts[0].sum() / wholes[0].sum() - parts[1].sum() / wholes[1].sum())
    first, second = _resampled(parts, wholes, seed)
    low, high = np.percentile(first - second, [2.5, 97.5])
    return Interval(_sure(value), _sure(float(low)), _sure(float(high)), len(names))


def _sure(number: float) -> float:
    return round(number, _SURE) + 0.0  # of what was below zero there is no minus left


def _rounded(values: Values, names: Sequence[str]) -> Values:
    return {name: Counted(*(round(number, DIGITS) for number in values[name])) for name in names}


def _columns(runs: Sequence[Values], names: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Parts and wholes, a row a run and a column a case."""
    parts = np.array([[run[name].part for name in names] for run in runs], dtype=np.float64)
    wholes = np.array([[run[name].whole for name in names] for run in runs], dtype=np.float64)
    return parts, wholes


def _resampled(parts: NDArray[np.float64], wholes: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Each run's ratio in each resample, the same cases for all; resamples in which a run has no whole are left out."""
    cases, found = parts.shape[1], []
    for times in _kept(cases, seed) if cases <= _KEPT else _drawn(cases, seed):
        part, whole = parts @ times.T, wholes @ times.T
        fine = (whole > 0).all(axis=0)
        found.append(part[:, fine] / whole[:, fine])
    return np.concatenate(found, axis=1)


@lru_cache(maxsize=4)
def _kept(cases: int, seed: int) -> tuple[NDArray[np.uint16], ...]:
    """The metrics of a measurement mostly have the same cases."""
    return tuple(_drawn(cases, seed))


def _drawn(cases: int, seed: int) -> Iterator[NDArray[np.uint16]]:
    """How often each case is drawn, a row a resample."""
    random, first = np.random.default_rng(seed), cases * np.arange(_AT_ONCE)[:, None]
    for _ in range(RESAMPLES // _AT_ONCE):
        places = random.integers(cases, size=(_AT_ONCE, cases)) + first
        times = np.bincount(places.ravel(), minlength=cases * _AT_ONCE)
        yield times.reshape(_AT_ONCE, cases).astype(np.uint16)
