"""Who may read `/metrics`: whoever has the token, and this host itself; nobody else learns that it is there."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from crosscheck.scraping import scraping

TOKEN = "scr4pe"


def status(*, token="", client="127.0.0.1", host="127.0.0.1:8765", **headers):
    app = Starlette(routes=[scraping(lambda: b"crosscheck_up 1\n", token)])
    web = TestClient(app, base_url="http://127.0.0.1", client=(client, 5000))
    given = {name.replace("_", "-"): text for name, text in headers.items()}
    return web.get("/metrics", headers={"host": host, **given}).status_code


@pytest.mark.parametrize("client", ["127.0.0.1", "::1", "127.3.2.1"])
@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost", "localhost:8765", "[::1]:8765", "[::1]"])
def test_this_host_may(client, host):
    assert status(client=client, host=host) == 200
    assert status(client=client, host=host, token=TOKEN) == 200


@pytest.mark.parametrize("client", ["10.0.0.7", "2001:db8::7", "testclient", "128.0.0.1"])
def test_others_may_not(client):
    assert status(client=client) == 404
    assert status(client=client, token=TOKEN) == 404


@pytest.mark.parametrize("header", ["forwarded", "via", "x_forwarded_for", "x_real_ip", "x_forwarded_host"])
def test_what_a_proxy_on_this_host_passes_on_is_not_of_this_host(header):
    assert status(**{header: "127.0.0.1"}) == 404
    assert status(**{header: "127.0.0.1"}, token=TOKEN, authorization=f"Bearer {TOKEN}") == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", ""])
def test_a_page_in_a_browser_of_this_host_may_not(host):
    assert status(host=host) == 404


def test_whoever_has_the_token_may():
    assert status(client="10.0.0.7", host="qa.example", token=TOKEN, authorization=f"Bearer {TOKEN}") == 200


@pytest.mark.parametrize("given", ["Bearer wrong", f"Bearer {TOKEN}x", TOKEN, f"bearer{TOKEN}", "Bearer ", ""])
def test_a_wrong_token_opens_nothing(given):
    assert status(client="10.0.0.7", token=TOKEN, authorization=given) == 404
    assert status(client="10.0.0.7", token="", authorization=given) == 404


def test_nothing_but_reading():
    app = Starlette(routes=[scraping(lambda: b"", TOKEN)])
    web = TestClient(app, base_url="http://127.0.0.1", client=("127.0.0.1", 5000))
    assert web.post("/metrics").status_code == 405
    found = web.get("/metrics")
    assert found.headers["content-type"].startswith("text/plain; version=")
    assert found.headers["cache-control"] == "no-store"
