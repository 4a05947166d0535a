"""Charts: the numbers that they were last drawn with (ECMA-376 part 1, 21.2), as a table.

Read as elements, since python-pptx knows neither stock and surface charts nor most of those in three dimensions.
"""

from bisect import bisect_right
from collections.abc import Iterator

from core.parsing import markdown
from core.parsing.office.drawingml import plain
from core.parsing.office.package import Element, local, whole

MAX_POINTS = 1_000
MAX_SERIES = 50

_FARTHEST = 10 * MAX_POINTS  # index of a point that is looked at, to know whether there are more


def chart_text(root: Element) -> str:
    """Kind, title, axes, and a row for each category. What is left out is said within. Raises nothing."""
    area = root.find("{*}chart/{*}plotArea")
    if area is None:
        return ""
    plots = [plot for plot in area if local(plot).endswith("Chart")]
    kinds = " and ".join(dict.fromkeys(local(plot).removesuffix("Chart").removesuffix("3D") for plot in plots))
    title = _title(root.find("{*}chart"))
    axes = [name for axis in area if local(axis).endswith("Ax") and (name := _title(axis))]
    head = f"Chart ({kinds})" + (f": {title}" if title else "")
    return markdown.join([head, f"Axes: {', '.join(axes)}" if axes else "", *_tables(plots)])


def _tables(plots: list[Element]) -> Iterator[str]:
    """Series over the same categories share a table."""
    shared: dict[tuple[tuple[str, ...], str], list[tuple[str, dict[int, str]]]] = {}
    series = [one for plot in plots for one in plot.iterfind("{*}ser")]
    for one in series[:MAX_SERIES]:
        across = _points(one, "cat") or _points(one, "xVal")
        values = _points(one, "val") or _points(one, "yVal")
        sizes = _points(one, "bubbleSize")
        if sizes:
            values = {
                index: f"{value} (size {sizes[index]})" if index in sizes else value for index, value in values.items()
            }
        length = 1 + max([*across, *values], default=-1)
        names = tuple(across.get(index, "") for index in range(min(length, MAX_POINTS)))
        note = f"[points after {MAX_POINTS:,} not read]" if length > MAX_POINTS else ""
        shared.setdefault((names, note), []).append((_name(one), values))
    for (names, note), columns in shared.items():
        rows = [[name, *(values.get(at, "") for _title, values in columns)] for at, name in enumerate(names)]
        yield markdown.table([["", *(title for title, _values in columns)], *rows])
        yield note
    if len(series) > MAX_SERIES:
        yield f"[series after {MAX_SERIES} not read]"


def _points(series: Element, name: str) -> dict[int, str]:
    """The cached points by index. Categories of several levels read from the outermost inwards."""
    holder = series.find(f"{{*}}{name}")
    if holder is None:
        return {}
    levels = list(holder.iter("{*}lvl")) or [holder]
    points: dict[int, str] = {}
    for level in reversed(levels):
        outer, points = points, {}
        starts = sorted(outer)
        for point in level.iter("{*}pt"):
            index = whole(point.get("idx"), _FARTHEST)
            if index < _FARTHEST:
                text = _number(point.findtext("{*}v") or "")
                above = bisect_right(starts, index)
                points[index] = f"{outer[starts[above - 1]]} / {text}" if above else text
    return points


def _number(text: str) -> str:
    """Without the noise of binary fractions."""
    try:
        return format(float(text), ".15g") if "." in text else text
    except ValueError:
        return text


def _name(series: Element) -> str:
    holder = series.find("{*}tx")
    return "" if holder is None else markdown.one_line(" ".join(value.text or "" for value in holder.iter("{*}v")))


def _title(holder: Element) -> str:
    title = holder.find("{*}title")
    if title is None:
        return ""
    rich = title.find("{*}tx/{*}rich")
    return plain(rich) if rich is not None else markdown.one_line(" ".join(v.text or "" for v in title.iter("{*}v")))
