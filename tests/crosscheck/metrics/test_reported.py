"""What the parts report, each through the protocol, to metrics that refuse what is not declared."""

import asyncio
import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage

from bots.errors import CameOutWider, Unavailable
from bots.polling import keep_polling
from core.embedders import Embedders
from core.embedding.static import StaticEmbedder
from core.errors import SourceUnavailable
from core.search import Searcher
from core.store.base import Scope
from core.types import Audience, Freshness, Query
from crosscheck.counted import Counted
from crosscheck.errors import NothingToOpen
from crosscheck.generation import IndexView
from crosscheck.metrics import PrometheusMetrics
from crosscheck.metrics_state import state_readers
from crosscheck.metrics_table import SUCCESS
from review.agents.counted import CountedModel
from state.db import open_database
from state.errors import DatabaseUnusable
from state.jobs import Jobs
from state.outbox import Outbox
from state.spending import Spending
from state.types import NewPost
from tests import fakes
from tests.core.parts import EVERYBODY, Bench, document
from tests.crosscheck.metrics.reading import value


@pytest.fixture
def metrics():
    return PrometheusMetrics(strict=True)


# Calls.


class Operations:
    def __init__(self, *ends):
        self._ends = list(ends)

    def run(self, name, arguments, report):
        end = self._ends.pop(0)
        if isinstance(end, Exception):
            raise end
        return end


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        ({"evidence": []}, "done"),
        ({"degraded": []}, "done"),
        ({"degraded": ["no reranker"]}, "degraded"),
        (NothingToOpen("not there"), "refused"),
        (SourceUnavailable("away"), "failed"),
        (ZeroDivisionError(), "failed"),
    ],
)
def test_a_call_is_counted_by_how_it_ends_and_ends_as_it_would(metrics, end, outcome):
    counted = Counted(Operations(end), "mcp", metrics)
    if isinstance(end, Exception):
        with pytest.raises(type(end)) as raised:
            counted.run("search", {}, print)
        assert raised.value is end
    else:
        assert counted.run("search", {}, print) is end
    assert value(metrics, "crosscheck_calls_total", via="mcp", operation="search", outcome=outcome) == 1
    assert value(metrics, "crosscheck_call_seconds_count", via="mcp", operation="search") == 1
    errors = value(metrics, "crosscheck_errors_total", part="call", kind=type(end).__name__)
    assert errors == (1 if outcome == "failed" else None)


# Models.


def asked(metrics, answer, name="scripted", seconds=5.0):
    model = CountedModel(FunctionModel(answer, model_name=name), "review", metrics)

    async def ask():
        async with asyncio.timeout(seconds):
            return await model.request([ModelRequest(parts=[])], None, ModelRequestParameters())

    return asyncio.run(ask())


def of_model(metrics, name, **labels):
    return value(metrics, name, purpose="review", **{"model": "scripted", **labels})


def test_a_model_is_counted_in_requests_tokens_and_seconds(metrics):
    response = ModelResponse(parts=[TextPart("yes")], usage=RequestUsage(input_tokens=700, output_tokens=30))
    assert asked(metrics, lambda _messages, _info: response).parts == response.parts
    assert of_model(metrics, "crosscheck_model_requests_total", outcome="answered") == 1
    assert of_model(metrics, "crosscheck_model_tokens_total", direction="in") == 700
    assert of_model(metrics, "crosscheck_model_tokens_total", direction="out") == 30
    assert of_model(metrics, "crosscheck_model_request_seconds_count") == 1
    assert of_model(metrics, "crosscheck_model_cost_dollars_total") == 0, "nobody publishes the price of this one"


def test_a_model_with_a_published_price_costs(metrics):
    usage = RequestUsage(input_tokens=1_000_000, output_tokens=0)
    priced = ModelResponse(parts=[TextPart("yes")], usage=usage, model_name="gpt-4o", provider_name="openai")
    CountedModel(FunctionModel(lambda *_: priced, model_name="gpt-4o"), "review", metrics)._used(priced)
    assert of_model(metrics, "crosscheck_model_cost_dollars_total", model="gpt-4o") == pytest.approx(2.5)


def test_a_model_that_fails_is_counted_by_its_error_and_raises_it(metrics):
    def fails(_messages, _info):
        raise ModelHTTPError(500, "scripted")

    with pytest.raises(ModelHTTPError):
        asked(metrics, fails)
    assert of_model(metrics, "crosscheck_model_requests_total", outcome="failed") == 1
    assert value(metrics, "crosscheck_errors_total", part="model", kind="ModelHTTPError") == 1
    assert of_model(metrics, "crosscheck_model_tokens_total", direction="in") is None


def test_a_model_that_is_given_up_is_counted_so(metrics):
    async def hangs(_messages, _info):
        await asyncio.sleep(60)

    with pytest.raises(TimeoutError):
        asked(metrics, hangs, seconds=0.05)
    assert of_model(metrics, "crosscheck_model_requests_total", outcome="given up") == 1


