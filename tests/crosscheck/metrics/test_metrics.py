"""Reporting: what fits is kept, what does not costs nobody anything, and nothing grows without bound."""

import math
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from crosscheck.errors import UndeclaredMetric
from crosscheck.metrics import MOST_VALUES, OTHER, PrometheusMetrics
from crosscheck.metrics_table import SUCCESS, TABLE, Sample
from state.db import open_database
from state.jobs import Jobs
from tests.crosscheck.metrics.reading import value, values

POLLS = "crosscheck_polls_total"


def test_each_kind_is_kept():
    metrics = PrometheusMetrics(strict=True)
    metrics.count(POLLS, surface="jira", outcome="done")
    metrics.count(POLLS, 2, surface="jira", outcome="done")
    metrics.gauge("crosscheck_worker_busy", 2)
    metrics.gauge("crosscheck_worker_busy", 1)
    metrics.observe("crosscheck_sync_seconds", 4.0, source="jira")
    assert value(metrics, POLLS, surface="jira", outcome="done") == 3
    assert value(metrics, "crosscheck_worker_busy") == 1
    assert value(metrics, "crosscheck_sync_seconds_sum", source="jira") == 4
    assert value(metrics, "crosscheck_sync_seconds_bucket", source="jira", le="5.0") == 1
    assert value(metrics, "crosscheck_sync_seconds_bucket", source="jira", le="1.0") == 0


WRONG = {
    "unknown": lambda metrics: metrics.count("crosscheck_nonsense_total"),
    "another kind": lambda metrics: metrics.observe(POLLS, 1, surface="jira", outcome="done"),
    "a label too few": lambda metrics: metrics.count(POLLS, surface="jira"),
    "a label too many": lambda metrics: metrics.count(POLLS, surface="jira", outcome="done", person="Ana"),
    "negative": lambda metrics: metrics.count(POLLS, -1, surface="jira", outcome="done"),
    "not a number": lambda metrics: metrics.gauge("crosscheck_worker_busy", math.nan),
    "read at scrape time": lambda metrics: metrics.gauge("crosscheck_jobs_stalled", 1),
}


@pytest.mark.parametrize("report", WRONG.values(), ids=WRONG.keys())
def test_what_does_not_fit_is_an_error_in_tests_and_logged_once_in_production(report):
    with pytest.raises(UndeclaredMetric):
        report(PrometheusMetrics(strict=True))
    metrics = PrometheusMetrics()
    before = {name for name, _ in values(metrics)}
    with capture_logs() as logs:
        report(metrics)
        report(metrics)
    assert [line["event"] for line in logs] == ["metric refused"]
    assert {name for name, _ in values(metrics)} == before


def test_what_an_alert_counts_begins_at_zero():
    metrics = PrometheusMetrics()
    for step in ("review", "posting"):
        assert value(metrics, "crosscheck_exhausted_total", step=step) == 0
    for where in ("search", "posting"):
        assert value(metrics, "crosscheck_leaked_labels_total", where=where) == 0


@given(st.lists(st.text(), min_size=1, max_size=3 * MOST_VALUES))
def test_labels_are_bounded_and_nothing_is_lost(names):
    metrics = PrometheusMetrics(strict=True, most_values=5)
    for name in names:
        metrics.count("crosscheck_errors_total", part="call", kind=name)
    found = {dict(key[1])["kind"]: one for key, one in values(metrics).items() if key[0] == "crosscheck_errors_total"}
    assert sum(found.values()) == len(names)
    assert len(found) <= 6
    assert len(set(names)) <= 5 or OTHER in found


def test_threads_may_report_at_once():
    metrics = PrometheusMetrics(strict=True)

    def report(number):
        for turn in range(200):
            metrics.count("crosscheck_errors_total", part="call", kind=f"Kind{(number + turn) % 100}")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(report, range(8)))
    found = {key: one for key, one in values(metrics).items() if key[0] == "crosscheck_errors_total"}
    assert (sum(found.values()), len(found)) == (1600, MOST_VALUES + 1)


def test_the_process_is_told_and_no_series_of_creation_times():
    names = {name for name, _ in values(PrometheusMetrics())}
    assert {"process_resident_memory_bytes", "process_open_fds", "process_cpu_seconds_total"} <= names
    assert not [name for name in names if name.endswith("_created")]


# At scrape time.


def busy(_count=1):
    yield Sample("crosscheck_jobs_stalled", 3)
    yield Sample("crosscheck_jobs", 2, {"state": "queued"})


def test_the_state_is_read_when_it_is_asked_for():
    metrics = PrometheusMetrics(strict=True)
    reads = []
    metrics.read_at_scrape({"jobs": lambda: reads.append(1) or busy()})
    assert reads == []
    assert value(metrics, "crosscheck_jobs_stalled") == 3
    assert value(metrics, "crosscheck_jobs", state="queued") == 2
    assert value(metrics, SUCCESS, collector="jobs") == 1


