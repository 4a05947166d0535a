"""Contrast of what a browser computed, by the formulas of WCAG 2.2 (relative luminance, contrast ratio)."""

import re
from collections.abc import Sequence

Colour = tuple[float, float, float, float]
"""Red, green and blue from 0 to 255, and opacity from 0 to 1."""

_NUMBER = re.compile(r"[\d.]+")


def parsed(css: str) -> Colour:
    """A computed colour: `rgb(r, g, b)` or `rgba(r, g, b, a)`."""
    if not css.startswith("rgb"):
        raise ValueError(f"no computed colour: {css}")
    red, green, blue, *alpha = map(float, _NUMBER.findall(css))
    return red, green, blue, alpha[0] if alpha else 1.0


def over(top: Colour, ground: Colour) -> Colour:
    """What is seen of a colour on an opaque ground."""
    share = top[3]
    red, green, blue = (share * one + (1 - share) * other for one, other in zip(top[:3], ground[:3], strict=True))
    return red, green, blue, 1.0


def layered(colours: Sequence[str]) -> Colour:
    """What is seen of computed backgrounds, the undermost first, on white paper."""
    seen: Colour = (255, 255, 255, 1.0)
    for colour in colours:
        seen = over(parsed(colour), seen)
    return seen


def luminance(colour: Colour) -> float:
    """Relative luminance, from 0 for black to 1 for white."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in _unit(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(one: Colour, other: Colour) -> float:
    """From 1 to 21."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def least(pixels: float, weight: int) -> float:
    """What text of this size must have at level AA: large is 24 px, or 18.66 px in bold."""
    return 3.0 if pixels >= 24 or (pixels >= 18.66 and weight >= 700) else 4.5


def _unit(colour: Colour) -> list[float]:
    return [part / 255 for part in colour[:3]]
