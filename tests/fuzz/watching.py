"""One run of a target: what it came to, within the time that it may take."""

import gc
import resource
import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from tests.fuzz.target import Target

SECONDS = 5.0
"""Of computing for one input. Time of the processor, so that a busy machine fails nothing."""
MEMORY = 512 * 2**20
"""Bytes by which the process may grow for one input."""
LARGE = 64 * 1024
_QUICK = 0.5  # seconds for a large input which need no explanation
_TIMES = 9  # by how much four times the input may take longer: linear is 4, quadratic 16


class TooSlowError(BaseException):
    """Passes every `except Exception` on its way up."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A law that an input breaks."""

    kind: str
    """What tells it apart from other faults of its target."""
    told: str
    data: bytes


@contextmanager
def watched(seconds: float = SECONDS) -> Iterator[None]:
    """Raises TooSlowError in the main thread after so many seconds of computing."""

    def end(_number: int, frame: FrameType | None) -> None:
        raise TooSlowError(f"more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def attempt(target: Target, data: bytes) -> Fault | None:
    """Run the target once."""
    before = _peak()
    try:
        with watched():
            target.run(data)
    except target.refuses:
        pass
    except TooSlowError as error:
        return Fault(f"slow at {_place(error)}", f"{error}\n{traceback.format_exc(limit=-12)}", data)
    except Exception as error:  # noqa: BLE001  whatever it is, it is what is looked for
        return Fault(f"{type(error).__name__} at {_place(error)}", traceback.format_exc(limit=-12), data)
    grown = _peak() - before
    return Fault("memory", f"the process grew by {grown >> 20} MiB", data) if grown > MEMORY else None


def growth(target: Target, data: bytes) -> Fault | None:
    """Repeat the data to a large input: time must grow with its size and no faster."""
    whole = (data * (LARGE // len(data) + 1))[:LARGE]
    fault, large = _timed(target, whole)
    if fault or large < _QUICK:
        return fault
    fault, small = _timed(target, whole[: LARGE // 4])
    if fault or min(large, _timed(target, whole)[1]) <= _TIMES * small:
        return fault
    told = f"{LARGE >> 10} kB of {data[:60]!r} took {large:.2f} s, a quarter of it {small:.2f} s"
    return Fault("grows faster than its input", told, whole)


def _timed(target: Target, data: bytes) -> tuple[Fault | None, float]:
    gc.disable()  # what else is in memory does not count
    try:
        since = time.process_time()
        fault = attempt(target, data)
        return fault, time.process_time() - since
    finally:
        gc.enable()


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _place(error: BaseException) -> str:
    """The innermost line of the product on the way."""
    frames = traceback.extract_tb(error.__traceback__)
    frames = [frame for frame in frames if frame.name != "end" or frame.filename != __file__]
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(_ROOT) and _part(frame.filename) in _OURS]
    last = (ours or frames)[-1]
    return f"{last.filename.rpartition('/')[2]}:{last.name}"


def _part(file: str) -> str:
    return Path(file).relative_to(_ROOT).parts[0]


_ROOT = Path(__file__).resolve().parents[2]
_OURS = ("bots", "core", "crosscheck", "review", "state")
