"""A reranker behind an address: text-embeddings-inference, vLLM, or what speaks Jina's and Cohere's form.

- `tei`: https://huggingface.co/docs/text-embeddings-inference/quick_tour and its `router/src/http/types.rs`
- `v1`: https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html (Re-rank API), https://jina.ai/reranker and
  https://docs.cohere.com/reference/rerank
"""

import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from core.errors import RerankerUnavailable, RerankerUnusable
from core.model_server import Lane, Limits, ModelServer, Raised, batches, in_halves

Dialect = Literal["tei", "v1"]

_RAISED = Raised(RerankerUnavailable, RerankerUnusable, "The reranker's server")
_ENVELOPE_BYTES = 65_536
_SCORE_BYTES = 200  # of one score in the JSON of an answer, with its names
_TEXT_BYTES = 6  # of a character in JSON: some servers send the texts back
_CHARACTERS = 200_000  # a request
_A_TOKEN = 3  # characters at least, of a text in a language with letters
_ATTEMPTS = 5
_MARGIN = 0.9  # of the time: who waits for the scores shall hear why there are none, not that nothing came


@dataclass(frozen=True, slots=True)
class RerankServer:
    """What is asked of the server."""

    url: str
    """What stands before `/rerank`: of `tei` the server's address, of `v1` with its version, such as `/v1`."""
    dialect: Dialect
    model: str = ""
    """v1: its name there."""
    batch: int = 32
    """Texts a request; text-embeddings-inference takes no more unless told to."""
    longest: int = 1024
    """Tokens of a question and a text together, guessed at three characters each; what is longer is cut."""
    at_once: int = 4
    """Requests under way together."""


class ServerReranker:
    """One model of one server. All batches of a question must be scored alike, as by a model that reads one text at a
    time; one that compares a request's texts with each other needs a `batch` of all candidates.
    """

    def __init__(
        self, about: RerankServer, key: str = "", *, seconds: float, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """`seconds` are for all of a question, the waiting for other questions included."""
        self._about = about
        self._limits = Limits(_ATTEMPTS, longest_wait=seconds, answer=seconds, whole=_MARGIN * seconds)
        self._server = ModelServer(f"{about.url.rstrip('/')}/rerank", key, _RAISED, sleep)
        self._lane = Lane(about.at_once, _RAISED)
        self._form = _FORMS[about.dialect]
        self.name = _name(about)

    def scores(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        """See `Reranker.scores`. RerankerUnusable when the server refuses the key, the model or the form, or speaks
        another dialect.
        """
        until = time.monotonic() + self._limits.whole
        most = self._about.longest * _A_TOKEN
        question = question[: most // 2]
        read = [text[: most - len(question)] for text in texts]
        groups = [[read[number] for number in group] for group in batches(read, self._about.batch, _CHARACTERS)]
        ask = partial(self._batch, question, until=until)
        return tuple(score for scores in self._lane.each(ask, groups, until) for score in scores)

    def _batch(self, question: str, texts: Sequence[str], *, until: float) -> Sequence[float]:
        return in_halves(texts, partial(self._once, question, until=until), _RAISED)

    def _once(self, question: str, texts: Sequence[str], *, until: float) -> list[float]:
        most = _ENVELOPE_BYTES + _SCORE_BYTES * len(texts) + _TEXT_BYTES * sum(map(len, texts))
        read = partial(_read, form=self._form, count=len(texts))
        return self._server.post(self._form.body(self._about.model, question, texts), most, self._limits, until, read)


@dataclass(frozen=True, slots=True)
class _Form:
    """How a dialect asks, and where in the answer the scores are."""

    body: Callable[[str, str, Sequence[str]], Mapping[str, Any]]
    rows: Callable[[Any], Any]
    score: str


def _tei(_model: str, question: str, texts: Sequence[str]) -> Mapping[str, Any]:
    """Raw scores, as the models on this host give them: squeezed between 0 and 1, the best ones hardly differ."""
    return {"query": question, "texts": list(texts), "raw_scores": True, "truncate": True}


def _v1(model: str, question: str, texts: Sequence[str]) -> Mapping[str, Any]:
    return {"model": model, "query": question, "documents": list(texts), "top_n": len(texts)}


_FORMS: Mapping[Dialect, _Form] = {
    "tei": _Form(_tei, lambda answer: answer, "score"),
    "v1": _Form(_v1, lambda answer: answer["results"], "relevance_score"),
}


def _read(body: bytes, form: _Form, count: int) -> list[float]:
    """The scores in the order of the texts, which each names by `index`. What is no JSON may come from a server that is
    starting; what is wrong JSON will be so again.
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RerankerUnavailable("The reranker's server answered with something that is not JSON.") from error
    try:
        rows = [(row["index"], row[form.score]) for row in form.rows(answer)]
    except (TypeError, KeyError) as error:
        raise RerankerUnusable(
            "The reranker's server answered with something that is no list of scores. Compare `dialect` with it."
        ) from error
    if len(rows) != count or not all(type(number) is int for number, _ in rows):
        raise RerankerUnusable(f"The reranker's server gave {len(rows)} scores for {count} texts, or without numbers.")
    scores = dict(rows)
    if scores.keys() != set(range(count)):
        raise RerankerUnusable("The reranker's server gave scores for other texts than it was asked about.")
    if not all(type(score) in {int, float} and _finite(score) for score in scores.values()):
        raise RerankerUnusable("The reranker's server gave scores that are not finite numbers.")
    return [float(scores[number]) for number in range(count)]


def _finite(score: float) -> bool:
    try:
        return math.isfinite(score)
    except OverflowError:  # an integer of hundreds of digits
        return False


def _name(about: RerankServer) -> str:
    """The address is no part of it but by its digits: it may say what a name must not."""
    told = json.dumps([about.url, about.dialect, about.model, about.longest])
    digits = hashlib.blake2b(told.encode(), digest_size=4).hexdigest()
    return f"{about.model or about.dialect}-server-{about.longest}@{digits}"
