"""What goes wrong, and when: planned from a seed, each kind as often as is asked for."""

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from evals.load.clock import Clock
from evals.load.disk import Disk
from evals.load.service import Service
from evals.load.traffic import Action
from sandbox.faults import Faults as Orders
from sandbox.server import Sandbox

PATHS: Mapping[str, str] = {"jira": "^/rest/api/3/", "confluence": "^/wiki/", "slack": "^/api/"}
WRITES: Mapping[str, str] = {
    "jira": "/issue/[^/]+/comment$",
    "confluence": "/(footer|inline)-comments$",
    "slack": r"/chat\.(postMessage|update)$",
}
RESPONSES = ("429", "500", "reset", "lost answer")
TOO_MANY = '{"ok":false,"error":"ratelimited"}'
HOUR = 3600
EARLIEST, LATEST = 0.08, 0.85
"""Shares of the time between which everything goes wrong: before, it must have begun, after, it must recover."""
_HOLD = """import sqlite3, sys, time
held = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
held.execute("BEGIN EXCLUSIVE")
time.sleep(float(sys.argv[2]))
held.execute("ROLLBACK")
"""


@dataclass(frozen=True, slots=True)
class Dose:
    """How much of it."""

    rounds: int
    """How often each kind."""
    requests: int
    """That one fault of a platform hits."""
    seconds: float
    """That the disk is full, the database locked or the clock wrong."""


@dataclass(slots=True)
class Faults:
    """Everything that can go wrong here. `done` counts what did, by kind."""

    box: Sandbox
    service: Service
    disk: Disk
    clock: Clock
    database: Path
    dose: Dose
    done: Counter[str] = field(default_factory=Counter)

    def plan(self, seconds: float, dice: random.Random) -> list[Action]:
        """Those of the service and its host one after the other, those of the platforms at any time between."""
        return [Action(at, partial(self._happen, kind)) for at, kind in schedule(seconds, self.dose, dice)]

    def end(self) -> None:
        """Nothing is wrong any more."""
        self.box.faults.clear()
        self.disk.free(self.service.pid)
        self.clock.set_ahead(0)

    def _happen(self, kind: str) -> None:
        match kind:
            case "killed":
                self.service.kill()
            case "restarted":
                self.service.stop()
            case "socket dropped":
                self.box.slack.sockets.drop()
            case "disk full":
                self._full()
            case "database locked":
                self._locked()
            case "clock an hour ahead, then back":
                if not self.clock.settable:
                    return
                self._jump(HOUR)
            case _:
                platform, _, response = kind.partition(" ")
                order(self.box.faults, platform, response, self.dose.requests)
        self.done[kind] += 1

    def _full(self) -> None:
        pid = self.service.pid
        self.disk.fill(pid)
        time.sleep(self.dose.seconds)
        self.disk.free(pid)

    def _locked(self) -> None:
        """By another process, which is what a backup or a database shell is."""
        command = [sys.executable, "-c", _HOLD, str(self.database), str(self.dose.seconds)]
        subprocess.run(command, check=False, capture_output=True, timeout=self.dose.seconds + 60)

    def _jump(self, seconds: int) -> None:
        self.clock.set_ahead(seconds)
        time.sleep(self.dose.seconds)
        self.clock.set_ahead(0)


HOSTS = ("killed", "restarted", "socket dropped", "database locked", "disk full", "clock an hour ahead, then back")
KINDS = (*HOSTS, *(f"{platform} {response}" for platform in PATHS for response in RESPONSES))


def order(faults: Orders, platform: str, response: str, times: int) -> None:
    """For the platform's next requests; a lost answer is one to a comment or message that was written."""
    path = PATHS[platform]
    match response:
        case "429":
            body = TOO_MANY if platform == "slack" else None
            faults.add("*", path, "status", times, status=429, headers={"Retry-After": "1"}, body=body)
        case "500":
            faults.add("*", path, "status", times, status=500)
        case "reset":
            faults.add("*", path, "drop_before", times)
        case "lost answer":
            faults.add("POST", WRITES[platform], "drop_after", times)
        case _:
            raise ValueError(f"{response!r} is no response that goes wrong")


def schedule(seconds: float, dose: Dose, dice: random.Random) -> list[tuple[float, str]]:
    """When what happens. Faults of the host get a slot each; a kill comes first, since its leases run out last."""
    hosts: list[str] = []
    for _ in range(dose.rounds):
        hosts += ["killed", *dice.sample(HOSTS[1:], len(HOSTS) - 1)]
    first, width = EARLIEST * seconds, (LATEST - EARLIEST) * seconds
    slots = [(first + number * width / len(hosts), kind) for number, kind in enumerate(hosts)]
    others = [kind for kind in KINDS if kind not in HOSTS for _ in range(dose.rounds)]
    dice.shuffle(others)
    anywhere = [(first + (number + dice.random()) * width / len(others), kind) for number, kind in enumerate(others)]
    return sorted(slots + anywhere)
