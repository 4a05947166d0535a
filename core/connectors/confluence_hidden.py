"""Which included pages the index does not show, remembered from one run to the next."""

import json
from collections.abc import Collection, Mapping
from typing import Protocol

EVERYTHING = "*"
"""Stands for all pages that a page includes: nothing of its own text is shown."""


class Memory(Protocol):
    """Named values that outlive the process."""

    def get(self, name: str) -> str | None: ...

    def set(self, name: str, value: str) -> None: ...


class ShortMemory:
    """Lasts as long as the process."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def get(self, name: str) -> str | None:
        return self._values.get(name)

    def set(self, name: str, value: str) -> None:
        self._values[name] = value


class Hidden:
    """Included pages that are not shown, by the including page.

    Who may read an including page is judged without them, so what is remembered must never be more than what the text
    in the index hides. Hence the order of a run: where less is hidden than before, that is remembered before the new
    text is given away; where more is, only when the new text is known to be indexed. Interrupted at any instant, a page
    is closed to some who might read it, and never open to those who may not.
    """

    def __init__(self, memory: Memory, source: str) -> None:
        self._memory = memory
        self._name = f"hidden:{source}"
        self._kept: dict[str, frozenset[str]] = {}
        self._found: dict[str, frozenset[str]] = {}
        self._ended = False

    def now(self) -> Mapping[str, frozenset[str]]:
        """As it is remembered, maybe by another process."""
        return {page: frozenset(hidden) for page, hidden in json.loads(self._memory.get(self._name) or "{}").items()}

    def begin(self) -> None:
        """A run starts. What one before it found and nobody indexed does not count."""
        self._kept, self._found, self._ended = dict(self.now()), {}, False

    def found(self, page: str, hidden: frozenset[str]) -> None:
        """What a page hides as it was read now; to be said before its text is given away."""
        kept = self._kept.get(page, frozenset())
        self._found[page] = hidden
        if not kept <= hidden:
            self._remember(self._kept | {page: kept & hidden})

    def end(self) -> None:
        """The run gave all that it had to give."""
        self._ended = True

    def indexed(self, pages: Collection[str]) -> None:
        """All that was given is indexed; `pages` are those that there are. Of a run that did not end, nothing is
        remembered.
        """
        if self._ended:
            now = self._kept | self._found
            self._remember({page: hidden for page, hidden in now.items() if page in pages})
            self._found, self._ended = {}, False

    def _remember(self, hidden: Mapping[str, frozenset[str]]) -> None:
        self._kept = {page: ids for page, ids in hidden.items() if ids}
        text = json.dumps({page: sorted(ids) for page, ids in sorted(self._kept.items())}, separators=(",", ":"))
        if text != (self._memory.get(self._name) or "{}"):
            self._memory.set(self._name, text)
