"""Backup and restoration in two commands, and archives that are not what they say."""

import hashlib
import json
import os
import shutil
import sqlite3
import threading
import zipfile
from contextlib import closing

import pytest

from crosscheck.archive import DATABASE, MANIFEST, TUNING, BackupUnusable, need_room, unpack
from crosscheck.owner import owning
from evals.playground import company
from sandbox.server import Sandbox
from state.db import open_database
from state.jobs import Jobs
from state.revocations import Revocations
from tests.crosscheck.commands import Commands

SETTINGS = """
data = "data"
[jira]
site = "{site}"
read_user = "r@example.com"
post_user = "p@example.com"
projects = ["RUN"]
"""


def quietly(*_progress):
    return None


@pytest.fixture
def file(tmp_path):
    with Sandbox.start(company(1)) as box:
        made = tmp_path / "crosscheck.toml"
        made.write_text(SETTINGS.format(site=box.jira_url), "utf-8")
        yield made


@pytest.fixture
def commands(capsys, monkeypatch, file):
    return Commands(capsys, monkeypatch, file, {})


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


def accept(data, *keys):
    database = open_database(data / DATABASE)
    for key in keys:
        Jobs(database).accept(key, "comment", {}, surface="jira", via="poll")
    database.dispose()


def keys(path):
    with closing(sqlite3.connect(path)) as connection:
        return {key for (key,) in connection.execute("SELECT key FROM job")}


def revoke(data, sha256):
    database = open_database(data / DATABASE)
    Revocations(database).revoke(sha256, "ci", "ann")
    database.dispose()


def revoked(data):
    database = open_database(data / DATABASE)
    try:
        return Revocations(database).every()
    finally:
        database.dispose()


def test_there_and_back(commands, data, tmp_path):
    accept(data, "a", "b")
    (data / TUNING).write_text('{"weights": 1}')
    made = commands("backup", str(tmp_path / "b"))
    assert made.code == 0, made.err
    assert "schema 0009, checked." in made.out
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o600
    accept(data, "c")
    revoke(data, "0" * 64)
    (data / TUNING).write_text('{"weights": 2}')
    (data / "index" / "gen").mkdir(parents=True)

    refused = commands("restore", str(tmp_path / "b"))
    assert refused.code == 1
    assert "--replace" in refused.sentence
    assert keys(data / DATABASE) == {"a", "b", "c"}

    done = commands("restore", str(tmp_path / "b"), "--replace", "--json")
    assert done.code == 0, done.err
    assert (done.json["jobs"], done.json["posts"], done.json["never"]) == (2, 0, 0)
    assert keys(data / DATABASE) == {"a", "b"}
    assert keys(done.json["kept"]) == {"a", "b", "c"}
    assert revoked(data) == {"0" * 64}
    assert json.loads((data / TUNING).read_text()) == {"weights": 1}
    assert not (data / "index").exists()
    assert (data / DATABASE).stat().st_mode & 0o777 == 0o600
    assert not [one.name for one in data.iterdir() if one.name.startswith(".")]


def test_into_an_empty_folder(commands, data, tmp_path):
    accept(data, "a")
    commands("backup", str(tmp_path / "b"))
    shutil.rmtree(data)
    done = commands("restore", str(tmp_path / "b"))
    assert done.code == 0, done.err
    assert "crosscheck sync" in done.out
    assert "kept as" not in done.out
    assert "revoked since the backup are valid again" in done.out
    assert keys(data / DATABASE) == {"a"}


def test_a_backup_is_never_overwritten(commands, data, tmp_path):
    accept(data, "a")
    (tmp_path / "b").write_text("mine")
    assert "not overwritten" in commands("backup", str(tmp_path / "b")).sentence
    assert (tmp_path / "b").read_text() == "mine"


def test_a_backup_of_nothing(commands, tmp_path):
    assert "nothing to back up" in commands("backup", str(tmp_path / "b")).sentence
    assert not (tmp_path / "b").exists()


def test_a_folder_that_is_not_there(commands, data, tmp_path):
    accept(data, "a")
    told = commands("backup", str(tmp_path / "no" / "b"))
    assert told.code == 1
    assert "no" in told.sentence


def test_postgresql_has_tools_of_its_own(commands, file, tmp_path):
    file.write_text(file.read_text("utf-8") + '\n[state]\nurl = "postgresql://u@localhost:5432/d"\n', "utf-8")
    assert "pg_dump" in commands("backup", str(tmp_path / "b")).sentence
    (tmp_path / "b").write_bytes(b"x")
    assert "pg_restore" in commands("restore", str(tmp_path / "b")).sentence


def test_restoring_is_refused_while_somebody_owns_the_folder(commands, data, tmp_path):
    accept(data, "a")
    commands("backup", str(tmp_path / "b"))
    with owning(data, "serve"):
        told = commands("restore", str(tmp_path / "b"), "--replace")
    assert told.code == 3
    assert "in use by `crosscheck serve`" in told.sentence


def test_marking_alone(commands, data):
    accept(data, "a")
    told = commands("restore", "--mark", "--json")
    assert told.json == {"jobs": 1, "posts": 0, "never": 0}
    assert commands("restore").code == 2
    assert commands("restore", "x", "--mark").code == 2


