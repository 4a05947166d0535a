"""`crosscheck health`, as health checks ask it: an exit code."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from crosscheck.owner import announced, owning
from tests.crosscheck.commands import Commands


@contextmanager
def service(data, body, status=200):
    """What owns the folder, and answers this to whoever asks for health."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status if self.path == "/health" else 404)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        with owning(data, "serve"), announced(data, f"http://127.0.0.1:{server.server_port}"):
            try:
                yield
            finally:
                server.shutdown()
                thread.join()


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    (tmp_path / "own.toml").write_text('data = "data"\n')
    return Commands(capsys, monkeypatch, tmp_path / "own.toml", {})


def told(ok, stalled=()):
    return json.dumps({"ok": ok, "jobs": {}, "stalled": stalled}).encode()


def test_a_service_that_is_well(run, tmp_path):
    with service(tmp_path / "data", told(True)):
        done = run("health")
        assert (done.code, done.out) == (0, "The service is well.\n")
        assert run("health", "--json").json["ok"] is True


def test_stalled_jobs_are_named(run, tmp_path):
    with service(tmp_path / "data", told(False, [3, 8]), 503):
        done = run("health")
        assert (done.code, done.out) == (1, "Stalled jobs: 3, 8. See `crosscheck jobs`.\n")
        assert run("health", "--json").code == 1


def test_no_service(run):
    done = run("health")
    assert done.code == 1
    assert "not running" in done.sentence


def test_an_answer_that_is_none(run, tmp_path):
    with service(tmp_path / "data", b"<html>"):
        assert (run("health").code, run("health").sentence) == (1, "The service did not tell its health.")


def test_a_service_that_does_not_answer(run, tmp_path):
    with owning(tmp_path / "data", "serve"), announced(tmp_path / "data", "http://127.0.0.1:1"):
        done = run("health")
    assert done.code == 1
    assert "did not answer" in done.sentence
