"""Eight real worker processes on one real server, killed and replaced at random until everything is settled."""

from evals.claims import kill_run


def test_eight_workers_that_are_killed_answer_every_job_once(cluster, tmp_path):
    outcome = kill_run(cluster.create(), tmp_path / "platform", jobs=200, workers=8, kills=60, seed=10)
    assert outcome.kills > 5  # as many as there was time for
    assert sum(count for tries, count in outcome.attempts.items() if tries > 1) > 0  # they held something
    assert outcome.settled
    assert (outcome.ended_once, outcome.doubled, outcome.missing, outcome.out_of_order) == (200, 0, 0, 0)
    assert max(outcome.attempts) <= 5
    assert set(outcome.attempts) != {1}, "no kill cost anybody an attempt, so that nothing was proven"
