"""A few tickets of the planted set, reviewed over the whole company by the program itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crosscheck.errors import BadSettings
from crosscheck.wiring import Program
from evals.planted.lies import Kind
from evals.planted.load import PARTS, company, planted
from evals.planted.measure import measure
from evals.planted.run import run, unstable
from evals.planted.scores import scores
from evals.planted.script import BAIT, Script
from evals.planted.scripted import passed, scripted
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


def quiet(_key: str) -> None:
    """Nobody watches a test."""


def test_the_rules_find_most_of_it_and_say_the_same_twice(program: Program, made: Company, few: list[Planted]) -> None:
    first, second = (run(program, "rules", few, made, audience(made), quiet) for _ in range(2))
    counted = scores(first.rows)
    assert counted.tickets == len(TICKETS)
    assert counted.recall.value >= 0.6
    assert counted.false.part == 0
    assert counted.forbidden == 0
    assert unstable(first.reviews, second.reviews) == []


def test_every_source_was_read(program: Program, made: Company) -> None:
    for identifier in ("BKG-301", "GT-01", "Bicycles and luggage", "src/booking/deck.py"):
        assert program.searcher.lookup(identifier, audience(made)), identifier


def test_no_true_finding_of_a_model_is_lost_and_no_invention_is_told(
    made: Company, few: list[Planted], tmp_path: Path
) -> None:
    script = Script(few, made)
    with scripted(made, tmp_path, script) as program:
        ran = run(program, "script", few, made, audience(made), quiet, BAIT)
    counted = scores(ran.rows)
    assert counted.missed == []
    assert counted.forbidden == 0
    assert not any(row.degraded for row in ran.reviews)
    for kind, lies in passed(script.lies, ran).items():
        assert lies.told
        assert lies.kept == 0 or kind == Kind.ANSWERED


def test_a_settings_file_without_a_model_is_refused_before_anything_runs(tmp_path: Path) -> None:
    path = tmp_path / "crosscheck.toml"
    path.write_text('data = "data"\n', "utf-8")
    with pytest.raises(BadSettings, match=r"no \[model\] table"):
        measure(["open"], quiet, path)
