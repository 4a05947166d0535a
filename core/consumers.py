"""Who uses what a document defines: by the names that code is known to use, and by the text as it stands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.exact import ExactRoute
from core.key import Key
from core.store.base import Passage, Scope, Store, collection_of, point_id
from core.tokens import WORDLIKE, well_formed
from core.types import Audience, Evidence, Filters, Locator

_USES = 20
"""Documents that are told of one name."""
_LOOKED_AT = 60
"""Passages that are looked at, of each way to find them."""
_KINDS = frozenset({"code", "file"})
_SEPARATOR = re.compile(r"\.|::|->|#")
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|<!--|\"\"\"|''')")
_IMPORT = re.compile(r"\s*(?:import|from|use|using|require|include|#include|export \{|package)\b")


@dataclass(frozen=True, slots=True)
class Use:
    """A document that uses a name, and the first line that does more than import it."""

    repo: str
    path: str
    line: int
    """From 1."""
    text: str
    """The line as it stands, white space around it aside."""
    evidence: Evidence
    """The passage that holds the line; its locator names the line."""


class Consumers:
    """Finds who uses a name, in the baseline of all repositories. Raises IndexUnusable."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._exact = ExactRoute(store)

    def users_of(self, name: str, changed: frozenset[str], audience: Audience) -> tuple[Use, ...]:
        """What uses a name (`hold`, `Booking.hold`) that one of the `changed` documents defines, in all documents but
        these: one use each, other repositories first. Nothing if none of them defines it, as far as the audience may
        read.

        A repository that has a definition of its own by this name means that one, unless it names what owns this.
        """
        owner, last = _parts(well_formed(name))
        if not last or not changed:
            return ()
        defined = self._store.find("code", "symbols", last, Scope(audience), _LOOKED_AT)
        homes = {passage.repo for passage in defined if passage.document_id in changed}
        if not homes:
            return ()
        others = {passage.document_id: passage.repo for passage in defined if passage.document_id not in changed}
        scope = Scope(audience, Filters(kinds=_KINDS, without=changed | others.keys()))
        found: dict[str, Use] = {}
        for passage in self._holding(last, scope):
            if passage.repo in others.values() and not _holds(passage.text, owner):
                continue
            use = _use(passage, last)
            if use and (passage.document_id not in found or _IMPORT.match(found[passage.document_id].text)):
                found[passage.document_id] = use
        return tuple(sorted(found.values(), key=lambda use: (use.repo in homes, use.repo, use.path))[:_USES])

    def _holding(self, name: str, scope: Scope) -> Iterator[Passage]:
        """Passages that are known to use a name, then those whose text holds it."""
        yield from self._store.find("code", "references", name, scope, _LOOKED_AT)
        yield from self._exact.find(Key("identifier", name), scope, _LOOKED_AT)


def _parts(name: str) -> tuple[str, str]:
    """What owns a name, if that is told, and the name alone."""
    parts = [part for part in _SEPARATOR.split(name) if part]
    return (parts[-2] if len(parts) > 1 else "", parts[-1] if parts else "")


def _holds(text: str, name: str) -> bool:
    return bool(name) and _word(name).search(text) is not None


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![{WORDLIKE}]){re.escape(name)}(?![{WORDLIKE}])")


def _use(passage: Passage, name: str) -> Use | None:
    """The first line of a passage that uses a name; one that only imports it if there is no other."""
    word = _word(name)
    lines = [
        (number, line)
        for number, line in enumerate(passage.text.splitlines())
        if word.search(line) and not _COMMENT.match(line)
    ]
    if not lines or passage.repo is None or passage.path is None:
        return None
    at, text = next((one for one in lines if not _IMPORT.match(one[1])), lines[0])
    line = (passage.line or 1) + at
    return Use(passage.repo, passage.path, line, text.strip(), _evidence(passage, line))


def _evidence(passage: Passage, line: int) -> Evidence:
    locator = Locator(passage.document_id, passage.title, passage.url, passage.heading, line)
    return Evidence(
        id=point_id(passage.document_id, passage.ordinal, collection_of(passage.kind)),
        document_id=passage.document_id,
        source=passage.source,
        kind=passage.kind,
        text=passage.text,
        context=passage.context,
        locator=locator,
        labels=passage.labels,
        updated=passage.updated,
        score=1.0,
        route="exact",
        attributes=passage.attributes,
        unread=passage.unread,
    )
