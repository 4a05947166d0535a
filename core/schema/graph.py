"""Migrations that say which others they build on."""

import heapq
from collections.abc import Iterable, Mapping

from core.schema.migration import Migration


def ancestors(heads: Iterable[str], known: Mapping[str, Migration]) -> frozenset[str]:
    """These, as far as they are known, and all that they build on."""
    found: set[str] = set()
    left = [head for head in heads if head in known]
    while left:
        key = left.pop()
        if key not in found:
            found.add(key)
            left += [before for before in known[key].after if before in known]
    return frozenset(found)


def ordered(known: Mapping[str, Migration]) -> list[Migration]:
    """Each behind those that it builds on, otherwise by their keys; those of a circle come last."""
    missing = {key: {before for before in item.after if before in known} - {key} for key, item in known.items()}
    followers: dict[str, list[str]] = {}
    for key, befores in missing.items():
        for before in befores:
            followers.setdefault(before, []).append(key)
    ready = [key for key, befores in missing.items() if not befores]
    heapq.heapify(ready)
    done: list[str] = []
    while ready:
        key = heapq.heappop(ready)
        done.append(key)
        for follower in followers.get(key, ()):
            missing[follower].discard(key)
            if not missing[follower]:
                heapq.heappush(ready, follower)
    circular = sorted(known.keys() - set(done))
    return [known[key] for key in (*done, *circular)]
