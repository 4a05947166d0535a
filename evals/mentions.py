"""Many people mention the bot at once: how soon each delivery is acknowledged, and each question claimed and answered.

The sandbox, with the people in it, is one process and the whole service another, on as many cores as the machine has.
"""

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crosscheck.demo import playground
from crosscheck.settings import Settings
from crosscheck.settings_running import Serve
from crosscheck.settings_slack import Slack
from crosscheck.wiring import Program
from evals.paths.cases import QUESTIONS
from evals.playground import secrets_of
from evals.slack_kills import Mode, is_working, listening, until
from sandbox.load import load_company
from sandbox.records import Channel
from sandbox.server import Sandbox
from state.db import Database, open_database
from state.jobs import Jobs
from state.outbox import Outbox
from state.types import JobView

MENTIONS, SECONDS = 200, 10.0
CHANNELS = 8
TAKEN = frozenset({"claimed", "posting"})
"""What begins a thread's work in the story of a job; whatever follows ends it."""
PATIENCE = 300.0
MOST = 10_000  # jobs that are looked at


@dataclass(frozen=True, slots=True)
class Said:
    """A mention."""

    channel: str
    ts: str

    @property
    def at(self) -> datetime:
        return moment(self.ts)


@dataclass(frozen=True, slots=True)
class Spread:
    """Of a time, in the unit that its name says."""

    p50: float
    p99: float
    most: float


@dataclass(frozen=True, slots=True)
class Measured:
    mode: Mode
    threads: int
    mentions: int
    seconds: float
    """In which they were said."""
    deliveries: int
    """Each mention is delivered as one and as a message; more than that were repeated."""
    ack_ms: Spread
    """From a delivery to its acknowledgement, as the sandbox sees it."""
    unacknowledged: int
    lost: int
    """Mentions without a job."""
    answered_once: int
    """Mentions with exactly one final answer, and no message left that says that the bot is at work."""
    overtaken: int
    """Mentions that were stored after one that was said later: what comes over two ways arrives in either order."""
    out_of_order: int
    """Jobs that were claimed after one that was stored later."""
    at_once: int
    """The most jobs and posts that were worked on at the same time."""
    queue_s: Spread
    """From stored to claimed."""
    answer_s: Spread
    """From said to the final answer in the thread."""
    answers_a_second: float
    """From the first mention to the last answer."""
    requests: dict[str, float]
    """By method of Slack's Web API, for each mention."""


def measure(folder: Path, report: Callable[[str], None]) -> list[dict[str, Any]]:
    """The company's index, answers by search alone."""
    rows = []
    with playground(load_company(), folder, fixed_ports=False) as (box, program):
        for name in program.sources.names([]):
            program.sources.sync(name, True, lambda _: None)
        program.floor()
        program.close()
        channels = opened(box)
        of_slack = {name: value for name, value in secrets_of(box) if name.startswith("slack_")}
        secrets = program.secrets.model_copy(update=of_slack)
        modes: tuple[tuple[Mode, int], ...] = (("socket", 2), ("socket", 4), ("http", 2))
        for mode, threads in modes:
            report(f"{mode}, {threads} threads")
            chosen = serving(program.settings, box, mode, threads)
            with listening(box, Program, chosen, secrets):
                rows.append(asdict(crowd(box, chosen, channels, MENTIONS, SECONDS)))
    return rows


def serving(base: Settings, box: Sandbox, mode: Mode, threads: int) -> Settings:
    """The settings for one row."""
    worker = base.worker.model_copy(update={"threads": threads})
    more = {"slack": Slack(site=box.slack_url, mode=mode), "serve": Serve(port=0), "worker": worker}
    return base.model_copy(update=more)


def opened(box: Sandbox) -> list[str]:
    """New channels with everybody who is employed; their ids."""
    staff = tuple(person.id for person in box.company.people if not (person.customer or person.bot))
    return [box.slack.create(Channel(f"crowd-{number}", staff)) for number in range(CHANNELS)]


def crowd(box: Sandbox, chosen: Settings, channels: Sequence[str], mentions: int, seconds: float) -> Measured:
    """Mentions at even distances, from channel to channel and person to person, to the service that listens.

    A first one is answered before anything is measured, since much is opened when it is first needed.
    """
    with _opened_database(chosen) as database:
        jobs, outbox = Jobs(database), Outbox(database)
        voices = _voices(box, channels)
        next(voices)
        _idle(box, jobs, outbox)
        before = len(jobs.list(limit=MOST))
        box.exchanges.clear()
        begun = time.monotonic()
        said = []
        for number in range(mentions):
            time.sleep(max(0.0, begun + number * seconds / mentions - time.monotonic()))
            said.append(next(voices))
        _idle(box, jobs, outbox)
        summaries = jobs.list(limit=MOST)
        views = [jobs.show(one.id) for one in summaries[: len(summaries) - before]]
    return _measured(box, chosen, said, views, seconds)


