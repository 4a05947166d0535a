"""BGE's reranker through FlagEmbedding: a model of its architecture, small and of random weights, loaded by the real
code.
"""

import importlib.util
import json
import math
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from core.errors import RerankerUnavailable, RerankerUnusable
from core.host_lock import HostLock
from core.rerank.bge import BgeReranker
from core.rerank.chain import Reranking
from core.rerank.make import RerankerSettings, make
from tests.conftest import missing
from tests.core.test_embedding_bge import POSITIONS, make_tokenizer

TEXTS = ["w4", "w5 " * 20 + "w6", "w1 w1 w7 w8", "", "w9 w2", "w3 w2 w1", "w11 " * 9]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("FlagEmbedding") is None:
        missing("the extra `bge` is not installed")
    made = tmp_path_factory.mktemp("bge-reranker")
    make_model(made)
    return made


def make_model(folder: Path, labels: int = 1) -> None:
    import torch
    from transformers import XLMRobertaConfig, XLMRobertaForSequenceClassification

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
        num_labels=labels,
        initializer_range=0.5,
    )
    XLMRobertaForSequenceClassification(config).save_pretrained(folder)


@pytest.fixture(scope="module")
def bge(folder: Path) -> BgeReranker:
    return BgeReranker(folder, batch=4)


