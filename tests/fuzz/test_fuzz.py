"""A bounded look at every target, the same each time; `make fuzz` looks further."""

from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.fuzz.minutes import hunt
from tests.fuzz.mutation import DELIMITERS, mutated
from tests.fuzz.table import TARGETS
from tests.fuzz.target import Target
from tests.fuzz.watching import Fault, TooSlowError, attempt, growth, watched

EXAMPLES, SLOW_EXAMPLES, REPEATED = 60, 12, 5
REAL, LARGEST_REAL = 8, 200_000  # files of a target, and bytes of one


@pytest.fixture(autouse=True)
def _quiet(caplog):
    """What is refused is logged, thousands of times."""
    caplog.set_level("CRITICAL")


def sound(fault: Fault | None) -> None:
    assert fault is None, f"{fault.kind}\n{fault.told}\n{fault.data[:2_000]!r}"


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_inputs(name):
    target = TARGETS[name]

    @settings(
        max_examples=SLOW_EXAMPLES if target.slow else EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(mutated(list(target.seeds())))
    def look(data):
        sound(attempt(target, data))

    for seed in target.seeds():
        sound(attempt(target, seed))
    look()


@pytest.mark.parametrize("name", [name for name, target in TARGETS.items() if target.grows])
def test_large_inputs_take_their_share_of_time(name):
    target = TARGETS[name]
    for data in (*target.seeds(), *islice(DELIMITERS, len(name) % 5, None, len(DELIMITERS) // REPEATED)):
        sound(growth(target, data))


@pytest.mark.parametrize("name", [name for name, target in TARGETS.items() if target.real])
def test_real_inputs(name, shared: Path):
    target = TARGETS[name]
    found = sorted(path for path in (shared / "real").glob(target.real) if path.stat().st_size < LARGEST_REAL)
    for path in found[:REAL]:
        sound(attempt(target, path.read_bytes()))


def _planted(data: bytes) -> None:
    if b"[\0" in data:
        raise KeyError(data)


def _hanging(data: bytes) -> None:
    while data:
        pass


def _quadratic(data: bytes) -> None:
    for _ in range(len(data) ** 2 // 30):
        pass


def _planted_in(run, **more) -> Target:
    return Target("planted", run, lambda: [b"[0](a)"], (ValueError,), **more)


def test_a_fault_is_found_made_small_and_kept(tmp_path):
    [fault] = hunt(_planted_in(_planted, grows=False), 400, 1, tmp_path)
    assert fault.kind == "KeyError at test_fuzz.py:_planted"
    assert [path.read_bytes() for path in (tmp_path / "planted").iterdir()] == [b"[\0"]


def test_what_hangs_is_ended():
    with pytest.raises(TooSlowError), watched(0.2):
        _hanging(b"x")


def test_what_is_quadratic_is_seen():
    fault = growth(_planted_in(_quadratic), b"!")
    assert fault
    assert fault.kind == "grows faster than its input"


def test_what_may_be_raised_is_no_fault():
    assert attempt(Target("refusing", int, lambda: [b"1"], (ValueError,)), b"x") is None
