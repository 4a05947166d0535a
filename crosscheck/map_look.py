"""How the sources of a map look, on the page and in the picture: each by a colour and a shape."""

from typing import NamedTuple

# Okabe and Ito, Color Universal Design, 2008: told apart by people of any colour vision; without black, which is the
# question's, and with yellow last, which is weak on white.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
_SHAPES = ("circle", "square", "triangle", "diamond", "cross", "wedge", "plus", "hexagon")


class Look(NamedTuple):
    """What a source is drawn with."""

    colour: str
    shape: str


def look(number: int) -> Look:
    """The look of the source with this number; the first 56 all differ, and neighbours in both ways."""
    return Look(_COLOURS[number % len(_COLOURS)], _SHAPES[number % len(_SHAPES)])
