"""Tokens of programs: revoked at once in every process, and counted by the minute."""

import threading
import time
from contextlib import closing

import httpx
import pytest
from fastapi import FastAPI
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from core.types import NullMetrics
from crosscheck.api import create_api
from crosscheck.call_rate import CallRate
from crosscheck.callers import FRESH, Callers, Remembered, hashed
from crosscheck.counted import Counted
from crosscheck.for_callers import ForCallers
from crosscheck.mcp.calls import Limits
from crosscheck.mcp.http import LOOK_AGAIN, McpApp
from crosscheck.settings_deployed import Token
from crosscheck.web import create_app
from sandbox.load import load_company
from state.db import open_database
from state.errors import DatabaseLocked
from state.revocations import Revocations
from tests import fakes
from tests.crosscheck.commands import Commands
from tests.crosscheck.live import opened
from tests.crosscheck.mcp.fake import KEY, NOW, Operations
from tests.crosscheck.mcp.test_http import HEADERS, call, post, session
from tests.crosscheck.programs_attacks.test_floods import FOUND, running

TOKENS = (
    Token(name="builders", sha256=hashed("of-builders"), labels=("org",)),
    Token(name="others", sha256=hashed("of-others"), labels=("org",)),
)


class Found:
    """Every search has an answer."""

    def run(self, _name, _arguments, _report):
        return FOUND


class Seconds:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def database(tmp_path):
    database = open_database(tmp_path / "tokens.sqlite")
    yield database
    database.dispose()


# Revoked


def test_a_revoked_token_is_refused_on_its_next_call_and_others_are_not(database):
    revocations, clock = Revocations(database, fakes.Clock()), Seconds()
    callers = Callers(TOKENS, Remembered(revocations.every, clock))
    assert callers.of("of-builders").name == "builders"
    assert revocations.revoke(hashed("of-builders"), "builders", "root")
    clock.now += FRESH
    assert callers.of("of-builders") is None
    assert callers.by_headers(["Bearer of-builders"]) is None
    assert callers.of("of-others").name == "others"
    assert not revocations.revoke(hashed("of-builders"), "builders", "somebody else")
    (one,) = revocations.all()
    assert (one.name, one.by, one.at) == ("builders", "root", fakes.START)


def test_another_process_refuses_it_within_a_second(database, tmp_path):
    """Each process has the table and a memory of its own."""
    with closing_database(open_database(tmp_path / "tokens.sqlite")) as elsewhere:
        here = Callers(TOKENS, Remembered(Revocations(database).every))
        assert here.of("of-builders")
        Revocations(elsewhere).revoke(hashed("of-builders"), "builders", "root")
        begun = time.monotonic()
        while here.of("of-builders") and time.monotonic() - begun < 5:
            time.sleep(0.02)
        assert time.monotonic() - begun <= FRESH + 0.5


def closing_database(database):
    database.close = database.dispose
    return closing(database)


