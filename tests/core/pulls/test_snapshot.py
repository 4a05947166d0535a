"""Snapshots: host and mirror agree on the head, and what cannot be told is said."""

import subprocess
from dataclasses import replace

import pytest

from core.errors import SourceForbidden, SourceUnavailable
from core.pulls.files import leads_out
from core.pulls.types import Change, PullRef, Snapshot
from tests.core.connectors.git_origin import ENVIRONMENT
from tests.core.pulls.proposals import LABELS, Proposals, said


@pytest.fixture
def shop(tmp_path):
    return Proposals(tmp_path, {"a.py": "one\ntwo\nthree\n", "b.py": "b\n"})


def paths(snapshot: Snapshot) -> dict[str, Change]:
    return {file.path: file.change for file in snapshot.files}


def test_a_snapshot(shop):
    head = shop.change({"a.py": "one\n2\nthree\nfour\n", "c.py": "c\n", "b.py": None})
    shop.origin.go("main")
    shop.origin.commit("Later on main", {"later.py": "l\n"})
    snapshot = shop.take(shop.propose(head=head))
    assert (snapshot.head, snapshot.base, snapshot.labels) == (head, shop.first, LABELS)
    assert paths(snapshot) == {"a.py": "modified", "b.py": "removed", "c.py": "added"}
    first = snapshot.files[0]
    assert (first.added, first.removed, first.size, first.special) == (2, 1, 17, "")
    assert (snapshot.says, snapshot.gaps, snapshot.deployed) == ((), (), None)
    assert snapshot.locator.document_id == "git:shop!7"
    assert snapshot.locator.title == "Pull request 7 of shop: Lock accounts"
    assert snapshot.pull.updated is not None
    assert shop.host.asked == 2
    assert shop.pauses == []


def test_a_head_that_the_host_and_git_disagree_on_is_asked_for_again(shop):
    first = shop.change({"a.py": "A\n"})
    second = shop.origin.commit("More", {"c.py": "c\n"})
    ref = shop.propose()
    shop.host.next_heads[7] = [first, first]
    assert shop.take(ref).head == second
    assert shop.pauses == [1.0]
    shop.host.next_heads[7] = [first] * 9
    assert "was changed while it was being read" in shop.gap(ref)
    assert shop.pauses == [1.0, 1.0, 2.0, 4.0]


def test_a_head_that_was_replaced_before_it_could_be_fetched_is_asked_for_again(shop):
    """A host without refs for heads: the former head is nowhere any more, the new one is on its branch."""
    head = shop.change({"a.py": "A\n"})
    ref = shop.propose()
    shop.host.keeps_refs = False
    shop.host.next_heads[7] = ["d" * 40]
    assert shop.take(ref).head == head
    assert shop.pauses == [1.0]


def test_an_older_event_that_comes_late_changes_nothing(shop):
    """Field report D4."""
    older = shop.change({"a.py": "A\n"})
    newer = shop.origin.commit("More", {"c.py": "c\n"})
    ref = shop.propose()
    assert shop.take(ref).head == newer
    shop.host.next_heads[7] = [older]
    assert shop.take(ref).head == newer


def test_a_force_push_is_told_by_commits_and_leaves_nothing_old(shop):
    """Field report G1."""
    shop.change({"a.py": "one\nSTALE\nthree\n"})
    first = shop.take(shop.propose())
    shop.origin.commit("x", {"a.py": "one\nfresh\nthree\n"})
    shop.origin.git("reset", "--quiet", "--soft", "HEAD~1")
    shop.origin.git("commit", "--quiet", "--amend", "--no-edit", "--date", "2026-03-02T09:02:00+00:00")
    second = shop.take(shop.propose())
    assert first.head != second.head
    assert second.says == (
        (
            f"It was force-pushed since it was last read here: commit {first.head[:12]} is no longer a part of it, and "
            f"what was said of that does not hold for {second.head[:12]}."
        ),
    )
    (piece,) = shop.reader.difference(second, "a.py")
    assert "+fresh" in piece.text
    assert "STALE" not in piece.text
    assert shop.take(PullRef("shop", 7)).says == ()
    back = shop.take(shop.propose(head=first.head))
    assert back.head == first.head
    (piece,) = shop.reader.difference(back, "a.py")
    assert "fresh" not in piece.text
    shop.origin.git("reset", "--quiet", "--hard", first.head)
    shop.origin.commit("On top", {"c.py": "c\n"})
    assert shop.take(shop.propose()).says == ()


@pytest.mark.parametrize("base", ["", "renamed"])
def test_no_established_base(shop, base):
    shop.change({"a.py": "A\n"})
    reason = shop.gap(shop.propose(base_branch=base))
    assert "so what it changes is not known" in reason or "So what it changes is not known" in reason
    assert ("which shop does not have (any more)" in reason) == bool(base)


