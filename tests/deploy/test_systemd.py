"""systemd takes the unit, and finds it closed."""

import shutil
import subprocess
import sys

import pytest

from crosscheck.roles import chosen
from tests.conftest import missing
from tests.deploy.files import DEPLOY

UNIT = DEPLOY / "systemd/crosscheck.service"
ROLES = DEPLOY / "systemd/roles.conf"
MOST_EXPOSED = 15
"""Of 100, by `systemd-analyze security`; a unit without any of its settings has 96."""


@pytest.fixture(scope="module")
def analyze():
    if shutil.which("systemd-analyze") is None:
        missing("systemd-analyze is not installed")

    def run(*arguments):
        done = subprocess.run(("systemd-analyze", *arguments), capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, done.stdout + done.stderr

    return run


def test_systemd_takes_the_unit(analyze, tmp_path):
    """With a program that is there, and a misspelt setting to see that one would be told."""
    text = UNIT.read_text("utf-8").replace("/opt/crosscheck/bin/crosscheck", sys.executable)
    (tmp_path / "crosscheck.service").write_text(text)
    assert analyze("verify", "--man=no", str(tmp_path / "crosscheck.service")) == (0, "")
    (tmp_path / "crosscheck.service").write_text(text.replace("ProtectSystem=", "ProtectSytem="))
    assert "ProtectSytem" in analyze("verify", "--man=no", str(tmp_path / "crosscheck.service"))[1]


def test_systemd_takes_the_unit_of_a_host_with_a_part_of_the_work(analyze, tmp_path):
    """The drop-in starts the same program, with roles that there are."""
    program = "/opt/crosscheck/bin/crosscheck"
    (command,) = [line for line in ROLES.read_text("utf-8").splitlines() if line.startswith("ExecStart=/")]
    started, roles = command.rsplit(" --roles ", 1)
    assert f"{started}\n" in UNIT.read_text("utf-8")
    assert chosen(roles)
    drop_ins = tmp_path / "crosscheck.service.d"
    drop_ins.mkdir()
    (tmp_path / UNIT.name).write_text(UNIT.read_text("utf-8").replace(program, sys.executable))
    (drop_ins / ROLES.name).write_text(ROLES.read_text("utf-8").replace(program, sys.executable))
    assert analyze("verify", "--man=no", str(tmp_path / UNIT.name)) == (0, "")
    (drop_ins / ROLES.name).write_text("[Service]\nReedWritePaths=/srv\n")
    assert "ReedWritePaths" in analyze("verify", "--man=no", str(tmp_path / UNIT.name))[1]


def test_the_unit_is_closed(analyze):
    code, said = analyze("security", "--offline=true", "--no-pager", f"--threshold={MOST_EXPOSED}", str(UNIT))
    assert code == 0, said


def test_the_user_is_made(tmp_path):
    if shutil.which("systemd-sysusers") is None:
        missing("systemd-sysusers is not installed")
    (tmp_path / "etc").mkdir()
    users = DEPLOY / "systemd/crosscheck.sysusers"
    subprocess.run(("systemd-sysusers", f"--root={tmp_path}", "-"), input=users.read_bytes(), check=True, timeout=60)
    entry = next(
        line.split(":") for line in (tmp_path / "etc/passwd").read_text().splitlines() if line.startswith("crosscheck:")
    )
    assert int(entry[2]) > 0
    assert (entry[5], entry[6]) == ("/var/lib/crosscheck", "/usr/sbin/nologin")
    assert "User=crosscheck\n" in UNIT.read_text("utf-8")
