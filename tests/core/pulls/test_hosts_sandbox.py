"""The same pull requests at all four hosts of the sandbox company: one answer, whoever hosts them."""

from dataclasses import replace

import pytest

from core.connectors.jira_reader import JiraReader
from core.mirror import Mirror
from core.pulls.hosts.make import make_host
from core.pulls.pulls import RepositoryPulls
from core.pulls.reader import Reader
from core.pulls.repository import Repository
from core.pulls.snapshot import Snapshots
from core.pulls.types import PullRef
from core.types import Audience
from tests.core.pulls.hosting import QUICK
from tests.sandbox.hosts import ORG, hosted

KINDS = ("github", "gitlab", "bitbucket-cloud", "bitbucket-data-center")
REPOS = ("booking-api", "gate-app")


@pytest.fixture(scope="module")
def box(tmp_path_factory):
    with hosted(tmp_path_factory.mktemp("company")) as running:
        yield running


@pytest.fixture(scope="module")
def mirrors(box, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mirrors")
    made = {name: Mirror(folder / name, str(box.repos[name])) for name in REPOS}
    for mirror in made.values():
        mirror.fetch()
    return made


def host_of(box, kind):
    url = {
        "github": box.github_url,
        "gitlab": box.gitlab_url,
        "bitbucket-cloud": box.bitbucket_cloud_url,
        "bitbucket-data-center": box.bitbucket_data_center_url,
    }[kind]
    return make_host(kind, url, token=box.git_host.token, limits=QUICK)


def project_of(kind, name):
    return f"{ORG.upper() if kind == 'bitbucket-data-center' else ORG}/{name}"


def numbers(box, name):
    return sorted(box.git_host.pulls(name))


def plain(pull):
    """Without what each host says in its own way."""
    title = pull.title.removeprefix("Draft: ")  # as GitLab marks one
    said = {"url": "", "author": "", "changed_files": None, "merge_commit": None, "updated": None}
    return replace(pull, title=title, **said)


@pytest.mark.parametrize("name", REPOS)
def test_one_answer_whoever_hosts_it(box, name):
    for number in numbers(box, name):
        ref = PullRef(name, number)
        first, *others = (host_of(box, kind).pull(ref, project_of(kind, name)) for kind in KINDS)
        assert {plain(other) for other in others} == {plain(first)}
        assert first.head == box.git_host.pulls(name)[number].head


@pytest.mark.parametrize("kind", KINDS)
def test_a_ticket_s_pull_requests(box, mirrors, kind):
    host = host_of(box, kind)
    repositories = [
        Repository(name, project_of(kind, name), frozenset({f"repo:{name}"}), host, mirrors[name]) for name in REPOS
    ]
    by_name = {one.name: one for one in repositories}
    snapshots = Snapshots(by_name, sleep=lambda _: None)
    pulls = RepositoryPulls(repositories, snapshots, Reader(by_name), ["BKG", "GATE"])
    box.development.kind = kind
    ticket = JiraReader(box.jira_url, box.read_user, box.read_token, limits=QUICK).ticket("BKG-142")
    audience = Audience(frozenset({*ticket.labels, "repo:booking-api", "repo:gate-app"}))
    found = pulls.of_ticket(ticket, audience)
    wanted = {PullRef(it.repo, it.number) for it in box.git_host.with_key("BKG-142")}
    assert ticket.pull_addresses
    assert {snapshot.ref for snapshot in found.snapshots} >= wanted
    for snapshot in found.snapshots:
        if snapshot.ref in wanted:
            assert "Jira's development panel" in snapshot.says[-1]
            assert "its title or branch" in snapshot.says[-1]
    assert box.git_host_writes() == []
