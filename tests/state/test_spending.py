from concurrent.futures import ThreadPoolExecutor

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from state.db import open_database
from state.spending import Spending


def test_a_day_is_counted_by_purpose_and_begins_at_midnight(database, clock):
    reviews = Spending(database, purpose="review", limit=100, clock=clock)
    others = Spending(database, purpose="pictures", limit=50, clock=clock)
    assert (reviews.limit, reviews.left(), others.left()) == (100, 100, 50)
    reviews.take(70)
    reviews.take(50)
    assert (reviews.left(), others.left()) == (-20, 50)
    clock.tick(12 * 3600 - 1)
    assert reviews.left() == -20
    clock.tick(1)
    assert reviews.left() == 100
    reviews.take(1)
    assert Spending(database, purpose="review", limit=10, clock=clock).left() == 9


def test_nothing_is_lost_between_threads_and_connections(where, clock):
    databases = [open_database(where) for _ in range(2)]
    purses = [Spending(database, purpose="review", limit=1_000, clock=clock) for database in databases]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: purses[number % 2].take(number), range(80)))
    assert purses[0].left() == 1_000 - sum(range(80))
    for database in databases:
        database.dispose()


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(taken=st.lists(st.integers(min_value=0, max_value=10**9), max_size=6))
def test_what_is_left_shrinks_by_what_is_taken(database, clock, taken):
    purse = Spending(database, purpose="review", limit=10**6, clock=clock)
    before = purse.left()
    for tokens in taken:
        purse.take(tokens)
    assert purse.left() == before - sum(taken)
