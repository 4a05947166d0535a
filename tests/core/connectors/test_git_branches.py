"""Branches in development: what differs from their merge base, kept apart from the baseline."""

from datetime import UTC, datetime

import pytest
import structlog

from core.connectors.git_documents import REMOVED
from tests.core.connectors.git_origin import Shop


@pytest.fixture
def shop(tmp_path):
    made = Shop(tmp_path, branches=["feature/*"])
    made.origin.commit("One", {"a.py": "1", "b.py": "1", "docs/c.md": "1"})
    return made


def development(shop: Shop) -> dict[str, str]:
    """Text of each document that is only on a branch."""
    return {d.id.removeprefix("git:shop@"): d.text for d in shop.everything().values() if d.development}


def test_a_branch_is_what_differs_from_its_merge_base(shop):
    shop.origin.branch("feature/PAY-12-lock")
    two = shop.origin.commit(
        "Two", {"a.py": "2", "new.py": "n", "b.py": None, "logo.png": "p", "node_modules/x.js": "x"}
    )
    shop.origin.go("main")
    shop.origin.commit("Three", {"docs/c.md": "3"})
    everything = shop.everything()
    branch = "feature/PAY-12-lock"
    assert {key for key, document in everything.items() if document.development} == {
        f"git:shop@{branch}:a.py",
        f"git:shop@{branch}:new.py",
        f"git:shop@{branch}:b.py",
        f"git:shop@{two}",
    }
    new = everything[f"git:shop@{branch}:new.py"]
    assert (new.title, new.text, new.context) == (f"new.py on {branch}", "n", f"shop > branch {branch} > new.py")
    assert (new.repo, new.path, new.branch) == ("shop", "new.py", branch)
    assert new.keys == {"new.py", "PAY-12"}
    assert new.url == f"https://git.example/shop/blob/{branch}/new.py#L{{line}}"
    assert new.updated == datetime(2026, 3, 2, 9, 2, tzinfo=UTC)
    assert everything[f"git:shop@{branch}:b.py"].text == REMOVED == "[removed on this branch]"
    assert everything["git:shop:b.py"].text == everything["git:shop:a.py"].text == "1"
    commit = everything[f"git:shop@{two}"]
    assert (commit.branch, commit.context) == (branch, f"shop > branch {branch} > {two[:12]} Two")
    assert "PAY-12" in commit.keys
    assert not any(document.development for document in everything.values() if document.branch == "main")


def test_branches_that_do_not_match_are_not_read(shop):
    for name in ("feature/a", "feature/b/c", "bugfix/d", "features"):
        shop.origin.branch(name, "main")
        shop.origin.commit(name, {"a.py": name})
    assert {key for key in development(shop) if ":" in key} == {"feature/a:a.py", "feature/b/c:a.py"}
    shop.options["branches"] = []
    assert development(shop) == {}


def test_only_the_newest_branches_are_read_and_the_rest_is_said(shop):
    for n in range(4):
        shop.origin.branch(f"feature/{n}", "main")
        shop.origin.commit(str(n), {"a.py": str(n)})
    shop.options["most_branches"] = 2
    with structlog.testing.capture_logs() as logs:
        assert {key for key in development(shop) if ":" in key} == {"feature/2:a.py", "feature/3:a.py"}
    assert {"event": "branches not read", "source": "shop", "branches": 2, "most": 2, "log_level": "warning"} in logs


def test_a_branch_that_is_merged_leaves_and_its_commits_become_the_baselines(shop):
    shop.origin.branch("feature/x")
    side = shop.origin.commit("Side", {"a.py": "2"})
    shop.sync()
    before = shop.index[f"git:shop@{side}"]
    shop.origin.go("main")
    merged = shop.origin.merge("feature/x")
    read, gone = shop.sync()
    assert gone == {"git:shop@feature/x:a.py"}
    assert read == {"git:shop:a.py", f"git:shop@{side}", f"git:shop@{merged}"} | (read & {f"git:shop@{first(shop)}"})
    after = shop.index[f"git:shop@{side}"]
    assert (before.development, before.branch) == (True, "feature/x")
    assert (after.development, after.branch) == (False, "main")
    assert before.version != after.version
    assert shop.index == shop.everything()


def first(shop: Shop) -> str:
    return shop.origin.git("rev-list", "--max-parents=0", "main")


