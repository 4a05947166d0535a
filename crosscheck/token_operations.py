"""What an administrator does with the tokens of programs: listed, and revoked."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from bots.text import one_line
from crosscheck.errors import BadSettings
from state.revocations import Revocations, RevokedToken

if TYPE_CHECKING:
    from crosscheck.wiring import Program  # imports every part; a client of the service needs none

Report = Callable[[dict[str, Any]], None]


class TokenOperations:
    """Operations by their names, for `crosscheck.operations.Local`."""

    def __init__(self, program: "Program") -> None:
        self._program = program

    def all(self) -> Mapping[str, Callable[..., dict[str, Any]]]:
        return {"tokens": self._tokens, "token_revoke": self._revoke}

    def _tokens(self, _report: Report) -> dict[str, Any]:
        """Those of the settings, then those that were revoked and have no table any more."""
        gone = {one.sha256: one for one in self._revocations().all()}
        listed = []
        for token in self._program.settings.tokens:
            one = gone.pop(token.sha256, None)
            listed.append({"name": token.name, "labels": list(token.labels), **_revoked(one)})
        return {"tokens": [*listed, *({"name": one.name, "labels": [], **_revoked(one)} for one in gone.values())]}

    def _revoke(self, _report: Report, *, name: str, by: str) -> dict[str, Any]:
        token = next((one for one in self._program.settings.tokens if one.name == name), None)
        if token is None:
            known = ", ".join(sorted(one.name for one in self._program.settings.tokens)) or "none"
            raise BadSettings(f"There is no [[tokens]] table with the name {one_line(name, 60)!r}; there is {known}.")
        new = self._revocations().revoke(token.sha256, token.name, by)
        return {"name": token.name, "revoked": True, "before": not new}

    def _revocations(self) -> Revocations:
        return Revocations(self._program.database, self._program.clock)


def _revoked(one: RevokedToken | None) -> dict[str, Any]:
    return {"revoked_at": one.at.isoformat() if one else None, "revoked_by": one.by if one else None}
