"""A few tickets of the planted set, reviewed over the whole company by the program itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crosscheck.errors import BadSettings
from crosscheck.settings import Settings
from crosscheck.wiring import Program
from evals.harness.intervals import overall
from evals.harness.types import Measurement
from evals.planted.lies import Kind
from evals.planted.load import PARTS, company, planted
from evals.planted.measure import RULES, SCRIPT, cases, measure, measurement
from evals.planted.run import Watched, by_program, hidden_from, run
from evals.planted.scores import DEGRADED, DROPPED, FALSE, FORBIDDEN, OVERLAP, RECALL, RESTRICTED, SAME, kept
from evals.planted.script import BAIT, Script
from evals.planted.scripted import scorers, scripted
from evals.planted.setup import audience, playground
from evals.planted.types import Planted
from sandbox.records import Company

TICKETS = {"BKG-301", "BKG-307", "BKG-313", "GATE-301", "GATE-305"}
"""A policy, nothing, a pull request, a boundary, a test record."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Company:
    return company(tmp_path_factory.mktemp("planted") / "company")


@pytest.fixture(scope="module")
def few(made: Company) -> list[Planted]:
    return [ticket for ticket in planted(PARTS["open"], made) if ticket.key in TICKETS]


@pytest.fixture(scope="module")
def program(made: Company, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with playground(made, tmp_path_factory.mktemp("home")) as opened:
        yield opened


def quiet(_line: str) -> None:
    """Nobody watches a test."""


def share(measured: Measurement, metric: str) -> float:
    found = overall(measured.values[metric])
    assert found is not None
    return found.value


def test_the_rules_find_most_of_it_and_say_the_same_twice(program: Program, made: Company, few: list[Planted]) -> None:
    readers = audience(made)
    watched = Watched(hidden_from(readers, made))
    scored = run(cases("held", few), by_program(program, readers), quiet, runs=2, watched=watched)
    measured = measurement("few", RULES, scored, {}, told=False)
    assert watched.restricted
    assert share(measured, RECALL) >= 0.6
    assert [share(measured, metric) for metric in (FALSE, RESTRICTED, DEGRADED)] == [0, 0, 0]
    assert [share(measured, metric) for metric in (SAME, OVERLAP)] == [1, 1]
    assert (measured.failures, measured.notes) == ((), ())
    assert set(scored.outputs) == {f"held {number:02}" for number in range(1, len(few) + 1)}
    assert len({metric.name for metric in measured.metrics}) == len(measured.values)


def test_every_source_was_read(program: Program, made: Company) -> None:
    for identifier in ("BKG-301", "GT-01", "Bicycles and luggage", "src/booking/deck.py"):
        assert program.searcher.lookup(identifier, audience(made)), identifier


def test_no_true_finding_of_a_model_is_lost_and_no_invention_is_told(
    made: Company, few: list[Planted], tmp_path: Path
) -> None:
    script = Script(few, made)
    with scripted(made, tmp_path, script) as program:
        reviews, watched = by_program(program, audience(made)), Watched(forbidden=BAIT)
        scored = run(cases("open", few), reviews, quiet, watched=watched, more=scorers(script))
    measured = measurement("few", SCRIPT, scored, {})
    assert (share(measured, RECALL), share(measured, DROPPED)) == (1, 0)
    assert [share(measured, metric) for metric in (FORBIDDEN, DEGRADED)] == [0, 0]
    assert not any(note.startswith("Missed") for note in measured.notes)
    lies = {kind: share(measured, kept(kind)) for kind in Kind if kept(kind) in measured.values}
    assert len(lies) > 1
    assert all(told == 0 for kind, told in lies.items() if kind is not Kind.ANSWERED)


def test_settings_without_a_model_are_refused_before_anything_runs() -> None:
    with pytest.raises(BadSettings, match=r"no \[model\] table"):
        list(measure(["open"], quiet, model=Settings()))
