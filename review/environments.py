"""Which environments a sentence speaks of, and in which of them people use what is built."""

import re
from collections.abc import Iterable, Sequence

from core.probes.standing import Standing

_IN_USE = frozenset({"production", "prod", "prd", "live", "produktion", "produktiv"})
_PARTS = re.compile(r"[^\W_]+")


def in_use(standings: Sequence[Standing]) -> tuple[Standing, ...]:
    """Those of environments called production or the like; of none if there is no such name."""
    return tuple(one for one in standings if _IN_USE.intersection(_PARTS.findall(one.environment.casefold())))


def named_in(text: str, standings: Iterable[Standing]) -> tuple[Standing, ...]:
    """Those of the environments that a text names."""
    return tuple(one for one in standings if names(text, one.environment))


def names(text: str, environment: str) -> bool:
    """Whether a text holds the name of an environment as a word."""
    return re.search(rf"(?<!\w){re.escape(environment)}(?!\w)", text, re.IGNORECASE) is not None


def arrived(standings: Sequence[Standing]) -> bool | None:
    """Whether what a finished ticket promises has arrived where people use it; where no environment is called so, in
    any. None: that is not known.
    """
    used = in_use(standings)
    states = {one.contained for one in used or standings}
    if used and states & {"no", "partly"}:
        return False
    if "unknown" in states and (used or "yes" not in states):
        return None
    return "yes" in states
