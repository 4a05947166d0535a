"""Services killed at random instants while one question in Slack is delivered eight times: one answer in its thread.

Each run has a workspace and a SQLite file of its own. A whole service (listener, web, worker) hears the question and is
killed (SIGKILL) once; another one hears it again and finishes. As in `evals.kills`, they are forked from a warm parent.
"""

import itertools
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from threading import Event
from typing import Literal

from crosscheck.logs import configure
from crosscheck.serving import service
from crosscheck.settings import Audience, Secrets, Settings
from crosscheck.settings_running import Serve
from crosscheck.settings_slack import Slack
from crosscheck.slack.catch_up import CURSOR
from crosscheck.wiring import Program
from evals.kills import PATIENCE, ShortOfTime, child, forks, kill
from evals.playground import company, secrets_of, settings
from sandbox.exchange import Exchange
from sandbox.faults import Stage
from sandbox.records import Company
from sandbox.server import Sandbox
from sandbox.slack.deliveries import Attempt, Sent
from sandbox.slack.state import Message

LEASE = 1.3
"""Seconds; longer than three requests of `evals.kills.SEND`, which one send on Slack may take."""
FOREVER = 3600.0
"""Seconds until the sandbox repeats a delivery by itself: never, since each run orders its own."""
CHANNEL = "general"
QUESTION = "How many reports may be exported in one day?"
CASES = "test cases for RUN-1"
TICKET = """As a clerk I want to export a report.

- At most 20 reports may be exported in one day.
- An export without a date is refused with a message.
"""

Call = Literal["working", "answer", "file"]
"""What the first service is killed at: its message that it is at work, that message's becoming the answer, or the file
of test cases."""
When = Stage | Literal["dropped"]
Mode = Literal["socket", "http"]
METHODS: dict[Call, str] = {
    "working": "chat.postMessage",
    "answer": "chat.update",
    "file": "files.completeUploadExternal",
}


@dataclass(frozen=True, slots=True)
class Run:
    """One question, and how its first service ends."""

    text: str
    call: Call | None
    """None: at any instant."""
    when: When
    """When its request has arrived; when it is done and nothing answered; right after the answer, around the
    acknowledgement; or at any instant, with the connection dropped after the write.
    """
    mode: Mode
    renewed: bool
    """Slack has the second service connect anew between two deliveries."""
    seed: int

    @property
    def instant(self) -> str:
        return f"{self.call} {self.when}" if self.call else "any"

    @property
    def files(self) -> int:
        """How many are due."""
        return 1 if self.text == CASES else 0


@dataclass(frozen=True, slots=True)
class Outcome:
    run: Run
    deliveries: int
    jobs: int
    answers: int
    """Final answers that stand in the thread."""
    working: int
    """Messages there that still say that the bot is at work."""
    files: int
    attempts: int
    """The most that were counted, of the job or a post."""
    settled: bool
    """All is sent, and each delivery to the second service was acknowledged."""

    @property
    def once(self) -> bool:
        return self.settled and (self.jobs, self.answers, self.working, self.files) == (1, 1, 0, self.run.files)


def runs(count: int, seed: int) -> Iterator[Run]:
    """Every instant in rounds, shuffled; question, transport and course of the connection change meanwhile."""
    dice = random.Random(seed)
    stages: tuple[When, ...] = ("arrived", "done", "answered", "dropped")
    instants: list[tuple[Call | None, When]] = list(itertools.product(METHODS, stages))
    instants += [(None, "arrived")] * 3
    for number in range(count):
        if number % len(instants) == 0:
            dice.shuffle(instants)
        call, when = instants[number % len(instants)]
        asks_for_file = call == "file" or dice.random() < 0.5
        mode: Mode = "http" if number % 3 == 2 else "socket"
        yield Run(CASES if asks_for_file else QUESTION, call, when, mode, dice.random() < 0.3, seed=number)


def one_run(run: Run, data: Path) -> Outcome:
    """One question, one service killed while it answers, one service that finishes."""
    with Sandbox.start(small_company()) as box:
        box.slack.patience = FOREVER
        chosen, secrets = _settings(box, data, run.mode), secrets_of(box)
        program = ShortOfTime(chosen, secrets)
        program.cursors.set(CURSOR, program.floor().isoformat())  # it has listened before, so it catches up
        reached, killed = Event(), Event()
        _order(box, run, reached, killed)
        with listening(box, ShortOfTime, chosen, secrets) as victim:
            asked = _ask(box, run)
            _wait(run, reached)
            kill(victim)
            killed.set()
        with listening(box, ShortOfTime, chosen, secrets):
            settled = _heard_again(box, run, asked) and _settled(program)
        found = _outcome(box, run, program, asked, settled=settled)
        program.close()
        return found


def small_company() -> Company:
    made = company(1)
    return replace(made, tickets=(replace(made.tickets[0], description=TICKET),))


