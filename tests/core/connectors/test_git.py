"""Files of a Git repository as documents: which, under which name, and with which text."""

import os
import re
import subprocess
import time
from datetime import UTC, datetime

import pytest

from core.connectors.base import Connector
from core.connectors.git import GitConnector
from core.errors import SourceGone
from core.mirror import Mirror
from core.parsing.parsed import Parsed
from core.visibility import repository
from tests.core.connectors.git_origin import ENVIRONMENT, Origin, Shop, commits, files
from tests.core.connectors.made_repository import change_one_file, made_repository

LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n"


@pytest.fixture
def shop(tmp_path):
    return Shop(tmp_path)


def test_a_file(shop):
    shop.origin.commit("One", {"src/lock it.py": "TRIES = 5\n", "b.txt": "b"})
    shop.origin.commit("Two", {"b.txt": "bb"})
    found = shop.files()
    lock = found["src/lock it.py"]
    assert (lock.id, lock.kind, lock.source) == ("git:shop:src/lock it.py", "code", "shop")
    assert (lock.title, lock.text, lock.context) == ("src/lock it.py", "TRIES = 5\n", "shop > src/lock it.py")
    assert lock.keys == {"src/lock it.py", "lock it.py"}
    assert lock.url == "https://git.example/shop/blob/main/src/lock%20it.py#L{line}"
    assert (lock.repo, lock.path, lock.branch, lock.development) == ("shop", "src/lock it.py", "main", False)
    assert lock.updated == datetime(2026, 3, 2, 9, 1, tzinfo=UTC)
    assert found["b.txt"].updated == datetime(2026, 3, 2, 9, 2, tzinfo=UTC)
    assert {document.labels for document in shop.everything().values()} == {frozenset({repository("shop")})}


def test_what_is_not_peoples_own_text_is_left_out_and_counted(shop):
    shop.origin.commit(
        "All sorts",
        {
            "app.py": "x",
            "logo.png": b"\x89PNG\0\0",
            "icon.svg": "<svg/>",
            "Plan.XLSX": b"PK",
            "empty.py": "",
            "package-lock.json": "{}",
            "poetry.lock": "x",
            "site.min.js": "x",
            "node_modules/a/index.js": "x",
            "vendor/lib.go": "x",
            "api_pb2.py": "x",
            "gen/client.py": "x",
            "gen/kept.py": "x",
            "data.raw": "text, but binary by decree",
            ".gitattributes": "gen/* linguist-generated\ngen/kept.py -linguist-generated\n*.raw binary\n",
        },
    )
    os.symlink("link.py", shop.origin.folder / "link.py")  # noqa: PTH211 - a plain link, to itself
    os.symlink("..", shop.origin.folder / "gen" / "loop")  # noqa: PTH211
    shop.origin.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},submodule")
    shop.origin.commit("Links", {})
    connector = shop.connector()
    connector.mark()
    assert set(files(connector.load())) == {"app.py", "gen/kept.py", ".gitattributes"}
    assert connector.left_out() == {
        "generated or copied": 8,
        "picture, archive, program or office file": 3,
        "symbolic link": 2,
        "empty": 1,
    }


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("README.md", "file"),
        ("docs/guide.rst", "file"),
        ("docs/a.adoc", "file"),
        ("notes.TXT", "file"),
        ("LICENSE", "file"),
        ("docs/flow.puml", "file"),
        ("src/a.py", "code"),
        ("CMakeLists.txt", "code"),
        ("requirements.txt", "code"),
        ("requirements/dev-requirements.txt", "code"),
        ("Makefile", "code"),
        ("settings.yaml", "code"),
    ],
)
def test_prose_is_told_from_code(shop, path, kind):
    shop.origin.commit("One", {path: "Some text.\n"})
    assert {document.kind for document in shop.files().values()} == {kind}
    assert shop.files()[path].text == "Some text.\n"


