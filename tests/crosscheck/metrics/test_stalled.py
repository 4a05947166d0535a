"""A worker that is really stopped: a process of its own holds a job, or a post, while a real Prometheus scrapes what is
left of the service. The rules are those of `deploy/`; only what they say has to last (`for`) lasts a second here.
"""

import signal
import threading
from contextlib import closing, contextmanager
from functools import partial

from crosscheck.metrics import PrometheusMetrics
from crosscheck.owner import owning
from crosscheck.roles import ALL, WORK
from crosscheck.serving import service
from evals.kills import LEASE, ShortOfTime, kill, working
from evals.playground import company, secrets_of
from evals.playground import settings as small_settings
from sandbox.server import Sandbox
from tests.crosscheck.live import Live, quick
from tests.crosscheck.metrics.prometheus import program as installed
from tests.crosscheck.metrics.prometheus import scraping, waited

ALL_WELL = {"CrosscheckSourceStale"}
"""Of a service whose sources were never synchronised."""


@contextmanager
def without_a_worker(box, data):
    """The service but for its worker."""
    settings, secrets = quick(small_settings(data, box, lease=LEASE)), secrets_of(box)
    made = ShortOfTime(settings, secrets, metrics=PrometheusMetrics(strict=True))
    with owning(data, "serve"), closing(made), service(made, ALL - {WORK}, syncs=False) as running:
        box.deliver_to(f"{running.url}/webhooks/jira")
        yield Live(box, made, running.url)


LEFT = {
    "CrosscheckWorkerStalled": ("RUN-1", "GET", r"/comment/\d+$"),  # the job's first request
    "CrosscheckPostsStalled": ("RUN-2", "POST", r"/comment$"),
}


def test_a_worker_that_is_stopped_raises_the_alarm_and_one_that_goes_on_ends_it(tmp_path):
    installed("prometheus")
    with (
        Sandbox.start(company(2)) as box,
        without_a_worker(box, tmp_path / "data") as live,
        scraping(live.url, tmp_path / "prometheus") as prometheus,
    ):
        for alert, (key, *request) in LEFT.items():
            reached, goes_on = threading.Event(), threading.Event()
            box.faults.on(*request, partial(strike, reached, goes_on))
            comment = live.ask(key)
            with working(live.program.settings, live.program.secrets) as worker:
                assert reached.wait(20)
                kill(worker, signal.SIGSTOP)
                waited(lambda alert=alert: alert in prometheus.firing(), live.program.jobs.counts)
                assert prometheus.firing() == ALL_WELL | {alert}
                goes_on.set()
                kill(worker, signal.SIGCONT)
                waited(lambda: prometheus.firing() == ALL_WELL, prometheus.firing)
                live.answer(key, comment)  # one, whatever was sent twice
            box.faults.clear()


def strike(reached, goes_on, _exchange):
    reached.set()
    goes_on.wait(30)
