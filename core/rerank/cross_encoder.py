"""A light cross-encoder in ONNX form through FastEmbed, from a folder. No graphics card is needed.

For instance `Xenova/ms-marco-MiniLM-L-6-v2`, or `onnx-community/bge-reranker-v2-m3-ONNX` in eight bits.
"""

import json
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from tokenizers import Encoding, Tokenizer

from core.embedding.folder import failing_as, fingerprint
from core.errors import RerankerUnavailable, RerankerUnusable
from core.host_lock import HostLock, turn_of
from core.rerank.cut import head, in_batches
from core.rerank.folder import CONFIG, check_kind, first_of, need

_FILES = (CONFIG, "tokenizer.json", "tokenizer_config.json")
_WEIGHTS = ("onnx/model.onnx", "onnx/model_int8.onnx")
_SPARE = 8  # tokens: the special ones, and what a word cut in two adds
_registering = threading.Lock()


class CrossEncoder:
    """A folder with the files of such a model.

    It reads `longest` tokens of a question and a text together, or fewer where its own limit is lower. Of a longer pair
    the question's beginning is read, up to half of that, and the text's.
    """

    def __init__(self, folder: Path, *, batch: int = 16, longest: int = 512, lock: HostLock | None = None) -> None:
        """RerankerUnusable if the folder or one of its files are missing or cannot be loaded."""
        need(folder, _FILES)
        weights = first_of(folder, _WEIGHTS)
        check_kind(folder)
        with _engine_errors(RerankerUnusable, f"The model in {folder} cannot be loaded"):
            settings = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
            self._longest = min(longest, settings["model_max_length"])  # beyond it FastEmbed cuts
            self.name = f"cross-encoder-{self._longest}@{fingerprint(folder, (*_FILES, weights))}"
            self._model = _load(folder, weights, self.name)
            self._counter = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._counter.no_truncation()
        self._counter.no_padding()
        self._batch = batch
        self._card = lock

    def scores(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        """See `Reranker.scores`. Logits: above 0 the model takes a text for an answer."""
        with _engine_errors(RerankerUnavailable, "The lighter reranker's model failed"):
            asked, read = self._cut(question, texts)
            with turn_of(self._card, "query", RerankerUnavailable):
                return in_batches(read, self._batch, partial(self._score, asked))

    def _cut(self, question: str, texts: Sequence[str]) -> tuple[str, list[str]]:
        """What is read of each; left alone, FastEmbed would cut whichever is longer."""
        tokens = self._counter.encode(question, add_special_tokens=False)
        most = self._longest // 2
        room = self._longest - min(len(tokens.ids), most) - _SPARE
        encodings = self._counter.encode_batch(list(texts), add_special_tokens=False)
        read = [head(text, _starts(each), room) for text, each in zip(texts, encodings, strict=True)]
        return head(question, _starts(tokens), most), read

    def _score(self, question: str, texts: Sequence[str]) -> list[float]:
        return list(self._model.rerank(question, texts, batch_size=len(texts)))


def _starts(encoding: Encoding) -> list[int]:
    return [start for start, _ in encoding.offsets]


def _load(folder: Path, weights: str, name: str) -> Any:
    """FastEmbed keeps one list of models a process, by name."""
    from fastembed.common.model_description import ModelSource
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    with _registering:
        if name.lower() not in {known["model"].lower() for known in TextCrossEncoder.list_supported_models()}:
            TextCrossEncoder.add_custom_model(name, ModelSource(url="a local folder"), model_file=weights)
    return TextCrossEncoder(name, specific_model_path=str(folder), local_files_only=True)


def _engine_errors(raised: type[RerankerUnavailable], said: str) -> AbstractContextManager[None]:
    """ONNX Runtime's errors have no root of their own. IndexError: the model's output has no rows of scores."""
    from onnxruntime.capi import onnxruntime_pybind11_state as engine

    failures = (engine.Fail, engine.InvalidArgument, engine.InvalidGraph, engine.InvalidProtobuf, engine.NotImplemented)
    return failing_as(raised, said, *failures, engine.RuntimeException, IndexError)
