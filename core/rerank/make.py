"""From settings to rerankers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.errors import RerankerUnusable
from core.host_lock import HostLock
from core.rerank.base import Reranker

Kind = Literal["bge", "cross_encoder"]
_SHORTEST = 64  # tokens: less than a question and two lines tells no text from another


@dataclass(frozen=True, slots=True)
class RerankerSettings:
    """One reranker that runs a model. Plain values."""

    kind: Kind
    path: str
    """The folder with the model's files."""
    batch: int = 0
    """Texts at once; 0 is the kind's own number."""
    longest: int = 0
    """Tokens of a question and a text together; 0 is the kind's own number."""


def make(settings: RerankerSettings, lock: HostLock | None = None) -> Reranker:
    """The reranker that the settings describe; with a lock it waits for its turn. RerankerUnusable says what is wrong.

    Only what is asked for is imported: torch takes seconds and half a gigabyte.
    """
    if not settings.path:
        raise RerankerUnusable("A reranker needs `path`, the folder with its model's files.")
    if settings.batch < 0:
        raise RerankerUnusable(f"A reranker cannot read {settings.batch} texts at once.")
    if settings.longest and settings.longest < _SHORTEST:
        raise RerankerUnusable(
            f"A reranker that reads {settings.longest} tokens sees too little; {_SHORTEST} at least."
        )
    sizes = {name: value for name, value in (("batch", settings.batch), ("longest", settings.longest)) if value}
    folder = Path(settings.path)
    if settings.kind == "bge":
        from core.rerank.bge import BgeReranker

        return BgeReranker(folder, **sizes, lock=lock)
    from core.rerank.cross_encoder import CrossEncoder

    return CrossEncoder(folder, **sizes, lock=lock)
