"""Which passages are drawn when there are more than a picture can hold."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from core.store.base import Point


@dataclass(frozen=True, slots=True)
class Sample:
    """Points in the order of their ids, and how many there were of each source."""

    points: Mapping[str, Point]
    """By id."""
    totals: Mapping[str, int]


def sample(points: Iterable[Point], wanted: Collection[str], limit: int) -> Sample:
    """At most `limit` of the points: those wanted by id, then an equal number of each source, or all where a source
    has fewer.

    Within a source those with the smallest ids are taken. Ids are hashes, so that is a fair draw, and the same one
    whatever order the points come in. No more than the sample is held in memory: what is dropped for the point with
    the largest id of the largest source can never come back, since a source's share only shrinks.
    """
    totals: Counter[str] = Counter()
    kept: dict[str, Point] = {}
    drawn: dict[str, list[tuple[int, str]]] = defaultdict(list)  # by source, the largest id first
    room = limit - len(wanted)
    for point in points:
        source, key = point.passage.source, point.id
        if key in kept:
            continue
        totals[source] += 1
        kept[key] = point
        if key in wanted:
            continue
        heapq.heappush(drawn[source], (-UUID(key).int, key))
        if sum(map(len, drawn.values())) > room:
            largest = max(drawn, key=lambda name: (len(drawn[name]), name))
            del kept[heapq.heappop(drawn[largest])[1]]
    return Sample({key: kept[key] for key in sorted(kept)}, dict(totals))
