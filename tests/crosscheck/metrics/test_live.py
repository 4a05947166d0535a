"""A running service, scraped by a real Prometheus: an alert fires when the worker hangs, and every panel shows data."""

import json
import re
import threading
import time
from functools import cached_property

import httpx
import pytest
from pydantic import SecretStr

from crosscheck.callers import hashed
from crosscheck.metrics import PrometheusMetrics
from crosscheck.reranking import chain
from crosscheck.settings_deployed import Token
from crosscheck.settings_finding import Reranker, Reranking
from crosscheck.settings_reviewing import Model
from crosscheck.settings_running import Worker
from crosscheck.wiring import Program
from evals.playground import NothingFound, company
from sandbox.load import load_company
from sandbox.model_replies import Fails, Structured
from sandbox.server import Sandbox
from tests.crosscheck.live import Small, at_work, opened, quick
from tests.crosscheck.metrics.prometheus import DEPLOY, program, scraping, waited
from tests.crosscheck.metrics.reading import value, values

ALL_WELL = {"CrosscheckSourceStale"}
"""Of a service whose sources were never synchronised."""
TOKEN = "crosscheck_of_a_test"
AWAY = Reranking(models=(Reranker(kind="server", url="http://127.0.0.1:9", model="away"),), seconds=1)
OF_SLACK = {"crosscheck_slack_connected", "crosscheck_slack_last_heard_timestamp_seconds"}
OUTCOMES = ("done", "degraded")  # of questions while some sources were not synchronised in time


class Waits(NothingFound):
    """A searcher that does not come back."""

    def __init__(self, end: threading.Event) -> None:
        self._end = end

    def search(self, query, audience):
        self._end.wait(60)
        return super().search(query, audience)


class Hanging(Small):
    send_timeout = 0.5

    def __init__(self, box, data, end):
        worker = Worker(threads=1, lease_seconds=3, job_minutes=0.01)
        super().__init__(box, data, changes={"worker": worker}, metrics=PrometheusMetrics(strict=True))
        self._end = end

    @cached_property
    def searcher(self):
        return Waits(self._end)


def test_a_worker_that_hangs_raises_the_alarm_and_one_that_goes_on_ends_it(tmp_path):
    program("prometheus")
    end = threading.Event()
    with Sandbox.start(company(1)) as box, at_work(box, Hanging(box, tmp_path / "data", end), index=False) as live:
        try:
            with scraping(live.url, tmp_path / "prometheus") as prometheus:
                waited(lambda: prometheus.firing() == ALL_WELL, prometheus.firing)
                live.ask("RUN-1")
                waited(lambda: "CrosscheckWorkerStalled" in prometheus.firing(), live.program.jobs.counts)
                assert prometheus.firing() == ALL_WELL | {"CrosscheckWorkerStalled"}
                end.set()
                waited(lambda: prometheus.firing() == ALL_WELL, prometheus.firing)
        finally:
            end.set()


# What is shown.


def queries():
    for path in sorted((DEPLOY / "grafana/dashboards").glob("*.json")):
        for panel in json.loads(path.read_text("utf-8"))["panels"]:
            for target in panel["targets"]:
                yield f"{path.stem}: {panel['title']}: {target['refId']}", target["expr"]


