"""How long to wait before the next attempt."""

import random
from collections.abc import Callable
from datetime import timedelta

BASE = timedelta(seconds=15)
CAP = timedelta(minutes=15)
# With five attempts the four waits are at most 15, 30, 60 and 120 seconds: a restart of the other side is outlived,
# and the person still hears within a few minutes.


def backoff(
    attempt: int,
    retry_after: float | None = None,
    *,
    base: timedelta = BASE,
    cap: timedelta = CAP,
    uniform: Callable[[float, float], float] = random.uniform,
) -> timedelta:
    """The wait after the `attempt`-th attempt (from 1) has failed: exponential with full jitter.

    `uniform(0, min(cap, base * 2 ** (attempt - 1)))`, from Marc Brooker, "Exponential Backoff And Jitter", AWS
    Architecture Blog, 2015. `retry_after` is the seconds that the other side asked for; the wait is never shorter than
    that, whatever the cap, and the jitter comes on top so that not everybody comes back in the same instant.
    """
    doublings = min(attempt - 1, 32)  # beyond that every base is above every cap
    ceiling = min(cap, base * 2**doublings)
    return timedelta(seconds=uniform(0, ceiling.total_seconds()) + max(0.0, retry_after or 0.0))