@contextmanager
def before_each_batch(bge: BgeReranker, act: Callable[[int], None]) -> Iterator[None]:
    """`act` gets the number of texts before the model does."""

    def hook(_model: Any, _positional: Any, named: dict[str, Any]) -> None:
        act(len(named["input_ids"]))

    handle = bge._model.model.register_forward_pre_hook(hook, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()


def test_the_scores_are_those_of_the_library(bge: BgeReranker) -> None:
    ours = bge.scores("w1 w2 w3", TEXTS)
    theirs = bge._model.compute_score([("w1 w2 w3", text) for text in TEXTS], batch_size=99, max_length=64)
    assert ours == pytest.approx(theirs, abs=1e-4)
    assert len(set(ours)) == len(TEXTS)


def test_a_score_does_not_depend_on_what_stands_beside_the_text(bge: BgeReranker) -> None:
    alone = [bge.scores("w1 w2 w3", [text])[0] for text in TEXTS]
    assert bge.scores("w1 w2 w3", TEXTS) == pytest.approx(alone, abs=1e-4)
    assert bge.scores("w1", []) == ()


def test_of_a_long_pair_the_beginnings_are_read(folder: Path) -> None:
    """Thirty-two tokens: sixteen of the question, and what is left for the text."""
    bge = BgeReranker(folder, longest=32)
    question, text = "w1 w2 " * 8, "w3 w4 w5 " * 20
    longer = bge.scores(question + "w9 " * 50, [text + "w9 " * 50, text, "w3"])
    assert longer[0] == longer[1] == pytest.approx(bge.scores(question, [text])[0], abs=1e-4)
    assert longer[2] == pytest.approx(bge.scores(question, ["w3"])[0], abs=1e-4)
    assert longer[1] != pytest.approx(longer[2], abs=1e-3)


def test_it_reads_no_more_than_the_model_can(bge: BgeReranker) -> None:
    """The model has places for 64 tokens, and more were asked for."""
    assert all(map(math.isfinite, bge.scores("w1 " * 500, ["w2 " * 500])))


def test_a_batch_that_does_not_fit_is_made_smaller_once(bge: BgeReranker) -> None:
    import torch

    sizes: list[int] = []

    def full_above_one(texts: int) -> None:
        sizes.append(texts)
        if texts > 1:
            raise torch.OutOfMemoryError("CUDA out of memory.")

    expected = bge.scores("w1 w2", TEXTS)
    with before_each_batch(bge, full_above_one):
        assert bge.scores("w1 w2", TEXTS) == pytest.approx(expected, abs=1e-4)
    assert sizes == [4] + [1] * len(TEXTS)


def test_a_card_that_stays_full_ends_in_the_next_reranker(bge: BgeReranker) -> None:
    import torch

    sizes: list[int] = []

    def full(texts: int) -> None:
        sizes.append(texts)
        raise torch.OutOfMemoryError("CUDA out of memory.")

    with before_each_batch(bge, full):
        ranked = Reranking([bge], 30).rank("w1", TEXTS)
    assert sizes == [4, 1]
    assert ranked.scores is None
    assert ranked.degraded == (
        "The reranker's model failed: OutOfMemoryError, so the results are in the search's own order.",
    )
    assert len(bge.scores("w1", TEXTS)) == len(TEXTS)


def test_what_the_engine_raises_is_mapped_with_its_cause(bge: BgeReranker) -> None:
    def fail(_texts: int) -> None:
        raise RuntimeError("CUDA error: an illegal memory access was encountered, key=secret")

    with before_each_batch(bge, fail), pytest.raises(RerankerUnavailable) as caught:
        bge.scores("w1", TEXTS)
    assert str(caught.value) == "The reranker's model failed: RuntimeError."
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_weights_that_give_no_numbers_are_passed_over(folder: Path, tmp_path: Path) -> None:
    import torch

    other = copied(folder, tmp_path)
    bge = BgeReranker(other)
    with torch.no_grad():
        bge._model.model.classifier.out_proj.bias.fill_(math.nan)
    ranked = Reranking([bge], 30).rank("w1", TEXTS)
    assert ranked.degraded == (
        "The reranker gave scores that are not finite, so the results are in the search's own order.",
    )


def test_it_waits_for_the_card_within_limits(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "gpu.lock"
    bge = make(RerankerSettings("bge", str(folder), batch=2, longest=64), HostLock(path, 0.05))
    with HostLock(path, 1).turn("passage"):
        ranked = Reranking([bge], 30).rank("w1", TEXTS)
    assert ranked.degraded == (
        "The graphics card was not free within 0.05 s, so the results are in the search's own order.",
    )
    assert Reranking([bge], 30).rank("w1", TEXTS).by == bge.name


def test_the_name_follows_the_files_and_what_is_read(bge: BgeReranker, folder: Path, tmp_path: Path) -> None:
    other = copied(folder, tmp_path)
    assert BgeReranker(other).name == bge.name
    assert BgeReranker(other, longest=32).name != bge.name
    config = json.loads((other / "config.json").read_text("utf-8")) | {"layer_norm_eps": 0.1}
    (other / "config.json").write_text(json.dumps(config), "utf-8")
    assert BgeReranker(other).name != bge.name


@pytest.mark.parametrize("lost", ["tokenizer.json", "config.json", "model.safetensors"])
def test_a_missing_file_is_refused_and_named(folder: Path, tmp_path: Path, lost: str) -> None:
    other = copied(folder, tmp_path)
    (other / lost).unlink()
    with pytest.raises(RerankerUnusable, match=lost):
        BgeReranker(other)


def test_what_is_no_reranker_is_refused(folder: Path, tmp_path: Path) -> None:
    """An embedder's files would get random weights, and a classifier's first number mean something else."""
    other = copied(folder, tmp_path)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    for changed in ({"architectures": ["XLMRobertaModel"]}, {"id2label": {"0": "no", "1": "yes"}}, {"id2label": None}):
        (other / "config.json").write_text(json.dumps(config | changed), "utf-8")
        with pytest.raises(RerankerUnusable, match="is no reranker"):
            BgeReranker(other)


def test_a_folder_that_points_to_another_model_is_refused(folder: Path, tmp_path: Path) -> None:
    """The libraries would download the one that it is an adapter of."""
    other = copied(folder, tmp_path)
    (other / "adapter_config.json").write_text('{"base_model_name_or_path": "somewhere/else"}', "utf-8")
    with pytest.raises(RerankerUnusable, match=r"adapter_config\.json"):
        BgeReranker(other)


@pytest.mark.parametrize(("broken", "said"), [("model.safetensors", "be loaded"), ("config.json", "be read")])
def test_a_damaged_file_is_refused(folder: Path, tmp_path: Path, broken: str, said: str) -> None:
    other = copied(folder, tmp_path)
    (other / broken).write_bytes(b"nothing of use")
    with pytest.raises(RerankerUnusable, match=f"cannot {said}"):
        BgeReranker(other)


def copied(folder: Path, into: Path) -> Path:
    return Path(shutil.copytree(folder, into / "other"))
