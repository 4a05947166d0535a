"""Backups that were made to do harm, or that are of another installation: nothing is done that a restoration is not."""

import bz2
import hashlib
import json
import resource
import sqlite3
import subprocess
import sys
import zipfile
import zlib
from contextlib import closing

import pytest

from crosscheck.archive import DATABASE, MANIFEST, BackupUnusable, unpack
from crosscheck.backup import backup, mark_restored, restore
from crosscheck.settings import Jira, Settings
from crosscheck.stores import FoldersAndServers
from state.db import open_database
from state.generations import Generations

JIRA = Jira(site="https://jira.example", read_user="r", post_user="p", projects=("RUN",))
OURS = {"engine": "server", "url": "http://qdrant.ours:6333", "prefix": "crosscheck"}


def quietly(*_progress):
    return None


class Deleted:
    """Stores that note what they were to delete."""

    def __init__(self):
        self.names = []

    def delete(self, name, kept):
        self.names.append((name, kept.get("store", {}).get("url")))


@pytest.fixture
def at(tmp_path):
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    return Settings(data=data, jira=JIRA)


def made(at, file, *sql, generations=()):
    """A backup of a database in which this was done before."""
    database = open_database(at.data / DATABASE)
    for name, kept in generations:
        Generations(database).remember(name, kept)
    database.dispose()
    with closing(sqlite3.connect(at.data / DATABASE, isolation_level=None)) as connection:
        for one in sql:
            connection.execute(one)
    backup_of(at.data / DATABASE, file)
    (at.data / DATABASE).unlink()
    return file


def backup_of(database, file):
    """As `backup` packs it, whatever is in it."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = database.read_bytes()
    described = {DATABASE: {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}}
    told = {"format": 1, "version": "1", "revision": "0009", "made_at": "2026-11-30", "files": described}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, json.dumps(told))
        archive.writestr(DATABASE, content)


def test_a_generation_that_names_a_folder_elsewhere_deletes_nothing_there(at, tmp_path):
    """A generation's name became a path below the index's folder, and what is there was removed."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("kept")
    file = made(at, tmp_path / "b", generations=[("../../precious", {}), (str(precious), {})])
    restore(at, file, FoldersAndServers(at.data / "index"), quietly, replace=False)
    assert (precious / "file").read_text() == "kept"


@pytest.mark.parametrize(
    "store",
    [
        {"url": "http://attacker.example:6333", "prefix": "crosscheck"},
        {"url": "http://qdrant.ours:6333", "prefix": "production"},  # of another data folder, on the same server
        {"url": None, "prefix": "crosscheck"},
        "text",
        None,
    ],
)
@pytest.mark.parametrize("index", [OURS, {}])
def test_a_backup_of_another_installation_leaves_its_index_alone_and_its_server_is_not_sent_our_key(
    at, tmp_path, store, index
):
    """A copy of production that is restored to try something would have deleted what production searches."""
    at = at.model_copy(update={"index": type(at.index)(**index)})
    file = made(at, tmp_path / "b", generations=[("gen", {"store": store})])
    deleted = Deleted()
    restore(at, file, deleted, quietly, replace=False)
    assert deleted.names == []


def test_a_database_that_was_restored_by_other_means_leaves_another_index_alone(at):
    at = at.model_copy(update={"index": type(at.index)(**OURS)})
    database = open_database(at.data / DATABASE)
    try:
        Generations(database).remember("theirs", {"store": {"url": "http://other:6333", "prefix": "crosscheck"}})
        Generations(database).remember("ours", {"store": {"url": OURS["url"], "prefix": "crosscheck"}})
        Generations(database).remember("../x", {"store": {"url": OURS["url"], "prefix": "crosscheck"}})
        deleted = Deleted()
        mark_restored(at, database, deleted)
    finally:
        database.dispose()
    assert deleted.names == [("ours", OURS["url"])]


def test_the_collections_of_the_backup_and_of_the_database_are_deleted_on_ones_own_server(at, tmp_path):
    at = at.model_copy(update={"index": type(at.index)(**OURS)})
    store = {"store": {"url": OURS["url"], "prefix": "crosscheck"}}
    moved = {"store": {"url": "http://qdrant.before:6333", "prefix": "crosscheck"}}
    file = made(at, tmp_path / "b", generations=[("old", store)])
    database = open_database(at.data / DATABASE)
    Generations(database).remember("new", store)
    Generations(database).remember("before", moved)  # our own database says that it is ours
    database.dispose()
    deleted = Deleted()
    restore(at, file, deleted, quietly, replace=True)
    assert sorted(name for name, _ in deleted.names) == ["before", "new", "old"]


ENDLESS = (
    "CREATE VIEW alembic_version AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
    "SELECT max(x) AS version_num FROM n"
)


@pytest.mark.parametrize(
    "sql",
    [
        ("CREATE TRIGGER t AFTER INSERT ON job BEGIN UPDATE job SET payload = '{}'; END",),
        ("CREATE TRIGGER t AFTER DELETE ON leader BEGIN DELETE FROM seen; END",),
        ("CREATE VIEW v AS SELECT 1",),
        ("DROP TABLE alembic_version", "CREATE VIEW alembic_version AS SELECT '0009' AS version_num"),
        (
            "DROP TABLE alembic_version",
            ENDLESS,
        ),
        ("CREATE VIRTUAL TABLE f USING fts5(x)",),
    ],
)
def test_a_database_that_acts_by_itself_is_refused(at, tmp_path, sql):
    file = made(at, tmp_path / "b", *sql)
    with pytest.raises(BackupUnusable, match=r"triggers or views"):
        restore(at, file, Deleted(), quietly, replace=False)
    assert not (at.data / DATABASE).exists()


