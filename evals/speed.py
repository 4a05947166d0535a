"""How fast a search is, how that grows with the index, and what the index costs; other ways to search beside it."""

import random
import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import bm25s
from qdrant_client import QdrantClient

from core.embedders import Embedders
from core.embedding.static import StaticEmbedder
from core.encode import Encoder
from core.rerank.chain import Reranking
from core.rerank.late import LateInteraction
from core.search import Searcher
from core.store.base import Passage, Store
from core.store.edge import EdgeStore
from core.store.server import ServerStore
from core.store.server_calls import Calls
from core.store.server_collections import ServerSettings
from core.types import Filters, Query
from evals.chunks import AUDIENCE, SOURCE, passages
from evals.repository import django

_QUERIES = 200
_WORDS = (3, 8, 15, 40)  # of a query, in turn
_CLIENTS = 8
_SIZE = 50_000  # where clients are counted and other ways compared, or the largest size below
_BATCH = 1024
_SLOW_QUERIES = 10
_FILTERS = Filters(sources=frozenset({SOURCE}))


def measure(folder: Path, sizes: Sequence[int] = (10_000, 50_000, 200_000)) -> dict[str, Any]:
    """One index that grows through these sizes, searched at each; then others of one size. Times in milliseconds."""
    tree = django(folder)
    compared = max((size for size in sizes if size <= _SIZE), default=sizes[0])
    rows, rebuilt = _apart(_grown, tree, folder / "index", tuple(sizes), compared)
    others = _apart(_others, tree, compared)
    own = next(row for row in rows if row["chunks"] == compared)["hybrid"]["p50"]
    first, last = rows[0], rows[-1]
    chunks = max(1, last["chunks"] - first["chunks"]) / 100_000
    return {
        "rows": rows,
        "growth": {
            "chunks": round(last["chunks"] / first["chunks"], 1),
            "hybrid_p50": round(last["hybrid"]["p50"] / first["hybrid"]["p50"], 1),
        },
        "per_100_000_chunks": {
            f"{what}_mb": round((last[f"{what}_mb"] - first[f"{what}_mb"]) / chunks)
            for what in ("memory", "mapped", "disk")
        },
        "rebuilt": rebuilt,
        "beside": {name: {**times, "times_ours": round(times["p50"] / own, 2)} for name, times in others.items()},
    }


def _apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """In a process of its own, so that its memory is its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def _grown(
    tree: Path, folder: Path, sizes: Sequence[int], compared: int
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    static = StaticEmbedder()
    embedders = Embedders.same(static)
    store = EdgeStore.open(folder, embedders)
    searcher = Searcher(store, embedders)
    reranked = Searcher(store, embedders, reranking=Reranking([LateInteraction(static)], limit_seconds=10))
    written: list[str] = []
    questions, names = _questions(tree), _names(list(islice(passages(tree), sizes[0])))
    source, rows = passages(tree), []
    for size in sizes:
        began = time.perf_counter()
        written += _fill(store, embedders, islice(source, size - len(written)))
        store.optimize()  # as after every sync
        row: dict[str, Any] = {"chunks": size, "filled_s": round(time.perf_counter() - began, 1)}
        row |= {"hybrid": _times(searcher, questions), "reranked": _times(reranked, questions)}
        row |= {"exact": _times(searcher, names)}
        if size == compared:
            row["clients"] = _clients(searcher, questions)
        rows.append(row | _cost(folder))
    rebuilt = _rebuilt(store, searcher, questions, written)
    store.close()
    return rows, rebuilt


def _fill(store: Store, embedders: Embedders, source: Iterator[Passage]) -> list[str]:
    """Write these passages; the document of each."""
    encoder, written = Encoder(store, embedders), list[str]()
    while batch := list(islice(source, _BATCH)):
        store.upsert(encoder.points(batch, ()))
        written += [passage.document_id for passage in batch]
    store.flush()
    return written


def _questions(tree: Path) -> list[str]:
    """Runs of words from Django's documentation: from a few to a paragraph."""
    texts = [
        re.findall(r"[A-Za-z][A-Za-z_']*", file.read_text("utf-8")) for file in sorted(tree.rglob("docs/**/*.txt"))
    ]
    texts = [words for words in texts if len(words) > max(_WORDS)]
    dice = random.Random(3)
    asked = []
    for number in range(_QUERIES):
        words, count = dice.choice(texts), _WORDS[number % len(_WORDS)]
        start = dice.randrange(len(words) - count)
        asked.append(" ".join(words[start : start + count]))
    return asked


