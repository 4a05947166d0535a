"""Several worker processes on one database: how many jobs they claim a second, and what is left when they are killed.

The platform here is a file that keeps a line for each post, whatever `state` remembers. As the real workers do, one
looks for its post there before it sends it, and sends only with enough of its lease left.
"""

import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any

from sqlmodel import col, func, select

from evals.postgres import programs, running
from state.db import Database, open_database
from state.errors import DatabaseAway, DatabaseLocked, LeaseLost
from state.jobs import Jobs
from state.leases import utc_now
from state.outbox import Outbox
from state.tables import Job, JobEvent, Post
from state.types import Claim, Delivery, NewPost

TAKES = 0.02  # seconds of a review, and of a send before and after it is seen: long enough to be killed in
LEASE = timedelta(seconds=2)
SEND = timedelta(seconds=1)
"""Of the lease, what must be left when a send begins."""
PATIENT = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Rate:
    engine: str
    workers: int
    jobs: int
    seconds: float
    a_second: float
    """Jobs claimed and finished, two commits each."""


@dataclass(frozen=True, slots=True)
class Killed:
    jobs: int
    workers: int
    kills: int
    seconds: float
    settled: bool
    ended_once: int
    """Jobs whose story has one end."""
    posts: int
    doubled: int
    missing: int
    out_of_order: int
    """Answers of which a later part was visible before an earlier one."""
    attempts: dict[int, int]
    """How many jobs and posts took so many."""


def run(folder: Path) -> dict[str, Any]:
    """The part `claims` of the benchmarks. PostgreSQL's part is left out where its server is not installed."""
    counts = (1, 2, 4, 8)
    rates = [rate("SQLite", folder / f"{workers}.sqlite", 400, workers) for workers in counts]
    measured: dict[str, Any] = {"commits": "each waits for the disk, on both engines"}
    if (installed := programs()) is not None:
        server = folder / "server"
        server.mkdir()
        with running(installed, server, settings=["fsync=on"]) as cluster:
            rates += [rate("PostgreSQL", cluster.create(), 400, workers) for workers in counts]
            killed = kill_run(
                cluster.create(), folder / "platform", jobs=600, workers=8, kills=60, seed=9, pause=(0.3, 0.9)
            )
            measured["killed"] = asdict(killed)
    measured["rates"] = [asdict(one) for one in rates]
    asked = {"ended_once": "each", "doubled": 0, "missing": 0, "out_of_order": 0, "attempts": "at most 5"}
    return {"asked": asked, "machine": f"{os.cpu_count()} cores for workers and server", "measured": measured}


def rate(engine: str, where: Path | str, jobs: int, workers: int) -> Rate:
    """Claim and finish so many jobs by so many processes, all of which are connected before it begins."""
    database = open_database(where, busy_timeout=PATIENT)
    _accept(database, jobs)
    context = _forks()
    ready, go = context.Semaphore(0), context.Event()
    processes = [context.Process(target=_drain, args=(where, f"w{n}", ready, go)) for n in range(workers)]
    for process in processes:
        process.start()
    for _ in processes:
        ready.acquire()
    began = time.monotonic()
    go.set()
    for process in processes:
        process.join()
    seconds = time.monotonic() - began
    done = Jobs(database).counts()["done"]
    database.dispose()
    if done != jobs:
        raise RuntimeError(f"{done} of {jobs} jobs are done")
    return Rate(engine, workers, jobs, round(seconds, 2), round(jobs / seconds, 1))


def kill_run(
    where: str | Path,
    platform: Path,
    *,
    jobs: int,
    workers: int,
    kills: int,
    seed: int,
    pause: tuple[float, float] = (0.02, 0.12),
) -> Killed:
    """Let workers answer every job in one to three parts, killing one that works and starting another so many times,
    each after a pause of so many seconds.
    """
    dice, began = random.Random(seed), time.monotonic()
    database = open_database(where, busy_timeout=PATIENT)
    platform.mkdir()
    _accept(database, jobs)
    killed = 0
    with _workers(lambda: _forks().Process(target=_work, args=(where, platform)), workers) as processes:
        while not _is_settled(database) and time.monotonic() - began < PATIENT.total_seconds():
            time.sleep(dice.uniform(*pause))
            victim = dice.randrange(workers)
            if killed < kills and _at_work(processes[victim][1].pid, platform).exists():
                _replace(processes, victim)
                killed += 1
    outcome = _outcome(database, platform, jobs, workers, killed, round(time.monotonic() - began, 1))
    database.dispose()
    return outcome


def _accept(database: Database, jobs: int) -> None:
    queue = Jobs(database)
    for n in range(jobs):
        queue.accept(f"k{n}", "review", {"parts": 1 + n % 3}, surface="jira", via="poll")