def test_prose_is_read_by_the_reader_and_code_is_not(shop):
    def read(name: str, data: bytes) -> Parsed:
        return Parsed(f"{name}: {len(data)}", unread=("picture not read: x.png",))

    shop.origin.commit("One", {"docs/a.md": "![x](x.png)", "a.py": "a"})
    shop.options["read"] = read
    found = shop.files()
    assert (found["docs/a.md"].text, found["docs/a.md"].unread) == ("docs/a.md: 11", ("picture not read: x.png",))
    assert (found["a.py"].text, found["a.py"].unread) == ("a", ())


def test_odd_names(shop):
    names = ["new\nline.py", 'quote"\\back.py', "tab\there.py", "עברית.py", "-rf", "dir/ sp ace ", "a:b@c{line}#?%.py"]
    shop.origin.commit("Odd", {**dict.fromkeys(names, "x"), b"bad\xff\xfe.py": "x"})
    found = shop.files()
    assert set(found) == {*names, "bad\\xff\\xfe.py"}
    assert found["new\nline.py"].url.endswith("/main/new%0Aline.py#L{line}")
    assert found["bad\\xff\\xfe.py"].url.endswith("/main/bad%FF%FE.py#L{line}")
    assert found["a:b@c{line}#?%.py"].url.endswith("/main/a%3Ab%40c%7Bline%7D%23%3F%25.py#L{line}")
    for document in shop.everything().values():
        f"{document.id}{document.url}{document.context}{document.text}".encode()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\xef\xbb\xbfa\r\nb\r\n", "a\nb\n"),
        ("\ufeffwide".encode("utf-16-le"), "wide"),
        ("\ufeffwide".encode("utf-16-be"), "wide"),
        ("\ufeffwider".encode("utf-32"), "wider"),
        (b"caf\xe9 \x93quoted\x94", "café “quoted”"),
        ("Grüße 👋".encode(), "Grüße 👋"),
        (b" \n\t\n", "[nothing but white space]"),
    ],
)
@pytest.mark.parametrize("name", ["a.py", "a.txt"])
def test_encodings(shop, content, text, name):
    shop.origin.commit("Text", {name: content})
    assert shop.files()[name].text.removeprefix("\ufeff") == text
    assert shop.files()[name].unread == ()


def test_what_could_not_be_read_is_said(shop):
    shop.origin.commit(
        "Unread",
        {
            "big.csv": b"1,2\n" * 2_500_001,
            "big.zip": b"1" * 10_000_001,
            "most.py": b"x = 1 #\n" * 1_250_000,
            "core": b"\x7fELF\0\0",
            "model.csv": LFS.format("0" * 64, 12_345_678),
            "small.csv": LFS.format("0" * 64, 120),
            "about_lfs.md": "version https://git-lfs.github.com/spec/v1 is how a pointer begins",
        },
    )
    found = shop.files()
    assert {path: (document.text, document.unread) for path, document in found.items() if path != "most.py"} == {
        "big.csv": ("[could not be read: it is larger than 10 MB]", ("could not be read: it is larger than 10 MB",)),
        "core": ("[could not be read: it is a binary file]", ("could not be read: it is a binary file",)),
        "model.csv": ("[Git LFS pointer: 12.3 MB not read]", ("Git LFS object not read: 12.3 MB",)),
        "small.csv": ("[Git LFS pointer: 120 bytes not read]", ("Git LFS object not read: 120 bytes",)),
        "about_lfs.md": ("version https://git-lfs.github.com/spec/v1 is how a pointer begins", ()),
    }
    assert len(found["most.py"].text) == 10_000_000


def test_attributes_that_are_bombs_cost_only_themselves(shop):
    """Too large, of too many macros, of no text, and with lines that Git does not take."""
    rules = {
        ".gitattributes": "".join(f"[attr]m{n} m{n + 1} m{n + 2}\n" for n in range(40_000)) + "* m0\n*.py binary\n",
        "deep/.gitattributes": "*.gen binary\n",
        "macros/.gitattributes": "".join(f"*.py m{n}\n" for n in range(5_000)),
        "wide/.gitattributes": b"* \xff\0binary\n" + b"x" * 3_000 + b" binary\n",
    }
    shop.origin.commit("Bombs", {**rules, "deep/a.py": "a", "deep/b.gen": "b", "macros/c.py": "c", "wide/d.py": "d"})
    found = {path for path in shop.files() if path and ".gitattributes" not in path}
    assert found == {"deep/a.py", "macros/c.py", "wide/d.py"}


