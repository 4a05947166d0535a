"""Polling, round after round, whatever becomes of one of them."""

import threading
import time
from collections.abc import Callable, Iterable
from functools import partial

import structlog

from bots.errors import BotError, Gone
from bots.events import Noticed
from bots.unread import Unread, Waiting
from core.types import Metrics

log = structlog.get_logger(__name__)

LONGEST_PAUSE = 300.0
"""Seconds between rounds that keep failing, unless the platform asks for more."""

_IN_A_ROW = 10  # when so many cannot be read, it is the platform and not these


def keep_polling(
    poll_once: Callable[[], object], stop: threading.Event, period: float, *, surface: str, metrics: Metrics
) -> None:
    """A round every `period` seconds until `stop`. One that fails is told, counted, and made again later."""
    failed, current = 0, partial(metrics.gauge, "crosscheck_poll_last_success_timestamp_seconds", surface=surface)
    current(time.time())
    while not stop.is_set():
        pause = period
        try:
            poll_once()
            current(time.time())
            failed = 0
        except BotError as e:
            pause = max(period, min(period * 2**failed, LONGEST_PAUSE), e.retry_after or 0.0)
            failed = min(failed + 1, 16)
            metrics.count("crosscheck_polls_total", surface=surface, outcome="failed")
            metrics.count("crosscheck_errors_total", part="poll", kind=type(e).__name__)
            log.warning("poll failed", surface=surface, advice=e.advice, reason=str(e), again_in=pause)
        stop.wait(pause)


def hand_over(
    wanted: Iterable[Waiting],
    notices: Callable[[Waiting], Iterable[Noticed]],
    enqueue: Callable[[Noticed], object],
    unread: Unread,
    now: int,
    *,
    surface: str,
    metrics: Metrics,
) -> int:
    """Enqueue what is noticed in each of these; how many that were. What is gone is passed over, what cannot be read
    remembered. `now` in milliseconds since 1970.

    Raises BotError when the platform is to be let be: it asks for time, or many in a row cannot be read.
    """
    noticed = failed = 0
    for one in wanted:
        try:
            for notice in notices(one):
                enqueue(notice)
                noticed += 1
        except Gone as e:
            metrics.count("crosscheck_poll_skipped_total", surface=surface)
            log.info("skipped", surface=surface, place=one.key, reason=str(e))
        except BotError as e:
            unread.keep(one, now, e)
            failed += 1
            if e.retry_after is not None or failed == _IN_A_ROW:
                raise
            continue
        failed = 0
        unread.done(one.id)
    return noticed
