"""What runs where, as the company's file says it and as tests change it."""

import pytest

from sandbox.git import line
from tests.sandbox.hosts import hosted

MERGED = {  # pull request of booking-api -> the environments that have its work
    12: {"production", "staging"},
    17: {"production", "staging"},
    19: {"staging"},
    23: set(),
}


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with hosted(tmp_path_factory.mktemp("hosts")) as box:
        yield box


@pytest.fixture
def box(tmp_path):
    with hosted(tmp_path) as fresh:
        yield fresh


def having(box, repo, commit):
    """The environments whose version holds a commit."""
    state = box.deployments
    return {
        place
        for place in state.places()
        if commit in line(box.repos[repo], "rev-list", state.running(place, repo).commit).split()
    }


def test_pull_requests_are_on_all_environments_on_one_or_on_none(running):
    pulls = running.git_host.pulls("booking-api")
    merged = {number: pull.merge_commit for number, pull in pulls.items() if pull.state == "merged"}
    assert {number: having(running, "booking-api", commit) for number, commit in merged.items()} == MERGED
    assert having(running, "gate-app", running.git_host.pull("gate-app", 5).merge_commit) == {"staging"}


@pytest.mark.parametrize(("key", "places"), [("GATE-31", {"production", "staging"}), ("GATE-52", set())])
def test_tickets_of_the_gate_app(running, key, places):
    commits = line(running.repos["gate-app"], "log", "--format=%H", f"--grep={key}", "main").split()
    assert commits
    assert all(having(running, "gate-app", commit) == places for commit in commits)


def test_versions_are_tags_of_what_runs(running):
    versions = {}
    for place in ("production", "staging"):
        for repo in running.deployments.repos(place):
            rollout = running.deployments.running(place, repo)
            versions[place, repo] = rollout.version
            assert line(running.repos[repo], "rev-parse", f"v{rollout.version}^0") == rollout.commit
            assert {(i.version, i.commit) for i in running.deployments.instances(place, repo)} == {
                (rollout.version, rollout.commit)
            }
    assert versions == {
        ("production", "booking-api"): "1.6.0",
        ("production", "gate-app"): "2.3.0",
        ("staging", "booking-api"): "1.7.0-rc.1",
        ("staging", "gate-app"): "2.4.0-rc.1",
    }


def test_a_deployment_changes_what_runs_and_rolling_back_restores_it(box):
    state = box.deployments
    before = state.running("production", "booking-api")
    made = state.deploy("production", "booking-api", "v1.7.0-rc.1", "1.7.0")
    assert state.running("production", "booking-api") == made
    assert [i.version for i in state.instances("production", "booking-api")] == ["1.7.0"] * 3
    again = state.roll_back("production", "booking-api")
    assert again.build == before.build
    assert again.number > made.number
    assert state.running("production", "booking-api") == again


@pytest.mark.parametrize("how", ["failed", "running"])
def test_what_did_not_go_well_does_not_run(box, how):
    state = box.deployments
    before = state.running("staging", "gate-app")
    made = state.deploy("staging", "gate-app", "main", state=how)
    assert state.history("staging", "gate-app")[-1] == made
    assert made.version == made.commit[:7]
    assert state.running("staging", "gate-app") == before
    assert {i.version for i in state.instances("staging", "gate-app")} == {before.version}


def test_instances_that_differ_or_are_unwell(box):
    state = box.deployments
    state.differ("production", "booking-api", "v1.5.0", "1.5.0")
    state.unwell("production", "booking-api", count=2)
    found = state.instances("production", "booking-api")
    assert [(i.version, i.ready) for i in found] == [("1.5.0", False), ("1.6.0", False), ("1.6.0", True)]
    assert state.running("production", "booking-api").version == "1.6.0"


def test_a_new_environment_an_unknown_commit_and_none(box):
    state = box.deployments
    state.deploy("demo", "gate-app", "0123456789" * 4, "9.9.9", instances=2)
    assert [i.commit for i in state.instances("demo", "gate-app")] == ["0123456789" * 4] * 2
    assert state.deploy("demo", "gate-app", None, "release-7").commit == ""
    assert state.repos("demo") == ["gate-app"]
    state.clear("demo", "gate-app")
    assert state.running("demo", "gate-app") is None
    assert state.instances("demo", "gate-app") == ()


def test_what_cannot_be_deployed(box):
    with pytest.raises(ValueError, match="has no commit"):
        box.deployments.deploy("staging", "booking-api", "no-such-branch")
    with pytest.raises(ValueError, match="no repository"):
        box.deployments.deploy("staging", "nothing", "main")
    with pytest.raises(ValueError, match="nothing ran before"):
        box.deployments.roll_back("nowhere", "booking-api")