def test_ones_own_backup_is_none_of_these(at, tmp_path):
    open_database(at.data / DATABASE).dispose()
    backup(at, tmp_path / "b", quietly)
    restore(at, tmp_path / "b", Deleted(), quietly, replace=True)


UNPACK = """
import resource, sys
from pathlib import Path
from crosscheck.archive import BackupUnusable, unpack
archive, folder, most = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    unpack(archive, folder, lambda *_: None)
except BackupUnusable as error:
    print(error)
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
sys.exit(f"{grown} MB" if grown > most else 0)
"""
GROWS = 100  # MB that reading an archive may take at most


@pytest.mark.skipif(not hasattr(resource, "RUSAGE_SELF"), reason="memory is measured as Unix does")
@pytest.mark.parametrize("name", [MANIFEST, DATABASE])
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_what_unfolds_to_more_than_the_archive_says_takes_no_memory(tmp_path, name, method):
    """The sizes in an archive are its own word. zipfile keeps to them by cutting what it has unfolded already."""
    large = 300_000_000
    bomb(tmp_path / "b", name, method, large)
    (tmp_path / "to").mkdir()
    command = [sys.executable, "-c", UNPACK, str(tmp_path / "b"), str(tmp_path / "to"), str(GROWS)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr[-300:]
    assert run.stdout, "refused"


def bomb(file, name, method, large):
    """An archive whose file `name` says that it has a thousand bytes."""
    described = {DATABASE: {"size": 1000, "sha256": "0" * 64}}
    told = {"format": 1, "version": "1", "revision": "0009", "made_at": "", "files": described}
    with zipfile.ZipFile(file, "w") as archive:
        for each, content in ((MANIFEST, json.dumps(told).encode()), (DATABASE, b"\0" * 1000)):
            info = zipfile.ZipInfo(each)
            info.compress_type = method if each == name else zipfile.ZIP_STORED
            archive.writestr(info, content)
        entry = archive.getinfo(name)
    content = file.read_bytes()
    packed = packed_zeros(method, large)
    start = entry.header_offset + 30 + len(name)
    before = content[start : start + entry.compress_size]
    size = entry.compress_size.to_bytes(4, "little")
    fields = entry.CRC.to_bytes(4, "little") + size + entry.file_size.to_bytes(4, "little")
    longer = fields[:4] + len(packed).to_bytes(4, "little") + fields[8:]
    assert content.count(fields) == 2
    grown = len(packed) - len(before)
    content = content.replace(fields, longer)
    if name == DATABASE:  # the last one: what comes after it only moves
        end = content.rindex(b"PK\x05\x06")
        offset = int.from_bytes(content[end + 16 : end + 20], "little") + grown
        content = content[: end + 16] + offset.to_bytes(4, "little") + content[end + 20 :]
        file.write_bytes(content[:start] + packed + content[start + len(before) :])
        return
    moved = content[:start] + packed + content[start + len(before) :]
    file.write_bytes(relocated(moved, grown))


def relocated(content, grown):
    """With the offsets of what comes after the first file."""
    end = content.rindex(b"PK\x05\x06")
    offset = int.from_bytes(content[end + 16 : end + 20], "little") + grown
    content = content[: end + 16] + offset.to_bytes(4, "little") + content[end + 20 :]
    second = content.rindex(b"PK\x01\x02")
    at = int.from_bytes(content[second + 42 : second + 46], "little") + grown
    return content[: second + 42] + at.to_bytes(4, "little") + content[second + 46 :]


def packed_zeros(method, large):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15) if method == zipfile.ZIP_DEFLATED else bz2.BZ2Compressor()
    block = b"\0" * min(large, 10_000_000)
    return b"".join([*(packer.compress(block) for _ in range(large // len(block))), packer.flush()])


def test_an_archive_of_the_bombs_form_without_the_bomb_is_read(tmp_path):
    """So that the bombs above are refused for what they are, not for how they are made."""
    bomb(tmp_path / "b", DATABASE, zipfile.ZIP_DEFLATED, 1000)
    (tmp_path / "to").mkdir()
    with pytest.raises(BackupUnusable, match="is damaged: it is not what was packed"):
        unpack(tmp_path / "b", tmp_path / "to", quietly)


def test_an_entry_before_the_beginning_of_the_file(tmp_path):
    """The offset of the directory is told too large by ten, so all that it names is ten bytes before its place."""
    archive = tmp_path / "b.zip"
    with zipfile.ZipFile(archive, "w") as made_up:
        made_up.writestr(MANIFEST, "{}")
        made_up.writestr(DATABASE, "x")
    data = bytearray(archive.read_bytes())
    told = len(data) - 6
    data[told : told + 4] = (int.from_bytes(data[told : told + 4], "little") + 10).to_bytes(4, "little")
    archive.write_bytes(data)
    with pytest.raises(BackupUnusable, match="damaged or no backup"):
        unpack(archive, tmp_path, quietly)
