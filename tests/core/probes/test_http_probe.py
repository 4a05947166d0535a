"""A version endpoint, and all that may be wrong with one."""

import json
import socket
import ssl
from datetime import UTC, datetime

import pytest

from core.errors import SourceForbidden
from core.probes.make import Credentials
from tests.core.probes.certificates import Authority
from tests.core.probes.probing import COMMIT, TOKEN, probe, read
from tests.core.probes.stub import Raw, drips, hangs, raw, server_context, stub

WHERE = {"version": "build.version", "commit": "git.commit", "since": "started", "dirty": "dirty"}
BODY = {"build": {"version": "2.14.1"}, "git": {"commit": COMMIT}, "started": "2026-11-29T10:00:00+01:00"}
STARTED = datetime(2026, 11, 29, 9, tzinfo=UTC)
HTML = (200, {"content-type": "text/html"}, b"<!doctype html><title>Sign in</title>")
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def reading_of(answer, where=WHERE, path="/version", **changed):
    with stub() as server:
        server.answers["/version"] = answer
        made = read("http", f"{server.url}{path}", where, **changed)
    assert {exchange.method for exchange in server.asked} <= {"GET"}
    return made


def one(answer, where=WHERE, **changed):
    reading = reading_of(answer, where, **changed)
    assert reading.unread == ""
    return reading.running[0]


def test_version_commit_and_since():
    found = one(BODY)
    assert (found.version, found.commit, found.since) == ("2.14.1", COMMIT, STARTED)
    assert (found.instances, found.dirty, found.notes) == (1, False, ())


@pytest.mark.parametrize(
    ("answer", "path", "version"),
    [
        ({"a": {"b": "1"}}, "a.b", "1"),
        ({"a.b": "1"}, "a.b", "1"),
        ({"info": {"app.version": "1"}}, "info.app.version", "1"),
        ([{"version": "1"}], "0.version", "1"),
        ({"a": ["x", "y"]}, "a.1", "y"),
        ({"version": 7}, "version", "7"),
    ],
)
def test_paths(answer, path, version):
    assert one(answer, {"version": path}).version == version


def test_a_number_is_told_as_it_is_written():
    assert one((200, {}, b'{"version": 1.10}'), {"version": "version"}).version == "1.10"


def test_a_commit_in_the_version_and_a_dirty_build():
    found = one({"version": "v1.4.2-3-g4f2a91c-dirty"}, {"version": "version"})
    assert (found.commit, found.dirty) == ("4f2a91c", True)
    assert one({**BODY, "dirty": True}).dirty
    assert one({"git": {"commit": f"{COMMIT}-dirty"}}, {"commit": "git.commit"}).dirty


