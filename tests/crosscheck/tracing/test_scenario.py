"""One request is one trace from the trigger to the post, and no span tells what it is about."""

import dataclasses
from collections.abc import Iterator

import httpx
import pytest
from pydantic import SecretStr

from core.spans import TRACEPARENT
from crosscheck.callers import hashed
from crosscheck.metrics import PrometheusMetrics
from crosscheck.settings_deployed import Token
from crosscheck.settings_reviewing import Model
from crosscheck.tracing import tracing
from crosscheck.wiring import Program
from evals.playground import company
from sandbox.load import load_company
from sandbox.model_replies import Structured
from sandbox.server import Sandbox
from tests.crosscheck.live import Small, at_work, opened, quick
from tests.crosscheck.mcp import test_http as mcp
from tests.crosscheck.tracing.collector import collecting

TOKEN = "crosscheck_of_a_test"
QUESTION = "how long is an account locked after failed attempts"
STRANGER = "0af7651916cd43dd8448eb211c80319c"
HEADERS = {"Authorization": f"Bearer {TOKEN}", "traceparent": f"00-{STRANGER}-b7ad6b7169203331-01"}

SEARCH = "search"

IN_ORDER = (
    "intake",
    "intake.parse",
    "job",
    "job.claim",
    "job.read",
    "review",
    "review.read",
    "review.gather",
    "search",
    "search.embedding",
    "search.candidates",
    "search.fusion",
    "search.reranking",
    "rerank",
    "search.order",
    "review.model",
    "model",
    "review.verify",
    "job.render",
    "job.store",
    "post",
    "post.claim",
    "post.read",
    "post.look",
    "post.labels",
    "post.send",
)
"""The first of each name, by when it began."""
WORDS = {
    "surface": {"jira"},
    "via": {"webhook", "poll", "http", "mcp", "cli"},
    "kind": {"comment"},
    "outcome": {"done", "degraded", "refused", "answered", "scored"},
    "route": {"exact", "hybrid"},
    "reranker": {"late interaction"},
    "purpose": {"review"},
    "model": {"scripted"},
    "operation": {"search", "jobs", "ask"},
    "error.type": {"NothingToReview"},
}
"""All that a span of this scenario may say in words."""


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """A review that was asked for in a comment, and what programs asked; all that was told of it."""
    home = tmp_path_factory.mktemp("traced")
    with collecting() as collector, opened(load_company(), home / "company") as made:
        with tracing(collector.settings) as spans:
            running = Program(
                quick(
                    made.settings,
                    model=Model(name="openai:scripted", base_url=f"{made.box.model_url}/v1", seconds=5),
                    tokens=(Token(name="tests", sha256=hashed(TOKEN), labels=("org",)),),
                ),
                made.secrets.model_copy(update={"model_api_key": SecretStr(made.box.model.key)}),
                metrics=PrometheusMetrics(strict=True),
                spans=spans,
            )
            with at_work(made.box, running, index=False) as live:
                running.sources.sync("jira", True, lambda _: None)
                live.box.model.answer_by(lambda _: Structured({"verdicts": [], "ranked": [], "findings": []}))
                live.answer("BKG-142", live.ask("BKG-142"))
                for text in ("BKG-142", QUESTION):
                    asked = httpx.post(f"{live.url}/v1/search", json={"text": text}, headers=HEADERS, timeout=30)
                    assert asked.status_code == 200, asked.text
                asked_over_mcp(live.url)
        yield made, collector


def asked_over_mcp(url):
    more = mcp.session(f"{url}/mcp", TOKEN) | {"traceparent": HEADERS["traceparent"]}
    answer = mcp.post(f"{url}/mcp", TOKEN, mcp.call(SEARCH, text=QUESTION), **more)
    assert answer.status_code == 200
    assert "isError" not in answer.text.replace('"isError":false', "")


def test_a_request_is_one_trace_from_the_trigger_to_the_post(traced):
    _, collector = traced
    intake = collector.one("intake")
    mine = sorted(
        (span for span in collector.spans if span.trace == intake.trace), key=lambda span: (span.began, -span.ended)
    )
    firsts = dict.fromkeys(span.name for span in mine)
    assert set(IN_ORDER) <= set(firsts), sorted(firsts)
    assert [name for name in firsts if name in IN_ORDER] == list(IN_ORDER)
    assert {span.parent for span in mine if span.name in {"job", "post"}} == {intake.id}
    assert intake.parent == b""


