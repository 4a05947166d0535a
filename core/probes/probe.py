"""A probe: what it is called, where it asks, and how one vendor's answers are read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.errors import SourceError
from core.probes.types import Reading, Running
from core.probes.web import Asking, Web


class Vendor(Protocol):
    """Asks in one vendor's way. Raises Unread."""

    def running(self, ask: Asking) -> Sequence[Running]: ...


@dataclass(frozen=True, slots=True)
class WebProbe:
    """As of core.probes.types.Probe. For any number of threads."""

    name: str
    environment: str
    repo: str
    labels: frozenset[str]
    url: str
    web: Web
    vendor: Vendor
    clock: Callable[[], datetime]

    def read(self, seconds: float) -> Reading:
        try:
            running, unread = tuple(self.vendor.running(self.web.asking(seconds))), ""
        except SourceError as error:
            running, unread = (), str(error)
        return Reading(self.name, self.environment, self.repo, self.clock(), running, unread)
