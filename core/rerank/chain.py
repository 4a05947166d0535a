"""Rerankers in order of preference: the first that gives usable scores in time orders the results."""

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import structlog

from core.errors import RerankerUnavailable
from core.rerank.base import Reranker
from core.spans import step, tell
from core.types import Metrics, NullMetrics

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Reranked:
    """What became of one question's candidates."""

    scores: tuple[float, ...] | None
    """One for each text, in their order, higher is better. None: no reranker gave any, so the order stays."""
    by: str | None
    """Name of the reranker that gave them."""
    degraded: tuple[str, ...] = ()
    """Sentences for people: why a better one did not."""


class Reranking:
    """The chain. A reranker that hangs costs one question `limit_seconds`, and is left alone until it is done."""

    def __init__(self, rerankers: Sequence[Reranker], limit_seconds: float, metrics: Metrics | None = None) -> None:
        """The limit is each reranker's, for all texts of a question."""
        self._askers = [_Asker(reranker, limit_seconds) for reranker in rerankers]
        self._metrics = metrics or NullMetrics()

    def rank(self, question: str, texts: Sequence[str]) -> Reranked:
        """Scores by the first reranker that can. What a reranker raises besides RerankerUnavailable is a fault in the
        program: the thread's hook reports it, and the next one answers.
        """
        if not texts:
            return Reranked((), None)
        failures: list[_Failure] = []
        for asker in self._askers:
            with step("rerank", reranker=asker.name, texts=len(texts)):
                outcome = asker.ask(question, texts)
                tell(outcome=outcome.reason if isinstance(outcome, _Failure) else "scored")
            if not isinstance(outcome, _Failure):
                return Reranked(outcome, asker.name, _said(failures, "a lighter one ordered the results"))
            failures.append(outcome)
            self._metrics.count("crosscheck_rerank_fallbacks_total", reranker=asker.name, reason=outcome.reason)
            log.warning("reranker passed over", reranker=asker.name, reason=outcome.reason, said=outcome.said)
        return Reranked(None, None, _said(failures, "the results are in the search's own order"))


@dataclass(frozen=True, slots=True)
class _Failure:
    reason: Literal["unavailable", "crashed", "timeout", "hanging", "wrong_count", "not_finite"]
    said: str
    """The beginning of a sentence."""


class _Asker:
    """Asks one reranker, for a limited time."""

    def __init__(self, reranker: Reranker, limit: float) -> None:
        self.name = reranker.name
        self._reranker = reranker
        self._limit = limit
        self._late: list[_Call] = []
        self._lock = threading.Lock()

    def ask(self, question: str, texts: Sequence[str]) -> tuple[float, ...] | _Failure:
        """There are never more threads than questions at once: while one is late, none is begun."""
        with self._lock:
            self._late = [call for call in self._late if call.is_alive()]
            if self._late:
                return _Failure("hanging", "The reranker has not answered an earlier question yet")
        call = _Call(self._reranker, question, texts)
        call.start()
        call.join(self._limit)
        if call.is_alive():
            with self._lock:
                self._late.append(call)
            return _Failure("timeout", f"The reranker did not answer in {self._limit:g} s")
        return _checked(call.outcome, len(texts))


class _Call(threading.Thread):
    """One question to a reranker. A daemon: one that hangs does not keep the program from ending."""

    def __init__(self, reranker: Reranker, question: str, texts: Sequence[str]) -> None:
        super().__init__(name=f"rerank {reranker.name}", daemon=True)
        self._reranker = reranker
        self._question = question
        self._texts = texts
        self.outcome: Sequence[float] | RerankerUnavailable | None = None
        """None: it raised something else."""

    def run(self) -> None:
        try:
            self.outcome = self._reranker.scores(self._question, self._texts)
        except RerankerUnavailable as error:
            self.outcome = error


def _checked(outcome: Sequence[float] | RerankerUnavailable | None, wanted: int) -> tuple[float, ...] | _Failure:
    if outcome is None:
        return _Failure("crashed", "The reranker failed")
    if isinstance(outcome, RerankerUnavailable):
        return _Failure("unavailable", str(outcome).removesuffix("."))
    if len(outcome) != wanted:
        return _Failure("wrong_count", f"The reranker gave {len(outcome)} scores for {wanted} texts")
    scores = tuple(float(score) for score in outcome)
    if not all(map(math.isfinite, scores)):
        return _Failure("not_finite", "The reranker gave scores that are not finite")
    return scores


def _said(failures: Sequence[_Failure], instead: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{failure.said}, so {instead}." for failure in failures))
