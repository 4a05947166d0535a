"""Who is let in, by what, and what the browser is told to keep."""

import pytest

from crosscheck.callers import Callers, hashed
from crosscheck.console import frame
from crosscheck.console.site import TOO_MANY, WRONG
from crosscheck.console.tries import MOST
from crosscheck.settings_deployed import Token
from crosscheck.settings_running import Console
from tests.crosscheck.console.stage import SAME_SITE

PROXY = Console(header="X-Forwarded-User", proxies=("10.0.0.0/8",), labels=("org",), people={"ann": ("jira:PAY",)})


@pytest.fixture
def stage(shared_stage):
    return shared_stage


def log_in(client, token="token-viewer", headers=SAME_SITE):
    return client.post("/console/login", data={"token": token}, headers=headers)


def test_a_stranger_is_led_to_the_form(stage):
    client = stage.client(None)
    answer = client.get("/console/jobs")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/console/login"
    assert '<label for="token">' in client.get("/console/login").text


def test_a_token_lets_in_by_a_cookie_that_scripts_and_other_sites_do_not_get(stage):
    client = stage.client(None)
    answer = log_in(client)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/console/"
    attributes = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/console"} <= attributes
    assert "secure" not in attributes  # loopback without TLS
    assert client.get("/console/jobs").status_code == 200


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("https://localhost", "127.0.0.1"),
        ("http://qa.example", "10.1.2.3"),
        ("http://localhost", "10.1.2.3"),
        ("http://qa.example", "127.0.0.1"),  # a proxy on this machine that ends TLS
    ],
)
def test_elsewhere_the_cookie_goes_over_tls_alone(stage, base, address):
    answer = log_in(stage.client(None, base=base, address=address, hosts=("qa.example",)))
    assert "Secure" in answer.headers["set-cookie"]


@pytest.mark.parametrize("token", ["", "token-viewe", "token-viewerx", "ü" * 50, "x" * 100_000, "\0"])
def test_every_wrong_token_gets_the_same_answer(stage, token):
    client = stage.client(None)
    answer = log_in(client, token)
    assert answer.status_code == 403
    assert WRONG in answer.text
    assert "set-cookie" not in answer.headers
    assert answer.text == log_in(client, "another").text


def test_an_address_has_few_tries_and_they_come_back(stage):
    client = stage.client(None)
    for _ in range(MOST):
        assert log_in(client, "guess").status_code == 403
    blocked = log_in(client)  # the right one as well: nothing is learned by going on
    assert blocked.status_code == 429
    assert TOO_MANY in blocked.text
    stage.clock.forward(minutes=11)
    assert log_in(client).status_code == 303


def test_behind_a_believed_proxy_each_address_has_its_own_tries(stage):
    client = stage.client(None, settings=PROXY, address="10.0.0.1", base="https://qa.example", hosts=("qa.example",))
    for _ in range(MOST):
        log_in(client, "guess", {**SAME_SITE, "X-Forwarded-For": "1.1.1.1, 2.2.2.2"})
    assert log_in(client, headers={**SAME_SITE, "X-Forwarded-For": "2.2.2.2"}).status_code == 429
    assert log_in(client, headers={**SAME_SITE, "X-Forwarded-For": "3.3.3.3"}).status_code == 303


def test_nobody_resets_their_tries_by_a_header(stage):
    client = stage.client(None)
    answers = [
        log_in(client, "guess", {**SAME_SITE, "X-Forwarded-For": f"1.1.1.{number}"}) for number in range(MOST + 1)
    ]
    assert answers[-1].status_code == 429


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:8765"},
    ],
)
def test_another_site_can_neither_log_in_nor_out(stage, headers):
    client = stage.client(None)
    assert log_in(client, headers=headers).status_code == 403
    log_in(client)
    assert client.post("/console/logout", headers=headers).status_code == 403
    assert client.get("/console/").status_code == 200