def test_a_branch_that_is_deleted_leaves(shop):
    shop.origin.branch("feature/x")
    side = shop.origin.commit("Side", {"a.py": "2", "b.py": None})
    shop.sync()
    shop.origin.go("main")
    shop.origin.git("branch", "-D", "feature/x")
    gone = {"git:shop@feature/x:a.py", "git:shop@feature/x:b.py", f"git:shop@{side}"}
    assert shop.sync() == (set(), gone)


def test_a_forced_push_takes_away_what_was_dropped(shop):
    shop.origin.branch("feature/x")
    dropped = shop.origin.commit("Side", {"a.py": "2", "side.py": "s"})
    shop.sync()
    shop.origin.git("reset", "--quiet", "--hard", "HEAD~1")
    kept = shop.origin.commit("Other", {"a.py": "3"})
    read, gone = shop.sync()
    assert read == {"git:shop@feature/x:a.py", f"git:shop@{kept}"}
    assert gone == {"git:shop@feature/x:side.py", f"git:shop@{dropped}"}
    shop.origin.go("main")
    two = shop.origin.commit("Two", {"a.py": "4", "two.py": "2"})
    shop.sync()
    shop.origin.git("reset", "--quiet", "--hard", "HEAD~1")
    read, gone = shop.sync()
    assert "git:shop:a.py" in read
    assert gone == {"git:shop:two.py", f"git:shop@{two}"}
    assert shop.index.keys() == shop.everything().keys()


def test_the_base_moves_when_the_baseline_is_merged_into_the_branch(shop):
    shop.origin.branch("feature/x")
    shop.origin.commit("Side", {"a.py": "2"})
    shop.origin.go("main")
    shop.origin.commit("Main", {"b.py": "2"})
    shop.sync()
    shop.origin.go("feature/x")
    merged = shop.origin.merge("main")
    assert shop.sync()[0] >= {f"git:shop@{merged}"}
    assert {key for key in development(shop) if ":" in key} == {"feature/x:a.py"}
    assert shop.index == shop.everything()


def test_a_commit_on_two_branches_is_the_first_ones_and_then_the_others(shop):
    shop.origin.branch("feature/a")
    shared = shop.origin.commit("Shared", {"a.py": "2"})
    shop.origin.branch("feature/b")
    own = shop.origin.commit("Own", {"b.py": "2"})
    shop.sync()
    assert shop.index[f"git:shop@{shared}"].branch == "feature/a"
    assert shop.index[f"git:shop@{own}"].branch == "feature/b"
    shop.origin.git("branch", "-D", "feature/a")
    read, gone = shop.sync()
    assert gone == {"git:shop@feature/a:a.py"}
    assert f"git:shop@{shared}" in read
    assert shop.index[f"git:shop@{shared}"].branch == "feature/b"


def test_a_branch_with_nothing_in_common_is_all_its_files(shop):
    shop.origin.git("checkout", "--quiet", "--orphan", "feature/new")
    shop.origin.git("rm", "-r", "--quiet", "--force", ".")
    shop.origin.commit("Start", {"a.py": "1", "z.py": "z"})
    assert {key for key in development(shop) if ":" in key} == {"feature/new:a.py", "feature/new:z.py"}
    shop.origin.commit("More", {f"more/{n:04d}.py": str(n) for n in range(2_100)})
    connector = shop.connector()
    connector.mark()
    assert len([key for key in connector.ids() if key.startswith("git:shop@feature/new:")]) == 2_000
    assert connector.left_out() == {"beyond the limit of a branch": 102}


def test_odd_names_of_branches(shop):
    for name in ("feature/ünï", "feature/a@b", "feature/100%", "feature/" + "d" * 40):
        shop.origin.branch(name, "main")
        shop.origin.commit(name, {"a.py": name})
    found = [document for document in shop.everything().values() if document.development and document.path]
    assert {document.branch for document in found} == {document.text for document in found}
    assert len(found) == 4
    assert any(document.url.endswith("/blob/feature/100%25/a.py#L{line}") for document in found)
    assert shop.sync()[0]
    assert shop.sync() == (set(), set())


def test_rules_of_the_branch_hold_on_the_branch(shop):
    shop.origin.branch("feature/x")
    shop.origin.commit("Two", {"a.py": "2", "gen.py": "g", ".gitattributes": "gen.py linguist-generated\n"})
    assert {key for key in development(shop) if ":" in key} == {"feature/x:a.py", "feature/x:.gitattributes"}
