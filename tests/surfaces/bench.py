"""Programs at work, step by step, in the thread of the test; and how one dies."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event

from sandbox.exchange import Exchange
from state.types import JobView
from tests.surfaces.contract import LEASE, Asked, Surface
from tests.surfaces.program import Moved, Parroting, Talking

ROUNDS = 200
STEP = 2.0 * LEASE
"""Seconds that the clock is moved by when there is nothing to do: every lease and pause is over."""


class Bench:
    """Makes programs over one data folder, with one clock, and has them work."""

    def __init__(self, surface: Surface, data: Path) -> None:
        self.surface = surface
        self.data = data
        self.clock = Moved()
        self._open: list[Talking] = []
        surface.prepare(self.program())

    def program(self, kind: type[Talking] = Parroting, **changes: object) -> Any:
        settings = self.surface.settings(self.data, **changes)
        made = kind(settings, self.surface.secrets(), self.clock)
        self._open.append(made)
        return made

    def hear(self, program: Talking, asked: Asked) -> None:
        """Have it told of a question, by the platform."""
        for delivery in self.surface.told[asked.id]:
            assert self.surface.push(program, delivery) == 200

    def work(self, program: Talking) -> None:
        """Until nothing is left, with the clock moved over every pause."""
        for _ in range(ROUNDS):
            if program.worker.run_once():
                continue
            if not _waiting(program):
                return
            self.clock.forward(seconds=STEP)
        raise AssertionError("it never came to rest")

    def work_beside(self, program: Talking, seconds: float = 20.0) -> None:
        """Until nothing is left, while others work as well: the clock goes on by itself."""
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            if program.worker.run_once():
                continue
            if not _waiting(program):
                return
            time.sleep(0.01)
        raise AssertionError("it never came to rest")

    def answered(self, program: Talking, asked: Asked) -> JobView:
        """Told of a question, and all done about it: its job."""
        self.hear(program, asked)
        self.work(program)
        return job(program, asked)

    def close(self) -> None:
        for program in self._open:
            program.close()


def job(program: Talking, asked: Asked) -> JobView:
    """The one of this question."""
    (found,) = (one for one in program.jobs.list(limit=1_000) if f"|{asked.id}|" in one.key)
    return program.jobs.show(found.id)


def _waiting(program: Talking) -> bool:
    counts = (program.jobs.counts(), program.outbox.counts())
    return any(one[state] for one in counts for state in ("queued", "running"))


class Dead(BaseException):
    """The process is not there any more."""


class Fuse:
    """Ends a program at one of its instants: before a transaction is committed, before a write reaches the platform,
    or when it was done there. Between two of these nothing changes anywhere, so they are all instants there are.

    From then on the program reaches neither database nor platform.
    """

    def __init__(self, surface: Surface, blows_at: int | None = None) -> None:
        self.passed: list[str] = []
        self.blown = False
        self._blows_at = blows_at
        self._faults = surface.box.faults
        for method, path in surface.writes:
            for stage in ("arrived", "done"):
                self._faults.on(method, path, self._requested(f"{method} {path} {stage}"), stage=stage)

    def into(self, program: Talking) -> None:
        engine = program.database._engine
        event.listen(engine, "begin", self._begin)
        event.listen(engine, "commit", self._commit)

    def _pass(self, instant: str) -> None:
        if not self.blown:
            self.passed.append(instant)
            if len(self.passed) == self._blows_at:
                self.blown = True
                self._faults.add("*", "", "drop_before", 1_000)

    def _requested(self, instant: str) -> Callable[[Exchange], None]:
        return lambda _exchange: self._pass(instant)

    def _begin(self, _connection: Connection) -> None:
        if self.blown:
            raise Dead

    def _commit(self, _connection: Connection) -> None:
        self._pass("commit")
        if self.blown:
            raise Dead


@contextmanager
def fused(surface: Surface, program: Talking, blows_at: int | None = None) -> Iterator[Fuse]:
    """The block ends where the program does."""
    fuse = Fuse(surface, blows_at)
    fuse.into(program)
    try:
        yield fuse
    except Dead:
        pass
    finally:
        surface.box.faults.clear()


def copied(template: Path, folder: Path) -> Path:
    """A data folder like the template's: making one takes longer than most tests."""
    return Path(shutil.copytree(template, folder))
