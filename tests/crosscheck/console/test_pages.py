"""What the pages show, that each is a proper one, and that hostile text stays text."""

import re

import pytest

from core.errors import BadQuery
from crosscheck.console.jobs import PAGE
from crosscheck.errors import NothingToOpen
from state.errors import DatabaseLocked
from tests.crosscheck.console.stage import LEASE, Document, cited, review
from tests.crosscheck.console.validity import Page, faults

PATHS = ("/", "/jobs", "/jobs?state=failed", "/sources", "/feedback", "/nothing", "/login", "/jobs/999")
EVIL = "javascript:alert(1)"
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202e{{ 7*7 }}&lt;</pre></td>"
LONG = "x" * 1_000_000


@pytest.fixture(scope="module")
def told(shared_stage):
    """The number of a job that says everything."""
    stage = shared_stage
    stage.document("jira", Document("jira:10001", frozenset({"jira:PAY"})))
    trace = {
        "route": "hybrid",
        "keys": [],
        "arms": [{"name": "words", "collection": "documents", "weight": 0.4, "hits": 7}],
        "candidates": [],
        "left_out": 3,
        "reranker": "overlap",
        "steps": {"arms": 1.25},
    }
    audit = [
        {"step": "shown", "agent": "policy", "sources": ["S1"]},
        {"step": "call", "agent": "policy", "tool": "search", "arguments": {}, "characters": 812},
        {"step": "answer", "agent": "policy", "answer": {}},
    ]
    result = {
        **review(cited("jira:10001", quote="Refunds take 14 days.")),
        "reply": "1. It differs.\n   See the policy.",
        "searches": [{"text": "refund days", "trace": trace}],
        "audit": audit,
    }
    number = stage.job(result=result, rests_on=["jira:10001"])
    stage.feedback.add(number, "Ann", "down", "It was decided on Monday.")
    return int(number)


def test_a_job_tells_its_whole_story(shared_stage, told):
    page = shared_stage.client().get(f"/console/jobs/{told}").text
    for said in (
        "PAY-1",
        "Refunds take 14 days.",
        "1. It differs.\n   See the policy.",
        "attempt 1, by w",
        "refund days",
        "1200",
        "340",
        "looked up with search",
        "812 characters came back",
        "It was decided on Monday.",
        'href="https://jira.example/browse/PAY-1?focusedCommentId=1" rel="noreferrer noopener"',
        '<time datetime="2026-11-02T09:00:00+00:00">2026-11-02 09:00 UTC</time>',
    ):
        assert said in page, said
    assert faults(page) == []


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("labels", [None, ["org"], ["jira:PAY"]])
def test_every_page_is_proper(shared_stage, path, labels):
    answer = shared_stage.client(labels).get(f"/console{path}", follow_redirects=True)
    assert faults(answer.text) == []


def test_what_is_stuck_stands_first_with_what_to_do(stage):
    stage.queued()
    stage.program.jobs.claim("w", LEASE)
    stage.clock.forward(minutes=30)
    page = stage.client().get("/console/").text
    assert "1 job stalled" in page
    assert page.index("What is stuck") < page.index('<h2 id="jobs">')
    assert "see that a process with the role" in page
    assert faults(page) == []


def test_a_failed_job_and_its_error_are_named_with_the_command(stage):
    stage.document("jira", Document("jira:10001", frozenset({"jira:PAY"})))
    number = stage.job(result={"failed": "Jira is away."}, state="failed", error="Jira is away.")
    client = stage.client()
    page = client.get("/console/").text
    assert "1 job failed" in page
    assert "Jira is away." in page
    assert "crosscheck jobs retry" in page
    stage.clock.forward(days=8)
    assert "job failed" not in client.get("/console/").text
    assert f'href="/console/jobs/{number}"' in client.get("/console/jobs?state=failed").text


def test_the_standing_is_sent_again_only_when_it_changed(stage):
    client = stage.client()
    found = re.search(r"state\?seen=([0-9a-f]+)", client.get("/console/").text)
    assert found is not None
    assert client.get(f"/console/state?seen={found[1]}").status_code == 204
    stage.queued()
    changed = client.get(f"/console/state?seen={found[1]}")
    assert changed.status_code == 200
    assert "1 waiting" in changed.text


