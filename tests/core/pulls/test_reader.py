"""Reading at the head and the base: whole, cited, and said where it is not."""

import os
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import BadQuery
from core.mirror import Mirror
from core.pulls.content import MOST, text_lines
from core.pulls.difference import compared, how_far, pieces
from core.pulls.types import Snapshot
from core.types import Evidence
from sandbox.git import git
from tests.core.connectors.git_origin import Origin
from tests.core.pulls.proposals import LABELS, Proposals

ACCOUNTS = '''LIMIT = 5


class Accounts:
    """All accounts."""

    def lock(self, account):
        account.locked = True

    def unlock(self, account):
        account.locked = False


def audit(account):
    return account.locked
'''
LONG = "".join(f"line {n}\n" for n in range(400))


@pytest.fixture
def shop(tmp_path):
    return Proposals(
        tmp_path, {"src/accounts.py": ACCOUNTS, "long.txt": LONG, "uses.py": "accounts.lock(me)\n", "logo.bin": b"\0\1"}
    )


def changed(shop: Proposals, files: dict, **facts: object) -> Snapshot:
    shop.change(files)
    return shop.take(shop.propose(**facts))


def lines_at(shop: Proposals, snapshot: Snapshot, evidence: Evidence) -> list[str]:
    commit = snapshot.head if evidence.attributes["side"] == "head" else snapshot.base
    return shop.origin.git("show", f"{commit}:{evidence.attributes['path']}").split("\n")


class TestOverview:
    def test_it_names_every_changed_file(self, shop):
        """Field report G2: a large file that comes first hides nothing of a small one that comes last."""
        login = "def login(user):\n    if user.failures >= 5:\n        raise Locked\n"
        large = "".join(f'"key{n}": {n},\n' for n in range(8_000))
        snapshot = changed(shop, {"aaa_generated.json": large, "src/z_login.py": login})
        text = shop.reader.overview(snapshot).text
        assert "- aaa_generated.json: added, 8,000 lines added, 0 removed" in text
        assert "- src/z_login.py: added, 3 lines added, 0 removed, 65 bytes" in text
        *_, last = shop.reader.difference(snapshot, "aaa_generated.json")
        assert "[Not examined: the rest of the difference, " in last.text
        (piece,) = shop.reader.difference(snapshot, "src/z_login.py")
        assert piece.text == "@@ -0,0 +1,3 @@\n" + "".join(f"+{line}\n" for line in login.splitlines()).rstrip()

    def test_what_it_says(self, shop):
        snapshot = changed(shop, {"src/accounts.py": ACCOUNTS.replace("5", "6")}, description="Token: ghp_" + "a1" * 18)
        evidence = shop.reader.overview(snapshot)
        assert evidence.text.split("\n") == [
            "Pull request 7 of shop: Lock accounts",
            f"Open from side into main, read at commit {snapshot.head[:12]}.",
            "",
            "Description:",
            "Token: " + "*" * 40,
            "",
            "Commits, newest first:",
            f"- {snapshot.head[:12]} Change",
            "",
            "Changed files: 1",
            "- src/accounts.py: modified, 1 line added, 1 removed, 223 bytes",
        ]
        assert (evidence.kind, evidence.route, evidence.source) == ("pull", "read", "shop")
        assert (evidence.labels, evidence.document_id) == (LABELS, "git:shop!7")
        assert evidence.locator == snapshot.locator

    def test_names_and_titles_stay_on_their_line(self, shop):
        name = "a\n- src/accounts.py: only its permissions changed\u202e.py"
        snapshot = changed(shop, {name: "x\n"}, title="T\n\nChanged files: 0", description="")
        text = shop.reader.overview(snapshot).text
        assert text.startswith("Pull request 7 of shop: T Changed files: 0\n")
        assert "- a - src/accounts.py: only its permissions changed.py: added, 1 line added" in text
        assert "It has no description." in text

    def test_gaps_and_states_are_in_it(self, shop):
        snapshot = changed(shop, {"logo.png": b"\0\1"}, state="draft")
        text = shop.reader.overview(snapshot).text
        assert "Open, a draft from side" in text
        assert "The content of 1 file is not text and was not examined: logo.png." in text
        assert "- logo.png: added, not text, not examined, 2 bytes" in text


