"""BGE-M3: dense vectors and learned weights of terms from one model, through FlagEmbedding (extra `bge`)."""

import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from safetensors import SafetensorError

from core.embedding.base import Encoded, Side
from core.embedding.folder import failing_as, fingerprint, need
from core.embedding.sparse import SparseVector
from core.embedding.whole import embed_whole, windows
from core.errors import EmbedderUnavailable, EmbedderUnusable
from core.host_lock import HostLock, turn_of

_LONGEST = 8192  # tokens that the model reads at once
_SPARE = 16  # tokens: the special ones, and what a word cut in two adds
_CONFIG = ("config.json", "tokenizer.json")
_HEADS = ("sparse_linear.pt", "colbert_linear.pt")
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")


class BgeEmbedder:
    """A folder with the files of `BAAI/bge-m3`. Half precision on a graphics card, full precision without one.

    Without the file of the head that weighs terms FlagEmbedding makes up random weights, so that is refused; it loads
    both of its heads or none.
    """

    def __init__(self, folder: Path, *, batch: int = 12, lock: HostLock | None = None) -> None:
        """EmbedderUnusable if the packages, the folder or one of its files are missing or cannot be loaded."""
        need(folder, _CONFIG + _HEADS)
        weights = next((name for name in _WEIGHTS if (folder / name).is_file()), None)
        if weights is None:
            raise EmbedderUnusable(f"There are no weights in {folder}: neither {_WEIGHTS[0]} nor {_WEIGHTS[1]}.")
        self._model, self._device = _load(folder)
        self._batch = batch
        self._card = lock
        self._reading = threading.Lock()  # one text or one batch at a time in the tokenizer
        self._running = threading.Lock()  # one batch at a time in the model, where there is no lock of the card
        config = self._model.model.model.config
        self._longest = min(_LONGEST, config.max_position_embeddings - 2)  # two positions are the padding's
        self._special = frozenset(self._model.tokenizer.all_special_ids)
        self.name = f"bge-m3@{fingerprint(folder, (*_CONFIG, *_HEADS, weights))}"
        self.size = int(config.hidden_size)
        self.learned_terms = True

    def embed(self, texts: Sequence[str], side: Side = "passage") -> Encoded:
        """See `Embedder.embed`. The model wants no instruction, so both sides are embedded alike."""
        encoded = embed_whole(
            texts, self.size, cut=self._cut, batch=self._batch, embed=lambda parts: self._embed(parts, side)
        )
        return encoded if encoded.terms else Encoded(encoded.dense, (SparseVector((), ()),) * len(texts))

    def _cut(self, text: str) -> list[str]:
        with self._reading:
            marked = self._model.tokenizer(
                text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
            )
        return windows(text, [start for start, _ in marked["offset_mapping"]], self._longest - _SPARE)

    def _embed(self, parts: Sequence[str], side: Side) -> Encoded:
        """The library's own `encode` runs the first batch twice and halves it without end when that fails."""
        import torch

        failing = partial(failing_as, EmbedderUnavailable, "The model of the embedder failed")
        with failing(), self._reading:
            inputs = self._model.tokenizer(list(parts), padding=True, return_tensors="pt")
        with turn_of(self._card, side, EmbedderUnavailable), self._running, failing(), torch.no_grad():
            inputs = inputs.to(self._device)
            output = self._model.model(inputs, return_dense=True, return_sparse=True)
            weights = output["sparse_vecs"].squeeze(-1).float().cpu().tolist()
            dense = output["dense_vecs"].float().cpu().numpy()
        ids = inputs["input_ids"].cpu().tolist()
        terms = (self._terms(*pair) for pair in zip(ids, weights, strict=True))
        return Encoded(dense, tuple(terms))

    def _terms(self, ids: Sequence[int], weights: Sequence[float]) -> SparseVector:
        """A token's weight is the largest of its occurrences; what only marks the text's ends has none."""
        held: dict[int, float] = {}
        for token, weight in zip(ids, weights, strict=True):
            if weight > 0 and token not in self._special:
                held[token] = max(weight, held.get(token, 0.0))
        return SparseVector(tuple(held), tuple(held.values()))


def _load(folder: Path) -> tuple[Any, str]:
    """The model, and where it runs. Nothing is downloaded, and no code of a model is run."""
    try:
        import torch
        from FlagEmbedding import BGEM3FlagModel
    except ModuleNotFoundError as error:
        raise EmbedderUnusable(f"{error.name} is not installed. Install crosscheck[bge].") from error
    device = "cuda:0" if torch.cuda.is_available() else "cpu"
    with failing_as(EmbedderUnusable, f"The model in {folder} cannot be loaded", UnpicklingError, SafetensorError):
        model = BGEM3FlagModel(
            str(folder.resolve()),
            use_fp16=device != "cpu",
            devices=device,
            passage_max_length=_LONGEST,
            query_max_length=_LONGEST,
            trust_remote_code=False,
        )
        model.model.to(device)
        model.model.eval()
    return model, device
