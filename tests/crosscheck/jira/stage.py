"""The program over a firm's Jira, step by step: people write, and what stands in the tickets afterwards is looked at.

One index for each kind of Jira; a house is a program with settings of its own over a copy of it.
"""

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Literal

from bots.outline import Outline, words
from crosscheck.index import Index
from crosscheck.replies import Asked, Replies, Reply
from crosscheck.settings import Audience, Secrets, Settings
from crosscheck.settings_commands import Commands
from crosscheck.web import receive
from crosscheck.web_parts import hooks
from crosscheck.wiring import Program
from evals.playground import quickly
from sandbox.server import Sandbox
from tests.crosscheck.jira.firm import firm
from tests.crosscheck.live import opened, quick
from tests.fakes import Tally
from tests.surfaces.receiver import Delivery, Receiver

Flavour = Literal["Cloud", "Data Center"]
CLOUD: Flavour = "Cloud"
DATA_CENTER: Flavour = "Data Center"
FLAVOURS = (CLOUD, DATA_CENTER)

ROUNDS = 200
STEP = timedelta(minutes=11)
"""The clock is moved by it when there is nothing to do: longer than any pause or lease."""
PARAGRAPH = 1_000
"""Characters."""


class Moved:
    """The time, or later."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def forward(self, span: timedelta) -> None:
        self._ahead += span

    def back(self) -> None:
        self._ahead = timedelta()


class Hurried(Program):
    """Tries again at once what it would try again in a quarter of a minute; finds in an index that others share."""

    pause = posting_pause = staticmethod(quickly)

    def __init__(self, settings: Settings, secrets: Secrets, clock: Moved, shared: Index | None) -> None:
        super().__init__(settings, secrets, clock=clock, metrics=Tally())
        self._shared = shared

    @cached_property
    def index(self) -> Index:
        return self._shared or super().index

    def close(self) -> None:
        """What is shared stays open."""
        if self._shared is not None:
            self.__dict__.pop("index", None)
        super().close()


class Long(Hurried):
    """Answers as many letters as it is asked for."""

    @cached_property
    def replies(self) -> Replies:
        return _Lengthy(
            reviewer=lambda: self.reviewer,
            answerer=lambda: self.answerer,
            drafter=lambda: self.drafter,
            freshness=self.sources.freshness,
            labels_now=self.sources.labels_now,
            metrics=self.metrics,
        )


class _Lengthy(Replies):
    def answer(self, question: str, asked: Asked) -> Reply:
        return Reply(lengthy(int(question)), {"letters": int(question)})


def lengthy(letters: int) -> Outline:
    """Paragraphs of so many letters in all."""
    whole, rest = divmod(letters, PARAGRAPH)
    return tuple(words("x" * size) for size in (*[PARAGRAPH] * whole, rest) if size)


@dataclass(frozen=True, slots=True)
class Plan:
    """How a house differs from the usual one."""

    commands: Commands = field(default_factory=Commands)
    projects: tuple[str, ...] = ("PAY", "WEB", "HELP")
    outsiders: tuple[str, ...] = ()
    posting: bool = True
    program: type[Hurried] = Hurried


PLANS: Mapping[str, Plan] = {
    "usual": Plan(),
    "words": Plan(Commands(review=("proof", "prüfung"), ask=("frage",), test_cases=("test-ideas",), form="csv")),
    "members": Plan(Commands(groups=("qa-leads",), roles=("Testers",))),
    "cool-down": Plan(Commands(cooldown_minutes=30)),
    "queue": Plan(Commands(queue=2)),
    "silent": Plan(posting=False),
    "outsiders": Plan(outsiders=("confluence:POL",)),
    "polled": Plan(projects=("WEB",)),
    "long": Plan(program=Long),
}


@dataclass
class House:
    """A program with its own settings and memory."""

    town: "Town"
    program: Program
    clock: Moved

    def hear(self, deliveries: list[Delivery]) -> None:
        """What Jira's webhook tells."""
        for delivery in deliveries:
            hook = dict(hooks(self.program))["jira"]
            answer = receive(hook, delivery.headers, delivery.body, self.program.metrics)
            assert answer.status_code == 200, answer.body

    def poll(self) -> None:
        self.program.pollers["jira"].poller.poll_once()

    def think(self) -> None:
        """One step: a reply is made, and not posted yet."""
        assert self.program.worker.run_once(), "there is nothing to do"

    def work(self, *, until: Callable[[], bool] = lambda: False) -> None:
        """Until nothing is left to do, or something has come about; the clock is moved over every pause."""
        for _ in range(ROUNDS):
            if until():
                return
            if self.program.worker.run_once():
                continue
            told = self.town.told()
            if not (told or self._waiting()):
                return
            self.hear(told)
            if not told:
                time.sleep(0.005)
                self.clock.forward(STEP)
        raise AssertionError("it never came to rest")

    def _waiting(self) -> bool:
        counts = (self.program.jobs.counts(), self.program.outbox.counts())
        return any(one[state] for one in counts for state in ("queued", "running"))


@dataclass
class Town:
    """One kind of Jira, and the houses over it, each built when somebody first asks there."""

    flavour: Flavour
    box: Sandbox
    receiver: Receiver
    settings: Settings
    secrets: Secrets
    folder: Path
    stack: ExitStack
    _houses: dict[str, House] = field(default_factory=dict)
    _index: Index | None = None

    @property
    def _first(self) -> Path:
        return self.folder / "first"

    def house(self, name: str) -> House:
        if name not in self._houses:
            data = self.folder / name
            data.mkdir()
            for file in self._first.glob("crosscheck.sqlite*"):
                shutil.copy(file, data)
            self._houses[name] = House(self, *self._program(PLANS[name], data, self._index))
        return self._houses[name]

    def read(self) -> None:
        """Index everything, once for all houses."""
        made, _ = self._program(PLANS["usual"], self._first, None)
        for name in made.sources.names([]):
            made.sources.sync(name, True, lambda _message: None)
        made.floor()
        made.database.dispose()
        self._index = made.index

    def told(self) -> list[Delivery]:
        """What Jira sent out since the last look."""
        assert self.box.webhooks.wait()
        return self.receiver.take()

    def _program(self, plan: Plan, data: Path, index: Index | None) -> tuple[Program, Moved]:
        assert self.settings.jira
        changes = {
            "data": data,
            "jira": self.settings.jira.model_copy(update={"projects": plan.projects}),
            "audience": Audience(holders=self.settings.audience.holders, outsiders=plan.outsiders),
            "commands": plan.commands,
            "posting": plan.posting,
        }
        clock = Moved()
        made = plan.program(self.settings.model_copy(update=changes), self.secrets, clock, index)
        self.stack.callback(made.close)
        return made, clock


@contextmanager
def town(flavour: Flavour, home: Path) -> Iterator[Town]:
    """A firm with this kind of Jira, indexed."""
    with ExitStack() as stack:
        place = stack.enter_context(opened(firm(), home))
        receiver = Receiver()
        stack.callback(receiver.close)
        place.box.deliver_to(receiver.url, data_center=flavour == DATA_CENTER)
        settings = quick(place.settings)
        assert settings.confluence
        settings = settings.model_copy(update={"confluence": settings.confluence.model_copy(update={"answers": False})})
        if flavour == DATA_CENTER:
            assert settings.jira
            address = {"site": place.box.jira_data_center_url, "read_user": "", "post_user": ""}
            settings = settings.model_copy(update={"jira": settings.jira.model_copy(update=address)})
        made = Town(flavour, place.box, receiver, settings, place.secrets, home, stack)
        made.read()
        yield made
