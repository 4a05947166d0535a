"""The embedded store: who may open it, what it refuses to hold, and what it keeps."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embedders import Embedders
from core.embedding.sparse import SparseVector
from core.errors import DiskFull, IndexLocked, IndexMismatch, IndexUnusable
from core.store.base import Passage, Point, Scope, point_id
from core.store.edge import EdgeStore
from core.store.glob import glob_pattern, glob_prefix
from core.store.payload import from_payload, to_payload
from core.types import ORG, Audience, Document, Filters, Query
from tests.core.parts import EARLY, EVERYBODY, SMALL_RESERVE, Bench, Letters, Weighing, document

TINY = Embedders.same(Letters(4, "tiny@1"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def opened(folder: Path) -> Iterator[EdgeStore]:
    store = EdgeStore.open(folder, TINY, reserve=SMALL_RESERVE)
    yield store
    store.close()


@pytest.fixture
def store(opened: EdgeStore) -> EdgeStore:
    opened.delete(opened.documents("wiki"))
    return opened


def passage(document_id: str = "d", ordinal: int = 0, **more: object) -> Passage:
    values = {
        "source": "wiki",
        "kind": "page",
        "title": "Title",
        "url": "https://wiki.example/d",
        "text": f"text {ordinal}",
        "context": "HELP > Title",
        "labels": frozenset({ORG}),
        "updated": EARLY,
    }
    return Passage(document_id, ordinal, **values | more)


def point(*args: object, vector: tuple[float, ...] = (1, 0, 0, 0), **more: object) -> Point:
    dense = np.array(vector, dtype=np.float32)
    words = SparseVector((7, 4_000_000_000), (1.0, 0.5))
    return Point(passage(*args, **more), dense, dense, words, SparseVector((), ()))


def test_a_passage_comes_back_as_it_was() -> None:
    full = passage(
        heading="H",
        line=3,
        symbols=("a", "b"),
        keys=frozenset({"PAY-1"}),
        repo="r",
        path="a/b.py",
        branch="dev",
        attributes={"status": "Done"},
        labels=frozenset({"b", "a"}),
        updated=EARLY.replace(microsecond=123_457),
    )
    for one in (full, passage()):
        assert from_payload(json.loads(json.dumps(to_payload(one)))) == one
    with pytest.raises(ValueError, match="time zone"):
        to_payload(passage(updated=EARLY.replace(tzinfo=None)))


def test_writing_twice_overwrites(store: EdgeStore) -> None:
    store.upsert([point("d", n) for n in range(3)])
    store.upsert([point("d", n, text="new") for n in range(3)])
    assert store.count() == 3
    assert {p.text for p in store.read("d", EVERYBODY, 10)} == {"new"}


def test_ids_tell_documents_places_and_collections_apart() -> None:
    made = {point_id(d, n, c) for d in ("a", "a1", "\x00") for n in (0, 1, 11) for c in ("documents", "code")}
    assert len(made) == 18
    assert point_id("a", 0, "code") == point_id("a", 0, "code")


@pytest.mark.parametrize(
    "bad",
    [
        point("bad", labels=frozenset()),
        point("bad", vector=(float("nan"), 0, 0, 0)),
        point("bad", vector=(float("inf"), 0, 0, 0)),
    ],
)
def test_a_point_that_must_not_be_stored_stops_its_batch(store: EdgeStore, bad: Point) -> None:
    with pytest.raises(ValueError, match="bad"):
        store.upsert([point("good"), bad])
    assert store.count() == 0


def test_a_document_cannot_lose_its_labels(store: EdgeStore) -> None:
    store.upsert([point("d")])
    with pytest.raises(ValueError, match="d has no access label"):
        store.relabel({"d": frozenset()})
    assert store.read("d", EVERYBODY, 1)


def test_trim_keeps_the_first_chunks_of_one_collection(store: EdgeStore) -> None:
    store.upsert([point("d", n) for n in range(5)] + [point("e", n) for n in range(5)])
    store.upsert([point("d", n, kind="code") for n in range(5)])
    store.trim("documents", {"d": 2, "e": 3})
    assert store.documents("wiki") == {"d": 2, "e": 3}
    assert [p.ordinal for p in store.read("e", EVERYBODY, 9)] == [0, 1, 2]
    store.delete(["d"])
    assert store.documents("wiki") == {"e": 3}
    assert store.documents("jira") == {}


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
from tests.core.test_store import TINY
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


def test_one_process_cannot_open_it_twice(store: EdgeStore, folder: Path) -> None:
    with pytest.raises(IndexLocked):
        EdgeStore.open(folder, TINY, reserve=SMALL_RESERVE)


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


def test_reading_narrows_by_audience(store: EdgeStore) -> None:
    store.upsert([point("d", labels=frozenset({"a", "b"})), replace(point("e"), content=np.zeros(4, dtype=np.float32))])
    assert store.read("d", Audience(frozenset({"a"})), 5) == ()
    assert store.read("d", Audience(frozenset({"a", "b", "c"})), 5)
    assert store.find("documents", "keys", "x", scope_of("a"), 5) == ()


def scope_of(*labels: str) -> Scope:
    return Scope(Audience(frozenset(labels)))


# Globs


@pytest.mark.parametrize(
    ("glob", "matches", "others"),
    [
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyc", "a.py.txt"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "a.py", "lib/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["lib/a.py"]),
        ("src", ["src/a.py", "x/src/b.py", "src"], ["srcs/a.py"]),
        ("src/auth/", ["src/auth/a.py", "src/auth/x/b.py"], ["src/author.py"]),
        ("**/test_?.py", ["test_a.py", "x/test_b.py"], ["test_ab.py"]),
        ("/docs/[a-c]*.md", ["docs/a.md", "docs/bee.md"], ["docs/d.md"]),
        ("docs/[!a]*.md", ["docs/b.md"], ["docs/a.md"]),
        ("a+b(c).py", ["a+b(c).py"], ["aab(c).py"]),
    ],
)
def test_globs(glob: str, matches: list[str], others: list[str]) -> None:
    pattern = glob_pattern(glob)
    assert [path for path in matches + others if pattern.fullmatch(path)] == matches
    assert all(path.startswith(glob_prefix(glob)) for path in matches)


@given(st.text(alphabet="ab/*?[]!-^\\.", max_size=12))
def test_any_glob_can_be_asked(glob: str) -> None:
    glob_pattern(glob).fullmatch("a/b.py")


@given(st.text(alphabet="ab/.", min_size=1, max_size=8).filter(lambda path: path.strip("/")))
def test_a_path_matches_itself(path: str) -> None:
    assert glob_pattern(path).fullmatch(path.strip("/"))


def test_a_glob_is_not_a_filter_on_what_was_found(bench: Bench) -> None:
    """One matching file is found though hundreds of better ones lie outside the glob."""

    def file(path: str, text: str) -> Document:
        return document(text, id=f"git:r:{path}", kind="code", path=path, repo="r", source="r")

    bench.index(
        *(file(f"lib/m{n}.py", "lock lock account") for n in range(200)), file("src/deep/x.py", "account " + "z " * 300)
    )
    found = bench.searcher.search(Query("lock account", filters=Filters(path="src/**")), EVERYBODY).evidence
    assert [evidence.document_id for evidence in found] == ["git:r:src/deep/x.py"]
