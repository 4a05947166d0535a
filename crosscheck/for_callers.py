"""Operations as programs with a token see them: bounded in number, and no error tells what is the administrator's."""

import threading
from collections.abc import Mapping
from typing import Any

import structlog

from core.errors import CoreError
from crosscheck.errors import NotAnswered, NothingToOpen, NotOffered
from crosscheck.operations import EXPECTED, Operations, Report
from review.errors import ReviewError

log = structlog.get_logger(__name__)

AT_ONCE = 8
"""Operations that run beside each other; further ones wait."""
PATIENCE = 60.0
"""Seconds that one waits for its turn."""
BUSY = "Too much is asked at once. Ask again in a minute."
AGAIN = "A source or the index did not answer just now. Ask again in a minute."
BROKEN = "This could not be answered. An administrator can see why in the service's log."


class ForCallers:
    """`Operations` for callers. Raises NotAnswered, NothingToOpen and NotOffered, and ReviewError and CoreError whose
    message is for the person who asks.
    """

    def __init__(self, operations: Operations, *, at_once: int = AT_ONCE, patience: float = PATIENCE) -> None:
        self._operations = operations
        self._slots = threading.BoundedSemaphore(at_once)
        self._patience = patience

    def run(self, name: str, arguments: Mapping[str, Any], report: Report) -> dict[str, Any]:
        if not self._slots.acquire(timeout=self._patience):
            raise NotAnswered(BUSY, again=True)
        try:
            return self._operations.run(name, arguments, report)
        except (NothingToOpen, NotOffered):
            raise
        except EXPECTED as error:
            if _is_for_who_asks(error):
                raise
            again = getattr(error, "advice", "wake") == "retry"
            log.warning("not answered", operation=name, reason=str(error), error=type(error).__name__)
            raise NotAnswered(AGAIN if again else BROKEN, again=again) from error
        finally:
            self._slots.release()


def _is_for_who_asks(error: Exception) -> bool:
    return isinstance(error, CoreError | ReviewError) and error.advice == "tell"
