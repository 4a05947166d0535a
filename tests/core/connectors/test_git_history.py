"""Commits as documents: what they say, which tickets they name, and the files of today that they touched."""

from datetime import UTC, datetime

import pytest

from core.connectors.git_renames import present_names
from core.mirror import Commit, Touch
from tests.core.connectors.git_origin import Shop, commits

CODE = "".join(f"line {n}\n" for n in range(30))


@pytest.fixture
def shop(tmp_path):
    return Shop(tmp_path)


def history(shop: Shop) -> dict[str, str]:
    """The files of today that each commit touched."""
    return {title: made.attributes["paths"] for title, made in commits(shop.everything().values()).items()}


def test_a_commit(shop):
    first = shop.origin.commit("PAY-12 Lock accounts\n\nAfter five tries.", {"src/lock it.py": "T = 5\n", "b.txt": "b"})
    made = shop.everything()[f"git:shop@{first}"]
    assert (made.kind, made.title) == ("commit", "PAY-12 Lock accounts")
    assert made.text == "PAY-12 Lock accounts\n\nAfter five tries.\n\nFiles:\n- b.txt\n- src/lock it.py"
    assert made.context == f"shop > {first[:12]} PAY-12 Lock accounts"
    assert made.keys == {first, first[:7], first[:12], "PAY-12"}
    assert made.url == f"https://git.example/shop/commit/{first}"
    assert made.updated == made.created == datetime(2026, 3, 2, 9, 1, tzinfo=UTC)
    assert made.attributes == {"author": "Ana", "paths": "b.txt\nsrc/lock it.py"}
    assert (made.repo, made.branch, made.development, made.path) == ("shop", "main", False, None)


def test_a_commit_that_says_nothing_is_named_by_its_id(shop):
    first = shop.origin.commit("", {})
    made = shop.everything()[f"git:shop@{first}"]
    assert (made.title, made.text) == (first[:12], first[:12])


def test_the_list_of_a_mass_change_is_cut(shop):
    shop.origin.commit("Mass", {f"{n:03d}.py": "x" for n in range(250)})
    made = commits(shop.everything().values())["Mass"]
    assert made.text.endswith("- 199.py\n- and 50 more")
    assert len(made.attributes["paths"].split("\n")) == 200


@pytest.mark.parametrize(
    ("message", "keys"),
    [
        ("PAY-12, LED-3: both", {"PAY-12", "LED-3"}),
        ("[PAY-12] and (LED-3)\n\nCloses PAY-4.", {"PAY-12", "LED-3", "PAY-4"}),
        ("UTF-8, SHA-1, CI-123, ISO-8601, CVE-2024-1", set()),
        ("REPAY-1 XPAY-2 PAY-0 PAY-01 PAY-x PAY12 PAY-3x pay-5", set()),
        ("Merge branch 'feature/pay-12-lock'", set()),
    ],
)
def test_tickets_are_those_of_the_projects(shop, message, keys):
    first = shop.origin.commit(message, {})
    assert shop.everything()[f"git:shop@{first}"].keys - {first, first[:7], first[:12]} == keys


def test_without_projects_there_are_no_tickets(shop):
    shop.options["projects"] = []
    first = shop.origin.commit("PAY-12 Lock", {})
    assert shop.everything()[f"git:shop@{first}"].keys == {first, first[:7], first[:12]}


@pytest.mark.parametrize("name", ["feature/PAY-12-lock", "pay-12", "ana/pay-12_lock", "feature-PAY-12"])
def test_tickets_in_the_names_of_branches(shop, name):
    shop.options["branches"] = ["*"]
    shop.origin.commit("One", {"a.py": "1"})
    shop.origin.branch(name)
    side = shop.origin.commit("Side", {"a.py": "2"})
    assert "PAY-12" in shop.everything()[f"git:shop@{side}"].keys
    assert "PAY-12" in shop.everything()[f"git:shop@{name}:a.py"].keys
    shop.origin.go("main")
    merged = shop.origin.merge(name)
    assert "PAY-12" in shop.everything()[f"git:shop@{merged}"].keys


def test_a_rename_is_said_and_followed(shop):
    shop.origin.commit("Add", {"a.py": CODE, "other.py": "o"})
    shop.sync()
    renamed = shop.origin.move("Move", {"a.py": "src/b.py"})
    read, gone = shop.sync()
    assert read >= {"git:shop:src/b.py", f"git:shop@{renamed}"}
    assert gone == {"git:shop:a.py"}
    assert shop.index[f"git:shop@{renamed}"].text == "Move\n\nFiles:\n- a.py -> src/b.py"
    assert history(shop) == {"Add": "src/b.py\nother.py", "Move": "src/b.py"}
    assert shop.index == shop.everything()
    add = commits(shop.index.values())["Add"]
    assert add.text == "Add\n\nFiles:\n- a.py\n- other.py"


