"""A backup's file: a zip archive with a manifest, the database and what `crosscheck tune` fitted; nothing else.

Whatever it says of itself is checked before any of it is used: names, sizes, digests, and the database's own check.
"""

import errno
import hashlib
import os
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from crosscheck.errors import CrosscheckError

DATABASE = "crosscheck.sqlite"
TUNING = "tuning.json"
MANIFEST = "manifest.json"
FORMAT = 1

_LARGEST_MANIFEST = 100_000
_LARGEST_TUNING = 10_000_000
_BLOCK = 1 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what others unfold to has no limit in zipfile
_MARGIN = 50_000_000  # bytes that stay free

_ACTS = "SELECT 1 FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%'"
"""What a database would do by itself, when it is looked at or written to."""

Progress = Callable[[str, int, int | None], None]
"""Told the step, what is done of it and its end."""


class BackupUnusable(CrosscheckError):
    """A backup cannot be made, or not be used. The message says why and what to do."""


class Content(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    size: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """What a backup says of itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    format: int
    version: Annotated[str, Field(max_length=100)]
    """Of the program that made it."""
    revision: Annotated[str, Field(max_length=100)]
    """Of the database's schema."""
    made_at: Annotated[str, Field(max_length=40)]
    files: Mapping[str, Content]


@dataclass(frozen=True, slots=True)
class Made:
    """What a backup came to."""

    bytes: int
    manifest: Manifest


def snapshot(database: Path, to: Path) -> str:
    """Copy a SQLite database as it is at one moment, whoever writes to it meanwhile; the schema's revision.

    Raises BackupUnusable when it cannot be copied, or the copy is not sound.
    """
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True, timeout=60)) as source:
            source.execute("VACUUM INTO ?", (str(to),))
    except sqlite3.Error as e:
        raise BackupUnusable(f"{database} cannot be copied: {e}.") from e
    to.chmod(0o600)
    return revision_of(to)


def revision_of(database: Path) -> str:
    """The schema's revision of a database that is sound. Raises BackupUnusable when it is not, or is not ours."""
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("PRAGMA trusted_schema=OFF")
            if connection.execute(_ACTS).fetchone() is not None:
                raise BackupUnusable(f"{database.name} holds triggers or views, and a database of Crosscheck has none.")
            wrong = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            orphan = connection.execute("PRAGMA foreign_key_check").fetchone()
            revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as e:
        raise BackupUnusable(f"{database.name} is damaged or no database of Crosscheck: {e}.") from e
    if wrong != "ok" or orphan is not None or revision is None:
        what = wrong if wrong != "ok" else "it lacks rows that others refer to"
        raise BackupUnusable(f"{database.name} is damaged: {what}.")
    return str(revision[0])


def pack(target: Path, files: Mapping[str, Path], version: str, revision: str, made_at: str, report: Progress) -> Made:
    """Write the archive `target`, readable by its owner alone, and flush it to the disk."""
    described = {name: Content(size=path.stat().st_size, sha256=_digest(path)) for name, path in files.items()}
    manifest = Manifest(format=FORMAT, version=version, revision=revision, made_at=made_at, files=described)
    total, done = sum(one.size for one in described.values()), 0
    with os.fdopen(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
            archive.writestr(MANIFEST, manifest.model_dump_json(indent=2))
            for name, path in files.items():
                with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as into:
                    while block := source.read(_BLOCK):
                        into.write(block)
                        done += len(block)
                        report("pack", done, total)
        file.flush()
        os.fsync(file.fileno())
    return Made(target.stat().st_size, manifest)


def unpack(archive: Path, folder: Path, report: Progress) -> Manifest:
    """Check the archive and write its files into an empty folder of ours. Raises BackupUnusable; see the module."""
    try:
        with zipfile.ZipFile(archive) as opened:
            manifest = _manifest(opened)
            need_room(folder, sum(one.size for one in manifest.files.values()))
            done, total = 0, sum(one.size for one in manifest.files.values())
            for name, content in manifest.files.items():
                with opened.open(name) as source:
                    _write(source, folder / name, content)
                done += content.size
                report("unpack", done, total)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, zlib.error) as e:
        raise BackupUnusable(f"{archive} is damaged or no backup of Crosscheck: {e}.") from e
    except OSError as e:
        if e.errno != errno.EINVAL:  # which an entry before the file's beginning comes to
            raise
        raise BackupUnusable(f"{archive} is damaged or no backup of Crosscheck.") from e
    have = revision_of(folder / DATABASE)
    if have != manifest.revision:
        raise BackupUnusable(f"{archive} says schema {manifest.revision}, but its database has {have}.")
    return manifest


def _manifest(opened: zipfile.ZipFile) -> Manifest:
    names = [info.filename for info in opened.infolist()]
    strange = set(names) - {MANIFEST, DATABASE, TUNING}
    if strange or len(set(names)) != len(names):
        raise BackupUnusable("The archive holds files that no backup has; nothing of it was used.")
    if not {MANIFEST, DATABASE} <= set(names) or opened.getinfo(MANIFEST).file_size > _LARGEST_MANIFEST:
        raise BackupUnusable("The archive is no backup of Crosscheck: its manifest or its database is missing.")
    if any(info.compress_type not in _METHODS for info in opened.infolist()):
        raise BackupUnusable("The archive is packed in a way that no backup is; nothing of it was used.")
    try:
        with opened.open(MANIFEST) as file:
            manifest = Manifest.model_validate_json(file.read(_LARGEST_MANIFEST))  # read() unfolds all there is
    except ValidationError as e:
        raise BackupUnusable("The archive's manifest is not as this program writes it.") from e
    if manifest.format != FORMAT:
        raise BackupUnusable(
            f"The backup has format {manifest.format}, which this version does not read: restore it with the version "
            "that made it."
        )
    sizes = {info.filename: info.file_size for info in opened.infolist() if info.filename != MANIFEST}
    if sizes != {name: content.size for name, content in manifest.files.items()}:
        raise BackupUnusable("The archive does not hold what its manifest says.")
    if sizes.get(TUNING, 0) > _LARGEST_TUNING:
        raise BackupUnusable("The archive's tuning is larger than any can be.")
    return manifest


def need_room(folder: Path, size: int) -> None:
    """Raises BackupUnusable when the folder's disk has no room for so many bytes."""
    free = shutil.disk_usage(folder).free
    if free < size + _MARGIN:
        raise BackupUnusable(
            f"{folder} has {free // 1_000_000} MB left, and {(size + _MARGIN) // 1_000_000} MB are needed."
        )


def _write(source: IO[bytes], target: Path, content: Content) -> None:
    """No byte more than was said is written."""
    digest, left = hashlib.sha256(), content.size
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        while block := source.read(_BLOCK):
            left -= len(block)
            if left < 0:
                break
            digest.update(block)
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
    if left or digest.hexdigest() != content.sha256:
        raise BackupUnusable(f"{target.name} in the archive is damaged: it is not what was packed.")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