def test_no_common_history(shop):
    shop.origin.git("checkout", "--quiet", "--orphan", "other")
    shop.origin.commit("Other", {"o.py": "o\n"})
    assert "no history in common with main" in shop.gap(shop.propose())


def test_a_history_that_is_cut_short(tmp_path, shop):
    shop.change({"a.py": "A\n"})
    shop.origin.go("main")
    shop.origin.commit("Two", {"b.py": "B\n"})
    shallow = tmp_path / "shallow"
    source = shop.origin.folder.as_uri()
    subprocess.run(
        ["git", "clone", "--quiet", "--depth=1", "--no-single-branch", source, shallow], env=ENVIRONMENT, check=True
    )
    head = subprocess.run(
        ["git", "rev-parse", "origin/side"], cwd=shallow, env=ENVIRONMENT, check=True, capture_output=True
    ).stdout.decode().strip()  # fmt: skip
    subprocess.run(["git", "update-ref", "refs/pull/7/head", head], cwd=shallow, env=ENVIRONMENT, check=True)
    ref = shop.propose(head=head)
    shop.origin.folder.rename(tmp_path / "moved")
    shallow.rename(shop.origin.folder)
    assert "is cut short" in shop.gap(ref)


def test_draft_closed_stacked(shop):
    shop.change({"a.py": "A\n"}, branch="feature/below")
    shop.change({"c.py": "c\n"})
    ref = shop.propose(state="draft", base_branch="feature/below")
    snapshot = shop.take(ref)
    assert snapshot.says == (
        "It is a draft.",
        "Its base is feature/below, not the baseline branch main: it may build on another change that is not finished.",
    )
    assert paths(snapshot) == {"c.py": "added"}
    assert shop.take(shop.propose(state="closed")).says == ("It was closed without being merged.",)


def test_a_fork_that_is_gone(shop):
    head = shop.change({"a.py": "A\n"})
    ref = shop.propose(fork_gone=True, from_fork=True)
    snapshot = shop.take(ref)
    assert snapshot.says == ("The repository that it comes from is gone. It was read from what its host keeps of it.",)
    shop.origin.git("update-ref", "-d", "refs/pull/7/head")
    shop.origin.go("main")
    shop.origin.git("branch", "--quiet", "-D", "side")
    assert shop.take(ref).head == head, "the mirror still has it"
    shop.host.pulls[7] = replace(shop.host.pulls[7], head="1" * 40)
    assert "its source repository is gone" in shop.gap(ref)


def test_a_host_that_keeps_no_refs(shop):
    head = shop.change({"a.py": "A\n"})
    shop.host.keeps_refs = False
    assert shop.take(shop.propose()).head == head


class TestMerged:
    def test_by_a_merge_commit(self, shop):
        head = shop.change({"a.py": "A\n"})
        shop.origin.go("main")
        merge = shop.origin.merge("side")
        shop.origin.commit("Later", {"later.py": "l\n"})
        for commit in (merge, None):
            snapshot = shop.take(shop.propose(head=head, state="merged", merge_commit=commit))
            assert (snapshot.base, paths(snapshot)) == (shop.first, {"a.py": "modified"})
            assert snapshot.says == ("It was merged into main by a merge commit.",)

    def test_by_one_squashed_commit(self, shop):
        shop.change({"a.py": "A\n"})
        head = shop.origin.commit("More", {"c.py": "c\n"})
        shop.origin.go("main")
        before = shop.origin.commit("Meanwhile", {"m.py": "m\n"})
        squash = shop.origin.commit("Lock accounts (#7)", {"a.py": "A\n", "c.py": "c\n"})
        ref = shop.propose(head=head, state="merged", merge_commit=squash)
        snapshot = shop.take(ref)
        assert (snapshot.head, snapshot.base) == (head, shop.first)
        assert snapshot.says == ("It was merged into main by one squashed commit.",)
        shop.origin.git("update-ref", "-d", "refs/pull/7/head")
        shop.host.pulls[7] = replace(shop.host.pulls[7], head="1" * 40)
        gone = shop.take(ref)
        assert (gone.head, gone.base, paths(gone)) == (squash, before, {"a.py": "modified", "c.py": "added"})
        assert gone.says[0].startswith("Its own commits are gone.")

    def test_by_commits_made_anew(self, shop):
        shop.change({"a.py": "A\n"})
        head = shop.origin.commit("More", {"c.py": "c\n"})
        shop.origin.go("main")
        shop.origin.commit("Anew", {"a.py": "A\n", "m.py": "m\n"})
        last = shop.origin.commit("More anew", {"c.py": "c\n"})
        snapshot = shop.take(shop.propose(head=head, state="merged", merge_commit=last))
        assert (snapshot.base, paths(snapshot)) == (shop.first, {"a.py": "modified", "c.py": "added"})
        assert snapshot.says == ("It was merged into main by commits made anew.",)

    def test_by_moving_the_branch_forward(self, shop):
        shop.change({"a.py": "A\n"})
        head = shop.origin.commit("More", {"c.py": "c\n"})
        shop.origin.go("main")
        shop.origin.git("merge", "--quiet", "--ff-only", "side")
        for commit in (head, None):
            snapshot = shop.take(shop.propose(head=head, state="merged", merge_commit=commit))
            assert paths(snapshot) == {"c.py": "added"}
            assert "Only its last commit was examined" in said(snapshot.gaps)

    def test_into_a_branch_that_is_gone(self, shop):
        shop.origin.branch("release/1")
        shop.change({"a.py": "A\n"})
        head = shop.origin.git("rev-parse", "HEAD")
        shop.origin.go("release/1")
        merge = shop.origin.merge("side")
        shop.origin.go("main")
        shop.origin.git("merge", "--quiet", "--ff-only", "release/1")
        shop.origin.git("branch", "--quiet", "-D", "release/1")
        ref = shop.propose(head=head, state="merged", merge_commit=merge, base_branch="release/1")
        assert paths(shop.take(ref)) == {"a.py": "modified"}


