"""Models in ONNX form, through FastEmbed, from a folder. No graphics card is needed, and no code of a model is run."""

import json
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from core.embedding.base import Encoded, Side
from core.embedding.folder import failing_as, fingerprint, need
from core.embedding.whole import embed_whole, windows
from core.errors import EmbedderUnavailable, EmbedderUnusable
from core.host_lock import HostLock, turn_of

_SPARE = 16  # tokens: the special ones, and what a word cut in two adds
_registering = threading.Lock()


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """What a model's card says of it. Its vector is the mean of its tokens' vectors."""

    name: str
    size: int
    longest: int
    """Tokens that it reads at once."""
    passage_prefix: str = ""
    query_prefix: str = ""
    file: str = "onnx/model.onnx"


NOMIC = OnnxModel("nomic-embed-text-v1.5", 768, 2048, "search_document: ", "search_query: ")
"""https://huggingface.co/nomic-ai/nomic-embed-text-v1.5: the prefixes are a must; trained on 2,048 tokens."""
JINA_CODE = OnnxModel("jina-embeddings-v2-base-code", 768, 8192)
"""https://huggingface.co/jinaai/jina-embeddings-v2-base-code: no prefixes."""
MODELS = {model.name: model for model in (NOMIC, JINA_CODE)}


class OnnxEmbedder:
    """A folder with the files of one of these models."""

    def __init__(self, folder: Path, model: OnnxModel, *, batch: int = 16, lock: HostLock | None = None) -> None:
        """EmbedderUnusable if the folder or one of its files are missing or cannot be loaded."""
        files = (model.file, "tokenizer.json", "tokenizer_config.json")
        need(folder, files)
        self._about = model
        self._batch = batch
        self._card = lock
        self.name = f"{model.name}@{fingerprint(folder, files)}+{model.passage_prefix}|{model.query_prefix}"
        self.size = model.size
        self.learned_terms = False
        with _engine_errors(EmbedderUnusable, f"The model in {folder} cannot be loaded"):
            self._model = _load(folder, model, self.name)
            self._counter = Tokenizer.from_file(str(folder / "tokenizer.json"))
            settings = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
        self._longest = min(model.longest, settings["model_max_length"])  # beyond it FastEmbed cuts
        self._counter.no_truncation()
        self._counter.no_padding()

    def embed(self, texts: Sequence[str], side: Side = "passage") -> Encoded:
        """See `Embedder.embed`."""
        prefix = self._about.passage_prefix if side == "passage" else self._about.query_prefix
        return embed_whole(
            texts,
            self.size,
            cut=self._cut,
            batch=self._batch,
            embed=lambda parts: self._embed([prefix + part for part in parts], side),
        )

    def _cut(self, text: str) -> list[str]:
        offsets = self._counter.encode(text, add_special_tokens=False).offsets
        return windows(text, [start for start, _ in offsets], self._longest - _SPARE)

    def _embed(self, parts: Sequence[str], side: Side) -> Encoded:
        with (
            turn_of(self._card, side, EmbedderUnavailable),
            _engine_errors(EmbedderUnavailable, f"{self._about.name} failed"),
        ):
            rows = list(self._model.embed(list(parts), batch_size=len(parts)))
        dense = np.asarray(rows, dtype=np.float32)
        if dense.shape != (len(parts), self.size):
            raise EmbedderUnavailable(f"{self._about.name} gave vectors of {dense.shape[-1]} numbers, not {self.size}.")
        return Encoded(dense)


def _load(folder: Path, model: OnnxModel, name: str) -> Any:
    """FastEmbed keeps one list of models a process, by name."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    with _registering:
        if name.lower() not in {known["model"].lower() for known in TextEmbedding.list_supported_models()}:
            TextEmbedding.add_custom_model(
                name,
                pooling=PoolingType.MEAN,
                normalization=True,
                sources=ModelSource(url="a local folder"),
                dim=model.size,
                model_file=model.file,
            )
    return TextEmbedding(name, specific_model_path=str(folder), local_files_only=True)


def _engine_errors(raised: type[EmbedderUnavailable], said: str) -> AbstractContextManager[None]:
    """ONNX Runtime's errors have no root of their own."""
    from onnxruntime.capi import onnxruntime_pybind11_state as engine

    failures = (engine.Fail, engine.InvalidArgument, engine.InvalidGraph, engine.InvalidProtobuf, engine.NotImplemented)
    return failing_as(raised, said, *failures, engine.RuntimeException)
