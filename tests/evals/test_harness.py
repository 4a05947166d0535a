"""Cases, intervals, stored runs, and what is called worse."""

import io
import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from evals.harness import stored
from evals.harness.cases import score
from evals.harness.compare import beside, compared
from evals.harness.errors import BadRun
from evals.harness.intervals import difference, overall, wilson
from evals.harness.told import tell
from evals.harness.types import Counted, Failure, Measurement, Metric, Run

RECALL = Metric("recall", "Share of what is to be found that was found")
FALSE = Metric("false findings", "Share of what was told that is wrong", better="less")


def measurement(values: dict[str, dict[str, Counted]], **more) -> Measurement:
    return Measurement("reviews", "sandbox", "rules alone", (RECALL, FALSE), values, **more)


def run(one: Measurement, commit: str = "aaaaaaaaaaaa", at: str = "2026-11-30T10:00:00+00:00") -> Run:
    return Run(commit, at, "2 cores", (one,))


def many(value: float, n: int = 30, spread: float = 0.0) -> dict[str, Counted]:
    return {f"T-{at:02}": Counted(value + spread * (at % 2)) for at in range(n)}


# Cases


def test_a_case_that_fails_and_a_scorer_that_crashes_cost_themselves_alone() -> None:
    def task(number: int) -> int:
        if number == 2:
            raise ValueError("no two\nlines")
        return number * 10

    def crashing(_given: int, out: int) -> dict[str, float]:
        return {"inverse": 1 / (out - 10)}

    told = []
    found = score(
        {"a": 1, "b": 2, "c": 3},
        task,
        {"size": lambda _given, out: {"size": out, "parts": Counted(1, 4)}, "inverse": crashing},
        lambda done, total, name: told.append((done, total, name)),
    )
    assert found.outputs == {"a": 10, "c": 30}
    assert found.values == {
        "size": {"a": Counted(10.0), "c": Counted(30.0)},
        "parts": {"a": Counted(1, 4), "c": Counted(1, 4)},
        "inverse": {"c": Counted(0.05)},
    }
    assert found.failures == (
        Failure("a", "inverse", "ZeroDivisionError: division by zero"),
        Failure("b", "task", "ValueError: no two lines"),
    )
    assert told == [(1, 3, "a"), (2, 3, "b"), (3, 3, "c")]


# Intervals


def test_a_metric_is_the_sum_of_parts_over_the_sum_of_wholes() -> None:
    found = overall({"a": Counted(1, 4), "b": Counted(3, 3), "c": Counted(0, 0)})
    assert found is not None
    assert (found.value, found.n) == (4 / 7, 2)
    assert found.low <= found.value <= found.high
    assert overall({"a": Counted(0, 0)}) is None
    assert overall({}) is None


def test_yes_and_no_have_wilsons_interval() -> None:
    """Of 10 of 10 a bootstrap would say that there is no doubt. Numbers of the formula, worked out by hand."""
    assert wilson(1.0, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert wilson(0.5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    found = overall(many(1.0, 10))
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.7225, 1.0), abs=1e-4)


def test_times_that_are_all_alike_are_no_share() -> None:
    found = overall(many(1.0, 10), share=False)
    assert found is not None
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)


@given(st.dictionaries(st.text(min_size=1, max_size=3), st.floats(0, 1), min_size=1, max_size=12))
def test_a_run_does_not_differ_from_itself(values) -> None:
    counted = {name: Counted(value) for name, value in values.items()}
    found = difference(counted, counted)
    assert found is not None
    assert (found.value, found.low, found.high) == (0, 0, 0)


def test_a_run_does_not_differ_from_what_is_stored_of_it(tmp_path: Path) -> None:
    thirds = {f"T-{at:02}": Counted(1 / 3 if at % 2 else 1.0, 1 + at / 7) for at in range(30)}
    kept = stored.read(stored.write(run(measurement({"recall": thirds})), tmp_path, "reviews"))
    (change,) = beside(measurement({"recall": thirds}), kept.measurements[0]).changes
    assert change.verdict == "the same"


def test_only_cases_that_both_have_are_compared() -> None:
    found = difference({"a": Counted(1), "b": Counted(0)}, {"a": Counted(0), "c": Counted(1)})
    assert found is not None
    assert (found.value, found.n) == (1.0, 1)
    assert difference({"a": Counted(1)}, {"b": Counted(1)}) is None


# What changed


@pytest.mark.parametrize(
    ("before", "now", "verdict"),
    [
        (many(0.9, spread=0.1), many(0.5, spread=0.1), "worse"),
        (many(0.5), many(0.9), "better"),
        (many(0.5), many(0.5), "the same"),
        (many(0.5), {**many(0.5), "T-01": Counted(0.4)}, "within noise"),
        ({"other": Counted(1)}, many(0.5), "not comparable"),
    ],
)
def test_verdicts(before, now, verdict) -> None:
    found = beside(measurement({"recall": now}), measurement({"recall": before}))
    assert [change.verdict for change in found.changes] == [verdict]


