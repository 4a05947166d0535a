"""What an index of millions of chunks needs: computed from what was measured and published, never measured itself.

`python -m evals.capacity` prints the tables of docs/scale.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

CHUNKS = (1_000_000, 10_000_000, 100_000_000)
DENSE = 2
"""Dense vectors of a chunk: of its text, of its place. As many sparse ones."""
HEADROOM = 1.5
"""For what is written anew beside the old while segments are merged, and for metadata: Qdrant's own factor.
https://qdrant.tech/documentation/capacity-planning"""
LINKS = 2 * 16 * 4
"""Bytes of a vector's links in the lowest layer of the HNSW graph, which has nearly all: 2 m of four bytes, m = 16."""
TERMS = 142
"""Postings of a chunk in both sparse arms together; counted in the made-up chunks of the part `scale`."""
POSTING = 8
"""Bytes: which chunk, and the weight."""
FIELDS = 400
"""Bytes of a chunk in the indexes over its payload (labels, keys, symbols, ...) and over ids. Assumed."""
REST = 3_200
"""Bytes of a chunk on the disk beside its dense vectors: text, payload, sparse vectors. Measured by the part `speed`:
5,780 a chunk, less two vectors of 256 numbers in four bytes and in one."""
TOKENS = 400
"""Of a chunk with its share of a place; counted in the made-up chunks of the part `scale`, by the default's tokenizer.
"""
NODE = 48 * 10**9
"""Bytes of memory that the index may take of a node with 64 GB."""
CORES = 8
"""Of a node."""
SHARD = 1_000_000
"""Chunks of a shard at most."""
SEARCH = 35.2, 0.224e-3
"""Milliseconds of a core for a search whatever the size, and for each chunk: a line through 50,000 and 200,000 chunks
of the part `speed`, whose growth slows down (p50 13.6, 23.2, 40.0 ms with 10,000, 50,000, 200,000), doubled, since a
search there keeps both cores busy: 42 a second from eight clients, where one client's takes 23.2 ms."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """An embedder, and how fast it is known or assumed to be."""

    name: str
    size: int
    chunks_a_second: float
    """Of one process or one card."""


STATIC = Embedding("static, in the data folder's own process", 256, 1_085)  # measured: the part `index`
# Published for bge-large, whose layers are as many and as wide: 0.54 requests of 115,000 tokens a second.
M3 = Embedding("BGE-M3 on one NVIDIA L4", 1024, 0.54 * 115_000 / TOKENS)
# Assumed: the same card, by the parameters of the layers (302 million there, 85 million here).
BASE = Embedding("Nomic or Jina on one NVIDIA L4", 768, M3.chunks_a_second * 302 / 85)
# Published for bge-small with FastEmbed, 0.08 requests; by parameters (21 million there).
SLOW = Embedding("BGE-M3 on 16 processor cores", 1024, 0.08 * 115_000 / TOKENS * 21 / 302)
EMBEDDINGS = (STATIC, BASE, M3, SLOW)


def memory(chunks: int, size: int, quantisation: str = "none") -> float:
    """Bytes: dense vectors with their graph, postings, indexes. Quantised, the whole vectors are read from the disk."""
    dense = {"none": 4.0 * size, "int8": size + LINKS, "binary": size / 8 + LINKS}[quantisation]
    return chunks * (DENSE * dense * HEADROOM + TERMS * POSTING + FIELDS)


def disk(chunks: int, size: int) -> float:
    """Bytes, with vectors of one byte a number beside the whole ones, and room to merge."""
    return chunks * (DENSE * 5 * size + REST) * HEADROOM


def nodes(chunks: int, size: int, quantisation: str) -> int:
    """Of 64 GB each, for two copies of everything; three at least, so that one may fail."""
    return max(3, ceil(2 * memory(chunks, size, quantisation) / NODE))


def shards(chunks: int, size: int, quantisation: str) -> int:
    """At most SHARD chunks in each, and a multiple of the nodes."""
    count = nodes(chunks, size, quantisation)
    return count * ceil(chunks / SHARD / count)


def searches(chunks: int, size: int, quantisation: str) -> float:
    """Searches a second of all nodes together, if the work went on growing like the index."""
    fixed, each = SEARCH
    return 1000 * CORES * nodes(chunks, size, quantisation) / (fixed + each * chunks)


def sizes() -> str:
    """Memory and disk, as a Markdown table."""
    rows = [
        [
            f"{chunks // 10**6} million",
            str(size),
            *(_gigabytes(memory(chunks, size, kind)) for kind in ("none", "int8", "binary")),
            _gigabytes(disk(chunks, size)),
        ]
        for chunks in CHUNKS
        for size in (256, 768, 1024)
    ]
    return _table(["chunks", "numbers a vector", "memory, whole", "int8", "binary", "disk"], rows)


def clusters() -> str:
    """Nodes, shards and searches a second for two copies in int8, as a Markdown table."""
    rows = [
        [
            f"{chunks // 10**6} million",
            str(size),
            str(nodes(chunks, size, "int8")),
            str(shards(chunks, size, "int8")),
            f"{searches(chunks, size, 'int8'):.0f}",
        ]
        for chunks in CHUNKS
        for size in (256, 1024)
    ]
    return _table(["chunks", "numbers a vector", "nodes", "shards", "searches a second, carefully"], rows)


def hours() -> str:
    """How long a first index takes, as a Markdown table."""
    rows = [
        [
            each.name,
            f"{each.chunks_a_second:,.0f}",
            *(f"{count / each.chunks_a_second / 3600:,.1f}" for count in CHUNKS),
        ]
        for each in EMBEDDINGS
    ]
    return _table(["embedder", "chunks a second", *(f"hours for {count // 10**6} million" for count in CHUNKS)], rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def _gigabytes(count: float) -> str:
    return f"{count / 10**9:,.0f} GB"


if __name__ == "__main__":
    print(sizes(), clusters(), hours(), sep="\n\n")
