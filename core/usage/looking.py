"""What leads from a name to the passages that may hold it: the names that code defines and uses, and words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from core.embedding.sparse import SparseVector, term_id
from core.mention import words_of
from core.reading import beginnings
from core.store.base import COLLECTIONS, Arm, CollectionName, KeyField, Passage, Scope, Store
from core.tokens import terms
from core.types import Audience, Filters
from core.usage.sought import Trail

_KINDS = frozenset({"code", "file"})
_BY_NAME = 300
"""Passages that are looked at of those known to use a name, in each scope."""
_BY_WORDS = 150
"""Passages that are looked at of those that words lead to, in each scope and collection."""
_DEFINING = 60
_TAIL = 0.9  # of a full list: where something is found behind it, more may follow

_NAMED: tuple[KeyField, ...] = ("symbols", "references")

Place = tuple[str, int]


@dataclass(slots=True)
class Found:
    """Passages in the order they were found in, and whether there may be more of them."""

    passages: dict[Place, Passage] = field(default_factory=dict)
    late: set[Place] = field(default_factory=set)
    """Those at the end of a list that was full."""
    cut: bool = False

    def add(self, passages: Iterable[Passage]) -> None:
        for one in passages:
            self.passages.setdefault((one.document_id, one.ordinal), one)


class Looking:
    """Looks in the baseline of these repositories (all, if none is named) and in these branches."""

    def __init__(self, store: Store, audience: Audience, repos: frozenset[str], branches: Sequence[str]) -> None:
        self._store = store
        self._audience = audience
        self._repos = repos
        self._branches = branches
        self._scopes = [
            Scope(audience, Filters(kinds=_KINDS, repos=repos, branch=branch)) for branch in (None, *branches)
        ]

    def covers(self, repo: str) -> bool:
        """Whether uses in this repository were asked for."""
        return not self._repos or repo in self._repos

    def names_a_table(self, name: str) -> bool:
        """Whether a file of SQL is known to make or use something of this name."""
        only = Scope(self._audience, Filters(languages=frozenset({"sql"})))
        return any(self._store.find("code", by, name, only, 1) for by in _NAMED)

    def defining(self, name: str) -> tuple[Passage, ...]:
        """The passages of code that define a name: in all repositories, since one may be asked about that only uses
        what others define.
        """
        scopes = [Scope(self._audience, Filters(branch=branch)) for branch in (None, *self._branches)]
        found = Found()
        for scope in scopes:
            found.add(self._store.find("code", "symbols", name, scope, _DEFINING))
        return tuple(found.passages.values())

    def following(self, trail: Trail) -> Found:
        """The passages that a trail leads to."""
        found = Found()
        vectors = [*map(_terms, trail.texts), words_of(" ".join(trail.wholes))]
        arms = [Arm("content", vector) for vector in vectors if vector]
        for name in trail.symbols:
            found.add(self.defining(name))
        for scope in self._scopes:
            for name in trail.references:
                passages = self._store.find("code", "references", name, scope, _BY_NAME)
                found.cut |= len(passages) == _BY_NAME
                found.add(passages)
            for collection in COLLECTIONS:
                self._ranked(collection, arms, scope, found)
        return found

    def heads(self, passages: Sequence[Passage]) -> dict[str, str]:
        """How the documents of these passages begin, by id."""
        firsts = {one.document_id: one for one in passages}
        begun = beginnings(self._store, list(firsts.values()), self._audience, len(firsts))
        return {one.document_id: one.text for one in begun if one.ordinal == 0}

    def _ranked(self, collection: CollectionName, arms: Sequence[Arm], scope: Scope, found: Found) -> None:
        kinds = frozenset({"code"}) if collection == "code" else frozenset({"file"})
        within = replace(scope, filters=replace(scope.filters, kinds=kinds))
        hits = self._store.rank(collection, arms, within, _BY_WORDS)
        ids = list(dict.fromkeys(hit.id for each in hits for hit in each))
        fetched = self._store.fetch(collection, ids, self._audience)
        found.add(fetched[one] for one in ids if one in fetched)
        for each in hits:
            if len(each) == _BY_WORDS:
                last = [fetched[hit.id] for hit in each[int(_TAIL * _BY_WORDS) :] if hit.id in fetched]
                found.late.update((one.document_id, one.ordinal) for one in last)


def _terms(text: str) -> SparseVector:
    indices = tuple(dict.fromkeys(map(term_id, terms(text))))
    return SparseVector(indices, (1.0,) * len(indices))