def test_attributes_that_take_for_ever_are_given_up(shop):
    """Matching is exponential in the number of stars up to Git 2.40."""
    one = shop.origin.commit("One", {f"{'a' * 200}.py": "a", "b.py": "b"})
    rules = "b.py binary\n" + "".join(f"{'*a' * 40}{n} binary\n" for n in range(20))
    stream = f"commit refs/heads/main\ncommitter A <a@b> 1800000000 +0000\ndata 4\nBomb\nfrom {one}\n"
    stream += f"M 100644 inline .gitattributes\ndata {len(rules)}\n{rules}"
    command = ["git", "-C", shop.origin.folder, "fast-import", "--quiet"]
    subprocess.run(command, input=stream.encode(), env=ENVIRONMENT, check=True)
    began = time.monotonic()
    assert {f"{'a' * 200}.py", ".gitattributes"} <= set(shop.files())
    assert time.monotonic() - began < 15


def test_what_counts_as_generated_can_change_for_files_that_did_not(shop):
    shop.origin.commit("One", {"a.py": "1", "b.py": "1", ".gitattributes": "a.py linguist-generated"})
    shop.sync()
    shop.origin.commit("Two", {".gitattributes": "b.py linguist-generated"})
    read, gone = shop.sync()
    assert "git:shop:a.py" in read
    assert gone == {"git:shop:b.py"}


def test_a_file_that_no_longer_holds_anything_goes_or_says_so(shop):
    shop.origin.commit("One", {"a.py": "1", "b.py": "1", "c.py": "1", "d.py": "1"})
    shop.sync()
    two = shop.origin.commit("Two", {"a.py": "", "b.py": b"\0", "c.py": None})
    assert shop.sync() == (
        {"git:shop:b.py", f"git:shop@{two}"},
        {"git:shop:a.py", "git:shop:c.py"},
    )
    assert shop.index["git:shop:b.py"].unread
    assert shop.index == shop.everything()


def test_a_setting_that_makes_other_documents_makes_them_anew(shop):
    shop.origin.commit("PAY-1 One", {"a.py": "1"})
    before = shop.everything()
    mark = shop.connector().mark()
    for option in ({"link": "x{branch}"}, {"projects": ["OPS"]}, {"commit_link": "x"}, {"commits": 7}):
        connector = shop.connector(**option)
        connector.mark()
        after = {document.id: document for document in connector.changed_since(mark)}
        assert after.keys() == before.keys()
        assert connector.removed_since(mark, frozenset()) == set()
    shop.origin.git("branch", "release")
    release = shop.connector(branch="release")
    release.mark()
    versions = {document.id: document.version for document in release.changed_since(mark)}
    assert all(versions[key] != document.version for key, document in before.items())


@pytest.mark.parametrize("cursor", ["", "0" * 40, "{}", "[1]", '{"branches": 1}', '{"branches": {"x": []}}', "null"])
def test_a_cursor_of_another_shape_is_none(shop, cursor):
    shop.origin.commit("One", {"a.py": "1"})
    everything = shop.everything()
    connector = shop.connector()
    connector.mark()
    assert {document.id for document in connector.changed_since(cursor)} == everything.keys()
    assert connector.removed_since(cursor, frozenset()) == set()


def test_labels_are_those_of_what_there_is_now(shop):
    one = shop.origin.commit("One", {"a.py": "1", "b.py": "1"})
    connector: Connector = shop.connector()
    connector.mark()
    asked = ["git:shop:a.py", "git:shop:b.py", f"git:shop@{one}", "git:shop@x:a.py", "git:other:a.py"]
    ours = frozenset({repository("shop")})
    assert list(connector.labels_now(asked).values()) == [ours, ours, ours, None, None]
    shop.origin.commit("Two", {"b.py": None})
    shop.connector().mark()
    assert list(connector.labels_now(asked).values()) == [ours, None, ours, None, None]
    shop.origin.git("branch", "--move", "main", "trunk")
    with pytest.raises(SourceGone):
        shop.connector().mark()
    assert set(connector.labels_now(asked).values()) == {None}


