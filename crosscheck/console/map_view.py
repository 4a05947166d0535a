"""The map page: what the viewer may read of the index, each passage near those that are like it. Drawn on demand."""

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import cos, hypot, log, pi, sin
from typing import Any

from bots.text import one_line
from core.embedding.sparse import FUNCTION_TERMS
from core.tokens import terms
from crosscheck.console.flow import LONGEST, TOLD
from crosscheck.console.views import Shown, View, Visit
from crosscheck.errors import CrosscheckError
from crosscheck.map_look import look
from crosscheck.map_projection import check_installed
from crosscheck.map_words import method

MOST = 2_000
"""Passages on one page: each is an element of it."""
SIDE = 720
"""Of the drawing, a square, in its own units."""

_MARGIN = 26
_APART = 21  # between the numbers of two hits
_LINE = 160
_WORDS = 4
_WORD = re.compile(r"[^\W\d_]{4,}")
_ROWS, _SIDES = ("top", "middle", "bottom"), ("left", "centre", "right")

Spot = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Mark:
    """A passage."""

    x: float
    y: float
    title: str


@dataclass(frozen=True, slots=True)
class Group:
    """The passages of a source, and what they are drawn with."""

    name: str
    colour: str
    shape: str
    drawn: int
    total: int
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class MapHit:
    """A passage that was found for the question; its number stands beside it."""

    number: int
    x: float
    y: float
    beside: Spot
    title: str
    kind: str
    source: str
    colour: str
    shape: str
    url: str


@dataclass(frozen=True, slots=True)
class Area:
    """A ninth of the map, in words."""

    name: str
    passages: int
    sources: tuple[tuple[str, int], ...]
    """The largest first."""
    words: tuple[str, ...]
    """That its titles have in common, more than those elsewhere."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """All that is drawn."""

    groups: tuple[Group, ...]
    question: Spot | None
    hits: tuple[MapHit, ...]
    areas: tuple[Area, ...]
    drawn: int
    total: int
    method: str
    side: int = SIDE


@dataclass(frozen=True, slots=True)
class MapPage:
    """All that the template shows."""

    text: str = ""
    error: str = ""
    drawing: Drawing | None = None


class MapView:
    """Draws maps, one at a time: each keeps a processor busy for seconds."""

    def __init__(self) -> None:
        self._drawing = threading.Lock()

    def answer(self, visit: Visit) -> Shown:
        """The page for the query of its address; the map itself only where `draw` is in it. What cannot be drawn is
        said in it. Only what the viewer's labels allow is in the map or moves anything in it.
        """
        page = self._page(visit)
        return Shown("map.html", {"page": page, "longest": LONGEST}, 422 if page.error else 200)

    def _page(self, visit: Visit) -> MapPage:
        page = MapPage(visit.word("q", limit=LONGEST))
        if "draw" not in visit.query:
            return page
        if len(visit.query.get("q", "")) > LONGEST:
            return replace(page, error=f"A question may have {LONGEST} characters. Ask with fewer words.")
        if not self._drawing.acquire(blocking=False):
            return replace(page, error="Another map is being drawn just now. Try again in a minute.")
        try:
            return _drawn(page, visit)
        finally:
            self._drawing.release()


def _drawn(page: MapPage, visit: Visit) -> MapPage:
    try:
        check_installed()
    except CrosscheckError as error:  # names a package, nothing of what is set up here
        return replace(page, error=str(error))
    try:
        data = visit.run("map", text=page.text or None, audience=visit.viewer.audience)
    except TOLD as error:
        return replace(page, error=str(error))
    return replace(page, drawing=drawing(data))


def drawing(data: Mapping[str, Any], most: int = MOST) -> Drawing:
    """The drawing of `map_data`'s data, or of a fair part of it: the hits and as many passages of each source."""
    shown = {**data, "points": _sampled(data["points"], most)}
    by_source = defaultdict(list)
    for point in shown["points"]:
        by_source[point["source"]].append(point)
    names = [source["name"] for source in data["sources"]]
    question = _at(data["question"]) if data["question"] else None
    return Drawing(
        groups=tuple(_group(number, source, by_source[number]) for number, source in enumerate(data["sources"])),
        question=question,
        hits=tuple(_hits(shown["points"], names, question)),
        areas=tuple(_areas(shown["points"], names)),
        drawn=len(shown["points"]),
        total=data["total"],
        method=method(shown),
    )


