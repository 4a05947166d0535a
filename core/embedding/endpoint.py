"""Any server with OpenAI's `/v1/embeddings`: text-embeddings-inference, vLLM, Ollama, a provider.

https://platform.openai.com/docs/api-reference/embeddings/create
"""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from core.embedding.base import Encoded, Side, Vectors
from core.embedding.whole import embed_whole
from core.errors import EmbedderUnavailable, EmbedderUnusable
from core.model_server import Lane, Limits, ModelServer, Raised, in_halves

_NUMBER_BYTES = 48  # of one number in the JSON of an answer, with what stands between two
_ENVELOPE_BYTES = 65_536
_CHARACTERS = 400_000  # a request; text-embeddings-inference takes two million bytes, and a character may be four
_RAISED = Raised(EmbedderUnavailable, EmbedderUnusable, "The embedder's server")

PATIENT = Limits(attempts=5, longest_wait=30, answer=120, whole=6 * 3600)  # a thousand texts on a slow processor
HASTY = Limits(attempts=2, longest_wait=1, answer=10, whole=15)
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
    """Texts a request; text-embeddings-inference takes no more unless told to."""
    at_once: int = 4
    """Requests under way together, and as many for questions."""
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
        self._server = ModelServer(f"{about.url.rstrip('/')}/embeddings", key, _RAISED, sleep)
        self._ways: dict[Side, tuple[str, Limits, Lane]] = {
            "passage": (about.passage_prefix, passages, Lane(about.at_once, _RAISED)),
            "query": (about.query_prefix, queries, Lane(about.at_once, _RAISED)),
        }
        self.name = _name(about)
        self.size = about.size
        self.learned_terms = False

    def embed(self, texts: Sequence[str], side: Side = "passage") -> Encoded:
        """See `Embedder.embed`. A question never waits for passages that have not been sent yet. EmbedderUnusable when
        the server refuses the key, the model or the form.
        """
        prefix, limits, lane = self._ways[side]
        until = time.monotonic() + limits.whole
        return embed_whole(
            texts,
            self.size,
            cut=self._cut,
            batch=self._about.batch,
            characters=_CHARACTERS,
            embed=partial(self._vectors, prefix=prefix, limits=limits, until=until),
            run=partial(lane.each, until=until),
        )

    def _cut(self, text: str) -> list[str]:
        most = self._about.longest
        parts = (text[start : start + most] for start in range(0, len(text), most))
        return [part for part in parts if part.strip()]

    def _vectors(self, texts: Sequence[str], *, prefix: str, limits: Limits, until: float) -> Encoded:
        ask = partial(self._rows, limits=limits, until=until)
        return Encoded(np.array(in_halves([prefix + text for text in texts], ask, _RAISED)))

    def _rows(self, texts: Sequence[str], *, limits: Limits, until: float) -> list[Vectors]:
        asked: dict[str, Any] = {"model": self._about.model, "input": list(texts)}
        if self._about.ask_size:
            asked["dimensions"] = self.size
        most = _ENVELOPE_BYTES + len(texts) * self.size * _NUMBER_BYTES
        read = partial(_read, count=len(texts), size=self.size)
        return list(self._server.post(asked, most, limits, until, read))


def _name(about: EndpointModel) -> str:
    """The address is no part: a server that moves still has the same model."""
    rest = json.dumps([about.revision, about.ask_size, about.passage_prefix, about.query_prefix])
    return f"{about.model}-{about.size}@{hashlib.blake2b(rest.encode(), digest_size=4).hexdigest()}"


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
