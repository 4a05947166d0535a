"""The rerankers that the settings ask for, in one chain."""

from collections.abc import Callable, Iterable, Sequence
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


def chain(chosen: config.Reranking, lock: Callable[[], HostLock], metrics: Metrics) -> Reranking | None:
    """The models in order of preference, and what needs none as the last; None when the settings want no reranking."""
    if not chosen.enabled:
        return None
    last = LateInteraction(StaticEmbedder())
    return Reranking([*_models(chosen.models, lock), last], chosen.seconds, metrics)


def made(one: config.Reranker, lock: HostLock) -> Reranker:
    """One model. Raises RerankerUnusable."""
    return make(RerankerSettings(**one.model_dump()), lock)


def _models(chosen: Iterable[config.Reranker], lock: Callable[[], HostLock]) -> list[Reranker]:
    rerankers: list[Reranker] = []
    for one in chosen:
        try:
            rerankers.append(made(one, lock()))
        except (RerankerUnusable, LockUnusable) as error:
            log.error("reranker cannot be used", kind=one.kind, path=one.path, reason=str(error))  # noqa: TRY400
            rerankers.append(Broken(f"{one.kind} {one.path}", str(error)))
    return rerankers
