"""From the last release's state to today's and back: nothing is lost, and what was in flight is answered once."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from crosscheck.archive import unpack
from crosscheck.backup import go_back
from crosscheck.errors import BadSettings
from crosscheck.owner import owning
from evals.playground import delivery_key
from state.db import open_database
from state.feedback import Feedback
from state.reviews import Reviews
from tests.crosscheck.lifecycle.house import house
from tests.crosscheck.live import until

RELEASED = Path(__file__).parent / "released" / "0008.sql"
KEPT = ("seen", "job", "outbox", "feedback", "review", "draft", "dismissal", "spending")


def quietly(*_progress):
    return None


def lay(path: Path, **filled: str) -> None:
    """Make a database of the release."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = RELEASED.read_text("utf-8")
    for name, value in filled.items():
        text = re.sub(rf"\b{name}\b", value, text)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(text)


def shape(path: Path) -> dict[str, list[str]]:
    """Each table and index by its columns and constraints, in any order."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    found = {}
    for name, sql in rows:
        before, _, inside = re.sub(r"\s+", " ", sql).replace('"', "").replace("('')", "''").partition("(")
        found[name] = [before.strip(), *sorted(part.strip(" )") for part in re.split(r",(?![^(]*\))", inside))]
    return found


def counts(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as connection:
        return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in KEPT}


@pytest.fixture
def at(tmp_path):
    with house(tmp_path, tickets=8) as made:
        yield made


def test_jobs_in_flight_survive_the_update_and_are_answered_once(at):
    box, numbers = at.box, range(1, 9)
    comments = {n: box.jira.add_comment(f"RUN-{n}", "po-1", "#qa-check") for n in numbers if n != 5}
    filled = {f"COMMENT_{n}": comment for n, comment in comments.items()}
    filled |= {f"ISSUE_{n}": box.jira.issue(f"RUN-{n}").id for n in numbers}
    path = at.data / "crosscheck.sqlite"
    lay(path, SITE=box.jira_url, **filled)
    before = counts(path)

    def answers(number: int) -> int:
        return sum(delivery_key(raw) is not None for raw in box.jira.comments(f"RUN-{number}"))

    with at.at_work() as live:
        jobs, outbox = live.program.jobs, live.program.outbox

        def idle() -> bool:
            both = (jobs.counts(), outbox.counts())
            return not any(found[state] for found in both for state in ("queued", "running"))

        until(idle, "the end of what was in flight")
        live.quiet_polls()
        until(idle, "the end of what was noticed")
        assert jobs.counts() == {"queued": 0, "running": 0, "done": 7, "gone": 0, "failed": 1}
        assert [answers(number) for number in numbers] == [0, 0, 0, 1, 0, 1, 1, 1]
        states = {number: [post.state for post in jobs.show(number).posts] for number in numbers}
        assert states == {
            1: ["sent"],
            2: [],
            3: ["held"],
            4: ["sent"],
            5: ["failed"],
            6: ["sent"],
            7: ["sent"],
            8: ["sent"],
        }
        assert "may have been sent" in (jobs.show(5).posts[0].error or "")
        assert [one.verdict for one in Feedback(live.program.database).of(1)] == ["up"]
        reviews = Reviews(live.program.database)
        assert len(reviews.told(f"jira|{box.jira_url}|1")) == 1
        assert len(reviews.dismissals(f"jira|{box.jira_url}|1")) == 1
    after = counts(path)
    assert {name: after[name] - before[name] for name in KEPT if after[name] != before[name]} == {
        "outbox": 2,
        "review": 2,
    }


@pytest.fixture
def newer(at):
    """A database of the release, brought to today's schema."""
    path = at.data / "crosscheck.sqlite"
    lay(path)
    open_database(path).dispose()
    return path


def test_going_back_leaves_what_the_release_knew(at, newer, tmp_path):
    lay(tmp_path / "old.sqlite")
    before = counts(newer)
    assert shape(newer) != shape(tmp_path / "old.sqlite")
    with owning(at.data, "downgrade"):
        told = go_back(at.settings, "0008", quietly)
    assert shape(newer) == shape(tmp_path / "old.sqlite")
    assert counts(newer) == before
    assert {"leader", "revocation", "job.place"} <= set(told["lost"])
    assert [one[:5] for one in told["undone"]] == ["0009:"]
    (tmp_path / "unpacked").mkdir()
    kept = Path(told["backup"])
    assert unpack(kept, tmp_path / "unpacked", quietly).revision == "0009"
    assert kept.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("revision", ["0009", "0010", "head", "-1", "base"])
def test_only_an_older_schema_can_be_gone_back_to(at, revision):
    with pytest.raises(BadSettings, match=r"There is no older schema .*0008"):
        go_back(at.settings, revision, quietly)