class TestDifference:
    def test_renamed_files_show_only_what_changed(self, shop):
        """Field report G3."""
        shop.origin.branch("side")
        shop.origin.git("update-index", "--chmod=+x", "uses.py")
        (shop.origin.folder / "uses.py").chmod(0o755)
        moves = {"long.txt": "docs/moved.txt", "src/accounts.py": "core/accounts.py", "logo.bin": "renamed.bin"}
        shop.origin.move("Move", moves, {"core/accounts.py": ACCOUNTS.replace("= False", "= None")})
        snapshot = shop.take(shop.propose())
        assert {file.path: (file.change, file.before, file.added, file.removed) for file in snapshot.files} == {
            "core/accounts.py": ("renamed", "src/accounts.py", 1, 1),
            "docs/moved.txt": ("renamed", "long.txt", 0, 0),
            "renamed.bin": ("renamed", "logo.bin", None, None),
            "uses.py": ("mode", None, 0, 0),
        }
        (piece,) = shop.reader.difference(snapshot, "core/accounts.py")
        assert [line for line in piece.text.split("\n")[1:] if line[:1] in "+-"] == [
            "-        account.locked = False",
            "+        account.locked = None",
        ]
        assert piece.locator.line == 11
        assert shop.reader.difference(snapshot, "src/accounts.py") == (piece,)
        (moved,) = shop.reader.difference(snapshot, "docs/moved.txt")
        assert moved.text == "[Only its name changed: it was long.txt. Its content is as it was.]"
        (binary,) = shop.reader.difference(snapshot, "renamed.bin")
        assert binary.text == "[Only its name changed: it was logo.bin. Its content is as it was.]"
        assert snapshot.gaps == ()
        (mode,) = shop.reader.difference(snapshot, "uses.py")
        assert mode.text == "[Only its permissions changed. Its content is as it was.]"
        assert shop.reader.changed_symbols(snapshot) == ("unlock",)
        base = shop.reader.file(snapshot, "core/accounts.py", "base", 11, 11)
        assert base.text == "        account.locked = False"
        assert base.attributes == {"path": "src/accounts.py", "side": "base", "commit": snapshot.base}

    def test_a_removed_file_is_cited_where_it_was(self, shop):
        snapshot = changed(shop, {"uses.py": None})
        (piece,) = shop.reader.difference(snapshot, "uses.py")
        assert piece.text == "@@ -1,1 +0,0 @@\n-accounts.lock(me)"
        assert piece.locator.url == f"https://git.example/acme/shop/blob/{snapshot.base}/uses.py#L1"
        assert piece.locator.title == "uses.py in pull request 7, before it"

    def test_what_looks_like_a_head_is_content(self, shop):
        text = "@@ -1,9 +1,9 @@\n-- a\n++ b\n\\ No newline at end of file"
        snapshot = changed(shop, {"uses.py": f"accounts.lock(me)\n{text}"})
        (piece,) = shop.reader.difference(snapshot, "uses.py")
        assert piece.text == "\n".join(
            ["@@ -1,1 +1,5 @@", " accounts.lock(me)", *(f"+{line}" for line in text.split("\n"))]
        )

    def test_an_unchanged_file_is_no_changed_one(self, shop):
        snapshot = changed(shop, {"uses.py": "x\n"})
        with pytest.raises(BadQuery, match=r"long\.txt is not among the files that pull request 7 of shop changes"):
            shop.reader.difference(snapshot, "long.txt")

    def test_attributes_and_settings_are_not_obeyed(self, shop, tmp_path):
        """Neither hides a change nor runs a program."""
        program = f"touch {tmp_path}/ran;"
        rules = "*.py -diff binary\n*.txt diff=evil\n* export-ignore\n"
        snapshot = changed(shop, {".gitattributes": rules, "src/accounts.py": "x = 1\n", "long.txt": "one\n"})
        for name in ("diff.evil.textconv", "diff.evil.command", "diff.external", "core.pager"):
            shop.origin.git("config", name, program)
        (tmp_path / "mirror" / "info").mkdir(exist_ok=True)
        snapshot = shop.take(snapshot.ref)
        assert {file.path: file.special for file in snapshot.files} == dict.fromkeys(
            [".gitattributes", "long.txt", "src/accounts.py"], ""
        )
        assert "+x = 1" in shop.reader.difference(snapshot, "src/accounts.py")[0].text
        assert shop.reader.grep(snapshot, "x = 1")
        assert not (tmp_path / "ran").exists()

    def test_secrets_are_masked_also_when_a_hunk_shows_only_their_middle(self, shop):
        key = "".join(f"{'kJ9x' * 15}{n:04d}\n" for n in range(30))
        whole = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + key + "-----END RSA " + "PRIVATE KEY-----\n"
        shop.origin.commit("Key", {"key.pem": whole})
        snapshot = changed(shop, {"key.pem": whole.replace("0015", "9915")})
        (piece,) = shop.reader.difference(snapshot, "key.pem")
        assert "kJ9x" not in piece.text
        assert piece.locator.line == 17
        assert "kJ9x" not in shop.reader.file(snapshot, "key.pem", "head", 10, 20).text
        assert all("kJ9x" not in found.text for found in shop.reader.grep(snapshot, "kJ9x"))

    def test_long_hunks_are_cut_into_pieces(self, shop):
        snapshot = changed(shop, {"new.txt": LONG})
        found = shop.reader.difference(snapshot, "new.txt")
        assert [piece.locator.line for piece in found] == [1, 81, 161, 241, 321]
        assert len({piece.id for piece in found}) == 5
        assert [line[1:] for piece in found for line in piece.text.split("\n")[1:]] == LONG.splitlines()


