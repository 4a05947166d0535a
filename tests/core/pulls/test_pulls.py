"""From a ticket to snapshots: every failure is a gap, and the time has an end."""

import pytest

from core.mirror import Mirror
from core.pulls.hosts.plain import PlainHost
from core.pulls.pulls import RepositoryPulls
from core.pulls.reader import Reader
from core.pulls.repository import Repository
from core.pulls.snapshot import Snapshots
from core.pulls.types import Gap, PullRef, Pulls
from core.types import Audience
from sandbox.git import git
from tests.core.connectors.made_repository import ENVIRONMENT
from tests.core.pulls.proposals import LABELS, Proposals
from tests.core.pulls.test_finding import AskedHost, repository, ticket

ALL = Audience(frozenset({"jira:BKG", "repo:web", "repo:shop"}))


class Clock:
    """A second a look."""

    now = 0.0

    def __call__(self):
        self.now += 1
        return self.now


class NeverTaken:
    def __init__(self):
        self.refs = []

    def take(self, ref):
        self.refs.append(ref)
        return (Gap(f"{ref.number} was not read.", "Somebody."),)


def pulls_of(*repositories, snapshots=None, **options) -> Pulls:
    by_name = {one.name: one for one in repositories}
    taking = snapshots or Snapshots(by_name, sleep=lambda _: None)
    return RepositoryPulls(repositories, taking, Reader(by_name), ["BKG"], **options)


@pytest.fixture
def plain(tmp_path):
    """A repository without a host, whose pull request 7 names the ticket."""
    made = Proposals(tmp_path)
    made.change({"hold.py": "HOURS = 24\n"}, "BKG-142 Hold bookings")
    made.propose()
    made.origin.go("main")
    mirror = Mirror(tmp_path / "plain", str(made.origin.folder))
    mirror.fetch()
    return Repository("shop", "", LABELS, PlainHost(mirror), mirror)


def test_a_pull_request_by_git_alone(plain):
    pulls = pulls_of(plain)
    found = pulls.of_ticket(ticket(), ALL)
    (snapshot,) = found.snapshots
    assert found.gaps == ()
    assert snapshot.ref == PullRef("shop", 7)
    assert "It was found by its title or branch" in snapshot.says[-1]
    assert "compared with main, the baseline branch" in snapshot.gaps[-1].what
    assert "HOURS = 24" in pulls.file(snapshot, "hold.py", "head").text
    assert "hold.py" in pulls.overview(snapshot).text
    assert "HOURS" in pulls.difference(snapshot, "hold.py")[0].text
    assert pulls.grep(snapshot, "HOURS")[0].document_id == "git:shop!7"
    assert pulls.symbol(snapshot, "HOURS") is not None
    assert pulls.changed_symbols(snapshot) is not None


def test_by_git_alone_what_the_baseline_holds_counts_as_merged(plain, tmp_path):
    git(tmp_path / "origin", "merge", "--quiet", "--no-ff", "-m", "BKG-142 merged", "side", more=ENVIRONMENT)
    plain.mirror.fetch()
    (snapshot,) = pulls_of(plain).of_ticket(ticket(), ALL).snapshots
    assert snapshot.pull.state == "merged"
    assert snapshot.gaps[-1].what.endswith("it counts as merged, for main, the baseline branch, holds it.")


def test_who_may_not_read_the_repository_or_the_ticket_finds_nothing(plain):
    pulls = pulls_of(plain)
    assert pulls.of_ticket(ticket(), Audience(frozenset({"jira:BKG"}))).snapshots == ()
    assert pulls.of_ticket(ticket(), Audience(frozenset({"repo:shop"}))).snapshots == ()


def test_what_cannot_be_taken_is_a_gap():
    snapshots = NeverTaken()
    found = pulls_of(repository("web", AskedHost((3, 5))), snapshots=snapshots).of_ticket(ticket(), ALL)
    assert found.snapshots == ()
    assert [gap.what for gap in found.gaps] == ["5 was not read.", "3 was not read."]


def test_after_its_time_nothing_is_taken():
    snapshots = NeverTaken()
    pulls = pulls_of(repository("web", AskedHost((3, 5, 8))), snapshots=snapshots, seconds=2.0, clock=Clock())
    found = pulls.of_ticket(ticket(), ALL)
    assert snapshots.refs == [PullRef("web", 8)]
    assert found.gaps[-1].what.endswith("were read: web 5, web 3.")


def test_a_repository_that_is_gone_and_a_host_in_trouble_never_raise(tmp_path):
    mirror = Mirror(tmp_path / "mirror", str(tmp_path / "nowhere"))
    lost = Repository("shop", "", LABELS, PlainHost(mirror), mirror)
    found = pulls_of(lost).of_ticket(ticket(description="https://github.com/acme/shop/pull/7"), ALL)
    assert found.snapshots == ()
    assert len(found.gaps) == 3
