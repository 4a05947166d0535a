"""A run on the terminal: a table a measurement, what got worse in red, and the files it is kept in."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bots.text import clean, one_line
from evals.harness import stored
from evals.harness.compare import Change, Compared, compared
from evals.harness.intervals import Interval
from evals.harness.types import Run, Unit

_COLOURS = {"worse": "bold red", "better": "green"}
_FAILURES = 5  # that are told; the file has all
_NAME = 60  # characters
_WHOLE = 1000  # from which on tenths say nothing
_FIRST = 3  # metrics of a measurement that are told even if they are the same


def tell(
    run: Run,
    name: str,
    results: Path | None,
    *,
    as_json: bool,
    against: Path | None = None,
    console: Console | None = None,
) -> tuple[Compared, ...]:
    """Compare the run with a stored one, by default the last of `results`, print it, and keep it in that folder.

    Raises BadRun for a file `against` that is none.
    """
    path = against or (stored.last(results, name) if results else None)
    beside = compared(run, stored.read(path) if path else None)
    out = console or Console(highlight=False, markup=False)
    if as_json:
        sys.stdout.write(json.dumps(stored.as_json(run, name), indent=2) + "\n")
    else:
        for one in beside:
            _print(one, out)
        out.print(_sum(beside, path), soft_wrap=True)
    if results:
        kept = stored.write(run, results, name)
        if not as_json:
            out.print(f"Kept in {kept}.", soft_wrap=True)
    return beside


def _print(one: Compared, out: Console) -> None:
    measured = one.measurement
    out.print(Text(f"{measured.part}: {measured.set}, {measured.way}", style="bold"), soft_wrap=True)
    told = [change for at, change in enumerate(one.changes) if at < _FIRST or change.verdict != "the same"]
    out.print(table_of(told))
    same = len(one.changes) - len(told)
    also = [f"And {same} more that are the same as then."] if same else []
    for sentence in (*also, *one.remarks, *measured.notes, *_failed(one)):
        out.print(f"  {clean(sentence)}", soft_wrap=True)
    out.print()


def table_of(changes: Iterable[Change]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for head in ("metric", "value, 95 %", "n", "before", "change, 95 %", ""):
        table.add_column(head, overflow="fold")
    for change in changes:
        unit = change.metric.unit
        table.add_row(
            one_line(change.metric.name, _NAME),
            shown_interval(change.now, unit),
            str(change.now.n),
            shown(change.before.value, unit) if change.before else "-",
            shown_difference(change.difference, unit) if change.difference else "-",
            change.verdict,
            style=_COLOURS.get(change.verdict),
        )
    return table


def shown(number: float, unit: Unit) -> str:
    """A number with its unit; scores and ratios have none."""
    return f"{_bare(number, unit)}{_after(unit)}"


def shown_interval(interval: Interval, unit: Unit) -> str:
    """The unit stands once, behind the number."""
    return f"{shown(interval.value, unit)} ({shown_range(interval, unit)})"


def shown_range(interval: Interval, unit: Unit) -> str:
    """The ends of the interval, without their unit."""
    return f"{_bare(interval.low, unit)} to {_bare(interval.high, unit)}"


def _bare(number: float, unit: Unit) -> str:
    if unit == "share":
        return f"{100 * number:.1f}"
    if unit in ("score", "ratio"):
        return f"{number:.3f}"
    if unit == "dollars":
        return f"{number:,.4f}" if abs(number) < 1 else f"{number:,.2f}"
    return f"{number:,.1f}" if abs(number) < _WHOLE else f"{number:,.0f}"


def _after(unit: Unit) -> str:
    return {"share": " %", "score": "", "ratio": "", "dollars": " $"}.get(unit, f" {unit}")


def shown_difference(change: Interval, unit: Unit) -> str:
    """With a sign; shares in points of a hundred."""
    scale, digits, after = (100, 1, " points") if unit == "share" else (1, 3 if unit in ("score", "ratio") else 1, "")
    numbers = [f"{scale * number:+,.{digits}f}" for number in (change.value, change.low, change.high)]
    return f"{numbers[0]}{after} ({numbers[1]} to {numbers[2]})"


def _failed(one: Compared) -> Iterator[str]:
    failures = one.measurement.failures
    for failure in failures[:_FAILURES]:
        yield f"Failed: {failure.case}, {failure.what}: {failure.reason}"
    if len(failures) > _FAILURES:
        yield f"And {len(failures) - _FAILURES} more failures."


def _sum(beside: Iterable[Compared], path: Path | None) -> Text:
    """What is to be looked at first."""
    if path is None:
        return Text("There is no stored run to compare with.")
    if not any(change.difference for one in beside for change in one.changes):
        return Text(f"{path.name} has nothing of what was measured, so nothing is compared.")
    worse = [f"{one.measurement.set}, {one.measurement.way}: {it.metric.name}" for one in beside for it in one.worse]
    if worse:
        return Text(f"Worse than {path.name} beyond noise: {'; '.join(worse)}.", style="bold red")
    return Text(f"Nothing is worse than {path.name} beyond noise.")
