"""Git as a source and the mirror below it: real repositories, odd names, hostile settings."""

import os
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.connectors.base import Connector
from core.connectors.git import GitConnector
from core.errors import SourceGone, SourceUnavailable
from core.mirror import Mirror, shown
from core.visibility import repository

ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Ana"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "ana@firm.example"),
}


class Origin:
    """A repository with a work tree, to make history in. Commit n is made n minutes after nine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made = 0
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        date = f"2026-03-02T09:{self.made:02d}:00+00:00"
        environment = {**ENVIRONMENT, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        done = subprocess.run(["git", *arguments], cwd=self.folder, env=environment, check=True, capture_output=True)
        return done.stdout.decode().strip()

    def commit(self, message: str, files: dict[str | bytes, str | bytes | None]) -> str:
        for name, content in files.items():
            path = os.path.join(os.fsencode(self.folder), os.fsencode(name))  # noqa: PTH118 - Path takes no bytes
            if content is None:
                os.remove(path)  # noqa: PTH107
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
            Path(os.fsdecode(path)).write_bytes(content if isinstance(content, bytes) else content.encode())
        self.git("add", "--all")
        self.made += 1
        self.git("commit", "--quiet", "--allow-empty", "--allow-empty-message", "--message", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def origin(tmp_path):
    return Origin(tmp_path / "origin")


@pytest.fixture
def mirror(tmp_path, origin):
    return Mirror(tmp_path / "mirror", str(origin.folder))


@pytest.fixture
def shop(mirror):
    link, commit_link = "https://git.example/shop/blob/{branch}/{path}#L{line}", "https://git.example/shop/commit/{sha}"
    return GitConnector("shop", mirror, link=link, commit_link=commit_link)


def files(documents):
    return {document.path: document for document in documents if document.kind == "code"}


def commits(documents):
    return {document.title: document for document in documents if document.kind == "commit"}


def test_documents(origin, shop):
    source: Connector = shop
    first = origin.commit("PAY-12 Lock accounts\n\nAfter five tries.", {"src/lock it.py": "TRIES = 5\n", "b.txt": "b"})
    origin.commit("Two", {"b.txt": "bb"})
    source.mark()
    documents = list(source.load())
    lock = files(documents)["src/lock it.py"]
    assert lock.id == "git:shop:src/lock it.py"
    assert lock.text == "TRIES = 5\n"
    assert lock.version == origin.git("rev-parse", "HEAD:src/lock it.py")
    assert lock.context == "shop > src/lock it.py"
    assert lock.keys == {"src/lock it.py", "lock it.py"}
    assert lock.url == "https://git.example/shop/blob/main/src/lock%20it.py#L{line}"
    assert lock.updated == datetime(2026, 3, 2, 9, 1, tzinfo=UTC)
    assert files(documents)["b.txt"].updated == datetime(2026, 3, 2, 9, 2, tzinfo=UTC)
    made = commits(documents)["PAY-12 Lock accounts"]
    assert made.id == f"git:shop@{first}"
    assert made.keys == {first, first[:7], first[:12], "PAY-12"}
    assert made.text == "PAY-12 Lock accounts\n\nAfter five tries.\n\nFiles:\n- b.txt\n- src/lock it.py"
    assert made.url == f"https://git.example/shop/commit/{first}"
    assert all(document.labels == {repository("shop")} for document in documents)
    assert {document.id for document in documents} == source.ids()
    assert source.total() == 4


def test_what_is_not_peoples_own_code_is_left_out(origin, shop):
    origin.commit(
        "All sorts",
        {
            "app.py": "x",
            "logo.png": b"\x89PNG\0\0",
            "big.csv": "1,2\n" * 300_000,
            "empty.py": "",
            "package-lock.json": "{}",
            "poetry.lock": "x",
            "site.min.js": "x",
            "node_modules/a/index.js": "x",
            "vendor/lib.go": "x",
            "api_pb2.py": "x",
            "gen/client.py": "x",
            "gen/kept.py": "x",
            "data.bin": "text, but binary by decree",
            ".gitattributes": "gen/* linguist-generated\ngen/kept.py -linguist-generated\n*.bin binary\n",
        },
    )
    os.symlink("/etc/passwd", origin.folder / "link.py")  # noqa: PTH211 - a plain link
    origin.commit("A link", {})
    shop.mark()
    assert set(files(shop.load())) == {"app.py", "gen/kept.py", ".gitattributes"}


ODD = {
    "new\nline.py": "a",
    'quote"\\back.py': "b",
    "tab\there.py": "c",
    "עברית.py": "d",
    "-rf": "e",
    "dir/ sp ace ": "f",
    b"bad\xff\xfe.py": "g",
}


def test_odd_names(origin, shop, mirror):
    origin.commit("Odd", ODD)
    mark = shop.mark()
    found = files(shop.load())
    assert {document.text for document in found.values()} == set("abcdefg")
    assert "bad\\xff\\xfe.py" in found
    assert {path for path in found if "\n" in path} == {"new\nline.py"}
    assert found["new\nline.py"].url.endswith("/new%0Aline.py#L{line}")
    for document in found.values():
        document.id.encode()
    assert {entry.path: mirror.read("main", entry.path, 10).decode() for entry in mirror.files("main")} == {
        (name if isinstance(name, str) else os.fsdecode(name)): text for name, text in ODD.items()
    }
    origin.commit("Odder", {"new\nline.py": "A", b"bad\xff\xfe.py": "G"})
    shop.mark()
    assert {document.text for document in files(shop.changed_since(mark)).values()} == {"A", "G"}
    assert {shown(path) for path in mirror.changed(mark, mirror.head())[0]} == {"new\nline.py", "bad\\xff\\xfe.py"}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\xef\xbb\xbfa\r\nb\r\n", "a\nb\n"),
        ("\ufeffwide".encode("utf-16-le"), "wide"),
        (b"caf\xe9 \x93quoted\x94", "café “quoted”"),
        ("Grüße 👋".encode(), "Grüße 👋"),
    ],
)
def test_encodings(origin, shop, content, text):
    origin.commit("Text", {"a.txt": content})
    shop.mark()
    assert files(shop.load())["a.txt"].text.removeprefix("\ufeff") == text


def test_changes(origin, shop):
    origin.commit("One", {"a.py": "1", "b.py": "1", "c.py": "1"})
    mark = shop.mark()
    assert list(shop.changed_since(mark)) == []
    origin.commit("Two", {"a.py": "2", "d.py": "new", "c.py": None, "b.py": b"\0binary now"})
    shop.mark()
    changed = list(shop.changed_since(mark))
    assert {path: document.text for path, document in files(changed).items()} == {
        "a.py": "2",
        "d.py": "new",
        "b.py": "[nothing to read]",
    }
    assert set(commits(changed)) == {"Two"}
    assert "git:shop:c.py" not in shop.ids()
    assert shop.labels_now(["git:shop:a.py", "git:shop:c.py"]) == {
        "git:shop:a.py": {repository("shop")},
        "git:shop:c.py": None,
    }


def test_what_counts_as_generated_can_change_for_files_that_did_not(origin, shop):
    origin.commit("One", {"a.py": "1", ".gitattributes": "a.py linguist-generated"})
    mark = shop.mark()
    assert "a.py" not in files(shop.load())
    origin.commit("Two", {".gitattributes": "# nothing"})
    shop.mark()
    assert "a.py" in files(shop.changed_since(mark))


def test_history_written_anew(origin, shop):
    first = origin.commit("One", {"a.py": "1"})
    mark = origin.commit("Two", {"a.py": "2"})
    assert shop.mark() == mark
    origin.git("reset", "--quiet", "--hard", first)
    origin.commit("Other two", {"a.py": "3"})
    shop.mark()
    assert files(shop.changed_since(mark))["a.py"].text == "3"
    assert set(commits(shop.load())) == {"One", "Other two"}
    assert files(shop.changed_since("0" * 40))["a.py"].text == "3"


def test_branches_and_merges(origin, mirror):
    origin.commit("One", {"a.py": "1"})
    origin.git("checkout", "--quiet", "-b", "feature/x")
    origin.commit("Side", {"side.py": "s"})
    origin.git("checkout", "--quiet", "main")
    origin.commit("Main", {"a.py": "2"})
    origin.git("merge", "--quiet", "--no-edit", "feature/x")
    side = GitConnector("shop", mirror, branch="feature/x", link="{branch}/{path}")
    side.mark()
    assert {path: document.text for path, document in files(side.load()).items()} == {"a.py": "1", "side.py": "s"}
    assert files(side.load())["a.py"].url == "feature/x/a.py"
    merged = next(mirror.log("main"))
    assert (len(merged.parents), merged.paths) == (2, ())
    assert [commit.subject for commit in mirror.log("main", since="feature/x")] == [merged.subject, "Main"]
    origin.git("branch", "--quiet", "-D", "feature/x")
    mirror.fetch()
    with pytest.raises(SourceGone):
        mirror.head("feature/x")


def test_the_default_branch_is_the_origins(origin, mirror):
    origin.commit("One", {"a.py": "1"})
    origin.git("branch", "--quiet", "--move", "main", "trunk")
    mirror.fetch()
    assert mirror.default_branch() == "trunk"


def test_commit_messages_of_any_shape(origin, shop):
    messages = ["", "one\0".rstrip("\0"), "a\n\nb\x01c\x1fd", "@@@ --- \x02", "  padded  ", "🎉 done"]
    for message in messages:
        origin.commit(message, {})
    shop.mark()
    assert len(commits(shop.load())) == len(messages)
    assert GitConnector("shop", shop._mirror, commits=2).total() == 2


@pytest.mark.parametrize("branch", ["-x", "--upload-pack=id", "a..b", "a b", "a:b", "/a", "a.lock", "@{u}", "x~1", ""])
def test_names_of_branches_are_names(origin, mirror, branch):
    origin.commit("One", {"a.py": "1"})
    mirror.fetch()
    with pytest.raises(SourceGone):
        list(mirror.files(branch or "HEAD^0"))


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
    assert mirror.read("main", "a.py", 10) == b"1"
    assert not (tmp_path / "hooked").exists()
    assert not list((tmp_path / "mirror").glob("hooks/*"))
    assert str(origin.folder) not in (tmp_path / "mirror" / "config").read_text()


def test_a_shallow_origin(tmp_path, origin):
    origin.commit("One", {"a.py": "1"})
    origin.commit("Two", {"a.py": "2"})
    subprocess.run(
        ["git", "clone", "--quiet", "--depth=1", f"file://{origin.folder}", str(tmp_path / "shallow")],
        env=ENVIRONMENT,
        check=True,
    )
    shop = GitConnector("shop", Mirror(tmp_path / "mirror", str(tmp_path / "shallow")))
    shop.mark()
    assert files(shop.load())["a.py"].text == "2"


def test_locks_left_by_a_killed_fetch_are_no_end(tmp_path, origin, mirror):
    origin.commit("One", {"a.py": "1"})
    mirror.fetch()
    origin.commit("Two", {"a.py": "2"})
    for name in ("packed-refs.lock", "HEAD.lock", "refs/heads/main.lock", "shallow.lock"):
        (tmp_path / "mirror" / name).touch()
    mirror.fetch()
    assert mirror.read("main", "a.py", 10) == b"2"


def test_two_fetches_at_once_do_not_meet(tmp_path, origin, mirror):
    origin.commit("One", {"a.py": "1"})
    mirror.fetch()
    with mirror._alone(), pytest.raises(SourceUnavailable, match="another process"):
        Mirror(tmp_path / "mirror", str(origin.folder)).fetch()


def test_time_limits_end_the_child_and_its_children(tmp_path, origin):
    slow = tmp_path / "slow-git"
    slow.write_text(f"#!/bin/sh\n(sleep 1; touch {tmp_path}/lived-on) & wait\n")
    slow.chmod(0o755)
    mirror = Mirror(tmp_path / "mirror", str(origin.folder), fetch_seconds=0.3, read_seconds=0.3, git=str(slow))
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "HEAD").touch()
    for read in (mirror.fetch, lambda: list(mirror.blobs(["0" * 40])), lambda: next(mirror.log("0" * 40))):
        began = time.monotonic()
        with pytest.raises(SourceUnavailable, match="too long"):
            read()
        assert time.monotonic() - began < 0.9
    time.sleep(1.2)
    assert not (tmp_path / "lived-on").exists()


def test_not_fetched_yet_gone_and_unreachable(tmp_path, origin, mirror):
    with pytest.raises(SourceUnavailable, match="not been fetched"):
        mirror.head()
    with pytest.raises(SourceGone):
        Mirror(tmp_path / "other", str(tmp_path / "nothing")).fetch()
    with pytest.raises(SourceUnavailable) as raised:
        Mirror(tmp_path / "third", "http://ana:t0ps3cret@127.0.0.1:9/x.git").fetch()
    assert "t0ps3cret" not in str(raised.value)
    origin.commit("One", {"a.py": "1"})
    mirror.fetch()
    with pytest.raises(SourceGone):
        mirror.read("main", "b.py", 10)
    with pytest.raises(SourceGone):
        list(mirror.blobs(["1" * 40]))
    assert mirror.read("main", "a.py", 0) == b""


def test_an_empty_repository(shop):
    with pytest.raises(SourceGone):
        shop.mark()


def test_reading_stops_at_the_limit(origin, mirror):
    origin.commit("Big", {"big.txt": "x" * 3_000_000})
    mirror.fetch()
    assert mirror.read("main", "big.txt", 5) == b"xxxxx"


def test_ten_thousand_files_are_read_in_seconds(tmp_path):
    bare = tmp_path / "bare.git"
    subprocess.run(
        ["git", "init", "--quiet", "--bare", "--initial-branch=main", str(bare)], env=ENVIRONMENT, check=True
    )
    text = b"def f(x):\n    return x\n" * 40
    stream = [b"commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 3\nall\n"]
    for n in range(10_000):
        content = b"# %d\n" % n + text
        stream.append(b"M 100644 inline src/d%d/f%d.py\ndata %d\n%s\n" % (n % 100, n, len(content), content))
    subprocess.run(
        ["git", "-C", str(bare), "fast-import", "--quiet"], input=b"".join(stream), env=ENVIRONMENT, check=True
    )
    shop = GitConnector("shop", Mirror(tmp_path / "mirror", str(bare)))
    shop.mark()
    began = time.perf_counter()
    assert len(files(shop.load())) == 10_000
    assert time.perf_counter() - began < 15


def test_labels_of_a_branch_that_is_no_more_are_none(origin, mirror):
    origin.commit("One", {"a.py": "1"})
    origin.git("branch", "release")
    shop = GitConnector("shop", mirror, branch="release")
    shop.mark()
    assert shop.labels_now(["git:shop:a.py"]) == {"git:shop:a.py": {repository("shop")}}
    origin.git("branch", "--delete", "release")
    with pytest.raises(SourceGone):
        shop.mark()
    assert shop.labels_now(["git:shop:a.py"]) == {"git:shop:a.py": None}
