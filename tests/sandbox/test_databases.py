"""The tables of the migration tools, against the company's repositories."""

import re
import sqlite3
from contextlib import closing
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.databases import Databases, flyway_checksum
from sandbox.git import line
from sandbox.load import load_company
from sandbox.repos import build


@pytest.fixture(scope="module")
def company():
    return load_company()


@pytest.fixture(scope="module")
def repos(company, tmp_path_factory):
    return build(company, tmp_path_factory.mktemp("repos"))


@pytest.fixture
def files(company, tmp_path):
    return Databases(company).write(tmp_path)


def rows(path, table):
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]


def migrations(repos, repo):
    """The migrations on main that a tool sees, by file name, with their text."""
    names = line(repos[repo], "ls-tree", "--name-only", "main", "migrations/").splitlines()
    seen = [name for name in names if re.fullmatch(r"migrations/(V\d+__\w+\.sql|\d{6}_\w+\.up\.sql)", name)]
    return {PurePosixPath(name).name: line(repos[repo], "show", f"main:{name}") for name in seen}


def test_flyway_on_staging_is_as_main(files, repos):
    found = rows(files["staging", "booking-api"], "flyway_schema_history")
    assert [row["installed_rank"] for row in found] == [1, 2, 3, 4]
    assert found[0] | {"version": "1", "type": "BASELINE", "checksum": None} == found[0]
    expected = {name: flyway_checksum(text) for name, text in migrations(repos, "booking-api").items()}
    assert {row["script"]: row["checksum"] for row in found[1:]} == expected
    assert [(row["version"], row["description"]) for row in found[1:]] == [
        ("2", "hold extended"),
        ("3", "account locked at"),
        ("4", "voucher"),
    ]
    assert all(row["success"] == 1 and row["type"] == "SQL" for row in found[1:])


def test_flyway_in_production_lacks_one_and_has_one_that_was_edited(files, repos):
    found = {
        row["script"]: row["checksum"] for row in rows(files["production", "booking-api"], "flyway_schema_history")
    }
    main = {name: flyway_checksum(text) for name, text in migrations(repos, "booking-api").items()}
    assert set(main) - set(found) == {"V4__voucher.sql"}
    assert {name for name in main if name in found and found[name] != main[name]} == {"V3__account_locked_at.sql"}
    edited = line(
        repos["booking-api"], "log", "-1", "--format=%s", "main", "--", "migrations/V3__account_locked_at.sql"
    )
    assert edited.startswith("BKG-97 ")


def test_what_is_applied_is_in_what_runs(company, repos):
    """A database is migrated from the version that is deployed just afterwards."""
    tags = {(release.repo, release.version): release.tag for release in company.releases}
    for database in company.databases:
        for applied in database.applied:
            later = next(
                deployed
                for deployed in company.deployments
                if (deployed.environment, deployed.repo) == (database.environment, database.repo)
                and deployed.at >= applied.at
            )
            text = line(repos[later.repo], "show", f"{tags[later.repo, later.version]}:{applied.script}")
            commits = next(repo.commits for repo in company.repos if repo.name == later.repo)
            then = [c.files[applied.script] for c in commits if applied.script in c.files and c.at <= applied.at][-1]
            assert text == then.strip()


def test_golang_migrate_keeps_one_row(files, repos):
    assert rows(files["staging", "gate-app"], "schema_migrations") == [{"version": 2, "dirty": 0}]
    assert rows(files["production", "gate-app"], "schema_migrations") == [{"version": 1, "dirty": 0}]
    assert sorted(migrations(repos, "gate-app")) == ["000001_scans.up.sql", "000002_signed.up.sql"]


def test_a_file_is_not_written_twice(company, files):
    with pytest.raises(FileExistsError):
        Databases(company).write(files["staging", "gate-app"].parent)


LINES = st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])), max_size=5)


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_the_checksum_knows_no_ends_of_lines(lines, end):
    plain = flyway_checksum("\n".join(lines))
    assert plain == flyway_checksum(end.join(lines)) == flyway_checksum("\n".join([*lines, "", ""]))
    assert -(1 << 31) <= plain < 1 << 31


def test_the_checksum_is_crc_32():
    """The check value of CRC-32, 0xCBF43926, as a signed number."""
    assert flyway_checksum("12345\n6789\n") == 0xCBF43926 - (1 << 32)
    assert flyway_checksum("\ufeff123456789") == flyway_checksum("123456789")
