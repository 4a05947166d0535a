"""The mirror of a repository: odd names, hostile settings, origins that fail, and fetches that are killed."""

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.errors import SourceForbidden, SourceGone, SourceUnavailable
from core.mirror import Entry, Mirror, Touch, shown
from tests.core.connectors.git_origin import ENVIRONMENT, Origin

KILLS = 6
SECRET = "t0ps3cret"


@pytest.fixture
def origin(tmp_path):
    return Origin(tmp_path / "origin")


@pytest.fixture
def mirror(tmp_path, origin):
    return Mirror(tmp_path / "mirror", str(origin.folder), lock_seconds=0.3)


def text_of(mirror: Mirror, path: str) -> bytes:
    entry = next(entry for entry in mirror.files(mirror.head()) if entry.path == path)
    return next(mirror.blobs([entry]))


ODD = {
    "new\nline.py": "a",
    'quote"\\back.py': "b",
    "tab\there.py": "c",
    "עברית.py": "d",
    "-rf": "e",
    "dir/ sp ace ": "f",
    "ends\n": "h",
    b"bad\xff\xfe.py": "g",
}


def test_odd_names(origin, mirror):
    first = origin.commit("Odd", ODD)
    mirror.fetch()
    entries = list(mirror.files(first))
    assert dict(zip([entry.path for entry in entries], mirror.blobs(entries), strict=True)) == {
        (name if isinstance(name, str) else os.fsdecode(name)): text.encode() for name, text in ODD.items()
    }
    assert set(mirror.commits([first])[0].paths) == {entry.path for entry in entries}
    assert set(mirror.written(first, since=None, limit=9)) == {entry.path for entry in entries}
    second = origin.commit("Odder", {"new\nline.py": "A", b"bad\xff\xfe.py": "G", "tab\there.py": None})
    mirror.fetch()
    written, removed = mirror.changed(first, second)
    assert {shown(path) for path in written} == {"new\nline.py", "bad\\xff\\xfe.py"}
    assert removed == {"tab\there.py"}


def test_commits_and_what_they_touched(origin, mirror):
    first = origin.commit("One\n\nBody.", {"a.py": "x = 1\n" * 20, "b.py": "b"})
    second = origin.move("Two", {"a.py": "src/a.py"}, {"b.py": None, "c.py": "c"})
    mirror.fetch()
    two, one = mirror.commits([second, first])
    assert (one.id, one.parents, one.author, one.subject, one.message) == (first, (), "Ana", "One", "One\n\nBody.")
    assert one.touches == (Touch("a.py", new=True), Touch("b.py", new=True))
    assert two.touches == (Touch("b.py"), Touch("c.py", new=True), Touch("src/a.py", before="a.py", new=True))
    assert mirror.history(second, 9) == [second, first]
    assert mirror.history(second, 1) == [second]
    assert mirror.commits([]) == []


def test_messages_of_any_shape(origin, mirror):
    messages = ["", "a\n\nb\x01c\x1fd", "@@@ --- \x02", "  padded  ", "🎉 done", "x" * 3_000_000]
    ids = [origin.commit(message[:100_000], {}) for message in messages]
    mirror.fetch()
    read = [commit.message for commit in mirror.commits(ids)]
    assert read == ["", "a\n\nb\x01c\x1fd", "@@@ --- \x02", "padded", "🎉 done", "x" * 50_000]


def test_dates_are_those_of_the_first_parent_line(origin, mirror):
    origin.commit("One", {"a.py": "1", "b.py": "1"})
    origin.branch("side")
    origin.commit("Side", {"a.py": "2"})
    origin.go("main")
    since = origin.commit("Main", {"b.py": "2"})
    merged = origin.merge("side")
    mirror.fetch()
    dates = mirror.written(merged, since=None, limit=9)
    assert {path: date.minute for path, date in dates.items()} == {"a.py": 4, "b.py": 3}
    assert mirror.written(merged, since=since, limit=9).keys() == {"a.py"}


