"""One graphics card for all processes of a host: real processes, real locks of the kernel."""

import fcntl
import multiprocessing
import os
import signal
import stat
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from core.embedding.base import Side
from core.errors import Busy, EmbedderUnavailable, LockUnusable, RerankerUnavailable
from core.host_lock import HostLock, turn_of
from tests.fakes import Tally

fork = multiprocessing.get_context("fork")
BATCH = 0.15  # seconds


@contextmanager
def beside(work: Callable[..., None], *given: Any) -> Iterator[Any]:
    """A process beside this one, ended with the test."""
    process = fork.Process(target=work, args=given, daemon=True)
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()


def holding(path: Path, side: Side, inside: Any) -> None:
    with HostLock(path, 5).turn(side):
        inside.set()
        time.sleep(60)


def indexing(path: Path, begun: Any, batches: int) -> None:
    """Batch after batch without a pause; how many have begun."""
    lock = HostLock(path, 5)
    for _ in range(batches):
        with lock.turn("passage"):
            with begun.get_lock():
                begun.value += 1
            time.sleep(BATCH)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "gpu.lock"


def test_a_holder_that_is_killed_gives_it_back(path: Path) -> None:
    inside = fork.Event()
    lock = HostLock(path, 0.05)
    with beside(holding, path, "passage", inside) as holder:
        assert inside.wait(10)
        with pytest.raises(Busy, match=r"not free within 0\.05 s"), lock.turn("query"):
            pytest.fail("two inside at once")
        os.kill(holder.pid, signal.SIGKILL)
        holder.join(10)
        with lock.turn("query"):
            pass


def test_a_question_that_is_killed_while_it_waits_keeps_nobody_out(path: Path) -> None:
    lock = HostLock(path, 5, indexing_patience_seconds=0.2)
    with ExitStack() as held:
        held.enter_context(lock.turn("passage"))
        waiter = held.enter_context(beside(holding, path, "query", fork.Event()))
        wait_until(lambda: not free(path.with_name("gpu.lock.door")))
        os.kill(waiter.pid, signal.SIGKILL)
        waiter.join(10)
    with lock.turn("passage"):
        pass


def test_two_are_never_inside_at_once(path: Path, tmp_path: Path) -> None:
    """Processes, threads of a process, questions and indexing: whoever is inside makes a file that must not exist."""
    mark = tmp_path / "inside"
    turns = fork.Value("i", 0)
    clashes = fork.Value("i", 0)

    def take(side: Side) -> None:
        lock = HostLock(path, 60)
        for _ in range(15):
            with lock.turn(side):
                try:
                    os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    clashes.value += 1
                turns.value += 1  # without a lock of its own: a turn is one
                time.sleep(0.002)
                mark.unlink(missing_ok=True)

    def both() -> None:
        threads = [threading.Thread(target=take, args=(side,)) for side in ("query", "passage")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    processes = [fork.Process(target=both) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert clashes.value == 0
    assert turns.value == 3 * 2 * 15


def test_a_question_waits_for_one_batch_at_most(path: Path) -> None:
    """Two indexers that never pause: at most one batch begins between a question's coming and its turn.

    The median of five, for this process may itself be kept waiting between two lines.
    """
    lock = HostLock(path, 10)
    begun = fork.Value("i", 0)
    batches: list[int] = []
    waits: list[float] = []
    with beside(indexing, path, begun, 100), beside(indexing, path, begun, 100):
        wait_until(lambda: begun.value > 1)
        for _ in range(5):
            before, started = begun.value, time.monotonic()
            with lock.turn("query"):
                waits.append(time.monotonic() - started)
                batches.append(begun.value - before)
            time.sleep(BATCH / 3)
        after = begun.value
        wait_until(lambda: begun.value > after)  # and indexing goes on
    assert statistics.median(batches) <= 1
    assert statistics.median(waits) < 2 * BATCH


def test_questions_come_before_indexing_that_has_waited_longer(path: Path) -> None:
    lock = HostLock(path, 10)
    came: list[str] = []

    def take(side: Side, name: str) -> None:
        with lock.turn(side):
            came.append(name)
            time.sleep(0.05)

    threads = [threading.Thread(target=take, args=("passage", "indexing"))]
    threads += [threading.Thread(target=take, args=("query", "question")) for _ in range(3)]
    with lock.turn("passage"):
        for thread in threads:
            thread.start()
            time.sleep(0.05)
    for thread in threads:
        thread.join(10)
    assert came == ["question"] * 3 + ["indexing"]


@pytest.mark.parametrize(("side", "limit"), [("query", 0.1), ("passage", 0.3)])
def test_waiting_has_a_limit_and_is_measured(path: Path, side: Side, limit: float) -> None:
    tally = Tally()
    lock = HostLock(path, 0.1, indexing_patience_seconds=0.3, metrics=tally)
    with HostLock(path, 1).turn("query"):
        started = time.monotonic()
        with pytest.raises(Busy), lock.turn(side):
            pytest.fail("two inside at once")
        assert limit <= time.monotonic() - started < limit + 1
    assert tally.total("crosscheck_gpu_wait_seconds", side=side) >= limit
    with lock.turn(side):
        pass


def test_what_fails_inside_gives_it_back(path: Path) -> None:
    lock = HostLock(path, 0.1)
    with pytest.raises(ZeroDivisionError), lock.turn("passage"):
        raise ZeroDivisionError
    with lock.turn("query"):
        pass


def test_a_child_that_inherited_it_does_not_keep_it(path: Path) -> None:
    lock = HostLock(path, 0.5)
    with ExitStack() as children:
        with lock.turn("passage"):
            children.enter_context(beside(time.sleep, 60))
        with lock.turn("query"):
            pass


@pytest.mark.parametrize("raised", [EmbedderUnavailable, RerankerUnavailable])
def test_a_turn_that_does_not_come_is_the_models_own_failure(path: Path, raised: type[Exception]) -> None:
    lock = HostLock(path, 0.02)
    with lock.turn("query"), pytest.raises(raised, match="graphics card was not free"), turn_of(lock, "query", raised):
        pytest.fail("two inside at once")
    with turn_of(None, "query", raised), turn_of(None, "query", raised):
        pass


def test_a_file_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "gpu.lock", tmp_path):
        with pytest.raises(LockUnusable, match=r"graphics card's lock .* cannot be used: "):
            HostLock(path, 1)
    assert LockUnusable.advice == "wake"


def test_its_folder_is_made_and_its_files_are_not_everybodys(tmp_path: Path) -> None:
    path = tmp_path / "new" / "gpu.lock"
    with HostLock(path, 1).turn("query"):
        pass
    assert stat.S_IMODE(path.stat().st_mode) & stat.S_IRWXO == 0


def test_who_may_only_read_the_file_gets_the_card_too() -> None:
    """Another user has made it, and the umask took the right to write from the group."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "gpu.lock"
        lock = HostLock(path, 0.1)
        for file in Path(folder).iterdir():
            file.chmod(0o444)
        inside = fork.Event()
        with beside(_holding_as_another_user, path, inside):
            assert inside.wait(5)
            with pytest.raises(Busy), lock.turn("query"):
                pass


def _holding_as_another_user(path: Path, inside: Any) -> None:
    if os.geteuid() == 0:  # who may write everything
        os.setuid(65534)
    holding(path, "query", inside)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "gpu.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LockUnusable):
        HostLock(tmp_path / "gpu.lock", 1)
    assert not (tmp_path / "elsewhere").exists()


def free(path: Path) -> bool:
    """Whether nobody holds this file's lock."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < until, "it did not happen in ten seconds"
        time.sleep(0.005)
