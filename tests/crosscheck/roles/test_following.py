"""A process that searches an index which another one keeps."""

from contextlib import contextmanager

import pytest

from core.errors import IndexUnreachable, IndexUnusable
from core.search import Searcher
from core.types import NullMetrics, Query
from crosscheck.errors import CrosscheckError
from crosscheck.index import BUILDING
from crosscheck.index_following import FollowedIndex
from state.db import open_database
from tests.core.parts import EVERYBODY
from tests.core.points import NO_INDEXES
from tests.crosscheck.roles.shared import SharedServer
from tests.crosscheck.test_index import Site, jira, now, wiki

pytestmark = pytest.mark.filterwarnings(NO_INDEXES)

STORE = {"url": "http://qdrant.example:6333", "prefix": "t"}


class Followed(FollowedIndex):
    look = 0.0


class Company:
    def __init__(self, folder):
        self.folder, self.stores = folder, SharedServer()
        self.shelves = (wiki("the account is locked"), jira("a ticket of the zebra"))

    @contextmanager
    def keeper(self, size=8, linger=0.0):
        site = Site(self.folder, {"size": size, "store": STORE}, self.shelves, {}, self.stores)
        site.index._linger = linger
        try:
            yield site
        finally:
            site.index.close()
            site.database.dispose()

    @contextmanager
    def replaced(self):
        """By an index of another embedder, and deleted."""
        with self.keeper(size=12) as site:
            site.sources.all_synced()
            yield

    @contextmanager
    def follower(self, size=8):
        """With a folder of its own, and settings that want an embedder of this size."""
        database, site = open_database(self.folder / "state.sqlite"), Site.__new__(Site)
        site.made, site._broken = {}, {}
        index = Followed(
            self.folder / "unused",
            {"size": size, "store": STORE},
            site._make,
            database,
            stores=self.stores,
            searcher=Searcher,
            clock=now,
            metrics=NullMetrics(),
        )
        try:
            yield index
        finally:
            index.close()
            database.dispose()


@pytest.fixture
def company(tmp_path):
    return Company(tmp_path)


def found(index, text="the zebra"):
    return [evidence.document_id for evidence in index.search(Query(text), EVERYBODY).evidence]


def test_before_there_is_an_index_a_search_is_to_be_tried_again(company):
    with company.follower() as index:
        with pytest.raises(IndexUnreachable, match="role sync makes it") as raised:
            found(index)
        assert (raised.value.advice, raised.value.retry_after) == ("retry", 60.0)  # five attempts last minutes
        with company.keeper() as site:
            site.sources.all_synced()
            assert found(index)[0] == "jira:0"


def test_it_sees_what_is_kept_and_says_what_is_not_complete(company):
    with company.keeper() as site, company.follower() as index:
        site.sources.sync("jira", True, lambda _message: None)
        result = index.search(Query("the zebra"), EVERYBODY)
        assert [one.document_id for one in result.evidence] == ["jira:0"]
        assert result.degraded == (BUILDING,)
        site.sources.sync("wiki", True, lambda _message: None)
        assert index.search(Query("the zebra"), EVERYBODY).degraded == ()
        assert [view.searched for view in index.views()] == [True]


def test_it_searches_the_new_index_once_that_is_searched(company):
    """And goes on with the old one meanwhile, which is there long enough for everybody to notice."""
    with company.keeper() as site:
        site.sources.all_synced()
    with company.follower() as index:
        assert found(index)[0] == "jira:0"
        with company.keeper(size=12, linger=60.0) as site:
            assert found(index)[0] == "jira:0"
            with index.searched() as held:
                site.sources.all_synced()
                assert held.embedders.documents.name != site.index.filled.embedders.documents.name
                assert held.searcher.search(Query("the zebra"), EVERYBODY).evidence
            assert found(index)[0] == "jira:0"
            with index.searched() as held:
                assert held.embedders.documents.name == site.index.filled.embedders.documents.name
        assert company.stores.collections() == 4
    with company.keeper(size=12):
        pass
    with company.keeper(size=12) as site:
        assert [view.searched for view in site.index.views()] == [True]
    assert company.stores.collections() == 2  # a start took the old one away


def test_it_deletes_and_changes_nothing(company):
    with company.keeper() as site:
        site.sources.all_synced()
    with company.follower(size=30) as index:  # settings that are not the keeper's yet
        assert found(index)[0] == "jira:0"
        for change in (index.optimize, lambda: index.advance([]), lambda: index.take_over([], lambda *_: None)):
            with pytest.raises(CrosscheckError, match="Another process keeps the index"):
                change()
    assert company.stores.collections() == 2
    assert not (company.folder / "unused").exists()


def test_a_search_in_what_is_deleted_meanwhile_is_to_be_tried_again(company):
    """A keeper that is started anew deletes at once what nobody should search any more."""
    with company.keeper() as site:
        site.sources.all_synced()
    with company.follower() as index:
        with pytest.raises(IndexUnusable) as raised, index.searched():
            raise IndexUnusable("answered with 404")
        assert raised.value.advice == "wake"
        with pytest.raises(IndexUnreachable) as raised, index.searched(), company.replaced():
            raise IndexUnusable("answered with 404")
        assert raised.value.advice == "retry"
        assert found(index)[0] == "jira:0"


def test_an_index_on_another_server_is_followed(company):
    """By its name it is the same."""
    with company.follower() as index, company.keeper() as site:
        site.sources.all_synced()
        assert found(index)[0] == "jira:0"
        moved = {"size": 8, "store": {**STORE, "url": "http://other.example:6333"}}
        site.generations.remember(site.index.filled.name, moved)
        with index.searched() as generation:
            assert generation.kept == moved
        assert found(index)[0] == "jira:0"
