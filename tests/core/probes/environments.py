"""Environments that tell what they are told to, a memory of them, and a repository whose commits they run."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.mirror import Mirror
from core.probes.deployments import Deployments
from core.probes.standing import Standing
from core.probes.types import Reading, Running
from core.probes.work import Tracked
from core.types import Audience
from tests.core.connectors.git_origin import Origin

READERS = Audience(frozenset({"org", "repo:shop"}))
START = datetime(2026, 4, 1, 8, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def tick(self, minutes: float = 60) -> None:
        self.now += timedelta(minutes=minutes)


@dataclass(frozen=True)
class Span:
    version: str
    commit: str
    first: datetime
    last: datetime


class Remembered:
    """As `state.deployed.Deployed`, in a list."""

    def __init__(self) -> None:
        self.spans: dict[str, list[Span]] = {}
        self.kept = 0

    def keep(self, reading: Reading) -> None:
        self.kept += 1
        spans = self.spans.setdefault(reading.probe, [])
        latest = max((one.last for one in spans), default=None)
        for running in reading.running:
            known = [
                s for s in spans if s.last == latest and (s.version, s.commit) == (running.version, running.commit)
            ]
            first = known[0].first if known else reading.at
            spans[:] = [one for one in spans if one not in known]
            spans.append(Span(running.version, running.commit, first, reading.at))

    def earlier(self, probe: str) -> Sequence[Span]:
        return sorted(self.spans.get(probe, []), key=lambda one: (one.last, one.first), reverse=True)


@dataclass
class Environment:
    """A probe."""

    name: str
    clock: Clock
    running: tuple[Running, ...] = ()
    unread: str = ""
    labels: frozenset[str] = frozenset({"repo:shop"})
    repo: str = "shop"
    environment: str = ""
    url: str = ""
    hangs: float = 0
    reads: int = 0
    entered: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)
    waits: bool = False
    breaks: bool = False

    def __post_init__(self) -> None:
        self.environment = self.environment or self.name
        self.url = self.url or f"https://deploy.example/{self.name}"

    def read(self, seconds: float) -> Reading:
        self.reads += 1
        self.entered.set()
        if self.waits:
            self.go.wait(5)
        time.sleep(self.hangs)
        if self.breaks:
            raise SystemExit  # what no handler of threads tells of
        running = () if self.unread else self.running
        return Reading(self.name, self.environment, self.repo, self.clock(), running, self.unread)


class Place:
    """The repository `shop` with its mirror, and what runs it."""

    def __init__(self, folder: Path) -> None:
        self.origin = Origin(folder / "origin")
        self.first = self.origin.commit("First", {"a.py": "1\n"})
        self.mirror = Mirror(folder / "mirror", str(self.origin.folder))
        self.clock = Clock()
        self.memory = Remembered()
        self.probes: list[Environment] = []
        self.options: dict[str, object] = {}

    def environment(self, name: str, *running: Running | str, **facts: object) -> Environment:
        told = tuple(Running("", one) if isinstance(one, str) else one for one in running)
        made = Environment(name, self.clock, told, **facts)
        self.probes.append(made)
        return made

    def deployments(self, **options: object) -> Deployments:
        tracked = {"shop": Tracked(self.mirror, commit_link="https://git.example/shop/{sha}")}
        chosen = {"fresh": 0, **self.options, **options}
        return Deployments(self.probes, tracked, self.memory, clock=self.clock, **chosen)

    def standing(self, **asked: object) -> Standing:
        """Of the only environment."""
        self.mirror.fetch()
        (one,) = self.deployments().state(READERS, **asked).standings
        return one