@pytest.mark.parametrize("released", ["v*", "production"])
def test_deployed(tmp_path, released):
    shop = Proposals(tmp_path, released=released)
    head = shop.change({"a.py": "A\n"})
    shop.origin.go("main")
    merge = shop.origin.merge("side")
    ref = shop.propose(head=head, state="merged", merge_commit=merge)
    unknown = shop.take(ref)
    assert unknown.deployed is None
    assert f"has no branch or tag called {released}" in said(unknown.gaps)
    make = ["tag", "--force"] if released == "v*" else ["branch", "--force"]
    name = "v1.0" if released == "v*" else "production"
    shop.origin.git("tag", "other")
    shop.origin.git(*make, name, shop.first)
    behind = shop.take(ref)
    assert behind.deployed is False
    assert behind.says[-1] == f"It is not in what counts as released: {released}."
    shop.origin.git(*make, name, merge)
    there = shop.take(ref)
    assert there.deployed is True
    assert there.says[-1] == f"It is in what counts as released: {released}."
    assert shop.take(shop.propose(head=head, state="closed")).deployed is None


def test_whether_it_is_deployed_is_not_known_without_the_commit_that_merged_it(tmp_path):
    shop = Proposals(tmp_path, released="main")
    head = shop.change({"a.py": "A\n"})
    shop.origin.go("main")
    squash = shop.origin.commit("Squashed", {"a.py": "A\n"})
    unknown = shop.take(shop.propose(head=head, state="merged"))
    assert unknown.deployed is None
    assert "nothing tells by which commit" in said(unknown.gaps)
    assert shop.take(shop.propose(head=head, state="merged", merge_commit=squash)).deployed is True


def test_a_file_that_is_too_large_to_be_compared(shop):
    shop.change({"dump.sql": "insert\n" * 1_500_000})
    snapshot = shop.take(shop.propose())
    assert said(snapshot.gaps) == "The content of 1 file is too large to be compared and was not examined: dump.sql."
    (piece,) = shop.reader.difference(snapshot, "dump.sql")
    assert piece.text == "[Added. Not examined: it is too large to be compared.]"
    assert "too large to be compared" in shop.reader.overview(snapshot).text


def test_many_links_are_counted(shop):
    shop.origin.branch("side")
    for n in range(15):
        (shop.origin.folder / f"link{n:02d}").symlink_to("/etc/passwd")
    snapshot = shop.take(shop.propose(head=shop.origin.commit("Links", {})))
    assert len(snapshot.says) == 10
    assert snapshot.gaps[-1].what == "Where 5 more submodule or symbolic links point to was not examined."


@pytest.mark.parametrize(
    ("path", "target", "out"),
    [
        ("a/b", "../c", False),
        ("a/b", "../../c", True),
        ("b", "..", True),
        ("b", "x/../../c", True),
        ("b", "/etc", True),
        ("a/b", "./c//d", False),
        ("b", "", False),
    ],
)
def test_where_a_link_leads(path, target, out):
    assert leads_out(path, target) == out


def test_an_empty_difference_is_said(shop):
    shop.change({})
    snapshot = shop.take(shop.propose())
    assert snapshot.files == ()
    assert "It changes nothing" in said(snapshot.gaps)


def test_a_branch_without_commits_of_its_own_is_said(shop):
    shop.origin.branch("side")
    assert "It changes nothing" in said(shop.take(shop.propose()).gaps)


