"""Who leads: one of several processes, another one when it is gone, nobody twice."""

import threading
import time
from datetime import timedelta

import pytest

from core.types import NullMetrics
from crosscheck.errors import AlreadyRunning
from crosscheck.leading import Alone, Leading
from state.db import open_database
from state.errors import DatabaseLocked
from state.leaders import Leaders
from tests.crosscheck.live import until

LEASE = timedelta(seconds=0.6)


@pytest.fixture
def leaders(tmp_path):
    database = open_database(tmp_path / "state.sqlite")
    yield Leaders(database)
    database.dispose()


class Process:
    """One that wants to lead, and writes down when it does."""

    def __init__(self, leaders, book, *, keeps=True, metrics=None):
        self.leading = Leading(leaders, metrics or NullMetrics(), lease=LEASE)
        self.book = book
        self.at_work = threading.Event()
        self.threads = [threading.Thread(target=self.leading.run, args=("poll", self._work))]
        self.threads += [threading.Thread(target=self.leading.keep)] if keeps else []

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.leading.stop()
        for thread in self.threads:
            thread.join()

    def _work(self, over):
        self.at_work.set()
        self.book.append(("began", self))
        over.wait()
        self.book.append(("ended", self))
        self.at_work.clear()


def test_one_leads_and_another_follows_at_once(leaders):
    book = []
    with Process(leaders, book) as first:
        assert first.at_work.wait(5)
        with Process(leaders, book) as second:
            assert not second.at_work.wait(3 * LEASE.total_seconds())  # renewed all the while
            first.leading.stop()
            assert second.at_work.wait(5)
    assert book == [("began", first), ("ended", first), ("began", second), ("ended", second)]


def test_one_that_dies_is_followed_when_its_lease_is_over(leaders):
    book = []
    assert leaders.lead("poll", "one that was killed", LEASE)
    began = time.monotonic()
    with Process(leaders, book) as second:
        assert second.at_work.wait(5)
        assert time.monotonic() - began >= LEASE.total_seconds() * 0.9


def test_one_that_was_asleep_ends_its_work(leaders):
    """Its lease ran out and another one took over: it finds that out at the next renewal."""
    book = []
    with Process(leaders, book, keeps=False) as sleeper:
        assert sleeper.at_work.wait(5)
        with Process(leaders, book) as second:
            assert second.at_work.wait(5)
            keeper = threading.Thread(target=sleeper.leading.keep)
            keeper.start()
            until(lambda: ("ended", sleeper) in book, "the end of its work")
            sleeper.leading.stop()
            keeper.join()


class Away:
    """A database that goes away after the first call."""

    def __init__(self):
        self.there = True

    def lead(self, task, holder, lease):
        if not self.there:
            raise DatabaseLocked("away")
        return True

    def leave(self, task, holder):
        self.lead(task, holder, LEASE)


def test_without_the_database_the_work_ends_with_the_lease():
    """Not before, lest a moment's fault stop it; and not after, since then another one may lead."""
    database, book = Away(), []
    with Process(database, book) as process:
        assert process.at_work.wait(5)
        database.there, away = False, time.monotonic()
        until(lambda: ("ended", process) in book, "the end of its work")
        assert time.monotonic() - away <= LEASE.total_seconds()
        database.there = True
        assert process.at_work.wait(5)  # and begins again


class Shown(NullMetrics):
    def __init__(self):
        self.shown = []

    def gauge(self, name, value, **labels):
        self.shown.append((name, value, labels))


def test_who_leads_is_measured(leaders):
    metrics = Shown()
    with Process(leaders, [], metrics=metrics) as process:
        assert process.at_work.wait(5)
        assert metrics.shown == [("crosscheck_leader", 1, {"task": "poll"})]
    assert metrics.shown[1:] == [("crosscheck_leader", 0, {"task": "poll"})]


def test_a_command_leads_or_is_refused(leaders):
    one, other = Leading(leaders, NullMetrics(), lease=LEASE), Leading(leaders, NullMetrics(), lease=LEASE)
    lost = threading.Event()
    with one.led("sync", lost.set):
        time.sleep(1.5 * LEASE.total_seconds())  # longer than its lease: it was renewed
        with pytest.raises(AlreadyRunning, match="leads 'sync'"), other.led("sync", lost.set):
            pass
    with other.led("sync", lost.set):
        pass
    assert not lost.is_set()


def test_a_command_that_leads_no_more_is_told_to_end():
    """Its database was away for longer than its lease, so that another process may have begun."""
    database, lost = Away(), threading.Event()
    with Leading(database, NullMetrics(), lease=LEASE).led("sync", lost.set):
        database.there = False
        assert lost.wait(5)


def test_work_that_takes_its_time_to_end_is_led_until_it_has(leaders):
    """A sync ends at its next document. Another one that began meanwhile would keep the same index."""
    slow, end = Leading(leaders, NullMetrics(), lease=LEASE), threading.Event()
    began = threading.Event()

    def work(over):
        began.set()
        over.wait()
        end.wait(30)

    threads = [threading.Thread(target=slow.run, args=("poll", work)), threading.Thread(target=slow.keep)]
    for thread in threads:
        thread.start()
    assert began.wait(5)
    with Process(leaders, []) as second:
        slow.stop()
        assert not second.at_work.wait(3 * LEASE.total_seconds())
        end.set()
        assert second.at_work.wait(5)
    for thread in threads:
        thread.join()


class Hanging(Away):
    """A database that does not answer, which TCP finds out in a minute."""

    def __init__(self):
        super().__init__()
        self.answers = threading.Event()
        self.answers.set()

    def lead(self, task, holder, lease):
        self.answers.wait(60)
        return True


def test_a_database_that_does_not_answer_ends_the_work_before_its_lease_is_over():
    database, book = Hanging(), []
    with Process(database, book) as process:
        assert process.at_work.wait(5)
        database.answers.clear()
        until(lambda: ("ended", process) in book, "the end of its work")
        database.answers.set()


class Broken(Away):
    asked = 0

    def lead(self, task, holder, lease):
        self.asked += 1
        if self.asked == 2:
            raise RuntimeError("a fault in the driver")
        return True


def test_an_error_that_nobody_foresaw_does_not_end_the_renewals():
    database = Broken()
    with Process(database, []) as process:
        assert process.at_work.wait(5)
        until(lambda: database.asked > 4, "renewals after the fault")


def test_alone_one_leads_everything():
    with Process(Alone(), []) as process:
        assert process.at_work.wait(5)
