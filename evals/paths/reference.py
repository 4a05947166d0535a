"""A fixed piece of work that says how fast this machine is just now."""

import json
import random
import sqlite3
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.embedding.static import StaticEmbedder

NAME = "mix-1"
"""Times are compared as ratios to it, so whoever changes the work changes the name."""
STEADY = 1.5
"""Most of p90 to p50 with which a run's ratios are compared with another run's."""
_DOCUMENTS, _TERMS, _LENGTH = 4_000, 2_000, 60
_QUERIES, _WORDS = 60, 8
_ROWS = 3_000
_TEXTS = 96
_WRITTEN, _TIMES = 24, 40
"""Texts that stand in the JSON, and how often it is written and read."""
_K1, _B = 1.2, 0.75


class Reference:
    """Some of each thing that a search or review does: scoring by BM25 (Robertson and Zaragoza, The Probabilistic
    Relevance Framework, 2009) with numpy, JSON there and back, rows into a SQLite file, and static vectors of texts.
    The work is the same in every run and on every machine, and takes tens of milliseconds.
    """

    def __init__(self, folder: Path) -> None:
        """The SQLite file is made in the folder."""
        dice = random.Random(1)
        words = [f"{'bcdfghklmnprstvz'[at % 16]}{'aeiou'[at % 5]}{at}" for at in range(_TERMS)]
        self._counts = np.random.default_rng(1).poisson(_LENGTH / _TERMS, (_TERMS, _DOCUMENTS)).astype(np.float32)
        self._queries = [dice.sample(range(_TERMS), _WORDS) for _ in range(_QUERIES)]
        self._texts = [" ".join(dice.choices(words, k=_LENGTH)) for _ in range(_TEXTS)]
        self._record = {text[:8]: {"text": text, "numbers": list(range(40))} for text in self._texts[:_WRITTEN]}
        self._embedder = StaticEmbedder()
        self._database = sqlite3.connect(folder / "reference.sqlite", check_same_thread=False)  # one at a time
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=NORMAL")
        self._database.execute("CREATE TABLE IF NOT EXISTS work (id INTEGER PRIMARY KEY, text TEXT)")
        self.seconds: list[float] = []
        """Of every time that it was done."""
        self._work()  # opens what is opened once

    def __call__(self) -> float:
        """Do the work; the milliseconds that it took."""
        began = time.perf_counter()
        self._work()
        self.seconds.append(time.perf_counter() - began)
        return 1000 * self.seconds[-1]

    def close(self) -> None:
        self._database.close()

    def _work(self) -> None:
        for query in self._queries:
            np.argsort(-self._scores(query))
        for _ in range(_TIMES):
            json.loads(json.dumps(self._record))
        with self._database:
            self._database.execute("DELETE FROM work")
            rows = ((at, self._texts[at % _TEXTS]) for at in range(_ROWS))
            self._database.executemany("INSERT INTO work VALUES (?, ?)", rows)
        self._embedder.embed(self._texts)

    def _scores(self, query: Sequence[int]) -> NDArray[np.float32]:
        counts = self._counts[query]
        lengths = _LENGTH * np.ones(_DOCUMENTS, dtype=np.float32)
        rare = np.log1p(_DOCUMENTS / (1 + (counts > 0).sum(axis=1)))
        norm = _K1 * (1 - _B + _B * lengths / _LENGTH)
        return np.asarray((rare[:, None] * counts * (_K1 + 1) / (counts + norm)).sum(axis=0), dtype=np.float32)


def unsteady(seconds: Sequence[float]) -> float:
    """The slowest tenth's beginning over the middle: 1 where the machine was always equally fast."""
    ordered = sorted(seconds)
    return ordered[int(0.9 * (len(ordered) - 1))] / statistics.median(ordered)
