"""Spans are a tree over threads and processes, tell no error's words, and are sent without delaying anybody."""

import logging
import os
import subprocess
import sys
import threading
import time
from contextvars import copy_context

import pytest

from core.spans import OFF, TRACEPARENT, carried, ended, forget, now, step, tell
from crosscheck.settings_running import Tracing
from crosscheck.tracing import QUEUE, tracing
from tests.crosscheck.tracing.collector import collecting

SECRET = "what the ticket says"
STRANGER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def collector():
    with collecting() as found:
        yield found


def test_without_a_collector_nothing_is_there():
    with tracing(Tracing()) as spans, spans.begin("job"):
        assert spans is OFF
        assert carried() == {}
        with step("search"):
            tell(evidence=1)
            ended("search.exact", now())
            forget()


def test_the_sdk_is_not_imported_where_no_spans_are_wanted():
    code = "import sys, crosscheck.serving; sys.exit(any(name.startswith('opentelemetry.sdk') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_steps_are_a_tree(collector):
    with tracing(collector.settings, "t0ken") as spans, spans.begin("job", kind="comment", attempt=1):
        ended("job.claim", now() - 5_000_000)
        with step("review"):
            with step("search"):
                tell(route="exact")
            with step("search"):
                pass
    job, review, claim = collector.one("job"), collector.one("review"), collector.one("job.claim")
    assert (job.parent, review.parent, claim.parent) == (b"", job.id, job.id)
    assert [span.parent for span in collector.named("search")] == [review.id] * 2
    assert {span.trace for span in collector.spans} == {job.trace}
    assert job.told == {"kind": "comment", "attempt": 1}
    assert collector.named("search")[0].told == {"route": "exact"}
    assert claim.ended - claim.began >= 5_000_000
    assert collector.tokens == {"Bearer t0ken"}


def test_an_error_is_told_by_its_type(collector):
    def fails(spans):
        with spans.begin("job"), step("search"):
            raise LookupError(SECRET)

    with tracing(collector.settings) as spans, pytest.raises(LookupError):
        fails(spans)
    assert all(span.failed and span.told == {"error.type": "LookupError"} for span in collector.spans)
    assert len(collector.spans) == 2
    assert SECRET not in collector.raw


def test_what_was_stored_goes_on_in_the_same_trace(collector):
    with tracing(collector.settings) as spans, spans.begin("intake"):
        payload = carried()
    with tracing(collector.settings) as later, later.begin("job", parent=payload[TRACEPARENT]):
        pass
    assert collector.one("job").trace == collector.one("intake").trace
    assert collector.one("job").parent == collector.one("intake").id


@pytest.mark.parametrize("stored", ["", "nonsense", "00-" + "0" * 32 + "-" + "0" * 16 + "-01", "é" * 9])
def test_what_is_no_parent_is_none(collector, stored):
    with tracing(collector.settings) as spans, spans.begin("job", parent=stored, caller=stored):
        pass
    assert collector.one("job").parent == b""
    assert collector.one("job").links == ()


def test_a_caller_is_linked_to_and_decides_nothing(collector):
    """Neither that it is told, nor that it is not: the last digits are whether the caller's own trace is."""
    with tracing(collector.settings) as spans:
        for flags in ("01", "00"):
            with spans.begin("call", caller=STRANGER[:-2] + flags):
                pass
    first, second = collector.named("call")
    assert first.parent == second.parent == b""
    assert first.trace != second.trace
    assert first.links == second.links == (bytes.fromhex(STRANGER.split("-")[1]),)


def test_what_came_to_nothing_is_not_told(collector):
    with tracing(collector.settings) as spans:
        with spans.begin("intake"):
            forget()
        with spans.begin("intake", via="poll"):
            pass
    assert collector.one("intake").told == {"via": "poll"}


def test_a_share_of_requests_is_told_each_whole_or_not_at_all(collector):
    some = collector.settings.model_copy(update={"ratio": 0.3})
    with tracing(some) as spans:
        for _ in range(300):
            with spans.begin("intake"):
                payload = carried()
            with spans.begin("job", parent=payload[TRACEPARENT]), step("search"):
                pass
    traces = {name: {span.trace for span in collector.named(name)} for name in ("intake", "job", "search")}
    assert traces["intake"] == traces["job"] == traces["search"]
    assert 40 < len(traces["intake"]) < 140