def test_branches_and_merge_bases(origin, mirror):
    first = origin.commit("One", {"a.py": "1"})
    origin.branch("feature/x")
    side = origin.commit("Side", {"side.py": "s"})
    origin.go("main")
    second = origin.commit("Two", {"a.py": "2"})
    origin.git("checkout", "--quiet", "--orphan", "other")
    other = origin.commit("Other", {"o.py": "o"})
    mirror.fetch()
    assert [tip.name for tip in mirror.branches()] == ["other", "main", "feature/x"]
    assert [tip.name for tip in mirror.branches(unmerged=second)] == ["other", "feature/x"]
    assert mirror.merge_base(side, second) == first
    assert mirror.merge_base(other, second) is None
    assert mirror.ahead([side], second, 9) == {side: (first,)}
    with pytest.raises(SourceGone):
        mirror.merge_base(side, "1" * 40)
    origin.git("branch", "--quiet", "-D", "feature/x")
    mirror.fetch()
    with pytest.raises(SourceGone, match="no branch 'feature/x'; its branches are: other, main"):
        mirror.head("feature/x")


def test_the_default_branch_is_the_origins_also_beside_a_tag_of_its_name(origin, mirror):
    origin.commit("One", {"a.py": "1"})
    origin.git("branch", "--quiet", "--move", "main", "trunk")
    origin.git("tag", "trunk")
    mirror.fetch()
    assert mirror.default_branch() == "trunk"
    assert mirror.head() == origin.git("rev-parse", "refs/heads/trunk")


def test_what_a_name_names(origin, mirror):
    """A branch before a tag before a commit id; nothing that Git reads as an expression."""
    assert mirror.commit_of("main") is None, "nothing was fetched yet"
    first = origin.commit("One", {"a": "1"})
    origin.git("tag", "-a", "v1", "-m", "first", first)
    second = origin.commit("Two", {"a": "2"})
    origin.git("branch", "feature/#7+x", first)
    origin.git("tag", first[:8], second)
    mirror.fetch()
    found = {name: mirror.commit_of(name) for name in ("v1", "feature/#7+x", second, second[:9], first[:8], first[:9])}
    assert found == {
        "v1": first,
        "feature/#7+x": first,
        second: second,
        second[:9]: second,
        first[:8]: second,
        first[:9]: first,
    }
    for name in ("", "v2", "v1^", "v1~1", "HEAD~1", "@{0}", "main..v1", "--all", "-1", first[:5], "ab" * 20, ":/One"):
        assert mirror.commit_of(name) is None


@pytest.mark.parametrize("name", ["-x", "--upload-pack=id", "HEAD", "main~1", "refs/heads/main", "x\ny"])
def test_only_ids_are_commits_and_only_branches_are_branches(origin, mirror, name):
    origin.commit("One", {"a.py": "1"})
    origin.commit("Two", {"a.py": "1"})
    mirror.fetch()
    with pytest.raises(SourceGone):
        list(mirror.files(name))
    with pytest.raises(SourceGone):
        mirror.head(name)


