"""What changed since a stored run, and what of it is beyond noise."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from evals.harness.intervals import Interval, difference, overall
from evals.harness.types import Measurement, Metric, Run

Verdict = Literal["better", "worse", "other", "within noise", "the same", "new", "not comparable"]
"""`other`: it changed beyond noise, and neither way is better."""


@dataclass(frozen=True, slots=True)
class Change:
    """One metric of a measurement beside what it was."""

    metric: Metric
    now: Interval
    before: Interval | None
    """Over all cases that it had then."""
    difference: Interval | None
    """Now less before, paired over the cases that both runs have."""
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Compared:
    """A measurement beside the same one of a stored run."""

    measurement: Measurement
    before: Measurement | None
    changes: tuple[Change, ...]
    remarks: tuple[str, ...]
    """Sentences: why numbers are not of the same cases, or not made the same way."""

    @property
    def worse(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.verdict == "worse")


def compared(run: Run, before: Run | None) -> tuple[Compared, ...]:
    """Each measurement of a run beside that of a stored one."""
    stored = {one.key: one for one in before.measurements} if before else {}
    return tuple(beside(one, stored.get(one.key)) for one in run.measurements)


def beside(now: Measurement, before: Measurement | None) -> Compared:
    """One measurement beside an earlier one of the same key. Only the cases that both have are compared."""
    changes = tuple(change for metric in now.metrics if (change := _change(metric, now, before)) is not None)
    return Compared(now, before, changes, tuple(_remarks(now, before)) if before else ())


def _change(metric: Metric, now: Measurement, before: Measurement | None) -> Change | None:
    """None where no case has a value."""
    values = now.values.get(metric.name, {})
    found = overall(values, share=metric.unit == "share")
    if found is None:
        return None
    then = before.values.get(metric.name) if before else None
    if not then:
        return Change(metric, found, None, None, "new")
    paired, was = difference(values, then), overall(then, share=metric.unit == "share")
    if paired is None or was is None:
        return Change(metric, found, was, None, "not comparable")
    return Change(metric, found, was, paired, _verdict(metric, paired, was))


def _verdict(metric: Metric, paired: Interval, was: Interval) -> Verdict:
    if paired.value == paired.low == paired.high == 0:
        return "the same"
    if not paired.other_than_zero or abs(paired.value) < metric.noise * abs(was.value):
        return "within noise"
    if metric.better == "neither":
        return "other"
    return "better" if (paired.value > 0) == (metric.better == "more") else "worse"


def _remarks(now: Measurement, before: Measurement) -> Iterator[str]:
    cases, were = _cases(now), _cases(before)
    if cases != were:
        yield f"{len(cases & were)} of {len(cases)} cases were in the stored run, which had {len(were)}."
    for name in sorted(now.made_with.keys() | before.made_with.keys()):
        one, other = now.made_with.get(name, "none"), before.made_with.get(name, "none")
        if one != other:
            yield f"{name}: {one}, and {other} then."


def _cases(measurement: Measurement) -> set[str]:
    return {case for values in measurement.values.values() for case in values}
