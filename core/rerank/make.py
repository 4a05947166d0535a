"""From settings to rerankers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.errors import RerankerUnusable
from core.host_lock import HostLock
from core.rerank.base import Reranker
from core.rerank.server import Dialect, RerankServer, ServerReranker

Kind = Literal["bge", "cross_encoder", "server"]
_SHORTEST = 64  # tokens: less than a question and two lines tells no text from another


@dataclass(frozen=True, slots=True)
class RerankerSettings:
    """One reranker that runs a model. Plain values."""

    kind: Kind
    path: str = ""
    """bge, cross_encoder: the folder with the model's files."""
    batch: int = 0
    """Texts at once; 0 is the kind's own number."""
    longest: int = 0
    """Tokens of a question and a text together; 0 is the kind's own number."""
    url: str = ""
    """server: the address, without `/rerank`."""
    dialect: Dialect = "tei"
    """server: what it speaks."""
    model: str = ""
    """server, v1: the model's name there."""
    at_once: int = 0
    """server: requests under way together; 0 is a number that suits most."""


def make(settings: RerankerSettings, lock: HostLock | None = None, *, key: str = "", seconds: float = 5) -> Reranker:
    """The reranker that the settings describe; what runs here takes the lock, a server gets the key and is asked for
    `seconds` a question. RerankerUnusable says what is wrong.

    Only what is asked for is imported: torch takes seconds and half a gigabyte.
    """
    sizes = _sizes(settings)
    if settings.kind == "server":
        if not settings.url or (settings.dialect == "v1" and not settings.model):
            raise RerankerUnusable("A reranker on a server needs `url`, and of dialect v1 `model`.")
        if settings.at_once:
            sizes["at_once"] = settings.at_once
        about = RerankServer(settings.url, settings.dialect, settings.model, **sizes)
        return ServerReranker(about, key, seconds=seconds)
    if not settings.path:
        raise RerankerUnusable("A reranker needs `path`, the folder with its model's files.")
    folder = Path(settings.path)
    if settings.kind == "bge":
        from core.rerank.bge import BgeReranker

        return BgeReranker(folder, **sizes, lock=lock)
    from core.rerank.cross_encoder import CrossEncoder

    return CrossEncoder(folder, **sizes, lock=lock)


def _sizes(settings: RerankerSettings) -> dict[str, int]:
    """What is not left to the kind."""
    if settings.batch < 0:
        raise RerankerUnusable(f"A reranker cannot read {settings.batch} texts at once.")
    if settings.longest and settings.longest < _SHORTEST:
        raise RerankerUnusable(
            f"A reranker that reads {settings.longest} tokens sees too little; {_SHORTEST} at least."
        )
    return {name: value for name, value in (("batch", settings.batch), ("longest", settings.longest)) if value}