@pytest.mark.parametrize("location", ["--upload-pack=touch pwned", "-x", "ext::sh -c touch% pwned", "fd::7"])
def test_locations_run_nothing(tmp_path, location, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((SourceGone, SourceUnavailable)):
        Mirror(tmp_path / "mirror", location).fetch()
    assert not list(tmp_path.rglob("pwned*"))


def test_hooks_and_settings_of_the_repository_are_not_obeyed(tmp_path, origin, mirror):
    hook = f"#!/bin/sh\ntouch {tmp_path}/hooked\n"
    for name in ("post-checkout", "reference-transaction", "post-update", "pre-auto-gc"):
        path = origin.folder / ".git" / "hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(hook)
        path.chmod(0o755)
    origin.commit("One", {"a.py": "1", ".gitattributes": "* filter=evil diff=evil"})
    (tmp_path / "hooked").unlink(missing_ok=True)
    origin.git("config", "filter.evil.smudge", f"touch {tmp_path}/hooked")
    mirror.fetch()
    assert text_of(mirror, "a.py") == b"1"
    assert not (tmp_path / "hooked").exists()
    assert not list((tmp_path / "mirror").glob("hooks/*"))
    assert str(origin.folder) not in (tmp_path / "mirror" / "config").read_text()


@pytest.mark.parametrize("kind", ["bare", "shallow"])
def test_origins_of_other_kinds(tmp_path, origin, kind):
    origin.commit("One", {"a.py": "1"})
    origin.commit("Two", {"a.py": "2"})
    how = ["--bare"] if kind == "bare" else ["--depth=1"]
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", *how, origin.folder.as_uri(), clone], env=ENVIRONMENT, check=True)
    mirror = Mirror(tmp_path / "mirror", str(clone))
    mirror.fetch()
    mirror.fetch()
    assert text_of(mirror, "a.py") == b"2"
    assert len(mirror.history(mirror.head(), 9)) == (2 if kind == "bare" else 1)
    if kind == "shallow":
        subprocess.run(["git", "-C", clone, "fetch", "--quiet", "--unshallow"], env=ENVIRONMENT, check=True)
        mirror.fetch()
        assert len(mirror.history(mirror.head(), 9)) == 2


def test_time_limits_end_the_child_and_its_children(tmp_path, origin):
    slow = tmp_path / "slow-git"
    slow.write_text(f"#!/bin/sh\n(sleep 1; touch {tmp_path}/lived-on) & wait\n")
    slow.chmod(0o755)
    location = f"https://ana:{SECRET}@git.example/x.git"
    mirror = Mirror(tmp_path / "mirror", location, fetch_seconds=0.3, read_seconds=0.3, git=str(slow))
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "HEAD").touch()
    for read in (mirror.fetch, mirror.branches, lambda: mirror.commits(["0" * 40])):
        began = time.monotonic()
        with pytest.raises(SourceUnavailable, match="too long") as raised:
            read()
        assert time.monotonic() - began < 0.9
        assert SECRET not in "".join(traceback.format_exception(raised.value))
    time.sleep(1.2)
    assert not (tmp_path / "lived-on").exists()


def test_not_fetched_yet_and_gone(tmp_path, origin, mirror):
    with pytest.raises(SourceUnavailable, match="not been fetched"):
        mirror.head()
    with pytest.raises(SourceGone):
        Mirror(tmp_path / "other", str(tmp_path / "nothing")).fetch()
    origin.commit("One", {"a.py": "1"})
    mirror.fetch()
    reads = (
        mirror.files,
        lambda commit: mirror.commits([commit]),
        lambda commit: mirror.commits([commit] * 50_000),
        lambda commit: mirror.history(commit, 1),
        lambda commit: mirror.written(commit, since=None, limit=1),
        lambda commit: mirror.blobs([Entry("a.py", commit, 1)]),
        lambda commit: mirror.blobs([Entry("a.py", commit, 1)] * 200),
    )
    for read in reads:
        with pytest.raises(SourceGone):
            list(read("1" * 40))


class Host(BaseHTTPRequestHandler):
    """Answers every request with the status in its path."""

    def do_GET(self):
        self.send_response(int(self.path.split("/")[1]))
        self.send_header("WWW-Authenticate", "Basic realm=x")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def host():
    with ThreadingHTTPServer(("127.0.0.1", 0), Host) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("status", "error"), [(401, SourceForbidden), (403, SourceForbidden), (404, SourceGone), (500, SourceUnavailable)]
)
@pytest.mark.parametrize("who", [f"ana:{SECRET}@", f"{SECRET}@", f"ana:{SECRET}%40x@"])
def test_what_a_host_answers(tmp_path, host, status, error, who):
    with pytest.raises(error) as raised:
        Mirror(tmp_path / "mirror", f"http://{who}{host}/{status}/x.git").fetch()
    assert host in str(raised.value)
    assert SECRET not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize(
    "location",
    [
        f"http://ana:{SECRET}@127.0.0.1:9/x.git",
        f"http://ana:a/{SECRET}@127.0.0.1:9/x.git",
        f"http://ana:a@{SECRET}@127.0.0.1:9/x.git",
        f"http://{SECRET}@127.0.0.1:9/x.git",
        f"ssh://ana:{SECRET}@127.0.0.1:9/x.git",
        f"nonsense://ana:{SECRET}@127.0.0.1/x.git",
    ],
)
def test_a_credential_is_in_no_message(tmp_path, location):
    with pytest.raises(SourceUnavailable) as raised:
        Mirror(tmp_path / "mirror", location).fetch()
    assert SECRET not in "".join(traceback.format_exception(raised.value))


