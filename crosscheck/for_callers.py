"""Operations as programs with a token see them: no error tells what is the administrator's."""

from collections.abc import Mapping
from typing import Any

import structlog

from core.errors import CoreError
from crosscheck.errors import NotAnswered, NothingToOpen, NotOffered
from crosscheck.operations import EXPECTED, Operations, Report
from review.errors import ReviewError

log = structlog.get_logger(__name__)

AGAIN = "A source or the index did not answer just now. Ask again in a minute."
BROKEN = "This could not be answered. An administrator can see why in the service's log."


class ForCallers:
    """`Operations` for callers. Raises NotAnswered, NothingToOpen and NotOffered, and ReviewError and CoreError whose
    message is for the person who asks.
    """

    def __init__(self, operations: Operations) -> None:
        self._operations = operations

    def run(self, name: str, arguments: Mapping[str, Any], report: Report) -> dict[str, Any]:
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


def _is_for_who_asks(error: Exception) -> bool:
    return isinstance(error, CoreError | ReviewError) and error.advice == "tell"
