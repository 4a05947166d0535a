"""Filling what does not fit into one message or comment into parts, for every surface alike. No I/O."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar


class Unit(Protocol):
    """What may not be split."""

    @property
    def cost(self) -> int:
        """Its size, in whatever the surface counts."""
        ...

    @property
    def shell(self) -> object | None:
        """The list or table around it, which is opened anew in every part: the same object for all units of a block."""
        ...

    @property
    def opening(self) -> int:
        """What the shell costs where it is opened."""
        ...

    @property
    def leads(self) -> bool:
        """A heading: it does not stand last in a part."""
        ...


U = TypeVar("U", bound=Unit)


def packed(units: Iterable[U], room: int, apart: Callable[[list[U], U], bool] | None = None) -> Iterator[list[U]]:
    """Units filled into parts, greedily. Headings that would end a part move on to the next. `apart` tells what may not
    be added to a part although there is room.
    """
    part: list[U] = []
    used = 0
    for unit in units:
        while part and (used + _added(part[-1], unit) > room or (apart is not None and apart(part, unit))):
            stay = len(part)
            while stay > 1 and part[stay - 1].leads:
                stay -= 1
            yield part[:stay]
            part = part[stay:]
            used = sum(_added(last, one) for last, one in zip([None, *part], part, strict=False))
        used += _added(part[-1] if part else None, unit)
        part.append(unit)
    if part:
        yield part


def _added(last: Unit | None, unit: Unit) -> int:
    opened = unit.shell is not None and (last is None or last.shell is not unit.shell)
    return unit.cost + (unit.opening if opened else 0)


def most(limit: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to the limit that fits, by halving; 0 when none does."""
    return max(bisect_left(range(limit + 1), True, key=lambda number: not fits(number)) - 1, 0)


def utf16(text: str) -> int:
    """Length in UTF-16 units, as Java counts characters."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