def test_a_repository_that_became_unreachable_is_still_read(origin, mirror):
    origin.commit("One", {"a.py": "1"})
    mirror.fetch()
    origin.folder.rename(origin.folder.with_name("moved"))
    with pytest.raises(SourceGone):
        mirror.fetch()
    assert text_of(mirror, "a.py") == b"1"


def test_an_empty_repository(mirror, origin):
    mirror.fetch()
    assert mirror.branches() == []
    with pytest.raises(SourceGone, match="it has no branches"):
        mirror.head()
    origin.commit("One", {"a.py": "1"})
    mirror.fetch()
    assert text_of(mirror, "a.py") == b"1"


def test_large_files_are_read_in_order(origin, mirror):
    contents = {f"{n:03d}.txt": bytes([65 + n % 26]) * (n % 5 * 1_500_000 + 1) for n in range(20)}
    head = origin.commit("Large", contents)
    mirror.fetch()
    entries = list(mirror.files(head))
    assert dict(zip([entry.path for entry in entries], mirror.blobs(entries), strict=True)) == contents


def test_what_a_killed_fetch_left_is_cleared_away(tmp_path, origin, mirror):
    origin.commit("One", {"a.py": "1"})
    mirror.fetch()
    origin.commit("Two", {"a.py": "2"})
    left = ["packed-refs.lock", "HEAD.lock", "config.lock", "refs/heads/main.lock", "shallow.lock"]
    left += ["objects/info/commit-graphs/commit-graph-chain.lock", "objects/pack/tmp_pack_x"]
    for name in left:
        path = tmp_path / "mirror" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    mirror.fetch()
    assert text_of(mirror, "a.py") == b"2"
    assert not [name for name in left if (tmp_path / "mirror" / name).exists()]


def test_a_mirror_that_was_half_made_is_made(tmp_path, origin, mirror):
    origin.commit("One", {"a.py": "1"})
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "HEAD").write_text("ref: refs/heads/main\n")
    mirror.fetch()
    assert text_of(mirror, "a.py") == b"1"


def fetching(tmp_path, origin, git: str = "git") -> "subprocess.Popen[bytes]":
    """A process that says when it begins to fetch."""
    program = (
        "import sys, pathlib; from core.mirror import Mirror;"
        "print(flush=True); Mirror(pathlib.Path(sys.argv[1]), sys.argv[2], git=sys.argv[3]).fetch()"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "mirror"), str(origin.folder), git]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdout.readline()
    return process


def fetched(mirror: Mirror) -> None:
    """Fetch as soon as the children of a killed fetch are done."""
    for _ in range(100):
        try:
            return mirror.fetch()
        except SourceUnavailable:
            time.sleep(0.05)
    raise AssertionError("the mirror stayed locked")


def test_a_fetch_killed_at_any_instant_is_repaired_by_the_next(tmp_path, origin, mirror):
    dice = random.Random(1)
    origin.commit("One", {"a.py": "1"})
    for kill in range(KILLS):
        origin.branch(f"side-{kill}", "HEAD")
        for n in range(5):
            origin.commit(f"{kill} {n}", {f"{kill}/{n}.bin": dice.randbytes(200_000)})
        with fetching(tmp_path, origin) as process:
            time.sleep(dice.uniform(0, 0.15))
            process.send_signal(signal.SIGKILL)
        fetched(mirror)
        refs = origin.git("for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads")
        assert {f"{tip.commit} {tip.name}" for tip in mirror.branches()} == set(refs.split("\n"))
    check = ["git", "--git-dir", tmp_path / "mirror", "fsck", "--full", "--strict"]
    assert subprocess.run(check, env=ENVIRONMENT, check=True, capture_output=True).stdout == b""
    assert not list((tmp_path / "mirror").rglob("tmp_*"))


def slow_git(tmp_path) -> str:
    """A Git whose fetch takes for ever in a child of its own; the file beside it says that it began."""
    slow = tmp_path / "slow-git"
    slow.write_text('#!/bin/sh\ncase "$*" in *" fetch "*) (touch "$0.began"; sleep 600);; esac\nexec git "$@"\n')
    slow.chmod(0o755)
    return str(slow)