def _drain(where: Path | str, name: str, ready: Any, go: Any) -> None:
    database = open_database(where, busy_timeout=PATIENT)
    jobs = Jobs(database)
    jobs.counts()
    ready.release()
    go.wait()
    while (claim := jobs.claim(name, timedelta(minutes=5))) is not None:
        jobs.finish(claim, "done", {})
    database.dispose()


def _work(where: Path | str, platform: Path) -> None:
    """Until it is killed."""
    database = open_database(where, busy_timeout=PATIENT)
    jobs, outbox, name = Jobs(database), Outbox(database), str(os.getpid())
    _at_work(os.getpid(), platform).touch()
    while True:
        with suppress(LeaseLost, DatabaseLocked, DatabaseAway):
            claim = jobs.claim(name, LEASE)
            if claim is not None:
                time.sleep(TAKES)
                jobs.finish(claim, "failed" if claim.exhausted else "done", {}, _answer(claim))
            delivery = outbox.claim(name, LEASE)
            if delivery is not None:
                _send(outbox, delivery, platform)
            if claim is None and delivery is None:
                time.sleep(0.05)


def _at_work(pid: int | None, platform: Path) -> Path:
    """Is there once the worker works: one that is killed while it starts proves nothing."""
    return platform / f"at-work-{pid}"


def _answer(claim: Claim) -> list[NewPost]:
    if claim.exhausted:
        return [NewPost(f"{claim.key}|notice|{claim.retries}", 1, 1, {})]
    parts = int(claim.payload["parts"])
    return [NewPost(f"{claim.key}|answer|{part}", part, parts, {}) for part in range(1, parts + 1)]


def _send(outbox: Outbox, delivery: Delivery, platform: Path) -> None:
    if delivery.delivery_key in _visible(platform):
        outbox.sent(delivery, delivery.delivery_key, "", adopted=True)
        return
    if delivery.exhausted:
        outbox.fail(delivery, "Every attempt was cut short.", None)
        return
    renewed = outbox.heartbeat(delivery, LEASE)
    if renewed.lease_until - utc_now() < SEND:
        outbox.release(renewed)
        return
    time.sleep(TAKES)
    with (platform / "posts").open("a") as posts:
        posts.write(f"{delivery.delivery_key}\n")
    time.sleep(TAKES)
    outbox.sent(renewed, delivery.delivery_key, "", adopted=False)


def _visible(platform: Path) -> list[str]:
    posts = platform / "posts"
    return posts.read_text().splitlines() if posts.exists() else []


@contextmanager
def _workers(make: Callable[[], ForkServerProcess], count: int) -> Iterator[list[tuple[Any, ForkServerProcess]]]:
    processes = [(make, make()) for _ in range(count)]
    for _, process in processes:
        process.start()
    try:
        yield processes
    finally:
        for _, process in processes:
            process.kill()
            process.join()


def _replace(processes: list[tuple[Any, ForkServerProcess]], n: int) -> None:
    make, victim = processes[n]
    if victim.pid is not None:
        os.kill(victim.pid, signal.SIGKILL)
    victim.join()
    processes[n] = make, make()
    processes[n][1].start()


def _is_settled(database: Database) -> bool:
    jobs, posts = Jobs(database).counts(), Outbox(database).counts()
    return not any(counts[state] for counts in (jobs, posts) for state in ("queued", "running"))


def _outcome(database: Database, platform: Path, jobs: int, workers: int, kills: int, seconds: float) -> Killed:
    with database.reading() as session:
        ends = select(JobEvent.job_id).where(col(JobEvent.what).in_(("done", "failed")))
        once = session.exec(ends.group_by(col(JobEvent.job_id)).having(func.count() == 1)).all()
        attempts = Counter([*session.exec(select(Job.attempts)).all(), *session.exec(select(Post.attempts)).all()])
        due = session.exec(select(Post.delivery_key).where(Post.state == "sent")).all()
    visible = _visible(platform)
    answers: dict[str, list[int]] = {}
    for key, kind, part in (line.split("|") for line in visible):
        answers.setdefault(f"{key}|{kind}", []).append(int(part))
    return Killed(
        jobs=jobs,
        workers=workers,
        kills=kills,
        seconds=seconds,
        settled=_is_settled(database),
        ended_once=len(once),
        posts=len(visible),
        doubled=sum(count > 1 for count in Counter(visible).values()),
        missing=len(set(due) - set(visible)) + jobs - len({line.split("|")[0] for line in visible}),
        out_of_order=sum(parts != sorted(parts) for parts in answers.values()),
        attempts=dict(sorted(attempts.items())),
    )


def _forks() -> ForkServerContext:
    """Children are forked from a process that has imported this and opened nothing."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["evals.claims"])
    return context