LINES = st.lists(st.sampled_from(["a", "b", "", "@@ -1 +1 @@", "\\ No", "é", "x\r", "\x0c", "\u2028"]), max_size=12)


@pytest.fixture(scope="module")
def states(tmp_path_factory):
    folder = tmp_path_factory.mktemp("law")
    origin = Origin(folder / "origin")
    return origin, Mirror(folder / "mirror", str(origin.folder))


@settings(max_examples=40, deadline=None)
@given(before=LINES, after=LINES, ends=st.tuples(st.booleans(), st.booleans()))
def test_pieces_cover_the_changed_lines_and_every_cited_line_exists(states, before, after, ends):
    """Laid over the state before, the difference gives that after."""
    origin, mirror = states
    contents = [
        "\n".join([*lines, ""] if end else lines).encode() for lines, end in zip((before, after), ends, strict=True)
    ]
    old_commit = origin.commit("Before", {"f": contents[0], "keep": "k"})
    new_commit = origin.commit("After", {"f": contents[1]})
    mirror.fetch()
    old, new = mirror.entry(old_commit, "f"), mirror.entry(new_commit, "f")
    result, at = [], 1
    was, now = text_lines(contents[0]), text_lines(contents[1])
    for piece in pieces(compared(mirror, old, new)):
        head, *lines = piece.text.split("\n")
        start, count = map(int, head.split(" ")[1][1:].split(","))
        start += not count
        result += was[at - 1 : start - 1]
        at = start + count
        result += [line[1:] for line in lines if line[0] != "-"]
        assert piece.line is not None
        assert piece.last is not None
        assert 1 <= piece.line <= piece.last <= len(now if piece.side == "head" else was)
    assert tuple(result + list(was[at - 1 :])) == now


