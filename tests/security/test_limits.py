"""How much a person and a place may ask in an hour: counted once, refused before anything is read, told once."""

import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from bots.types import Visibility
from core.errors import SourceGone
from core.types import NullMetrics
from crosscheck.admission import Admission
from crosscheck.settings_running import Limits
from state.db import open_database
from state.jobs import Jobs
from state.limits import HOUR, Asked
from tests import fakes
from tests.crosscheck.conftest import Bench

WORKERS = 8


@pytest.fixture
def database(tmp_path):
    database = open_database(tmp_path / "limits.sqlite")
    yield database
    database.dispose()


@pytest.fixture
def clock():
    return fakes.Clock()


@pytest.fixture
def desk(database, clock):
    return Counter(database, clock)


class Counter:
    """Jobs that are admitted, or not."""

    def __init__(self, database, clock):
        self.jobs, self.asked, self.clock, self.number = Jobs(database, clock), Asked(database, clock), clock, 0

    def job(self):
        self.number += 1
        return self.jobs.accept(f"k{self.number}", "comment", {}, surface="jira", via="test")

    def admit(self, job=None, *, person="ana", place="PAY", person_hour=3, place_hour=5, tells=True):
        return self.asked.admit(
            job or self.job(), person=person, place=place, person_hour=person_hour, place_hour=place_hour, tells=tells
        )


def test_as_many_as_a_person_may_in_any_hour(desk, clock):
    for _ in range(3):
        assert desk.admit() is None
        clock.forward(minutes=10)
    over = desk.admit()
    assert (over.of, over.until, over.told) == ("person", fakes.START + HOUR, False)
    clock.forward(minutes=30)  # the first is an hour old
    assert desk.admit() is None
    assert desk.admit().until == fakes.START + HOUR + fakes.timedelta(minutes=10)


def test_as_many_as_a_place_may_whoever_asks(desk):
    assert [desk.admit(person=f"p{n}") for n in range(5)] == [None] * 5
    assert desk.admit(person="another").of == "place"
    assert desk.admit(person="another", place="OPS") is None


def test_a_limit_of_0_is_none(desk):
    assert [desk.admit(person_hour=0, place_hour=0) for _ in range(50)] == [None] * 50


def test_an_attempt_after_a_failed_one_is_no_further_request(desk):
    job = desk.job()
    assert [desk.admit(job) for _ in range(9)] == [None] * 9
    assert desk.asked.count(person="ana") == desk.asked.count(place="PAY") == 1


def test_a_person_without_an_account_counts_for_the_place_alone(desk):
    assert [desk.admit(person="") for _ in range(5)] == [None] * 5
    assert desk.admit(person="").of == "place"


def test_the_first_that_is_refused_tells_and_goes_on_to_when_its_attempt_is_cut_short(desk, clock):
    for _ in range(3):
        desk.admit()
    first, second = desk.job(), desk.job()
    assert [desk.admit(job).told for job in (first, second, first, second)] == [False, True, False, True]
    clock.forward(minutes=60)
    for _ in range(3):
        desk.admit()
    assert desk.admit().told is False, "what was told has ended"


def test_a_clock_that_was_a_day_ahead_silences_nobody(desk, clock):
    """What was asked while it was ahead counted until it had caught up, and so did the refusal that was told then."""
    clock.forward(hours=24)
    for _ in range(3):
        desk.admit()
    assert desk.admit().told is False
    clock.forward(hours=-24)
    assert [desk.admit() for _ in range(3)] == [None] * 3
    over = desk.admit()
    assert (over.until, over.told) == (fakes.START + HOUR, False), "told anew, with a time that comes today"
    assert desk.admit().told is True


def test_a_clock_that_is_set_back_a_little_gives_nothing_for_free(desk, clock):
    for _ in range(3):
        desk.admit()
    clock.forward(minutes=-10)
    assert desk.admit().until == fakes.START + HOUR
    assert desk.asked.count(person="ana") == 3


def test_what_tells_nothing_leaves_the_telling_to_the_next(desk):
    for _ in range(3):
        desk.admit()
    assert desk.admit(tells=False).told is True
    assert desk.admit().told is False


def test_who_was_told_of_one_place_is_told_of_another(desk):
    for _ in range(5):
        desk.admit(person_hour=0)
        desk.admit(person_hour=0, place="OPS")
    assert [desk.admit(person_hour=0, place=place).told for place in ("PAY", "OPS", "PAY")] == [False, False, True]


def test_a_refused_request_costs_nothing(desk, clock):
    """Else who goes on asking is never heard again."""
    for _ in range(3):
        desk.admit()
    for _ in range(100):
        clock.forward(seconds=30)
        desk.admit()
    clock.forward(minutes=10)
    assert desk.admit() is None


def test_eight_at_once_do_not_slip_through(tmp_path, clock):
    """SQLite's writers take turns, also those of several processes. PostgreSQL's may let in as many more as there are
    workers at one instant.
    """
    databases = [open_database(tmp_path / "limits.sqlite") for _ in range(2)]
    desks = [Counter(database, clock) for database in databases]
    jobs = [desks[0].job() for _ in range(40)]
    together = threading.Barrier(WORKERS)

    def admit(number):
        if number < WORKERS:
            together.wait()
        return desks[number % 2].admit(jobs[number], person_hour=10, place_hour=0)

    with ThreadPoolExecutor(WORKERS) as pool:
        found = list(pool.map(admit, range(40)))
    assert found.count(None) == 10
    assert [one.told for one in found if one].count(False) == 1
    for database in databases:
        database.dispose()


