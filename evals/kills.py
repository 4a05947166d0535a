"""Workers killed at random instants: exactly one visible reply each time, and never more than five attempts.

Each run has a SQLite file of its own, one trigger in a ticket or on a page of the sandbox, and a worker process that is
killed (SIGKILL) once; another worker finishes. Workers are forked from a warm parent, since importing takes longer than
a job.
"""

import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from threading import Event
from typing import Any, Literal

from crosscheck.settings import Secrets, Settings
from evals.places import SURFACES
from evals.playground import Unindexed, secrets_of
from sandbox.exchange import Exchange
from sandbox.server import Sandbox

LEASE = 1.0  # seconds
SEND = 0.25  # seconds until a request is given up; a send may take three, which is within a lease
PATIENCE = 30.0
LATE = (
    "review.agents.models",
    "review.answer",
    "review.service",
    "review.test_cases.draft",
    "bots.slack.listeners",
    "bots.slack.socket",
)
"""What the program imports when it is first needed, which is too late here."""

Instant = Literal["any", "arrived", "done", "answered", "dropped"]
"""When the worker dies: any instant of the job; when the POST's head has arrived; when the comment is written and
nothing answered; around the acknowledgement; or at any instant with the connection dropped after the write."""

BETWEEN: frozenset[Instant] = frozenset({"arrived", "done", "answered"})
"""Instants between the POST's first byte and the acknowledgement in the outbox."""


@dataclass(frozen=True, slots=True)
class Outcome:
    surface: str
    instant: Instant
    visible: int
    """Replies that stand there."""
    attempts: int
    """The most that were counted, of the review or the post."""
    settled: bool


class ShortOfTime(Unindexed):
    """Its leases and sends are short, so that a run is."""

    send_timeout = SEND


def one_run(box: Sandbox, surface: str, number: int, data: Path, instant: Instant) -> Outcome:
    """One trigger in the ticket or page of this number, one worker killed at `instant`, one worker that finishes."""
    dice, place = random.Random(number), SURFACES[surface]
    chosen, secrets = place.settings(data, box, LEASE), secrets_of(box)
    program = ShortOfTime(chosen, secrets)
    for name in program.comments.surfaces:
        program.floor(name)
    reached, killed = Event(), Event()

    def strike(_exchange: Exchange) -> None:
        reached.set()
        killed.wait(5)

    asked = place.ask(box, number)
    _order(box, asked.written, instant, strike)
    program.comments.intake(asked.notice.surface, program.worker.wake).accept(asked.notice, "poll")
    with working(chosen, secrets) as victim:
        if instant in {"arrived", "done"}:
            reached.wait(PATIENCE)
        elif instant == "answered":
            reached.wait(PATIENCE)
            time.sleep(dice.uniform(0, 0.004))
        else:
            time.sleep(dice.uniform(0, 0.15))
        kill(victim)
        killed.set()
    with working(chosen, secrets):
        settled = _settled(program)
    view = program.jobs.show(1)
    attempts = max(view.job.attempts, *(post.attempts for post in view.posts)) if view.posts else view.job.attempts
    box.faults.clear()
    program.close()
    return Outcome(surface, instant, asked.visible(), attempts, settled)


def instants(count: int, seed: int) -> Iterator[Instant]:
    """A mix of which at least a third lies between the POST's first byte and the acknowledgement."""
    dice = random.Random(seed)
    mix: tuple[Instant, ...] = ("any", "arrived", "done", "answered", "dropped")
    for number in range(count):
        yield mix[number % len(mix)] if number < len(mix) else dice.choice(mix)


def kill(process: ForkServerProcess, how: signal.Signals = signal.SIGKILL) -> None:
    if process.pid is not None and process.is_alive():
        os.kill(process.pid, how)


@contextmanager
def working(chosen: Settings, secrets: Secrets) -> Iterator[ForkServerProcess]:
    """A worker process, until the block ends."""
    with child(_work, chosen, secrets) as process:
        yield process


@contextmanager
def child(work: Callable[..., None], *arguments: Any) -> Iterator[ForkServerProcess]:
    """A process at work, killed when the block ends."""
    process = forks().Process(target=work, args=arguments, daemon=True)
    process.start()
    try:
        yield process
    finally:
        kill(process)
        process.join()


def forks() -> ForkServerContext:
    """Children are forked from a process that has imported everything and runs no thread."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["evals.kills", "evals.slack_kills", *LATE])
    return context


def _work(chosen: Settings, secrets: Secrets) -> None:
    program = ShortOfTime(chosen, secrets)
    program.worker.start()
    signal.pause()


def _order(box: Sandbox, path: str, instant: Instant, strike: Callable[[Exchange], None]) -> None:
    if instant == "dropped":
        box.faults.add("POST", path, "drop_after")
    elif instant != "any":
        box.faults.on("POST", path, strike, stage=instant)


def _settled(program: ShortOfTime) -> bool:
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        posts = program.jobs.show(1).posts
        if posts and all(post.state == "sent" for post in posts):
            return True
        time.sleep(0.02)
    return False
