"""The set of plans is whole, and its scores count what they say."""

from pathlib import Path

import pytest

from evals.plans.load import PlansError, plans
from evals.plans.score import scores
from evals.plans.types import Judged, Plan
from evals.planted.load import company
from sandbox.records import Company


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Company:
    return company(tmp_path_factory.mktemp("plans") / "company")


def test_both_parts_hold_plans_that_need_something_and_plans_that_do_not(made: Company) -> None:
    every = plans(made)
    counted = {
        (part, needs): sum(plan.part == part and plan.needs is needs for plan in every)
        for part in ("open", "held")
        for needs in (True, False)
    }
    assert sum(counted.values()) >= 100
    assert min(counted.values()) >= 8
    assert sum(bool(plan.standing) for plan in every if plan.part == "held") >= 5
    assert sum("\n+++ b/" in plan.text for plan in every if plan.part == "held") >= 5


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ('id = "a"\npart = "open"\n', "lacks 'text'"),
        ('id = "a"\npart = "shut"\ntext = "x"\n', "no known part"),
        ('id = "a"\npart = "open"\ntext = "x"\nwanted = [["page:0"]]\n', "'page:0', which the company does not have"),
        ('id = "a"\npart = "open"\ntext = "x"\nrepository = "none"\n', "no known repository"),
        ('id = "a"\npart = "open"\ntext = "x"\nwish = 1\n', "'wish', which means nothing"),
    ],
)
def test_a_plan_that_cannot_be_used_is_named(made: Company, tmp_path: Path, entry: str, says: str) -> None:
    path = tmp_path / "plans.toml"
    path.write_text(f"[[plan]]\n{entry}", "utf-8")
    with pytest.raises(PlansError, match=says):
        plans(made, path)


def test_what_rests_on_work_that_is_not_there_is_counted_apart() -> None:
    def row(name: str, standing: tuple[str, ...], told: tuple[str, ...]) -> Judged:
        return Judged(Plan(name, "open", "text", None, (), standing), (), (), (), not told, (), (), 0.5, told)

    found = scores([row("a", ("V4",), ("Migration V4",)), row("b", ("V4",), ("Migration V3",)), row("c", (), ("V1",))])
    assert (found.standing.part, found.standing.of) == (1, 2)
    assert (found.standing_elsewhere.part, found.standing_elsewhere.of) == (1, 1)
    assert (found.nothing_new.part, found.nothing_new.of) == (0, 1)


def _row(name: str, wanted: tuple[str, ...], named: tuple[str, ...], searched: tuple[str, ...]) -> Judged:
    plan = Plan(name, "open", "text", None, (frozenset(wanted),) if wanted else ())
    return Judged(plan, named, searched, searched, not named, (), (), 0.5)


def test_scores_are_paired_and_silence_counts_only_where_nothing_is_needed() -> None:
    found = scores(
        [
            _row("a", ("x",), ("x", "y"), ("z",)),
            _row("b", ("x",), ("x",), ("x",)),
            _row("c", ("x",), (), ("x",)),
            _row("d", (), (), ("z",)),
            _row("e", (), ("y",), ("z",)),
        ]
    )
    assert (found.hit.part, found.hit.of) == (2, 3)
    assert (found.hit_search.part, found.hit_search.of) == (2, 3)
    assert found.to_search is not None
    assert found.to_search.value == 0
    assert (found.right.part, found.right.of) == (2, 3)
    assert (found.silent.part, found.nothing_new.part, found.nothing_new.of) == (1, 1, 2)
