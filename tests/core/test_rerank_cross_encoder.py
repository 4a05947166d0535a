"""A light cross-encoder through FastEmbed: a small model of random weights, loaded by the real code."""

import importlib.util
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from core.errors import RerankerUnavailable, RerankerUnusable
from core.host_lock import HostLock
from core.rerank.chain import Reranking
from core.rerank.cross_encoder import CrossEncoder
from core.rerank.make import RerankerSettings, make
from tests.conftest import missing

VOCABULARY = {word: n for n, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefgh"])}
LIMIT = 48  # tokens, of the small model
TABLE = np.random.default_rng(3).normal(size=(len(VOCABULARY), 1)).astype(np.float32)
TEXTS = ["c", "a b c d e f", "", "d d", "h g f e d c b a"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("onnx") is None:
        missing("onnx is not installed, with which the test makes its model")
    made = tmp_path_factory.mktemp("cross-encoder")
    make_model(made, TABLE)
    return made


def make_model(folder: Path, table: np.ndarray) -> None:
    """The sum of a number a token, those of padding left out: `score` below."""
    from onnx import TensorProto, helper, numpy_helper, save_model

    names = ("input_ids", "attention_mask")
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["each"]),
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
            helper.make_node("Mul", ["each", "column"], ["kept"]),
            helper.make_node("ReduceSum", ["kept", "tokens"], ["logits"], keepdims=0),
        ],
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", table.shape[1]])],
        [
            numpy_helper.from_array(table, "table"),
            numpy_helper.from_array(np.array([2]), "last"),
            numpy_helper.from_array(np.array([1]), "tokens"),
        ],
    )
    (folder / "onnx").mkdir()
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    save_model(model, folder / "onnx" / "model.onnx")
    tokenizer = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"model_max_length": LIMIT, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    config = {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "LABEL_0"}, "pad_token_id": 0}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")


def score(question: str, text: str) -> float:
    """What the small model gives."""
    words = ["[CLS]", *question.split(), "[SEP]", *text.split(), "[SEP]"]
    return float(sum(TABLE[VOCABULARY[word], 0] for word in words))


def test_each_text_gets_its_score_whatever_stands_beside_it(folder: Path) -> None:
    encoder = CrossEncoder(folder, batch=2)
    assert encoder.scores("a b", TEXTS) == pytest.approx([score("a b", text) for text in TEXTS], abs=1e-5)
    assert encoder.scores("a b", []) == ()


@pytest.mark.parametrize(("longest", "limit"), [(32, LIMIT), (512, 32)])
def test_of_a_long_pair_the_beginnings_are_read(folder: Path, tmp_path: Path, longest: int, limit: int) -> None:
    """Whether the settings or the model set the limit: sixteen tokens of the question, eight for the ends, the text."""
    other = copied(folder, tmp_path)
    settings = json.loads((other / "tokenizer_config.json").read_text("utf-8")) | {"model_max_length": limit}
    (other / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    encoder = CrossEncoder(other, longest=longest)
    question, text = "a b c d " * 4, "e f g h " * 2
    scores = encoder.scores(question + "h " * 99, [text + "a " * 99, "b"])
    assert scores == pytest.approx([score(question, text), score(question, "b")], abs=1e-5)
    short = encoder.scores("a", [text * 3])
    assert short == pytest.approx([score("a", " ".join((text * 3).split()[:23]))], abs=1e-5)


def test_settings_make_it(folder: Path) -> None:
    encoder = make(RerankerSettings("cross_encoder", str(folder), batch=2, longest=64))
    assert encoder.name.startswith(f"cross-encoder-{LIMIT}@")
    assert encoder.name == CrossEncoder(folder).name != CrossEncoder(folder, longest=32).name


def test_it_waits_for_the_card_within_limits(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "gpu.lock"
    encoder = CrossEncoder(folder, lock=HostLock(path, 0.05))
    with HostLock(path, 1).turn("passage"), pytest.raises(RerankerUnavailable, match="card was not free"):
        encoder.scores("a", TEXTS)
    assert Reranking([encoder], 30).rank("a", TEXTS).by == encoder.name


def test_a_model_that_fails_is_said_and_the_next_one_answers(folder: Path, tmp_path: Path) -> None:
    """Its tokenizer knows a word that is not in its table."""
    other = copied(folder, tmp_path)
    tokens = json.loads((other / "tokenizer.json").read_text("utf-8"))
    tokens["model"]["vocab"]["h"] = 99
    (other / "tokenizer.json").write_text(json.dumps(tokens), "utf-8")
    failing, working = CrossEncoder(other), CrossEncoder(folder)
    with pytest.raises(RerankerUnavailable, match="The lighter reranker's model failed: InvalidArgument"):
        failing.scores("a", ["h"])
    ranked = Reranking([failing, working], 30).rank("a", ["h"])
    assert ranked.by == working.name
    assert ranked.degraded == (
        "The lighter reranker's model failed: InvalidArgument, so a lighter one ordered the results.",
    )


def test_a_model_that_gives_no_numbers_is_passed_over(folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "nan"
    broken.mkdir()
    make_model(broken, np.full_like(TABLE, np.nan))
    ranked = Reranking([CrossEncoder(broken)], 30).rank("a", TEXTS)
    assert ranked.scores is None
    assert "not finite" in ranked.degraded[0]


@pytest.mark.parametrize("lost", ["onnx/model.onnx", "config.json", "tokenizer.json", "tokenizer_config.json"])
def test_a_missing_file_is_refused_and_named(folder: Path, tmp_path: Path, lost: str) -> None:
    other = copied(folder, tmp_path)
    (other / lost).unlink()
    with pytest.raises(RerankerUnusable, match=lost):
        CrossEncoder(other)


@pytest.mark.parametrize(
    ("broken", "content", "said"),
    [
        ("onnx/model.onnx", "no model", "cannot be loaded"),
        ("tokenizer.json", "{}", "cannot be loaded"),
        ("tokenizer_config.json", '{"pad_token": "[PAD]"}', "cannot be loaded"),
        ("tokenizer_config.json", '{"model_max_length": 64}', "cannot be loaded"),
        ("config.json", "[", "cannot be read"),
        ("config.json", '{"architectures": ["BertModel"], "id2label": {"0": "LABEL_0"}}', "is no reranker"),
        ("config.json", '{"architectures": ["BertForSequenceClassification"]}', "is no reranker"),
    ],
)
def test_a_damaged_file_is_refused(folder: Path, tmp_path: Path, broken: str, content: str, said: str) -> None:
    other = copied(folder, tmp_path)
    (other / broken).write_text(content, "utf-8")
    with pytest.raises(RerankerUnusable, match=said):
        CrossEncoder(other)


def test_weights_in_eight_bits_do_where_there_are_no_others(folder: Path, tmp_path: Path) -> None:
    other = copied(folder, tmp_path)
    (other / "onnx" / "model.onnx").rename(other / "onnx" / "model_int8.onnx")
    assert CrossEncoder(other).scores("a", TEXTS) == CrossEncoder(folder).scores("a", TEXTS)


def copied(folder: Path, into: Path) -> Path:
    return Path(shutil.copytree(folder, into / "other"))
