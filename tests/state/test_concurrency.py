import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from state.db import open_database
from state.jobs import Jobs
from state.outbox import Outbox
from tests.state.parts import LEASE, accept, answer

JOBS = 200


def drain(jobs, name):
    """Claim and finish until nothing is left; the ids taken."""
    taken = []
    while (claim := jobs.claim(name, LEASE)) is not None:
        taken.append(claim.id)
        jobs.finish(claim, "done", {}, answer(claim))
    return taken


def test_one_trigger_from_many_threads_is_one_job(database):
    jobs = Jobs(database)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: accept(jobs, f"k{n % 25}"), range(400)))
    assert len([job for job in results if job is not None]) == len(jobs.list(limit=1000)) == 25


def test_eight_threads_claim_each_job_once(database):
    jobs, outbox = Jobs(database), Outbox(database)
    ids = [accept(jobs, f"k{n}") for n in range(JOBS)]
    with ThreadPoolExecutor(8) as pool:
        taken = [job for part in pool.map(lambda n: drain(jobs, f"w{n}"), range(8)) for job in part]
    assert sorted(taken) == ids
    assert outbox.counts()["queued"] == JOBS

    def send(name):
        sent = []
        while (delivery := outbox.claim(name, LEASE)) is not None:
            sent.append(delivery.delivery_key)
            outbox.sent(delivery, "c", "url", adopted=False)
        return sent

    with ThreadPoolExecutor(8) as pool:
        sent = Counter(key for part in pool.map(send, "abcdefgh") for key in part)
    assert (len(sent), set(sent.values())) == (JOBS, {1})


PROCESS = """
import sys
from datetime import timedelta
from state.db import open_database
from state.jobs import Jobs
from tests.state.test_concurrency import drain
patient = open_database(sys.argv[1], busy_timeout=timedelta(minutes=2))
print(*drain(Jobs(patient), sys.argv[2]))
"""


def test_several_processes_claim_each_job_once(where):
    database = open_database(where)
    ids = [accept(Jobs(database), f"k{n}") for n in range(JOBS)]
    database.dispose()
    processes = [
        subprocess.Popen([sys.executable, "-c", PROCESS, str(where), f"w{n}"], stdout=subprocess.PIPE, text=True)
        for n in range(3)
    ]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 3
    assert sorted(int(job) for output in outputs for job in output.split()) == ids


def test_of_two_holders_one_wins(database):
    """Both finish at once, one with a lease that ran out: one result, one reply."""
    jobs = Jobs(database)
    for n in range(30):
        accept(jobs, f"k{n}")
        first = jobs.claim("a", timedelta(0))
        second = jobs.claim("b", LEASE)
        with ThreadPoolExecutor(2) as pool:
            outcomes = [pool.submit(jobs.finish, claim, "done", {}, answer(claim)) for claim in (first, second)]
        assert [type(outcome.exception()).__name__ for outcome in outcomes] == ["LeaseLost", "NoneType"]
        assert len(jobs.show(first.id).posts) == 1