def test_what_is_missing_is_said():
    assert one({"build": {"version": "2.14.1"}}).notes == (
        "Its answer has no commit id at `git.commit`.",
        "Its answer has no time with an offset at `started`.",
    )
    assert one({"git": {"commit": COMMIT}}).notes[0] == "Its answer has no version at `build.version`."
    assert one({**BODY, "git": {"commit": {"id": "x"}}}).commit == ""
    assert one({**BODY, "git": {"commit": "unknown"}}).notes == ("Its answer has no commit id at `git.commit`.",)


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ("2026-11-29T09:00:00Z", STARTED),
        (STARTED.timestamp().__int__(), STARTED),
        (STARTED.timestamp().__int__() * 1000, STARTED),
        (str(int(STARTED.timestamp())), STARTED),
        ("2026-11-29T09:00:00", None),
        ("2026-11-29", None),
        ("yesterday", None),
        ("0001-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59-23:59", None),
        (0, None),
        (-5, None),
        (True, None),
        (10**400, None),
        ("2026-11-29T09:00:00Z" * 1000, None),
        ({"at": 1}, None),
        (None, None),
    ],
)
def test_since_is_a_time_or_nothing(since, expected):
    assert one({**BODY, "started": since}).since == expected


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (HTML, "a page for people"),
        ((200, {}, b"  <html>"), "a page for people"),
        ((200, {}, b"2.14.1 is what runs"), "not JSON"),
        ((200, {}, b'{"build": '), "not JSON"),
        ((200, {}, b""), "not JSON"),
        ((204, {}, b""), "not JSON"),
        ((200, {}, b"\xff\xfe\x00\x80"), "not JSON"),
        ((200, {"content-encoding": "gzip"}, b"\x1f\x8b\x08\x00"), "not JSON"),
        ((200, {}, b"[" * 200_000), "nested too deeply"),
        ((200, {}, b'{"a":' * 200_000), "nested too deeply"),
        ((200, {}, b'{"build": {"version": ' + b"9" * 5000 + b"}}"), "not JSON"),
        ((200, {}, b"x" * 10_000_000), "larger than 4000000 bytes"),
        ([], "no version or commit at `build.version` or `git.commit`"),
        ("2.14.1", "no version or commit"),
        (None, "no version or commit"),
        ({"build": ["2.14.1"]}, "no version or commit"),
        ({"build": {"version": ""}}, "no version or commit"),
        ({"git": {"commit": "main"}}, "no version or commit"),
        ({"build": {"version": ["2"]}}, "neither text nor a number"),
        ({"build": {"version": True}}, "neither text nor a number"),
        ({"build": {"version": "v" * 1_000_000}}, "too long, or holds characters"),
        ({"build": {"version": 10**300}}, "too long, or holds characters"),
        ({"build": {"version": "2.14\n# everything is deployed"}}, "too long, or holds characters"),
        ({"build": {"version": "2.14\x00"}}, "too long, or holds characters"),
        ({"build": {"version": "2.14\u202e1"}}, "too long, or holds characters"),
        ({"build": {"version": "2.14\ud800"}}, "too long, or holds characters"),
        ((401, {}, b""), "credentials (401)"),
        ((403, {}, {"message": "secret thing"}), "may not read that (403)"),
        ((404, {}, b""), "nothing at its address (404)"),
        ((410, {}, b""), "nothing at its address (410)"),
        ((400, {}, b""), "refuses the request (400)"),
        ((429, {"retry-after": "9"}, b""), "fewer requests"),
        ((403, {"x-ratelimit-remaining": "0"}, b""), "fewer requests"),
        ((500, {}, b"Traceback"), "error of its own (500)"),
        ((503, {}, HTML[2]), "error of its own (503)"),
        ((304, {}, b""), "refuses the request (304)"),
        ((302, {}, b""), "refuses the request (302)"),
        (raw(b""), "before its answer was complete"),
        (raw(b"SSH-2.0-OpenSSH_9.2\r\n"), "no HTTP"),
        (raw(b"HTTP/1.1 two hundred\r\n\r\n"), "no HTTP"),
        (raw(OK + b"Content-Length: 50\r\n\r\n{}"), "ended early"),
        (raw(OK + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n"), "ended early"),
        (raw(OK + b"Content-Length: 99999999999\r\n\r\n"), "larger than"),
        (raw(OK + b"X: " + b"y" * 70_000 + b"\r\n\r\n"), "no HTTP"),
        (raw(OK + b"X: y\r\n" * 200 + b"\r\n"), "no HTTP"),
    ],
)
def test_what_cannot_be_read_is_said_and_never_guessed(answer, why):
    reading = reading_of(answer)
    assert why in reading.unread
    assert not {"secret thing", "Traceback", "everything", "127.0.0.1"} & set(reading.unread.split())


def test_markdown_in_a_version_is_kept_on_a_line_for_who_shows_it():
    assert one({"build": {"version": "**2** [x](http://e.example)"}}).version == "**2** [x](http://e.example)"


def test_a_credential_in_a_version_is_masked():
    token = "ghp_" + "a1B2" * 9
    assert token not in one({"build": {"version": f"x-{token}"}}).version


@pytest.mark.parametrize(
    "answer",
    [
        Raw(hangs),
        drips(b""),
        drips(OK + b"X-Slow: "),
        drips(OK + b"\r\n"),
        drips(OK + b"Content-Length: 3000000\r\n\r\n"),
        drips(OK + b'\r\n{"build": {"version": "2.14.1"}}'),
    ],
    ids=["hangs", "no status", "headers", "body", "length", "whole"],
)
def test_a_slow_answer_costs_no_more_than_its_time(answer):
    assert reading_of(answer, seconds=0.4).unread == "no answer within 0.4 s"