def _sampled(points: Sequence[Mapping[str, Any]], most: int) -> list[Mapping[str, Any]]:
    """In their order."""
    seen: Counter[int] = Counter()
    turns = []
    for place, point in enumerate(points):
        turns.append((not point["hit"], seen[point["source"]], place))
        seen[point["source"]] += 1
    return [points[place] for place in sorted(place for _, _, place in sorted(turns)[:most])]


def _at(thing: Mapping[str, Any]) -> Spot:
    """From the unit square, whose y goes up, to the drawing's, whose y goes down."""
    inner = SIDE - 2 * _MARGIN
    return round(_MARGIN + thing["x"] * inner, 1), round(_MARGIN + (1 - thing["y"]) * inner, 1)


def _group(number: int, source: Mapping[str, Any], points: Sequence[Mapping[str, Any]]) -> Group:
    marks = tuple(Mark(*_at(point), one_line(point["title"], _LINE)) for point in points if not point["hit"])
    return Group(source["name"], *look(number), drawn=len(points), total=source["total"], marks=marks)


def _hits(points: Iterable[Mapping[str, Any]], names: Sequence[str], question: Spot | None) -> Iterator[MapHit]:
    found = sorted((point for point in points if point["hit"]), key=lambda point: int(point["hit"]))
    taken = [_at(point) for point in found] + ([question] if question else [])
    for point in found:
        x, y = _at(point)
        beside = _free((x, y), taken)
        taken.append(beside)
        yield MapHit(
            point["hit"],
            x,
            y,
            beside,
            one_line(point["title"], _LINE),
            one_line(point["kind"], _LINE),
            names[point["source"]],
            *look(point["source"]),
            point["url"],
        )


def _free(spot: Spot, taken: Sequence[Spot]) -> Spot:
    """Where a number stands beside its hit and covers neither a number nor another hit; in a crowd without such a
    place, the last tried.
    """
    there = spot
    others = [other for other in taken if other != spot]
    for away in (20, 30, 42, 56, 72):
        for turn in range(12):
            x, y = spot[0] + away * sin(turn * pi / 6), spot[1] - away * cos(turn * pi / 6)
            there = round(x, 1), round(y, 1)
            inside = all(12 <= each <= SIDE - 12 for each in there)
            if inside and all(hypot(x - other[0], y - other[1]) > _APART for other in others):
                return there
    return there


def _areas(points: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Iterator[Area]:
    """The ninths that hold anything, from the top left, row by row."""
    within = defaultdict(list)
    for point in points:
        row, side = min(int((1 - point["y"]) * 3), 2), min(int(point["x"] * 3), 2)
        within[max(row, 0), max(side, 0)].append(point)
    everywhere = _titles_with(points)
    for (row, side), some in sorted(within.items()):
        sources = Counter(names[point["source"]] for point in some)
        yield Area(
            name=f"{_ROWS[row]} {_SIDES[side]}",
            passages=len(some),
            sources=tuple(sources.most_common()),
            words=_telling(_titles_with(some), everywhere, len(points)),
        )


def _titles_with(points: Iterable[Mapping[str, Any]]) -> Counter[str]:
    found = Counter(word for point in points for word in set(_WORD.findall(point["title"].casefold())))
    return Counter({word: count for word, count in found.items() if not FUNCTION_TERMS.issuperset(terms(word))})


def _telling(here: Mapping[str, int], everywhere: Mapping[str, int], total: int) -> tuple[str, ...]:
    """The words of more than one title here, weighed by how rare they are in all titles (TF-IDF)."""
    weights = {word: count * log(total / everywhere[word]) for word, count in here.items() if count > 1}
    best = sorted(weights, key=lambda word: (-weights[word], word))
    return tuple(word for word in best[:_WORDS] if weights[word] > 0)


VIEWS = (View("/map", "map", MapView().answer, menu="Map"),)
