"""Doctor's checks of environments, databases and programs' tokens."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from core.schema.histories import NO_FILES
from core.types import Audience
from crosscheck.checks import Check, tried
from crosscheck.deployed import made
from crosscheck.errors import CrosscheckError
from crosscheck.settings_deployed import Database, Probe
from crosscheck.wiring import Program

_SECONDS = 10.0
_ODD = "Its answer has no"
"""As a version endpoint's note begins where a setting points at nothing."""
_WHERE = "Check `version`, `commit`, `since` and `dirty` against what the address answers."


def deployed_checks(program: Program) -> Iterator[Check]:
    """Whether each probe and each database can be read, and whether programs can ask at all."""
    for probe in program.settings.probes:
        advice = (
            f"Check the [[probes]] table {probe.name} and CROSSCHECK_PROBE_TOKEN_{probe.name.upper()}. Until it "
            f"answers, reviews say that what runs on {probe.environment} is not known."
        )
        check = tried(f"probe {probe.name}", partial(_runs, program, probe), advice)
        odd = check.state == "ok" and _ODD in check.says
        yield replace(check, state="warning", do=_WHERE) if odd else check
    for database in program.settings.databases:
        advice = (
            f"Check the [[databases]] table {database.name} and CROSSCHECK_DATABASE_PASSWORD_{database.name.upper()}. "
            "The account needs to read the tool's table and nothing else."
        )
        yield tried(f"database {database.name}", partial(_migrated, program, database), advice)


def _runs(program: Program, chosen: Probe) -> str:
    probe = made(chosen, program.secrets.probe_token(chosen.name), program.clock)
    reading = probe.read(_SECONDS)
    if reading.unread:
        raise CrosscheckError(f"{probe.environment} could not be read: {reading.unread}.")
    versions = dict.fromkeys(one.version or "a version that it does not tell" for one in reading.running)
    notes = dict.fromkeys(note for one in reading.running for note in one.notes)
    return " ".join([f"{probe.environment} runs {', '.join(versions) or 'nothing'}.", *notes])


def _migrated(program: Program, database: Database) -> str:
    histories = program.schema_histories
    found = histories.histories(Audience(database.readers), database=database.name) if histories else ()
    if found and found[0].unread:
        raise CrosscheckError(f"it could not be read: {found[0].unread}.")
    if lacking := [note for one in found for note in one.notes if note.startswith(NO_FILES)]:
        raise CrosscheckError(f"{lacking[0]} Set `path` to the folder that has them.")
    return "; ".join(f"{len(one.steps)} migrations known" for one in found)