def _names(chunks: Sequence[Passage]) -> list[str]:
    """Paths and names of what is defined, each alone."""
    paths = sorted({chunk.path for chunk in chunks if chunk.path})
    symbols = sorted({name for chunk in chunks for name in chunk.symbols if len(name) > 3})
    dice = random.Random(4)
    some = (dice.sample(names, min(len(names), _QUERIES // 2)) for names in (paths, symbols))
    return [name for names in some for name in names]


def _times(searcher: Searcher, texts: Sequence[str]) -> dict[str, float]:
    for text in texts[:20]:
        _asked(searcher, text)
    return _spread([_asked(searcher, text) for text in texts])


def _asked(searcher: Searcher, text: str) -> float:
    began = time.perf_counter()
    searcher.search(Query(text, filters=_FILTERS), AUDIENCE)
    return time.perf_counter() - began


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    at = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
    return {name: round(1000 * ordered[int(share * len(ordered))], 2) for name, share in at.items()}


def _clients(searcher: Searcher, questions: Sequence[str]) -> dict[str, Any]:
    """Eight at once, each asking when it has its answer."""
    began = time.perf_counter()
    with ThreadPoolExecutor(_CLIENTS) as threads:
        seconds = list(threads.map(lambda text: _asked(searcher, text), [*questions, *questions]))
    return {
        "clients": _CLIENTS,
        "queries_a_second": round(len(seconds) / (time.perf_counter() - began), 1),
        **_spread(seconds),
    }


def _cost(folder: Path) -> dict[str, int]:
    """Memory of the process, its own and of files mapped into it (which it gives back when others need it); disk."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    disk = sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file())
    return {
        "memory_mb": round(int(status["RssAnon"].split()[0]) / 1024),
        "mapped_mb": round(int(status["RssFile"].split()[0]) / 1024),
        "disk_mb": round(disk / 2**20),
    }


def _rebuilt(store: EdgeStore, searcher: Searcher, questions: Sequence[str], written: Sequence[str]) -> dict[str, Any]:
    """Half of all deleted, and the index built anew while one client goes on asking."""
    store.delete(sorted(set(written))[::2])
    left = store.count()
    seconds = []
    with ThreadPoolExecutor(1) as threads:
        began = time.perf_counter()
        building = threads.submit(store.optimize)
        while not building.done():
            seconds += [_asked(searcher, text) for text in questions[:8]]
        took = time.perf_counter() - began
        building.result()
    return {"left": left, "seconds": round(took, 1), "searches_beside": _spread(seconds)}


def _others(tree: Path, size: int) -> dict[str, dict[str, float]]:
    questions = _questions(tree)
    chunks = list(islice(passages(tree), size))
    return {"bm25s": _bm25s(chunks, questions), "qdrant_local_mode": _local(chunks, questions[:_SLOW_QUERIES])}


def _bm25s(chunks: Sequence[Passage], questions: Sequence[str]) -> dict[str, float]:
    """Words alone, without stop words: no filter, no labels, nothing of the chunks but their number."""
    index = bm25s.BM25()
    texts = [f"{chunk.context}\n{chunk.text}" for chunk in chunks]
    index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
    seconds = []
    for text in questions:
        began = time.perf_counter()
        words = bm25s.tokenize([text], stopwords="en", show_progress=False)
        index.retrieve(words, k=50, show_progress=False)
        seconds.append(time.perf_counter() - began)
    return _spread(seconds)


def _local(chunks: Sequence[Passage], questions: Sequence[str]) -> dict[str, float]:
    """The same search over the same points, in the client's local mode."""
    warnings.simplefilter("ignore")  # it says of each payload index that it has none, and of this size that it is slow
    embedders = Embedders.same(StaticEmbedder())
    store = ServerStore.over(QdrantClient(":memory:"), ServerSettings("", batch=_BATCH), embedders, Calls(""))
    _fill(store, embedders, iter(chunks))
    searcher = Searcher(store, embedders)
    return _spread([_asked(searcher, text) for text in questions])