def test_a_baseline_that_is_not_there_names_what_is(tmp_path):
    origin = Origin(tmp_path / "origin", branch="master")
    origin.commit("One", {"a.py": "1"})
    mirror = Mirror(tmp_path / "mirror", str(origin.folder))
    with pytest.raises(SourceGone, match=r"has no branch 'main'; its branches are: master$"):
        GitConnector("shop", mirror, branch="main").mark()
    shop = GitConnector("shop", mirror)
    shop.mark()
    assert files(shop.load())["a.py"].branch == "master"


def test_an_empty_repository_is_an_empty_source_until_it_has_a_commit(shop):
    assert shop.everything() == {}
    assert shop.sync() == (set(), set())
    one = shop.origin.commit("One", {"a.py": "1"})
    assert shop.sync() == ({"git:shop:a.py", f"git:shop@{one}"}, set())
    shop.origin.branch("other")
    shop.origin.git("symbolic-ref", "HEAD", "refs/heads/none")
    shop.origin.git("branch", "-D", "main", "other")
    with pytest.raises(SourceGone, match="no commit any more"):
        shop.sync()


def test_a_connector_reads_the_mirror_as_it_was_when_marked(shop):
    shop.origin.commit("One", {"a.py": "1"})
    connector = shop.connector()
    connector.mark()
    shop.origin.commit("Two", {"a.py": "2", "b.py": "2"})
    shop.connector().mark()
    documents = list(connector.load())
    assert {path: document.text for path, document in files(documents).items()} == {"a.py": "1"}
    assert set(commits(documents)) == {"One"}
    assert connector.ids() == {document.id for document in documents}


def test_the_second_look_at_a_large_repository_is_quick(tmp_path):
    made_repository(tmp_path / "bare.git", files=300, commits=1_000, branches=5)
    mirror = Mirror(tmp_path / "mirror", str(tmp_path / "bare.git"))

    def shop() -> GitConnector:
        return GitConnector("shop", mirror, branch="main", branches=["feature/*"], projects=["PAY"])

    first = shop()
    mark = first.mark()
    documents = list(first.load())
    assert len([d for d in documents if d.kind == "code" and not d.development]) == 300
    assert len([d for d in documents if d.kind == "commit" and not d.development]) == 1_000
    assert {d.branch for d in documents if d.development} == {d.branch for d in documents} - {"main"}
    began = time.perf_counter()
    second = shop()
    again = second.mark()
    assert (again, list(second.changed_since(mark)), second.removed_since(mark, frozenset())) == (mark, [], set())
    change_one_file(tmp_path / "bare.git")
    third = shop()
    third.mark()
    changed = list(third.changed_since(mark))
    assert sorted(document.kind for document in changed) == ["code", "commit"]
    assert third.removed_since(mark, frozenset()) == set()
    assert time.perf_counter() - began < 5  # a third of a second where nobody else works


def test_what_steers_a_terminal_or_a_reader_is_in_no_title_context_or_key(shop):
    evil = "\x1b[2J\u202egpj.\u2066\x9b31m"
    shop.origin.commit(f"Sub{evil}ject", {f"a\n{evil}b/c\n{evil}.py": "x", "\u202e": "y"})
    shop.origin.branch(f"feature/{evil[4:]}")
    shop.origin.commit(f"Side{evil}", {f"{evil}.md": "z"})
    shop.options["branches"] = ["feature/*"]
    documents = shop.everything()
    for document in documents.values():
        said = dict(document.attributes)
        paths = said.pop("paths", "a").split("\n")
        shown = [document.title, document.context, *document.keys, *said.values(), *paths]
        assert all(shown)
        assert not re.search("[\\x00-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069]", "".join(shown))
    found = documents[f"git:shop:a\n{evil}b/c\n{evil}.py"]
    assert (found.title, found.context) == (title := "a [2Jgpj.31mb/c [2Jgpj.31m.py", f"shop > {title}")
