"""Several processes that are the first to store something: the database decides, nothing is lost, nobody fails."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from state.cursors import Cursors
from state.db import open_database
from state.deployed import Deployed
from state.drafts import Drafts
from state.errors import Overtaken
from state.generations import Generations
from state.jobs import Jobs
from state.limits import Asked
from state.pictures import Pictures
from state.registry import Registry
from state.revocations import Revocations
from state.tables import Job
from state.types import Dismissed, NewDraft
from tests.state.parts import LEASE, accept
from tests.state.test_deployed import read
from tests.state.test_registry import Indexed

ROUNDS = 12


@pytest.fixture
def at_once(where):
    """Calls a function of an own database and a number, eight times at once; what came back."""
    databases = [open_database(where) for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        yield lambda work: list(pool.map(lambda n: work(databases[n % 4], n), range(8)))
    for database in databases:
        database.dispose()


def test_cursors(at_once, database):
    for turn in range(ROUNDS):
        at_once(lambda each, n, name=f"c{turn}": Cursors(each).set(name, str(n)))
        assert Cursors(database).get(f"c{turn}") in set("01234567")


def test_every_attempt_at_a_picture_is_counted(at_once, database, clock):
    end = {"description": None, "refusal": None, "tokens": 3}
    for turn in range(ROUNDS):
        at_once(lambda each, _, name=f"p{turn}": Pictures(each).begin(name, "d", clock()))
        at_once(lambda each, _, name=f"p{turn}": Pictures(each).finish(name, "d", **end))
        assert Pictures(database).find(f"p{turn}", "d").attempts == 8
    assert Pictures(database).spent(clock()) == (ROUNDS, ROUNDS * 8 * 3)


def test_more_tokens_than_four_bytes_hold(database, clock):
    Pictures(database).begin("p", "d", clock())
    for _ in range(2):
        Pictures(database).finish("p", "d", description="a\0b" * 3_000, refusal=None, tokens=2**40)
    assert Pictures(database).spent(clock()) == (1, 2**41)
    assert Pictures(database).find("p", "d").description == "a\N{REPLACEMENT CHARACTER}b" * 3_000


def test_a_token_is_revoked_once(at_once, clock):
    for turn in range(ROUNDS):
        first = at_once(lambda each, n, name=f"t{turn}": Revocations(each, clock).revoke(name, "agent", f"p{n}"))
        assert first.count(True) == 1


def test_one_generation_is_searched(at_once, database, clock):
    for turn in range(ROUNDS // 2):
        at_once(lambda each, n, turn=turn: Generations(each, clock).remember(f"g{turn}-{n}", {"size": n}))
        assert [one.searched for one in Generations(database).all()].count(True) == 1
        at_once(lambda each, n, turn=turn: Generations(each, clock).completed(f"g{turn}-{n}"))
        assert [one.searched for one in Generations(database).all()].count(True) == 1


def test_documents_and_sources(at_once, database, clock):
    documents = [f"d{n}" for n in range(40)]
    for turn in range(ROUNDS):
        order = [documents, documents[::-1]]
        at_once(
            lambda each, n, turn=turn, order=order: Registry(each, clock).record(
                f"s{turn}", [Indexed(one, version=f"v{n}") for one in order[n % 2]]
            )
        )
        versions = {entry.version for entry in Registry(database).versions(f"s{turn}").values()}
        assert len(versions) == 1  # a batch is kept as one
        at_once(lambda each, _, turn=turn: Registry(each, clock).started(f"s{turn}"))
    assert Registry(database).count(f"s{ROUNDS - 1}") == 40
    assert len(Registry(database).sources()) == ROUNDS


def test_a_source_keeps_what_is_not_told_anew(database, clock):
    registry = Registry(database, clock)
    registry.succeeded("git", clock())
    clock.tick()
    registry.started("git")
    registry.failed("git", "refused")
    (source,) = registry.sources()
    assert (source.last_success, source.last_attempt) == (clock() - timedelta(seconds=1), clock())
    assert (source.last_error, source.running_since) == ("refused", None)


def test_what_runs_where_is_one_span(at_once, database, clock):
    for turn in range(ROUNDS):
        at_once(lambda each, _, turn=turn: read(Deployed(each), clock, "1.0", probe=f"p{turn}"))
        assert len(Deployed(database).earlier(f"p{turn}")) == 1


def test_of_two_drafts_of_a_version_one_is_overtaken(at_once, database, clock):
    jobs = Jobs(database, clock)
    for turn in range(ROUNDS // 2):
        ids = [accept(jobs, f"k{turn}-{n}") for n in range(8)]
        claims = [jobs.claim("w", LEASE) for _ in ids]

        def finish(each, n, turn=turn, claims=claims):
            draft = NewDraft(f"thread{turn}", 1, {"n": n}, frozenset({"org"}), frozenset(), clock())
            aside = [Dismissed("subject", f"f{f}", "as sold", "ann", str(n), clock()) for f in range(3)]
            try:
                Jobs(each, clock).finish(claims[n], "done", {}, draft=draft, dismissals=aside)
            except Overtaken:
                return False
            return True

        assert at_once(finish).count(True) == 1
        assert jobs.counts()["done"] == turn + 1
        assert Drafts(database).next_version(f"thread{turn}") == 2


def test_no_more_requests_are_admitted_than_are_free(at_once, database, clock):
    jobs = Jobs(database, clock)
    ids = [accept(jobs, f"k{n}") for n in range(8)]
    limits = {"person": "ann", "place": "PAY", "person_hour": 3, "place_hour": 0}
    told = at_once(lambda each, n: Asked(each, clock).admit(ids[n], **limits))
    assert told.count(None) == Asked(database, clock).count(person="ann") == 3
    assert [over.told for over in told if over is not None].count(False) == 1
    with database.reading() as session:
        assert session.get_one(Job, ids[0]).asked_by == "ann"
