import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from state.db import open_database
from state.leaders import Leaders
from tests.state.parts import LEASE


@pytest.fixture
def leaders(database, clock):
    return Leaders(database, clock)


def test_the_first_leads_until_its_lease_runs_out(leaders, clock):
    assert leaders.lead("poll", "a", LEASE)
    assert not leaders.lead("poll", "b", LEASE)
    clock.tick(59)
    assert leaders.lead("poll", "a", LEASE)  # from now
    clock.tick(59)
    assert not leaders.lead("poll", "b", LEASE)
    clock.tick(1)
    assert leaders.lead("poll", "b", LEASE)
    assert not leaders.lead("poll", "a", LEASE)


def test_each_task_has_its_leader(leaders):
    assert leaders.lead("poll", "a", LEASE)
    assert leaders.lead("sync", "b", LEASE)
    assert not leaders.lead("sync", "a", LEASE)


def test_who_leaves_is_followed_at_once(leaders):
    leaders.lead("poll", "a", LEASE)
    leaders.leave("poll", "b")  # not b's
    assert not leaders.lead("poll", "b", LEASE)
    leaders.leave("poll", "a")
    leaders.leave("poll", "a")
    assert leaders.lead("poll", "b", LEASE)


def test_two_never_lead_at_once(where):
    """Eight, by the real clock, with leases that run out while others ask; some leave, others just stop."""
    lease, inside, most, led = timedelta(seconds=0.3), [], [], []
    guard, end = threading.Lock(), time.monotonic() + 4

    def life(holder):
        database = open_database(where)
        leaders = Leaders(database)
        while time.monotonic() < end:
            asked = time.monotonic()
            if not leaders.lead("poll", holder, lease):
                time.sleep(0.01)
                continue
            with guard:
                valid = time.monotonic() < asked + lease.total_seconds() - 0.1
                if valid:
                    inside.append(holder)
                    most.append(len(inside))
                    led.append(holder)
            if not valid:
                continue
            time.sleep(0.02)
            with guard:
                if time.monotonic() > asked + lease.total_seconds():
                    most.pop()  # this thread was stopped for longer than its lease, which says nothing
                inside.remove(holder)
            if len(led) % 2:
                leaders.leave("poll", holder)
            else:
                time.sleep(0.05)
        database.dispose()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(life, "abcdefgh"))
    assert set(most) == {1}
    assert len(set(led)) > 1