def test_a_part_that_fails_or_hangs_costs_only_itself_and_scrapes_do_not_pile_up():
    metrics = PrometheusMetrics(strict=True)
    end = threading.Event()
    hung = []

    def hangs():
        hung.append(1)
        end.wait(30)
        return [Sample("crosscheck_queue_age_seconds", 9)]

    def fails():
        yield Sample("crosscheck_worker_busy", 1)
        raise OSError("no disk")

    metrics.read_at_scrape({"jobs": busy, "index": hangs, "sources": fails}, seconds=0.2)
    began = time.monotonic()
    for _ in range(3):
        told = metrics.exposition()
        assert value(told, "crosscheck_jobs_stalled") == 3
        assert value(told, "crosscheck_queue_age_seconds") is None
        assert [value(told, SUCCESS, collector=name) for name in ("jobs", "index", "sources")] == [1, 0, 0]
    assert time.monotonic() - began < 5
    assert len(hung) == 1
    end.set()
    deadline = time.monotonic() + 10
    while value(metrics, "crosscheck_queue_age_seconds") != 9:
        assert time.monotonic() < deadline
    assert value(metrics, SUCCESS, collector="index") == 1


def test_a_locked_database_does_not_hold_up_a_scrape(tmp_path):
    path = tmp_path / "test.sqlite"
    database = open_database(path)
    metrics = PrometheusMetrics(strict=True)
    jobs = Jobs(database)
    metrics.read_at_scrape({"jobs": lambda: [Sample("crosscheck_jobs_stalled", len(jobs.stalled()))]}, seconds=0.5)
    assert value(metrics, "crosscheck_jobs_stalled") == 0
    database.dispose()  # so that another connection can have the file for itself
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode=EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    began = time.monotonic()
    told = metrics.exposition()
    assert time.monotonic() - began < 5, "the database itself waits for ten seconds"
    assert value(told, "crosscheck_jobs_stalled") is None
    assert value(told, SUCCESS, collector="jobs") == 0
    other.execute("COMMIT")
    other.close()
    deadline = time.monotonic() + 15
    while value(metrics, SUCCESS, collector="jobs") != 1:
        assert time.monotonic() < deadline
    database.dispose()


def test_what_is_closed_is_not_read_any_more_and_lets_a_scrape_go():
    """Else a scrape at the program's end would open the index anew that was closed just then."""
    metrics = PrometheusMetrics(strict=True)
    begun, end, reads, told = threading.Event(), threading.Event(), [], []

    def hangs():
        reads.append(1)
        begun.set()
        end.wait(30)
        return [Sample("crosscheck_queue_age_seconds", 9)]

    metrics.read_at_scrape({"jobs": busy, "index": hangs}, seconds=20)
    scrape = threading.Thread(target=lambda: told.append(metrics.exposition()))
    scrape.start()
    assert begun.wait(10)
    closing = threading.Thread(target=metrics.close)
    closing.start()
    scrape.join(10)
    assert not scrape.is_alive(), "a scrape does not hold up the end"
    assert value(told[0], SUCCESS, collector="index") == 0
    assert closing.is_alive(), "what is being read is waited for: it is closed only after"
    end.set()
    closing.join(10)
    assert not closing.is_alive()
    assert value(metrics, SUCCESS, collector="jobs") == 0
    assert len(reads) == 1


def test_what_hangs_does_not_hold_up_the_end_for_long():
    metrics = PrometheusMetrics(strict=True)
    end = threading.Event()

    def hangs():
        end.wait(30)
        return busy()

    metrics.read_at_scrape({"index": hangs}, seconds=0.2)
    metrics.exposition()
    began = time.monotonic()
    metrics.close()
    assert 0.1 < time.monotonic() - began < 5
    end.set()


def test_a_gauge_shows_nothing_before_it_is_set():
    """Where there is no Slack, nobody is to be woken since it is not connected."""
    metrics = PrometheusMetrics(strict=True)
    assert value(metrics, "crosscheck_slack_connected") is None
    metrics.gauge("crosscheck_slack_connected", 0)
    assert value(metrics, "crosscheck_slack_connected") == 0


def test_the_table_is_exposed_whole():
    metrics = PrometheusMetrics(strict=True)
    for metric in TABLE:
        if metric.kind == "gauge" and not metric.at_scrape:
            metrics.gauge(metric.name, 1, **dict.fromkeys(metric.labels, "x"))
    told = metrics.exposition().decode()
    assert [metric.name for metric in TABLE if not metric.at_scrape and f"# TYPE {metric.name} " not in told] == []
