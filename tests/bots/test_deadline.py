"""A request ends when its whole time is over, however the other side spends it."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import pytest

from bots.errors import Unavailable, Uncertain
from bots.exchange import LARGEST_ANSWER
from bots.jira.adf import render
from bots.jira.connection import connection
from bots.outline import words
from bots.types import Place, Post, Visibility

LIMIT = 0.4
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@contextmanager
def serving(talk: Callable[[socket.socket], None]) -> Iterator[tuple[str, list[bytes]]]:
    """A server that takes connections one by one and does as it likes with them; and what it received."""
    received: list[bytes] = []

    def serve() -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            with peer, suppress(OSError):
                peer.settimeout(5)
                received.append(peer.recv(65_536))
                talk(peer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", received
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
    thread.join(6)


def trickle(piece: bytes) -> Callable[[socket.socket], None]:
    def talk(peer: socket.socket) -> None:
        if piece == b"x":
            peer.sendall(HEAD + b"Content-Length: 100000\r\n\r\n")
        else:
            peer.sendall(HEAD)
        for _ in range(100):
            peer.sendall(piece)
            time.sleep(0.05)

    return talk


def silence(peer: socket.socket) -> None:
    time.sleep(1.2)


def ask(site: str, *, writes: bool = False, until: float | None = None) -> object:
    asking = connection(site, "u", "t", timeout=LIMIT)
    try:
        method = "POST" if writes else "GET"
        body = {} if writes else None
        return asking.ask(method, "/x", what="answer", needs="luck", body=body, writes=writes, until=until)
    finally:
        asking.close()


@pytest.mark.parametrize("talk", [trickle(b"x"), trickle(b"X-More: y\r\n"), silence])
@pytest.mark.parametrize(("writes", "error"), [(False, Unavailable), (True, Uncertain)])
def test_no_way_to_answer_slowly_takes_longer(talk, writes, error):
    with serving(talk) as (site, _):
        start = time.monotonic()
        with pytest.raises(error, match="too long"):
            ask(site, writes=writes)
        assert time.monotonic() - start < LIMIT + 0.4


def test_a_finished_request_does_not_end_the_next_one_on_its_connection():
    def talk(peer: socket.socket) -> None:
        peer.sendall(HEAD + b"Content-Length: 1\r\n\r\n1")
        peer.recv(65_536)
        time.sleep(LIMIT * 0.7)  # past the first request's time, within the second's
        peer.sendall(HEAD + b"Content-Length: 1\r\n\r\n2")

    with serving(talk) as (site, received):
        asking = connection(site, "u", "t", timeout=LIMIT)
        assert asking.ask("GET", "/x", what="answer", needs="luck") == 1
        time.sleep(LIMIT * 0.6)
        assert asking.ask("GET", "/x", what="answer", needs="luck") == 2
        assert len(received) == 1
        asking.close()


def test_after_the_moment_not_a_byte_is_sent(box, client):
    place = Place("jira", box.jira_url, box.jira.issue("PAY-1").id, "PAY-1", f"{box.jira_url}/browse/PAY-1", "PAY")
    post = Post(place, Visibility(), render((words("late"),))[0], "k", "1", datetime.now(UTC))
    client.whoami()  # the connection stands
    with pytest.raises(Unavailable):
        client.post(post, until=time.monotonic() - 1)
    assert box.jira.comments("PAY-1") == []
    assert [e for e in box.exchanges.all() if e.method == "POST"] == []
    client.post(post, until=time.monotonic() + 60)
    assert len(box.jira.comments("PAY-1")) == 1
    assert client.send_seconds >= 6  # the write, and taking it back


def test_nobody_there_means_nothing_written():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        site = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with pytest.raises(Unavailable, match="the connection failed"):
        ask(site, writes=True)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"nonsense\r\n\r\n",
        HEAD + b"Content-Length: 10\r\n\r\n{}",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        HEAD + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope",
        HEAD + b"Content-Length: 5\r\n\r\nnope!",
    ],
)
@pytest.mark.parametrize(("writes", "error"), [(False, Unavailable), (True, Uncertain)])
def test_a_broken_answer(answer, writes, error):
    with serving(lambda peer: peer.sendall(answer)) as (site, received):
        with pytest.raises(error):
            ask(site, writes=writes)
        assert len(received) == 1


def test_an_answer_without_end_is_not_kept():
    many = LARGEST_ANSWER // 2**20 + 2

    def talk(peer: socket.socket) -> None:
        peer.sendall(HEAD + b"Connection: close\r\n\r\n")
        for _ in range(many):
            peer.sendall(b" " * 2**20)

    with serving(talk) as (site, _), pytest.raises(Unavailable):
        ask(site)


def test_a_redirect_is_not_followed():
    with serving(lambda peer: peer.sendall(b"HTTP/1.1 302 Found\r\nLocation: /y\r\nContent-Length: 0\r\n\r\n")) as (
        site,
        got,
    ):
        with pytest.raises(Exception, match="sends the bot elsewhere"):
            ask(site, writes=True)
        assert len(got) == 1
