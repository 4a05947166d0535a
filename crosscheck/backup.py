"""Backups of what cannot be made anew: the database, and what `crosscheck tune` fitted. Index and mirrors can."""

import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from crosscheck.archive import (
    DATABASE,
    TUNING,
    BackupUnusable,
    Manifest,
    Progress,
    need_room,
    pack,
    snapshot,
    unpack,
)
from crosscheck.errors import BadSettings
from crosscheck.restored import PRIVATE
from crosscheck.settings import Settings
from state.db import Database, open_database
from state.generations import Generations
from state.leases import Clock, utc_now
from state.restoring import mark
from state.revisions import all_revisions, downgrade, what_made
from state.revocations import Revocations
from state.sole import refuse_others


class Deletes(Protocol):
    """Deletes a generation of the index, wherever it is kept. `crosscheck.stores.FoldersAndServers`."""

    def delete(self, name: str, kept: Mapping[str, Any]) -> None: ...


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # of a generation; it becomes part of an address
_SIDES = ("", "-wal", "-shm")
"""The files of a SQLite database end so."""


def backup(settings: Settings, target: Path, report: Progress, clock: Clock = utc_now) -> dict[str, Any]:
    """Write a backup to a file that is not there yet, also while the service runs.

    Raises BadSettings for a database that is not SQLite's or not there; BackupUnusable when it cannot be made.
    """
    if settings.state.url:
        raise BadSettings(
            "The state is in PostgreSQL: back it up with `pg_dump --format=custom`. After pg_restore, and before the "
            "service is started, run `crosscheck restore --mark`, so that nothing is answered twice."
        )
    database = settings.data / DATABASE
    if not database.is_file():
        raise BadSettings(f"There is no database at {database}; nothing to back up.")
    if target.exists():
        raise BackupUnusable(f"{target} is already there; it is not overwritten.")
    need_room(target.absolute().parent, 2 * sum(path.stat().st_size for path in _sides(database) if path.exists()))
    with _workshop(target.absolute().parent) as folder:
        report("copy", 0, None)
        revision = snapshot(database, folder / DATABASE)
        files = {DATABASE: folder / DATABASE}
        with suppress(FileNotFoundError):
            files[TUNING] = Path(shutil.copyfile(settings.data / TUNING, folder / TUNING))
        made = pack(folder / "backup", files, version("crosscheck"), revision, clock().isoformat(), report)
        try:
            os.link(folder / "backup", target)  # refuses what somebody else has put there meanwhile
        except FileExistsError as e:
            raise BackupUnusable(f"{target} is already there; it is not overwritten.") from e
    _flush(target.absolute().parent)
    return {"file": str(target), "bytes": made.bytes, **_told(made.manifest)}


def restore(
    settings: Settings, archive: Path, stores: Deletes, report: Progress, *, replace: bool, clock: Clock = utc_now
) -> dict[str, Any]:
    """Put a backup in the place of the database. Whoever calls owns the data folder.

    All of the backup is checked, brought to this program's schema and marked before anything is touched. The database
    that is there is kept beside, and what it knows of revoked tokens stays known. The index is deleted: it holds what
    the backup does not know of, so that nobody would keep its labels true.

    Raises BadSettings, BackupUnusable, StateError; IndexUnreachable before anything is touched.
    """
    if settings.state.url:
        raise BadSettings(
            "The state is in PostgreSQL: restore it with pg_restore, then run `crosscheck restore --mark`."
        )
    database = settings.data / DATABASE
    if database.exists() and not replace:
        raise BackupUnusable(f"{database} is there. With --replace the backup takes its place, and it is kept beside.")
    if settings.data.stat().st_uid != os.getuid():
        raise BackupUnusable(f"{settings.data} belongs to another user: restore as the one who runs the service.")
    if not archive.is_file():
        raise BackupUnusable(f"There is no file {archive}.")
    with _workshop(settings.data) as folder:
        manifest = unpack(archive, folder, report)
        _known(manifest)
        report("mark", 0, None)
        generations = _ours(settings, _generations(folder / DATABASE))
        new = open_database(folder / DATABASE)
        try:
            marked = mark(new, PRIVATE, clock)
            for token in _revoked(database):
                Revocations(new, clock).revoke(*token)
        finally:
            new.dispose()  # the last one to close it folds its log into the file
        _one_file(folder / DATABASE)
        _delete_index(settings.data, {**generations, **_on_servers(_generations(database))}, stores)
        kept = _set_aside(settings.data, clock())
        if (folder / TUNING).exists():
            (folder / TUNING).replace(settings.data / TUNING)
        (folder / DATABASE).replace(database)
    _flush(settings.data)
    return {**_told(manifest), **asdict(marked), "kept": str(kept) if kept else None}


