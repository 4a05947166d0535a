"""Commits like the question vote for the files they touched."""

from math import log, sqrt

import pytest

from core.embedding.sparse import query
from core.store.base import Arm, Scope
from core.types import ORG, Audience, Document, Filters
from core.votes import CommitVotes
from tests.core.parts import EVERYBODY, Bench
from tests.core.test_exact import commit

HIDDEN = frozenset({"repo:vault"})
INSIDERS = Audience(HIDDEN | {ORG})


def touching(number: int, text: str, *paths: str, **more: object) -> Document:
    return commit(f"{number:040x}", text, attributes={"paths": "\n".join(paths)}, **more)


def votes(bench: Bench, text: str, audience: Audience = EVERYBODY, **filters: object) -> list[str]:
    return CommitVotes(bench.store).documents(query(text), Scope(audience, Filters(**filters)))


def test_votes_are_shared_damped_and_added(bench: Bench) -> None:
    bench.index(
        touching(1, "lock the account", "a.py", "b.py", "c.py", "d.py"),
        touching(2, "lock the door", "b.py"),
        touching(3, "paint the gate", "b.py", "z.py"),
    )
    scope = Scope(EVERYBODY, Filters(kinds=frozenset({"commit"})))
    [hits] = bench.store.rank("documents", [Arm("content", query("lock"))], scope, 10)
    by_length = {len(bench.store.fetch("documents", [h.id], EVERYBODY)[h.id].touched): h.score for h in hits}
    b = (by_length[4] / sqrt(4) + by_length[1]) / (1 + log(3))  # three commits touch it, two of them vote
    a = by_length[4] / sqrt(4)
    assert b > a
    assert votes(bench, "lock") == [f"git:shop:{path}.py" for path in "bacd"]
    assert votes(bench, "gate") == ["git:shop:z.py", "git:shop:b.py"]


def test_who_says_nothing_of_it_does_not_vote(bench: Bench) -> None:
    bench.index(touching(1, "lock the account", "a.py"), touching(2, "lock all"))
    assert votes(bench, "zeppelin") == []
    assert CommitVotes(bench.store).documents(query("?"), Scope(EVERYBODY)) == []
    assert votes(bench, "all") == []


def test_files_of_one_name_in_two_repositories_are_two(bench: Bench) -> None:
    bench.index(touching(1, "lock lock", "a.py"), touching(2, "lock the account", "a.py", repo="web"))
    assert set(votes(bench, "lock")) == {"git:shop:a.py", "git:web:a.py"}
    assert votes(bench, "lock", repos=frozenset({"web"})) == ["git:web:a.py"]


@pytest.mark.parametrize("paths", [("b.py",), ("a.py",), ("a.py", "b.py", "c.py")])
def test_a_commit_that_may_not_be_read_changes_nothing(bench: Bench, paths: tuple[str, ...]) -> None:
    """Neither by its vote nor by how often a file was touched."""
    seen = [touching(1, "lock the account", "a.py", "b.py"), touching(2, "lock doors in the hall", "b.py", "c.py")]
    bench.index(*seen, *(touching(n, "lock", labels=HIDDEN) for n in range(3, 9)))
    without = votes(bench, "lock")
    bench.index(*seen, *(touching(n, "lock", *paths, labels=HIDDEN) for n in range(3, 9)))
    assert votes(bench, "lock") == without
    assert set(votes(bench, "lock", INSIDERS)) == {"git:shop:a.py", "git:shop:b.py", "git:shop:c.py"}


def test_what_narrows_the_question_narrows_its_judges(bench: Bench) -> None:
    bench.index(touching(1, "lock the account", "a.py"), touching(2, "lock all", "b.py", source="old"))
    assert votes(bench, "lock", sources=frozenset({"old"})) == ["git:shop:b.py"]
    assert votes(bench, "lock", without=frozenset({f"git:shop@{2:040x}"})) == ["git:shop:a.py"]
    for only_of_files in (
        {"kinds": frozenset({"code"})},
        {"path": "b.py"},
        {"languages": frozenset({"python"})},
    ):
        assert set(votes(bench, "lock", **only_of_files)) == {"git:shop:a.py", "git:shop:b.py"}
    assert votes(bench, "lock", branch="next") == []  # a branch's files are others
