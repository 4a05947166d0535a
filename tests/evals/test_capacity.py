"""The computed part of docs/scale.md, and the made-up source of its measured part."""

from itertools import islice
from pathlib import Path

from core.chunking import chunk
from evals import capacity, scale

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scale.md"


def test_the_page_has_the_tables_as_they_are_computed() -> None:
    page = PAGE.read_text("utf-8")
    assert capacity.sizes() in page
    assert capacity.clusters() in page
    assert capacity.hours() in page


def test_whole_vectors_alone_come_to_what_qdrant_reckons() -> None:
    """A million vectors of 1,024 numbers are 6,144,000,000 bytes there; ours are two a chunk, and not alone."""
    beside = 1_000_000 * (capacity.TERMS * capacity.POSTING + capacity.FIELDS)
    assert capacity.memory(1_000_000, 1024) - beside == capacity.DENSE * 6_144_000_000


def test_more_chunks_never_need_less() -> None:
    for size in (256, 768, 1024):
        for kind in ("none", "int8", "binary"):
            nodes = [capacity.nodes(count, size, kind) for count in capacity.CHUNKS]
            assert nodes == sorted(nodes)
            for count in capacity.CHUNKS:
                shards = capacity.shards(count, size, kind)
                assert shards % capacity.nodes(count, size, kind) == 0
                assert count / shards <= capacity.SHARD
        whole, int8, binary = (capacity.memory(10_000_000, size, kind) for kind in ("none", "int8", "binary"))
        assert whole > int8 > binary


def test_the_made_up_source_goes_on_where_it_was() -> None:
    small, large = scale.MadeUp(20), scale.MadeUp(50)
    first, rest = list(small.load()), list(large.changed_since(small.mark()))
    assert [*first, *rest] == list(large.load())
    assert {document.id for document in large.load()} == large.ids()
    assert len({document.labels for document in large.load()}) == 20


def test_made_up_chunks_are_as_long_as_real_ones() -> None:
    """Those of a repository of 4,500 files have 1,187 characters (the part `index`)."""
    cut = [len(piece.text) for document in islice(scale.MadeUp(150).load(), 150) for piece in chunk(document)]
    assert 1_000 < sum(cut) / len(cut) < 1_400
