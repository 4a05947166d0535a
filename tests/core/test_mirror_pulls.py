"""What the mirror offers for pull requests: their heads, what differs, and looking for text."""

import fcntl
import subprocess
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SourceGone, SourceUnavailable
from core.mirror import Difference, Hit, Mirror, shown, unshown
from core.mirror.names import is_path, is_ref
from core.mirror.pointers import pointed_size
from tests.core.connectors.git_origin import ENVIRONMENT, Origin


@pytest.fixture
def origin(tmp_path):
    return Origin(tmp_path / "origin")


@pytest.fixture
def mirror(tmp_path, origin):
    return Mirror(tmp_path / "mirror", str(origin.folder), lock_seconds=0.3)


def proposed(origin: Origin, number: int = 7, **files: str) -> str:
    """A commit that only the ref of a pull request holds."""
    origin.git("checkout", "--quiet", "--detach")
    commit = origin.commit("Proposed", files or {"p.py": "p\n"})
    origin.git("update-ref", f"refs/pull/{number}/head", commit)
    origin.go("main")
    return commit


def test_the_head_of_a_pull_request_is_kept_apart(origin, mirror):
    first = origin.commit("One", {"a.py": "1"})
    head = proposed(origin)
    assert mirror.fetched_pull(7) is None
    assert mirror.fetch_pull(7, "refs/pull/7/head") == head
    later = origin.commit("Two", {"a.py": "2"})
    mirror.fetch()
    assert mirror.fetched_pull(7) == head
    assert mirror.fetched_pull(77) is None
    assert [tip.name for tip in mirror.branches()] == ["main"]
    assert mirror.refs() == ("refs/heads/main",)
    assert mirror.head() == later
    assert mirror.has(head)
    assert not mirror.has("1" * 40)
    assert not mirror.has(origin.git("rev-parse", f"{head}^{{tree}}"))
    assert mirror.is_ancestor(first, head)
    assert not mirror.is_ancestor(later, head)


def test_a_fetch_of_a_pull_request_brings_branches_up_to_date(origin, mirror):
    origin.commit("One", {"a.py": "1"})
    origin.git("branch", "gone")
    head = proposed(origin)
    mirror.fetch()
    origin.git("branch", "-D", "gone")
    later = origin.commit("Two", {"a.py": "2"})
    assert mirror.fetch_pull(7, "refs/pull/7/head") == head
    assert [(tip.name, tip.commit) for tip in mirror.branches()] == [("main", later)]


def test_no_such_pull_request(origin, mirror):
    origin.commit("One", {"a.py": "1"})
    for source in ("refs/pull/9/head", "1" * 40):
        with pytest.raises(SourceGone):
            mirror.fetch_pull(9, source)
    assert mirror.branches()


def test_a_head_that_is_fetched_by_its_id_is_kept(origin, mirror):
    origin.commit("One", {"a.py": "1"})
    head = proposed(origin)
    for _ in range(2):
        assert mirror.fetch_pull(7, head) == head
        mirror.fetch()
        assert mirror.fetched_pull(7) == head


def test_pull_requests_at_the_origin(origin, mirror):
    commit = origin.commit("One", {"a.py": "1"})
    refs = ["refs/pull/7/head", "refs/merge-requests/8/head", "refs/pull-requests/9/from"]
    for ref in (*refs, "refs/pull/7/merge", "refs/other/pull/7/head"):
        origin.git("update-ref", ref, commit)
    assert mirror.pulls_at_origin() == dict.fromkeys(refs, commit)


@pytest.mark.parametrize(
    "name",
    [
        "-x",
        "--upload-pack=id",
        "refs/heads/*",
        "refs/pull/7",
        "refs/../x/y",
        "HEAD",
        "refs/pull/7/head\n",
        "",
        "1" * 39,
    ],
)
def test_other_refs_are_refused(origin, mirror, name):
    origin.commit("One", {"a.py": "1"})
    if name != "refs/pull/7":
        with pytest.raises(SourceGone, match="is no ref"):
            mirror.fetch_pull(7, name)
    else:
        with pytest.raises(SourceGone):
            mirror.fetch_pull(7, name)