# Finding.

STAFF = frozenset({"org", "repo:secret"})


class Leaky:
    """A store whose filters have a fault: everybody is let in everywhere."""

    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        method = getattr(self._store, name)
        return lambda *given, **named: method(*map(wide, given), **{key: wide(one) for key, one in named.items()})


def wide(given):
    if isinstance(given, Scope):
        return replace(given, audience=Audience(STAFF))
    return Audience(STAFF) if isinstance(given, Audience) else given


@pytest.fixture(scope="module")
def finding(tmp_path_factory):
    made = Bench(tmp_path_factory.mktemp("index") / "index", Embedders.same(StaticEmbedder()))
    secret = document("The lockout of PAY-7 is ten minutes.", id="wiki:2", title="Secret", labels=STAFF)
    made.index(document("The lockout of an account is described for PAY-7.", id="wiki:1"), secret)
    yield made
    made.store.close()


@pytest.mark.parametrize("question", ["PAY-7", "how long is the lockout of an account"])
def test_what_a_faulty_filter_lets_through_is_withheld_and_counted(metrics, finding, question):
    right = Searcher(finding.store, finding.embedders, metrics).search(Query(question), EVERYBODY)
    assert value(metrics, "crosscheck_leaked_labels_total", where="search") == 0
    leaky = Searcher(Leaky(finding.store), finding.embedders, metrics)
    found = leaky.search(Query(question), EVERYBODY)
    assert {one.document_id for one in found.evidence} == {one.document_id for one in right.evidence} == {"wiki:1"}
    assert value(metrics, "crosscheck_leaked_labels_total", where="search") == 1
    assert leaky.open_document("wiki:2", EVERYBODY) == ()
    assert value(metrics, "crosscheck_leaked_labels_total", where="search") == 2
    assert "wiki:2" in {one.document_id for one in leaky.search(Query(question), Audience(STAFF)).evidence}


def test_a_search_is_timed_by_route_and_step(metrics, finding):
    searcher = Searcher(finding.store, finding.embedders, metrics)
    searcher.search(Query("PAY-7"), EVERYBODY)
    searcher.search(Query("how long is the lockout"), EVERYBODY)
    step = "crosscheck_search_step_seconds_count"
    assert value(metrics, step, step="exact", route="exact") == 1
    assert value(metrics, step, step="exact", route="hybrid") == 1
    assert value(metrics, step, step="fusion", route="hybrid") == 1
    assert value(metrics, step, step="fusion", route="exact") is None
    for route in ("exact", "hybrid"):
        assert value(metrics, "crosscheck_search_seconds_count", route=route) == 1


# Polling.


def test_polling_tells_when_it_last_succeeded(metrics):
    stop, told = threading.Event(), []

    def poll_once():
        told.append(value(metrics, "crosscheck_poll_last_success_timestamp_seconds", surface="jira"))
        if len(told) == 2:
            raise Unavailable("away")
        if len(told) == 4:
            stop.set()

    began = time.time()
    keep_polling(poll_once, stop, 0.05, surface="jira", metrics=metrics)
    before_any, after_first, after_failure, after_third = told
    assert began <= before_any < after_first == after_failure < after_third <= time.time()
    assert value(metrics, "crosscheck_errors_total", part="poll", kind="Unavailable") == 1


# Working.


def test_attempts_errors_and_what_is_given_up_are_counted(bench, metrics):
    bench.metrics = metrics
    bench.review_errors = [SourceUnavailable("away")] * 5
    bench.ask()
    bench.drain()
    assert value(metrics, "crosscheck_attempts_total", step="review", outcome="retry") == 5
    assert value(metrics, "crosscheck_errors_total", part="review", kind="SourceUnavailable") == 5
    assert value(metrics, "crosscheck_exhausted_total", step="review") == 1
    assert value(metrics, "crosscheck_exhausted_total", step="posting") == 0
    assert value(metrics, "crosscheck_worker_busy") == 0


def test_a_reply_that_came_out_wider_is_a_leak(bench, metrics):
    bench.metrics = metrics
    bench.platform.failures = [CameOutWider("Jira showed it to everybody; it was deleted.")]
    bench.ask()
    bench.drain()
    assert value(metrics, "crosscheck_leaked_labels_total", where="posting") == 1


def test_the_worker_has_a_heartbeat_from_its_start(bench, metrics):
    bench.metrics = metrics
    worker = bench.worker()
    worker.start()
    try:
        end = time.monotonic() + 10
        while value(metrics, "crosscheck_worker_heartbeat_timestamp_seconds") != bench.clock().timestamp():
            assert time.monotonic() < end
        assert value(metrics, "crosscheck_worker_threads") == 1
    finally:
        worker.stop()