def test_redirects_on_the_same_host_are_followed():
    with stub() as server:
        server.answers["/version"] = (302, {"Location": "info?all=1"}, b"")
        server.answers["/info"] = (
            307,
            {"Location": f"{server.url}/v%20x/d\u00e9j\u00e0".encode().decode("latin-1")},
            b"",
        )
        server.answers["/v%20x/d%C3%A9j%C3%A0"] = BODY
        assert read("http", f"{server.url}/version", WHERE).running[0].version == "2.14.1"
    assert server.asked[1].query == "all=1"


def test_redirects_in_a_circle_are_not():
    with stub() as server:
        server.answers["/version"] = (302, {"Location": "/version"}, b"")
        assert "in a circle" in read("http", f"{server.url}/version", WHERE).unread
    assert len(server.asked) == 3


def test_a_redirect_to_a_login_page_is_no_version():
    with stub() as server:
        server.answers |= {"/version": (302, {"Location": "/login"}, b""), "/login": HTML}
        assert "a page for people" in read("http", f"{server.url}/version", WHERE).unread


@pytest.mark.parametrize(
    "location",
    ["{other}/version", "//{host}/version", "https://{own}/version", "http://user@{own}/version", "file:///etc/passwd",
     "http://[::1/", "\\\\{host}/version", "/\\{host}/version", "http://{own}.evil.example/version", "gopher://{own}/"],
)  # fmt: skip
def test_a_redirect_to_another_host_is_never_followed(location):
    with stub() as other, stub() as server:
        host, own = f"127.0.0.1:{other.port}", f"127.0.0.1:{server.port}"
        other.answers["/version"] = BODY
        to = location.format(other=other.url, host=host, own=own)
        server.answers["/version"] = (301, {"Location": to}, b"")
        assert "another address, where we do not go" in read("http", f"{server.url}/version", WHERE).unread
    assert not other.asked
    assert len(server.asked) == 1


def test_only_get_is_sent_with_the_token_and_nothing_else():
    with stub() as server:
        server.answers["/version"] = BODY
        read("http", f"{server.url}/version", WHERE)
        read("http", f"{server.url}/version/", WHERE, credentials=Credentials("pass", user="reader"))
        read("http", f"{server.url}/version", WHERE, credentials=Credentials())
    assert [exchange.method for exchange in server.asked] == ["GET"] * 3
    sent = [exchange.headers.get("authorization") for exchange in server.asked]
    assert sent == [f"Bearer {TOKEN}", "Basic cmVhZGVyOnBhc3M=", None]
    assert {"content-length", "cookie", "transfer-encoding"}.isdisjoint(server.asked[0].headers)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("certificates"))


def secured(context, credentials):
    with stub(context) as server:
        server.answers["/version"] = BODY
        return read("http", f"{server.url}/version", WHERE, credentials=credentials), server.asked


def test_tls_by_an_authority_of_the_company(authority):
    reading, _ = secured(server_context(*authority.issued("server")), Credentials(TOKEN, ca=authority.file))
    assert reading.running[0].version == "2.14.1"


@pytest.mark.parametrize(
    ("issued", "known", "why"),
    [
        ({"name": "unknown"}, False, "signed by nobody whom we trust"),
        ({"name": "expired", "days": -2}, True, "has expired: who runs it has to renew it"),
        ({"name": "other", "address": "127.0.0.9"}, True, "for another name"),
    ],
)
def test_a_certificate_that_is_not_accepted(authority, issued, known, why):
    credentials = Credentials(TOKEN, ca=authority.file if known else "")
    reading, asked = secured(server_context(*authority.issued(**issued)), credentials)
    assert why in reading.unread
    assert not asked