class TestFile:
    def test_lines_of_it(self, shop):
        snapshot = changed(shop, {"src/accounts.py": ACCOUNTS.replace("5", "6")})
        evidence = shop.reader.file(snapshot, "src/accounts.py", "head", 1, 1)
        assert evidence.text == "LIMIT = 6"
        assert evidence.locator.url == f"https://git.example/acme/shop/blob/{snapshot.head}/src/accounts.py#L1"
        assert shop.reader.file(snapshot, "src/accounts.py", "base", 1, 1).text == "LIMIT = 5"
        assert shop.reader.file(snapshot, "src/accounts.py", "head").text == ACCOUNTS.replace("5", "6").rstrip()

    @pytest.mark.parametrize(
        "path",
        ["", ".", "..", "../origin/a", "/etc/passwd", "src", "src/", "src/../uses.py", "./uses.py", "no.py", "a\0b",
         "--help", ":(top)uses.py", ":/uses.py", ":!x", "*.py", "src/accounts.py\n", ".git/config", "C:\\x", "\udcff",
         chr(0xD800), "x" * 200_000],
    )  # fmt: skip
    def test_what_is_not_in_the_tree(self, shop, path):
        snapshot = changed(shop, {"new.py": "x\n"})
        for side in ("head", "base"):
            with pytest.raises(BadQuery, match="There is no file"):
                shop.reader.file(snapshot, path, side)
        with pytest.raises(BadQuery, match="is not among the files"):
            shop.reader.difference(snapshot, path)

    def test_lines_that_it_does_not_have(self, shop):
        snapshot = changed(shop, {"new.py": "x\ny\n"})
        for first, last in ((3, None), (0, 1), (2, 1), (-1, None)):
            with pytest.raises(BadQuery, match=r"new\.py has 2 lines"):
                shop.reader.file(snapshot, "new.py", "head", first, last)
        with pytest.raises(BadQuery, match=r"There is no file new\.py in pull request 7 of shop before it"):
            shop.reader.file(snapshot, "new.py", "base")

    def test_a_long_one_is_cut_and_says_so(self, shop):
        snapshot = changed(shop, {"new.txt": LONG * 2, "wide.txt": "x" * 100_000, "huge.txt": "0123456789\n" * 200_000})
        assert shop.reader.file(snapshot, "new.txt", "head").text.endswith("\n[Not shown: lines 401 to 800 of 800.]")
        assert (
            "[98,000 more characters of this line are not shown.]"
            in shop.reader.file(snapshot, "wide.txt", "head").text
        )
        end = shop.reader.file(snapshot, "huge.txt", "head", MOST // 11 - 2)
        assert end.text.endswith("[Not examined: what follows the first 2.0 MB of 2.2 MB.]")

    def test_what_is_no_text(self, shop):
        origin = shop.origin
        origin.branch("side")
        (origin.folder / "out").symlink_to("/etc/passwd")
        snapshot_ref = shop.propose(
            head=origin.commit("x", {"b.bin": b"\0", "empty": "", "wide.txt": "é\n".encode("utf-16")})
        )
        snapshot = shop.take(snapshot_ref)
        texts = {name: shop.reader.file(snapshot, name, "head").text for name in ("out", "b.bin", "empty", "wide.txt")}
        assert texts == {
            "out": "[A symbolic link to /etc/passwd. It was not followed.]",
            "b.bin": "[Not examined: it is not text. It has 1 byte.]",
            "empty": "[The file is empty.]",
            "wide.txt": "[Not examined: it is not text. It has 6 bytes.]",
        }

    @pytest.mark.parametrize(
        "name", ["-rf", "a b", "עברית.py", "new\nline", 'quo"te', b"bad\xff.py", "back\\xff.py", ":x"]
    )
    def test_odd_names(self, shop, name):
        text = os.fsdecode(name) if isinstance(name, bytes) else name
        snapshot = changed(shop, {name: "odd content\n"})
        (file,) = snapshot.files
        file.path.encode()
        assert shop.reader.file(snapshot, file.path, "head").text == "odd content"
        assert shop.reader.difference(snapshot, file.path)[0].text.endswith("+odd content")
        (found,) = shop.reader.grep(snapshot, "odd content")
        assert found.attributes["path"] == file.path
        shop.reader.overview(snapshot).text.encode()
        assert text in (name, os.fsdecode(name))


class TestGrep:
    def test_changed_files_come_first(self, shop):
        snapshot = changed(shop, {"zzz.py": "accounts.lock(you)\n"})
        found = shop.reader.grep(snapshot, ".lock(")
        assert [(one.attributes["path"], one.text) for one in found] == [
            ("zzz.py", "1: accounts.lock(you)"),
            ("uses.py", "1: accounts.lock(me)"),
        ]
        assert [one.attributes["path"] for one in shop.reader.grep(snapshot, ".lock(", "u*.py")] == ["uses.py"]
        assert shop.reader.grep(snapshot, "nowhere") == ()
        assert shop.reader.grep(snapshot, ".*lock") == (), "it is no pattern"

    def test_many(self, shop):
        snapshot = changed(shop, {f"m/{n:02d}.txt": "needle\n" * 30 for n in range(25)})
        found = shop.reader.grep(snapshot, "needle")
        assert len(found) == 20
        assert found[0].text.endswith("\n[Not shown: 10 more lines of this file.]")
        assert found[-1].text.endswith("\n[Not shown: 5 more places.]")
        assert found[0].locator.line == 1

    @pytest.mark.parametrize("text", ["", "ab", "   a ", "one\ntwo", "nul\0", "x" * 501, "\ud800\udcff x"])
    def test_what_cannot_be_looked_for(self, shop, text):
        snapshot = changed(shop, {"new.py": "x\n"})
        with pytest.raises(BadQuery):
            shop.reader.grep(snapshot, text)

    @pytest.mark.parametrize("text", ["--help", "-O touch", "--open-files-in-pager=sh", ":(top)x", "$(id)", "--and"])
    def test_options_are_text(self, shop, text):
        snapshot = changed(shop, {"new.py": f"say {text} here\n"})
        (found,) = shop.reader.grep(snapshot, text)
        assert found.text == f"1: say {text} here"


class TestSymbols:
    def test_definitions(self, shop):
        snapshot = changed(shop, {"other.go": "package x\n\nfunc audit() int {\n\treturn 1\n}\n"})
        first, second = shop.reader.symbol(snapshot, "audit")
        assert first.text == "func audit() int {\n\treturn 1\n}"
        assert second.text == "def audit(account):\n    return account.locked"
        assert second.locator.line == 14
        (method,) = shop.reader.symbol(snapshot, "Accounts.lock")
        assert method.text == "    def lock(self, account):\n        account.locked = True"
        assert shop.reader.symbol(snapshot, "Other.lock") == ()
        (constant,) = shop.reader.symbol(snapshot, "LIMIT")
        assert constant.text == "LIMIT = 5"
        (whole,) = shop.reader.symbol(snapshot, "Accounts")
        assert whole.text.startswith("class Accounts:")
        assert shop.reader.symbol(snapshot, "account") == ()

    def test_what_changed_lines_define_or_stand_in(self, shop):
        text = ACCOUNTS.replace("= True", "= 1").replace("LIMIT = 5", "LIMIT = 6").partition("def audit")[0]
        snapshot = changed(shop, {"src/accounts.py": text, "tests/test_x.py": "def test_x():\n    pass\n"})
        assert shop.reader.changed_symbols(snapshot) == ("LIMIT", "lock", "audit", "test_x")

    def test_no_syntax_no_trouble(self, shop):
        snapshot = changed(shop, {"broken.py": "def (((\n" * 50, "data.xyz": "def plain\n  x\n"})
        assert shop.reader.symbol(snapshot, "plain")
        assert "plain" in shop.reader.changed_symbols(snapshot)


def test_a_name_that_leads_out_of_the_tree(shop):
    """Git writes no such tree, and neither Git nor a browser may be given the name."""
    blob = shop.origin.git("hash-object", "-w", "uses.py")
    below = tree(shop, f"100644 blob {blob}\tescape.py")
    top = tree(shop, f"040000 tree {below}\t..")
    head = shop.origin.git("commit-tree", top, "-p", "main", "-m", "Climb")
    snapshot = shop.take(shop.propose(head=head))
    assert (
        snapshot.gaps[-1].what == "1 file with a name that leads out of the repository was not examined: ../escape.py."
    )
    (piece,) = shop.reader.difference(snapshot, "../escape.py")
    assert piece.text == "[Not examined: its name leads out of the repository.]"
    assert piece.locator.url == snapshot.locator.url
    assert shop.reader.grep(snapshot, "nothing like this") == ()
    with pytest.raises(BadQuery):
        shop.reader.file(snapshot, "../escape.py", "head")


def tree(shop: Proposals, line: str) -> str:
    return git(shop.origin.folder, "mktree", stream=f"{line}\n".encode()).decode().strip()


@pytest.mark.parametrize(
    ("text", "far"),
    [
        ("+LIMIT = 5\n", "wholly"),
        ("", "wholly"),
        ("[Not examined: this is a line of the file]\n", "wholly"),
        ("".join(f"line {n} of a long file that is added\n" for n in range(3000)), "partly"),
        ("x" * 100_000, "partly"),
        (b"\0\1", "not"),
    ],
)
def test_how_far_a_difference_was_examined(shop, text, far):
    snapshot = changed(shop, {"new.txt": text})
    assert how_far(shop.reader.difference(snapshot, "new.txt")) == far


def test_a_snapshot_of_another_repository(shop):
    snapshot = changed(shop, {"new.py": "x\n"})
    other = replace(snapshot, pull=replace(snapshot.pull, ref=replace(snapshot.ref, repo="other")))
    with pytest.raises(BadQuery):
        shop.reader.overview(other)
