"""The plots of a run, each an SVG: values with their 95 % intervals, and what they were as hollow marks."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from crosscheck.map_look import look
from evals.harness.compare import Change, Verdict
from evals.harness.intervals import Interval
from evals.harness.told import shown
from evals.harness.types import Unit
from evals.report.paper import BAD, BLUE, GOOD, INK, LINE, SOFT, WIDTH, Paper, drawn

MOST_TICKETS = 40
"""Of a plot of wins: the largest gains and the largest losses."""

_LEFT, _RIGHT = 196, 496  # of the ground of a plot with a name before each row and a value behind it
_ROW = 24
_FOOT = 44  # below the rows: what the scale says, and what the marks are
_BESIDE = 6  # that what was before lies below what is now
_NARROWEST = 0.01  # of a scale
_LOOKS: Mapping[Verdict, tuple[str, str]] = {"worse": (BAD, "v"), "better": (GOOD, "^")}
_RECALL = re.compile(r"recall@(\d{1,4})(.*)")
_SHAPES = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "cross": "X",
    "wedge": "v",
    "plus": "P",
    "hexagon": "h",
}


@dataclass(frozen=True, slots=True)
class Scale:
    """Where a number stands between two edges of the paper."""

    low: float
    high: float
    left: float = _LEFT
    right: float = _RIGHT

    def at(self, number: float) -> float:
        share = (number - self.low) / (self.high - self.low)
        return self.left + (self.right - self.left) * min(1.0, max(0.0, share))

    def draw(self, paper: Paper, top: float, bottom: float, unit: Unit) -> None:
        """Lines down the ground, and their numbers below it."""
        for tick in _ticks(self.low, self.high):
            x = self.at(tick)
            paper.line([(x, top), (x, bottom)], SOFT if tick == 0 and self.low < 0 else LINE, 0.8)
            paper.write(x, bottom + 10, _short(tick, unit), SOFT, ha="center", size=8)

    def interval(self, paper: Paper, y: float, found: Interval, colour: str, width: float) -> None:
        paper.line([(self.at(found.low), y), (self.at(found.high), y)], colour, width, solid_capstyle="butt")


@dataclass(frozen=True, slots=True)
class Dot:
    """A row of a forest plot."""

    name: str
    now: Interval
    before: Interval | None = None
    verdict: Verdict = "new"


def shares(changes: Iterable[Change]) -> tuple[Change, ...]:
    """What a forest plot shows of a measurement."""
    return tuple(change for change in changes if change.metric.unit == "share")


def forest(changes: Sequence[Change]) -> bytes:
    """Shares on one scale from 0 to 100 %."""
    dots = [Dot(it.metric.name, it.now, it.before, it.verdict) for it in changes]
    bottom = 8 + _ROW * len(dots)

    def draw(paper: Paper) -> None:
        _dots(paper, dots, Scale(0, 1), 8, "share")
        _marks(paper, bottom + 28, changes)

    return drawn(bottom + _FOOT, draw)


def curves(changes: Iterable[Change]) -> Mapping[str, tuple[tuple[int, Change], ...]]:
    """Recall over k, by what it is the recall of; only where there is more than one k."""
    found: dict[str, list[tuple[int, Change]]] = defaultdict(list)
    for change in changes:
        if named := _RECALL.fullmatch(change.metric.name):
            found[named[2].strip()].append((int(named[1]), change))
    return {name: tuple(sorted(some, key=lambda it: it[0])) for name, some in found.items() if len(some) > 1}


def recall(found: Mapping[str, Sequence[tuple[int, Change]]]) -> bytes:
    """A curve for each source; what was before is dashed."""
    top, bottom, left, right = 16, 236, 60, 460
    ks = sorted({k for curve in found.values() for k, _ in curve})
    first, last = log(max(ks[0], 1)), log(max(ks[-1], 2))

    def x(k: int) -> float:
        return left + (right - left) * (log(max(k, 1)) - first) / (last - first)

    def y(number: float) -> float:
        return bottom + (top - bottom) * number

    def draw(paper: Paper) -> None:
        for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
            paper.line([(left - 8, y(tick)), (right + 8, y(tick))], LINE, 0.8)
            paper.write(left - 14, y(tick), _short(tick, "share"), SOFT, ha="right", size=8)
        for k in ks:
            paper.write(x(k), bottom + 14, str(k), SOFT, ha="center", size=8)
        paper.write((left + right) / 2, bottom + 32, "first k results (logarithmic)", SOFT, ha="center")
        for number, (name, curve) in enumerate(found.items()):
            colour, shape = (BLUE, "circle") if len(found) == 1 else look(number)
            was = [(x(k), y(it.before.value)) for k, it in curve if it.before]
            if len(was) > 1:
                paper.line(was, colour, 1, linestyle="--")
            for spot in was:
                paper.mark(*spot, colour, hollow=True, shape=_SHAPES[shape], size=5)
            paper.line([(x(k), y(it.now.value)) for k, it in curve], colour, 2)
            for k, it in curve:
                paper.line([(x(k), y(it.now.low)), (x(k), y(it.now.high))], colour, 1)
                paper.mark(x(k), y(it.now.value), colour, shape=_SHAPES[shape])
            paper.mark(right + 24, top + 18 * number, colour, shape=_SHAPES[shape])
            paper.write(right + 34, top + 18 * number, name or "all sources", width=WIDTH - right - 40)
        if any(it.before for curve in found.values() for _, it in curve):
            below = top + 18 * len(found)
            paper.line([(right + 16, below), (right + 32, below)], SOFT, 1, linestyle="--")
            paper.write(right + 38, below, "before", SOFT)

    return drawn(bottom + 48, draw)


def dots(rows: Sequence[Dot], unit: Unit, title: str) -> bytes:
    """Values with their intervals, on one scale from 0 or below; scores up to 1."""
    return _titled(rows, title, _around(rows, 1.0 if unit == "score" else 0.0), unit)


def gains(rows: Sequence[Dot], title: str) -> bytes:
    """Differences of a score around zero."""
    return _titled(rows, title, _around(rows, 0.0), "score", signed=True)


def _titled(rows: Sequence[Dot], title: str, scale: Scale, unit: Unit, *, signed: bool = False) -> bytes:
    top = 26

    def draw(paper: Paper) -> None:
        paper.write(scale.left, 12, title, SOFT)
        _dots(paper, rows, scale, top, unit, signed=signed)

    return drawn(top + _ROW * len(rows) + 22, draw)


def _dots(paper: Paper, rows: Sequence[Dot], scale: Scale, top: float, unit: Unit, *, signed: bool = False) -> None:
    scale.draw(paper, top, top + _ROW * len(rows), unit)
    for number, row in enumerate(rows):
        y = top + _ROW * (number + 0.5)
        colour, shape = _LOOKS.get(row.verdict, (BLUE, "o"))
        if row.before:
            scale.interval(paper, y + _BESIDE, row.before, SOFT, 1)
            paper.mark(scale.at(row.before.value), y + _BESIDE, SOFT, hollow=True, size=4.5)
        scale.interval(paper, y, row.now, colour, 2)
        paper.mark(scale.at(row.now.value), y, colour, shape=shape, size=6.5)
        paper.write(8, y, row.name, width=scale.left - 20)
        said = f"{row.now.value:+.3f}" if signed else shown(row.now.value, unit)
        told = f"{said} {row.verdict}" if row.verdict in _LOOKS else said
        paper.write(scale.right + 12, y, told, colour if row.verdict in _LOOKS else INK, width=WIDTH - scale.right - 14)


def _marks(paper: Paper, y: float, changes: Iterable[Change]) -> None:
    """What the marks are."""
    x = float(_LEFT)
    entries = [("now", BLUE, "o", False), ("before", SOFT, "o", True), ("better", GOOD, "^", False)]
    entries.append(("worse", BAD, "v", False))
    there = {it.verdict for it in changes} | {"now"} | ({"before"} if any(it.before for it in changes) else set())
    for name, colour, shape, hollow in entries:
        if name in there:
            paper.mark(x, y, colour, hollow=hollow, shape=shape)
            paper.write(x + 8, y, name, SOFT, size=8)
            x += 60
    paper.write(x, y, "lines: 95 % intervals", SOFT, size=8)


def wins(tickets: Sequence[tuple[str, float, float]]) -> bytes:
    """Each ticket's score in the baseline (hollow) and with Crosscheck (full), and the gain between them."""
    ends = MOST_TICKETS // 2
    shown_ones = [*tickets[:ends], *tickets[-ends:]] if len(tickets) > MOST_TICKETS else list(tickets)
    bottom = 8 + _ROW * len(shown_ones)
    scale = Scale(0, 1)

    def draw(paper: Paper) -> None:
        scale.draw(paper, 8, bottom, "score")
        for number, (name, baseline, crosscheck) in enumerate(shown_ones):
            y, gain = 8 + _ROW * (number + 0.5), crosscheck - baseline
            colour = GOOD if gain > 0 else BAD if gain < 0 else SOFT
            paper.line([(scale.at(baseline), y), (scale.at(crosscheck), y)], colour, 2)
            paper.mark(scale.at(baseline), y, SOFT, hollow=True, size=7)
            paper.mark(scale.at(crosscheck), y, colour, size=5)
            paper.write(8, y, name, width=_LEFT - 20)
            paper.write(_RIGHT + 12, y, f"{gain:+.3f}", colour)
        paper.mark(_LEFT, bottom + 28, SOFT, hollow=True, size=7)
        paper.write(_LEFT + 8, bottom + 28, "baseline", SOFT, size=8)
        paper.mark(_LEFT + 68, bottom + 28, GOOD, size=5)
        paper.write(_LEFT + 76, bottom + 28, "with Crosscheck: wins", SOFT, size=8)
        paper.mark(_LEFT + 186, bottom + 28, BAD, size=5)
        paper.write(_LEFT + 194, bottom + 28, "loses", SOFT, size=8)

    return drawn(bottom + _FOOT, draw)


