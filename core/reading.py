"""The parts of documents that were found: their beginnings, or what is around a line.

A chunk's id follows from its document and its place there, so no search is needed. All that narrows a search holds for
the chunks of a document alike, except for who may read them while that changes, which the store sees to.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from core.store.base import CollectionName, Passage, Store, collection_of, point_id
from core.types import Audience

_PROBES = (0, 1, 2, *(2**power for power in range(2, 17)))
_BETWEEN = 15  # chunks looked at between two, in one go
_MOST = 8  # passages of a range of lines


def beginnings(store: Store, documents: Sequence[Passage], audience: Audience, most: int) -> list[Passage]:
    """The first passages of documents of which one passage each is given, in their order: about `most` in all, one of
    each document at least.
    """
    if not documents:
        return []
    share = max(1, most // len(documents))
    ids: dict[CollectionName, list[str]] = defaultdict(list)
    for document in documents:
        ids[collection_of(document.kind)] += _ids(document, range(share))
    found: dict[str, Passage] = {}
    for collection, wanted in ids.items():
        found |= store.fetch(collection, wanted, audience)
    return [found[one] for document in documents for one in _ids(document, range(share)) if one in found]


def around_line(store: Store, document: Passage, line: int, last: int | None, audience: Audience) -> list[Passage]:
    """The passage of a document that holds a line, those that follow up to the last of a range, then its neighbours.
    The beginning, where its passages have no lines.

    Passages are in the order of their lines: a few looks at several places at once find the one.
    """
    looked = _Looks(store, document, audience)
    known = looked.at(_PROBES)
    if 0 not in known or known[0].line is None:
        return [known[o] for o in sorted(known)[:3]]
    low = max((o for o, passage in known.items() if (passage.line or 0) <= line), default=0)
    high = min((o for o in _PROBES if o > low and (o not in known or (known[o].line or 0) > line)), default=_PROBES[-1])
    while high - low > 1:
        step = max(1, (high - low) // (_BETWEEN + 1))
        between = range(low + step, high, step)
        known = looked.at(between)
        low = max([low, *(o for o in between if o in known and (known[o].line or 0) <= line)])
        high = min([high, *(o for o in between if o > low)])
    following = looked.at(range(max(low - 1, 0), low + _MOST))
    within = [o for o in following if o == low or (o > low and (following[o].line or 0) <= (last or line))]
    if not within:  # it went while it was looked for
        return []
    beside = [o for o in (max(within) + 1, low - 1) if o in following]
    return [following[o] for o in [*sorted(within), *beside]]


class _Looks:
    """The passages of one document by their place in it."""

    def __init__(self, store: Store, document: Passage, audience: Audience) -> None:
        self._store = store
        self._document = document
        self._audience = audience

    def at(self, ordinals: Sequence[int]) -> dict[int, Passage]:
        ids = _ids(self._document, ordinals)
        found = self._store.fetch(collection_of(self._document.kind), ids, self._audience)
        return {passage.ordinal: passage for passage in found.values()}


def _ids(document: Passage, ordinals: Iterable[int]) -> list[str]:
    collection = collection_of(document.kind)
    return [point_id(document.document_id, ordinal, collection) for ordinal in ordinals]