def filled_in(query: str) -> str:
    """As Grafana asks it."""
    return query.replace("$__rate_interval", "5s").replace("$instance", ".*")


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A service after some work: an answer with a model, one without since it failed, and questions of a program."""
    program("prometheus")
    home = tmp_path_factory.mktemp("shown")
    with opened(load_company(), home / "company") as made:
        model = Model(name="openai:scripted", base_url=f"{made.box.model_url}/v1", seconds=5)
        token = Token(name="tests", sha256=hashed(TOKEN), labels=("org",))
        keys = {"model_api_key": SecretStr(made.box.model.key), "metrics_token": SecretStr(TOKEN)}
        running = Program(
            quick(made.settings, model=model, tokens=(token,)),
            made.secrets.model_copy(update=keys),
            metrics=PrometheusMetrics(strict=True),
        )
        with at_work(made.box, running) as live, scraping(live.url, home / "prometheus", token=TOKEN) as prometheus:
            for fails in (False, True):
                work(live, fails=fails)
                time.sleep(1.2)  # two scrapes
            yield live, prometheus


def work(live, *, fails):
    empty = Structured({"verdicts": [], "ranked": [], "findings": []})
    live.box.model.answer_by(lambda _request: Fails(500) if fails else empty)
    live.answer("BKG-142", live.ask("BKG-142"))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    for text in ("BKG-142", "how long is an account locked"):
        found = httpx.post(f"{live.url}/v1/search", json={"text": text}, headers=headers, timeout=30)
        assert found.status_code == 200, found.text
    live.program.sources.sync("jira", False, lambda _message: None)
    passed_over = chain(AWAY, lambda: live.program.card, live.program.metrics).rank("lock", ["a lock", "a key"])
    assert passed_over.degraded


NOT_HERE = {
    "overview: Slack silence: A": "Slack's sandbox is no part of this service",
}
"""Queries that show 0 where there is nothing to show, and why there is nothing here."""


def test_every_query_of_every_panel_returns_data(shown):
    """Of its own: what is said where there is none (`or vector(0)`) does not count."""
    _, prometheus = shown
    assert [name for name, query in queries() if not prometheus.points(filled_in(query))] == []
    own = [(name, query.removesuffix(" or vector(0)")) for name, query in queries()]
    assert {name for name, query in own if not prometheus.points(filled_in(query))} == NOT_HERE.keys()


def test_every_query_of_every_alert_has_its_metrics(shown):
    """An alert on a metric that is not there would never fire."""
    live, _ = shown
    names = {name for name, _ in values(httpx.get(f"{live.url}/metrics").content)}
    wanted = set(re.findall(r"\bcrosscheck_[a-z_]+", (DEPLOY / "prometheus/alerts.yml").read_text("utf-8")))
    assert wanted - names == OF_SLACK  # which is not here; the socket's tests look at it


def test_what_was_done_is_told(shown):
    live, _ = shown
    told = httpx.get(f"{live.url}/metrics").content
    assert value(told, "crosscheck_replies_total", kind="review", outcome="complete") == 1
    assert value(told, "crosscheck_replies_total", kind="review", outcome="degraded") == 1
    assert value(told, "crosscheck_posts_total", outcome="posted") == 2
    ends = [value(told, "crosscheck_calls_total", via="http", operation="search", outcome=one) for one in OUTCOMES]
    assert sum(filter(None, ends)) == 4
    assert value(told, "crosscheck_search_seconds_count", route="exact") >= 2
    assert value(told, "crosscheck_leaked_labels_total", where="search") == 0
    assert value(told, "crosscheck_jobs", state="done") == 2
    assert value(told, "crosscheck_index_chunks", role="searched") == live.program.index.views()[0].chunks
    assert value(told, "crosscheck_syncs_total", source="jira", outcome="done") == 3
    answered = value(told, "crosscheck_model_requests_total", purpose="review", model="scripted", outcome="answered")
    failed = value(told, "crosscheck_model_requests_total", purpose="review", model="scripted", outcome="failed")
    assert answered >= 1
    assert failed >= 1
    limit = live.program.purse.limit
    assert value(told, "crosscheck_model_day_left_tokens") == live.program.purse.left() < limit


def test_only_who_has_the_token_is_answered_from_elsewhere(shown):
    live, _ = shown
    passed_on = {"X-Forwarded-For": "203.0.113.7"}
    assert httpx.get(f"{live.url}/metrics", headers=passed_on).status_code == 404
    assert httpx.get(f"{live.url}/metrics", headers=passed_on | {"Authorization": f"Bearer {TOKEN}"}).status_code == 200
