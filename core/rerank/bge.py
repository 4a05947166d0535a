"""BGE's rerankers, of which `BAAI/bge-reranker-v2-m3` is one, through FlagEmbedding (extra `bge`)."""

import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from safetensors import SafetensorError

from core.embedding.folder import failing_as, fingerprint
from core.errors import RerankerUnavailable, RerankerUnusable
from core.host_lock import HostLock, turn_of
from core.rerank.cut import head, in_batches
from core.rerank.folder import CONFIG, check_kind, first_of, need

_TOKENIZER = "tokenizer.json"
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
_ADAPTER = "adapter_config.json"
_SMALLER = 4  # times, once, when a batch did not fit into the card's memory


class BgeReranker:
    """A folder with the files of such a model. Half precision on a graphics card, full precision without one.

    It reads `longest` tokens of a question and a text together; by default a chunk of the index fits beside a short
    question. Of a longer pair the question's beginning is read, up to half of that, and the text's.
    """

    def __init__(self, folder: Path, *, batch: int = 16, longest: int = 1024, lock: HostLock | None = None) -> None:
        """RerankerUnusable if the packages, the folder or one of its files are missing or cannot be loaded."""
        need(folder, (CONFIG, _TOKENIZER))
        weights = first_of(folder, _WEIGHTS)
        check_kind(folder)
        if (folder / _ADAPTER).exists():
            raise RerankerUnusable(f"{_ADAPTER} in {folder} names a model that would be downloaded. Merge it first.")
        self._model, self._device = _load(folder)
        self._longest = min(longest, self._model.model.config.max_position_embeddings - 2)  # two are the padding's
        self._batch = batch
        self._card = lock
        self._lock = threading.Lock()  # one question at a time in the tokenizer
        self.name = f"bge-reranker-{self._longest}@{fingerprint(folder, (CONFIG, _TOKENIZER, weights))}"

    def scores(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        """See `Reranker.scores`. Logits: above 0 the model takes a text for an answer."""
        import torch

        with (
            turn_of(self._card, "query", RerankerUnavailable),
            self._lock,
            failing_as(RerankerUnavailable, "The reranker's model failed"),
        ):
            score = partial(self._score, self._beginning(question))
            try:
                return in_batches(texts, self._batch, score)
            except torch.OutOfMemoryError:
                pass  # and out of this block, for the error holds what fills the memory
            torch.cuda.empty_cache()
            return in_batches(texts, max(1, self._batch // _SMALLER), score)

    def _beginning(self, question: str) -> str:
        marked = self._model.tokenizer(
            question, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
        )
        return head(question, [start for start, _ in marked["offset_mapping"]], self._longest // 2)

    def _score(self, question: str, texts: Sequence[str]) -> list[float]:
        """The library's own `compute_score` runs the first batch twice and shrinks it without end when that fails."""
        import torch

        with torch.no_grad():
            inputs = self._model.tokenizer(
                [question] * len(texts),
                list(texts),
                truncation="only_second",
                max_length=self._longest,
                padding=True,
                return_tensors="pt",
            ).to(self._device)
            logits = self._model.model(**inputs).logits
        scores: list[float] = logits.view(-1).float().cpu().tolist()
        return scores


def _load(folder: Path) -> tuple[Any, str]:
    """The model, and where it runs. Nothing is downloaded, and no code of a model is run."""
    try:
        import torch
        from FlagEmbedding import FlagReranker
    except ModuleNotFoundError as error:
        raise RerankerUnusable(f"{error.name} is not installed. Install crosscheck[bge].") from error
    device = "cuda:0" if torch.cuda.is_available() else "cpu"
    with failing_as(RerankerUnusable, f"The model in {folder} cannot be loaded", UnpicklingError, SafetensorError):
        model = FlagReranker(str(folder.resolve()), devices=device, trust_remote_code=False)
        if device != "cpu":
            model.model.half()
        model.model.to(device)
        model.model.eval()
    return model, device
