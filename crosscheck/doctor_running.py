"""Doctor's checks of what several processes share, and of where traces go."""

import os
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from crosscheck.checks import Check, tried
from crosscheck.errors import CrosscheckError
from crosscheck.wiring import Program
from state import clocks

_SECONDS = 5.0
_CLOCKS = timedelta(seconds=2)


def running_checks(program: Program) -> Iterator[Check]:
    """The database, the mirrors where they are shared, the collector of traces."""
    settings = program.settings
    advice = (
        "Check state.url and CROSSCHECK_STATE_PASSWORD, and that the account owns the database."
        if settings.state.url
        else ""
    )
    yield tried("database", partial(_database, program), advice)
    if settings.state.url:
        advice = "Set the clocks of all hosts by NTP: who works on what is decided by them."
        yield tried("clock", partial(_clock, program), advice)
    if settings.mirrors:
        advice = f"Make {settings.mirrors} a folder that this user can write to, the same in every process."
        yield tried("mirrors", partial(_mirrors, settings.mirrors), advice)
    if settings.tracing.endpoint:
        advice = "Check tracing.endpoint. Until it answers, traces are lost and nothing else."
        check = tried("tracing", partial(_collector, settings.tracing.endpoint), advice)
        yield Check(check.name, "warning", check.says, check.do) if check.state == "failed" else check


def _database(program: Program) -> str:
    jobs, address = sum(program.jobs.counts().values()), urlsplit(program.settings.state.url)
    where = f" in PostgreSQL on {address.hostname}" if address.hostname else ""
    return f"{jobs} jobs on record{where}"


def _clock(program: Program) -> str:
    """Leases are ended by the clock of whoever looks."""
    ahead = clocks.ahead(program.database, program.clock)
    where = "ahead of" if ahead > timedelta(0) else "behind"
    told = f"{abs(ahead).total_seconds():.1f} s {where} the database's server"
    if abs(ahead) > _CLOCKS:
        raise CrosscheckError(f"this host's clock is {told}")
    return told


def _mirrors(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CrosscheckError(f"{folder} cannot be written to")
    return f"{folder} can be written to"


def _collector(endpoint: str) -> str:
    """Whatever it answers to a request that brings nothing."""
    try:
        httpx.get(endpoint, timeout=_SECONDS, follow_redirects=False)
    except httpx.HTTPError as error:
        raise CrosscheckError(f"{endpoint} cannot be reached ({type(error).__name__})") from error
    return f"{endpoint} answers"
