"""Law 1 over PostgreSQL with real processes: one is stopped beyond its lease, another one answers."""

import signal
import time
from threading import Event

import pytest

from bots.events import Noticed
from crosscheck.settings_running import State
from evals import kills
from evals.playground import company, delivery_key, secrets_of, settings
from evals.postgres import programs, running
from sandbox.server import Sandbox
from tests.conftest import missing
from tests.crosscheck.live import until


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if (installed := programs()) is None:
        missing("PostgreSQL's server is not installed")
    with running(installed, tmp_path_factory.mktemp("pg")) as cluster:
        yield cluster


@pytest.mark.parametrize(("method", "stage"), [("GET", "done"), ("POST", "arrived"), ("POST", "done")])
def test_a_worker_stopped_beyond_its_lease_leaves_one_answer(cluster, tmp_path, method, stage):
    """While it looks whether it has answered, before its answer is written there, and after."""
    with Sandbox.start(company(1)) as box:
        chosen, secrets = settings(tmp_path, box, lease=kills.LEASE), secrets_of(box)
        chosen = chosen.model_copy(update={"state": State(url=cluster.create())})
        program = kills.ShortOfTime(chosen, secrets)
        program.floor()
        reached, go_on = Event(), Event()

        def hold(_exchange):
            if not reached.is_set() and program.jobs.show(1).posts:  # what is read for the review is let through
                reached.set()
                go_on.wait(60)

        comment, issue = box.jira.add_comment("RUN-1", "po-1", "#qa-check"), box.jira.issue("RUN-1").id

        def answers():
            return sum(delivery_key(raw) is not None for raw in box.jira.comments("RUN-1"))

        def stands():
            view = program.jobs.show(1)
            return view.posts and view.posts[0].state == "sent"

        program.intake("jira").accept(Noticed("jira", issue, "RUN-1", comment, None, "test"), "poll")
        box.faults.on(method, rf"/issue/{issue}/comment", hold, stage=stage)
        with kills.working(chosen, secrets) as slow:
            assert reached.wait(90)
            kills.kill(slow, signal.SIGSTOP)
            if stage == "arrived":  # what is written late is written before anybody goes on
                with kills.working(chosen, secrets):
                    until(stands, "another one's answer", 90)
                go_on.set()
                until(lambda: answers() == 2, "the late answer", 90)
            else:
                go_on.set()
                with kills.working(chosen, secrets):
                    until(stands, "another one's answer", 90)
            kills.kill(slow, signal.SIGCONT)
            until(lambda: answers() == 1, "one answer")
            time.sleep(2 * kills.LEASE)
        assert (answers(), program.jobs.counts()["done"]) == (1, 1)
        program.close()
