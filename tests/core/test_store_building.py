"""The embedded store when it is built anew: nothing is lost, whatever happens meanwhile, and searches stay right."""

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest
import qdrant_edge as qdrant
from hypothesis import given
from hypothesis import strategies as st

from core.embedders import Embedders
from core.embedding.sparse import SparseVector
from core.errors import DiskFull, IndexLocked, IndexMismatch
from core.store.base import Arm, Point, Scope
from core.store.conditions import of_document
from core.store.edge import EdgeStore
from core.store.edge_building import LiveShard
from core.store.edge_filter import edge_filter
from core.types import ORG, Audience
from tests.core.parts import SMALL_RESERVE, Letters
from tests.core.points import TINY, passage, point

SIZE = 64
WIDE = Embedders.same(Letters(SIZE))
LABELS = ("a", "b", "c", "d")


def opened(folder: Path, embedders: Embedders = TINY) -> EdgeStore:
    return EdgeStore.open(folder, embedders, reserve=SMALL_RESERVE)


def wide_points(count: int) -> list[Point]:
    """Vectors in few clumps and many of them the same, as those of contexts are; a hundredth is for `few` alone."""
    dice = np.random.default_rng(5)
    clumps = dice.normal(size=(20, SIZE))
    vectors = clumps[dice.integers(20, size=count)] + 0.3 * dice.normal(size=(count, SIZE))
    vectors[::3] = vectors[0 : len(vectors[::3])]
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    points = []
    for n, vector in enumerate(vectors):
        labels = frozenset({"few"} if n % 100 == 0 else {ORG})
        terms = SparseVector((n % 7, 100 + n % 50), (1.0 + n % 5, 0.5))
        points.append(Point(passage(f"d{n // 10}", n % 10, labels=labels, kind="code"), vector, vector, terms, terms))
    return points


def nearest(points: list[Point], vector: np.ndarray, audience: Audience, count: int) -> list[float]:
    """The best scores, by going through all of them."""
    rows = np.array([p.content for p in points if audience.may_read(p.passage.labels)])
    return sorted((rows @ vector).tolist(), reverse=True)[:count]


@pytest.mark.parametrize("audience", [Audience(frozenset({ORG, "few"})), Audience(frozenset({"few"}))])
def test_searching_by_coarse_vectors_first_misses_nothing_before_a_rebuild_and_after(
    tmp_path: Path, audience: Audience
) -> None:
    points = wide_points(4_000)
    store = opened(tmp_path, WIDE)
    store.upsert(points)
    gone = {f"d{n}" for n in range(100, 240)}
    store.delete(gone)
    left = [p for p in points if p.passage.document_id not in gone]
    dice = np.random.default_rng(6)
    asked = [Arm("content", row) for row in dice.normal(size=(20, SIZE)).astype(np.float32)]
    words = [Arm("content", SparseVector((3,), (1.0,))), Arm("context", SparseVector((120,), (1.0,)))]
    before = store.rank("code", [*asked, *words], Scope(audience), 50)
    for arm, hits in zip(asked, before, strict=False):
        best = nearest(left, np.asarray(arm.vector), audience, 50)
        assert [hit.score for hit in hits] == pytest.approx(best, abs=1e-4)
    store.optimize()
    assert (tmp_path / "code.1").is_dir()
    assert not (tmp_path / "code").exists()
    after = store.rank("code", [*asked, *words], Scope(audience), 50)
    for old, new in zip(before[:-2], after[:-2], strict=True):
        assert [hit.score for hit in new] == pytest.approx([hit.score for hit in old], abs=1e-6)
    # scores of words change: how rare one is, is counted with what was deleted until that is gone for good
    assert [[hit.id for hit in hits] for hits in after[-2:]] == [[hit.id for hit in hits] for hits in before[-2:]]
    assert store.rank("code", [*asked, *words], Scope(audience), 50) == after
    store.close()


