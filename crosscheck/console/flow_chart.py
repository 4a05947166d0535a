"""The way of each candidate of a search, as numbers to draw and as rows to read. No I/O.

The columns stand in the order of the search: what was looked up by its name, the arms (which are asked side by side),
the fusion of their lists, the reranker, the results. Down a column go ranks, on a logarithmic scale: who came first
matters more than who came fortieth.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Any, Literal

from bots.text import one_line

Stage = Literal["lookup", "arm", "fusion", "reranker", "result"]

WIDTH = 1120
"""Of the drawing, in its own units; about a dot each on a wide screen."""
_LEFT, _RIGHT = 46, 798  # of the first and the last column
_TOP, _TALL = 104, 396  # of the first rank, and down to the last
_BESIDE = 46  # that a stage's band is wider than its columns, in all
_BOTTOM = 28
_BEND = 4.0  # ranks after which the scale begins to shrink
_TICKS = (1, 2, 5, 10, 20, 50, 100, 200)
_TITLE = 120  # characters
_LABEL = 38
_FATE = 160
_RESULT = "result "
_LIKE = "like "
_KINDS = {"comment": "ticket", "history": "ticket", "file": "page", "attachment": "page"}
_DRAWN = ("ticket", "page", "code", "commit")


@dataclass(frozen=True, slots=True)
class Column:
    """A stage of the search, or one of its arms."""

    stage: Stage
    name: str
    """As the trace calls an arm; empty for the other stages."""
    head: tuple[str, ...]
    """Its title, a line each."""
    note: str
    x: float


@dataclass(frozen=True, slots=True)
class Band:
    """The ground of a stage's columns."""

    title: str
    middle: float
    """Of its columns."""
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a candidate stands in a column."""

    x: float
    y: float
    rank: int


@dataclass(frozen=True, slots=True)
class Way:
    """What became of one candidate."""

    number: int
    title: str
    label: str
    """Short, for beside the line."""
    kind: str
    colour: str
    """`ticket`, `page`, `code`, `commit` or `other`: the class it is drawn as."""
    result: int | None
    fate: str
    """In words."""
    ranks: tuple[int | None, ...]
    """By column."""
    score: float | None
    """The reranker's."""
    spots: tuple[Spot, ...]
    line: str
    """An SVG path through the spots."""

    @property
    def end(self) -> Spot:
        return self.spots[-1]


@dataclass(frozen=True, slots=True)
class Chart:
    """All that is drawn. The ways that are no result come first, so that results lie above them."""

    columns: tuple[Column, ...]
    bands: tuple[Band, ...]
    ticks: tuple[Spot, ...]
    """What the heights mean, but for the results."""
    ways: tuple[Way, ...]
    width: int
    height: int

    @property
    def results(self) -> list[Way]:
        """In their order."""
        return sorted((way for way in self.ways if way.result), key=lambda way: way.result or 0)

    @property
    def others(self) -> list[Way]:
        """In the order of the fusion."""
        return [way for way in self.ways if not way.result]

    @property
    def colours(self) -> list[str]:
        """Those of the results."""
        there = {way.colour for way in self.results}
        return [colour for colour in (*_DRAWN, "other") if colour in there]


def chart(trace: Mapping[str, Any]) -> Chart:
    """The drawing of `trace_record`'s trace."""
    candidates: Sequence[Mapping[str, Any]] = trace["candidates"]
    columns = _columns(trace)
    reranked, held = _reranked(candidates), _held(candidates)
    ranks = [_ranks(one, columns, reranked) for one in candidates]
    deepest = max((rank for row in ranks for rank in row[:-1] if rank), default=1)
    heights = _Heights(deepest, max((row[-1] or 0 for row in ranks), default=0))
    ways = [
        _way(number, one, columns, row, heights, held)
        for number, (one, row) in enumerate(zip(candidates, ranks, strict=True), 1)
    ]
    return Chart(
        columns=columns,
        bands=tuple(_bands(columns)),
        ticks=tuple(Spot(columns[0].x, heights.of(rank, last=False), rank) for rank in _ticks(deepest)),
        ways=tuple(sorted(ways, key=lambda way: way.result is not None)),
        width=WIDTH,
        height=_TOP + _TALL + _BOTTOM,
    )


class _Heights:
    """Where a rank stands in a column."""

    def __init__(self, deepest: int, results: int) -> None:
        self._all = log(1 + (deepest - 1) / _BEND) or 1.0
        self._results = max(results - 1, 9)

    def of(self, rank: int, *, last: bool) -> float:
        """Results, whose titles stand beside them, are spread evenly."""
        share = (rank - 1) / self._results if last else log(1 + (rank - 1) / _BEND) / self._all
        return round(_TOP + _TALL * share, 1)