def test_the_table_is_looked_at_once_a_second_whoever_asks():
    looked, clock = [], Seconds()
    remembered = Remembered(lambda: looked.append(1) or frozenset(), clock)
    threads = [threading.Thread(target=remembered) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(looked) == 1
    clock.now += FRESH
    remembered()
    assert len(looked) == 2


def unusable():
    raise DatabaseLocked("Another program is writing.")


def test_nobody_is_let_in_while_it_cannot_be_told_who_is_revoked():
    callers = Callers(TOKENS, Remembered(unusable))
    app = FastAPI()
    app.mount("/v1", create_api(ForCallers(Found()), callers))
    answer = TestClient(app).post("/v1/search", json={"text": "x"}, headers={"Authorization": "Bearer of-builders"})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")
    with served(callers) as url:
        assert post(f"{url}/mcp", "of-builders", call("search", text="x")).status_code == 503
        assert post(f"{url}/mcp", "wrong", call("search", text="x")).status_code == 401


class served:  # noqa: N801  used like a function
    """MCP and HTTP on loopback; entered, the address."""

    def __init__(self, callers, rate=None, operations=None):
        outside = operations or ForCallers(Found())
        mcp = McpApp(outside, callers.of, key=KEY, clock=lambda: NOW, limits=Limits(at_once=4), rate=rate)
        app = create_app(
            hooks={},
            operations=outside,
            token="of-commands",
            health=lambda: {"ok": True},
            metrics=fakes.Tally(),
            further=[Route("/mcp", mcp), Mount("/v1", create_api(outside, callers, rate))],
            lifespan=lambda _app: mcp.running(),
        )
        self._running = running(app)

    def __enter__(self):
        return f"http://127.0.0.1:{self._running.__enter__()}"

    def __exit__(self, *error):
        self._running.__exit__(*error)


def test_an_open_session_of_a_revoked_token_ends():
    """The client listens in a request that has no end; it is ended, and the session opens to nobody."""
    revoked = set()
    with served(Callers(TOKENS, Remembered(lambda: frozenset(revoked))), operations=Operations()) as url:
        headers = session(f"{url}/mcp", "of-builders")
        bearer = {"Authorization": "Bearer of-builders", **HEADERS, **headers}
        with httpx.stream("GET", f"{url}/mcp", headers=bearer, timeout=20) as listening:
            assert listening.status_code == 200
            revoked.add(hashed("of-builders"))
            begun = time.monotonic()
            with pytest.raises(httpx.RemoteProtocolError):
                listening.read()
            assert time.monotonic() - begun < FRESH + LOOK_AGAIN + 2
        assert post(f"{url}/mcp", "of-builders", call("search", text="x"), **headers).status_code == 401
        assert post(f"{url}/mcp", "of-others", call("search", text="x"), **headers).status_code == 404


def test_an_open_session_of_a_valid_token_stays_open():
    with served(Callers(TOKENS), operations=Operations()) as url:
        headers = session(f"{url}/mcp", "of-builders")
        bearer = {"Authorization": "Bearer of-builders", **HEADERS, **headers}
        patience = 2 * LOOK_AGAIN + 0.5
        with (
            httpx.stream("GET", f"{url}/mcp", headers=bearer, timeout=patience) as listening,
            pytest.raises(httpx.ReadTimeout),
        ):
            listening.read()
        assert post(f"{url}/mcp", "of-builders", call("search", text="x"), **headers).status_code == 200


def test_an_administrator_revokes_and_lists_without_a_restart(tmp_path, capsys, monkeypatch):
    """Also beside a running service, whose operation it then is."""
    with opened(load_company(), tmp_path) as made:
        with made.file.open("a", encoding="utf-8") as file:
            file.write(f'\n[[tokens]]\nname = "builders"\nsha256 = "{hashed("of-builders")}"\nlabels = ["org"]\n')
        run = Commands(capsys, monkeypatch, made.file, made.environment)
        assert "valid" in run("tokens").out
        assert "is revoked" in run("token", "builders", "--revoke").out
        assert "was revoked before" in run("token", "builders", "--revoke").out
        (listed,) = run("tokens", "--json").json["tokens"]
        assert (listed["name"], listed["labels"], bool(listed["revoked_by"])) == ("builders", ["org"], True)
        refused = run("token", "nobody", "--revoke")
        assert (refused.code, "there is builders" in refused.sentence) == (2, True)


# Calls in a minute


def test_as_many_calls_as_a_token_may_make_in_any_minute():
    clock = Seconds()
    rate = CallRate(3, clock)
    assert [rate.take("a") for _ in range(3)] == [0, 0, 0]
    clock.now += 20
    assert rate.take("a") == 40
    assert rate.take("b") == 0
    clock.now += 40
    assert rate.take("a") == 0
    assert [CallRate(0).take("a") for _ in range(1000)] == [0] * 1000


def test_what_is_refused_does_not_count():
    clock = Seconds()
    rate = CallRate(1, clock)
    rate.take("a")
    for _ in range(59):
        clock.now += 1
        assert rate.take("a") > 0
    clock.now += 1
    assert rate.take("a") == 0


def test_a_call_too_many_is_told_when_to_come_back_over_http_and_mcp_alike():
    """One count for both, and for each token its own."""
    rate = CallRate(2)
    with served(Callers(TOKENS), rate, Counted(ForCallers(Found()), "http", NullMetrics())) as url:
        known = {"Authorization": "Bearer of-builders"}
        headers = session(f"{url}/mcp", "of-builders")
        assert httpx.post(f"{url}/v1/search", json={"text": "x"}, headers=known).status_code == 200
        assert httpx.post(f"{url}/v1/search", json={"text": "x"}, headers=known).status_code == 200
        refused = httpx.post(f"{url}/v1/search", json={"text": "x"}, headers=known)
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert "Try again in" in refused.json()["error"]
        told = post(f"{url}/mcp", "of-builders", call("search", text="x"), **headers).text
        assert "As many calls as this token may make in a minute. Try again in" in told
        others = {"Authorization": "Bearer of-others"}
        assert httpx.post(f"{url}/v1/search", json={"text": "x"}, headers=others).status_code == 200
