"""The embedded store: who may open it, and what a crash or a full disk does to it."""

import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from core.embedders import Embedders
from core.errors import DiskFull, IndexLocked, IndexMismatch, IndexUnusable
from core.store.base import Point
from core.store.edge import EdgeStore
from tests.core.parts import EVERYBODY, SMALL_RESERVE, Letters, Weighing
from tests.core.points import TINY, passage, point


def test_all_is_there_after_closing_and_opening(tmp_path: Path) -> None:
    first = EdgeStore.open(tmp_path / "index", TINY, reserve=SMALL_RESERVE)
    first.upsert([point("d", n) for n in range(20)])
    first.close()
    second = EdgeStore.open(tmp_path / "index", TINY, reserve=SMALL_RESERVE)
    assert second.count() == 20
    assert second.read("d", EVERYBODY, 1) == (passage("d", 0),)
    second.optimize()
    assert second.count() == 20
    second.close()
    with pytest.raises(IndexUnusable):
        second.count()


def test_optimizing_beside_readers_and_writers_loses_nothing_and_again_is_cheap(tmp_path: Path) -> None:
    """Wide vectors, since the engine builds nothing below a size in bytes."""
    wide = 1024
    store = EdgeStore.open(tmp_path / "index", Embedders.same(Letters(wide)), reserve=SMALL_RESERVE)
    numbers = np.random.default_rng(1)

    def some(first: int, count: int) -> list[Point]:
        return [point("d", first + n, vector=tuple(numbers.normal(size=wide))) for n in range(count)]

    store.upsert(some(0, 2_600))
    with ThreadPoolExecutor(3) as threads:
        writing = threads.submit(lambda: [store.upsert(some(2_600 + n, 1)) for n in range(20)])
        reading = threads.submit(lambda: [store.read("d", EVERYBODY, 1) for _ in range(50)])
        threads.submit(store.optimize).result()
        assert all(reading.result())
        writing.result()
    assert store.count() == 2_620
    began = time.monotonic()
    store.optimize()
    assert time.monotonic() - began < 1
    store.close()


HOLDER = """
import sys
from pathlib import Path
from core.store.edge import EdgeStore
from tests.core.points import TINY
store = EdgeStore.open(Path(sys.argv[1]), TINY, reserve=1)
print("open", flush=True)
sys.stdin.read()
"""


def test_a_second_process_is_told_who_holds_the_index(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(IndexLocked, match=f"process {holder.pid}"):
            EdgeStore.open(tmp_path, TINY, reserve=SMALL_RESERVE)
        holder.kill()
        holder.wait()
        EdgeStore.open(tmp_path, TINY, reserve=SMALL_RESERVE).close()  # the dead hold nothing


def test_one_process_cannot_open_it_twice(tmp_path: Path) -> None:
    store = EdgeStore.open(tmp_path, TINY, reserve=SMALL_RESERVE)
    with pytest.raises(IndexLocked):
        EdgeStore.open(tmp_path, TINY, reserve=SMALL_RESERVE)
    store.close()


@pytest.mark.parametrize("other", [Letters(4, "other@1"), Letters(8, "tiny@1"), Weighing(4, "tiny@1")])
def test_another_embedder_is_refused_with_what_to_run(tmp_path: Path, other: Letters) -> None:
    EdgeStore.open(tmp_path, TINY, reserve=SMALL_RESERVE).close()
    for _ in range(2):  # and the refusal does not keep the lock
        with pytest.raises(IndexMismatch, match=r"tiny@1.*crosscheck sync --full"):
            EdgeStore.open(tmp_path, Embedders(TINY.documents, other), reserve=SMALL_RESERVE)


def test_an_older_schema_or_a_damaged_folder_is_refused(tmp_path: Path) -> None:
    EdgeStore.open(tmp_path, TINY, reserve=SMALL_RESERVE).close()
    about = tmp_path / "index.json"
    made = about.read_text("utf-8")
    for bad in (made.replace('"schema": ', '"schema": 9'), "{"):
        about.write_text(bad, "utf-8")
        with pytest.raises(IndexMismatch, match="crosscheck sync --full"):
            EdgeStore.open(tmp_path, TINY, reserve=SMALL_RESERVE)
    about.write_text(made, "utf-8")
    (tmp_path / "code" / "edge_config.json").write_text("{", "utf-8")
    with pytest.raises(IndexMismatch, match="cannot be opened"):
        EdgeStore.open(tmp_path, TINY, reserve=SMALL_RESERVE)


def test_a_full_disk_is_noticed_before_the_write(tmp_path: Path) -> None:
    with pytest.raises(DiskFull, match="MB are free"):
        EdgeStore.open(tmp_path, TINY, reserve=2**60)
    store = EdgeStore.open(tmp_path, TINY, reserve=shutil.disk_usage(tmp_path).free - 2**30)
    with pytest.raises(DiskFull, match="crosscheck sync"):
        store.upsert([point()] * 200_000)
    assert store.count() == 0
    store.close()