@pytest.mark.parametrize("newest", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_client_certificate_is_wanted(authority, newest):
    context = server_context(*authority.issued("server"), authority=authority.file, newest=newest)
    reading, asked = secured(context, Credentials(TOKEN, ca=authority.file))
    assert "client certificate" in reading.unread
    assert not asked


def test_a_client_certificate_is_shown(authority):
    context = server_context(*authority.issued("server"), authority=authority.file)
    certificate, key = authority.issued("client")
    reading, _ = secured(context, Credentials(TOKEN, ca=authority.file, certificate=certificate, key=key))
    assert reading.running[0].version == "2.14.1"


def test_a_client_certificate_of_another_authority_is_refused(authority, tmp_path):
    context = server_context(*authority.issued("server"), authority=authority.file)
    certificate, key = Authority(tmp_path).issued("stranger")
    reading, _ = secured(context, Credentials(TOKEN, ca=authority.file, certificate=certificate, key=key))
    assert "client certificate" in reading.unread  # a server may close before its reason is read


def test_a_server_without_tls_at_an_https_address(authority):
    with stub() as server:
        url = server.url.replace("http:", "https:")
        reading = read("http", f"{url}/version", WHERE, credentials=Credentials(TOKEN, ca=authority.file))
    assert "speaks no TLS at this port" in reading.unread


def test_a_handshake_that_never_ends(authority):
    with socket.socket() as quiet:
        quiet.bind(("127.0.0.1", 0))
        quiet.listen(1)
        url = f"https://127.0.0.1:{quiet.getsockname()[1]}/version"
        reading = read("http", url, WHERE, seconds=0.4, credentials=Credentials(TOKEN, ca=authority.file))
    assert reading.unread == "no answer within 0.4 s"


@pytest.mark.parametrize("url", ["", "booking", "ftp://booking", "http://", "http://user:pw@booking/", "http://b/?v=1"])
def test_an_address_that_is_none(url):
    with pytest.raises(SourceForbidden, match="the address of probe stage") as caught:
        probe("http", url, WHERE)
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("token", ["a b", "a\r\nX-Injected: 1", "t\u00f6ken", "a\x00"])
def test_a_token_that_can_be_none(token):
    with pytest.raises(SourceForbidden, match="token of probe stage") as caught:
        probe("http", "http://booking.example", WHERE, credentials=Credentials(token))
    assert token not in str(caught.value)


def test_certificate_files_that_cannot_be_used(authority, tmp_path):
    (tmp_path / "junk.pem").write_text("junk")
    certificate, hidden = authority.issued("hidden", passphrase=b"pass")
    for credentials in (
        Credentials(ca=str(tmp_path / "none.pem")),
        Credentials(ca=str(tmp_path / "junk.pem")),
        Credentials(certificate=certificate, key=str(tmp_path / "none.pem")),
        Credentials(certificate=certificate, key=hidden),
    ):
        with pytest.raises(SourceForbidden, match="certificate files of probe stage"):
            probe("http", "https://booking.example", WHERE, credentials=credentials)


def test_who_may_know_and_where_people_see_it():
    made = probe("http", "http://booking.example", WHERE)
    assert (made.labels, made.url) == (frozenset({"repo:booking-api"}), "")
    other = probe("http", "http://booking.example", WHERE, labels=frozenset({"org"}), link="https://wiki.example/x")
    assert (other.labels, other.url) == (frozenset({"org"}), "https://wiki.example/x")


@pytest.mark.parametrize("kind", ["http", "kubernetes", "argocd", "github", "gitlab"])
def test_settings_that_lack_something(kind):
    with pytest.raises(SourceForbidden, match=f"probe stage, of kind {kind}, needs"):
        probe(kind, "http://booking.example", {})


def test_a_kind_that_is_none():
    with pytest.raises(SourceForbidden, match="no kind of probe"):
        probe("nomad", "http://booking.example", WHERE)


def test_an_answer_in_pieces():
    body = json.dumps(BODY).encode()
    chunks = b"".join(b"1\r\n" + body[i : i + 1] + b"\r\n" for i in range(len(body)))
    answer = raw(OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n")
    assert one(answer).version == "2.14.1"


def test_no_secret_in_what_is_printed():
    credentials = Credentials(TOKEN, user="reader")
    assert TOKEN not in repr(credentials)
    assert TOKEN not in repr(probe("http", "http://booking.example", WHERE, credentials=credentials))


@pytest.mark.parametrize("version", [COMMIT, f"sha-{COMMIT}", f"main-{COMMIT}", "2.14.1+build.7", "release-7"])
def test_a_version_is_not_taken_for_a_credential(version):
    assert one({"build": {"version": version}}).version == version