def test_a_long_list_is_paged_by_plain_links(stage):
    for number in range(PAGE + 3):
        stage.end(stage.queued(f"p{number}"))
    client = stage.client()
    first = client.get("/console/jobs")
    older = next(one["href"] for one in Page(first.text).links if one.get("rel") == "next")
    second = client.get(older)
    rows = [text.count('<th scope="row">') for text in (first.text, second.text)]
    assert rows == [PAGE, 3]
    assert 'rel="next"' not in second.text


@pytest.mark.parametrize(
    "query", ["state=none", "before=x", "before=-1", "before=" + "9" * 400, "state=%00&before=%ff"]
)
def test_odd_queries_are_no_error(shared_stage, query):
    assert shared_stage.client().get(f"/console/jobs?{query}").status_code == 200


@pytest.mark.parametrize("number", ["0", "9" * 30, "-1", "x"])
def test_a_job_that_is_not_there_is_not_found(shared_stage, number):
    answer = shared_stage.client().get(f"/console/jobs/{number}")
    assert answer.status_code == 404
    assert faults(answer.text) == []


def test_empty_pages_say_what_to_do(stage):
    client = stage.client(["org"])
    assert "crosscheck doctor" in client.get("/console/jobs").text
    assert "crosscheck token NAME" in client.get("/console/sources").text
    assert "press a button" in client.get("/console/feedback").text


def hostile(text):
    """A result that says the text wherever a model or a person could have put it."""
    trace = {"route": text, "keys": [text], "arms": [], "candidates": [], "left_out": 0, "steps": {text: 1.0}}
    made = review(cited("jira:10001", text or "x", text, url=EVIL))
    made["review"] |= {"degraded": [text], "made_by": text, "numbers": {text: text}}
    return {
        **made,
        "reply": text,
        "searches": [{"text": text, "trace": {**trace, "reranker": text}}],
        "audit": [{"step": "failed", "agent": text, "reason": text}, {"step": "request", "text": text}],
    }


@pytest.mark.parametrize("text", [HOSTILE, LONG, "\u2066" * 50, ""])
def test_hostile_text_stays_text_and_is_cut(shared_stage, text):
    stage = shared_stage
    stage.document("jira", Document("jira:10001", frozenset({"jira:PAY"}), title=text, unread=(text,), url=EVIL))
    number = stage.job(key=f"hostile{len(text)}", result=hostile(text), error=text, url=EVIL)
    stage.feedback.add(number, text, "down", text)
    client = stage.client()
    for path in ("/", "/jobs", f"/jobs/{number}", "/sources/jira", "/feedback"):
        page = client.get(f"/console{path}").text
        assert faults(page) == [], path
        assert "<script>alert" not in page
        assert "<img" not in page
        assert not any(one["href"].startswith("javascript:") for one in Page(page).links)
        assert not {"\u202e", "\u2066"} & set(page)
        assert len(page) < 300_000
    assert ("{{ 7*7 }}" in client.get(f"/console/jobs/{number}").text) == (text == HOSTILE)


class Failing:
    """Operations that all end in the same way."""

    def __init__(self, error):
        self.error = error

    def run(self, name, arguments, report):
        raise self.error


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (DatabaseLocked("secret"), 503, "Ask again in a minute"),
        (ZeroDivisionError("secret"), 500, "log has the details"),
        (NothingToOpen("It is not there."), 404, "It is not there."),
        (BadQuery("That is no question."), 400, "That is no question."),
    ],
)
def test_a_fault_is_a_page_like_any_other(shared_stage, error, status, told):
    answer = shared_stage.client(operations=Failing(error)).get("/console/jobs")
    assert answer.status_code == status
    assert told in answer.text
    assert "secret" not in answer.text
    assert faults(answer.text) == []


def test_htmx_and_the_style_are_served_from_here(shared_stage):
    client = shared_stage.client(None)
    assert "htmx" in client.get("/console/static/htmx.js").text[:300]
    assert client.get("/console/static/style.css").headers["content-type"].startswith("text/css")
    assert client.get("/console/static/..%2f..%2fsite.py").status_code == 404
