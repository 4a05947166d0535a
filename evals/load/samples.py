"""What a process uses while it runs, and whether that grows."""

import math
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from types import TracebackType
from typing import Self

import httpx

_ERRORS = re.compile(r'^crosscheck_errors_total\{kind="([^"]+)",part="([^"]+)"\} ([0-9.e+]+)$', re.MULTILINE)
SCRAPE = 5
"""Samples between two readings of the service's own counters."""
MB = 1 << 20


@dataclass(frozen=True, slots=True)
class Sample:
    at: float
    """Seconds of `time.monotonic`."""
    pid: int
    rss_mb: float
    own_mb: float
    """Of that what no file is behind: the index's files are mapped, and the system may drop those pages."""
    threads: int
    files: int
    """Open descriptors, of whatever kind."""
    connections: int
    """Of these the sockets."""
    database_mb: float
    log_mb: float
    """SQLite's write-ahead log."""


@dataclass(frozen=True, slots=True)
class Slope:
    """A straight line through values by least squares."""

    per_hour: float
    error: float
    """Standard error of the slope, as if the values were independent of each other."""


class Sampler:
    """Looks at the service once a `period`, and at its counters of errors now and then."""

    def __init__(self, pid: Callable[[], int], database: Path, url: str, period: float = 1.0) -> None:
        self.samples: list[Sample] = []
        self._pid = pid
        self._database = database
        self._url = url
        self._period = period
        self._lives: dict[int, Counter[str]] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def errors(self) -> dict[str, int]:
        """Errors that the service counted, by part and kind; what it counted right before it was killed is missing."""
        return dict(sum(self._lives.values(), Counter[str]()).most_common())

    def _run(self) -> None:
        turn = 0
        while not self._stop.wait(self._period):
            pid = self._pid()
            with suppress(OSError, KeyError):  # it has ended just now; what is left of it has no memory
                self.samples.append(_sample(pid, self._database))
            turn += 1
            if turn % SCRAPE == 0:
                with suppress(httpx.HTTPError):
                    self._count(pid, httpx.get(f"{self._url}/metrics", timeout=5).text)

    def _count(self, pid: int, exposition: str) -> None:
        found = {f"{part}: {kind}": int(float(n)) for kind, part, n in _ERRORS.findall(exposition)}
        self._lives[pid] = Counter(found)


def slope(times: Sequence[float], values: Sequence[float]) -> Slope:
    """By hour, of values at times in seconds. Raises ValueError: fewer than three, or all at once."""
    count, middle = len(times), fmean(times)
    spread = sum((at - middle) ** 2 for at in times)
    if count < 3 or not spread:
        raise ValueError("a slope takes three values at different times")
    level = fmean(values)
    steep = sum((at - middle) * (value - level) for at, value in zip(times, values, strict=True)) / spread
    left = sum((value - level - steep * (at - middle)) ** 2 for at, value in zip(times, values, strict=True))
    return Slope(round(3600 * steep, 3), round(3600 * math.sqrt(left / (count - 2) / spread), 3))


def _sample(pid: int, database: Path) -> Sample:
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines())
    files = _targets(Path(f"/proc/{pid}/fd"))
    return Sample(
        time.monotonic(),
        pid,
        rss_mb=_megabytes(status["VmRSS"]),
        own_mb=_megabytes(status["RssAnon"]),
        threads=int(status["Threads"]),
        files=len(files),
        connections=sum(name.startswith("socket:") for name in files),
        database_mb=_size(database),
        log_mb=_size(database.with_name(f"{database.name}-wal")),
    )


def _targets(folder: Path) -> list[str]:
    found = []
    for one in folder.iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            found.append(str(one.readlink()))
    return found


def _megabytes(told: str) -> float:
    return int(told.split(maxsplit=1)[0]) / 1024


def _size(path: Path) -> float:
    try:
        return path.stat().st_size / MB
    except FileNotFoundError:
        return 0.0
