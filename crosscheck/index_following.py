"""The index as a process sees it that does not keep it: it searches what the process with the role sync has made."""

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import NoReturn

from core.errors import IndexUnreachable, IndexUnusable
from core.types import Progress
from crosscheck.errors import CrosscheckError
from crosscheck.generation import Generation
from crosscheck.index import Index, Opened
from crosscheck.stores import Kept
from state.types import GenerationView

KEPT_ELSEWHERE = (
    "Another process keeps the index, the one with the role sync that leads. Run this command in its container, or "
    "with its data folder."
)
LINGER = 60.0
"""Seconds for which a generation is kept that is searched no more: by then everybody has looked, and ended."""
FIRST = 60.0
"""Seconds after which it is asked again for an index that was never there: a question has five attempts, and a first
start takes its time."""


class FollowedIndex(Index):
    """Searches; changes nothing, not even what is left of older indexes."""

    look = 5.0
    """Seconds after which it is looked again which generation is searched."""
    _looked = 0.0

    @contextmanager
    def searched(self) -> Iterator[Generation]:
        """See `Index.searched`. Raises IndexUnreachable before there is one, or when it is replaced meanwhile."""
        self._follow()
        with super().searched() as generation:
            try:
                yield generation
            except IndexUnreachable:
                raise
            except IndexUnusable as error:
                if self._is_searched(generation):
                    raise
                self._looked = 0.0
                raise IndexUnreachable("The index was replaced while it was searched.") from error

    @contextmanager
    def generations(self) -> Iterator[tuple[Generation, ...]]:
        """The one that is searched."""
        with self.searched() as generation:
            yield (generation,)

    def advance(self, sources: Collection[str]) -> None:
        """Raises CrosscheckError."""
        del sources
        self._refuse()

    def take_over(self, sources: Collection[str], progress: Progress) -> int:
        """Raises CrosscheckError."""
        del sources, progress
        self._refuse()

    def optimize(self) -> None:
        """Raises CrosscheckError."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise CrosscheckError(KEPT_ELSEWHERE)

    def _follow(self) -> None:
        """Search what the database says is searched now."""
        with self._lock:
            opened, now = self._opened(), time.monotonic()
            if now - self._looked < self.look:
                return
            view = self._searched_view()
            if not _is_of(view, opened.searched):
                old, opened.searched = opened.searched, self._of_view(view)
                opened.filled = opened.searched
                self._retire(opened, old)
            opened.complete = view.complete
            self._looked = now
        self._left()

    def _is_searched(self, generation: Generation) -> bool:
        return _is_of(self._searched_view(), generation)

    @contextmanager
    def _owning(self) -> Iterator[None]:
        """It is somebody else's."""
        yield

    def _opening(self) -> Opened:
        view = self._searched_view()
        generation = self._of_view(view)
        return Opened(generation, generation, complete=view.complete, retired={})

    def _of_view(self, view: GenerationView) -> Generation:
        return self._generation(view.name, view.settings, self._make(view.settings))

    def _searched_view(self) -> GenerationView:
        view = next((view for view in self._generations.all() if view.searched), None)
        if view is None:
            raise IndexUnreachable(
                "There is no index yet. The process with the role sync makes it when it is first started.",
                retry_after=FIRST,
            )
        return view

    def _delete(self, name: str, kept: Kept) -> None:
        """That is for whoever keeps the index."""


def _is_of(view: GenerationView, generation: Generation) -> bool:
    """Also where it is kept must be the same: a generation that is moved to another server keeps its name."""
    return (view.name, view.settings) == (generation.name, generation.kept)
