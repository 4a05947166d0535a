"""A map as a picture of 1600 by 1200 dots."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from math import cos, hypot, pi, sin
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from bots.text import one_line
from crosscheck.letters import drawable, families
from crosscheck.map_look import look
from crosscheck.map_words import method, summary, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

# All lengths are in dots, counted from the lower left corner.
_WIDTH, _HEIGHT = 1600, 1200
_MARGIN = 40
_GROUND = (_MARGIN, 84, 1090, 986)  # left, bottom, width, height
_SIDE = 920  # of the unit square, in the middle of the ground
_BESIDE = 1165  # where the lists begin
_ROW = 34
_HIT_ROW = 46
_DOTS = 100  # an inch
_INK, _SOFT, _PALE, _LINE = "#1b2330", "#566070", "#f6f7f9", "#d8dde5"
_MARKERS = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "cross": "X",
    "wedge": "v",
    "plus": "P",
    "hexagon": "h",
}

Spot = tuple[float, float]


def picture(data: Mapping[str, Any]) -> bytes:
    """The PNG of `map_data`'s data."""
    from matplotlib import style
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with style.context("default"):  # whatever the person's own settings of the library are
        figure = Figure((_WIDTH / _DOTS, _HEIGHT / _DOTS), dpi=_DOTS, facecolor="white")
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, _WIDTH), ylim=(0, _HEIGHT))
        axes.set_axis_off()
        _frame(axes, data)
        _points(axes, data)
        _hits(axes, data)
        _lists(axes, data)
        made = BytesIO()
        figure.savefig(made, format="png", dpi=_DOTS, metadata={"Software": None})
    return made.getvalue()


def _frame(axes: "Axes", data: Mapping[str, Any]) -> None:
    """The words around the map, and the ground it lies on."""
    from matplotlib.patches import FancyBboxPatch

    heading = wrap(title(data), 90, max_lines=2, placeholder=" …")
    _block(axes, 1176, heading, 19, weight="bold")
    _block(axes, 1176 - 33 * len(heading) - 6, wrap(summary(data), 190), 10.5, _SOFT)
    _block(axes, 64, wrap(method(data), 215), 9, _SOFT)
    left, bottom, width, height = _GROUND
    rounded = "round,pad=0,rounding_size=12"
    axes.add_patch(FancyBboxPatch((left, bottom), width, height, rounded, facecolor=_PALE, edgecolor=_LINE))


def _at(thing: Mapping[str, Any]) -> Spot:
    left, bottom, width, height = _GROUND
    x, y = left + (width - _SIDE) / 2, bottom + (height - _SIDE) / 2
    return x + thing["x"] * _SIDE, y + thing["y"] * _SIDE


def _points(axes: "Axes", data: Mapping[str, Any]) -> None:
    """The largest source first, so that it covers no other."""
    size, alpha = (17 if len(data["points"]) > 1_000 else 30), (0.6 if data["question"] else 0.85)
    for number in sorted(range(len(data["sources"])), key=lambda number: -data["sources"][number]["drawn"]):
        spots = [_at(point) for point in data["points"] if point["source"] == number and not point["hit"]]
        _mark(axes, number, spots, size, alpha=alpha, edgecolors="#00000033", linewidths=0.4)


def _mark(axes: "Axes", number: int, spots: Sequence[Spot], size: float, **style: Any) -> None:
    if spots:
        colour, shape = look(number)
        across, up = zip(*spots, strict=True)
        axes.scatter(across, up, s=size, c=colour, marker=_MARKERS[shape], **style)


def _hits(axes: "Axes", data: Mapping[str, Any]) -> None:
    found = sorted((point for point in data["points"] if point["hit"]), key=lambda point: int(point["hit"]))
    taken = []
    if data["question"]:
        star = _at(data["question"])
        for hit in found:
            axes.plot(*zip(star, _at(hit), strict=True), color=_SOFT, linewidth=0.9, zorder=2)
        axes.scatter(*star, s=330, c=_INK, marker="*", edgecolors="white", linewidths=1.4, zorder=5)
        taken.append(star)
    for hit in found:
        spot = _at(hit)
        _mark(axes, hit["source"], [spot], 58, edgecolors=_INK, linewidths=1.1, zorder=4)
        beside = _free(spot, taken)
        taken.append(beside)
        axes.plot(*zip(spot, beside, strict=True), color=_INK, linewidth=0.8, zorder=3)
        _number(axes, beside, hit["hit"])


