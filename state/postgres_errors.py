"""What PostgreSQL's errors mean to us. The codes are of appendix A of its manual."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from state.errors import (
    Conflict,
    DatabaseAway,
    DatabaseLocked,
    DatabaseUnusable,
    NotStorable,
    StateError,
    StorageFull,
)

_LOCKED = {"40001", "40P01", "55P03", "57014"}  # serialization, deadlock, lock not available, statement timeout
_FULL = {"53100"}
_AWAY = ("08", "53", "57P", "25P03")
"""No connection; out of memory or connections; shut down; idle for too long within a transaction."""
_LATER = re.compile(
    r"starting up|shutting down|not yet accepting|recovery|too many (clients|connections)|connection slots"
    r"|terminating connection"
)
_REFUSED = re.compile(
    r"FATAL|authentication|no password supplied|does not exist|certificate|\bSSL\b|invalid .* (value|option)"
    r"|root\.crt|permission"
)


@contextmanager
def own_errors(name: str) -> Iterator[None]:
    """Raise ours for the driver's. `name` begins a sentence."""
    try:
        yield
    except DBAPIError as e:
        raise _meaning(e, name) from e
    except PoolTimeout as e:
        raise DatabaseLocked(f"{name}: every connection of this process stayed in use. It is tried again.") from e
    except (StatementError, UnicodeEncodeError, OverflowError) as e:
        cause = e.orig if isinstance(e, StatementError) else e
        if isinstance(cause, StateError):
            raise cause from e
        raise NotStorable(f"A value cannot be stored ({type(cause).__name__}).") from e


def _meaning(error: DBAPIError, name: str) -> StateError:
    """The message says which rule was broken, never what was to be stored: PostgreSQL's DETAIL quotes it."""
    orig = error.orig
    code = orig.sqlstate if isinstance(orig, psycopg.Error) else None
    if code is None:
        return _not_from_a_statement(orig, name, lost=error.connection_invalidated)
    said = orig.diag.message_primary if isinstance(orig, psycopg.Error) else ""
    if code == "23505":
        return Conflict(f"The database refused a row that would have been a second one: {said}.")
    if code in _LOCKED:
        return DatabaseLocked(
            f"{name} is held by others, who did not finish in time: {said}. Nothing was changed; it is tried again. "
            "If it stays like this, look for an open transaction in pg_stat_activity."
        )
    if code in _FULL:
        return StorageFull(f"{name} has no room left. Nothing was changed; free disk space of the server.")
    if code.startswith(_AWAY):
        return DatabaseAway(f"{name} broke off: {said}. It is tried again.")
    if code.startswith(("22", "23", "54")):
        return NotStorable(f"The database refused a row that does not fit (PostgreSQL's error {code}).")
    return DatabaseUnusable(f"{name} cannot be used: {said}. {_what_to_do(code)}")


def _what_to_do(code: str) -> str:
    if code == "25006":
        return "It is a standby: name the primary, or add target_session_attrs=read-write to the address."
    if code == "42501":
        return "Make the role the owner of the database, or grant it CREATE and USAGE on the schema."
    return f"Look up PostgreSQL's error {code}."


def _not_from_a_statement(orig: BaseException | None, name: str, *, lost: bool) -> StateError:
    """What libpq and the driver say themselves has no code. libpq's messages hold no password."""
    if isinstance(orig, psycopg.DataError):
        return NotStorable("A value cannot be stored (it holds a NUL character, or is out of range).")
    said = " ".join(str(orig).split())
    if isinstance(orig, psycopg.OperationalError) and (lost or _LATER.search(said) or not _REFUSED.search(said)):
        return DatabaseAway(f"{name} cannot be reached: {said}. It is tried again.")
    return DatabaseUnusable(
        f"{name} cannot be used: {said}. Check the address, that role and database are there, "
        "CROSSCHECK_STATE_PASSWORD, and the server's pg_hba.conf."
    )
