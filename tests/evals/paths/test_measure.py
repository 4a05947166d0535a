"""What is said of timed uses: metrics, budgets, ratios, and when they are not to be compared."""

import io

import pytest
from rich.console import Console

from evals.harness.compare import beside
from evals.harness.types import Counted, Failure, Measurement
from evals.paths import paths as ways
from evals.paths.accounting import Use
from evals.paths.budgets import BUDGETS, kept, kept_in, most, table
from evals.paths.measure import BESIDE, COMPARED, Chosen, measurements
from evals.paths.reference import Reference, unsteady
from evals.paths.using import Timed, Times

EVEN = [0.030] * 20
UNEVEN = [0.030] * 15 + [0.060] * 5
CHOSEN = Chosen(in_price=2.0, out_price=10.0)


def times(path: str, own: dict[str, float], *, asks: bool = False, reference: float = 30.0, calls: int = 1) -> Times:
    def timed(number: float) -> list[Timed]:
        use = Use(number + 2000, 2000, calls, calls, 3000, 100) if asks else Use(number, 0, 0, 0, 0, 0)
        return [Timed(use, reference)]

    return Times(path, asks, {case: timed(number) for case, number in own.items()}, ())


def measured(*every: Times, reference: list[float] = EVEN) -> dict[str, Measurement]:
    return {one.way: one for one in measurements(every, reference, CHOSEN)}


def test_own_time_is_told_as_a_ratio_to_the_reference_around_it() -> None:
    found = measured(times(ways.SEARCH, {"a": 45, "b": 60}))[ways.SEARCH]
    assert found.values["own to mix-1"] == {"a": Counted(1.5), "b": Counted(2.0)}
    assert {one.name: (one.better, one.unit) for one in found.metrics} == {
        "own to mix-1": ("less", "ratio"),
        "whole": ("neither", "ms"),
        "own": ("neither", "ms"),
        "calls": ("less", "calls"),
    }


def test_a_path_with_a_model_tells_its_calls_tokens_and_dollars() -> None:
    found = measured(times(ways.ASK_MODEL, {"a": 60}, asks=True))[ways.ASK_MODEL]
    values = {name: of_cases["a"].part for name, of_cases in found.values.items()}
    assert values == {
        "own to mix-1": 2.0,
        "whole": 2060,
        "own": 60,
        "model": 2000,
        "calls": 1,
        "calls in a row": 1,
        "tokens in": 3000,
        "tokens out": 100,
        "dollars per 1,000 uses": pytest.approx(1000 * (3000 * 2 + 100 * 10) / 1e6),
    }
    assert "example" in next(one.about for one in found.metrics if one.unit == "dollars")
    assert found.made_with["prices"] == "2 $ for a million tokens in, 10 $ out"


def test_of_calls_in_a_row_the_least_of_the_rounds_counts_and_of_all_else_the_middle() -> None:
    rounds = [Timed(Use(100 * row, 0, 5, row, 10, 1), 30.0) for row in (4, 3, 6)]
    found = measured(Times(ways.REVIEW_MODEL, True, {"a": rounds}, ()))[ways.REVIEW_MODEL]
    assert found.values["calls in a row"] == {"a": Counted(3)}
    assert found.values["own"] == {"a": Counted(400)}


def test_a_machine_half_as_fast_has_the_same_ratios() -> None:
    now = measured(times(ways.SEARCH, {"a": 90, "b": 120}, reference=60))[ways.SEARCH]
    then = measured(times(ways.SEARCH, {"a": 45, "b": 60}))[ways.SEARCH]
    verdicts = {one.metric.name: one.verdict for one in beside(now, then).changes}
    assert verdicts == {"own to mix-1": "the same", "whole": "other", "own": "other", "calls": "the same"}


@pytest.mark.parametrize(("factor", "verdict"), [(1.1, "within noise"), (1.9, "worse"), (0.4, "better")])
def test_ratios_are_worse_only_beyond_what_changes_by_itself(factor: float, verdict: str) -> None:
    own = {"a": 45.0, "b": 60.0, "c": 50.0}
    then = measured(times(ways.SEARCH, own))[ways.SEARCH]
    now = measured(times(ways.SEARCH, {case: factor * number for case, number in own.items()}))[ways.SEARCH]
    assert beside(now, then).changes[0].verdict == verdict