def test_a_backup_is_of_one_moment_while_others_write(commands, data, tmp_path):
    """Each job has its seen key in every copy: no transaction is cut in two."""
    accept(data, "first")
    stop = threading.Event()

    def write():
        database = open_database(data / DATABASE)
        number = 0
        while not stop.is_set():
            number += 1
            Jobs(database).accept(f"k{number}", "comment", {"text": "x" * 2000}, surface="jira", via="poll")
        database.dispose()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            assert commands("backup", str(tmp_path / f"b{number}")).code == 0
    finally:
        stop.set()
        writer.join()
    for number in range(5):
        folder = tmp_path / f"of{number}"
        folder.mkdir()
        unpack(tmp_path / f"b{number}", folder, quietly)
        with closing(sqlite3.connect(folder / DATABASE)) as connection:
            seen, jobs = (connection.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in ("seen", "job"))
        assert seen == jobs >= 1


# What an archive may be made of


@pytest.fixture
def archive(commands, data, tmp_path):
    accept(data, "a")
    commands("backup", str(tmp_path / "b"))
    return tmp_path / "b"


def rewritten(archive, change):
    """The archive with other contents, by name."""
    with zipfile.ZipFile(archive) as opened:
        held = {name: opened.read(name) for name in opened.namelist()}
    held = change(held)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in held.items():
            opened.writestr(name, content)


def manifest_with(**changes):
    return lambda held: {**held, MANIFEST: json.dumps(json.loads(held[MANIFEST]) | changes).encode()}


def with_database(content):
    """With another database that the manifest describes well."""

    def change(held):
        described = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        told = json.loads(held[MANIFEST])
        told["files"][DATABASE] = described
        return {MANIFEST: json.dumps(told).encode(), DATABASE: content}

    return change


HOSTILE = {
    "a path out of the folder": lambda held: {**held, "../../evil": b"x"},
    "an absolute path": lambda held: {**held, "/tmp/evil": b"x"},
    "a further file": lambda held: {**held, "owner.lock": b"x"},
    "no manifest": lambda held: {DATABASE: held[DATABASE]},
    "no database": lambda held: {MANIFEST: held[MANIFEST]},
    "a manifest that is no JSON": lambda held: {**held, MANIFEST: b"{"},
    "a huge manifest": lambda held: {**held, MANIFEST: b" " * 200_000},
    "another format": manifest_with(format=2),
    "more in the manifest": manifest_with(command="rm"),
    "a newer schema": manifest_with(revision="9999"),
    "a wrong size": lambda held: {**held, DATABASE: held[DATABASE] + b"x"},
    "other bytes": lambda held: {**held, DATABASE: held[DATABASE][:-1] + b"\xff"},
    "no SQLite": with_database(b"hello" * 1000),
    "an empty database": with_database(b""),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_an_archive_that_is_not_what_it_says_is_refused_before_anything_is_touched(
    commands, archive, data, tmp_path, change
):
    rewritten(archive, change)
    before = {one.name: one.read_bytes() for one in data.iterdir() if one.is_file() and one.name != "owner.lock"}
    told = commands("restore", str(archive), "--replace")
    assert told.code == 1
    assert len(told.sentence) < 400
    after = {one.name: one.read_bytes() for one in data.iterdir() if one.is_file() and one.name != "owner.lock"}
    assert after == before
    assert not (tmp_path / "evil").exists()


def test_a_damaged_database_that_is_described_well(commands, archive, data, tmp_path):
    torn = bytearray((data / DATABASE).read_bytes())
    torn[4096:12288] = os.urandom(8192)
    rewritten(archive, with_database(bytes(torn)))
    told = commands("restore", str(archive), "--replace")
    assert told.code == 1
    assert "damaged" in told.sentence
    assert keys(data / DATABASE) == {"a"}


def test_a_newer_schema_says_what_to_do(commands, archive, data):
    def newer(held):
        path = data / "newer.sqlite"
        path.write_bytes(held[DATABASE])
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
        content = path.read_bytes()
        path.unlink()
        return manifest_with(revision="9999")(with_database(content)(held))

    rewritten(archive, newer)
    sentence = commands("restore", str(archive), "--replace").sentence
    assert "schema (9999) this version does not know" in sentence
    assert "crosscheck downgrade" in sentence


@pytest.mark.parametrize("cut", [0, 10, 1000, -1])
def test_a_file_that_was_cut(commands, archive, data, cut):
    archive.write_bytes(archive.read_bytes()[:cut])
    assert "damaged" in commands("restore", str(archive), "--replace").sentence
    assert keys(data / DATABASE) == {"a"}


def test_a_bomb_writes_no_more_than_it_said(tmp_path):
    """Small in the archive, and larger than the manifest has it once it is read."""
    content = b"\0" * 5_000_000
    described = {DATABASE: {"size": 1000, "sha256": "0" * 64}}
    told = {"format": 1, "version": "1", "revision": "0009", "made_at": "", "files": described}
    with zipfile.ZipFile(tmp_path / "b", "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr(MANIFEST, json.dumps(told))
        opened.writestr(DATABASE, content)
    (tmp_path / "to").mkdir()
    with pytest.raises(BackupUnusable, match="does not hold what its manifest says"):
        unpack(tmp_path / "b", tmp_path / "to", quietly)
    assert not list((tmp_path / "to").iterdir())


def test_room_is_looked_for_first(tmp_path):
    with pytest.raises(BackupUnusable, match="MB left"):
        need_room(tmp_path, 1 << 60)
