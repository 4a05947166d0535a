"""BGE-M3 through FlagEmbedding: a model of its architecture, small and of random weights, loaded by the real code."""

import importlib.util
import itertools
import shutil
import statistics
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.embedding.bge import BgeEmbedder
from core.embedding.sparse import SparseVector
from core.errors import EmbedderUnavailable, EmbedderUnusable
from core.host_lock import HostLock
from tests.conftest import missing
from tests.core.test_embedding_onnx import Waits

POSITIONS = 66  # of the small model; two are the padding's
WORDS = [f"w{n}" for n in range(40)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("FlagEmbedding") is None:
        missing("the extra `bge` is not installed")
    made = tmp_path_factory.mktemp("bge-m3")
    make_model(made)
    return made


def make_tokenizer(folder: Path) -> int:
    """One as the model's, of few words; how many pieces it knows."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import XLMRobertaTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    pieces = [*special, "▁", *(f"▁{word}" for word in WORDS), *"abcw0123456789", "<mask>"]
    model = models.Unigram([(piece, -float(n)) for n, piece in enumerate(pieces)], unk_id=3)
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    XLMRobertaTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    return len(pieces)


def make_model(folder: Path) -> None:
    import torch
    from transformers import XLMRobertaConfig, XLMRobertaModel

    torch.manual_seed(7)
    config = XLMRobertaConfig(
        vocab_size=make_tokenizer(folder),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=POSITIONS,
        type_vocab_size=1,
        pad_token_id=1,
    )
    XLMRobertaModel(config).save_pretrained(folder)
    head = torch.nn.Linear(32, 1)
    torch.nn.init.constant_(head.bias, 3)  # so that most weights are above zero
    torch.save(head.state_dict(), folder / "sparse_linear.pt")
    torch.save(torch.nn.Linear(32, 32).state_dict(), folder / "colbert_linear.pt")


@pytest.fixture(scope="module")
def bge(folder: Path) -> BgeEmbedder:
    return BgeEmbedder(folder, batch=3)


def test_dense_and_learned_terms_are_those_of_the_library(bge: BgeEmbedder) -> None:
    texts = ["w1 w2 w3", "w4", "w5 " * 20 + "w6", "w1 w1 w7 w8"]
    ours = bge.embed(texts)
    theirs: dict[str, Any] = bge._model.encode(texts, batch_size=9, max_length=64, return_sparse=True)
    assert ours.dense.shape == (4, bge.size) == (4, 32)
    assert np.allclose(ours.dense, theirs["dense_vecs"], atol=1e-5)
    assert ours.terms is not None
    for mine, weights in zip(ours.terms, theirs["lexical_weights"], strict=True):
        held = dict(zip(mine.indices, mine.values, strict=True))
        assert held == pytest.approx({int(token): float(weight) for token, weight in weights.items()}, abs=1e-5)
    assert any(ours.terms)


def test_a_text_longer_than_the_model_reads_is_not_cut_off(bge: BgeEmbedder) -> None:
    """The mean of its parts, and every term of the last of them too."""
    long = " ".join(itertools.islice(itertools.cycle(WORDS[:30]), 200)) + " w39"
    whole = bge.embed([long, "w39"])
    cut = bge._cut(long)
    assert len(cut) == 5
    assert "".join(cut) == long
    parts = bge.embed(cut)
    mean = np.average(parts.dense, axis=0, weights=[len(part) for part in cut])
    assert np.allclose(whole.dense[0], mean / np.linalg.norm(mean), atol=1e-5)
    assert whole.terms is not None
    assert parts.terms is not None
    of_parts = {index for terms in parts.terms for index in terms.indices}
    assert set(whole.terms[0].indices) == of_parts
    assert set(parts.terms[-1].indices) - {index for terms in parts.terms[:-1] for index in terms.indices}


def test_what_holds_nothing_is_zero(bge: BgeEmbedder) -> None:
    encoded = bge.embed(["", "w1", " \n"], "query")
    assert encoded.dense.any(axis=1).tolist() == [False, True, False]
    assert encoded.terms is not None
    assert encoded.terms[0] == SparseVector((), ())
    nothing = bge.embed([])
    assert nothing.dense.shape == (0, 32)
    assert nothing.terms == ()


def test_the_name_follows_the_files(bge: BgeEmbedder, folder: Path, tmp_path: Path) -> None:
    assert bge.name.startswith("bge-m3@")
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    assert BgeEmbedder(other).name == bge.name
    weights = bytearray((other / "model.safetensors").read_bytes())
    weights[-9] ^= 1
    weights[3000] ^= 1
    (other / "model.safetensors").write_bytes(weights)
    assert BgeEmbedder(other).name != bge.name


@pytest.mark.parametrize(
    "lost", ["sparse_linear.pt", "colbert_linear.pt", "tokenizer.json", "config.json", "model.safetensors"]
)
def test_a_missing_file_is_refused_and_named(folder: Path, tmp_path: Path, lost: str) -> None:
    """Without its head the library makes up the weights of terms."""
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    (other / lost).unlink()
    with pytest.raises(EmbedderUnusable, match=lost):
        BgeEmbedder(other)


def test_what_is_no_model_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnusable, match="no folder"):
        BgeEmbedder(tmp_path / "nowhere")
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    (other / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(EmbedderUnusable, match="cannot be loaded"):
        BgeEmbedder(other)


def test_the_card_is_taken_for_each_batch_and_waited_for_within_limits(folder: Path, tmp_path: Path) -> None:
    waits, path = Waits(), tmp_path / "gpu.lock"
    embedder = BgeEmbedder(folder, batch=3, lock=HostLock(path, 0.05, metrics=waits))
    embedder.embed([f"w{n}" for n in range(7)])
    embedder.embed(["w1"], "query")
    embedder.embed([""], "query")
    assert waits.sides == ["passage"] * 3 + ["query"]
    with HostLock(path, 1).turn("passage"), pytest.raises(EmbedderUnavailable, match="card was not free"):
        embedder.embed(["w1"], "query")


def test_a_question_comes_before_the_next_batch_of_the_same_process(folder: Path, tmp_path: Path) -> None:
    """Neither the model's own locks nor the card's keep it waiting for more. The median of five."""
    embedder = BgeEmbedder(folder, batch=1, lock=HostLock(tmp_path / "gpu.lock", 10))
    batches: list[float] = []

    def slow(*_given: Any) -> None:
        batches.append(time.monotonic())
        time.sleep(0.1)

    embedder._model.model.register_forward_pre_hook(slow)
    indexing = threading.Thread(target=embedder.embed, args=(["w1"] * 40,))
    indexing.start()
    begun: list[int] = []
    for _ in range(5):
        time.sleep(0.13)
        before = len(batches)
        embedder.embed(["w2 w3"], "query")
        begun.append(len(batches) - before)
    assert indexing.is_alive()
    assert statistics.median(begun) <= 2, "its own, and one that began while it came"
    indexing.join()