def test_only_a_worn_index_is_built_anew(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.upsert([point(f"d{n}") for n in range(3_000)])
    store.upsert([point(f"d{n}", text="again") for n in range(3_000)])
    store.delete([f"d{n}" for n in range(800)])
    store.optimize()
    assert not (tmp_path / "documents.1").exists()
    store.delete([f"d{n}" for n in range(1_100)])
    store.close()
    store = opened(tmp_path)  # what was deleted is known after opening, too
    store.optimize()
    assert (tmp_path / "documents.1").is_dir()
    assert not (tmp_path / "code.1").exists()
    store.optimize()
    assert not (tmp_path / "documents.2").exists()
    assert store.count() == 1_900
    assert store.documents("wiki").keys() == {f"d{n}" for n in range(1_100, 3_000)}
    with pytest.raises(IndexLocked):
        opened(tmp_path)
    store.close()


def test_what_is_written_during_a_rebuild_is_not_lost(tmp_path: Path) -> None:
    """Each document is written to once, so that no later write hides that one was lost."""
    store = opened(tmp_path)
    store.upsert([point(f"d{n}", ordinal, text="old") for n in range(2_000) for ordinal in range(2)])
    store.delete([f"d{n}" for n in range(1_000, 2_000)])
    expected = {(f"d{n}", ordinal): ("old", frozenset({ORG})) for n in range(1_000) for ordinal in range(2)}
    dice = random.Random(2)
    order = dice.sample(range(8_000), 8_000)  # more than there is time for

    def write(n: int) -> None:
        document_id = f"d{n}"
        held = [key for key in ((document_id, 0), (document_id, 1)) if key in expected]
        what = dice.choice(("upsert", "relabel", "delete", "trim"))
        if what == "upsert":
            store.upsert([point(document_id, text="new")])
            expected[document_id, 0] = ("new", frozenset({ORG}))
        elif what == "relabel":
            store.relabel({document_id: frozenset({ORG, "team"})})
            expected.update({key: (expected[key][0], frozenset({ORG, "team"})) for key in held})
        elif what == "delete":
            store.delete([document_id])
            for key in held:
                del expected[key]
        else:
            store.trim("documents", {document_id: 1})
            expected.pop((document_id, 1), None)

    with ThreadPoolExecutor(2) as threads:
        building = threads.submit(store.optimize)
        reading = threads.submit(lambda: [store.count() for _ in range(200)])
        while order and not building.done():
            write(order.pop())
            time.sleep(0.001)
        building.result()
        assert min(reading.result()) > 1_000
    for n in order[:20]:
        write(n)
    assert (tmp_path / "documents.1").is_dir()
    assert 0 < len(order) < 7_900
    for _ in range(2):
        found = [p.passage for page in store.points("documents") for p in page]
        assert len(found) == len(expected)
        assert {(p.document_id, p.ordinal): (p.text, p.labels) for p in found} == expected
        store.close()
        store = opened(tmp_path)
    store.close()


BUILDER = """
import sys
from pathlib import Path
from core.store.edge_building import LiveShard
from tests.core.points import TINY
shard = LiveShard(Path(sys.argv[1]), "documents", TINY.documents, reserve=1)
while True:
    print("begins", flush=True)
    shard.rebuild()
"""


def test_killed_at_any_instant_the_index_is_whole(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.upsert([point(f"d{n}", text=f"{n}") for n in range(300)])
    store.close()
    dice = random.Random(4)
    generations = set()
    for _ in range(4):
        builder = subprocess.Popen([sys.executable, "-c", BUILDER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        with builder:
            assert builder.stdout is not None
            assert builder.stdout.readline() == "begins\n"
            began = time.monotonic()
            assert builder.stdout.readline() == "begins\n"
            time.sleep(dice.uniform(0, 1.5) * (time.monotonic() - began))
            builder.kill()
        store = opened(tmp_path)
        assert {p.passage.text for page in store.points("documents") for p in page} == {f"{n}" for n in range(300)}
        store.close()
        (folder,) = [one for one in tmp_path.glob("documents*") if one.is_dir()]
        generations.add(folder.name)
    assert len(generations) == 4


def test_what_a_rebuild_that_was_cut_short_leaves_is_removed(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.upsert([point("d")])
    store.close()
    for left in ("documents.1", "documents.new", "code.7"):
        (tmp_path / left).mkdir()
    (tmp_path / "documents.next").write_text("docu")
    store = opened(tmp_path)
    assert store.count() == 1
    assert {one.name for one in tmp_path.iterdir() if one.is_dir()} == {"documents", "code"}
    store.close()
    (tmp_path / "documents.current").write_text("documents.1")
    with pytest.raises(IndexMismatch, match=r"documents\.1 is not there"):
        opened(tmp_path)
    assert (tmp_path / "documents").is_dir()


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A folder with a thousand points."""
    store = opened(tmp_path)
    store.upsert([point(f"d{n}") for n in range(1_000)])
    store.close()
    return tmp_path


def live(folder: Path, reserve: int = 1) -> LiveShard:
    return LiveShard(folder, "documents", TINY.documents, reserve)


def test_a_rebuild_without_room_is_refused_and_changes_nothing(filled: Path) -> None:
    full = live(filled, reserve=2**60)
    with pytest.raises(DiskFull, match="MB are free"):
        full.rebuild()
    assert full.count() == 1_000
    full.close()
    assert (filled / "documents").is_dir()


def test_what_hides_or_deletes_may_use_the_reserve(filled: Path) -> None:
    short = live(filled, reserve=2 * shutil.disk_usage(filled).free)
    with pytest.raises(DiskFull):
        short.rebuild()
    short.write(["d1"], qdrant.UpdateOperation.delete_points_by_filter(edge_filter(of_document(["d1"]))))
    assert short.count() == 999
    short.close()


def test_readers_keep_what_they_read_and_new_ones_wait_for_nobody(filled: Path) -> None:
    shard = live(filled)
    holds, lets_go = Event(), Event()

    def hold() -> None:
        with shard.reading() as old:
            holds.set()
            lets_go.wait(10)
            assert old.info().points_count == 1_000

    with ThreadPoolExecutor(2) as threads:
        reader = threads.submit(hold)
        assert holds.wait(5)
        building = threads.submit(shard.rebuild)
        while not (filled / "documents.current").exists():
            time.sleep(0.01)
        assert shard.count() == 1_000
        assert not building.done()
        lets_go.set()
        reader.result()
        building.result()
    assert not (filled / "documents").exists()
    shard.close()


def test_closing_gives_up_a_rebuild(filled: Path) -> None:
    shard = live(filled)
    building = Thread(target=shard.rebuild)
    building.start()
    while not (filled / "documents.1").exists():
        time.sleep(0.001)
    shard.close()
    building.join()
    assert (filled / "documents").is_dir() != (filled / "documents.1").is_dir()
    again = live(filled)
    assert again.count() == 1_000
    again.close()


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[EdgeStore, list[Point]]]:
    """Points of every combination of labels, after a rebuild."""
    store = opened(tmp_path_factory.mktemp("labelled"))
    store.upsert([point(f"gone{n}", labels=frozenset(LABELS)) for n in range(1_500)])
    subsets = [frozenset(c for n, c in enumerate(LABELS) if bits >> n & 1) for bits in range(1, 16)]
    points = [point(f"d{n}", labels=subsets[n % 15]) for n in range(150)]
    store.upsert(points)
    store.delete([f"gone{n}" for n in range(1_500)])
    store.optimize()
    yield store, points
    store.close()


@given(held=st.sets(st.sampled_from((*LABELS, "unknown"))))
def test_after_a_rebuild_an_audience_finds_what_it_may_read_and_nothing_else(
    labelled: tuple[EdgeStore, list[Point]], held: set[str]
) -> None:
    store, points = labelled
    audience = Audience(frozenset(held))
    readable = {p.id for p in points if audience.may_read(p.passage.labels)}
    arms = [Arm("content", points[0].content), Arm("content", SparseVector((7,), (1.0,)))]
    for hits in store.rank("documents", arms, Scope(audience), 200):
        assert {hit.id for hit in hits} == readable


def test_an_index_that_was_written_much_to_is_loaded_again_beside_its_readers(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.upsert([point(f"d{n}") for n in range(6_000)])
    everybody = Scope(Audience(frozenset({ORG})))
    failed: list[BaseException] = []
    done = Event()

    def reading() -> None:
        try:
            while not done.is_set():
                assert store.names("source", everybody)
                assert store.count() == 6_000
                assert store.find("documents", "keys", "none", everybody, 1) == ()
        except BaseException as error:
            failed.append(error)
            raise

    threads = [Thread(target=reading) for _ in range(4)]
    for thread in threads:
        thread.start()
    before = store.names("document_id", everybody)
    for _ in range(3):
        store.optimize()
        store.upsert([point(f"d{n}", text="again") for n in range(6_000)])
    done.set()
    for thread in threads:
        thread.join(60)
    assert not failed
    assert not any(thread.is_alive() for thread in threads)
    assert store.names("document_id", everybody) == before
    assert not (tmp_path / "documents.1").exists()
    store.close()
    store = opened(tmp_path)
    assert store.count() == 6_000
    store.close()
