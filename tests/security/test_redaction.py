"""No secret is written: not in logs, not with foreign errors, not in what is remembered of them."""

import base64
import contextlib
import io
import json
import logging
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import quote, quote_plus

import httpx
import psycopg
import pytest
import requests
import slack_sdk
import structlog
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape
from slack_sdk.errors import SlackApiError

from bots.errors import NotAllowed
from core.types import NullMetrics
from crosscheck.logs import configure
from crosscheck.redaction import INSTEAD, SHORTEST, Redaction
from crosscheck.worker import Worker
from state.db import open_database
from state.jobs import Jobs
from state.outbox import Outbox
from tests import fakes
from tests.crosscheck.commands import own_logging

SECRET = "p4ss/w ö+rd'\"&="
TOKEN = "xyz-0123456789-abc"
PRIVATE = "http://%s@127.0.0.1:1/x?token=%s"


def logged(level, log, secrets=(SECRET, TOKEN)):
    """What is written while `log` runs."""
    written = io.StringIO()
    with own_logging(), contextlib.redirect_stderr(written):
        configure(level, Redaction(secrets))
        log()
    return written.getvalue()


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as held:
        return held.getsockname()[1]


def by_httpx():
    httpx.get(f"http://127.0.0.1:{closed_port()}/{quote(SECRET)}", params={"token": TOKEN}).raise_for_status()


def by_httpx_status():
    """Its words hold the whole address."""
    request = httpx.Request("GET", f"http://x/?token={quote_plus(SECRET)}")
    httpx.Response(403, request=request).raise_for_status()


def by_requests():
    """Its words hold the path and the query."""
    session = requests.Session()
    session.trust_env = False
    session.get(f"http://127.0.0.1:{closed_port()}/", params={"key": SECRET, "token": TOKEN})


def by_psycopg():
    """Its words hold a password that is not encoded as it must be."""
    psycopg.connect(f"postgresql://reader:100%{TOKEN}@127.0.0.1/x")


def by_slack():
    """Slack echoes what it was sent."""
    with Echo() as server:
        client = slack_sdk.WebClient(token=TOKEN, base_url=server.url)
        client.api_call("chat.postMessage", json={"text": SECRET})


def by_hand():
    raise RuntimeError(f"user:{SECRET} -> {base64.b64encode(f'me:{SECRET}'.encode()).decode()}") from ValueError(TOKEN)


class Echo(HTTPServer):
    """Answers with what it was asked, as an error."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Echo)
        self.url = f"http://127.0.0.1:{self.server_port}/"

    def __enter__(self):
        threading.Thread(target=self.handle_request, daemon=True).start()
        return self


class _Echo(BaseHTTPRequestHandler):
    def do_POST(self):
        said = self.rfile.read(int(self.headers["Content-Length"])).decode()
        body = json.dumps({"ok": False, "error": f"{said} {self.headers['Authorization']}"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


FOREIGN = (by_httpx, by_httpx_status, by_requests, by_psycopg, by_slack, by_hand)
ERRORS = (httpx.HTTPError, requests.RequestException, psycopg.Error, SlackApiError, RuntimeError)


def forms(secret):
    plain = secret.encode()
    yield from (secret, quote(secret), quote(secret, safe=""), quote_plus(secret), repr(secret)[1:-1])
    yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    yield from (
        base64.b64encode(plain).decode().rstrip("=")[:-1],
        base64.urlsafe_b64encode(plain).decode().rstrip("=")[:-1],
    )


def shown(text, *secrets):
    return [form for secret in secrets for form in forms(secret) if form in text]


@pytest.mark.parametrize("fail", FOREIGN)
@pytest.mark.parametrize("level", ["debug", "info"])
def test_no_foreign_error_brings_a_secret_into_the_log(fail, level):
    def run():
        try:
            fail()
        except ERRORS as error:
            structlog.get_logger().exception("failed", reason=str(error), raised=error, parts=[{"said": repr(error)}])
            logging.getLogger("library").warning("it failed: %s", error, exc_info=True)

    written = logged(level, run)
    lines = [json.loads(line) for line in written.splitlines()]
    assert [line["event"] for line in lines if "exception" in line or "reason" in line]
    assert shown(written, SECRET, TOKEN) == []


@pytest.mark.parametrize("fail", [by_httpx_status, by_requests, by_psycopg, by_slack, by_hand])
def test_these_errors_do_hold_a_secret(fail):
    """Else the test above proves nothing."""
    with pytest.raises(ERRORS) as raised:
        fail()
    error: BaseException | None = raised.value
    words = ""
    while error is not None:
        words += f"{error} {error!r} "
        error = error.__cause__ or error.__context__
    assert shown(words, SECRET, TOKEN)
    assert shown(Redaction([SECRET, TOKEN])(words), SECRET, TOKEN) == []


def test_what_has_the_shape_of_a_secret_is_taken_out_whoever_it_belongs_to():
    texts = [
        "crosscheck_" + "a" * 43,
        "Authorization: Bearer abcdefgh12345678",
        "{'Authorization': 'Basic dXNlcjpwYXNz'}",
        "xoxb-123456789-abcdef",
        "xapp-1-A0-123456789",
        "postgresql://reader:hunter2@db/x",
    ]
    for text in texts:
        assert INSTEAD in Redaction(())(text)
    for text in (
        "https://jira.example/browse/PAY-1",
        "the bearer of news",
        "crosscheck_jobs_total",
        "10:30 a@b.example",
    ):
        assert Redaction(())(text) == text


@given(st.text(min_size=SHORTEST, max_size=30), st.binary(max_size=4), st.binary(max_size=4), st.text(max_size=5))
def test_law_a_secret_is_found_in_base64_wherever_it_begins(secret, before, after, around):
    try:
        plain = secret.encode()
    except UnicodeEncodeError:
        return
    encoded = base64.b64encode(before + plain + after).decode()
    inner = base64.b64encode(bytes(len(before)) + plain).decode()
    begin, end = (len(before) * 8 + 5) // 6, (len(before) + len(plain)) * 8 // 6
    assert inner[begin:end] not in Redaction([secret])(encoded) or INSTEAD.find(inner[begin:end]) >= 0
    assert secret not in Redaction([secret])(f"{around}{secret}{around}").replace(INSTEAD, "") or secret in INSTEAD


ODD = """it's "q"&<b>=/ü%\\e"""
WRITTEN = {
    "httpx, a password": lambda secret: str(httpx.URL("http://h/").copy_with(username="u", password=secret)),
    "requests": lambda secret: requests.Request("GET", "http://h/", params={"t": secret}).prepare().url,
    "twice in a URL": lambda secret: quote(quote(secret, safe=""), safe=""),
    "Gson": lambda secret: "".join(f"\\u{ord(one):04x}" if one in "'\"&<>=" else one for one in secret),
    "PHP's JSON": lambda secret: json.dumps(secret).replace("/", "\\/"),
    "Jinja": lambda secret: str(escape(secret)),
    "HTML twice": lambda secret: str(escape(str(escape(secret)))),
    "HTML by numbers": lambda secret: "".join(f"&#{ord(one)};" if not one.isalnum() else one for one in secret),
    "HTML by names": lambda secret: secret.replace("&", "&amp;").replace('"', "&quot;").replace("ü", "&uuml;"),
    "libpq": lambda secret: "password='" + secret.replace("\\", r"\\").replace("'", r"\'") + "'",
}


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
def test_a_secret_is_found_however_a_program_escapes_its_signs(write):
    told = Redaction([ODD])(f"before {write(ODD)} after")
    assert INSTEAD in told
    assert (told[:7], told[-6:]) == ("before ", " after")
    assert "q" not in told
    assert "%C3" not in told