def test_replies_tell_whether_all_went_as_it_should(bench, metrics):
    bench.metrics = metrics
    bench.ask()
    bench.drain()
    assert value(metrics, "crosscheck_replies_total", kind="review", outcome="complete") == 1
    assert value(metrics, "crosscheck_replies_total", kind="review", outcome="degraded") == 0


# The state.


def test_the_state_is_told_as_it_is(tmp_path, metrics):
    clock = fakes.Clock()
    database = open_database(tmp_path / "test.sqlite")
    jobs, outbox = Jobs(database, clock), Outbox(database, clock)
    purse = Spending(database, purpose="review", limit=1000, clock=clock)
    view = IndexView("a", "edge", "here", searched=True, complete=True, chunks=7, disk=4096, documents="d", code="c")
    readers = state_readers(
        database, jobs, outbox, Known(), lambda: [view, replace(view, searched=False, chunks=2)], purse
    )
    metrics.read_at_scrape(readers)
    for number in range(3):
        jobs.accept(f"k{number}", "comment", {}, surface="jira", via="poll")
    jobs.claim("w", fakes.timedelta(seconds=60))
    clock.forward(seconds=90)
    purse.take(400)
    told = metrics.exposition()
    assert value(told, "crosscheck_jobs", state="queued") == 2
    assert value(told, "crosscheck_jobs", state="running") == 1
    assert value(told, "crosscheck_jobs", state="failed") == 0
    assert value(told, "crosscheck_queue_age_seconds") == 90
    assert value(told, "crosscheck_jobs_stalled") == 1
    assert value(told, "crosscheck_outbox_posts", state="queued") == 0
    assert value(told, "crosscheck_source_stale", source="wiki") == 1
    assert value(told, "crosscheck_source_failed", source="wiki") == 1
    assert value(told, "crosscheck_source_last_success_timestamp_seconds", source="wiki") is None
    assert value(told, "crosscheck_source_last_success_timestamp_seconds", source="jira") == fakes.START.timestamp()
    assert value(told, "crosscheck_source_period_seconds", source="jira") == 900
    assert value(told, "crosscheck_index_chunks", role="searched") == 7
    assert value(told, "crosscheck_index_chunks", role="filled") == 2
    assert value(told, "crosscheck_index_disk_bytes", role="searched") == 4096
    assert value(told, "crosscheck_model_day_left_tokens") == 600
    assert value(told, "crosscheck_database_up", engine="sqlite") == 1
    parts = ("database", "jobs", "outbox", "sources", "index", "tokens")
    assert [value(told, SUCCESS, collector=part) for part in parts] == [1] * 6
    database.dispose()


def test_posts_that_wait_and_posts_that_were_left_are_told_apart(tmp_path, metrics):
    """A second part waits for the first, whose next attempt is not due: nobody is late."""
    clock = fakes.Clock()
    database = open_database(tmp_path / "test.sqlite")
    jobs, outbox = Jobs(database, clock), Outbox(database, clock)
    metrics.read_at_scrape(state_readers(database, jobs, outbox, Known(), tuple, None))
    minute = fakes.timedelta(minutes=1)
    jobs.accept("k", "comment", {}, surface="jira", via="poll")
    parts = [NewPost(f"k|answer|{part}", part=part, parts=2, payload={}) for part in (1, 2)]
    jobs.finish(jobs.claim("w", minute), "done", {}, parts)

    def late():
        told = metrics.exposition()
        return value(told, "crosscheck_outbox_age_seconds"), value(told, "crosscheck_outbox_stalled")

    assert late() == (0, 0)
    clock.forward(seconds=90)
    assert late() == (90, 0)
    first = outbox.claim("w", minute)
    assert late() == (0, 0), "the second part can only be sent after the first"
    clock.forward(seconds=61)
    assert late() == (0, 1)
    first = outbox.claim("w", minute)
    outbox.fail(first, "not now", fakes.timedelta(minutes=30))
    clock.forward(seconds=600)
    assert late() == (0, 0)
    database.dispose()


class Away:
    """A database whose server does not answer."""

    def __init__(self, database):
        self._database = database

    @contextmanager
    def reading(self):
        with self._database.reading() as session:
            yield session
            raise DatabaseUnusable("The server cannot be reached.")


def test_a_database_that_does_not_answer_is_told(tmp_path, metrics):
    database = open_database(tmp_path / "test.sqlite")
    readers = state_readers(Away(database), Jobs(database), Outbox(database), Known(), tuple, None)
    metrics.read_at_scrape(readers)
    assert value(metrics, "crosscheck_database_up", engine="sqlite") == 0
    database.dispose()


class Known:
    """Sources."""

    minutes = {"jira": 15, "wiki": 30}  # noqa: RUF012  a fake

    def all(self):
        return [
            Freshness("jira", 4, fakes.START, stale=False),
            Freshness("wiki", 0, None, stale=True, last_error="away"),
        ]