@contextmanager
def _opened_database(chosen: Settings) -> Iterator[Database]:
    database = open_database(chosen.data / "crosscheck.sqlite")
    try:
        yield database
    finally:
        database.dispose()


def _voices(box: Sandbox, channels: Sequence[str]) -> Iterator[Said]:
    people = [one for one in box.slack.channel(channels[0]).members if one != box.slack.bot.id]
    for person, channel, question in zip(*map(itertools.cycle, (people, channels, QUESTIONS)), strict=True):
        yield Said(channel, box.slack.say(person, channel, f"{box.slack.mention} {question}"))


def _idle(box: Sandbox, jobs: Jobs, outbox: Outbox) -> None:
    """Wait until everything is delivered and dealt with."""
    box.slack.wait(PATIENCE)

    def over() -> bool:
        return not any(counts[state] for counts in (jobs.counts(), outbox.counts()) for state in ("queued", "running"))

    if not until(over, PATIENCE, step=0.2):
        raise TimeoutError("not all was answered")


def _measured(
    box: Sandbox, chosen: Settings, said: Sequence[Said], views: Sequence[JobView], seconds: float
) -> Measured:
    stamps = {one.ts for one in said}
    sent = [one for one in list(box.slack.deliveries.sent) if one.payload["event"].get("ts") in stamps]
    arrived = sorted(views, key=lambda view: view.job.id)
    stored = {view.payload["message_id"]: view.job.id for view in arrived}
    claims = [min(line.at for line in view.events if line.what == "claimed") for view in arrived]
    answers = {one.ts: _answers(box, one) for one in said}
    latest = max((at for found in answers.values() for at in found), default=said[0].at)
    return Measured(
        mode=chosen.slack.mode if chosen.slack else "socket",
        threads=chosen.worker.threads,
        mentions=len(said),
        seconds=seconds,
        deliveries=len(sent),
        ack_ms=spread(1000 * one.seconds for one in sent if one.seconds is not None),
        unacknowledged=sum(one.acked is None for one in sent),
        lost=len(stamps - stored.keys()),
        answered_once=sum(len(found) == 1 for found in answers.values()),
        overtaken=late([stored[one.ts] for one in said if one.ts in stored]),
        out_of_order=late(claims),
        at_once=_at_once(views),
        queue_s=spread((at - view.job.created_at).total_seconds() for at, view in zip(claims, arrived, strict=True)),
        answer_s=spread((found[0] - one.at).total_seconds() for one in said for found in [answers[one.ts]] if found),
        answers_a_second=round(len(said) / (latest - said[0].at).total_seconds(), 1),
        requests={method: round(count / len(said), 1) for method, count in _requests(box).most_common()},
    )


def _requests(box: Sandbox) -> Counter[str]:
    return Counter(one.path.removeprefix("/api/") for one in box.exchanges.all("slack"))


def _answers(box: Sandbox, one: Said) -> list[datetime]:
    """When each of the bot's messages in the thread came to say what it says; none while it says it is at work."""
    replies = [reply for reply in box.slack.messages(one.channel, one.ts) if reply.ts != one.ts]
    if any(is_working(reply) for reply in replies):
        return []
    return [moment(reply.edited.ts if reply.edited else reply.ts) for reply in replies]


def _at_once(views: Iterable[JobView]) -> int:
    """Each job and each post is begun and ended by a line in its job's story."""
    lines = sorted((line.at, line.what) for view in views for line in view.events if line.what != "accepted")
    changes = (1 if what in TAKEN else -1 for _, what in lines)
    return max(itertools.accumulate(changes), default=0)


def late(numbers: Sequence[Any]) -> int:
    """How many come after a greater one."""
    greatest = itertools.accumulate(numbers, max)
    return sum(number < most for number, most in zip(numbers, greatest, strict=True))


def spread(values: Iterable[float]) -> Spread:
    ordered = sorted(values)
    if not ordered:
        raise ValueError("nothing was measured")
    at = (ordered[min(int(share * len(ordered)), len(ordered) - 1)] for share in (0.5, 0.99, 1.0))
    return Spread(*(round(value, 2) for value in at))


def moment(ts: str) -> datetime:
    return datetime.fromtimestamp(float(ts), UTC)
