"""Polling, round after round, whatever becomes of one of them."""

import threading
from collections.abc import Callable

import structlog

from bots.errors import BotError
from core.types import Metrics

log = structlog.get_logger(__name__)

LONGEST_PAUSE = 300.0
"""Seconds between rounds that keep failing, unless the platform asks for more."""


def keep_polling(
    poll_once: Callable[[], object], stop: threading.Event, period: float, *, surface: str, metrics: Metrics
) -> None:
    """A round every `period` seconds until `stop`. One that fails is told, counted, and made again later."""
    failed = 0
    while not stop.is_set():
        pause = period
        try:
            poll_once()
            failed = 0
        except BotError as e:
            pause = max(period, min(period * 2**failed, LONGEST_PAUSE), e.retry_after or 0.0)
            failed = min(failed + 1, 16)
            metrics.count("crosscheck_polls_total", surface=surface, outcome="failed")
            log.warning("poll failed", surface=surface, advice=e.advice, reason=str(e), again_in=pause)
        stop.wait(pause)
