"""What made an index: it can be used by the same only."""

from core.embedders import Embedders
from core.store.base import COLLECTIONS, SCHEMA


def maker(embedders: Embedders) -> dict[str, object]:
    """All that decides whether an index can be used: its form, and what made its vectors. JSON."""
    made: dict[str, object] = {"schema": SCHEMA}
    for name in COLLECTIONS:
        embedder = embedders.of(name)
        made[name] = {"embedder": embedder.name, "size": embedder.size, "learned_terms": embedder.learned_terms}
    return made
