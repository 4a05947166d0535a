"""The image: the Dockerfile is linted, and its steps are run, as no engine is needed for them.

The installation is the image's own script. What it made then runs as in the container: a root that is read-only, a user
who owns nothing but the data folder and the temporary one.
"""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from crosscheck import settings as config
from evals.playground import company, secrets_of
from sandbox.server import Sandbox
from tests.conftest import STRICT, missing
from tests.crosscheck.live import until
from tests.deploy.files import DEPLOY, PINNED, ROOT, tool

DOCKERFILE = DEPLOY / "Dockerfile"
IGNORED = DEPLOY / "Dockerfile.dockerignore"
EXAMPLE = DEPLOY / "crosscheck.example.toml"
USER = 10001
READ_ONLY = """
set -e
mount --bind "$1/volume" "$1/volume"
mount --bind "$1/tmp" "$1/tmp"
mount -o remount,bind,ro /
cd "$1/etc"
shift
# To read what others may not is allowed, since the interpreter may be in somebody's home folder; to write it is not.
exec setpriv --reuid=10001 --regid=10001 --clear-groups --no-new-privs --bounding-set=-all,+dac_read_search \
    --inh-caps=-all,+dac_read_search --ambient-caps=-all,+dac_read_search "$@"
"""


def instructions() -> Iterator[tuple[str, str]]:
    joined = DOCKERFILE.read_text("utf-8").replace("\\\n", " ")
    for line in joined.splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, rest = line.partition(" ")
            yield name, rest.strip()


def of(name: str) -> list[str]:
    return [rest for called, rest in instructions() if called == name]


def test_hadolint_has_nothing_to_say():
    assert tool("hadolint", "--failure-threshold", "style", DOCKERFILE) == ""


def test_every_stage_begins_with_the_same_pinned_image():
    bases = {rest.split()[0] for rest in of("FROM")}
    assert len(bases) == 1
    assert re.fullmatch(PINNED, bases.pop())
    assert of("ADD") == []


def test_it_runs_as_a_user_whose_number_is_known():
    assert of("USER") == [f"{USER}:{USER}"]
    manifests = (DEPLOY / "kubernetes/crosscheck.yaml").read_text("utf-8")
    assert f"runAsUser: {USER}" in manifests
    assert f"fsGroup: {USER}" in manifests


def test_commands_are_the_program_itself():
    assert json.loads(of("ENTRYPOINT")[0]) == ["crosscheck"]
    assert json.loads(of("CMD")[0]) == ["serve"]
    assert json.loads(of("HEALTHCHECK")[0].partition(" CMD ")[2]) == ["crosscheck", "health"]


def test_the_example_s_settings_fit_the_image():
    settings = config.load(EXAMPLE)
    assert settings.data.is_relative_to(of("VOLUME")[0])
    assert (settings.serve.host, str(settings.serve.port)) == ("0.0.0.0", of("EXPOSE")[0])


def test_the_builder_gets_what_the_wheel_is_made_of_and_nothing_else():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    roots = {name.partition(".")[0] for name in project["tool"]["setuptools"]["packages"]}
    let_through = {line[1:] for line in IGNORED.read_text("utf-8").splitlines() if line.startswith("!")}
    needed = {"pyproject.toml", project["project"]["readme"]}
    assert let_through == roots | needed | {
        f"deploy/{name}" for name in ("install.sh", "build.lock", "requirements.lock")
    }


def test_the_installer_says_how_it_is_called():
    done = subprocess.run((DEPLOY / "install.sh",), capture_output=True, text=True, check=False, timeout=10)
    assert done.returncode != 0
    assert "usage: install.sh PREFIX" in done.stderr


