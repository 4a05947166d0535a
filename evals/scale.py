"""What 100,000 chunks cost in the data folder: time to index and to optimize, disk, memory, and time of a search."""

import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.chunking import chunk
from core.connectors.base import Labels
from core.embedders import Embedders
from core.embedding.static import StaticEmbedder
from core.ingest import Ingest
from core.rerank.chain import Reranking
from core.rerank.late import LateInteraction
from core.search import Searcher
from core.store.edge import EdgeStore
from core.types import ORG, Audience, Document, Query
from state.cursors import Cursors
from state.db import open_database
from state.registry import Registry

_COMPANY = Path(__file__).resolve().parents[1] / "sandbox" / "company"
_SOURCE = "made-up"
_TEAMS = 20
_AUDIENCE = Audience(frozenset({ORG, *(f"team:{number}" for number in range(_TEAMS - 1))}))
"""May read all but a twentieth of the documents."""
_WRITTEN = datetime(2026, 1, 1, tzinfo=UTC)
_NEW_WORDS = 0.03  # of all: names that stand in few documents, as they do in code and tickets
_SAMPLE = 300  # documents that tell how many chunks one has
_QUERIES = 200
_WORDS = (3, 8, 15, 40)  # of a query, in turn


def measure(folder: Path, report: Callable[[str], None], sizes: Sequence[int] = (25_000, 100_000)) -> dict[str, Any]:
    """One index that grows to these numbers of chunks, each step and its searches by processes of their own.

    A folder that holds a part of it already is filled further from there.
    """
    cut = [len(piece.text) for document in islice(_documents(), _SAMPLE) for piece in chunk(document)]
    chunks_a_document = len(cut) / _SAMPLE
    rows = []
    for size in sizes:
        report(f"{size} chunks")
        filled = _apart(_filled, folder, round(size / chunks_a_document))
        rows.append({**filled, **_apart(_searched, folder)})
    first, last = rows[0], rows[-1]
    steps = (last["chunks"] - first["chunks"]) / 100_000
    return {
        "chunk": {
            "characters": round(mean(cut)),
            "p95_characters": sorted(cut)[int(0.95 * len(cut))],
            "a_document": round(chunks_a_document, 1),
        },
        "rows": rows,
        "each_further_100_000_chunks_mb": {
            name: round((last[name] - first[name]) / steps)
            for name in ("disk_mb", "opened_mb", "searching_mb", "mapped_mb")
        }
        if steps
        else {},
    }


def _apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """In a process of its own, so that its memory is its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def _filled(folder: Path, documents: int) -> dict[str, Any]:
    """The index filled up to so many documents, as any source is, and optimized, as after every synchronisation."""
    database = open_database(folder / "state.db")
    embedders = Embedders.same(StaticEmbedder())
    store = EdgeStore.open(folder / "index", embedders)
    ingest = Ingest(store, embedders, Registry(database), Cursors(database))
    began, worked = time.perf_counter(), time.process_time()
    done = ingest.sync(MadeUp(documents))
    whole, worked = time.perf_counter() - began, time.process_time() - worked
    chunks = store.count()
    store.close()
    return {
        "chunks": chunks,
        "indexed": done.chunks,
        "indexing_s": round(done.seconds, 1),
        "chunks_a_second": round(done.chunks / done.seconds),
        "optimize_s": round(whole - done.seconds, 1),
        "processor_s": round(worked, 1),
        "peak_mb": _memory("VmHWM"),
        "disk_mb": _disk(folder / "index"),
        "state_mb": _disk(folder, "state.db*"),
    }


def _searched(folder: Path) -> dict[str, Any]:
    """The same index opened again and searched, by one thread and by four."""
    bare = _memory("RssAnon")
    static = StaticEmbedder()
    embedders = Embedders.same(static)
    store = EdgeStore.open(folder / "index", embedders)
    opened = _memory("RssAnon")
    searcher = Searcher(store, embedders)
    reranked = Searcher(store, embedders, reranking=Reranking([LateInteraction(static)], limit_seconds=10))
    questions = _questions()
    _asked_by(searcher, questions[:20], 1)
    measured = {
        "four_arms": _asked_by(searcher, questions, 1),
        "four_arms_4_threads": _asked_by(searcher, questions, 4),
        "reranked": _asked_by(reranked, questions, 1),
    }
    memory = {"opened_mb": opened - bare, "searching_mb": _memory("RssAnon") - bare, "mapped_mb": _memory("RssFile")}
    store.close()
    return {**memory, **measured}


def _asked_by(searcher: Searcher, questions: Sequence[str], threads: int) -> dict[str, float]:
    """Each thread asks when it has its answer. Milliseconds of a search."""

    def ask(question: str) -> float:
        began = time.perf_counter()
        searcher.search(Query(question), _AUDIENCE)
        return time.perf_counter() - began

    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        seconds = sorted(pool.map(ask, questions))
    rate = len(questions) / (time.perf_counter() - began)
    at = {name: round(1000 * seconds[int(share * len(seconds))], 1) for name, share in (("p50", 0.5), ("p95", 0.95))}
    return {**at, "a_second": round(rate, 1)}


def _memory(field: str) -> int:
    """Of this process, in megabytes. RssAnon is its own; RssFile are files mapped into it, given back when needed."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return round(int(status[field].split()[0]) / 1024)


