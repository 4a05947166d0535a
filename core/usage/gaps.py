"""Where it could not be looked for the uses of a name."""

from collections.abc import Callable, Collection, Iterator, Sequence

from core.mention import words_of
from core.names import unknown
from core.store.base import COLLECTIONS, Arm, Passage, Scope, Store
from core.types import Audience, Filters, Freshness
from core.visibility import repository

FreshnessOf = Callable[[Audience], Sequence[Freshness]]
"""The sources that an audience may know of."""

_UNREAD = "could not be read larger than MB binary file Git LFS pointer not read"
_LOOKED_AT = 50
_TOLD = 3
_SOURCES = 8
_SHOWN = 80


def unread(store: Store, audience: Audience, repos: frozenset[str]) -> list[str]:
    """A sentence for documents of which something is unread, the first few by name."""
    scope = Scope(audience, Filters(kinds=frozenset({"code", "file"}), repos=repos))
    found: dict[str, Passage] = {}
    for collection in COLLECTIONS:
        (hits,) = store.rank(collection, [Arm("content", words_of(_UNREAD))], scope, _LOOKED_AT)
        for passage in store.fetch(collection, [hit.id for hit in hits], audience).values():
            if passage.unread:
                found.setdefault(passage.document_id, passage)
    named = [found[one] for one in sorted(found)]
    told = [f"{_shown(one.path or one.title)} in {one.repo} ({_shown(one.unread[0])})" for one in named[:_TOLD]]
    if not told:
        return []
    rest = f", and {len(named) - _TOLD} more" if len(named) > _TOLD else ""
    return [f"What these files hold was not looked at, or not all of it: {'; '.join(told)}{rest}."]


def stale(freshness: Sequence[Freshness], store: Store, audience: Audience, repos: frozenset[str]) -> Iterator[str]:
    """A sentence for each repository that was never read, or not lately, or not as a whole."""
    indexed = store.names("repo", Scope(audience))
    for source in sorted(_repositories(freshness, indexed, audience), key=lambda one: one.source)[:_SOURCES]:
        if repos and source.source not in repos:
            continue
        name = _shown(source.source)
        if source.last_success is None:
            yield f"The repository {name} has not been read yet, so what it uses is not known."
        elif source.stale:
            at = f"{source.last_success:%Y-%m-%d %H:%M} UTC"
            yield f"The repository {name} was last read at {at}; what changed since was not looked at."
        if source.partly:
            count = f"{source.partly} documents" if source.partly > 1 else "one document"
            yield f"Of {count} of {name}, something could not be read."


def _repositories(freshness: Sequence[Freshness], indexed: Collection[str], audience: Audience) -> Iterator[Freshness]:
    for source in freshness:
        own = source.source in indexed or repository(source.source) in source.labels
        if own and source.labels & audience.labels:
            yield source


def missing(
    store: Store, audience: Audience, repos: frozenset[str], branches: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The branches that are there, and a sentence for each repository and branch that is not, and the nearest."""
    told = list(unknown(Filters(repos=repos), store, audience)) if repos else []
    there = []
    for branch in branches:
        if store.names("repo", Scope(audience, Filters(repos=repos, branch=branch))):
            there.append(branch)
        else:
            told += unknown(Filters(repos=repos, branch=branch), store, audience)
    return there, list(dict.fromkeys(told))


def _shown(text: str) -> str:
    plain = "".join(c if c.isprintable() else " " for c in text)
    return plain if len(plain) <= _SHOWN else f"{plain[: _SHOWN - 3]}..."