def latency(paths: Sequence[tuple[str, float, float | None, float]]) -> bytes:
    """For each path its own time with the budget as a mark, and beside it the model's, each on its own scale."""
    top = 26
    bottom = top + _ROW * len(paths)
    own = Scale(0, _ticks(0, max([1.0, *(max(mine, most or 0) for _, mine, most, _ in paths)]))[-1], 176, 306)
    model = Scale(0, _ticks(0, max([1.0, *(theirs for *_, theirs in paths)]))[-1], 396, 526)

    def draw(paper: Paper) -> None:
        for scale, title in ((own, "own time, ms"), (model, "model's time, ms")):
            paper.write(scale.left, 12, title, SOFT)
            scale.draw(paper, top, bottom, "ms")
        for number, (name, mine, most, theirs) in enumerate(paths):
            y = top + _ROW * (number + 0.5)
            over = most is not None and mine > most
            paper.write(8, y, name, width=160)
            paper.bar(own.left, y - 5, own.at(mine) - own.left, 10, BAD if over else BLUE)
            if most is not None:
                paper.line([(own.at(most), y - 9), (own.at(most), y + 9)], INK, 2, zorder=3)
            paper.write(own.right + 10, y, f"{mine:,.1f}{' over' if over else ''}", BAD if over else INK)
            paper.bar(model.left, y - 5, model.at(theirs) - model.left, 10, SOFT)
            paper.write(model.right + 10, y, f"{theirs:,.1f}", SOFT)
        if any(most is not None for *_, most, _ in paths):
            paper.line([(own.left, bottom + 20), (own.left, bottom + 34)], INK, 2)
            paper.write(own.left + 8, bottom + 27, "budget of the own time", SOFT, size=8)

    return drawn(bottom + _FOOT, draw)


def _around(rows: Sequence[Dot], least: float) -> Scale:
    """From 0, or below the lowest end of an interval, to above the highest."""
    low, high = min([0.0, *(row.now.low for row in rows)]), max([least, *(row.now.high for row in rows)])
    if high - low < _NARROWEST:  # nothing differs from zero
        low, high = -_NARROWEST, _NARROWEST
    ticks = _ticks(low, high)
    return Scale(ticks[0], ticks[-1])


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers, the first at or below the lowest, the last at or above the highest; at least two."""
    from matplotlib.ticker import MaxNLocator

    return [round(float(tick), 9) for tick in MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)]


def _short(number: float, unit: Unit) -> str:
    """Of a scale's line."""
    return f"{100 * number:.0f} %" if unit == "share" else f"{number:,g}"
