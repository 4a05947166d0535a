"""Operations whose calls are counted, by who calls, what, and how it ends."""

import time
from collections.abc import Mapping
from typing import Any, Literal

from core.types import Metrics
from crosscheck.errors import NothingToOpen, NotOffered
from crosscheck.operations import Operations, Report
from review.errors import NothingToReview

Via = Literal["mcp", "http", "cli"]
_REFUSED = (NothingToOpen, NotOffered, NothingToReview)


class Counted:
    """`Operations`. Raises what they raise."""

    def __init__(self, operations: Operations, via: Via, metrics: Metrics) -> None:
        self._operations = operations
        self._via = via
        self._metrics = metrics

    def run(self, name: str, arguments: Mapping[str, Any], report: Report) -> dict[str, Any]:
        began, outcome = time.monotonic(), "failed"
        try:
            result = self._operations.run(name, arguments, report)
            outcome = "degraded" if result.get("degraded") else "done"
        except Exception as error:
            if isinstance(error, _REFUSED) or getattr(error, "advice", "") == "tell":
                outcome = "refused"
            else:
                self._metrics.count("crosscheck_errors_total", part="call", kind=type(error).__name__)
            raise
        else:
            return result
        finally:
            seconds = time.monotonic() - began
            self._metrics.observe("crosscheck_call_seconds", seconds, via=self._via, operation=name)
            self._metrics.count("crosscheck_calls_total", via=self._via, operation=name, outcome=outcome)
