"""The rerankers that the settings ask for, in one chain."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import structlog

from core.embedding.static import StaticEmbedder
from core.errors import LockUnusable, RerankerUnavailable, RerankerUnusable
from core.host_lock import HostLock
from core.rerank.base import Reranker
from core.rerank.chain import Reranking
from core.rerank.late import LateInteraction
from core.rerank.make import RerankerSettings, make
from core.types import Metrics
from crosscheck import settings_finding as config

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Broken:
    """Stands for one that could not be made: the next one answers, and the answers say why."""

    name: str
    reason: str

    def scores(self, question: str, texts: Sequence[str]) -> NoReturn:
        """Raise RerankerUnavailable, with the reason."""
        del question, texts
        raise RerankerUnavailable(self.reason)


def chain(chosen: config.Reranking, lock: Callable[[], HostLock], metrics: Metrics, key: str = "") -> Reranking | None:
    """The models in order of preference, and what needs none as the last; None when the settings want no reranking.
    The lock is made only for models that run here; the key is the servers'.
    """
    if not chosen.enabled:
        return None
    last = LateInteraction(StaticEmbedder())
    return Reranking([*_models(chosen, lock, key), last], chosen.seconds, metrics)


def made(one: config.Reranker, lock: Callable[[], HostLock], key: str, seconds: float) -> Reranker:
    """One model. Raises RerankerUnusable, LockUnusable."""
    held = None if one.kind == "server" else lock()
    return make(RerankerSettings(**one.model_dump()), held, key=key, seconds=seconds)


def _models(chosen: config.Reranking, lock: Callable[[], HostLock], key: str) -> list[Reranker]:
    rerankers: list[Reranker] = []
    for one in chosen.models:
        try:
            rerankers.append(made(one, lock, key, chosen.seconds))
        except (RerankerUnusable, LockUnusable) as error:
            where = one.path or "on a server"
            log.error("reranker cannot be used", kind=one.kind, where=where, reason=str(error))  # noqa: TRY400
            rerankers.append(Broken(f"{one.kind} {where}", str(error)))
    return rerankers
