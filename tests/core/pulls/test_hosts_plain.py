"""Pull requests by Git alone."""

import pytest

from core.errors import SourceGone, SourceIncomplete
from core.mirror import Mirror
from core.pulls.hosts.plain import PlainHost
from core.pulls.repository import Repository
from core.pulls.snapshot import Snapshots
from core.pulls.types import PullRef, Snapshot
from tests.core.connectors.git_origin import Origin

REFS = ("refs/pull/{}/head", "refs/merge-requests/{}/head", "refs/pull-requests/{}/from")


@pytest.fixture
def origin(tmp_path):
    made = Origin(tmp_path / "origin")
    made.commit("First", {"a.txt": "one\n"})
    return made


@pytest.fixture
def mirror(tmp_path, origin):
    return Mirror(tmp_path / "mirror", str(origin.folder))


def propose(origin, number, message, ref=REFS[0], branch=None):
    """A pull request whose branch is gone, unless it is named."""
    origin.branch(branch or f"side{number}", "main")
    head = origin.commit(message, {f"{number}.txt": "x\n"})
    origin.git("update-ref", ref.format(number), head)
    origin.go("main")
    if branch is None:
        origin.git("branch", "-D", f"side{number}")
    return head


@pytest.mark.parametrize("ref", REFS)
def test_the_refs_of_all_hosts(origin, mirror, ref):
    head = propose(origin, 7, "BKG-142 Hold bookings\n\nWhy and how", ref)
    mirror.fetch()
    host = PlainHost(mirror)
    found = host.pull(PullRef("shop", 7), "")
    assert (found.title, found.description, found.head) == ("BKG-142 Hold bookings", "Why and how", head)
    assert (found.state, found.base_branch, found.base_assumed, found.url) == ("open", "main", True, "")
    assert host.head_ref(7) == ref.format(7)
    with pytest.raises(SourceGone):
        host.pull(PullRef("shop", 8), "")


def test_a_snapshot_of_one(origin, mirror):
    propose(origin, 7, "BKG-142 Hold bookings")
    host = PlainHost(mirror)
    mirror.fetch()
    repository = Repository("shop", "", frozenset({"repo:shop"}), host, mirror)
    taken = Snapshots({"shop": repository}, sleep=lambda _: None).take(PullRef("shop", 7))
    assert isinstance(taken, Snapshot)
    assert [file.path for file in taken.files] == ["7.txt"]


def test_merged_into_the_baseline(origin, mirror):
    propose(origin, 7, "BKG-142 Hold", branch="feature/hold")
    merge = origin.merge("feature/hold")
    mirror.fetch()
    host = PlainHost(mirror, baseline="main")
    found = host.pull(PullRef("shop", 7), "")
    assert (found.state, found.head_branch) == ("merged", "feature/hold")
    assert host.with_commit("shop", "", merge) == [PullRef("shop", 7)]


def test_by_title_and_branch(origin, mirror):
    propose(origin, 1, "BKG-142 Hold", branch="one")
    propose(origin, 2, "Other", branch="feature/bkg-142-hold")
    propose(origin, 3, "BKG-1421 Other")
    propose(origin, 4, "Later for bkg-142")
    mirror.fetch()
    host = PlainHost(mirror)
    assert host.with_text("shop", "", "BKG-142") == [PullRef("shop", number) for number in (4, 2, 1)]


def test_by_commit(origin, mirror):
    first = propose(origin, 1, "One", branch="one")
    origin.go("one")
    origin.branch("two", "one")
    second = origin.commit("Two", {"2.txt": "x"})
    origin.git("update-ref", REFS[0].format(2), second)
    origin.go("main")
    mirror.fetch()
    host = PlainHost(mirror)
    assert host.with_commit("shop", "", first) == [PullRef("shop", 2), PullRef("shop", 1)]
    assert host.with_commit("shop", "", second) == [PullRef("shop", 2)]
    assert host.with_commit("shop", "", mirror.head("main")) == []


def test_what_was_not_looked_at_is_said(origin, mirror):
    for number in range(1, 8):
        propose(origin, number, f"Change {number}")
    mirror.fetch()
    host = PlainHost(mirror)
    with pytest.raises(SourceIncomplete):
        host.with_text("shop", "", "BKG-142")
    assert host.with_text("shop", "", "BKG-142") == []  # the others were fetched this time


def test_no_address_is_known(mirror):
    assert PlainHost(mirror).in_address("https://github.com/acme/shop/pull/7", {"shop": "acme/shop"}) is None


def test_pages(mirror):
    host = PlainHost(mirror, link="https://git.example/shop/{branch}/{path}#L{line}")
    assert host.page("", "abc", "a b.py", 3) == "https://git.example/shop/abc/a%20b.py#L3"
    assert host.page("", "abc", "a b.py", None) == "https://git.example/shop/abc/a%20b.py"
    assert PlainHost(mirror).page("", "abc", "a.py", 3) == ""
