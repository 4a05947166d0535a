"""From a ticket to snapshots: every failure is a gap, and the time has an end."""

import time

import pytest

from core.mirror import Mirror
from core.probes.deployments import Deployments
from core.probes.types import Running
from core.probes.work import Tracked
from core.pulls.hosts.plain import PlainHost
from core.pulls.pulls import RepositoryPulls
from core.pulls.reader import Reader
from core.pulls.repository import Repository
from core.pulls.snapshot import Snapshots
from core.pulls.standings import HostMerges, told_of
from core.pulls.types import Gap, PullRef, Pulls
from core.types import Audience
from sandbox.git import git
from tests.core.connectors.made_repository import ENVIRONMENT
from tests.core.probes.environments import Clock as Wall
from tests.core.probes.environments import Environment, Remembered
from tests.core.pulls.proposals import LABELS, Proposals, said
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


class Merged:
    """The repository `shop` whose pull request 7 was merged by a merge commit, and what runs it."""

    def __init__(self, folder, **facts):
        self.made = Proposals(folder, **facts)
        self.made.change({"hold.py": "HOURS = 24\n"}, "BKG-142 Hold bookings")
        self.ref = self.made.propose()
        self.made.origin.go("main")
        self.merge = self.made.origin.merge("side")
        self.made.propose(7, self.made.origin.git("rev-parse", "side"), state="merged", merge_commit=self.merge)
        self.wall = Wall()

    def found(self, *environments, audience=ALL, **options):
        repository = self.made.repository
        probes = [Environment(name, self.wall, (Running("", runs),), **facts) for name, runs, facts in environments]
        deployments = Deployments(
            probes, {"shop": Tracked(repository.mirror)}, Remembered(), clock=self.wall, **options
        )
        pulls = pulls_of(repository, deployments=deployments)
        (snapshot,) = pulls.of_ref(self.ref, audience).snapshots
        return snapshot


def test_a_merged_pull_request_says_where_it_runs_and_where_not_yet(tmp_path):
    merged = Merged(tmp_path)
    merged.made.origin.commit("Later", {"later.py": "1\n"})
    later = merged.made.origin.git("rev-parse", "HEAD")
    snapshot = merged.found(("staging", later, {}), ("production", merged.made.first, {}))
    assert [one.contained for one in snapshot.standings] == ["yes", "no"]
    assert told_of(snapshot) == ("It is on staging (first seen there on 2026-04-01 08:00 UTC), not on production yet.",)
    assert snapshot.standings[1].between.count == 1
    assert (snapshot.brought, snapshot.deployed, snapshot.gaps) == (merged.merge, None, ())
    assert HostMerges({"shop": merged.made.repository}).merge_of("shop", 7) == merged.merge
    assert HostMerges({}).merge_of("shop", 7) is None


def test_environments_take_the_place_of_what_counts_as_released(tmp_path):
    merged = Merged(tmp_path, released="v*")
    hidden = merged.found(("staging", merged.merge, {"labels": frozenset({"ops"})}))
    assert "has no branch or tag called v*" in said(hidden.gaps)
    assert hidden.standings == ()
    shown = merged.found(("staging", merged.merge, {}))
    assert (shown.gaps, shown.deployed) == ((), None)


def test_an_environment_that_cannot_be_read_is_a_gap_with_what_would_settle_it(tmp_path):
    snapshot = Merged(tmp_path).found(("staging", "", {"unread": "HTTP 503"}))
    (gap,) = snapshot.gaps
    assert gap.what == "Whether it is on staging is not known: it could not be read (HTTP 503)."
    assert gap.settled_by
    assert told_of(snapshot) == ()


def test_a_slow_environment_delays_no_review(tmp_path):
    began = time.monotonic()
    snapshot = Merged(tmp_path).found(("staging", "", {"hangs": 3}), seconds=0.3, whole=1)
    assert time.monotonic() - began < 2.5
    assert "no answer within" in said(snapshot.gaps)


def test_a_proposal_that_is_tried_somewhere_before_it_is_merged(tmp_path):
    made = Merged(tmp_path)
    made.made.propose(7, made.made.origin.git("rev-parse", "side"), state="open")
    snapshot = made.found(("test", made.made.origin.git("rev-parse", "side"), {}), ("production", made.made.first, {}))
    assert told_of(snapshot) == ("It is not merged, but on test (first seen there on 2026-04-01 08:00 UTC).",)
    assert snapshot.gaps == ()
