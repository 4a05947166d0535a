"""What needs no model, in one run: parts by name, and a part that comes to nothing is told."""

import pytest
import typer

from evals.harness.types import Counted, Measurement, Metric
from evals.suite import _chosen, measured

RECALL = Metric("recall", "Share of what is to be found that was found")
GOOD = Measurement("retrieval", "sandbox", "search", (RECALL,), {"recall": {"a": Counted(1)}})


def test_a_part_that_fails_costs_itself_alone() -> None:
    def failing(_report):
        yield GOOD
        raise RuntimeError("the index is gone")

    def fine(report):
        report("begun")
        yield GOOD

    told = []
    good, failed = measured({"reviews": failing, "retrieval": fine}, told.append)
    assert told == ["begun"]
    assert good == GOOD
    assert (failed.part, failed.metrics) == ("reviews", ())
    assert [one.reason for one in failed.failures] == ["RuntimeError: the index is gone"]


def test_parts_are_chosen_by_name_in_their_own_order() -> None:
    assert list(_chosen([])) == ["retrieval", "answers", "reviews", "latency"]
    assert list(_chosen(["latency", "retrieval"])) == ["retrieval", "latency"]
    with pytest.raises(typer.BadParameter, match=r"no part 'speed'\. There are: retrieval, answers"):
        _chosen(["speed"])
