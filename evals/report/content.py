"""What a report says, before it is HTML or Markdown: what got worse first, then everything by measurement."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from bots.text import one_line
from evals.harness.compare import Change, Compared, Verdict, compared
from evals.harness.told import shown, shown_difference, shown_range
from evals.harness.types import Failure, Measurement, Run
from evals.report.paper import MISSING, can_draw
from evals.report.pictures import Picture, of_figure, of_metrics
from evals.report.rows import NAME, NOTHING

MOST_FAILURES = 50
"""Of a measurement, that are listed; the rest is counted."""
_MOST_KINDS = 30
_SENTENCE = 2_000  # characters
_BETTER = {"more": "More is better.", "less": "Less is better.", "neither": "Neither way is better."}


@dataclass(frozen=True, slots=True)
class Row:
    """A metric, as words."""

    name: str
    about: str
    value: str
    interval: str
    n: int
    before: str
    change: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Kind:
    """Failures that are alike."""

    what: str
    """`task`, or a scorer."""
    error: str
    count: int


@dataclass(frozen=True, slots=True)
class Failed:
    """Cases that failed in the same way."""

    what: str
    reason: str
    cases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One measurement."""

    number: int
    name: str
    made_with: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    without: tuple[str, ...]
    """Names of metrics that no case has a value for."""
    gone: tuple[str, ...]
    """Names of metrics that the stored run has a value of, and this one has not."""
    sentences: tuple[str, ...]
    failed: tuple[Failed, ...]
    """Those that are listed."""
    failures: int
    """Of all."""
    pictures: tuple[Picture, ...]

    @property
    def unlisted(self) -> int:
        """Failures that are counted alone."""
        return self.failures - sum(len(one.cases) for one in self.failed)

    def of(self, *verdicts: Verdict) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.verdict in verdicts)


@dataclass(frozen=True, slots=True)
class Report:
    """All of it."""

    commit: str
    at: str
    machine: str
    before: tuple[str, str, str] | None
    """Commit, time and machine of the stored run."""
    parts: str
    """That were measured."""
    sections: tuple[Section, ...]
    gone: tuple[str, ...]
    """Names of measurements that the stored run has, and this one has not."""
    kinds: tuple[Kind, ...]
    more_kinds: int
    """Failures that are of no kind that is listed."""
    sentences: tuple[str, ...]
    """What the page itself has not."""

    def count(self, *verdicts: Verdict) -> int:
        return sum(len(section.of(*verdicts)) for section in self.sections)

    @property
    def metrics(self) -> int:
        return sum(len(section.rows) for section in self.sections)

    @property
    def failures(self) -> int:
        return sum(section.failures for section in self.sections)

    @property
    def lost(self) -> int:
        """Numbers that the stored run has, and this one has not."""
        return len(self.gone) + sum(len(section.gone) for section in self.sections)


def report(run: Run, before: Run | None) -> Report:
    """What the pages say. Plots are left out where the library for them is not installed."""
    draw = can_draw()
    sections = tuple(_section(number, one, draw=draw) for number, one in enumerate(compared(run, before), 1))
    kinds = _kinds(failure for one in run.measurements for failure in one.failures)
    now = {one.key for one in run.measurements}
    return Report(
        commit=one_line(run.commit, NAME),
        at=_moment(run.at),
        machine=one_line(run.machine, NAME),
        before=_told(before) if before else None,
        parts=", ".join(dict.fromkeys(one_line(one.part, NAME) for one in run.measurements)),
        sections=sections,
        gone=tuple(_name(one) for one in before.measurements if one.key not in now) if before else (),
        kinds=kinds[:_MOST_KINDS],
        more_kinds=sum(kind.count for kind in kinds[_MOST_KINDS:]),
        sentences=tuple(_missing(run, draw=draw)),
    )


def _told(before: Run) -> tuple[str, str, str]:
    return one_line(before.commit, NAME), _moment(before.at), one_line(before.machine, NAME)


def _moment(at: str) -> str:
    """A stored run may say anything."""
    try:
        read = datetime.fromisoformat(at)
    except ValueError:
        return one_line(at, NAME)
    return f"{read.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if read.tzinfo else f"{read:%Y-%m-%d %H:%M}"


def _missing(run: Run, *, draw: bool) -> Iterator[str]:
    if not any(one.figures for one in run.measurements):
        yield (
            "This run has no figures of its own. A stored run keeps none: searches, maps and arms are drawn by the "
            "command that measures them, with --report."
        )
    if not draw:
        yield MISSING


def _section(number: int, one: Compared, *, draw: bool) -> Section:
    measured = one.measurement
    valued = {change.metric.name for change in one.changes}
    return Section(
        number=number,
        name=_name(measured),
        made_with=tuple(
            (one_line(name, NAME), one_line(what, NAME)) for name, what in sorted(measured.made_with.items())
        ),
        rows=tuple(_row(change) for change in one.changes),
        without=tuple(one_line(it.name, NAME) for it in measured.metrics if it.name not in valued),
        gone=tuple(_gone(one, valued)),
        sentences=tuple(one_line(sentence, _SENTENCE) for sentence in (*one.remarks, *measured.notes)),
        failed=tuple(_failed(measured.failures[:MOST_FAILURES])),
        failures=len(measured.failures),
        pictures=(
            *(of_metrics(one) if draw else ()),
            *(of_figure(figure, draw=draw) for figure in measured.figures),
        ),
    )


def _name(one: Measurement) -> str:
    return one_line(f"{one.part}: {one.set}, {one.way}", NAME)


def _row(change: Change) -> Row:
    metric, now = change.metric, change.now
    return Row(
        name=one_line(metric.name, NAME),
        about=f"{one_line(metric.about, _SENTENCE)}. {_BETTER[metric.better]}",
        value=shown(now.value, metric.unit),
        interval=shown_range(now, metric.unit),
        n=now.n,
        before=shown(change.before.value, metric.unit) if change.before else NOTHING,
        change=shown_difference(change.difference, metric.unit) if change.difference else NOTHING,
        verdict=change.verdict,
    )


def _gone(one: Compared, valued: set[str]) -> Iterator[str]:
    for metric in one.before.metrics if one.before else ():
        if metric.name not in valued and one.before and one.before.values.get(metric.name):
            yield one_line(metric.name, NAME)


def _failed(failures: Iterable[Failure]) -> Iterator[Failed]:
    alike: dict[tuple[str, str], list[str]] = {}
    for it in failures:
        alike.setdefault((one_line(it.what, NAME), one_line(it.reason, _SENTENCE)), []).append(one_line(it.case, NAME))
    for (what, reason), cases in alike.items():
        yield Failed(what, reason, tuple(cases))


def _kinds(failures: Iterable[Failure]) -> tuple[Kind, ...]:
    """The most frequent first."""
    counts = Counter((one_line(it.what, NAME), one_line(it.reason.partition(":")[0], NAME)) for it in failures)
    ordered = sorted(counts.items(), key=lambda it: (-it[1], it[0]))
    return tuple(Kind(what, error, count) for (what, error), count in ordered)