@pytest.fixture(scope="module")
def machine():
    """A folder that other users can enter, with the app in `opt`, as its image has it."""
    if not STRICT:
        missing("installing the whole lock takes most of a minute: CROSSCHECK_STRICT=1 does it")
    if os.geteuid() != 0:
        missing("only root can become another user")
    with tempfile.TemporaryDirectory() as name:
        made = Path(name)
        made.chmod(0o755)
        for folder in ("etc", "volume", "tmp", "src/deploy", "handbook"):
            (made / folder).mkdir(parents=True)
        for folder in ("volume", "tmp"):
            os.chown(made / folder, USER, USER)
        for line in IGNORED.read_text("utf-8").splitlines():
            if line.startswith("!"):
                copied(ROOT / line[1:], made / "src" / line[1:])
        before = set((made / "src").rglob("*"))
        environment = {**os.environ, "PYTHON": sys.executable}
        subprocess.run((made / "src/deploy/install.sh", made / "opt"), env=environment, check=True, timeout=240)
        assert set((made / "src").rglob("*")) == before
        yield made


def copied(source: Path, to: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, to, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, to)


@pytest.fixture(scope="module")
def jira():
    with Sandbox.start(company(tickets=1)) as box:
        yield box


@pytest.fixture(scope="module")
def run(machine, jira):
    """A command as in the container; the settings are the example's, at this machine's places."""
    text = EXAMPLE.read_text("utf-8").partition("\n# The PostgreSQL beside it.")[0]
    text = text.replace('\nmirrors = "/var/lib/crosscheck-mirrors"\n', "\n")
    text = text.replace("/var/lib/crosscheck", str(machine / "volume"))
    text = text.replace('host = "0.0.0.0"', 'host = "0.0.0.0"\nport = 0')
    sources = (
        f'[jira]\nsite = "{jira.jira_url}"\nread_user = "{jira.read_user}"\npost_user = "{jira.post_user}"\n'
        f'projects = ["RUN"]\n[[files]]\nname = "handbook"\nlocation = "{machine / "handbook"}"\n'
    )
    holders = '[audience.holders]\norg = ["files:handbook"]\n'
    (machine / "etc/crosscheck.toml").write_text(f"{text}\n{sources}\n{holders}")
    (machine / "handbook/refunds.md").write_text("# Refunds\n\nGuests get a refund within 14 days of the booking.\n")
    secrets = secrets_of(jira)
    environment = {
        "PATH": f"{machine / 'opt/bin'}:/usr/bin:/bin",
        "HOME": str(machine / "volume"),
        "TMPDIR": str(machine / "tmp"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "CROSSCHECK_JIRA_READ_TOKEN": secrets.need("jira_read_token"),
        "CROSSCHECK_JIRA_POST_TOKEN": secrets.need("jira_post_token"),
    }
    inside = ("unshare", "--mount", "sh", "-c", READ_ONLY, "sh", str(machine))

    def start(*command: str, **how) -> subprocess.Popen[str]:
        return subprocess.Popen((*inside, *command), env=environment, stdout=subprocess.PIPE, text=True, **how)

    return start


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out + (err or "")


def test_others_can_read_the_app_and_not_write_it(machine):
    for path in (machine / "opt").rglob("*"):
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode):
            assert mode & stat.S_IROTH, path
            assert not mode & (stat.S_IWGRP | stat.S_IWOTH), path


def test_the_root_is_read_only_there(run, machine):
    code, said = ended(run("touch", str(machine / "opt/x"), stderr=subprocess.STDOUT))
    assert code != 0
    assert "Read-only file system" in said


def test_the_command_is_installed_with_its_data(run):
    code, said = ended(run("crosscheck", "--help"))
    assert code == 0
    assert "Usage: crosscheck" in said
    assert ended(run("crosscheck", "sync", stderr=subprocess.STDOUT))[0] == 0
    code, said = ended(run("crosscheck", "search", "refund of a booking"))
    assert code == 0
    assert "within 14 days" in said


def test_the_service_is_well_while_it_runs_and_only_then(run, machine):
    assert ended(run("crosscheck", "health", stderr=subprocess.DEVNULL))[0] == 1
    well = (0, "The service is well.\n")
    service = run("crosscheck", "serve", stderr=subprocess.DEVNULL)
    try:
        until(
            lambda: ended(run("crosscheck", "health", stderr=subprocess.DEVNULL)) == well, "a service that is well", 120
        )
    finally:
        service.terminate()
        code, said = ended(service)
    assert code == 0, said
    assert ended(run("crosscheck", "health", stderr=subprocess.DEVNULL))[0] == 1
    assert stat.S_IMODE((machine / "volume/data").stat().st_mode) == 0o700
