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
        (part, needs): sum(plan.part == part and bool(plan.wanted) is needs for plan in every)
        for part in ("open", "held")
        for needs in (True, False)
    }
    assert sum(counted.values()) >= 30
    assert counted["open", False] + counted["held", False] >= 12
    assert min(counted.values()) >= 8


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
    assert found.to_search.mean == 0
    assert (found.right.part, found.right.of) == (2, 3)
    assert (found.silent.part, found.nothing_new.part, found.nothing_new.of) == (1, 1, 2)
