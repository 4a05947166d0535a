"""Ordered faults, as a real client meets them."""

import socket
import time
from urllib.parse import urlsplit

import pytest
import requests

from sandbox.server import Sandbox
from tests.sandbox_fixtures import company, paragraph

COMMENT = "/issue/SHOP-1/comment"


def post(client, **more):
    return client.jira("POST", COMMENT, json={"body": paragraph("answer"), **more})


def written(sandbox):
    return len(sandbox.jira.comments("SHOP-1")) - 3


def test_a_status_with_headers_as_often_as_ordered(sandbox, bot):
    sandbox.faults.add("POST", r"/comment$", "status", times=2, status=429, headers={"Retry-After": "3"})
    answers = [post(bot) for _ in range(3)]
    assert [a.status_code for a in answers] == [429, 429, 201]
    assert answers[0].headers["Retry-After"] == "3"
    assert written(sandbox) == 1
    assert sandbox.faults.pending == 0


def test_dropped_before_nothing_is_written(sandbox, bot):
    sandbox.faults.add("POST", r"/comment$", "drop_before")
    with pytest.raises(requests.ConnectionError):
        post(bot)
    assert written(sandbox) == 0
    assert post(bot).status_code == 201


def test_dropped_after_the_comment_stands(sandbox, bot):
    sandbox.faults.add("POST", r"/comment$", "drop_after")
    with pytest.raises(requests.ConnectionError):
        post(bot)
    assert written(sandbox) == 1
    assert sandbox.exchanges.all()[-1].status == 0


def test_wider_loses_the_visibility_only(sandbox, bot):
    sandbox.faults.add("POST", r"/comment$", "wider")
    properties = [{"key": "sd.public.comment", "value": {"internal": True}}, {"key": "mark", "value": 1}]
    created = post(bot, visibility={"type": "role", "value": "Owners"}, properties=properties)
    assert created.status_code == 201
    assert "visibility" not in created.json()
    assert sandbox.jira.comments("SHOP-1")[-1]["properties"] == properties[1:]


def test_a_login_page_instead_of_json(sandbox, reader):
    sandbox.faults.add("*", "/myself", "html")
    answer = reader.get("/myself")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html;charset=UTF-8")
    assert answer.text.startswith("<!DOCTYPE html>")


def test_latency_goes_with_a_further_fault(sandbox, reader):
    sandbox.faults.add("GET", "/myself", "latency", seconds=0.2)
    sandbox.faults.add("GET", "/myself", "status", status=503)
    started = time.monotonic()
    assert reader.get("/myself").status_code == 503
    assert time.monotonic() - started >= 0.2


def test_hanging_ends_with_the_clients_patience(sandbox, reader):
    sandbox.faults.add("GET", "/myself", "hang")
    with pytest.raises(requests.ReadTimeout):
        reader.session.get(sandbox.jira_url + "/rest/api/3/myself", timeout=0.2)
    assert reader.get("/myself").status_code == 200


def test_closing_does_not_wait_for_a_hanging_request():
    with Sandbox.start(company()) as sandbox, socket.create_connection(_address(sandbox)) as client:
        sandbox.faults.add("GET", "/", "hang")
        client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n")
        while sandbox.faults.pending:
            time.sleep(0.005)
        started = time.monotonic()
        sandbox.close()
        assert client.recv(10) == b""
        assert time.monotonic() - started < 1


def _address(sandbox):
    parts = urlsplit(sandbox.jira_url)
    return parts.hostname, parts.port


def test_faults_work_on_every_server(sandbox, reader):
    sandbox.faults.add("GET", "/wiki/api/v2/spaces", "status", status=500)
    sandbox.faults.add("POST", "/v1/messages", "drop_before")
    assert reader.wiki("/api/v2/spaces").status_code == 500
    with pytest.raises(requests.ConnectionError):
        requests.post(sandbox.model_url + "/v1/messages", json={}, timeout=5)


def test_hooks_are_called_around_the_write(sandbox, bot):
    seen = []
    for stage in ("arrived", "done", "answered"):
        sandbox.faults.on("POST", r"/comment$", lambda _, at=stage: seen.append((at, written(sandbox))), stage=stage)
    post(bot)
    for _ in range(100):  # the answer's own hook comes after the answer
        if len(seen) == 3:
            break
        time.sleep(0.05)
    assert seen == [("arrived", 0), ("done", 1), ("answered", 1)]
    sandbox.faults.clear()
    post(bot)
    assert len(seen) == 3


def test_a_request_cut_short_does_nothing(sandbox, bot):
    def half():
        yield b'{"body":'
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bot.jira("POST", COMMENT, data=half())
    assert post(bot).status_code == 201
    assert written(sandbox) == 1


def test_exchanges_hold_what_went_over_the_wire(sandbox, bot):
    post(bot)
    exchange = sandbox.exchanges.all("jira")[-1]
    assert (exchange.method, exchange.path, exchange.status) == ("POST", "/rest/api/3" + COMMENT, 201)
    assert b"answer" in exchange.body
    assert b"answer" in exchange.response_body
    assert sandbox.post_token not in repr(exchange)
    sandbox.exchanges.recording = False
    post(bot)
    assert len(sandbox.exchanges) == 1


def test_a_big_body_is_refused(bot):
    assert bot.jira("POST", COMMENT, data=b"x" * 4_100_000).status_code == 413