def _columns(trace: Mapping[str, Any]) -> tuple[Column, ...]:
    candidates = trace["candidates"]
    found: list[tuple[Stage, str, tuple[str, ...], str]] = []
    if trace["keys"] or any(one["fused"] is None for one in candidates):
        found.append(("lookup", "", ("by name",), ""))
    for name in dict.fromkeys(arm["name"] for arm in trace["arms"]):
        hits = sum(arm["hits"] for arm in trace["arms"] if arm["name"] == name)
        found.append(("arm", name, _head(name), f"{hits} found"))
    if trace["arms"]:
        found.append(("fusion", "", ("all arms",), ""))
    if any(one["reranked"] is not None for one in candidates):
        found.append(("reranker", "", ("by its score",), ""))
    found.append(("result", "", ("shown",), ""))
    apart = (_RIGHT - _LEFT) / max(len(found) - 1, 1)
    return tuple(
        Column(stage, name, head, note, round(_LEFT + apart * place, 1))
        for place, (stage, name, head, note) in enumerate(found)
    )


def _head(name: str) -> tuple[str, ...]:
    first, _, rest = one_line(name, 24).partition(" ")
    return (first, rest) if rest else (first,)


_TITLES: Mapping[Stage, str] = {
    "lookup": "Looked up",
    "arm": "Arms, asked side by side",
    "fusion": "Fusion",
    "reranker": "Reranker",
    "result": "Results",
}


def _bands(columns: Sequence[Column]) -> Iterator[Band]:
    apart = columns[1].x - columns[0].x if len(columns) > 1 else _BESIDE * 2
    beside = min(_BESIDE, apart / 2 - 6)
    for stage, title in _TITLES.items():
        mine = [column.x for column in columns if column.stage == stage]
        if mine:
            right = WIDTH if stage == "result" else mine[-1] + beside  # the titles of the results stand in their band
            yield Band(title, sum(mine) / len(mine), round(mine[0] - beside, 1), round(right - mine[0] + beside, 1))


def _reranked(candidates: Iterable[Mapping[str, Any]]) -> Mapping[str, int]:
    """Places by the reranker's score alone."""
    scored = [one for one in candidates if one["reranked"] is not None]
    scored.sort(key=lambda one: (-one["reranked"], one["fused"] or 0))
    return {one["id"]: place for place, one in enumerate(scored, 1)}


def _ranks(one: Mapping[str, Any], columns: Iterable[Column], reranked: Mapping[str, int]) -> tuple[int | None, ...]:
    result = _result(one)
    places: Mapping[Stage, int | None] = {
        "lookup": result if one["fused"] is None else None,
        "fusion": one["fused"],
        "reranker": reranked.get(one["id"]),
        "result": result,
    }
    return tuple(one["ranks"].get(column.name) if column.stage == "arm" else places[column.stage] for column in columns)


def _result(one: Mapping[str, Any]) -> int | None:
    return int(one["fate"].removeprefix(_RESULT)) if one["fate"].startswith(_RESULT) else None


def _held(candidates: Iterable[Mapping[str, Any]]) -> Mapping[str, int]:
    """How many results each document has."""
    held: dict[str, int] = {}
    for one in candidates:
        if _result(one):
            held[one["document_id"]] = held.get(one["document_id"], 0) + 1
    return held


def _way(
    number: int,
    one: Mapping[str, Any],
    columns: Sequence[Column],
    ranks: tuple[int | None, ...],
    heights: _Heights,
    held: Mapping[str, int],
) -> Way:
    spots = tuple(
        Spot(column.x, heights.of(rank, last=column.stage == "result"), rank)
        for column, rank in zip(columns, ranks, strict=True)
        if rank is not None
    ) or (Spot(columns[0].x, _TOP, 1),)
    kind = _KINDS.get(one["kind"], one["kind"])
    return Way(
        number=number,
        title=one_line(one["title"], _TITLE),
        label=one_line(one["title"], _LABEL),
        kind=one_line(one["kind"], _LABEL),
        colour=kind if kind in _DRAWN else "other",
        result=_result(one),
        fate=_fate(one, held),
        ranks=ranks,
        score=one["reranked"],
        spots=spots,
        line=_line(spots),
    )


def _fate(one: Mapping[str, Any], held: Mapping[str, int]) -> str:
    fate, result, mine = str(one["fate"]), _result(one), held.get(one["document_id"], 0)
    if result:
        return f"kept as result {result}" + (", looked up by its name" if one["fused"] is None else "")
    if fate.startswith(_LIKE):
        return f"left out: almost the same as {one_line(fate.removeprefix(_LIKE), _FATE)}"
    if mine:
        return f"cut: its document has {mine} {'result' if mine == 1 else 'results'} already, and others rank higher"
    return "cut: other candidates took the places"


def _line(spots: Sequence[Spot]) -> str:
    """A curve that leaves and reaches each column level."""
    parts = [f"M{spots[0].x:g} {spots[0].y:g}"]
    for one, other in pairwise(spots):
        middle = round((one.x + other.x) / 2, 1)
        parts.append(f"C{middle:g} {one.y:g} {middle:g} {other.y:g} {other.x:g} {other.y:g}")
    return "".join(parts)


def _ticks(deepest: int) -> list[int]:
    return [tick for tick in _TICKS if tick <= deepest]
