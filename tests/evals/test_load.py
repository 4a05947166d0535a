"""A small busy hour against `crosscheck serve` in its own process: each fault once, nothing lost, nothing double."""

from evals.load.faults import KINDS
from evals.load.measure import SMALL, measure
from evals.load.table import of_load


def test_a_small_busy_hour_with_every_fault_once_loses_and_doubles_nothing(tmp_path):
    lines = []
    found = measure(tmp_path, SMALL, lines.append)
    assert found.good, of_load(found)
    assert found.verdict.questions == SMALL.size.tickets + SMALL.size.pages + SMALL.size.mentions
    assert found.faults.keys() == set(KINDS), found.faults
    assert found.ended.get("told: -9") == 1, found.ended
    assert found.deliveries > 2 * SMALL.size.mentions, "events are repeated"
    assert any("asked" in line for line in lines), "progress is shown"
