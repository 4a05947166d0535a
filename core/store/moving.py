"""From one store to another: to a server and back, or into a fresh index."""

from core.errors import IndexMismatch
from core.store.base import COLLECTIONS, Store
from core.types import Progress

_AT_ONCE = 256


def copy(source: Store, target: Store, progress: Progress) -> int:
    """All points with their vectors; returns how many. Both must have been opened for the same embedders.

    May be stopped and begun again: what is there already is overwritten by the same. IndexMismatch when the target
    holds another number of points afterwards. Nobody should write to either meanwhile.
    """
    total = source.count()
    done = 0
    progress(done, total)
    for collection in COLLECTIONS:
        for points in source.points(collection, _AT_ONCE):
            target.upsert(points)
            done += len(points)
            progress(done, total)
    target.flush()
    held = target.count()
    if held != done or done != total:
        raise IndexMismatch(
            f"{done} of {total} points were copied, and the target holds {held}. "
            "Either was written to meanwhile, or the target held others before: empty it and copy again."
        )
    return done