def test_less_is_better_where_it_is() -> None:
    found = beside(measurement({"false findings": many(0.5)}), measurement({"false findings": many(0.1)}))
    assert [(it.metric.name, it.verdict) for it in found.worse] == [("false findings", "worse")]


def test_other_cases_and_other_makings_are_said() -> None:
    now = measurement({"recall": many(0.5, 3)}, made_with={"embedder": "a", "set": "1"})
    before = measurement({"recall": many(0.5, 4)}, made_with={"embedder": "b", "set": "1"})
    assert beside(now, before).remarks == (
        "3 of 3 cases were in the stored run, which had 4.",
        "embedder: a, and b then.",
    )


# Files


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    one = measurement(
        {"recall": {"a": Counted(0.1234567, 2), "b": Counted(1)}, "false findings": {"a": Counted(0)}},
        failures=(Failure("c", "task", "ValueError: x"),),
        notes=("Half of it was not done.",),
        made_with={"embedder": "static"},
    )
    path = stored.write(run(one), tmp_path, "eval")
    assert path.name == "aaaaaaaaaaaa-eval.json"
    read = stored.read(path)
    assert read.measurements[0].values["recall"] == {"a": Counted(0.123457, 2.0), "b": Counted(1.0)}
    assert read.measurements[0].failures == one.failures
    assert stored.as_json(read, "eval") == json.loads(path.read_text())
    assert json.loads(path.read_text())["measurements"][0]["metrics"]["recall"]["n"] == 2


def test_the_last_run_is_the_latest_not_the_last_by_name(tmp_path: Path) -> None:
    one = measurement({"recall": many(0.5, 3)})
    stored.write(run(one, "ffffffffffff", "2026-11-01T00:00:00+00:00"), tmp_path, "eval")
    latest = stored.write(run(one, "000000000000", "2026-11-02T00:00:00+00:00"), tmp_path, "eval")
    stored.write(run(one, "111111111111", "2026-11-03T00:00:00+00:00"), tmp_path, "other")
    (tmp_path / "222222222222-eval.json").write_text("{}")
    assert stored.last(tmp_path, "eval") == latest
    assert stored.last(tmp_path / "nowhere", "eval") is None


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"commit": "a", "at": "b", "machine": "c", "measurements": [1]}'])
def test_what_is_no_run_is_refused_with_a_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(BadRun, match="is no stored run"):
        stored.read(path)
    with pytest.raises(BadRun, match="cannot be read"):
        stored.read(tmp_path / "none.json")


# The terminal


def test_what_got_worse_is_told_in_red_and_the_run_is_kept(tmp_path: Path) -> None:
    stored.write(run(measurement({"recall": many(0.9)}), "bbbbbbbbbbbb"), tmp_path, "eval")
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=150, color_system="standard")
    tell(run(measurement({"recall": many(0.4)})), "eval", tmp_path, as_json=False, console=console)
    said = out.getvalue()
    red = next(line for line in said.splitlines() if "bbbbbbbbbbbb-eval.json" in line)
    assert red.startswith("\x1b[1;31m")
    assert "sandbox, rules alone: recall" in red
    assert "-50.0 points" in said
    assert (tmp_path / "aaaaaaaaaaaa-eval.json").exists()


def test_without_a_stored_run_everything_is_new() -> None:
    (one,) = compared(run(measurement({"recall": many(0.5)})), None)
    assert [change.verdict for change in one.changes] == ["new"]


def test_a_unit_stands_once_and_what_is_the_same_is_counted() -> None:
    metrics = tuple(Metric(f"m{at}", "", unit="ms") for at in range(5))
    one = Measurement("latency", "sandbox", "ask", metrics, {it.name: many(1234.56) for it in metrics})
    out = io.StringIO()
    with TemporaryDirectory() as folder:
        stored.write(run(one, "bbbbbbbbbbbb"), Path(folder), "eval")
        tell(run(one), "eval", Path(folder), as_json=False, console=Console(file=out, width=150))
    said = out.getvalue()
    assert "1,235 ms (1,235 to 1,235)" in said
    assert "m2" in said
    assert "m3" not in said
    assert "And 2 more that are the same as then." in said


def test_a_run_of_something_else_is_not_said_to_be_no_worse(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(json.dumps(stored.as_json(run(replace(measurement({"recall": many(0.9)}), set="other")), "eval")))
    out = io.StringIO()
    tell(
        run(measurement({"recall": many(0.4)})),
        "eval",
        None,
        as_json=False,
        against=other,
        console=Console(file=out, width=150),
    )
    assert "Nothing is worse" not in out.getvalue()
    assert "other.json has nothing of what was measured, so nothing is compared." in out.getvalue()
