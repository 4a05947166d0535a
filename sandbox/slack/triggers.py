"""What an interaction gives the app to open a view by, once and soon."""

import secrets

from sandbox.slack.calls import ApiError
from sandbox.slack.workspace import Workspace


class Triggers:
    """`seconds` is how long a trigger can be used."""

    def __init__(self, workspace: Workspace) -> None:
        self.seconds = 3.0
        self._workspace = workspace
        self._given: dict[str, tuple[str, float]] = {}
        self._used: set[str] = set()

    def give(self, user: str) -> str:
        made = f"{self._workspace.ts()}.{secrets.token_hex(16)}"
        self._given[made] = (user, self._workspace.now())
        return made

    def use(self, trigger: str) -> str:
        """The user whose interaction it was. Raises ApiError."""
        if trigger in self._used:
            raise ApiError("exchanged_trigger_id")
        if trigger not in self._given:
            raise ApiError("invalid_trigger_id")
        user, at = self._given[trigger]
        if self._workspace.now() > at + self.seconds:
            raise ApiError("expired_trigger_id")
        self._used.add(trigger)
        return user
