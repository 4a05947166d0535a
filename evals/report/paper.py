"""What plots are drawn on: a page of dots counted from its upper left corner, kept as an SVG for light and dark."""

import re
from collections.abc import Callable
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Any

from bots.text import one_line
from crosscheck.letters import drawable, families

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MISSING = (
    "Plots are not drawn, since that needs the extra `map` (pip install 'crosscheck[map]'; in a checkout '.[map]'). "
    "Tables have their numbers."
)
WIDTH = 600
"""Of every plot, in dots."""
INK, SOFT, LINE, GROUND = "#1b1f24", "#4f5863", "#c3c9d0", "#ffffff"
BLUE, GOOD, BAD = "#0b57b0", "#14602c", "#a11219"

# What each colour is where dark is preferred: as in the console's style.css.
_DARK = {
    INK: "#e7eaee",
    SOFT: "#a9b2bd",
    LINE: "#444d57",
    GROUND: "#14171b",
    BLUE: "#8ab8ff",
    GOOD: "#7fd198",
    BAD: "#ff9a9a",
}
_LETTER = 9.0  # dots high, as fonts are measured
_ROOT = re.compile(rb"<svg\b[^>]*>")
_METADATA = ("Date", "Creator", "Format", "Type")  # would differ from day to day, or name addresses


def can_draw() -> bool:
    """Whether the library is installed."""
    return find_spec("matplotlib") is not None


class Paper:
    """A page of `WIDTH` by `height` dots, from the upper left corner."""

    def __init__(self, axes: "Axes") -> None:
        self._axes = axes

    def line(self, spots: list[tuple[float, float]], colour: str, width: float = 1.0, **style: Any) -> None:
        self._add(spots, color=colour, linewidth=width, **style)

    def mark(self, x: float, y: float, colour: str, *, hollow: bool = False, shape: str = "o", size: float = 6) -> None:
        face = GROUND if hollow else colour
        edge = {"markeredgecolor": colour, "markeredgewidth": 1.2}
        self._add([(x, y)], marker=shape, markersize=size, markerfacecolor=face, linestyle="none", **edge)

    def _add(self, spots: list[tuple[float, float]], **style: Any) -> None:
        """Without `Axes.plot`, which looks at the scales again for each line."""
        from matplotlib.lines import Line2D

        across, down = zip(*spots, strict=True)
        self._axes.add_line(Line2D(across, down, **style))

    def bar(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        from matplotlib.patches import Rectangle

        self._axes.add_patch(Rectangle((x, y), width, height, facecolor=colour, edgecolor="none", zorder=2.5))

    def write(
        self, x: float, y: float, text: str, colour: str = INK, *, width: float | None = None, **style: Any
    ) -> None:
        """Words as they are, no formula is read out of them; cut to the width."""
        place = {"va": "center_baseline", "size": _LETTER, "parse_math": False, **style}
        words = self._axes.text(x, y, drawable(text), color=colour, **place)
        while width and len(text) > 1 and (extent := words.get_window_extent().width) > width:
            text = one_line(text, min(len(text) - 1, max(1, int(len(text) * width / extent))))
            words.set_text(drawable(text))


def drawn(height: float, draw: Callable[[Paper], None]) -> bytes:
    """The SVG of what is drawn; the same bytes for the same drawing. Its words stay words."""
    from matplotlib import style
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    own = {"svg.fonttype": "none", "svg.hashsalt": "crosscheck", "font.family": [*families(), "sans-serif"]}
    with style.context(["default", own]):  # whatever the person's own settings of the library are
        figure = Figure((WIDTH / 72, height / 72), dpi=72, facecolor=GROUND)
        FigureCanvasAgg(figure)  # measures words
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(height, 0))
        axes.set_axis_off()
        draw(Paper(axes))
        made = BytesIO()
        figure.savefig(made, format="svg", dpi=72, metadata=dict.fromkeys(_METADATA))
    return _themed(made.getvalue())


def _themed(svg: bytes) -> bytes:
    """Without what stands before the root, and with the colours of the dark."""
    root = _ROOT.search(svg)
    if root is None:
        raise ValueError("matplotlib wrote no SVG")
    rules = "".join(
        f'[style*="{what}: {light}"]{{{what}:{dark}!important}}'
        for light, dark in _DARK.items()
        for what in ("fill", "stroke")
    )
    style = f"\n<style>@media (prefers-color-scheme: dark){{{rules}}}</style>"
    return root.group() + style.encode() + svg[root.end() :]
