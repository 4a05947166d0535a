"""What the job queue promises, measured: one post for each trigger, and what a job costs beyond its search."""

import hashlib
import hmac
import json
import random
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import httpx

from bots.events import Noticed
from crosscheck.logs import configure
from crosscheck.serving import service
from crosscheck.settings import Secrets, Settings
from evals.kills import forks
from evals.playground import Unindexed, company, delivery_key, secrets_of, settings
from sandbox.server import Sandbox

TICKETS = 50


@dataclass(frozen=True, slots=True)
class Once:
    triggers: int
    deliveries: int
    posts: int
    """Replies that stand in the sandbox."""
    doubled: int
    """Delivery keys that stand there more than once."""
    missing: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Overhead:
    jobs: int
    p50_ms: float
    p90_ms: float
    """From the claim to the acknowledged post, over HTTP to a sandbox in another process, no search."""


def once_each(triggers: int, folder: Path) -> Once:
    """Each trigger is delivered five times, by poll and webhook at once, from four threads, while workers work."""
    with Sandbox.start(company(TICKETS)) as box:
        box.exchanges.clear()
        program = Unindexed(settings(folder, box, lease=30, threads=2), secrets_of(box))
        program.floor()
        notices = [_trigger(box, number) for number in range(triggers)]
        deliveries = [(notice, "webhook" if n < 3 else "poll") for notice in notices for n in range(5)]
        random.Random(1).shuffle(deliveries)
        begun = time.monotonic()
        with service(program, syncs=False) as running, ThreadPoolExecutor(4) as pool:
            for share in range(4):
                pool.submit(_deliver, program, running.url, box.webhook_secret, deliveries[share::4])
            pool.shutdown(wait=True)
            _wait(program, triggers)
            seconds = time.monotonic() - begun
            keys = [
                key
                for ticket in range(1, TICKETS + 1)
                for raw in box.jira.comments(f"RUN-{ticket}")
                if (key := delivery_key(raw))
            ]
    return Once(
        triggers, len(deliveries), len(keys), len(keys) - len(set(keys)), triggers - len(set(keys)), round(seconds, 1)
    )


def overhead(jobs: int, folder: Path) -> Overhead:
    """What one job costs: the sandbox answers from this process, the worker runs in another."""
    with Sandbox.start(company(TICKETS)) as box:
        chosen, secrets = settings(folder, box, lease=30), secrets_of(box)
        program = Unindexed(chosen, secrets)
        program.floor()
        for number in range(jobs):
            program.comments.intake("jira", program.worker.wake).accept(_trigger(box, number), "poll")
        program.close()
        ours, theirs = forks().Pipe()
        process = forks().Process(target=_time_jobs, args=(chosen, secrets, jobs, theirs))
        process.start()
        took: list[float] = ours.recv()
        process.join()
    cuts = statistics.quantiles(took, n=10)
    return Overhead(jobs, round(1000 * statistics.median(took), 1), round(1000 * cuts[8], 1))


@contextmanager
def _client(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, timeout=30) as client:
        yield client


def _deliver(program: Unindexed, url: str, secret: str, deliveries: list[tuple[Noticed, str]]) -> None:
    with _client(url) as client:
        for notice, via in deliveries:
            if via == "poll":
                program.comments.intake("jira", program.worker.wake).accept(notice, "poll")
            else:
                body, headers = _signed(notice, secret)
                client.post("/webhooks/jira", content=body, headers=headers).raise_for_status()


def _signed(notice: Noticed, secret: str) -> tuple[bytes, dict[str, str]]:
    body = json.dumps(
        {
            "timestamp": round(time.time() * 1000),
            "webhookEvent": "comment_created",
            "issue": {"id": notice.place_id, "key": notice.place_key},
            "comment": {"id": notice.comment_id, "body": "#qa-check"},
        }
    ).encode()
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return body, {"X-Hub-Signature": f"sha256={signature}"}


def _trigger(box: Sandbox, number: int) -> Noticed:
    key = f"RUN-{number % TICKETS + 1}"
    comment = box.jira.add_comment(key, "po-1", "#qa-check")
    return Noticed("jira", box.jira.issue(key).id, key, comment, None, "benchmark")


def _wait(program: Unindexed, triggers: int) -> None:
    give_up = time.monotonic() + 600
    while time.monotonic() < give_up:
        if program.outbox.counts().get("sent", 0) >= triggers:
            return
        time.sleep(0.2)


def _time_jobs(chosen: Settings, secrets: Secrets, jobs: int, out: Connection) -> None:
    configure("error")
    program = Unindexed(chosen, secrets)
    took = []
    for _ in range(jobs):
        begun = time.perf_counter()
        program.worker.run_once()  # the review
        program.worker.run_once()  # its post
        took.append(time.perf_counter() - begun)
    out.send(took)
    program.close()