@pytest.mark.parametrize(("now", "then"), [(UNEVEN, EVEN), (EVEN, UNEVEN), (UNEVEN, UNEVEN)])
def test_ratios_of_an_uneven_run_make_nothing_worse(now: list[float], then: list[float]) -> None:
    slow, fast = times(ways.SEARCH, {"a": 450}), times(ways.SEARCH, {"a": 45})
    found, before = measured(slow, reference=now), measured(fast, reference=then)
    ratio = beside(found[ways.SEARCH], before[ways.SEARCH]).changes[0]
    assert ratio.metric.unit == "ratio"
    assert ratio.verdict == ("new" if now is not then else "other")
    assert any("not compared" in note for one in (found, before) for note in one[BESIDE].notes)


def test_how_uneven_a_run_was_is_p90_to_p50() -> None:
    assert unsteady(EVEN) == 1
    assert unsteady(UNEVEN) == 2


def test_the_reference_does_its_work_again_and_again(tmp_path) -> None:
    reference = Reference(tmp_path)
    assert [reference() > 0 for _ in range(2)] == [True, True]
    assert len(reference.seconds) == 2
    reference.close()


def test_two_paths_are_set_in_relation_over_the_cases_that_both_have() -> None:
    found = measured(
        times(ways.ASK_MODEL, {"a": 100, "b": 300, "c": 1}, asks=True),
        times(ways.ASK_FILTER, {"a": 150, "b": 450}, asks=True),
    )[BESIDE]
    assert found.values["ask, filter to no filter"] == {"a": Counted(150, 100), "b": Counted(450, 300)}
    assert "MCP over HTTP to search" not in found.values


def test_what_is_compared_and_what_has_a_budget_are_paths() -> None:
    every = {value for name, value in vars(ways).items() if name.isupper() and isinstance(value, str)}
    assert BUDGETS.keys() == every
    assert {path for _, *pair in COMPARED for path in pair} <= every
    assert all(budget.why and budget.most >= 0 for budgets in BUDGETS.values() for budget in budgets)


def test_what_is_over_its_budget_is_a_note_and_red() -> None:
    slow = times(ways.ASK_MODEL, {"a": 100, "b": 400, "c": 500}, asks=True, calls=2)
    found = measured(slow)[ways.ASK_MODEL]
    assert found.notes == (
        "Over its budget: own p50, 400.0 ms where 300.0 ms are allowed.",
        "Over its budget: calls, 2 where 1 are allowed.",
    )
    out = io.StringIO()
    Console(file=out, force_terminal=True, width=140, color_system="standard").print(table(kept_in([found])))
    red = [line for line in out.getvalue().splitlines() if "\x1b[1;31m" in line]
    assert len(red) == 2
    assert "within" in out.getvalue()


def test_a_budget_is_of_the_middle_of_times_and_of_the_worst_of_all_else() -> None:
    values = {
        "own": {"a": Counted(1), "b": Counted(2), "c": Counted(900)},
        "tokens in": {"a": Counted(10), "b": Counted(190_000)},
        "tokens out": {"a": Counted(10), "b": Counted(20_000)},
    }
    found = {one.budget.what: (one.measured, one.over) for one in kept(ways.REVIEW_MODEL, values)}
    assert found["own p50"] == (2, False)
    assert found["tokens"] == (210_000, True)
    assert "calls" not in found


def test_a_path_whose_cases_all_failed_says_so_and_nothing_else() -> None:
    failed = Times(ways.ASK_MODEL, True, {}, (Failure("a", "task", "Unanswered: no"),))
    found = measured(failed)
    assert found[ways.ASK_MODEL].values == {}
    assert found[ways.ASK_MODEL].failures
    bar = found[BESIDE].figures[0].data["paths"][0]
    assert (bar["n"], bar["whole_ms"]) == (0, 0)


def test_the_figure_tells_own_and_model_time_by_path() -> None:
    found = measured(times(ways.ASK_MODEL, {"a": 60, "b": 70, "c": 200}, asks=True))[BESIDE]
    assert found.figures[0].kind == "latency"
    assert found.figures[0].data == {
        "first_s": 0.5,
        "per_second": 60.0,
        "paths": [
            {
                "path": ways.ASK_MODEL,
                "n": 3,
                "whole_ms": 2070,
                "own_ms": 70,
                "model_ms": 2000,
                "own_most_ms": most(ways.ASK_MODEL, "own p50"),
            }
        ],
    }