class Asking(RuleBasedStateMachine):
    """Law: in no hour are more admitted than may be; whoever is refused was told, by a reply that still holds."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = fakes.Clock()
        self.database = open_database(Path(self.folder.name) / "law.sqlite")
        self.desk = Counter(self.database, self.clock)
        self.admitted: list[tuple[str, str, object]] = []
        self.told: dict[tuple[str, str], object] = {}

    @rule(person=st.sampled_from(["ana", "bo"]), place=st.sampled_from(["PAY", "OPS"]))
    def ask(self, person, place):
        over = self.desk.admit(person=person, place=place, person_hour=2, place_hour=3)
        if over is None:
            self.admitted.append((person, place, self.clock()))
            return
        told = (person, "" if over.of == "person" else place)
        if over.told:
            assert self.told[told] > self.clock()
        else:
            self.told[told] = over.until
            assert over.until > self.clock()

    @rule(minutes=st.integers(1, 45))
    def later(self, minutes):
        self.clock.forward(minutes=minutes)

    @precondition(lambda self: self.admitted)
    @invariant()
    def no_hour_has_more(self):
        for key, most in ((0, 2), (1, 3)):
            for end in {one[2] for one in self.admitted}:
                within = [one[key] for one in self.admitted if end - HOUR < one[2] <= end]
                assert all(within.count(who) <= most for who in within)

    def teardown(self):
        self.database.dispose()
        self.folder.cleanup()


TestAsking = Asking.TestCase
TestAsking.settings = settings(max_examples=10, stateful_step_count=20, deadline=None)


# In comments


@pytest.fixture
def bench(tmp_path):
    bench = Bench(tmp_path)
    bench.limits = Limits(person_hour=2, place_hour=0)
    yield bench
    bench.engine.dispose()


def ask(bench, number):
    key = f"jira|http://jira|{number}|comment"
    payload = {"surface": "jira", "place_id": "10001", "message_id": str(number)}
    bench.jobs.accept(key, "comment", payload, surface="jira", via="test")


def work(bench):
    worker = bench.worker()
    while worker.run_once():
        pass
    return [str(post.body) for post in bench.platform.comments.values()]


def test_a_flood_of_comments_is_answered_as_often_as_one_may_and_told_once(bench):
    """And nothing is read for an answer, nor is any model called, for the rest."""
    for number in range(500, 560):
        ask(bench, number)
    replies = work(bench)
    assert len(replies) == 3
    assert ["nothing more of yours is answered" in reply for reply in replies].count(True) == 1
    assert len(bench.reviewed) == 2
    views = [bench.jobs.show(job.id) for job in bench.jobs.list(limit=100)]
    assert {view.job.state for view in views} == {"done"}
    assert sum("which was told before" in view.result.get("ignored", "") for view in views) == 57


def test_a_refusal_says_the_limit_and_the_time_after_which_one_may_ask(bench):
    for number in range(500, 503):
        ask(bench, number)
    assert any("You have asked 2 times within an hour" in reply and "Until 10:00 UTC" in reply for reply in work(bench))
    bench.clock.forward(minutes=61)
    ask(bench, 600)
    work(bench)
    assert len(bench.reviewed) == 3


def test_an_administrators_retry_is_no_request(bench):
    bench.platform.reads = [SourceGone("It could not be read.")]
    ask(bench, 500)
    work(bench)
    (failed,) = bench.jobs.list("failed")
    for number in range(501, 505):
        ask(bench, number)
    work(bench)
    bench.jobs.retry(failed.id, "root")
    work(bench)
    assert "review" in bench.jobs.show(failed.id).result
    assert len(bench.reviewed) == 3


@pytest.mark.parametrize("argument", ["dismiss 1: agreed", "dismiss"])
def test_to_set_findings_aside_counts_for_nothing(bench, argument):
    bench.platform.trigger_now = fakes.trigger(argument=argument)
    for number in range(500, 510):
        ask(bench, number)
    work(bench)
    bench.platform.trigger_now = fakes.trigger()
    ask(bench, 600)
    work(bench)
    assert len(bench.reviewed) == 1


def test_customers_are_told_where_they_asked(bench):
    place = fakes.replace(fakes.trigger().place, customers=True)
    bench.platform.trigger_now = fakes.trigger(place=place, visibility=Visibility())
    bench.limits = Limits(person_hour=1)
    for number in (500, 501):
        ask(bench, number)
    assert any("nothing more of yours" in reply for reply in work(bench))


def test_another_person_is_answered(bench):
    for number in range(500, 503):
        ask(bench, number)
    work(bench)
    bench.platform.trigger_now = fakes.trigger(author_id="po-2")
    ask(bench, 600)
    work(bench)
    assert len(bench.reviewed) == 3


def test_of_what_is_told_nothing_is_a_secret(bench):
    admission = Admission(Asked(bench.engine, bench.clock), Limits(person_hour=0, place_hour=1), NullMetrics())
    ask(bench, 500)
    ask(bench, 501)
    lease = fakes.timedelta(seconds=60)
    first, second = bench.jobs.claim("w", lease), bench.jobs.claim("w", lease)
    assert admission.too_much(first, person="ana", place="p", called="PAY") is None
    said = admission.too_much(second, person="bo", place="p", called="PAY").sentence
    assert said.startswith("Crosscheck was asked once within an hour in PAY")
    assert "ana" not in said
