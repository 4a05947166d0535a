"""Doctor's checks of environments, databases and programs' tokens."""

from collections.abc import Iterator
from functools import partial

from core.probes.types import Probe
from core.types import Audience
from crosscheck.checks import Check, tried
from crosscheck.errors import CrosscheckError
from crosscheck.settings_deployed import Database
from crosscheck.wiring import Program

_SECONDS = 10.0


def deployed_checks(program: Program) -> Iterator[Check]:
    """Whether each probe and each database can be read, and whether programs can ask at all."""
    try:
        probes = program.probes
    except CrosscheckError as error:
        yield Check("probes", "failed", str(error))
        probes = ()
    for probe in probes:
        advice = (
            f"Check the [[probes]] table {probe.name} and CROSSCHECK_PROBE_TOKEN_{probe.name.upper()}. Until it "
            f"answers, reviews say that what runs on {probe.environment} is not known."
        )
        yield tried(f"probe {probe.name}", partial(_runs, probe), advice)
    for database in program.settings.databases:
        advice = (
            f"Check the [[databases]] table {database.name} and CROSSCHECK_DATABASE_PASSWORD_{database.name.upper()}. "
            "The account needs to read the tool's table and nothing else."
        )
        yield tried(f"database {database.name}", partial(_migrated, program, database), advice)


def _runs(probe: Probe) -> str:
    reading = probe.read(_SECONDS)
    if reading.unread:
        raise CrosscheckError(f"{probe.environment} could not be read: {reading.unread}.")
    versions = dict.fromkeys(one.version or "a version that it does not tell" for one in reading.running)
    return f"{probe.environment} runs {', '.join(versions) or 'nothing'}"


def _migrated(program: Program, database: Database) -> str:
    histories = program.schema_histories
    found = histories.histories(Audience(database.readers), database=database.name) if histories else ()
    if found and found[0].unread:
        raise CrosscheckError(f"it could not be read: {found[0].unread}.")
    return "; ".join(f"{len(one.steps)} migrations known" for one in found)
