"""Retention and removal, run in the service when one owns the data folder."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crosscheck.wiring import Program  # imports every part; a client of the service needs none

Report = Callable[[dict[str, Any]], None]


class LifecycleOperations:
    """Operations by their names, for `crosscheck.operations.Local`."""

    def __init__(self, program: "Program") -> None:
        self._program = program

    def all(self) -> Mapping[str, Callable[..., dict[str, Any]]]:
        return {"prune": self._prune, "forget_person": self._person, "forget_source": self._source}

    def _prune(self, _report: Report) -> dict[str, Any]:
        from crosscheck.retention import prune

        program = self._program
        return prune(program.database, program.settings.retention, program.clock)

    def _person(self, _report: Report, *, account: str, name: str, really: bool) -> dict[str, Any]:
        from crosscheck import forgetting

        return forgetting.person(self._program, account, name, really=really)

    def _source(self, report: Report, *, name: str, really: bool) -> dict[str, Any]:
        from crosscheck import forgetting

        return forgetting.source(self._program, name, report, really=really)
