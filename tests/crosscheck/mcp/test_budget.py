"""The estimate of tokens errs high, against the tokenizer that comes with the static embedder."""

import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from crosscheck.mcp.budget import tokens

ROOT = Path(__file__).parents[3]
TEXTS = [*sorted((ROOT / "docs").glob("*.md"))[:20], *sorted((ROOT / "core").glob("*.py"))[:30]]


@pytest.fixture(scope="module")
def llama() -> Tokenizer:
    found = find_spec("wordllama")  # not imported: it sets logging up for whoever does
    assert found
    assert found.origin
    folder = Path(found.origin).parent / "tokenizers"
    tokenizer = Tokenizer.from_file(str(folder / "l2_supercat_tokenizer_config.json"))
    tokenizer.no_truncation()
    return tokenizer


def test_prose_and_code_count_more_than_they_cost_but_not_much(llama):
    for path in TEXTS:
        text = path.read_text("utf-8")[:20_000]
        real = len(llama.encode(text, add_special_tokens=False).ids)
        assert real <= tokens(text) <= 1.5 * real, path.name


@pytest.mark.parametrize(
    "text",
    [
        "4f2a91c0b2d4e5f60718293a4b5c6d7e8f901234",
        "https://github.com/acme/booking/blob/4f2a91c0/src/booking/hold.py#L12-L40",
        "Привет мир, как дела сегодня",
        "日本語のテキストを確認する",
        "🙂🙃🎉🚀",
        "MAX_RETRY_COUNT holdUntil bookings.hold_until",
    ],
)
def test_what_is_no_prose_counts_no_less_than_it_costs(llama, text):
    real = len(llama.encode(text, add_special_tokens=False).ids)
    assert tokens(text) >= real - 1  # that tokenizer puts a space in front


def test_it_is_quick():
    text = "A hold ends after 30 minutes. " * 2_000
    begun = time.perf_counter()
    tokens(text)
    assert time.perf_counter() - begun < 1
