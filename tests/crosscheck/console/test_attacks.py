"""What strangers and curious viewers try with the console."""

import threading

import pytest
from starlette.testclient import TestClient

from core.store.base import point_id
from crosscheck.call_rate import CallRate
from crosscheck.callers import Callers, hashed
from crosscheck.console.site import NOT_NOW
from crosscheck.settings import Jira, Secrets, Settings
from crosscheck.settings_deployed import Token
from crosscheck.web_parts import create_server
from crosscheck.wiring import Program
from state.errors import DatabaseLocked
from tests import fakes
from tests.crosscheck.console.stage import ALL, SAME_SITE, Document, cited, review


@pytest.fixture
def token():
    return Token(name="viewer", sha256=hashed("token-viewer"), labels=ALL)


@pytest.fixture
def served(tmp_path, token):
    """The whole application of a process with the role web."""
    jira = Jira(site="https://jira.example", read_user="r", post_user="p", projects=("PAY",))
    settings = Settings(data=tmp_path, jira=jira, tokens=(token,), limits={"calls_minute": 2})
    secrets = Secrets(jira_read_token="read-token", jira_post_token="post-token")
    program = Program(settings, secrets, metrics=fakes.Tally(), clock=fakes.Clock())
    yield create_server(program, "card", frozenset({"web"})).config.app
    program.close()


def test_a_number_of_thousands_of_digits_is_an_address_like_another(shared_stage):
    for labels, status in ((None, 303), (ALL, 404)):
        for number in ("9" * 5000, "9" * 19, "1e3", "-1", "٣"):
            assert shared_stage.client(labels).get(f"/console/jobs/{number}").status_code == status


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/console/", 503), ("GET", "/console/nowhere", 404), ("POST", "/console/login", 503)],
)
def test_while_it_cannot_be_told_who_is_revoked_nobody_is_let_in_and_it_is_said(
    shared_stage, token, method, path, status
):
    def revoked():
        raise DatabaseLocked("the database is locked")

    client = shared_stage.client(callers=Callers([token], revoked))
    answer = client.request(
        method, path, data={"token": "token-viewer"} if method == "POST" else None, headers=SAME_SITE
    )
    assert answer.status_code == status
    assert (NOT_NOW in answer.text) == (status == 503)
    assert "locked" not in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(("method", "path"), [("GET", "/console/jobs"), ("POST", "/console/login")])
def test_a_slow_look_for_revoked_tokens_holds_up_nothing_else(shared_stage, token, method, path):
    """It is looked in the database, which may be locked for as long as another process writes: deliveries must not
    wait for a visitor meanwhile.
    """
    looking, enough = threading.Event(), threading.Event()

    def revoked():
        looking.set()
        enough.wait(10)
        return frozenset()

    with shared_stage.client(callers=Callers([token], revoked)) as client:
        form = {"token": "token-viewer"} if method == "POST" else None
        visitor = threading.Thread(
            target=client.request, args=(method, path), kwargs={"data": form, "headers": SAME_SITE}
        )
        visitor.start()
        try:
            assert looking.wait(5)
            other = threading.Thread(target=client.get, args=("/console/static/style.css",))
            other.start()
            other.join(3)
            assert not other.is_alive()
        finally:
            enough.set()
            visitor.join()
            other.join()


def test_the_pages_of_a_token_count_with_its_calls(served):
    """Else `limits.calls_minute` would be for those alone who do not know of the console."""
    client = TestClient(served, base_url="http://localhost:8765", headers={"Authorization": "Bearer token-viewer"})
    assert [client.get("/console/search?q=refund").status_code for _ in range(3)] == [200, 200, 429]
    assert 1 <= int(client.get("/console/jobs").headers["retry-after"]) <= 60
    assert client.post("/v1/search", json={"text": "refund"}).status_code == 429
    assert client.get("/console/login").status_code == 200


def test_viewers_count_each_for_themselves(shared_stage):
    rate = CallRate(1)
    assert rate.take("another") == 0
    assert shared_stage.client(rate=rate).get("/console/jobs").status_code == 200
    assert shared_stage.client(rate=rate).get("/console/jobs").status_code == 429


@pytest.mark.parametrize("path", ["/console", "/console/jobs/"])
def test_nobody_is_led_to_a_host_that_the_request_names(served, path):
    for host in ("evil.example", "localhost:8765"):
        answer = TestClient(served, follow_redirects=False).get(path, headers={"Host": host})
        assert answer.headers.get("location", "/console/") == "/console/"


def test_what_is_almost_the_same_as_a_hidden_document_does_not_tell_its_title(stage):
    """A twin that was closed since the search: its title stood in the other's fate."""
    stage.document(
        "jira",
        Document("jira:10001", frozenset({"jira:PAY"})),
        Document("jira:10002", frozenset({"jira:PAY"})),
        Document("jira:10003", frozenset({"jira:SEC"})),
    )

    def candidate(document, title, fate):
        return {"id": point_id(document, 0, "documents"), "title": title, "kind": "ticket", "fate": fate, "ranks": {}}

    candidates = [
        candidate("jira:10001", "Refund", "result 1"),
        candidate("jira:10002", "Copy", "like Refund"),
        candidate("jira:10002", "Another copy", "like Refunds of the board"),
        candidate("jira:10003", "Refunds of the board", "result 2"),
    ]
    trace = {"route": "hybrid", "keys": [], "arms": [], "candidates": candidates, "left_out": 0, "steps": {}}
    audit = [
        {"step": "source", "id": f"S{n}", "kind": "ticket", "document": f"jira:1000{n}", "title": "t"}
        for n in (1, 2, 3)
    ]
    result = review(
        cited("jira:10001"), searches=[{"text": "refund", "trace": {**trace, "reranker": None}}], audit=audit
    )
    job = stage.job(result=result)
    seen = stage.client(("jira:PAY",)).get(f"/console/jobs/{job}").text
    assert "like Refund<" in seen
    assert "like another" in seen
    assert "board" not in seen
    assert "like Refunds of the board" in stage.client(ALL).get(f"/console/jobs/{job}").text


def test_how_much_is_indexed_is_told_to_who_may_read_all_of_it(stage):
    stage.document("jira", Document("jira:10001", frozenset({"jira:PAY"})), Document("jira:2", frozenset({"jira:SEC"})))
    pages = {labels: stage.client(labels).get("/console/").text for labels in (("jira:PAY",), ALL)}
    assert "not for your labels</td>" in pages["jira:PAY",]
    assert "not for your labels</td>" not in pages[ALL]