def _free(spot: Spot, taken: Sequence[Spot]) -> Spot:
    """A place for a hit's number beside it, where it covers no other; in a crowd that has none, the last one tried."""
    there = spot
    for away in range(24, 100, 12):
        for turn in range(12):
            there = spot[0] + away * sin(turn * pi / 6), spot[1] + away * cos(turn * pi / 6)
            if all(hypot(there[0] - x, there[1] - y) > 25 for x, y in taken):
                return there
    return there


def _number(axes: "Axes", spot: Spot, number: int) -> None:
    axes.scatter(*spot, s=250, c=_INK, edgecolors="white", linewidths=1, zorder=6)
    _write(axes, spot, str(number), 9, "white", weight="bold", ha="center", zorder=7)


def _lists(axes: "Axes", data: Mapping[str, Any]) -> None:
    """Sources and hits, as far as there is room for them."""
    found = sorted((point for point in data["points"] if point["hit"]), key=lambda point: int(point["hit"]))[:10]
    y = _GROUND[1] + _GROUND[3] - 8.0
    lowest = _GROUND[1] + (_HIT_ROW * len(found) + 60 if found else 0) + _ROW
    _write(axes, (_BESIDE, y), "SOURCES", 9, _SOFT, weight="bold")
    for number, source in enumerate(data["sources"]):
        y -= _ROW
        if y < lowest and number < len(data["sources"]) - 1:
            _write(axes, (_BESIDE, y), f"and {len(data['sources']) - number} more", 11, _SOFT)
            break
        drawn, total = source["drawn"], source["total"]
        _mark(axes, number, [(_BESIDE + 10, y)], 90, edgecolors="#00000080", linewidths=0.6)
        _entry(axes, (_BESIDE + 32, y), source["name"], 11, width=250)
        count = f"{total:,}" if drawn == total else f"{drawn:,} of {total:,}"
        _write(axes, (_WIDTH - _MARGIN, y), count, 10, _SOFT, ha="right")
    if found:
        y -= _ROW + 20
        _write(axes, (_BESIDE, y), "HITS", 9, _SOFT, weight="bold")
        for hit in found:
            y -= _HIT_ROW if hit is not found[0] else _ROW
            _number(axes, (_BESIDE + 10, y), hit["hit"])
            _entry(axes, (_BESIDE + 32, y + 9), hit["title"], 10.5, width=360)
            where = f"{hit['kind']} in {data['sources'][hit['source']]['name']}"
            _entry(axes, (_BESIDE + 32, y - 10), where, 9, _SOFT, width=360)


def _entry(axes: "Axes", spot: Spot, text: str, size: float, colour: str = _INK, *, width: float) -> None:
    """One line of a list, cut to the width."""
    words = _write(axes, spot, text, size, colour)
    while (extent := words.get_window_extent().width) > width and len(text) > 1:
        text = one_line(text, min(len(text) - 1, int(len(text) * width / extent)))
        words.set_text(drawable(text))


def _block(axes: "Axes", top: float, lines: Sequence[str], size: float, colour: str = _INK, **style: Any) -> None:
    """Lines across the whole picture, made smaller if they do not fit."""
    words = _write(axes, (_MARGIN, top), "\n".join(lines), size, colour, va="top", **style)
    extent = words.get_window_extent().width
    words.set_fontsize(size * min(1.0, (_WIDTH - 2 * _MARGIN) / max(extent, 1.0)))


def _write(axes: "Axes", spot: Spot, text: str, size: float, colour: str = _INK, **style: Any) -> "Text":
    """Words as they are: no formula is read out of them."""
    place = {"va": "center_baseline", **style}
    return axes.text(*spot, drawable(text), size=size, color=colour, family=list(families()), parse_math=False, **place)
