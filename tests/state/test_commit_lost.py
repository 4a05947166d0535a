"""A connection that breaks while a commit is under way: it was carried out, and whoever asked for it does not know."""

import socket
import threading
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import pytest

from state.db import open_database
from state.errors import Conflict, DatabaseAway, LeaseLost
from state.generations import Generations
from state.jobs import Jobs
from state.leaders import Leaders
from state.limits import Asked
from state.outbox import Outbox
from tests.state.parts import LEASE, accept, answer, answered


class Wire:
    """Passes bytes on to a server. Once it is told to, it cuts the connection on which the next commit is carried out,
    before the answer gets through.
    """

    def __init__(self, address):
        self._server = (urlsplit(address).hostname, urlsplit(address).port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = address.replace(str(self._server[1]), str(self._listening.getsockname()[1]))
        self.armed, self.cut = threading.Event(), threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        with suppress(OSError):
            while True:
                client = self._listening.accept()[0]
                server = socket.create_connection(self._server)
                last = threading.Event()
                for source, target, way in ((client, server, self._asked), (server, client, self._answered)):
                    threading.Thread(target=self._pass, args=(source, target, way, last), daemon=True).start()

    def _pass(self, source, target, way, last):
        with suppress(OSError):
            while (data := source.recv(65536)) and way(data, last):
                target.sendall(data)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _asked(self, data, last):
        if self.armed.is_set() and b"COMMIT\0" in data:
            self.armed.clear()
            last.set()
        return True

    def _answered(self, _data, last):
        if last.is_set():
            self.cut.set()
        return not last.is_set()

    @contextmanager
    def cuts(self):
        self.armed.set()
        with pytest.raises(DatabaseAway, match="is tried again"):
            yield
        assert self.cut.is_set()

    def close(self):
        self._listening.close()


@pytest.fixture
def engine():
    return "postgresql"


@pytest.fixture
def wire(where):
    made = Wire(where)
    yield made
    made.close()


@pytest.fixture
def far(wire):
    """The same database, by the wire."""
    database = open_database(wire.address)
    yield database
    database.dispose()


def test_what_was_accepted_is_not_accepted_again(wire, far, clock, jobs):
    with wire.cuts():
        accept(Jobs(far, clock))
    assert accept(Jobs(far, clock)) is None
    assert len(jobs.list()) == 1


def test_what_was_ended_stays_as_it_is(wire, far, clock, jobs, outbox):
    accept(jobs)
    claim = jobs.claim("w", LEASE)
    with wire.cuts():
        Jobs(far, clock).finish(claim, "done", {}, answer(claim))
    with pytest.raises(LeaseLost):  # what a worker does with an error
        Jobs(far, clock).fail(claim, "away", LEASE)
    with pytest.raises(LeaseLost):
        jobs.finish(claim, "failed", {}, answer(claim))
    assert outbox.counts()["queued"] == 1
    assert jobs.counts()["done"] == 1


def test_what_was_sent_is_not_sent_again(wire, far, clock, jobs, outbox):
    answered(jobs)
    delivery = outbox.claim("w", LEASE)
    with wire.cuts():
        Outbox(far, clock).sent(delivery, "7", "https://x/7", adopted=False)
    with pytest.raises(LeaseLost):
        Outbox(far, clock).fail(delivery, "away", LEASE)
    clock.tick(10 * LEASE.total_seconds())
    assert outbox.claim("w", LEASE) is None
    assert outbox.remote_id_of(delivery.id) == "7"


def test_what_was_begun_is_not_begun_again(wire, far, clock, jobs, outbox):
    answered(jobs)
    delivery = outbox.claim("w", LEASE)
    with wire.cuts():
        Outbox(far, clock).begin(delivery, LEASE)
    with pytest.raises(Conflict):
        Outbox(far, clock).begin(delivery, LEASE)
    Outbox(far, clock).fail(delivery, "away", LEASE)
    clock.tick(10 * LEASE.total_seconds())
    assert outbox.claim("w", LEASE).begun


def test_what_was_admitted_counts_once(wire, far, clock, database, jobs):
    job = accept(jobs)
    request = {"person": "ann", "place": "p", "person_hour": 1, "place_hour": 1}
    with wire.cuts():
        Asked(far, clock).admit(job, **request)
    assert Asked(far, clock).admit(job, **request) is None
    assert Asked(database, clock).count(person="ann") == 1


def test_a_claim_that_nobody_knows_of_comes_back_and_counts(wire, far, clock, jobs):
    accept(jobs)
    with wire.cuts():
        Jobs(far, clock).claim("w", LEASE)
    assert jobs.claim("w", LEASE) is None
    clock.tick(LEASE.total_seconds())
    assert jobs.claim("w", LEASE).attempt == 2


def test_who_leads_without_knowing_leads_when_asking_again(wire, far, clock, database):
    with wire.cuts():
        Leaders(far, clock).lead("sync", "a", LEASE)
    assert not Leaders(database, clock).lead("sync", "b", LEASE)
    assert Leaders(far, clock).lead("sync", "a", LEASE)


def test_an_index_that_is_complete_stays_so(wire, far, clock, database):
    Generations(database, clock).remember("one", {})
    Generations(database, clock).remember("two", {})
    with wire.cuts():
        Generations(far, clock).completed("two")
    Generations(far, clock).completed("two")
    assert [(view.name, view.searched, view.complete) for view in Generations(database).all()] == [
        ("one", False, False),
        ("two", True, True),
    ]
