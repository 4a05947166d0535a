"""What is brought to environments, and what goes wrong with them, before it is asked what runs there."""

import socket
from collections.abc import Callable
from datetime import timedelta

from sandbox.git import git, line
from tests.crosscheck.deployed.stage import NOW, TEST, Stage

_Put = Callable[[Stage], object]
ASKED = {"repository": "booking-api", "pull": 19}
"""A pull request that runs on staging and not on production."""
HIDDEN = ["jira:group:operations"]


def everywhere(stage: Stage) -> None:
    stage.everywhere()


def both(stage: Stage) -> None:
    for repo in ("booking-api", "gate-app"):
        stage.everywhere(repo)


def gates(stage: Stage) -> None:
    stage.probe("staging", "gate-app")


def running(ref: str | None, version: str = "", **more: object) -> _Put:
    """This runs on `test`."""

    def put(stage: Stage) -> None:
        stage.deploy(ref, version, **more)
        stage.probe(TEST)

    return put


def picked(stage: Stage) -> None:
    """The commit that BKG-147 is, as `git cherry-pick -x` brings it to the branch of an older release."""
    host, path = stage.box.git_host, stage.box.repos["booking-api"]
    commit = line(path, "log", "-1", "--format=%H", "--grep=BKG-147", "main")
    subject = line(path, "log", "-1", "--format=%s", commit)
    file = line(path, "show", "--format=", "--name-only", commit)
    message = f"{subject}\n\n(cherry picked from commit {commit})"
    copy = host.commit("booking-api", {file: git(path, "show", f"{commit}:{file}")}, message, on="v1.6.0")
    host.branch("booking-api", "release-1.6", copy)
    stage.deploy(copy, "1.6.1")
    stage.probe(TEST)


def set_back(stage: Stage) -> None:
    stage.deploy("v1.6.0", "1.6.0")
    stage.deploy("v1.7.0-rc.1", "1.7.0-rc.1", at=NOW - timedelta(hours=3))
    stage.probe(TEST)
    stage.earlier(**ASKED)
    stage.box.deployments.roll_back(TEST, "booking-api")


def differing(stage: Stage) -> None:
    stage.deploy("v1.6.0", "1.6.0", instances=3)
    stage.box.deployments.differ(TEST, "booking-api", "v1.7.0-rc.1", "1.7.0-rc.1")
    stage.probe(TEST)


def unwell(stage: Stage) -> None:
    stage.deploy("v1.6.0", "1.6.0", instances=3)
    stage.box.deployments.unwell(TEST, "booking-api")
    stage.probe(TEST)


def rolling_out(state: str) -> _Put:
    def put(stage: Stage) -> None:
        stage.deploy("v1.6.0", "1.6.0")
        stage.deploy("v1.7.0-rc.1", "1.7.0-rc.1", at=NOW - timedelta(hours=3), state=state)
        stage.probe(TEST)

    return put


def two_ways(stage: Stage) -> None:
    """The version endpoint of another environment is taken for this one's."""
    stage.deploy("v1.6.0", "1.6.0")
    stage.probe(TEST, kind="kubernetes")
    stage.probe(TEST, kind="http", url=stage.box.version_url("staging", "booking-api"))


def asked_again(stage: Stage) -> None:
    """Within a minute; the clock goes on by more, so that the time that is told is seen to be the reading's."""
    stage.probe()
    stage.ask(**ASKED)
    stage.now += timedelta(minutes=5)
    stage.fault("status", status=500)


def down(stage: Stage) -> None:
    stage.probe(url=f"http://127.0.0.1:{free_port()}/version")


def down_now(stage: Stage) -> None:
    stage.probe()
    stage.earlier(**ASKED)
    stage.fault("status", status=503)


def answering(kind: str, **more: object) -> _Put:
    def put(stage: Stage) -> None:
        stage.probe()
        stage.fault(kind, **more)

    return put


def large(stage: Stage) -> None:
    stage.probe()
    stage.fault("status", status=200, body=f'{{"version": "{"x" * 10_000_000}"}}')


def redirected(stage: Stage) -> None:
    stage.probe()
    stage.fault("status", status=302, headers={"location": f"{stage.foreign.url}/version"}, body="")


def with_(environment: str = "staging", **changed: object) -> _Put:
    """A probe whose settings are these, all else as it should be."""
    return lambda stage: stage.probe(environment, **changed)


def one_hidden(stage: Stage) -> None:
    stage.probe()
    stage.probe("production", labels=HIDDEN)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
