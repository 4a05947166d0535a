"""How much a person and a place may ask, whatever surface it is on: looked at before anything is read or made."""

from dataclasses import dataclass
from datetime import UTC

import structlog

from bots.types import Trigger
from core.types import Metrics
from crosscheck.settings_running import Limits
from state.limits import Asked, Over
from state.types import Claim

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class TooMuch:
    """Why a request is not answered."""

    sentence: str
    """For whoever asked."""
    told: bool
    """The sentence stands under an earlier request already, and said that nothing more is answered before it ends."""


class Admission:
    """Counts requests against the settings' limits.

    A person who is over the limit is told once until when nothing more is answered, not once for each request: else ten
    thousand comments would make ten thousand replies. An administrator's retry of a job is no request.
    """

    def __init__(self, asked: Asked, limits: Limits, metrics: Metrics) -> None:
        self._asked = asked
        self._limits = limits
        self._metrics = metrics

    def too_much(self, claim: Claim, *, person: str, place: str, called: str, tells: bool = True) -> TooMuch | None:
        """None: it counts, and may be answered. `person` and `place` are unique among all sites and surfaces, `called`
        is what people call the place. Not `tells`: nobody is told there. Raises StateError.
        """
        if claim.retries:
            return None
        limits = self._limits
        over = self._asked.admit(
            claim.id,
            person=person,
            place=place,
            person_hour=limits.person_hour,
            place_hour=limits.place_hour,
            tells=tells,
        )
        if over is None:
            return None
        self._metrics.count("crosscheck_refused_total", limit=over.of)
        log.warning("asked too much", limit=over.of, until=over.until.isoformat(), told=over.told)
        return TooMuch(self._sentence(over, called), over.told)

    def _sentence(self, over: Over, called: str) -> str:
        until = f"{over.until.astimezone(UTC):%H:%M} UTC"
        if over.of == "person":
            return (
                f"You have asked {_times(self._limits.person_hour)} within an hour, which is as much as one person "
                f"may. Until {until} nothing more of yours is answered, here or elsewhere, and you are not told again. "
                "Ask after that."
            )
        return (
            f"Crosscheck was asked {_times(self._limits.place_hour)} within an hour in {called}, which is as much as "
            f"it may be there. Until {until} nothing more of yours is answered there, and you are not told again. Ask "
            "after that."
        )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def person_of(trigger: Trigger) -> str:
    """Whoever wrote a comment, unique among all sites and surfaces; empty where nobody in particular did."""
    place = trigger.place
    return f"{place.surface}|{place.site}|{trigger.author_id}" if trigger.author_id else ""


def place_of(trigger: Trigger) -> str:
    """The project or space of a comment, unique among all sites and surfaces."""
    place = trigger.place
    return f"{place.surface}|{place.site}|{place.container}"