@given(st.data(), st.text("ab.-/@!=&+~ 'ü", min_size=SHORTEST, max_size=20))
def test_law_any_sign_may_be_escaped_and_any_other_not(data, secret):
    ways = (lambda one: one, lambda one: quote(one, safe=""), lambda one: f"&#x{ord(one):X};", lambda one: f"\\{one}")
    written = "".join(one if one in "ab" else data.draw(st.sampled_from(ways))(one) for one in secret)
    assert Redaction([secret])(f"<{written}>") == f"<{INSTEAD}>"


@pytest.mark.parametrize("text", ["\\" * 200_000, "a\\" * 100_000, "%25" * 70_000, "&amp;" * 40_000, "://a:" * 40_000])
def test_no_text_takes_long(text):
    redacted = Redaction(["\\" * 12 + "x", "%25%25%25%25%25%25%25x", "&amp;&amp;&amp;&amp;x", "a\\a\\a\\a\\x"])
    begun = time.process_time()
    redacted(text)
    assert time.process_time() - begun < 5


def test_numbers_and_names_of_an_event_stay_a_line_of_json():
    """A secret of digits must not break a number in two."""
    written = logged(
        "info", lambda: structlog.get_logger().info("done", seconds=0.123456, n=123456, who="123456"), ["123456"]
    )
    line = json.loads(written)
    assert (line["seconds"], line["n"], line["who"]) == (0.123456, 123456, INSTEAD)


def test_what_is_remembered_of_an_error_holds_no_secret(tmp_path):
    """An error of our own whose words quote a server that echoes what it was sent."""
    clock, metrics = fakes.Clock(), NullMetrics()
    database = open_database(tmp_path / "test.sqlite")
    jobs = Jobs(database, clock)

    class Echoing:
        def handle(self, claim):
            raise NotAllowed(f"The server says: no {SECRET}, {quote(TOKEN)}")

        give_up = None

    worker = Worker(
        jobs,
        Outbox(database, clock),
        {"comment": Echoing()},
        None,
        name="w",
        threads=1,
        lease=fakes.timedelta(seconds=60),
        limit=fakes.timedelta(minutes=15),
        clock=clock,
        metrics=metrics,
        redacted=Redaction([SECRET, TOKEN]),
    )
    job = jobs.accept("k", "comment", {}, surface="jira", via="test")
    written = logged("debug", worker.run_once)
    view = jobs.show(job)
    assert "The server says: no" in (view.job.error or "")
    assert shown(f"{written} {view}", SECRET, TOKEN) == []
    database.dispose()
