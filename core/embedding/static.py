"""The default embedder: WordLlama's static token vectors, read from its wheel. No network, no GPU, no model to run."""

from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from core.embedding.base import Encoded, Side, Vectors, normalised


def _wordllama() -> Path:
    """Where the installed package keeps its data. Found without importing it, which would set up logging."""
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("wordllama is not installed", name="wordllama")
    return Path(spec.origin).parent


class StaticEmbedder:
    """The mean of a text's token vectors (WordLlama `l2_supercat`, 256 numbers)."""

    def __init__(self) -> None:
        folder = _wordllama()
        weights = load_file(folder / "weights" / "l2_supercat_256.safetensors")
        self._vectors: Vectors = next(iter(weights.values())).astype(np.float32)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.name = f"wordllama-l2_supercat-256@{version('wordllama')}"
        self.size = int(self._vectors.shape[1])
        self.learned_terms = False

    def tokens(self, texts: Sequence[str]) -> list[NDArray[np.intp]]:
        """Of each text its tokens' numbers, in order."""
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [np.array(encoding.ids, dtype=np.intp) for encoding in encodings]

    def vectors_of(self, tokens: NDArray[np.intp]) -> Vectors:
        """The tokens' vectors, shape (tokens, size), as they are: not scaled."""
        return self._vectors[tokens]

    def embed(self, texts: Sequence[str], side: Side = "passage") -> Encoded:
        """See `Embedder.embed`. Tokens are not padded, so a long text costs its neighbours nothing."""
        del side  # both are embedded alike
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        means = np.zeros((len(encodings), self.size), dtype=np.float32)
        for row, encoding in enumerate(encodings):
            if encoding.ids:
                means[row] = self._vectors[encoding.ids].mean(axis=0)
        return Encoded(normalised(means))