def mark_restored(settings: Settings, database: Database, stores: Deletes, clock: Clock = utc_now) -> dict[str, Any]:
    """Mark a database that was restored by other means. Raises DatabaseLocked when the service was started already."""
    with database.writing() as session:
        refuse_others(session)  # before the index is touched
    known = _ours(settings, {view.name: view.settings for view in Generations(database).all()})
    _delete_index(settings.data, known, stores)
    return asdict(mark(database, PRIVATE, clock))


def go_back(
    settings: Settings, revision: str, report: Progress, *, password: str = "", clock: Clock = utc_now
) -> dict[str, Any]:
    """Bring the database back to an older schema. Whoever calls owns the data folder. SQLite's is backed up beside.

    Raises BadSettings for a revision that is none, or not older; BackupUnusable, StateError.
    """
    known = all_revisions()
    if revision not in known[1:]:
        raise BadSettings(
            f"There is no older schema {revision!r}. There are: {', '.join(known[1:])}; this version has {known[0]}."
        )
    undone = [f"{one}: {what_made(one)}" for one in known[: known.index(revision)]]
    if settings.state.url:
        return {"backup": None, "undone": undone, "lost": downgrade(settings.state.url, revision, password=password)}
    kept = settings.data / f"before-downgrade-{clock().astimezone(UTC):%Y%m%dT%H%M%SZ}.backup"
    backup(settings, kept, report, clock)
    return {"backup": str(kept), "undone": undone, "lost": downgrade(settings.data / DATABASE, revision)}


def _told(manifest: Manifest) -> dict[str, Any]:
    return {"version": manifest.version, "revision": manifest.revision, "made_at": manifest.made_at}


def _known(manifest: Manifest) -> None:
    if manifest.revision not in all_revisions():
        raise BackupUnusable(
            f"The backup was made by version {manifest.version}, whose schema ({manifest.revision}) this version does "
            "not know. Install that version and restore it there; `crosscheck downgrade` of that version brings it to "
            "an older schema."
        )


def _generations(database: Path) -> dict[str, Mapping[str, Any]]:
    """What each generation of the index is made with, as far as the database can be read: it may be what is damaged."""
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return {
                name: json.loads(kept) for name, kept in connection.execute("SELECT name, settings FROM generation")
            }
    except (sqlite3.Error, ValueError):
        return {}


def _revoked(database: Path) -> list[tuple[str, str, str]]:
    """Hash, name and by whom, of each token that the database knows as revoked, as far as it can be read."""
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute('SELECT sha256, name, "by" FROM revocation').fetchall()
    except sqlite3.Error:
        return []


def _on_servers(generations: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Those that are not in the folder of the index, which is deleted as a whole."""
    return {name: kept for name, kept in generations.items() if isinstance(kept, Mapping) and "store" in kept}


def _ours(settings: Settings, generations: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Of a backup's generations those on the server that the settings name: a backup of another installation names
    what that one still searches, and a forged one whatever it likes, which would be sent our key.
    """
    place = settings.index

    def is_ours(name: str, store: Any) -> bool:
        named = isinstance(store, Mapping) and _NAME.fullmatch(name)
        return bool(place.url and named and (store.get("url"), store.get("prefix")) == (place.url, place.prefix))

    return {name: kept for name, kept in _on_servers(generations).items() if is_ours(name, kept["store"])}


def _delete_index(data: Path, generations: Mapping[str, Mapping[str, Any]], stores: Deletes) -> None:
    for name, kept in generations.items():
        stores.delete(name, kept)
    if (data / "index").exists():
        shutil.rmtree(data / "index")


@contextmanager
def _workshop(beside: Path) -> Iterator[Path]:
    """A folder of one's own on the same disk, so that what is finished there is moved at once."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=".crosscheck-", dir=beside))
    except OSError as e:
        raise BackupUnusable(f"Nothing can be written to {beside}: {e.strerror}.") from e
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _set_aside(data: Path, now: datetime) -> Path | None:
    """Keep what is there beside, under a name that says when; None when there was nothing."""
    suffix = f".before-restore-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    kept = data / f"{DATABASE}{suffix}"
    if any(path.exists() for path in _sides(kept)):
        raise BackupUnusable(f"{kept} is already there; wait a second.")
    if (data / TUNING).exists():
        (data / TUNING).replace(data / f"{TUNING}{suffix}")
    there = False
    for side in reversed(_SIDES):  # the log first: without its database it is nothing, beside a new one it is harm
        with suppress(FileNotFoundError):
            (data / f"{DATABASE}{side}").replace(data / f"{kept.name}{side}")
            there = True
    return kept if there else None


def _one_file(database: Path) -> None:
    for path in _sides(database)[1:]:
        if path.exists() and path.stat().st_size:
            raise BackupUnusable(f"{database.name} could not be closed; nothing was changed.")


def _sides(database: Path) -> list[Path]:
    return [database.with_name(f"{database.name}{side}") for side in _SIDES]


def _flush(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
