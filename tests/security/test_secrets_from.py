"""Secrets come from the environment or from a folder of files, and from nowhere else."""

import os

import pytest

from crosscheck.doctor_secrets import secrets_checks
from crosscheck.errors import BadSettings
from crosscheck.secrets_from import FOLDER, LARGEST
from crosscheck.settings import NAMED, Secrets, variable

READ, POST = "CROSSCHECK_JIRA_READ_TOKEN", "CROSSCHECK_JIRA_POST_TOKEN"


def given(folder, **environment):
    return Secrets.from_environment({FOLDER: str(folder), **environment})


@pytest.mark.parametrize("written", ["t0ken", "t0ken\n", "t0ken\r\n", "  t0ken \n"])
def test_a_file_named_as_the_variable_holds_the_secret(tmp_path, written):
    (tmp_path / READ).write_text(written)
    secrets = given(tmp_path)
    assert secrets.need("jira_read_token") == "t0ken"
    assert secrets.wanted("jira_post_token") == ""


def test_every_secret_may_be_a_file(tmp_path):
    names = {variable(name): name for name in Secrets.model_fields if name not in NAMED}
    for name in names:
        (tmp_path / name).write_text(f"value of {name}")
    for begins in NAMED.values():
        (tmp_path / f"{begins}STAGING").write_text("of staging")
    secrets = given(tmp_path)
    assert {name: secrets.wanted(field) for name, field in names.items()} == {
        name: f"value of {name}" for name in names
    }
    assert secrets.host_token("staging") == secrets.probe_token("staging") == "of staging"
    assert secrets.database_password("staging") == "of staging"


def test_the_environment_wins_and_what_is_empty_is_absent(tmp_path):
    (tmp_path / READ).write_text("of the file")
    (tmp_path / POST).write_text(" \n")
    assert given(tmp_path, **{READ: "of the environment"}).wanted("jira_read_token") == "of the environment"
    assert given(tmp_path, **{READ: " "}).wanted("jira_read_token") == "of the file"
    assert given(tmp_path).jira_post_token is None
    assert Secrets.from_environment({FOLDER: ""}).jira_read_token is None


def test_a_volume_of_kubernetes_is_read_through_its_links(tmp_path):
    """`..data` is exchanged as a whole when the Secret changes; each key is a link through it."""
    version = tmp_path / "..2026_11_30_18_00_00.1"
    version.mkdir()
    (version / READ).write_text("t0ken")
    (tmp_path / "..data").symlink_to(version.name)
    (tmp_path / READ).symlink_to(f"..data/{READ}")
    (tmp_path / "ca.crt").write_bytes(b"\xff of somebody else")
    assert given(tmp_path).wanted("jira_read_token") == "t0ken"


def large(path):
    path.write_bytes(b"s3cret" * LARGEST)


def no_text(path):
    path.write_bytes(b"s3cret\xff\xfe")


def dangling(path):
    path.symlink_to("s3cret-elsewhere")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (large, "more than 65,536 bytes"),
        (no_text, "no text in UTF-8"),
        (dangling, "cannot be read"),
        (lambda path: path.mkdir(), "Is a directory"),
        (os.mkfifo, "is no file"),
    ],
)
def test_a_file_that_cannot_be_a_secret_is_named_with_what_to_do_and_never_repeated(tmp_path, make, says):
    make(tmp_path / READ)
    with pytest.raises(BadSettings, match=f"{READ}.*{says}") as refused:
        given(tmp_path)
    assert "s3cret" not in str(refused.value)
    assert refused.value.__cause__ is None or "s3cret" not in repr(refused.value.__cause__.args)


def test_the_largest_file_that_is_taken(tmp_path):
    (tmp_path / READ).write_bytes(b"s" * LARGEST)
    assert len(given(tmp_path).wanted("jira_read_token")) == LARGEST


@pytest.mark.parametrize("name", ["CROSSCHECK_JIRA_TOKEN", "CROSSCHECK_HOST_TOKEN_", FOLDER, "CROSSCHECK_"])
def test_a_file_that_nobody_reads_is_told(tmp_path, name):
    """Else a misspelt one is a secret that seems to be set."""
    (tmp_path / name).write_text("x")
    with pytest.raises(BadSettings, match="no secret that Crosscheck knows"):
        given(tmp_path)


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(BadSettings, match=f"{FOLDER} names .*missing, which cannot be read"):
        given(tmp_path / "missing")


def test_doctor_warns_of_files_that_everybody_can_read(tmp_path):
    (tmp_path / READ).write_text("t0ken")
    (tmp_path / "other").write_text("of somebody else")
    (tmp_path / READ).chmod(0o400)
    assert [check.state for check in secrets_checks({FOLDER: str(tmp_path)})] == ["ok"]
    (tmp_path / READ).chmod(0o444)
    (warned,) = secrets_checks({FOLDER: str(tmp_path)})
    assert (warned.state, READ in warned.says, "0400" in warned.do) == ("warning", True, True)
    assert secrets_checks({}) == []
    assert [check.state for check in secrets_checks({FOLDER: str(tmp_path / "none")})] == ["failed"]


def test_no_setting_is_a_secret_and_none_shows_one():
    secrets = Secrets.from_environment({READ: "t0ken-of-jira", "CROSSCHECK_HOST_TOKEN_GITHUB": "t0ken-of-host"})
    for shown in (repr(secrets), str(secrets), secrets.model_dump_json(), repr(secrets.model_dump())):
        assert "t0ken" not in shown
    assert set(secrets.values()) == {"t0ken-of-jira", "t0ken-of-host"}
