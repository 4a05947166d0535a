"""What is kept of a person, or of a source that is gone from the settings, can be taken out of every file."""

import shutil
from datetime import UTC, datetime

import pytest

from crosscheck.archive import DATABASE
from evals.playground import company, secrets_of
from sandbox.server import Sandbox
from state.db import open_database
from state.feedback import Feedback
from state.jobs import Jobs
from state.outbox import Outbox
from state.reviews import Reviews
from state.tables import Picture
from state.types import Dismissed, NewDraft, NewPost, NewReview
from tests.crosscheck.commands import Commands
from tests.state.parts import LEASE

SETTINGS = """
data = "data"
[jira]
site = "{site}"
read_user = "r@example.com"
post_user = "p@example.com"
projects = ["RUN"]
[retention]
jobs_days = 30
"""
NOTES = """
[[files]]
name = "notes"
location = "notes"
"""
NOW = datetime(2026, 11, 1, tzinfo=UTC)


class Home:
    """An installation: its settings, its state, and its commands."""

    def __init__(self, folder, site, commands):
        self.folder, self.site, self.commands = folder, site, commands
        self.data = folder / "data"
        self.settle(NOTES)
        self.database = open_database(self.data / DATABASE)
        self.jobs, self.outbox = Jobs(self.database), Outbox(self.database)

    def settle(self, *more):
        (self.folder / "crosscheck.toml").write_text(SETTINGS.format(site=self.site) + "".join(more), "utf-8")

    def asked(self, key, by, *, document="jira:RUN-1", text="", question="", over=True):
        """A job that somebody asked for, and that rests on a document; its id."""
        payload = {"surface": "slack", "text": question or text}
        job = self.jobs.accept(
            key, "message", payload, surface="slack", via="event", subject=question or text, asked_by=by
        )
        if not over:
            return job
        claim = self.jobs.claim("w", LEASE)
        about = {"subject": f"s|{key}", "made_for": frozenset({"org"}), "at": NOW}
        cited = {"quote": f"{text} quote", "document": document}
        body = {"surface": "slack", "body": f"{text} body", "rests_on": [document]}
        self.jobs.finish(
            claim,
            "done",
            {"review": {"findings": [{"evidence": [cited]}]}, "searches": [{"text": f"{text} search"}]},
            [NewPost(f"{key}|answer|1", 1, 1, body)],
            review=NewReview(trigger_id="1", findings=[{"evidence": [cited]}], **about),
            draft=NewDraft(version=1, record={"cases": [f"{text} case"]}, rests_on=frozenset({document}), **about),
            dismissals=[Dismissed(f"s|{key}", "f", f"{question or text} because", "Ana Sol", "1", NOW)],
        )
        self.outbox.sent(self.outbox.claim("w", LEASE), "77", "https://x/77", adopted=False)
        return job

    def files_with(self, text):
        """The files below the data folder that hold a text, whatever they are."""
        held = (path for path in self.data.rglob("*") if path.is_file() and text.encode() in path.read_bytes())
        return {path.name for path in held}


@pytest.fixture
def home(tmp_path, capsys, monkeypatch):
    with Sandbox.start(company(1)) as box:
        environment = {
            "CROSSCHECK_JIRA_READ_TOKEN": secrets_of(box).need("jira_read_token"),
        }
        made = Home(tmp_path, box.jira_url, Commands(capsys, monkeypatch, tmp_path / "crosscheck.toml", environment))
        yield made
        made.database.dispose()


def test_a_person_is_counted_first_and_then_gone(home):
    theirs = home.asked("k1", "U1", text="HERTEXT")
    by_site = home.asked("k2", "jira|https://x|U1", text="HERTEXT")
    other = home.asked("k3", "U11", text="HISTEXT")
    nobody = home.asked("k4", "", text="HISTEXT")
    Feedback(home.database).add(other, "U1", "down", "HERREASON")
    wanted = {"jobs": 2, "under_way": 0, "feedback": 1, "dismissals": 4, "unknown": 1, "copies": []}

    counted = home.commands("forget", "--person", "U1", "--name", "Ana Sol", "--json")
    assert counted.code == 0, counted.err
    assert counted.json == {**wanted, "removed": False}
    assert [one.id for one in home.jobs.list()] == [nobody, other, by_site, theirs]

    done = home.commands("forget", "--person", "U1", "--name", "Ana Sol", "--yes", "--json")
    assert done.json == {**wanted, "removed": True}
    assert [one.id for one in home.jobs.list()] == [nobody, other]
    assert home.files_with("HERTEXT") == home.files_with("HERREASON") == home.files_with("Ana Sol") == set()
    assert home.files_with("HISTEXT")
    assert home.jobs.accept("k1", "message", {}, surface="slack", via="event") is None
    (aside,) = Reviews(home.database).dismissals("s|k1")
    assert (aside.by, aside.reason, aside.fingerprint) == ("(removed)", "(removed)", "f")
    assert home.commands("forget", "--person", "U1", "--name", "Ana Sol", "--json").json["jobs"] == 0


