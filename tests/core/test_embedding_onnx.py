"""Models in ONNX form through FastEmbed: a small one of random weights, loaded by the real code."""

import importlib.util
import json
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from core.embedding.onnx import JINA_CODE, NOMIC, OnnxEmbedder, OnnxModel
from core.errors import EmbedderUnavailable, EmbedderUnusable
from core.host_lock import HostLock
from core.types import NullMetrics
from tests.conftest import missing

SIZE = 16
TINY = OnnxModel("tiny", SIZE, longest=36)
PREFIXED = replace(TINY, name="prefixed", passage_prefix="put ", query_prefix="ask ")
VOCABULARY = {word: n for n, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "put", "ask", *"abcdefgh"])}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("onnx") is None:
        missing("onnx is not installed, with which the test makes its model")
    made = tmp_path_factory.mktemp("tiny")
    make_model(made)
    return made


def make_model(folder: Path) -> None:
    """A table of vectors, one a token."""
    from onnx import TensorProto, helper, numpy_helper, save_model

    table = np.random.default_rng(3).normal(size=(len(VOCABULARY), SIZE)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "tiny",
        [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"]),
            helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["batch", "length"]),
        ],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", SIZE])],
        [numpy_helper.from_array(table, "table")],
    )
    (folder / "onnx").mkdir()
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    save_model(model, folder / "onnx" / "model.onnx")
    tokenizer = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"model_max_length": 512, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")


def test_a_vector_is_the_mean_of_its_tokens_whatever_stands_beside_it(folder: Path) -> None:
    embedder = OnnxEmbedder(folder, TINY, batch=3)
    texts = ["a b", "", "a b c d e f g h", "c", "a b"]
    together = embedder.embed(texts)
    assert together.terms is None
    assert together.dense.shape == (5, SIZE)
    alone = np.concatenate([embedder.embed([text]).dense for text in texts])
    assert np.allclose(together.dense, alone, atol=1e-6)
    assert np.linalg.norm(together.dense, axis=1) == pytest.approx([1, 0, 1, 1, 1], abs=1e-5)
    assert embedder.embed([]).dense.shape == (0, SIZE)


def test_each_side_gets_its_prefix(folder: Path) -> None:
    plain, prefixed = OnnxEmbedder(folder, TINY), OnnxEmbedder(folder, PREFIXED)
    assert np.allclose(prefixed.embed(["a b"]).dense, plain.embed(["put a b"]).dense)
    assert np.allclose(prefixed.embed(["a b"], "query").dense, plain.embed(["ask a b"]).dense)
    assert plain.embed(["a"]).dense.tolist() == plain.embed(["a"], "query").dense.tolist()
    assert plain.name != prefixed.name


def test_the_prefixes_are_those_of_the_models_cards() -> None:
    assert (NOMIC.passage_prefix, NOMIC.query_prefix, NOMIC.size) == ("search_document: ", "search_query: ", 768)
    assert (JINA_CODE.passage_prefix, JINA_CODE.query_prefix, JINA_CODE.size) == ("", "", 768)


@pytest.mark.parametrize(("longest", "limit"), [(36, 512), (8192, 36)])
def test_a_text_longer_than_the_model_reads_is_not_cut_off(
    folder: Path, tmp_path: Path, longest: int, limit: int
) -> None:
    """Whether the model's card or its tokenizer sets the limit."""
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    settings = json.loads((other / "tokenizer_config.json").read_text("utf-8")) | {"model_max_length": limit}
    (other / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    embedder = OnnxEmbedder(other, replace(TINY, longest=longest))
    first, last = "a b " * 10, "c d e f g h " * 2
    parts = embedder.embed([first, last]).dense
    mean = parts[0] * len(first) + parts[1] * len(last)
    assert np.allclose(embedder.embed([first + last]).dense[0], mean / np.linalg.norm(mean), atol=1e-5)


@pytest.mark.parametrize("lost", ["onnx/model.onnx", "tokenizer.json", "tokenizer_config.json"])
def test_a_missing_file_is_refused_and_named(folder: Path, tmp_path: Path, lost: str) -> None:
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    (other / lost).unlink()
    with pytest.raises(EmbedderUnusable, match=lost):
        OnnxEmbedder(other, TINY)


@pytest.mark.parametrize(
    ("broken", "content"),
    [("onnx/model.onnx", "no model"), ("tokenizer.json", "{}"), ("tokenizer_config.json", '{"pad_token": "[PAD]"}')],
)
def test_a_damaged_file_is_refused(folder: Path, tmp_path: Path, broken: str, content: str) -> None:
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    (other / broken).write_text(content, "utf-8")
    with pytest.raises(EmbedderUnusable, match="cannot be loaded"):
        OnnxEmbedder(other, TINY)


def test_a_model_of_another_size_is_refused(folder: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="16 numbers, not 32"):
        OnnxEmbedder(folder, replace(TINY, size=32)).embed(["a"])


def test_a_model_that_fails_is_said(folder: Path, tmp_path: Path) -> None:
    """Its tokenizer knows a word that is not in its table."""
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    text = (other / "tokenizer.json").read_text("utf-8")
    (other / "tokenizer.json").write_text(text.replace('"h":13', '"h":99').replace('"h": 13', '"h": 99'), "utf-8")
    with pytest.raises(EmbedderUnavailable, match="tiny failed"):
        OnnxEmbedder(other, TINY).embed(["h"])


def test_the_name_follows_the_files(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    assert OnnxEmbedder(other, TINY).name == OnnxEmbedder(folder, TINY).name
    weights = bytearray((other / "onnx" / "model.onnx").read_bytes())
    weights[400] ^= 1
    (other / "onnx" / "model.onnx").write_bytes(weights)
    assert OnnxEmbedder(other, TINY).name != OnnxEmbedder(folder, TINY).name


@dataclass
class Waits(NullMetrics):
    """For which side each turn was taken."""

    sides: list[str] = field(default_factory=list)

    def observe(self, name: str, value: float, **labels: str) -> None:
        assert name == "crosscheck_gpu_wait_seconds"
        self.sides.append(labels["side"])


def test_the_card_is_taken_for_each_batch_and_waited_for_within_limits(folder: Path, tmp_path: Path) -> None:
    waits, path = Waits(), tmp_path / "gpu.lock"
    embedder = OnnxEmbedder(folder, TINY, batch=3, lock=HostLock(path, 0.05, metrics=waits))
    embedder.embed(["a", "b", "c", "d", "e", "f", "g"])
    embedder.embed(["a"], "query")
    embedder.embed([""], "query")
    assert waits.sides == ["passage"] * 3 + ["query"]
    with HostLock(path, 1).turn("passage"), pytest.raises(EmbedderUnavailable, match="card was not free"):
        embedder.embed(["a"], "query")