@contextmanager
def listening(box: Sandbox, kind: type[Program], chosen: Settings, secrets: Secrets) -> Iterator[ForkServerProcess]:
    """A service process that hears what is said, until the block ends."""
    ours, theirs = forks().Pipe()
    with child(_serve, kind, chosen, secrets, theirs) as process:
        theirs.close()  # so that a process that ends without a word is noticed
        if not ours.poll(PATIENCE):
            raise TimeoutError("the service did not start")
        url = ours.recv()
        if chosen.slack_calls:
            box.slack.deliver_to(f"{url}/webhooks/slack")
        elif not box.slack.sockets.wait_connected():
            raise TimeoutError("the service did not connect")
        yield process


def _serve(kind: type[Program], chosen: Settings, secrets: Secrets, out: Connection) -> None:
    configure("critical")
    with service(kind(chosen, secrets), syncs=False) as running:
        out.send(running.url)
        signal.pause()


def _settings(box: Sandbox, data: Path, mode: Mode) -> Settings:
    more = {
        "slack": Slack(site=box.slack_url, mode=mode),
        "serve": Serve(port=0),
        "audience": Audience(holders={"org": ("jira:RUN",)}),
    }
    return settings(data, box, lease=LEASE, threads=2).model_copy(update=more)


def _order(box: Sandbox, run: Run, reached: Event, killed: Event) -> None:
    def strike(_exchange: Exchange) -> None:
        reached.set()
        killed.wait(5)

    if run.call is None:
        return
    path = rf"/api/{METHODS[run.call]}$"
    if run.when == "dropped":
        box.faults.add("POST", path, "drop_after")
    else:
        box.faults.on("POST", path, strike, stage=run.when)


def _ask(box: Sandbox, run: Run) -> str:
    """The message's ts. It is delivered twice as a message and twice as a mention."""
    once = box.slack.deliveries.plan
    box.slack.deliveries.plan = (Attempt(), Attempt(1, after=0.03, same_envelope=True))
    asked = box.slack.say("dev-1", CHANNEL, f"{box.slack.mention} {run.text}")
    box.slack.deliveries.plan = once
    return asked


def _wait(run: Run, reached: Event) -> None:
    dice = random.Random(run.seed)
    if run.call is None or run.when == "dropped":
        time.sleep(dice.uniform(0, 0.25))
    elif not reached.wait(PATIENCE):
        raise TimeoutError(f"the service did not come to {run.instant}")
    elif run.when == "answered":
        time.sleep(dice.uniform(0, 0.004))


def _heard_again(box: Sandbox, run: Run, asked: str) -> bool:
    """Deliver both events twice more; whether each of these was acknowledged."""
    before = _deliveries(box, asked)
    once = box.slack.deliveries.plan
    payloads = {sent.payload["event_id"]: dict(sent.payload) for sent in before}
    for renewed, payload in zip((run.renewed, False), payloads.values(), strict=True):
        third = Attempt(2, "connection_failed", reconnect=renewed)
        box.slack.deliveries.plan = (third, Attempt(3, "http_error", after=0.03))
        box.slack.deliveries.event(payload)
    box.slack.deliveries.plan = once

    def acknowledged() -> bool:
        again = _deliveries(box, asked)[len(before) :]
        return len(again) == 4 and all(sent.acked is not None for sent in again)

    return until(acknowledged)


def _deliveries(box: Sandbox, asked: str) -> list[Sent]:
    """Those of the question; what the bot writes is delivered to it as well."""
    return [sent for sent in list(box.slack.deliveries.sent) if sent.payload["event"].get("ts") == asked]


def _settled(program: ShortOfTime) -> bool:
    def over() -> bool:
        jobs, posts = program.jobs.counts(), program.outbox.counts()
        return not any(counts[state] for counts in (jobs, posts) for state in ("queued", "running"))

    return until(over) and program.outbox.counts()["sent"] > 0


def _outcome(box: Sandbox, run: Run, program: ShortOfTime, asked: str, *, settled: bool) -> Outcome:
    replies = [one for one in box.slack.messages(CHANNEL, asked) if one.ts != asked]
    views = [program.jobs.show(summary.id) for summary in program.jobs.list()]
    return Outcome(
        run,
        deliveries=len(_deliveries(box, asked)),
        jobs=len(views),
        answers=sum(not one.files and not is_working(one) for one in replies),
        working=sum(is_working(one) for one in replies),
        files=len(box.slack.files(CHANNEL, asked)),
        attempts=max((n for v in views for n in (v.job.attempts, *(p.attempts for p in v.posts))), default=0),
        settled=settled,
    )


def is_working(message: Message) -> bool:
    """Whether it only says that the bot is at work."""
    metadata = message.metadata or {}
    return bool(metadata.get("event_payload", {}).get("text") == "working")


def until(condition: Callable[[], bool], patience: float = PATIENCE, step: float = 0.02) -> bool:
    """Whether it comes true within so many seconds."""
    give_up = time.monotonic() + patience
    while time.monotonic() < give_up:
        if condition():
            return True
        time.sleep(step)
    return False
