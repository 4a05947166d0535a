"""What changed and what went, told from two states of a repository, lead to the same index as reading everything."""

import random
import subprocess
from dataclasses import replace

import pytest

from tests.core.connectors.git_origin import Shop

STEPS = 10


@pytest.fixture
def shop(tmp_path):
    return Shop(tmp_path, branches=["feature/*"])


class Team:
    """Does what teams do, at random, and with `forced` also rewrites history."""

    def __init__(self, shop: Shop, dice: random.Random, *, forced: bool) -> None:
        self.origin, self.dice, self.number = shop.origin, dice, 0
        self.deeds = [self.write] * 4 + [self.rename] * 3 + [self.branch] * 2 + [self.merge, self.update, self.drop]
        self.deeds += [self.remove, self.attributes, *([self.amend, self.back] if forced else [])]

    def work(self) -> None:
        self.dice.choice(self.deeds)()

    def names(self) -> list[str]:
        return [name for name in self.origin.git("ls-files").split("\n") if name.endswith(".py")]

    def branches(self) -> list[str]:
        return self.origin.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/feature").split()

    def anywhere(self) -> None:
        self.origin.go(self.dice.choice(["main", "main", *self.branches()]))

    def text(self) -> str:
        self.number += 1
        return "".join(f"line {n}\n" for n in range(20)) + f"last {self.number}\n"

    def write(self) -> None:
        self.anywhere()
        paths = self.dice.sample([*self.names(), f"src/new{self.number}.py", "a.py"], 1)
        self.origin.commit(f"PAY-{self.number + 1} Write", dict.fromkeys(paths, self.text()))

    def rename(self) -> None:
        self.anywhere()
        self.number += 1
        if names := self.names():
            new = self.dice.choice([f"moved/name{self.number}.py", "b.py", "c.py"])
            name = self.dice.choice(names)
            if name != new:
                self.origin.move(f"Rename {self.number}", {name: new})

    def remove(self) -> None:
        self.anywhere()
        if len(names := self.names()) > 2:
            self.origin.commit("Remove", {self.dice.choice(names): None})

    def branch(self) -> None:
        self.anywhere()
        self.number += 1
        self.origin.branch(f"feature/LED-{self.number}")
        self.origin.commit(f"Begin {self.number}", {f"side{self.number}.py": self.text(), "a.py": self.text()})

    def merge(self) -> None:
        if branches := self.branches():
            self.join("main", self.dice.choice(branches))

    def update(self) -> None:
        if branches := self.branches():
            self.join(self.dice.choice(branches), "main")

    def join(self, branch: str, other: str) -> None:
        self.origin.go(branch)
        self.origin.made += 1
        try:
            self.origin.git("merge", "--quiet", "--no-ff", "--no-edit", other)
        except subprocess.CalledProcessError:  # they wrote the same lines: take all as they are, marks and all
            self.origin.git("add", "--all")
            self.origin.git("commit", "--quiet", "--allow-empty", "--no-edit")

    def drop(self) -> None:
        self.origin.go("main")
        if branches := self.branches():
            self.origin.git("branch", "--quiet", "-D", self.dice.choice(branches))

    def amend(self) -> None:
        self.anywhere()
        self.origin.git("commit", "--quiet", "--amend", "--allow-empty", "--message", f"Amended {self.text()}")

    def back(self) -> None:
        self.anywhere()
        if self.origin.git("rev-list", "--count", "HEAD") != "1":
            self.origin.git("reset", "--quiet", "--hard", "HEAD~1")

    def attributes(self) -> None:
        self.anywhere()
        self.origin.commit("Rules", {".gitattributes": self.dice.choice(["*.py -diff\n", "b.py linguist-generated\n"])})


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_following_is_the_same_as_reading_everything(shop, seed, forced):
    """Only the date of a file may be another, when history was written anew around the same content."""
    dice = random.Random(seed)
    team = Team(shop, dice, forced=forced)
    shop.origin.commit("One", {"a.py": team.text(), "b.py": team.text(), "src/c.py": team.text()})
    shop.sync()
    for _ in range(STEPS):
        for _ in range(dice.randint(0, 3)):
            team.work()
        shop.sync()
        everything = shop.everything()
        assert shop.index.keys() == everything.keys()
        for key, document in everything.items():
            held = shop.index[key]
            assert (replace(held, updated=document.updated) if forced else held) == document


def test_an_index_follows_renames_and_branches_in_ordinary_synchronisations(shop, bench):
    shop.origin.commit("One", {"a.py": "def lock():\n    return 5\n" * 20, "b.md": "# Locking\n\nAfter five tries.\n"})
    bench.ingest.sync(shop.connector())
    shop.origin.branch("feature/PAY-3-tries")
    shop.origin.commit("Three tries", {"b.md": "# Locking\n\nAfter three tries.\n"})
    shop.origin.go("main")
    shop.origin.move("Move", {"a.py": "src/lock.py"})
    report = bench.ingest.sync(shop.connector())
    assert (report.deleted, report.unread) == (1, ())
    assert set(bench.store.documents("shop")) == shop.everything().keys()
    again = bench.ingest.sync(shop.connector())
    assert (again.read, again.written, again.deleted) == (0, 0, 0)
    shop.origin.git("branch", "-D", "feature/PAY-3-tries")
    assert bench.ingest.sync(shop.connector()).deleted == 2
    full = bench.ingest.sync(shop.connector(), full=True)
    assert (full.written, full.deleted) == (0, 0)
    assert bench.ingest.check() is None