def test_another_thread_takes_the_context_that_it_is_given(collector):
    with tracing(collector.settings) as spans, spans.begin("job"):
        for run in (lambda work: work(), copy_context().run):
            thread = threading.Thread(target=run, args=(_step,))
            thread.start()
            thread.join()
    assert collector.one("search").parent == collector.one("job").id


def _step():
    with step("search"):
        pass


# Sending.


def test_a_collector_that_hangs_delays_nobody_and_the_end_but_little(collector):
    collector.hangs = threading.Event()
    try:
        began = time.monotonic()
        with tracing(collector.settings) as spans:
            for _ in range(600):  # more than are sent at once, so that the sending begins
                with spans.begin("job"):
                    pass
            assert time.monotonic() - began < 1
            assert collector.came.wait(5)
            began = time.monotonic()
        assert time.monotonic() - began < 2
    finally:
        collector.hangs.set()


def test_a_collector_that_is_away_delays_nobody_and_the_end_but_little(caplog):
    with caplog.at_level(logging.CRITICAL):
        began = time.monotonic()
        with tracing(Tracing(endpoint="http://127.0.0.1:9/v1/traces")) as spans, spans.begin("job"):
            pass
        assert time.monotonic() - began < 2


def test_what_waits_to_be_sent_is_bounded(collector, caplog):
    collector.hangs = threading.Event()
    with caplog.at_level(logging.CRITICAL), tracing(collector.settings) as spans:
        for number in range(2 * QUEUE):
            with spans.begin("job", attempt=number):
                pass
        collector.hangs, hung = None, collector.hangs
        hung.set()
    numbers = [span.told["attempt"] for span in collector.named("job")]
    assert len(numbers) <= QUEUE + 512
    assert 2 * QUEUE - 1 in numbers, "the oldest are dropped"


def test_the_environment_changes_nothing():
    """The settings alone say where spans go: a variable for other programs of the host must not send ours there."""
    with collecting() as ours, collecting() as others:
        code = (
            "import sys\n"
            "from crosscheck.settings_running import Tracing\n"
            "from crosscheck.tracing import tracing\n"
            "for endpoint in ('', sys.argv[1]):\n"
            "    with tracing(Tracing(endpoint=endpoint)) as spans, spans.begin('job'): pass\n"
        )
        foreign = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": others.url,
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{others.url}/v1/traces",
            "OTEL_TRACES_SAMPLER": "always_off",
            "OTEL_RESOURCE_ATTRIBUTES": "person=ana",
        }
        command = [sys.executable, "-c", code, ours.settings.endpoint]
        subprocess.run(command, env=os.environ | foreign, check=True, timeout=60)
    assert ours.one("job")
    assert "ana" not in ours.raw
    assert others.requests == []


def test_the_web_server_tells_nothing_by_itself():
    """FastAPI would, of addresses and of what was wrong with a request, where the host's environment asks it to."""
    with collecting() as others:
        code = (
            "from starlette.routing import Mount\n"
            "from starlette.testclient import TestClient\n"
            "from fastapi import FastAPI\n"
            "from core.types import NullMetrics\n"
            "from crosscheck.web import create_app\n"
            "inner = FastAPI()\n"
            "app = create_app(hooks={}, operations=None, token='t', health=lambda: {'ok': True},\n"
            "    metrics=NullMetrics(), further=[Mount('/v1', inner)])\n"
            "with TestClient(app) as web:\n"
            "    assert web.get('/health').status_code == 200\n"
            "    assert web.get('/v1/nothing').status_code == 404\n"
        )
        asked_to = {"FASTAPI_OTEL_AUTO_CONFIGURE": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": others.url}
        subprocess.run([sys.executable, "-c", code], env=os.environ | asked_to, check=True, timeout=60)
    assert not others.came.is_set()