def test_an_origin_shows_the_site_where_a_browser_says_no_more(stage):
    assert log_in(stage.client(None), headers={"Origin": "http://localhost:8765"}).status_code == 303


def test_who_logs_out_is_out(stage):
    client = stage.client(None)
    log_in(client)
    assert 'action="/console/logout"' in client.get("/console/").text
    assert client.post("/console/logout", headers=SAME_SITE).headers["location"] == "/console/login"
    assert client.get("/console/").status_code == 303


def test_a_token_that_is_taken_away_is_out_at_once(stage):
    """The cookie holds the token and no session, so there is nothing left to end."""

    class Revocable(Callers):
        revoked = False

        def of(self, token):
            return None if self.revoked else super().of(token)

    callers = Revocable([Token(name="viewer", sha256=hashed("token-viewer"), labels=("org",))])
    client = stage.client(None, callers=callers)
    log_in(client)
    assert client.get("/console/").status_code == 200
    callers.revoked = True
    answer = client.get("/console/")
    assert answer.status_code == 303
    assert 'crosscheck_console=""' in answer.headers["set-cookie"]


def test_a_page_that_looks_again_is_not_given_the_form(stage):
    answer = stage.client(None).get("/console/state", headers={"HX-Request": "true"})
    assert answer.status_code == 401
    assert answer.headers["hx-redirect"] == "/console/login"
    assert answer.text == ""


def test_a_program_may_send_its_token_as_it_does_elsewhere(stage):
    client = stage.client(None)
    assert client.get("/console/", headers={"Authorization": "Bearer token-viewer"}).status_code == 200
    refused = client.get("/console/", headers={"Authorization": "Bearer no"})
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"


def test_a_believed_proxy_names_the_person(stage):
    client = stage.client(None, settings=PROXY, address="10.0.0.1", base="https://qa.example", hosts=("qa.example",))
    page = client.get("/console/", headers={"X-Forwarded-User": "ann"}).text
    assert "ann" in page
    assert "jira:PAY, org" in page
    assert "jira:PAY" not in client.get("/console/", headers={"X-Forwarded-User": "bob"}).text


@pytest.mark.parametrize("address", ["11.0.0.1", "127.0.0.1", "::1", "testclient", ""])
def test_anybody_else_s_header_is_nothing(stage, address):
    client = stage.client(None, settings=PROXY, address=address)
    assert client.get("/console/", headers={"X-Forwarded-User": "ann"}).status_code == 303


@pytest.mark.parametrize("names", [["ann", "bob"], [""], ["x" * 500]])
def test_a_proxy_names_one_person_or_nobody(stage, names):
    client = stage.client(None, settings=PROXY, address="10.0.0.1")
    answer = client.get("/console/", headers=[("X-Forwarded-User", name) for name in names])
    assert answer.status_code == 303


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "localhost:8765:1", ""])
def test_a_name_that_is_not_ours_is_not_answered(stage, host):
    client = stage.client()
    answer = client.get("/console/login", headers={"Host": host})
    assert answer.status_code == 421
    assert "<html" not in answer.text


def test_names_of_the_settings_are_ours(stage):
    assert stage.client(base="http://QA.example", hosts=("qa.example",)).get("/console/").status_code == 200


@pytest.mark.parametrize("path", ["/login", "/", "/jobs/99", "/nothing", "/static/style.css", "/static/none"])
def test_every_answer_has_its_headers(stage, path):
    answer = stage.client().get(f"/console{path}")
    for name, value in frame.HEADERS.items():
        assert answer.headers[name] == value
    assert "no-store" in answer.headers["cache-control"] or path == "/static/style.css"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "POST"])
@pytest.mark.parametrize("path", ["/", "/jobs", "/jobs/1", "/sources", "/feedback"])
def test_pages_are_read_and_nothing_else(stage, path, method):
    assert stage.client().request(method, f"/console{path}", headers=SAME_SITE).status_code == 405
