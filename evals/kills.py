"""Workers killed at random instants: exactly one visible reply each time, and never more than five attempts.

Each run has a SQLite file of its own, one trigger in the sandbox's Jira, and a worker process that is killed (SIGKILL)
once; another worker finishes. Workers are forked from a warm parent, since importing takes longer than a job.
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

from bots.events import Noticed
from crosscheck.settings import Secrets, Settings
from evals.playground import Unindexed, delivery_key, secrets_of, settings
from sandbox.exchange import Exchange
from sandbox.server import Sandbox

LEASE = 1.0  # seconds
SEND = 0.3  # seconds until a send is given up; twice that is well within a lease
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
    instant: Instant
    visible: int
    """Replies that stand in the ticket."""
    attempts: int
    """The most that were counted, of the review or the post."""
    settled: bool


class ShortOfTime(Unindexed):
    """Its leases and sends are short, so that a run is."""

    send_timeout = SEND


def one_run(box: Sandbox, ticket: str, data: Path, instant: Instant, seed: int) -> Outcome:
    """One trigger, one worker killed at `instant`, one worker that finishes."""
    dice = random.Random(seed)
    chosen, secrets = settings(data, box, lease=LEASE), secrets_of(box)
    program = ShortOfTime(chosen, secrets)
    program.floor()
    reached, killed = Event(), Event()

    def strike(_exchange: Exchange) -> None:
        reached.set()
        killed.wait(5)

    _order(box, ticket, instant, strike)
    comment = box.jira.add_comment(ticket, "po-1", "#qa-check", role="Leads")
    issue = box.jira.issue(ticket).id
    program.intake("jira").accept(Noticed("jira", issue, ticket, comment, None, "test"), "poll")
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
    visible = sum(delivery_key(raw) is not None for raw in box.jira.comments(ticket))
    box.faults.clear()
    program.close()
    return Outcome(instant, visible, attempts, settled)


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


def _order(box: Sandbox, ticket: str, instant: Instant, strike: Callable[[Exchange], None]) -> None:
    path = rf"/issue/({ticket}|{box.jira.issue(ticket).id})/comment$"
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
