"""What a check of a plan asks of other parts, beside the index."""

from collections.abc import Sequence
from typing import Protocol

from core.probes.standing import DeployedState
from core.schema.types import SchemaHistory
from core.types import Audience
from core.usage.types import Consumption, Kind


class Consumers(Protocol):
    """Knows who uses a name. Raises CoreError."""

    def consumers(
        self,
        name: str,
        audience: Audience,
        *,
        kind: Kind | None = None,
        repos: frozenset[str] = frozenset(),
        branches: frozenset[str] = frozenset(),
        limit: int = 30,
    ) -> Consumption: ...


class Deployments(Protocol):
    """Knows what environments run. Raises CoreError for what can be no commit or ticket."""

    def environments(self, audience: Audience) -> Sequence[str]:
        """Names of those that the audience may know of."""

    def state(
        self,
        audience: Audience,
        *,
        repo: str | None = None,
        commit: str | None = None,
        ticket: str | None = None,
        pull: int | None = None,
        seconds: float | None = None,
    ) -> DeployedState: ...


class Histories(Protocol):
    """Knows how databases were migrated."""

    def histories(self, audience: Audience) -> Sequence[SchemaHistory]:
        """Those that the audience may know of; what could not be read says so itself."""