def test_each_span_lies_in_the_one_above(traced):
    _, collector = traced
    by_id = {span.id: span for span in collector.spans}
    for span in collector.spans:
        above = by_id.get(span.parent)
        if above is None:
            assert span.parent == b"", span
        elif span.name not in {"job", "post"}:  # which follow the trigger when their turn comes
            assert above.began <= span.began <= span.ended <= above.ended + 1_000_000, (above, span)


def test_calls_are_traces_of_their_own_that_link_to_their_caller(traced):
    _, collector = traced
    calls = [span for span in collector.named("call") if span.told["via"] in {"http", "mcp"}]
    assert sorted(span.told["via"] for span in calls) == ["http", "http", "mcp"]
    assert [span.parent for span in calls] == [b""] * 3
    assert [span.links for span in calls] == [(bytes.fromhex(STRANGER),)] * 3
    assert len({span.trace for span in calls} | {collector.one("intake").trace}) == 4
    searches = [span for span in collector.named("search") if span.parent in {call.id for call in calls}]
    assert len(searches) == 3


def test_words_are_from_a_short_list_and_the_rest_are_numbers(traced):
    _, collector = traced
    said = {(name, value) for span in collector.spans for name, value in span.told.items() if isinstance(value, str)}
    assert said <= {(name, value) for name, values in WORDS.items() for value in values}
    model = collector.named("model")[0].told
    assert model["tokens_in"] > 0
    assert model["tokens_out"] > 0


def strings(value) -> Iterator[str]:
    """All texts of a company, each of its lines."""
    if isinstance(value, str):
        yield from value.splitlines()
    elif dataclasses.is_dataclass(value):
        for one in dataclasses.fields(value):
            yield from strings(getattr(value, one.name))
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from strings(key)
            yield from strings(one)
    elif isinstance(value, tuple | list | set | frozenset):
        for one in value:
            yield from strings(one)


def test_nothing_that_was_asked_read_or_kept_secret_is_told(traced):
    made, collector = traced
    corpus = {text.strip() for text in strings(made.box.company) if len(text.strip()) > 5}
    assert len(corpus) > 500
    secrets = {getattr(made.secrets, name) for name in ("jira_read_token", "jira_post_token", "confluence_token")}
    kept = {secret.get_secret_value() for secret in secrets} | {made.box.model.key, TOKEN, hashed(TOKEN)}
    places = {made.box.jira_url, made.box.confluence_url, made.box.model_url, "BKG-142", QUESTION, "org", "qa-check"}
    values = {str(value) for span in collector.spans for value in (span.name, *span.told.values())}
    raw = collector.raw
    # A word of the corpus may be one of ours ("search"): a text of it is none.
    assert [text for text in corpus if text in values or (len(text) > 12 and text in raw)] == []
    assert [text for text in kept | places if text in raw and text != "org"] == []


def test_a_request_goes_on_in_its_trace_after_a_restart(tmp_path):
    """What takes it and what works on it are two processes as far as spans go: only the database is between them."""
    with collecting() as collector, Sandbox.start(company(1)) as box:
        with tracing(collector.settings) as spans:
            first = Small(box, tmp_path / "data", spans=spans)
            first.floor()
            comment = box.jira.add_comment("RUN-1", box.company.tickets[0].reporter, "#qa-check")
            for _ in range(2):  # the second round sees it once more, and tells nothing
                first.pollers["jira"].poller.poll_once()
            stored = first.jobs.show(1).payload[TRACEPARENT]
            first.close()
        with (
            tracing(collector.settings) as spans,
            at_work(box, Small(box, tmp_path / "data", spans=spans), index=False) as live,
        ):
            live.answer("RUN-1", comment)
            assert live.program.jobs.show(1).posts[0].payload[TRACEPARENT] == stored
        intake = collector.one("intake")
        assert {collector.one(name).parent for name in ("job", "post")} == {intake.id}
        assert {collector.one(name).trace for name in ("job", "post")} == {intake.trace}
        assert stored == f"00-{intake.trace.hex()}-{intake.id.hex()}-{stored[-2:]}"


def test_without_tracing_nothing_is_added_to_what_is_stored(tmp_path):
    with Sandbox.start(company(1)) as box, at_work(box, Small(box, tmp_path / "data"), index=False) as live:
        live.answer("RUN-1", live.ask("RUN-1"))
        view = live.program.jobs.show(1)
    assert TRACEPARENT not in view.payload
    assert TRACEPARENT not in view.posts[0].payload