def test_two_that_fetch_at_once_wait_for_a_moment(tmp_path, origin):
    origin.commit("One", {"a.py": "1"})
    head = proposed(origin)
    patient = Mirror(tmp_path / "mirror", str(origin.folder), lock_seconds=20)
    results: list[str] = []
    threads = [
        threading.Thread(target=lambda: results.append(patient.fetch_pull(7, "refs/pull/7/head"))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [head] * 3


def test_the_wait_ends(tmp_path, origin, mirror):
    origin.commit("One", {"a.py": "1"})
    mirror.fetch()
    with (tmp_path / "mirror" / "fetching").open("wb") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        began = time.monotonic()
        with pytest.raises(SourceUnavailable, match="another process"):
            mirror.fetch_pull(7, "refs/pull/7/head")
        assert 0.3 <= time.monotonic() - began < 2


def test_differences(origin, mirror):
    text = "".join(f"{n}\n" for n in range(30))
    before = origin.commit("One", {"a.py": text, "b.py": "b\n", "c.py": "c\n", "d.bin": b"\0\1", "e": "", "same": "s"})
    (origin.folder / "c.py").chmod(0o755)
    after = origin.move(
        "Two", {"a.py": "x/a.py", "e": "moved e"}, {"b.py": None, "d.bin": b"\0\2", "x/a.py": text + "30\n"}
    )
    mirror.fetch()
    found = {one.path: one for one in mirror.differences(before, after)}
    assert list(found) == ["b.py", "c.py", "d.bin", "moved e", "x/a.py"]
    facts = {path: (one.status, one.before, one.added, one.removed) for path, one in found.items()}
    assert facts == {
        "b.py": ("D", None, 0, 1),
        "c.py": ("M", None, 0, 0),
        "d.bin": ("M", None, None, None),
        "moved e": ("R", "e", 0, 0),
        "x/a.py": ("R", "a.py", 1, 0),
    }
    assert found["c.py"].modes == ("100644", "100755")
    assert found["b.py"].mode == "100644"
    assert found["b.py"].blobs[1] is None
    assert mirror.sizes([found["x/a.py"].blobs[1] or ""]) == [len(text) + 3]
    assert mirror.differences(after, after) == []


def test_links_and_submodules_are_told(origin, mirror):
    before = origin.commit("One", {"a": "1", "gone": "x"})
    (origin.folder / "link").symlink_to("a")
    (origin.folder / "a").unlink()
    (origin.folder / "a").symlink_to("/etc/passwd")
    origin.git("update-index", "--add", "--cacheinfo", f"160000,{'2' * 40},sub")
    origin.git("add", "link", "a")
    origin.git("commit", "--quiet", "--message", "Two")
    after = origin.git("rev-parse", "HEAD")
    mirror.fetch()
    facts = {one.path: (one.status, one.link, one.submodule, one.added) for one in mirror.differences(before, after)}
    assert facts == {
        "a": ("T", True, False, 1),
        "link": ("A", True, False, 1),
        "sub": ("A", False, True, None),
    }
    assert all(one.submodule for one in mirror.differences(after, before) if one.path == "sub")
    assert mirror.entry(after, "sub") is None
    link = mirror.entry(after, "a")
    assert link is not None
    assert link.link
    assert mirror.content(link.blob, 99) == b"/etc/passwd"


def test_contents_are_bounded(origin, mirror):
    commit = origin.commit("One", {"a.py": "x" * 5_000_000})
    mirror.fetch()
    entry = mirror.entry(commit, "a.py")
    assert entry is not None
    assert mirror.content(entry.blob, 10) == b"x" * 10
    with pytest.raises(SourceGone):
        mirror.content("1" * 40, 10)
    with pytest.raises(SourceGone):
        mirror.sizes(["1" * 40])


def test_objects_that_are_missing_are_said(tmp_path, origin, mirror):
    before = origin.commit("One", {"a.py": "1\n"})
    after = origin.commit("Two", {"a.py": "2\n"})
    mirror.fetch()
    (one,) = mirror.differences(before, after)
    mirror_folder = tmp_path / "mirror"
    for pack in list(mirror_folder.glob("objects/pack/*.pack")):
        data = pack.read_bytes()
        pack.with_suffix(".idx").unlink()
        pack.unlink()
        subprocess.run(
            ["git", "--git-dir", mirror_folder, "unpack-objects", "-q"], input=data, env=ENVIRONMENT, check=True
        )
    blob = one.blobs[1] or ""
    (mirror_folder / "objects" / blob[:2] / blob[2:]).unlink()
    for read in (
        lambda: mirror.differences(before, after),
        lambda: mirror.hunks(one.blobs[0] or "", blob),
        lambda: mirror.content(blob, 9),
        lambda: mirror.sizes([blob]),
    ):
        with pytest.raises(SourceGone):
            read()


def test_hunks(origin, mirror):
    lines = [f"{n}\n" for n in range(1, 41)]
    changed = [*lines[:4], "new\n", *lines[4:29], "other\n", *lines[30:]]
    commit = origin.commit("One", {"a": "".join(lines), "b": "".join(changed), "c": b"\0"})
    mirror.fetch()
    a, b, c = (entry.blob for entry in mirror.files(commit))
    found = mirror.hunks(a, b)
    assert [(hunk.before, hunk.after, hunk.marks) for hunk in found.hunks] == [(2, 2, "   +   "), (27, 28, "   -+   ")]
    assert [one for one in found.hunks[1].numbered() if one[0] != " "] == [("-", 30, 31), ("+", 31, 31)]
    assert [hunk.marks for hunk in mirror.hunks(a, b, around=0).hunks] == ["+", "-+"]
    assert found.whole
    assert not mirror.hunks(a, c).text
    assert mirror.hunks(a, a).hunks == ()


def test_grep(origin, mirror):
    commit = origin.commit(
        "One",
        {
            "new\nline.py": "needle a\nx\n",
            "b.bin": b"needle\0",
            "c.txt": b"\xff needle needles\n",
            "d.txt": "needles\n",
        },
    )
    mirror.fetch()
    assert mirror.grep(commit, "needle").hits == (
        Hit("c.txt", 1, b"\xff needle needles"),
        Hit("d.txt", 1, b"needles"),
        Hit("new\nline.py", 1, b"needle a"),
    )
    assert [hit.path for hit in mirror.grep(commit, "needle", words=True).hits] == ["c.txt", "new\nline.py"]
    assert [hit.path for hit in mirror.grep(commit, "needle", ["d.txt", ":(top)c.txt"]).hits] == ["d.txt"]
    assert mirror.grep(commit, "nothing") == mirror.grep(commit, "need.e")
    assert mirror.grep(commit, "nothing").whole


def test_grep_is_bounded(origin, mirror):
    commit = origin.commit("One", {"a.txt": "needle\n" * 600_000, "b.txt": "needle\n"})
    mirror.fetch()
    found = mirror.grep(commit, "needle")
    assert not found.whole
    assert 0 < len(found.hits) < 600_000


def test_refs_that_hold_a_commit(origin, mirror):
    first = origin.commit("One", {"a.py": "1"})
    origin.git("tag", "v1")
    second = origin.commit("Two", {"a.py": "2"})
    mirror.fetch()
    assert mirror.refs() == ("refs/heads/main", "refs/tags/v1")
    assert mirror.refs(holding=first) == ("refs/heads/main", "refs/tags/v1")
    assert mirror.refs(holding=second) == ("refs/heads/main",)


def test_a_time_limit_is_no_answer(tmp_path, origin):
    commit = origin.commit("One", {"a.py": "1"})
    Mirror(tmp_path / "mirror", str(origin.folder)).fetch()
    slow = tmp_path / "slow-git"
    slow.write_text("#!/bin/sh\nsleep 600\n")
    slow.chmod(0o755)
    mirror = Mirror(tmp_path / "mirror", str(origin.folder), read_seconds=0.2, git=str(slow))
    with pytest.raises(SourceUnavailable):
        mirror.grep(commit, "needle", seconds=0.2)
    with pytest.raises(SourceUnavailable):
        mirror.pulls_at_origin(seconds=0.2)


@pytest.mark.parametrize("path", ["/a", "a/", "a//b", "..", "a/../b", ".", "", "a\0", "\ud800", "a" * 5_000])
def test_what_is_no_path(path):
    assert not is_path(path)


@pytest.mark.parametrize("path", ["-rf", ":(top)a", "a b", "...", "a\\b", "\udcff", "עברית"])
def test_what_is_a_path(path):
    assert is_path(path)


@given(st.text("/abc7.-:*@^~ \n\\", max_size=12).map("refs/pull/".__add__))
def test_no_ref_is_an_option_or_a_pattern(name):
    if is_ref(name):
        assert not set(name) & set(" :*?[\\^~\n@")
        assert ".." not in name
        assert "/-" not in name


@given(st.lists(st.sampled_from([b"\\", b"x", b"f", b"\xff", b"\xc3\xa9", b"8", b"\\xff"]), max_size=8).map(b"".join))
def test_a_shown_name_gives_the_name_back(name):
    text = name.decode("utf-8", "surrogateescape")
    assert unshown(shown(text)) == text


def test_pointers():
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 12\n"
    assert pointed_size(pointer) == 12
    assert pointed_size(b"# " + pointer) is None
    assert pointed_size(pointer + b"x" * 2_000) is None


def test_a_difference_says_what_it_is():
    one = Difference("a", "D", None, ("120000", "000000"), ("1", None))
    assert one.link
