"""A repository, a folder and test records on one's own disk, by the commands that an administrator types."""

import pytest

from crosscheck.terminal import Lines
from tests.core.connectors.git_origin import Origin
from tests.crosscheck.commands import Commands

PAGE = "# Locks\n\nAn account is locked after five failed sign-ins.\n"
SETTINGS = """
[[git]]
name = "shop"
location = "{root}/shop"
branches = ["feature/*"]
link = "https://code.example/{{branch}}/{{path}}#L{{line}}"

[[files]]
name = "handbook"
location = "handbook"
link = "https://files.example/{{path}}"

[[qa]]
name = "runs"
location = "runs"
columns = {{ id = "Case", title = "Title", result = "Outcome" }}

[audience.holders]
org = ["repo:shop", "files:handbook", "qa:runs"]
"""


@pytest.fixture
def shop(tmp_path):
    origin = Origin(tmp_path / "shop")
    origin.commit(
        "Lock accounts", {"src/lock.py": "def lock_account(user):\n    user.locked = True\n", "README.md": PAGE}
    )
    origin.branch("feature/unlock")
    origin.commit("Unlock them", {"src/unlock.py": "def unlock_account(user):\n    user.locked = False\n"})
    origin.go("main")
    return origin


@pytest.fixture
def typed(tmp_path, shop, capsys, monkeypatch):
    """Commands over a settings file with these sources, all synced once."""
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "limits.md").write_text("# Limits\n\nThe key is AKIAABCDEFGHIJKLMN0P.\n")
    (tmp_path / "handbook" / "scan.pdf").write_bytes(b"%PDF-1.4\ncut off")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "may.csv").write_text("Case,Title,Outcome\nTC-7,Reset by mail,failed\n")
    file = tmp_path / "crosscheck.toml"
    file.write_text(SETTINGS.format(root=tmp_path))
    run = Commands(capsys, monkeypatch, file, {})
    assert run("sync").code == 0
    return run


def titles(ran):
    return [found["title"].partition(",")[0] for found in ran.json["evidence"]]


def test_all_of_them_are_found_with_where_they_open(typed):
    found = typed("search", "lock_account", "--json").json["evidence"][0]
    assert found["title"] == "src/lock.py, line 1"
    assert found["url"] == "https://code.example/main/src/lock.py#L1"
    assert titles(typed("search", "failed sign-ins", "--json"))[0] == "README.md"
    assert titles(typed("search", "TC-7", "--json")) == ["TC-7 Reset by mail"]
    assert titles(typed("search", "limits", "--source", "handbook", "--json"))[0] == "limits.md"


def test_a_branch_in_development_is_searched_by_name_only(typed):
    assert all("feature" not in title for title in titles(typed("search", "unlock_account", "--json")))
    assert (
        titles(typed("search", "unlock_account", "--branch", "feature/unlock", "--json"))[0]
        == "src/unlock.py on feature/unlock"
    )


def test_as_of_leaves_out_what_came_later(typed, shop):
    shop.made = 12 * 60  # twelve hours later
    shop.commit("Tell the user", {"src/tell.py": "def tell_user():\n    pass\n"})
    assert typed("sync", "shop").code == 0
    assert "src/tell.py" in titles(typed("search", "tell_user", "--json"))
    assert "src/tell.py" not in titles(typed("search", "tell_user", "--as-of", "2026-03-02T18:00", "--json"))
    assert "src/tell.py" in titles(typed("search", "tell_user", "--as-of", "2026-03-02", "--json"))  # that day's end
    assert "is no date" in typed("search", "x", "--as-of", "next week").sentence


def test_what_could_not_be_read_is_listed_and_comes_with_what_is_found(typed):
    listed = typed("sources", "handbook", "--json").json
    (scan,) = listed["unread"]
    assert (scan["title"], scan["url"]) == ("scan.pdf", "https://files.example/scan.pdf")
    assert scan["unread"][0].startswith("could not be read: it is damaged")
    assert (listed["sources"][0]["partly"], listed["sources"][0]["masked"], listed["more"]) == (1, 1, 0)
    assert "could not be read: it is damaged" in typed("sources", "handbook").out
    (found,) = [e for e in typed("search", "scan.pdf", "--json").json["evidence"] if e["title"] == "scan.pdf"]
    assert found["unread"] == scan["unread"]
    assert "Not known: could not be read" in typed("search", "scan.pdf").out
    assert "There is no source" in typed("sources", "nothing").sentence


def test_what_is_gone_leaves_with_the_next_sync(typed, tmp_path):
    (tmp_path / "handbook" / "limits.md").unlink()
    assert typed("sync", "handbook", "--json").json["sources"][0]["deleted"] == 1
    assert "limits.md" not in titles(typed("search", "limits", "--json"))


def test_a_source_that_is_taken_out_of_the_settings_leaves_the_index(typed, tmp_path):
    file = tmp_path / "crosscheck.toml"
    before, _, after = file.read_text().partition("[[files]]")
    file.write_text(before + "[[qa]]" + after.partition("[[qa]]")[2])
    assert typed("sync").code == 0
    assert "limits.md" not in titles(typed("search", "limits", "--json"))
    assert [source["source"] for source in typed("sources", "--json").json["sources"]] == ["shop", "runs"]


def test_a_source_that_fails_costs_only_itself(typed, tmp_path):
    (tmp_path / "handbook").rename(tmp_path / "elsewhere")
    (tmp_path / "runs" / "june.csv").write_text("Case,Title,Outcome\nTC-8,Reset by phone,passed\n")
    ran = typed("sync")
    assert ran.code == 1
    assert "handbook: FAILED: the folder" in ran.out
    assert "runs: " in ran.out
    assert titles(typed("search", "TC-8", "--json")) == ["TC-8 Reset by phone"]


def test_what_was_read_by_other_settings_is_read_again(typed, tmp_path):
    file = tmp_path / "crosscheck.toml"
    file.write_text(file.read_text().replace("https://files.example/{path}", "https://new.example/{path}"))
    assert typed("sync", "handbook", "--json").json["sources"][0]["read"] == 2
    (limits,) = [e for e in typed("search", "limits", "--json").json["evidence"] if e["title"].startswith("limits.md")]
    assert limits["url"] == "https://new.example/limits.md"
    assert typed("sync", "handbook", "--json").json["sources"][0]["read"] == 0


def test_a_column_that_cannot_be_is_refused_with_those_that_can(typed, tmp_path):
    file = tmp_path / "crosscheck.toml"
    file.write_text(file.read_text().replace("{ id =", "{ identifier ="))
    assert "a column cannot be 'identifier'; it can be component, date" in typed("sync").sentence


def test_the_doctor_looks_at_each_of_them(typed, tmp_path):
    (tmp_path / "handbook").rename(tmp_path / "elsewhere")
    checks = {check["check"]: check["state"] for check in typed("doctor", "--json").json}
    assert (checks["shop"], checks["handbook"], checks["runs"]) == ("ok", "failed", "ok")


def test_progress_without_a_terminal_is_a_line_every_ten_seconds():
    now, said = [0.0], []
    lines = Lines(said.append, clock=lambda: now[0])
    for second in range(31):
        now[0] = float(second)
        lines({"step": "shop", "done": 100 * second, "total": 6_000})
    lines({"step": "wiki", "done": 5, "total": None})
    assert said == [
        "shop: 1,000 of 6,000, 100/s, about 50 s left",
        "shop: 2,000 of 6,000, 100/s, about 40 s left",
        "shop: 3,000 of 6,000, 100/s, about 30 s left",
    ]
