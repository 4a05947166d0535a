"""Removal of a person's or a source's text: from the database, the index, and the mirrors."""

import re
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from crosscheck.archive import DATABASE
from crosscheck.errors import BadSettings
from crosscheck.sources import source_of
from crosscheck.stores import EDGE
from state.forgetting import count_person, count_source, forget_person, forget_source
from state.retention import wipe

if TYPE_CHECKING:
    from crosscheck.wiring import Program

Report = Callable[[dict[str, Any]], None]

_COPIES = (f"{DATABASE}.before-restore-*", "*.backup")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # as settings have it; it becomes part of a path here

log = structlog.get_logger(__name__)


def person(program: "Program", account: str, name: str, *, really: bool) -> dict[str, Any]:
    """What there is of a person, removed when it is `really` meant. Raises BadSettings, StateError."""
    if not account.strip("| "):
        raise BadSettings("Give the id of an account, as the platform has it.")
    database, copies = program.database, _copies(program.settings.data)
    if not really:
        return {**asdict(count_person(database, account, name)), "copies": copies}
    found = forget_person(database, account, name)
    wipe(database, wholly=True)
    log.info("person forgotten", **asdict(found))  # without their id: it would be remembered here
    return {**asdict(found), "copies": copies}


def source(program: "Program", name: str, report: Report, *, really: bool) -> dict[str, Any]:
    """What there is of a source that is not configured any more, removed when it is `really` meant.

    Raises BadSettings while it is configured: the next sync would read it again.
    """
    if not _NAME.fullmatch(name):
        raise BadSettings(f"{name!r} is the name of no source.")
    if name in program.sources.minutes:
        raise BadSettings(
            f"{name} is a configured source, so the next sync would read it again. Take it out of the settings, start "
            "the service again if it runs, and then have it forgotten."
        )
    mirror = program.settings.mirrors_folder / name
    mirrored, copies = mirror.is_dir(), _copies(program.settings.data)

    def rests(document: str) -> bool:
        return source_of(document).partition("!")[0] == name

    counted = count_source(program.database, name, rests)
    if not (mirrored or counted.jobs or counted.under_way or counted.documents):
        raise BadSettings(f"Nothing is known of a source {name!r}. Give it the name that the settings had for it.")
    if not really:
        return {**asdict(counted), "mirror": mirrored, "copies": copies}
    report({"step": "index", "name": name, "done": 0, "total": None})
    indexed = _out_of_the_index(program, name)
    report({"step": "database", "name": name, "done": 0, "total": None})
    found = forget_source(program.database, name, rests)
    wipe(program.database, wholly=True)
    if mirrored:
        shutil.rmtree(mirror)
    log.info("source forgotten", source=name, **asdict(found))
    embedded = program.settings.index.engine == EDGE
    folder = str(program.settings.data / "index") if embedded else ""
    told = {"documents": max(found.documents, indexed), "mirror": mirrored, "folder": folder, "copies": copies}
    return {**asdict(found), **told}


def _copies(data: Path) -> list[str]:
    """Databases that a restoration or a downgrade has left in the data folder: they still hold what is removed."""
    return sorted(str(one) for pattern in _COPIES for one in data.glob(pattern))


def _out_of_the_index(program: "Program", name: str) -> int:
    """How many documents were taken out of the generation that had most."""
    index = program.keeper().index
    with index.generations() as generations:
        counts = [generation.ingest.remove(name) for generation in generations]
    if any(counts):
        index.optimize()
    return max(counts, default=0)
