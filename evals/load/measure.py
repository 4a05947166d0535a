"""One busy hour in minutes: people, syncs and faults together, then what came of every question."""

import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.load.checks import Verdict, counts, judge, settled, waits
from evals.load.clock import Clock
from evals.load.company import Pace, company, environment, free_port, written
from evals.load.disk import disk
from evals.load.faults import Dose, Faults
from evals.load.kept import Indexed, database_ok, index_after
from evals.load.samples import Sampler
from evals.load.service import Service
from evals.load.traffic import People, Size, play
from evals.load.visible import visible
from evals.mentions import opened
from sandbox.server import Sandbox

DISK = 4096
"""Megabytes of the data folder's disk."""
STEP = 10.0
"""Seconds between two lines that say how far it is."""
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    size: Size
    dose: Dose
    pace: Pace
    seed: int
    drain: float
    """Seconds that the service has to finish after the last word; then the run ends as failed."""


FULL = Plan(Size(500, 60, 2000, 330, 60), Dose(4, 3, 12), Pace(10, 0.5), seed=7, drain=1200)
SMALL = Plan(Size(20, 4, 60, 16, 6), Dose(1, 1, 1.5), Pace(2, 0.1), seed=7, drain=150)


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Of a time, in the unit that its name says."""

    p50: float
    p95: float
    p99: float
    most: float


@dataclass(frozen=True, slots=True)
class Load:
    seconds: float
    """From the first word to the last."""
    drained_s: float
    """From the last word until nothing was left to do."""
    settled: bool
    verdict: Verdict
    faults: Mapping[str, int]
    disk: str
    ended: Mapping[str, int]
    """The service's processes by how they ended: told to, or by themselves."""
    overdue: int
    """Times that it did not stop when told to."""
    slack_ack_ms: Quantiles
    webhook_ack_ms: Quantiles
    webhook_statuses: Mapping[int, int]
    deliveries: int
    """Of events in Slack, each delivered at least twice: as a message and as a mention."""
    slack_given_up: int
    """Events that Slack gave up: what they told of is read from the channel."""
    webhooks_given_up: int
    """Webhooks given up: what they told of is found by polling."""
    queue_s: Quantiles
    rss_mb: tuple[float, float]
    """Mean of the first and of the last quarter."""
    own_mb: tuple[float, float]
    """The same, of the memory that no file is behind."""
    errors: Mapping[str, int]
    database_ok: bool
    index_ok: bool
    index: Indexed

    @property
    def good(self) -> bool:
        return self.settled and self.verdict.good and self.database_ok and self.index_ok and not self.overdue


def measure(folder: Path, plan: Plan, report: Report) -> Load:
    """Play the plan against a service process, and judge."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        box = stack.enter_context(Sandbox.start(company(plan.size.tickets, plan.size.pages)))
        box.exchanges.recording = False
        data = folder / "data"
        room = stack.enter_context(disk(data, DISK))
        clock, port, database = Clock(folder), free_port(), data / "crosscheck.sqlite"
        config = written(folder, box, port, plan.pace)
        url = f"http://127.0.0.1:{port}"
        people = People(box, opened(box), random.Random(plan.seed))
        service = Service(config, {**environment(box), **clock.environment}, url, folder / "service.log")
        with service, Sampler(lambda: service.pid, database, url) as sampler:
            faults = Faults(box, service, room, clock, database, plan.dose)
            seconds, drained, done = _play(plan, box, people, faults, database, report)
        report("stopped; checking")
        seen = visible(box, people.asked, people.channels)
        index = index_after(config, environment(box), database)
        return Load(
            seconds=round(seconds, 1),
            drained_s=round(drained, 1),
            settled=done,
            verdict=judge(database, people.asked, seen),
            faults=dict(faults.done),
            disk=room.kind,
            ended=dict(Counter(f"{'told' if one.wanted else 'by itself'}: {one.code}" for one in service.ended)),
            overdue=service.overdue,
            database_ok=database_ok(database),
            index_ok=index.whole(len(box.company.tickets), len(box.company.pages)),
            index=index,
            queue_s=quantiles(waits(database)),
            **_used(sampler),
            **_acknowledged(box),
        )


def _play(
    plan: Plan, box: Sandbox, people: People, faults: Faults, database: Path, report: Report
) -> tuple[float, float, bool]:
    """Seconds of the talk, seconds until all was done, and whether it was."""
    url = faults.service.url
    box.deliver_to(f"{url}/webhooks/jira")
    box.confluence_webhooks.deliver_to(f"{url}/webhooks/confluence")
    if not box.slack.sockets.wait_connected(timeout=60):
        raise TimeoutError("the service did not connect to Slack")
    size, begun = plan.size, time.monotonic()
    limit = begun + 2 * size.seconds + 120

    def late() -> bool:
        return time.monotonic() > limit

    def tell() -> None:
        report(f"{time.monotonic() - begun:.0f} s: {len(people.asked)} asked, {counts(database)}, {dict(faults.done)}")

    with ThreadPoolExecutor(2) as pool:
        talk = pool.submit(play, people.plan(size), late)
        trouble = pool.submit(play, faults.plan(size.seconds, random.Random(plan.seed)), late)
        while not (talk.done() and trouble.done()):
            time.sleep(min(STEP, size.seconds / 4))
            tell()
        seconds = talk.result()
        trouble.result()
    faults.end()
    last = time.monotonic()
    told = last
    while not (done := settled(database, people.asked)) and time.monotonic() < last + plan.drain:
        time.sleep(0.5)
        if time.monotonic() - told > STEP:
            told = time.monotonic()
            tell()
    return seconds, time.monotonic() - last, done


def _used(sampler: Sampler) -> dict[str, Any]:
    samples = sampler.samples
    return {
        "rss_mb": _quarters([one.rss_mb for one in samples]),
        "own_mb": _quarters([one.own_mb for one in samples]),
        "errors": sampler.errors,
    }


def _acknowledged(box: Sandbox) -> dict[str, Any]:
    sent = list(box.slack.deliveries.sent)
    webhooks = [*box.webhooks.answers, *box.confluence_webhooks.answers]
    return {
        "slack_ack_ms": quantiles(1000 * one.seconds for one in sent if one.seconds is not None),
        "webhook_ack_ms": quantiles(1000 * seconds for status, seconds in webhooks if status < 300),
        "webhook_statuses": dict(Counter(status for status, _ in webhooks)),
        "deliveries": len(sent),
        "slack_given_up": len(box.slack.deliveries.lost),
        "webhooks_given_up": len(box.webhooks.failed) + len(box.confluence_webhooks.failed),
    }


def quantiles(values: Iterable[float]) -> Quantiles:
    """Raises ValueError: there are none."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("nothing was measured")
    at = (ordered[min(int(share * len(ordered)), len(ordered) - 1)] for share in (0.5, 0.95, 0.99, 1.0))
    return Quantiles(*(round(value, 2) for value in at))


def _quarters(values: Sequence[float]) -> tuple[float, float]:
    quarter = max(1, len(values) // 4)
    return round(statistics.fmean(values[:quarter]), 1), round(statistics.fmean(values[-quarter:]), 1)
