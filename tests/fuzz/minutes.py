"""`make fuzz`: all targets in turn, with other inputs each time, for as long as one likes.

Each look at a target is a process of its own, so that one that crashes or hangs ends no more than that.
"""

import argparse
import hashlib
import logging
import multiprocessing
import os
import random
import sys
import time
from pathlib import Path

import structlog
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.mutation import DELIMITERS, mutated, pieces_of
from tests.fuzz.table import TARGETS
from tests.fuzz.target import Target
from tests.fuzz.watching import Fault, attempt, growth

FOLDER = Path(".fuzz")
RUNNING = "running"
"""The input that is being tried; it stays where the process ends with it."""
_EXAMPLES, _SLOW = 2_000, 300
_PATIENCE = 600  # seconds of a look, a machine that is busy with other things included
_SHARED = Path(__file__).resolve().parents[3] / "shared" / "real"


def hunt(target: Target, examples: int, number: int, folder: Path) -> list[Fault]:
    """Look for faults, each kind once, and write the smallest input of each that was met below the folder."""
    here = folder / target.name.replace(" ", "_")
    here.mkdir(parents=True, exist_ok=True)
    found: dict[str, Fault] = {}

    def look(data: bytes) -> None:
        (here / RUNNING).write_bytes(data)
        fault = attempt(target, data)
        if fault and fault.kind not in found:
            found[fault.kind] = _smaller(target, fault)

    seeds = [*target.seeds(), *_real(target)]
    hostile = given(mutated(seeds))(look)
    seed(number)(
        settings(
            max_examples=examples,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
        )(hostile)
    )()
    if target.grows:
        marks = [*DELIMITERS, *pieces_of(seeds)]
        chosen = random.Random(number).sample(marks, 2)
        for data in (*chosen, b"".join(chosen), seeds[number % len(seeds)]):
            fault = growth(target, data)
            if fault:
                found.setdefault(fault.kind, fault)
    (here / RUNNING).unlink(missing_ok=True)
    for fault in found.values():
        (here / hashlib.sha256(fault.kind.encode()).hexdigest()[:12]).write_bytes(fault.data)
    return list(found.values())


def _smaller(target: Target, fault: Fault) -> Fault:
    """Leave out what the fault does not need: halves, quarters and so on, down to single bytes."""
    if not fault.data or fault.kind.startswith(("slow", "memory")):
        return fault
    until = time.monotonic() + 5
    size = len(fault.data) // 2 or 1
    while size and time.monotonic() < until:
        at = 0
        while at < len(fault.data) and time.monotonic() < until:
            less = attempt(target, fault.data[:at] + fault.data[at + size :])
            if less and less.kind == fault.kind:
                fault = less
            else:
                at += size
        size //= 2
    return fault


def _real(target: Target) -> list[bytes]:
    found = _SHARED.glob(target.real) if target.real and _SHARED.is_dir() else ()
    return [path.read_bytes() for path in sorted(found) if path.stat().st_size < 200_000][:20]


def _look(name: str, number: int) -> None:
    """In a process of its own; its status is the number of faults."""
    _be_quiet()
    target = TARGETS[name]
    found = hunt(target, _SLOW if target.slow else _EXAMPLES, number, FOLDER)
    for fault in found:
        print(f"  {fault.kind}\n    {fault.told.replace(chr(10), chr(10) + '    ')}", flush=True)
    os._exit(min(len(found), 100))


def _be_quiet() -> None:
    logging.disable(logging.CRITICAL)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def _looked(name: str, number: int) -> int:
    """The number of faults of one look at a target."""
    child = multiprocessing.get_context("spawn").Process(target=_look, args=(name, number))
    since = time.monotonic()
    child.start()
    child.join(_PATIENCE)
    hung = child.is_alive()
    if hung:
        child.kill()
        child.join()
    seconds = time.monotonic() - since
    status = child.exitcode or 0
    faults = 1 if hung or status < 0 or status > 100 else status
    examples = _SLOW if TARGETS[name].slow else _EXAMPLES
    print(f"{name}: {examples / seconds:.0f} examples/s, {faults} faults", flush=True)
    if hung or status < 0:
        at = FOLDER / name.replace(" ", "_")
        (at / RUNNING).replace(at / ("hung" if hung else f"signal{-status}"))
    return faults


def everything(minutes: float) -> int:
    """Look at all targets in turn until the time is over; the number of those with faults."""
    until = time.monotonic() + 60 * minutes
    faults = dict.fromkeys(TARGETS, 0)
    looks = dict.fromkeys(TARGETS, 0)
    names = random.sample(list(TARGETS), len(TARGETS))
    while time.monotonic() < until:
        name = min(names, key=lambda one: looks[one])
        looks[name] += 1
        faults[name] = max(faults[name], _looked(name, random.getrandbits(32)))
    print(f"\n{'target':45} {'looks':>6} {'faults':>6}")
    for name in TARGETS:
        print(f"{name:45} {looks[name]:>6} {faults[name]:>6}")
    failed = [name for name in TARGETS if faults[name]]
    for name in failed:
        for path in sorted((FOLDER / name.replace(" ", "_")).iterdir()):
            print(f"make fuzz TARGET={name!r} INPUT={path}")
    return len(failed)


def repeated(name: str, path: Path) -> int:
    """One input again, with where it fails."""
    data = path.read_bytes()
    fault = attempt(TARGETS[name], data) or (growth(TARGETS[name], data) if data and TARGETS[name].grows else None)
    print(f"{fault.kind}\n{fault.told}" if fault else "no fault")
    return int(fault is not None)


def main() -> int:
    asked = argparse.ArgumentParser(prog="make fuzz")
    asked.add_argument("--minutes", type=float, default=10)
    asked.add_argument("--target", choices=TARGETS, metavar="NAME")
    asked.add_argument("--input", type=Path)
    given_ = asked.parse_args()
    if given_.input:
        _be_quiet()
        return repeated(given_.target, given_.input)
    if given_.target:
        return int(sum(_looked(given_.target, random.getrandbits(32)) for _ in range(max(1, int(given_.minutes)))) > 0)
    return int(everything(given_.minutes) > 0)


if __name__ == "__main__":
    sys.exit(main())