def test_only_one_process_fetches_and_its_children_end_when_it_is_killed(tmp_path, origin, mirror):
    origin.commit("One", {"a.py": "1"})
    with fetching(tmp_path, origin, slow_git(tmp_path)) as process:
        while not (tmp_path / "slow-git.began").exists():
            time.sleep(0.01)
        with pytest.raises(SourceUnavailable, match=re.escape(f"another process is fetching {origin.folder}")):
            mirror.fetch()
        process.send_signal(signal.SIGKILL)
    fetched(mirror)
    assert text_of(mirror, "a.py") == b"1"


def raw_commit(origin: Origin, *heads: str, message: str = "Odd") -> str:
    """A commit of these lines at the tip of main, however little sense they make."""
    lines = "\n".join([f"tree {origin.git('write-tree')}", *heads, "", message, ""])
    command = ["git", "hash-object", "-t", "commit", "-w", "--literally", "--stdin"]
    done = subprocess.run(
        command, cwd=origin.folder, env=ENVIRONMENT, input=lines.encode(), check=True, capture_output=True
    )
    identity = done.stdout.decode().strip()
    (origin.folder / ".git" / "refs" / "heads" / "main").write_text(f"{identity}\n")
    return identity


ANA = "Ana <ana@firm.example>"


def test_dates_that_no_calendar_has(tmp_path, origin):
    ids = [origin.commit("One", {"a.py": "1"})]
    for date in ("10000000000000 +0000", "99999999999999999999 +0000", "abc", "-5 +0000", "1 +99999999"):
        heads = [f"parent {ids[-1]}", f"author {ANA} {date}", f"committer {ANA} {date}"]
        ids.append(raw_commit(origin, *heads))
    ids.append(raw_commit(origin, f"parent {ids[-1]}", "author x", "committer"))
    mirror = Mirror(tmp_path / "mirror", str(origin.folder), fetch_seconds=20, read_seconds=20)
    mirror.fetch()
    assert [commit.id for commit in mirror.commits(ids)] == ids
    assert set(mirror.history(ids[-1], 99)) == set(ids)
    assert mirror.head() == ids[-1]
    assert mirror.merge_base(ids[1], ids[-1]) == ids[1]
    assert mirror.written(ids[-1], since=None, limit=99).keys() == {"a.py"}
    mirror.fetch()


def test_heads_of_any_size(origin, mirror):
    first = origin.commit("One", {"a.py": "1"})
    who = [f"author {ANA} 1700000000 +0000", f"committer {ANA} 1700000000 +0000"]
    long = raw_commit(origin, f"parent {first}", f"author {'A' * 1_100_000} <a@b> 1700000000 +0000", who[1])
    # Git drops the same parent given twice, so each is another commit.
    stream = "".join(f"commit refs/heads/p\ncommitter {ANA} {n} +0000\ndata 0\n\n" for n in range(26_000))
    marks = origin.folder.parent / "marks"
    numbered = stream.replace("committer", "mark :{}\ncommitter").format(*range(1, 26_001))
    subprocess.run(
        ["git", "fast-import", "--quiet", f"--export-marks={marks}"],
        cwd=origin.folder, env=ENVIRONMENT, input=numbered.encode(), check=True,
    )  # fmt: skip
    parents = [line.split()[1] for line in marks.read_text().splitlines()]
    many = raw_commit(origin, f"parent {long}", *(f"parent {parent}" for parent in parents), *who)
    mirror.fetch()
    read = {commit.id: commit for commit in mirror.commits([many, long, first])}
    assert list(read) == [many, long, first]
    assert (read[long].author, read[long].message, read[long].committed.year) == ("A" * 500, "", 2023)
    assert 20_000 < len(read[many].parents) <= 26_001
    assert set(read[many].parents) <= {long, *parents}
    assert (read[first].author, read[first].message) == ("Ana", "One")


NAMES = st.lists(st.sampled_from([b"\\", b"x", b"f", b"\xff", b"\xc3", b"\xa9", b"a"]), max_size=8).map(b"".join)


@given(NAMES | st.binary(max_size=8), NAMES | st.binary(max_size=8))
@example(b"\xff.py", b"\\xff.py")
@example(b"\\\xff", b"\\\\xff")
def test_two_names_are_never_shown_alike(one, other):
    assert (shown(os.fsdecode(one)) == shown(os.fsdecode(other))) == (one == other)


def test_a_backslash_alone_is_shown_as_it_is():
    assert shown("dir\\xylo.py") == "dir\\xylo.py"
