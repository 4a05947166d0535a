"""A candidate's copy of a tree: what is in it, what may be done there, and the patch that comes of it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.accuracy.workplace import LARGEST_FILE, NotDone, Workplace, workplace
from evals.harness.errors import EvalError
from sandbox.git import git, line
from tests.evals.accuracy.repository import Repository

FILES = {
    "README.md": "Shop\n",
    "src/shop.py": "PRICE = 1\n\n\ndef price():\n    return PRICE\n",
    "src/windows.py": "A = 1\r\nB = 2\r\n",
    "src/no_end.py": "A = 1",
    "src/größe.py": "G = 1\n",
    "bin/run.sh": "echo run\n",
    "logo.png": b"\x89PNG\0\xff",
    "large.txt": "x" * (LARGEST_FILE + 1),
}


@pytest.fixture
def made(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "shop")
    (repository.folder / "link").symlink_to("/etc")
    (repository.folder / "alias.py").symlink_to("src/shop.py")
    for path, content in FILES.items():
        target = repository.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    (repository.folder / "bin/run.sh").chmod(0o755)
    repository.commit("Start", {})
    return repository


@pytest.fixture
def place(made: Repository) -> Iterator[Workplace]:
    base = made.head()
    made.commit("Later", {"src/later.py": "SECRET = 1\n", "src/shop.py": "PRICE = 2\n"})
    with workplace("shop", made.folder, base) as found:
        yield found


def applied(made: Repository, place: Workplace, tmp_path: Path) -> Path:
    """A checkout of the base with the patch applied by git itself."""
    target = tmp_path / "applied"
    git(made.folder, "worktree", "add", "--quiet", "--detach", str(target), "HEAD~1")
    patch = tmp_path / "patch"
    patch.write_text(place.patch(), "utf-8", newline="")
    git(target, "apply", "--whitespace=nowarn", str(patch))
    return target


def test_the_copy_has_the_files_of_its_commit_and_neither_history_nor_links(place):
    assert place.paths() == [
        "README.md",
        "bin/run.sh",
        "logo.png",
        "src/größe.py",
        "src/no_end.py",
        "src/shop.py",
        "src/windows.py",
    ]
    assert not any(path.is_symlink() or path.name == ".git" for path in place.root.rglob("*"))
    assert place.read("src/shop.py").startswith("PRICE = 1")
    assert place.paths("*.py") == ["src/größe.py", "src/no_end.py", "src/shop.py", "src/windows.py"]
    assert place.paths("shop.*") == ["src/shop.py"]
    assert place.patch() == ""


def test_the_folder_goes_with_the_block(made):
    with workplace("shop", made.folder, made.head()) as place:
        root = place.root
        place.write("new/deep/file.py", "A = 1\n")
    assert not root.exists()


def test_text_is_found_as_it_is_written_or_by_a_pattern(place):
    assert place.find("price(") == [("src/shop.py", 4, "def price():")]
    assert place.find("^[A-Z] = [12]", pattern=True, glob="src/*") == [
        ("src/größe.py", 1, "G = 1"),
        ("src/no_end.py", 1, "A = 1"),
        ("src/windows.py", 1, "A = 1\r"),
        ("src/windows.py", 2, "B = 2\r"),
    ]
    assert place.find("SECRET") == []
    assert place.find("-e") == []
    place.write("src/new.py", "SECRET = 3\n")
    assert place.find("SECRET") == [("src/new.py", 1, "SECRET = 3")]
    with pytest.raises(NotDone, match="could not be looked for"):
        place.find("(", pattern=True)
    for text in ("", "a\nb", "a\0b"):
        with pytest.raises(NotDone, match="one line"):
            place.find(text)


def test_what_was_changed_applies_to_the_base_as_a_patch(made, place, tmp_path):
    place.replace("src/shop.py", "PRICE = 1", "PRICE = 3")
    place.replace("src/windows.py", "A = 1\nB", "A = 1\nC = 3\nB")
    place.replace("src/no_end.py", "1", "2")
    place.replace("src/größe.py", "1", "2")
    place.replace("bin/run.sh", "run", "walk")
    place.write("src/new/thing.py", "NEW = 1\n")
    place.write("empty.py", "")
    place.write(".gitattributes", "*.py binary\n")
    place.delete("README.md")
    target = applied(made, place, tmp_path)
    assert (target / "src/shop.py").read_text().startswith("PRICE = 3\n")
    assert (target / "src/windows.py").read_bytes() == b"A = 1\r\nC = 3\r\nB = 2\r\n"
    assert (target / "src/no_end.py").read_bytes() == b"A = 2"
    assert (target / "src/größe.py").read_text() == "G = 2\n"
    assert (target / "bin/run.sh").read_text() == "echo walk\n"
    assert os.access(target / "bin/run.sh", os.X_OK)
    assert (target / "src/new/thing.py").read_text() == "NEW = 1\n"
    assert (target / "empty.py").read_text() == ""
    assert not (target / "README.md").exists()
    assert line(target, "status", "--porcelain", "logo.png", "link") == ""


def test_what_was_put_back_is_no_change(place):
    place.replace("src/shop.py", "PRICE = 1", "PRICE = 3")
    place.replace("src/shop.py", "PRICE = 3", "PRICE = 1")
    place.write("src/new.py", "A = 1\n")
    place.delete("src/new.py")
    place.delete("README.md")
    place.write("README.md", "Shop\n")
    assert place.patch() == ""


def test_a_file_can_become_a_folder(made, place, tmp_path):
    place.delete("README.md")
    place.write("README.md/index.md", "Shop\n")
    assert (applied(made, place, tmp_path) / "README.md/index.md").read_text() == "Shop\n"


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../outside.py",
        "src/../../outside.py",
        "src/./shop.py",
        ".git/config",
        "src/.GIT/hooks/x",
        "src\\shop.py",
        "a\0b",
        "a\nb",
        "x" * 5_000,
        "a/" * 1_900 + "x",
        "a/" * 2_040 + "x",
        "ä" * 128,
        "\udcff.py",
    ],
)
def test_a_path_leads_nowhere_else(place, path):
    for work in (place.read, place.delete, lambda one: place.write(one, "x"), lambda one: place.replace(one, "a", "b")):
        with pytest.raises(NotDone, match="path within the repository"):
            work(path)
    assert place.before == {}


@pytest.mark.parametrize("path", ["link", "link/passwd", "alias.py", "large.txt"])
def test_what_was_not_copied_cannot_be_made_anew(place, path):
    with pytest.raises(NotDone, match="neither shown nor changed"):
        place.write(path, "x")


def test_what_cannot_be_done_is_said_and_changes_nothing(place):
    with pytest.raises(NotDone, match=r"no file src/none\.py"):
        place.read("src/none.py")
    with pytest.raises(NotDone, match="src is a folder"):
        place.write("src", "x")
    with pytest.raises(NotDone, match="cannot be written"):
        place.write("README.md/x.py", "x")
    with pytest.raises(NotDone, match=r"2 times in src/shop\.py"):
        place.replace("src/shop.py", "PRICE", "COST")
    with pytest.raises(NotDone, match=r"0 times in src/shop\.py"):
        place.replace("src/shop.py", "", "COST")
    for work in (place.read, place.delete, lambda one: place.write(one, "x")):
        with pytest.raises(NotDone, match=r"logo\.png is no text"):
            work("logo.png")
    with pytest.raises(NotDone, match="the most of one file"):
        place.write("src/big.py", "x" * (LARGEST_FILE + 1))
    assert place.patch() == ""


def test_a_patch_and_the_number_of_files_have_a_limit(place):
    for number in range(200):
        place.write(f"src/{number}.py", "x")
    with pytest.raises(NotDone, match="200 files were changed already"):
        place.write("src/more.py", "x")
    for number in range(3):
        place.write(f"src/{number}.py", "x" * (LARGEST_FILE // 2))
    with pytest.raises(NotDone, match="patch is larger"):
        place.patch()


def test_a_commit_that_is_not_there_is_told(made):
    with pytest.raises(EvalError, match="history of shop cannot be read"), workplace("shop", made.folder, "0" * 40):
        pass
