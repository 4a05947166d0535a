"""Law 1 with real processes: killed or stopped at any instant, one visible reply."""

import signal
import time
from threading import Event

import pytest

from bots.events import Noticed
from evals import kills
from evals.places import SURFACES
from evals.playground import company, delivery_key, secrets_of, settings
from sandbox.server import Sandbox

RUNS = 20


@pytest.fixture(scope="module")
def box():
    with Sandbox.start(company(RUNS + 1, pages=RUNS)) as started:
        yield started


@pytest.mark.parametrize("number", range(4))
def test_a_killed_worker_leaves_one_reply(box, tmp_path, number):
    """Twenty runs in four groups, on every surface of comments; `make bench` makes two hundred."""
    share, surfaces = RUNS // 4, list(SURFACES)
    chosen = list(kills.instants(RUNS, seed=3))[number * share : (number + 1) * share]
    outcomes = [
        kills.one_run(box, surfaces[(number + n) % len(surfaces)], number * share + n + 1, tmp_path / str(n), instant)
        for n, instant in enumerate(chosen)
    ]
    assert [outcome.visible for outcome in outcomes] == [1] * share, outcomes
    assert all(outcome.settled for outcome in outcomes), outcomes
    assert max(outcome.attempts for outcome in outcomes) <= 5


def test_at_least_a_third_of_the_runs_die_between_the_first_byte_and_the_acknowledgement():
    assert sum(instant in kills.BETWEEN for instant in kills.instants(RUNS, seed=3)) * 3 >= RUNS


def test_a_worker_stopped_beyond_its_lease_and_woken_again_does_not_post(box, tmp_path):
    """Stopped (SIGSTOP) while it looks for the key; another posts meanwhile; then it goes on."""
    ticket = f"RUN-{RUNS + 1}"
    chosen, secrets = settings(tmp_path, box, lease=kills.LEASE), secrets_of(box)
    program = kills.ShortOfTime(chosen, secrets)
    program.floor()
    looking, go_on = Event(), Event()

    def hold(_exchange):
        if not looking.is_set():
            looking.set()
            go_on.wait(20)

    comment = box.jira.add_comment(ticket, "po-1", "#qa-check")
    issue = box.jira.issue(ticket).id
    program.intake("jira").accept(Noticed("jira", issue, ticket, comment, None, "test"), "poll")
    with kills.working(chosen, secrets) as slow:
        _once_reviewed(program)
        box.faults.on("GET", rf"/issue/{issue}/comment", hold, stage="done")
        assert looking.wait(10)
        kills.kill(slow, signal.SIGSTOP)
        go_on.set()
        time.sleep(2 * kills.LEASE)
        with kills.working(chosen, secrets):
            give_up = time.monotonic() + 20
            while program.jobs.show(1).posts[0].state != "sent" and time.monotonic() < give_up:
                time.sleep(0.02)
        kills.kill(slow, signal.SIGCONT)
        time.sleep(1)
    box.faults.clear()
    assert program.jobs.show(1).posts[0].state == "sent"
    assert sum(delivery_key(raw) is not None for raw in box.jira.comments(ticket)) == 1
    program.close()


def _once_reviewed(program):
    give_up = time.monotonic() + 20
    while not program.jobs.show(1).posts and time.monotonic() < give_up:
        time.sleep(0.001)
