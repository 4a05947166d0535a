"""Which values the points of a collection have, and which of these a scope takes.

A search compares one number of each point with a short list of numbers, instead of each of its labels, its source, its
kind and so on with theirs: what this list is, is worked out before, from all the values that there are. A value that
nobody has counted yet is in no list: a point that has it is not found until then, whoever asks.

What a reader names is taken from the values of what that reader may read alone: a search for what is hidden would
otherwise take longer than one for what is not there.
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
Counted = Literal["access_key", "slot_key", "path", "branch"]

_FEW = 0.15  # of the points; below, going through those of a list is faster than comparing all with it
_REMEMBERED = 200


@dataclass(frozen=True, slots=True)
class Taken:
    """The values that a scope takes, as numbers; without any it takes no point."""

    numbers: tuple[int, ...]
    few: bool
    """Whether few of the points have them: which way to ask is the faster one."""


@dataclass(frozen=True, slots=True)
class Readers:
    """Who asks, and whether for branches in development, too, or for none of these."""

    audience: Audience
    development: bool


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
        """What was worked out under this key, or is now. None is not remembered."""
        if self._clock() >= self._until:
            self.forget()
        held = self._held
        found: T | None = held.get(key)  # in one step: another thread may clear it
        if found is None:
            found = work_out()
            if len(held) >= _REMEMBERED:
                held.clear()
            held[key] = found
        return found


class Known:
    """Of one collection."""

    def __init__(self, count: Callable[[Counted, Taken | None], Mapping[str, int]], memory: Memory) -> None:
        """`count` gives the values of a field, each with its number of points: about that many, and all values. With
        `access` numbers, of the points that have these.
        """
        self._count = count
        self.memory = memory

    def access(self, readers: Readers) -> Taken:
        """Of who may read a point: those whose labels the audience all holds."""

        def fits(key: str) -> bool:
            developed, labels = read_access(key)
            return readers.audience.may_read(labels) and (readers.development or not developed)

        return self.memory.get(("access_key", readers), lambda: _taken(self._counts("access_key", None), fits))

    def slots(self, filters: Filters, readers: Readers) -> Taken:
        """Of sources, kinds, repositories and languages at once."""
        wanted = tuple(map(frozenset, (filters.sources, filters.kinds, filters.repos, filters.languages)))
        # kinds are no secret, and to count again after each write for each reader takes its time
        among = readers if filters.sources or filters.repos or filters.languages else None

        def fits(key: str) -> bool:
            return all(not names or value in names for value, names in zip(read_slot(key), wanted, strict=True))

        return self.memory.get(("slot_key", wanted, among), lambda: _taken(self._counts("slot_key", among), fits))

    def files(self, glob: str, readers: Readers) -> Taken:
        """Of paths. All of those that a reader may see are too many to be remembered for each."""
        matches = glob_pattern(glob).fullmatch

        def fits(path: str) -> bool:
            return matches(path) is not None

        return self.memory.get(("path", glob, readers), lambda: _taken(self._among("path", readers), fits))

    def has_branch(self, name: str, readers: Readers) -> bool:
        return name in self._counts("branch", readers)

    def _counts(self, field: Counted, readers: Readers | None) -> Mapping[str, int]:
        return self.memory.get((field, readers), lambda: self._among(field, readers))

    def _among(self, field: Counted, readers: Readers | None) -> Mapping[str, int]:
        access = self.access(readers) if readers else None
        return {} if access and not access.numbers else self._count(field, access)


def _taken(counts: Mapping[str, int], fits: Callable[[str], bool]) -> Taken:
    fitting = [value for value in counts if fits(value)]
    share = sum(counts[value] for value in fitting) / max(1, sum(counts.values()))
    return Taken(tuple(sorted(map(number, fitting))), few=share < _FEW)
