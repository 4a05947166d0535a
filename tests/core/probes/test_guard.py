"""Only the hosts of the settings are called, and no address at which a cloud keeps credentials."""

import socket
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.probes.guard import Budget, Unread, connected, is_refused
from tests.core.probes.probing import read
from tests.core.probes.stub import stub

WHERE = {"version": "version"}
REFUSED = [
    "169.254.169.254",
    "169.254.0.1",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fe80::1",
    "fe80::1%eth0",
    "febf::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "::169.254.169.254",
    "2002:a9fe:a9fe::1",
    "64:ff9b::a9fe:a9fe",
    "::ffff:100.100.100.200",
]
ALLOWED = ["127.0.0.1", "::1", "10.0.0.7", "172.16.3.4", "192.168.1.9", "100.100.100.201", "fd12:3456::1", "1.2.3.4"]


def answering(*addresses):
    """A resolver that gives these, whatever it is asked, and the questions it was asked."""
    asked = []

    def resolve(host, port, **_):
        asked.append(host)
        return [
            (socket.AF_INET6 if ":" in one else socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port))
            for one in addresses
        ]

    return resolve, asked


@pytest.mark.parametrize("address", REFUSED)
def test_link_local_and_metadata_addresses_are_refused(address):
    assert is_refused(address)


@pytest.mark.parametrize("address", ALLOWED)
def test_loopback_and_private_ranges_are_not(address):
    assert not is_refused(address)


@given(st.integers(0, 2**16 - 1), st.sampled_from(["{}", "::ffff:{}", "::{}", "64:ff9b::{}"]))
def test_a_link_local_address_is_refused_however_it_is_written(number, form):
    assert is_refused(form.format(f"169.254.{number >> 8}.{number & 255}"))


@pytest.mark.parametrize(
    "host",
    ["169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "[fd00:ec2::254]", "100.100.100.200", "2852039166",
     "0xa9fea9fe", "metadata.google.internal", "METADATA.google.internal."],
)  # fmt: skip
def test_an_address_that_is_written_in_the_settings_is_refused(host):
    assert "never called" in read("http", f"http://{host}/latest/meta-data", WHERE).unread


@pytest.mark.parametrize("address", ["169.254.169.254", "fe80::1", "::ffff:169.254.169.254"])
def test_a_name_that_leads_there_is_refused(address):
    for others in ((), ("127.0.0.1",)):
        resolve, _ = answering(*others, address)
        with stub() as server:
            reading = read("http", f"http://booking.example:{server.port}", WHERE, resolve=resolve)
        assert "never called" in reading.unread
        assert not server.asked


def test_what_was_checked_is_what_is_connected_to():
    """A name that stands for another address a moment later: it is resolved once for each connection."""
    found = iter(["127.0.0.1", "169.254.169.254"])
    asked = []

    def rebinding(host, port, **_):
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(found), port))]

    with stub() as server:
        server.answers["/version"] = {"version": "2.14.1"}
        url = f"http://booking.example:{server.port}/version"
        assert read("http", url, WHERE, resolve=rebinding).running[0].version == "2.14.1"
        assert asked == ["booking.example"]
        assert "never called" in read("http", url, WHERE, resolve=rebinding).unread
    assert [exchange.headers["host"] for exchange in server.asked] == [f"booking.example:{server.port}"]


def test_a_redirect_resolves_and_checks_again():
    found = iter(["127.0.0.1", "169.254.169.254"])

    def rebinding(host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(found), port))]

    with stub() as server:
        server.answers["/version"] = (302, {"Location": "/info"}, b"")
        reading = read("http", f"http://booking.example:{server.port}/version", WHERE, resolve=rebinding)
    assert "never called" in reading.unread
    assert server.paths() == ["/version"]


def test_the_next_address_is_tried_where_the_first_does_not_answer():
    with socket.socket() as closed:
        closed.bind(("127.0.0.2", 0))
        resolve, _ = answering("127.0.0.2", "127.0.0.1")
        with stub() as server:
            server.answers["/version"] = {"version": "2.14.1"}
            reading = read("http", f"http://booking.example:{server.port}/version", WHERE, resolve=resolve)
    assert reading.running[0].version == "2.14.1"


def test_a_resolver_that_hangs_is_not_waited_for():
    over = threading.Event()

    def hanging(*_, **__):
        over.wait(10)
        return []

    reading = read("http", "http://booking.example/version", WHERE, seconds=0.3, resolve=hanging)
    over.set()
    assert reading.unread == "the resolver of names (DNS) did not answer in time"


@pytest.mark.parametrize("error", [socket.gaierror(-2, "unknown"), UnicodeError("label too long")])
def test_a_name_that_is_not_known(error):
    def failing(*_, **__):
        raise error

    reading = read("http", "http://booking.example/version", WHERE, resolve=failing)
    assert reading.unread.startswith("its name is not known to DNS here")


def test_nothing_listens():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        reading = read("http", f"http://127.0.0.1:{closed.getsockname()[1]}/version", WHERE)
    assert reading.unread.startswith("nothing listens at its address")


def test_a_connection_that_nobody_accepts_is_given_up_in_time():
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        began = time.monotonic()
        reading = read("http", f"http://127.0.0.1:{full.getsockname()[1]}/version", WHERE, seconds=0.5)
        assert reading.unread == "no answer within 0.5 s"
        assert time.monotonic() - began < 1
        for one in waiting:
            one.close()


def test_no_time_is_no_request():
    with pytest.raises(Unread, match="no answer within 0 s"):
        connected("127.0.0.1", 1, Budget(0))


def test_the_environment_names_no_proxy_and_no_login(monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login someone password other\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("HOME", str(tmp_path))
    with stub() as proxy, stub() as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.setenv("no_proxy", "")
        server.answers["/version"] = {"version": "2.14.1"}
        assert read("http", f"{server.url}/version", WHERE).running[0].version == "2.14.1"
        assert not proxy.asked
    assert server.asked[0].headers["authorization"] == "Bearer very-secret-token"
