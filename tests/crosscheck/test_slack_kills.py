"""Law 1 on Slack with real processes: heard eight times, killed at any instant, one answer in the thread."""

import pytest

from evals import slack_kills

RUNS = 12
SEED = 3


@pytest.mark.parametrize("number", range(3))
def test_a_killed_service_leaves_one_answer(tmp_path, number):
    """Twelve runs in three groups; `make bench` makes a hundred."""
    share = RUNS // 3
    chosen = list(slack_kills.runs(RUNS, SEED))[number * share : (number + 1) * share]
    outcomes = [slack_kills.one_run(run, tmp_path / str(run.seed)) for run in chosen]
    assert all(outcome.once for outcome in outcomes), [outcome for outcome in outcomes if not outcome.once]
    assert [outcome.deliveries for outcome in outcomes] == [8] * share
    assert max(outcome.attempts for outcome in outcomes) <= 5


def test_the_runs_are_of_every_kind():
    chosen = list(slack_kills.runs(RUNS, SEED))
    assert {run.call for run in chosen} == {"working", "answer", "file", None}
    assert {run.when for run in chosen} == {"arrived", "done", "answered", "dropped"}
    assert {run.mode for run in chosen} == {"socket", "http"}
    assert {run.renewed for run in chosen} == {True, False}
    assert {run.text for run in chosen} == {slack_kills.CASES, slack_kills.QUESTION}
