from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from state.backoff import CAP, backoff

attempts = st.integers(1, 10_000)


@given(attempts, st.none() | st.floats(0, 86_400))
def test_never_shorter_than_asked_and_never_longer_than_the_cap_beyond_it(attempt, retry_after):
    wait = backoff(attempt, retry_after)
    asked = timedelta(seconds=retry_after or 0)
    assert asked <= wait <= asked + CAP


def test_the_ceiling_doubles_up_to_the_cap():
    ceilings = [backoff(attempt, uniform=lambda _, high: high).total_seconds() for attempt in range(1, 9)]
    assert ceilings == [15, 30, 60, 120, 240, 480, 900, 900]


def test_jitter_is_full():
    waits = {round(backoff(3).total_seconds()) for _ in range(500)}
    assert min(waits) < 10
    assert max(waits) > 50