def test_a_thousand_files(shop):
    shop.change({f"gen/{n:04d}.txt": f"{n}\n" for n in range(1000)})
    snapshot = shop.take(shop.propose(changed_files=1000))
    assert [file.path for file in snapshot.files] == [f"gen/{n:04d}.txt" for n in range(300)]
    assert said(snapshot.gaps) == ("It changes 1,000 files. Only the first 300 were looked at, the other 700 were not.")
    (piece,) = shop.reader.difference(snapshot, "gen/0999.txt")
    assert piece.text.endswith("\n+999")


def test_a_host_that_counts_otherwise(shop):
    shop.change({"c.py": "c\n"})
    assert said(shop.take(shop.propose(changed_files=2)).gaps).startswith(
        "Its host counts 2 changed files, its history here holds 1."
    )


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 5000000\n"


def test_what_is_no_text(shop):
    origin = shop.origin
    origin.branch("side")
    (origin.folder / "out").symlink_to("../../etc/passwd")
    (origin.folder / "in").symlink_to("a.py")
    origin.git("update-index", "--add", "--cacheinfo", f"160000,{'2' * 40},libs/x")
    origin.git("update-index", "--chmod=+x", "b.py")
    (origin.folder / "b.py").chmod(0o755)
    (origin.folder / "logo.png").write_bytes(b"\x89PNG\0\0\1")
    (origin.folder / "big.bin").write_text(POINTER.format("0" * 64))
    origin.git("add", "out", "in", "logo.png", "big.bin")
    origin.git("mv", "a.py", "moved.py")
    origin.git("commit", "--quiet", "--message", "Odd")
    snapshot = shop.take(shop.propose())
    assert {file.path: (file.change, file.special) for file in snapshot.files} == {
        "b.py": ("mode", ""),
        "big.bin": ("added", "lfs"),
        "in": ("added", "link"),
        "libs/x": ("added", "submodule"),
        "logo.png": ("added", "binary"),
        "moved.py": ("renamed", ""),
        "out": ("added", "link"),
    }
    assert snapshot.says == (
        "1 file only got another name: moved.py.",
        "Of 1 file only the permissions changed: b.py.",
        "in is a symbolic link to a.py. It was not followed.",
        "out is a symbolic link to ../../etc/passwd. It was not followed.",
    )
    assert said(snapshot.gaps).split(". ") == [
        "The content of 1 file is not text and was not examined: logo.png",
        "The content of 1 file is kept apart (Git LFS) and was not examined: big.bin",
        "The submodule libs/x was added at commit 222222222222",
        "What that changes was not examined, for it is another repository",
        "out points to ../../etc/passwd, outside of the repository, which was not examined.",
    ]
    texts = {path: "".join(e.text for e in shop.reader.difference(snapshot, path)) for path in paths(snapshot)}
    assert all(text.startswith("[") for text in texts.values())
    assert "root:" not in "".join(texts.values())


def test_a_submodule_that_is_moved(shop):
    origin = shop.origin
    origin.git("update-index", "--add", "--cacheinfo", f"160000,{'2' * 40},libs/x")
    origin.git("commit", "--quiet", "--message", "Add")
    origin.branch("side")
    origin.git("update-index", "--cacheinfo", f"160000,{'3' * 40},libs/x")
    origin.git("commit", "--quiet", "--message", "Move")
    (file,) = shop.take(shop.propose()).files
    assert (file.change, file.special, file.added, file.size) == ("modified", "submodule", None, 0)


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (SourceForbidden("x"), "the account that reads may not see it"),
        (SourceUnavailable("t0ps3cret"), "its host did not answer in time"),
    ],
)
def test_a_host_that_fails_is_a_gap_in_plain_words(shop, error, what):
    shop.change({"a.py": "A\n"})
    ref = shop.propose()
    shop.host.error = error
    assert what in (reason := shop.gap(ref))
    assert "t0ps3cret" not in reason


def test_what_does_not_exist_is_a_gap(shop):
    assert "does not have it, or does not show it" in shop.gap(PullRef("shop", 99))
    assert "not set up here" in shop.gap(PullRef("other", 7))
    shop.change({"a.py": "A\n"})
    ref = shop.propose()
    shop.origin.folder.rename(shop.origin.folder.with_name("moved"))
    assert "was not read" in shop.gap(ref)


@pytest.mark.parametrize("name", ["--upload-pack=touch pwned", "-x", "refs/pull/7/../../heads/main", "refs/heads/*"])
def test_refs_of_a_strange_host_run_nothing(shop, tmp_path, name):
    shop.change({"a.py": "A\n"})
    ref = shop.propose()
    shop.host.head_ref = lambda number: name
    shop.host.pulls[7] = replace(shop.host.pulls[7], head=name)
    assert not isinstance(shop.snapshots.take(ref), Snapshot)
    assert not list(tmp_path.rglob("*pwned*"))
