"""Half an hour at a steady rate with small faults: whether memory, descriptors, threads and files grow."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from evals.load.checks import Verdict, counts, judge, settled
from evals.load.company import Pace, company, environment, free_port, written
from evals.load.faults import PATHS, RESPONSES, order
from evals.load.samples import Sample, Sampler, Slope, slope
from evals.load.service import Service
from evals.load.traffic import Action, People, Size, play
from evals.load.visible import visible
from evals.mentions import opened
from sandbox.server import Sandbox

MINUTES = 30.0
MENTIONS, COMMENTS, EDITS, FAULTS = 30, 10, 6, 2
"""A minute of each. A fault hits one request."""
WARM_UP = 0.2
"""Share of the time before anything is measured: models are loaded, caches filled."""
PERIOD = 2.0
DRAIN = 240.0
TELL = 30.0
PACE = Pace(15, 1.0, log_level="warning")


@dataclass(frozen=True, slots=True)
class Soak:
    minutes: float
    settled: bool
    verdict: Verdict
    restarts: int
    """Nothing restarts it here, so each is a crash."""
    faults: int
    samples: int
    """After the warm-up."""
    rss: Slope
    """Megabytes."""
    own: Slope
    """Megabytes that no file is behind."""
    slopes: Mapping[str, Slope]
    """Of open descriptors, threads, connections, and the database's and its log's megabytes."""
    first: Mapping[str, float]
    last: Mapping[str, float]
    """What was used at the end of the warm-up and at the end."""
    errors: Mapping[str, int]

    @property
    def good(self) -> bool:
        return self.settled and self.verdict.good and not self.restarts


def measure(folder: Path, minutes: float, report: Callable[[str], None]) -> Soak:
    """The service as it is deployed, in a folder on the disk as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    size = _size(minutes)
    with ExitStack() as stack:
        box = stack.enter_context(Sandbox.start(company(size.tickets, size.pages)))
        box.exchanges.recording = False
        port, database = free_port(), folder / "data" / "crosscheck.sqlite"
        url = f"http://127.0.0.1:{port}"
        people = People(box, opened(box), random.Random(7))
        service = Service(written(folder, box, port, PACE), environment(box), url, folder / "service.log")
        with service, Sampler(lambda: service.pid, database, url, PERIOD) as sampler:
            begun = time.monotonic()
            faults = _talk(box, people, size, url, lambda: report(_line(begun, people, database, sampler.samples)))
            done = _drained(database, people)
        seen = visible(box, people.asked, people.channels)
        warm = [one for one in sampler.samples if one.at >= begun + WARM_UP * size.seconds]
        return Soak(
            minutes=minutes,
            settled=done,
            verdict=judge(database, people.asked, seen),
            restarts=len(service.ended),
            faults=faults,
            samples=len(warm),
            rss=_slope(warm, "rss_mb"),
            own=_slope(warm, "own_mb"),
            slopes={name: _slope(warm, name) for name in COUNTED},
            first=_used(warm[0]),
            last=_used(warm[-1]),
            errors=sampler.errors,
        )


COUNTED = ("files", "threads", "connections", "database_mb", "log_mb")


def _size(minutes: float) -> Size:
    comments = max(3, round(COMMENTS * minutes))
    pages = comments // 5
    return Size(
        comments - pages, pages, max(5, round(MENTIONS * minutes)), 60 * minutes, max(2, round(EDITS * minutes))
    )


def _talk(box: Sandbox, people: People, size: Size, url: str, tell: Callable[[], None]) -> int:
    """Everything that is said, with a fault now and then; how many faults."""
    box.deliver_to(f"{url}/webhooks/jira")
    box.confluence_webhooks.deliver_to(f"{url}/webhooks/confluence")
    if not box.slack.sockets.wait_connected(timeout=60):
        raise TimeoutError("the service did not connect to Slack")
    faults = _faults(box, size.seconds)
    lines = [Action(at, tell) for at in _times(size.seconds, TELL)]
    planned = sorted([*people.plan(size), *faults, *lines], key=lambda action: action.at)
    limit = time.monotonic() + 1.5 * size.seconds + 120
    play(planned, lambda: time.monotonic() > limit)
    box.faults.clear()
    return len(faults)


def _faults(box: Sandbox, seconds: float) -> list[Action]:
    """One request each, of any platform."""
    dice = random.Random(7)

    def one() -> None:
        order(box.faults, dice.choice(list(PATHS)), dice.choice(RESPONSES), 1)

    return [Action(at, one) for at in _times(seconds, 60 / FAULTS)]


def _times(seconds: float, every: float) -> list[float]:
    return [(number + 0.5) * every for number in range(int(seconds / every))]


def _drained(database: Path, people: People) -> bool:
    give_up = time.monotonic() + DRAIN
    while time.monotonic() < give_up:
        if settled(database, people.asked):
            return True
        time.sleep(0.5)
    return False


def _slope(samples: Sequence[Sample], name: str) -> Slope:
    return slope([one.at for one in samples], [getattr(one, name) for one in samples])


def _used(sample: Sample) -> dict[str, float]:
    return {name: round(getattr(sample, name), 1) for name in ("rss_mb", "own_mb", *COUNTED)}


def _line(begun: float, people: People, database: Path, samples: Sequence[Sample]) -> str:
    used = _used(samples[-1]) if samples else {}
    return f"{time.monotonic() - begun:.0f} s: {len(people.asked)} asked, {counts(database)}, {used}"