def _disk(folder: Path, pattern: str = "**/*") -> int:
    return round(sum(file.stat().st_blocks * 512 for file in folder.glob(pattern) if file.is_file()) / 2**20)


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A source of the first so many made-up documents; its cursor is their number."""

    documents: int
    name: str = _SOURCE

    def mark(self) -> str:
        return str(self.documents)

    def load(self) -> Iterator[Document]:
        return islice(_documents(), self.documents)

    def changed_since(self, cursor: str) -> Iterator[Document]:
        return islice(_documents(int(cursor)), max(0, self.documents - int(cursor)))

    def removed_since(self, cursor: str, known: Collection[str]) -> set[str]:
        del cursor, known
        return set()

    def ids(self) -> set[str]:
        return {_id(number) for number in range(self.documents)}

    def labels_now(self, ids: Iterable[str]) -> Labels:
        return {each: _labels(int(each.rpartition(":")[2])) for each in ids}

    def total(self) -> int | None:
        return self.documents


class Words:
    """The words of the sandbox's company, each as often as it stands there; the same in every run."""

    def __init__(self) -> None:
        texts = [file.read_text("utf-8") for file in sorted(_COMPANY.rglob("*.toml"))]
        counted = Counter(word for text in texts for word in re.findall(r"[A-Za-z]{2,}", text))
        self._words = sorted(counted)
        self._upto: NDArray[np.float64] = np.cumsum([counted[word] for word in self._words]) / counted.total()

    def some(self, dice: np.random.Generator, count: int) -> list[str]:
        """So many, a few of them names that are put together of two."""
        drawn = [self._words[at] for at in np.searchsorted(self._upto, dice.random(count))]
        for at in np.flatnonzero(dice.random(count) < _NEW_WORDS):
            drawn[at] = drawn[at].lower() + self._words[dice.integers(len(self._words))].title()
        return drawn


def _documents(first: int = 0) -> Iterator[Document]:
    """Without end: a page, then two files of code, whose chunks together are as long as those of a real repository.
    Each document is made by its number alone.
    """
    words, number = Words(), first
    while True:
        yield _document(words, number)
        number += 1


def _document(words: Words, number: int) -> Document:
    dice = np.random.default_rng(number)
    title = " ".join(words.some(dice, 4))
    code = number % 3 != 0
    path = f"src/{'/'.join(words.some(dice, 2)).lower()}_{number}.py"
    parts = 1 + dice.geometric(0.15)  # seven on average, many with few and few with many
    text = "\n\n".join((_function if code else _section)(words, dice) for _ in range(parts))
    return Document(
        id=_id(number),
        source=_SOURCE,
        kind="code" if code else "page",
        version="1",
        title=path if code else title,
        text=text,
        context=f"service-{number % 40} > {path}" if code else f"SPACE{number % 40} > {title}",
        url=f"https://example.com/{number}",
        labels=_labels(number),
        updated=_WRITTEN,
        keys=frozenset({path, path.rpartition("/")[2]} if code else {title}),
        repo=f"service-{number % 40}" if code else None,
        path=path if code else None,
        branch="main" if code else None,
    )


def _section(words: Words, dice: np.random.Generator) -> str:
    count = dice.integers(2, 9)
    sentences = [f"{' '.join(words.some(dice, int(dice.integers(6, 24))))}." for _ in range(count)]
    return f"## {' '.join(words.some(dice, 3))}\n\n{' '.join(sentences)}"


def _function(words: Words, dice: np.random.Generator) -> str:
    name, *arguments = [word.lower() for word in words.some(dice, 4)]
    lines = [
        f"    {left} = {call}({first}.{second}, '{text}')"
        for left, call, first, second, text in (words.some(dice, 5) for _ in range(dice.integers(4, 24)))
    ]
    says = " ".join(words.some(dice, 12))
    return "\n".join([f"def {name}_{arguments[0]}(a_{arguments[1]}, a_{arguments[2]}):", f'    """{says}."""', *lines])


def _id(number: int) -> str:
    return f"{_SOURCE}:{number}"


def _labels(number: int) -> frozenset[str]:
    return frozenset({ORG, f"team:{number % _TEAMS}"})


def _questions() -> list[str]:
    """Runs of words of the same kind, from a few to a paragraph."""
    words, dice = Words(), np.random.default_rng(2**32)
    return [" ".join(words.some(dice, _WORDS[number % len(_WORDS)])) for number in range(_QUERIES)]
