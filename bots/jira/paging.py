"""Lists that Jira gives page by page while they change. No I/O."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from bots.errors import Unavailable

_OVERLAP = 5  # read twice, so that one deleted between two pages hides none


class Numbered(Protocol):
    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=Numbered)


def pages(page: Callable[[int], tuple[Sequence[T], int]], what: str) -> Iterator[T]:
    """All of a list, each once, read as it is asked for. `page` gives what there is from a position on, and how many
    there are in all.

    Raises Unavailable when so many were taken out between two pages that some may have been passed over.
    """
    seen: set[str] = set()
    start = 0
    while True:
        found, total = page(start)
        if start and (not found or found[0].id not in seen):
            raise Unavailable(f"The {what} changed while Jira listed them")
        fresh = [one for one in found if one.id not in seen]
        seen.update(one.id for one in fresh)
        yield from fresh
        end = start + len(found)
        if not found or end >= total:
            return
        start = max(start + 1, end - _OVERLAP)
