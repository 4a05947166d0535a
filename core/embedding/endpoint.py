"""Any server with OpenAI's `/v1/embeddings`: text-embeddings-inference, vLLM, Ollama, a provider.

https://platform.openai.com/docs/api-reference/embeddings/create
"""

import hashlib
import json
import random
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import numpy as np
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from core.connectors.http import retry_after
from core.embedding.base import Encoded, Side, Vectors
from core.embedding.whole import embed_whole
from core.errors import EmbedderUnavailable, EmbedderUnusable

_NUMBER_BYTES = 48  # of one number in the JSON of an answer, with what stands between two
_ENVELOPE_BYTES = 65_536
_PASSING = frozenset({408, 425, 429})


@dataclass(frozen=True, slots=True)
class Limits:
    """How often a request is made, and how long it may take. In seconds."""

    attempts: int
    longest_wait: float
    """Between two attempts; a server that wants more is given up."""
    answer: float
    """For a whole answer."""


PATIENT = Limits(attempts=5, longest_wait=30, answer=120)
HASTY = Limits(attempts=2, longest_wait=1, answer=10)
"""While somebody waits for a search, which goes on without an embedder."""


@dataclass(frozen=True, slots=True)
class EndpointModel:
    """What is asked of the server."""

    url: str
    """Up to and with `/v1`."""
    model: str
    size: int
    """Length of its vectors; others are refused."""
    ask_size: bool = False
    """Send it as `dimensions`, for models that can shorten their vectors."""
    passage_prefix: str = ""
    query_prefix: str = ""
    batch: int = 32
    """Texts a request."""
    longest: int = 16_000
    """Characters of a text at once; a longer one is sent in parts."""
    revision: str = ""
    """To be changed when the server has another model under the same name."""


class EndpointEmbedder:
    """One model of one server."""

    def __init__(
        self,
        about: EndpointModel,
        key: str = "",
        *,
        passages: Limits = PATIENT,
        queries: Limits = HASTY,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._about = about
        self._limits = {"passage": passages, "query": queries}
        self._sleep = sleep
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(headers=headers)
        weakref.finalize(self, self._client.close)  # its connections stay open between searches
        self.name = _name(about)
        self.size = about.size
        self.learned_terms = False

    def embed(self, texts: Sequence[str], side: Side = "passage") -> Encoded:
        """See `Embedder.embed`. EmbedderUnusable when the server refuses the key, the model or the form."""
        prefix = self._about.passage_prefix if side == "passage" else self._about.query_prefix
        limits = self._limits[side]
        return embed_whole(
            texts,
            self.size,
            cut=self._cut,
            batch=self._about.batch,
            embed=lambda parts: Encoded(self._repeated([prefix + part for part in parts], limits)),
        )

    def _cut(self, text: str) -> list[str]:
        most = self._about.longest
        parts = (text[start : start + most] for start in range(0, len(text), most))
        return [part for part in parts if part.strip()]

    def _repeated(self, texts: Sequence[str], limits: Limits) -> Vectors:
        def worth_waiting(error: BaseException) -> bool:
            if isinstance(error, EmbedderUnusable) or not isinstance(error, EmbedderUnavailable):
                return False
            return (error.retry_after or 0) <= limits.longest_wait

        def pause(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            if isinstance(error, EmbedderUnavailable) and error.retry_after is not None:
                return max(error.retry_after, 0.1)
            return float(min(0.5 * 2 ** (state.attempt_number - 1), limits.longest_wait)) * random.uniform(0.5, 1)

        attempts = Retrying(
            stop=stop_after_attempt(limits.attempts),
            wait=pause,
            retry=retry_if_exception(worth_waiting),
            sleep=self._sleep,
            reraise=True,
        )
        return attempts(self._once, texts, limits)

    def _once(self, texts: Sequence[str], limits: Limits) -> Vectors:
        asked: dict[str, Any] = {"model": self._about.model, "input": list(texts)}
        if self._about.ask_size:
            asked["dimensions"] = self.size
        most = _ENVELOPE_BYTES + len(texts) * self.size * _NUMBER_BYTES
        until = time.monotonic() + limits.answer
        body = bytearray()
        try:
            with self._client.stream(
                "POST", f"{self._about.url.rstrip('/')}/embeddings", json=asked, timeout=limits.answer
            ) as response:
                _judge(response)
                for block in response.iter_bytes():
                    body += block
                    if len(body) > most:
                        raise EmbedderUnusable(f"The embedder's server answered with more than {most} bytes.")
                    if time.monotonic() > until:
                        raise EmbedderUnavailable("The embedder's server did not end its answer in time.")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EmbedderUnavailable(f"The embedder's server: {_kind(error)}.") from error
        return _read(bytes(body), len(texts), self.size)


def _name(about: EndpointModel) -> str:
    """The address is no part: a server that moves still has the same model."""
    rest = json.dumps([about.revision, about.ask_size, about.passage_prefix, about.query_prefix])
    return f"{about.model}-{about.size}@{hashlib.blake2b(rest.encode(), digest_size=4).hexdigest()}"


def _judge(response: httpx.Response) -> None:
    """Raise for anything but success. What the server says is not repeated: it may quote the key or the texts."""
    status = response.status_code
    if status == httpx.codes.OK:
        return
    said = f"The embedder's server answered with {status}"
    if status in _PASSING or status >= 500:
        raise EmbedderUnavailable(f"{said}.", retry_after=retry_after(response.headers.get("Retry-After")))
    if status in {401, 403}:
        raise EmbedderUnusable(f"{said}: it does not accept the key.")
    if status == 404:
        raise EmbedderUnusable(f"{said}: the address or the model's name in the settings is wrong.")
    if status == 413:
        raise EmbedderUnusable(f"{said}: the texts are too long for it. Send fewer at once, or shorter parts.")
    raise EmbedderUnusable(f"{said}: it does not accept the request. Compare its model and the size with the settings.")


def _read(body: bytes, count: int, size: int) -> Vectors:
    """The vectors in the order of the texts, which each names by `index`."""
    try:
        rows = {row["index"]: row["embedding"] for row in json.loads(body)["data"]}
        ordered = [rows[number] for number in range(count)]
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused for that
            vectors = np.array(ordered).astype(np.float32, casting="same_kind")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise EmbedderUnavailable(
            "The embedder's server answered with something that is no list of vectors."
        ) from error
    if vectors.shape != (count, size):
        raise EmbedderUnusable(
            f"The embedder's server gave vectors of {vectors.shape[-1]} numbers; the settings say {size}."
        )
    return vectors


def _kind(error: httpx.HTTPError | httpx.InvalidURL) -> str:
    """What went wrong, without the address, which may hold what a message must not."""
    if isinstance(error, httpx.TimeoutException):
        return "no answer in time"
    return "the connection failed" if isinstance(error, httpx.TransportError) else type(error).__name__