def test_copies_that_still_hold_a_person_are_named(home, tmp_path):
    """A restoration and a downgrade leave the database as it was beside the new one, with all that it says."""
    home.asked("k1", "U1", text="HERTEXT")
    home.commands("backup", str(home.data / "before-downgrade-20261101T000000Z.backup"))
    shutil.copy(home.data / DATABASE, home.data / f"{DATABASE}.before-restore-20261101T000000Z")
    told = home.commands("forget", "--person", "U1", "--yes")
    held = {f"{DATABASE}.before-restore-20261101T000000Z", "before-downgrade-20261101T000000Z.backup"}
    assert all(name in told.err.replace("\n", "") for name in held)
    assert {str(home.data / name) for name in held} == set(
        home.commands("forget", "--person", "U1", "--json").json["copies"]
    )


def test_what_is_under_way_is_left_and_said(home):
    waiting = home.asked("k1", "U1", text="HERTEXT", over=False)
    told = home.commands("forget", "--person", "U1", "--yes")
    assert "1 jobs are under way" in told.err
    assert home.jobs.show(waiting).job.state == "queued"


def test_a_source_is_refused_while_it_is_configured(home):
    (home.folder / "notes").mkdir()
    told = home.commands("forget", "--source", "notes", "--yes")
    assert told.code == 2
    assert "Take it out of the settings" in told.sentence


def test_a_source_of_which_nothing_is_known_is_refused_and_nothing_is_removed(home):
    other = home.asked("k2", "U1", document="jira:RUN-1", text="OTHER")
    told = home.commands("forget", "--source", "nots", "--yes")
    assert told.code == 2
    assert "Nothing is known of a source 'nots'" in told.sentence
    assert "searches" in home.jobs.show(other).result


def test_a_source_goes_out_of_the_index_and_out_of_what_rests_on_it(home):
    (home.folder / "notes").mkdir()
    (home.folder / "notes" / "a.md").write_text("# Rules\n\nZEBRAFACT is decided by the ledger of stripes.\n" * 20)
    assert home.commands("sync", "notes").code == 0
    rests = home.asked("k1", "U1", document="files:notes:a.md", text="ZEBRAFACT", question="why?")
    other = home.asked("k2", "U1", document="jira:RUN-1", text="OTHER")
    with home.database.writing() as session:
        session.add(Picture(content="c", describer="d", description="ZEBRAFACT seen", attempts=1, at=NOW))
    (home.data / "mirrors" / "notes").mkdir(parents=True)
    (home.data / "mirrors" / "notes" / "pack").write_text("ZEBRAFACT")
    home.settle()

    counted = home.commands("forget", "--source", "notes", "--json")
    assert counted.code == 0, counted.err
    assert counted.json == {
        "jobs": 1, "under_way": 0, "documents": 1, "pictures": 1, "mirror": True, "removed": False,
        "copies": [],
    }  # fmt: skip
    assert home.files_with("ZEBRAFACT")

    done = home.commands("forget", "--source", "notes", "--yes", "--json")
    assert done.code == 0, done.err
    view = home.jobs.show(rests)
    assert view.result == {"forgotten": "notes"}
    (post,) = view.posts
    assert (post.payload, post.state, post.url) == ({}, "sent", "https://x/77")
    assert Reviews(home.database).told("s|k1") == ()
    assert "review" in home.jobs.show(other).result
    assert "searches" not in home.jobs.show(other).result
    assert not (home.data / "mirrors" / "notes").exists()
    assert not {name for name in home.files_with("ZEBRAFACT") if name.startswith(DATABASE)}
    assert [one["chunks"] for one in home.commands("index", "--json").json["generations"]] == [0]
    assert done.json["folder"] == str(home.data / "index")
    assert "Nothing is known" in home.commands("forget", "--source", "notes", "--yes").sentence
    shutil.rmtree(home.data / "index")  # as it says
    assert home.files_with("ZEBRAFACT") == set()


@pytest.mark.parametrize(
    "arguments", [(), ("--person", "a", "--source", "b"), ("--name", "x", "--source", "b"), ("--person", "|")]
)
def test_what_is_to_be_forgotten_must_be_said(home, arguments):
    assert home.commands("forget", *arguments).code == 2


@pytest.mark.parametrize("name", ["..", ".", "", "../notes", "/"])
def test_a_name_is_no_path(home, name):
    (home.folder / "notes").mkdir()
    told = home.commands("forget", "--source", name, "--yes")
    assert told.code == 2
    assert "the name of no source" in told.sentence
    assert (home.folder / "notes").exists()


def test_pruning_by_hand_says_what_it_did(home):
    home.asked("k1", "U1", text="x")
    told = home.commands("prune")
    assert told.out.splitlines() == [
        "0 jobs with question, answer and story deleted (kept 30 days).",
        "0 texts of posts deleted (kept 90 days).",
        "0 jobs' searches and model calls deleted (kept 30 days).",
    ]
    assert home.commands("prune", "--json").json["jobs"] == 0


def test_going_back_by_command(home):
    home.asked("k1", "U1", text="x")
    home.database.dispose()
    told = home.commands("downgrade", "0008")
    assert told.code == 0, told.err
    assert "Undone: 0009:" in told.out
    assert "Lost with it: job.place" in told.out
    assert len(list(home.data.glob("before-downgrade-*.backup"))) == 1
    assert "no older schema '0010'" in home.commands("downgrade", "0010").sentence
