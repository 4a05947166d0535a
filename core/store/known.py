"""Which values the points of a collection have, and which of these a scope takes.

A search compares one number of each point with a short list of numbers, instead of each of its labels, its source, its
kind and so on with theirs: what this list is, is worked out before, from all the values that there are. A value that
nobody has counted yet is in no list: a point that has it is not found until then, whoever asks.
"""

import math
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from core.store.glob import glob_pattern
from core.store.payload import number, read_access, read_slot
from core.types import Audience, Filters

T = TypeVar("T")
Counted = Literal["access_key", "slot_key", "path"]

_FEW = 0.15  # of the points; below, going through those of a list is faster than comparing all with it
_REMEMBERED = 200


@dataclass(frozen=True, slots=True)
class Taken:
    """The values that a scope takes, as numbers; without any it takes no point."""

    numbers: tuple[int, ...]
    few: bool
    """Whether few of the points have them: which way to ask is the faster one."""


class Memory:
    """What was worked out, until something is written or it is too old. Safe from any thread."""

    def __init__(self, lasts: float = math.inf, clock: Callable[[], float] = time.monotonic) -> None:
        """`lasts`: seconds."""
        self._lasts = lasts
        self._clock = clock
        self.forget()

    def forget(self) -> None:
        """To be called after a write. What is being worked out meanwhile is not remembered either."""
        self._held: dict[Hashable, Any] = {}
        self._until = self._clock() + self._lasts

    def get(self, key: Hashable, work_out: Callable[[], T]) -> T:
        """What was worked out under this key, or is now."""
        if self._clock() >= self._until:
            self.forget()
        held = self._held
        if key not in held:
            made = work_out()
            if len(held) >= _REMEMBERED:
                held.clear()
            held[key] = made
            return made
        found: T = held[key]
        return found


class Known:
    """Of one collection."""

    def __init__(self, count: Callable[[Counted], Mapping[str, int]], memory: Memory) -> None:
        """`count` gives the values of a field, each with its number of points: about that many, and all values."""
        self._count = count
        self.memory = memory

    def access(self, audience: Audience, *, development: bool) -> Taken:
        """Of who may read a point: those whose labels the audience all holds; of branches in development, too, or of
        none of these.
        """

        def fits(key: str) -> bool:
            developed, labels = read_access(key)
            return audience.may_read(labels) and (development or not developed)

        return self._taken("access_key", (audience, development), fits)

    def slots(self, filters: Filters) -> Taken:
        """Of sources, kinds, repositories and languages at once."""
        wanted = tuple(map(frozenset, (filters.sources, filters.kinds, filters.repos, filters.languages)))

        def fits(key: str) -> bool:
            return all(not names or value in names for value, names in zip(read_slot(key), wanted, strict=True))

        return self._taken("slot_key", wanted, fits)

    def files(self, glob: str) -> Taken:
        """Of paths."""
        matches = glob_pattern(glob).fullmatch
        return self._taken("path", glob, lambda path: matches(path) is not None)

    def _taken(self, field: Counted, wanted: Hashable, fits: Callable[[str], bool]) -> Taken:
        def work_out() -> Taken:
            counts = self.memory.get(field, lambda: self._count(field))
            fitting = [value for value in counts if fits(value)]
            share = sum(counts[value] for value in fitting) / max(1, sum(counts.values()))
            return Taken(tuple(sorted(map(number, fitting))), few=share < _FEW)

        return self.memory.get((field, wanted), work_out)