def test_chains_of_renames(shop):
    shop.origin.commit("Add", {"a.py": CODE})
    shop.origin.move("Once", {"a.py": "b.py"})
    shop.sync()
    shop.origin.move("Twice", {"b.py": "c.py"}, {"c.py": CODE + "more\n"})
    shop.origin.commit("New a", {"a.py": "another"})
    shop.sync()
    assert history(shop) == {"Add": "c.py", "Once": "c.py", "Twice": "c.py", "New a": "a.py"}
    assert shop.index == shop.everything()


def test_files_that_change_places(shop):
    shop.origin.commit("Add a", {"a.py": CODE})
    shop.origin.commit("Add b", {"b.py": "other\n" * 30})
    shop.origin.move("Aside", {"a.py": "t.py"})
    shop.sync()
    shop.origin.move("Over", {"b.py": "a.py"})
    shop.origin.move("Back", {"t.py": "b.py"})
    assert shop.sync()[1] == {"git:shop:t.py"}
    assert history(shop) == {"Add a": "b.py", "Add b": "a.py", "Aside": "b.py", "Over": "a.py", "Back": "b.py"}
    assert (shop.index["git:shop:a.py"].text, shop.index["git:shop:b.py"].text) == ("other\n" * 30, CODE)
    shop.origin.commit("At once", {"a.py": CODE, "b.py": "other\n" * 30})
    assert shop.sync()[0] >= {"git:shop:a.py", "git:shop:b.py"}
    assert shop.index == shop.everything()


def test_a_rename_of_case_only(shop):
    shop.origin.commit("Add", {"readme.md": CODE})
    shop.sync()
    shop.origin.move("Case", {"readme.md": "README.md"})
    assert shop.sync()[1] == {"git:shop:readme.md"}
    assert "git:shop:README.md" in shop.index
    assert history(shop) == {"Add": "README.md", "Case": "README.md"}


def test_a_commit_on_another_line_than_the_rename(shop):
    shop.origin.commit("Add", {"a.py": CODE})
    shop.origin.branch("side")
    shop.origin.go("main")
    shop.origin.move("Move", {"a.py": "b.py"})
    shop.sync()
    shop.origin.go("side")
    shop.origin.commit("Fix", {"a.py": CODE + "fix\n"})
    shop.origin.go("main")
    shop.origin.merge("side")
    shop.sync()
    assert shop.files()["b.py"].text == CODE + "fix\n"
    assert history(shop) == {"Add": "b.py", "Move": "b.py", "Fix": "b.py", "Merge branch 'side'": ""}
    assert shop.index == shop.everything()


def made(*touches: Touch) -> Commit:
    never = datetime(2026, 1, 1, tzinfo=UTC)
    return Commit("0" * 40, (), "Ana", never, never, "", touches)


def test_a_name_given_twice_is_two_files():
    assert present_names(
        [
            made(Touch("a")),
            made(Touch("a", new=True)),
            made(Touch("b", before="a", new=True)),
            made(Touch("a")),
            made(Touch("a", new=True)),
            made(Touch("a")),
            made(Touch("b")),
        ]
    ) == [("a",), ("a",), ("b",), ("b",), ("b",), ("a",), ("b",)]


def test_names_that_are_swapped_in_one_commit():
    swap = made(Touch("a", before="b", new=True), Touch("b", before="a", new=True))
    assert present_names([made(Touch("a")), swap, made(Touch("a")), swap, made(Touch("a"))]) == [
        ("a",),
        ("a", "b"),
        ("b",),
        ("b", "a"),
        ("a",),
    ]


def test_only_so_many_commits_are_documents_and_older_ones_leave(shop):
    first = shop.origin.commit("One", {"a.py": "1"})
    shop.origin.commit("Two", {})
    shop.options["commits"] = 2
    shop.sync()
    three = shop.origin.commit("Three", {})
    assert shop.sync() == ({f"git:shop@{three}"}, {f"git:shop@{first}"})
    shop.origin.git("reset", "--quiet", "--hard", "HEAD~1")
    read, gone = shop.sync()
    assert f"git:shop@{first}" in read
    assert gone == {f"git:shop@{three}"}
    shop.options["commits"] = 0
    assert set(shop.everything()) == {"git:shop:a.py"}
