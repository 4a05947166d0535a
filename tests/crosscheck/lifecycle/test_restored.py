"""A restored backup answers nothing twice, whatever was asked and answered since it was made."""

from threading import Event

import pytest

from crosscheck.backup import backup, restore
from crosscheck.owner import owning
from crosscheck.stores import FoldersAndServers
from state.db import open_database
from state.jobs import Jobs
from state.restoring import MAY_HAVE_BEEN
from tests.crosscheck.lifecycle.house import house
from tests.crosscheck.live import until


def quietly(*_progress):
    return None


@pytest.fixture
def at(tmp_path):
    with house(tmp_path) as made:
        yield made


def put_back(at, file):
    with owning(at.data, "restore"):
        return restore(at.settings, file, FoldersAndServers(at.data / "index"), quietly, replace=True)


def test_what_was_asked_since_keeps_the_answer_that_stands(at, tmp_path):
    file = tmp_path / "backup"
    with at.at_work() as live:
        at.ask_everywhere(1)
        at.answered(live)
        backup(at.settings, file, quietly)  # while it runs
        at.ask_everywhere(2)
        at.ask_everywhere(3)
        at.alone("how many?")
        at.answered(live)
    once, said, alone = at.visible(), at.texts(), at.told_alone()
    assert set(once.values()) == {1}
    assert len(alone) == 1
    put_back(at, file)
    with at.at_work() as live:
        at.ask_everywhere(4)
        at.answered(live)
        live.quiet_polls()
        at.answered(live)
        jobs = live.program.jobs
        assert jobs.counts()["done"] == len(jobs.list()) == 12  # B and C were noticed again, each of them
        found = [view for one in jobs.list() if (view := jobs.show(one.id)).result.get("answered")]
        assert len(found) == 6
        assert all("Answered before the backup was restored" in view.events[-1].detail for view in found)
    assert set(at.visible().values()) == {1}
    assert set(said) <= set(at.texts())  # word for word, although another start says other words
    assert at.told_alone() == alone


def test_what_waited_in_the_backup_is_looked_up_or_ended(at, tmp_path):
    """A backup between the question and its answer: the jobs are queued in it, and answered since."""
    file = tmp_path / "backup"
    with at.at_work() as live:
        worker = live.program.worker
        worker._stop.set()  # nothing is taken while these wait
        worker._work.set()
        for thread in worker._threads:
            thread.join()
        at.ask_everywhere(1)
        at.alone("how many?")
        until(lambda: live.program.jobs.counts()["queued"] == 4, "four jobs queued")
        backup(at.settings, file, quietly)
    with at.at_work() as live:
        at.answered(live)
    assert set(at.visible().values()) == {1}
    alone = at.told_alone()
    assert len(alone) == 1
    told = put_back(at, file)
    assert (told["jobs"], told["posts"], told["never"]) == (3, 0, 1)
    with at.at_work() as live:
        live.quiet_polls()
        at.answered(live)
        private = next(one for one in live.program.jobs.list() if one.kind == "private")
        assert private.error == MAY_HAVE_BEEN
        assert any(event.detail == MAY_HAVE_BEEN for event in live.program.jobs.show(private.id).events)
    assert set(at.visible().values()) == {1}
    assert at.told_alone() == alone


def test_posts_that_were_on_their_way_in_the_backup_are_found_and_adopted(at, tmp_path):
    """A backup while each answer has been handed to its platform and nothing has come back."""
    file, go_on, held = tmp_path / "backup", Event(), []

    def hold(exchange):
        held.append(exchange)
        go_on.wait(20)

    with at.at_work() as live:
        for path in (r"/issue/[^/]+/comment$", r"/inline-comments$", r"/api/chat.update$"):
            at.box.faults.on("POST", path, hold, stage="arrived")
        at.ask_everywhere(1)
        until(lambda: len(held) == 3, f"three posts on their way, not {held}")
        backup(at.settings, file, quietly)
        go_on.set()
        at.answered(live)
    at.box.faults.clear()
    said = at.texts()
    told = put_back(at, file)
    assert (told["jobs"], told["posts"], told["never"]) == (0, 3, 0)
    with at.at_work() as live:
        at.answered(live)
        posts = [post for one in live.program.jobs.list() for post in live.program.jobs.show(one.id).posts]
        assert [(post.state, post.adopted) for post in posts] == [("sent", True)] * 3
    assert set(at.visible().values()) == {1}
    assert at.texts() == said


def test_a_database_that_was_never_restored_looks_nothing_up(at):
    with at.at_work() as live:
        at.ask_everywhere(1)
        at.answered(live)
        assert "LooksFirst" not in {type(one).__name__ for one in live.program.worker._handlers.values()}
    database = open_database(at.data / "crosscheck.sqlite")
    assert Jobs(database).counts()["done"] == 3
    database.dispose()
