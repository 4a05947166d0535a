"""What was not there yet is not known, and what was there is."""

from datetime import UTC, datetime

import pytest

from core.errors import SourceGone
from crosscheck.errors import NothingToOpen
from crosscheck.operations import Local
from evals.asof import shown
from evals.asof.collecting import collect
from evals.asof.errors import NotAsOf
from evals.asof.leaks import leaks
from evals.asof.program import knowledge, reader
from tests.evals.asof.stage import EARLIER, M, dump, git, stage, written

SEPTEMBER = datetime(2026, 9, 1, 12, tzinfo=UTC)
AUGUST = datetime(2026, 8, 1, 12, tzinfo=UTC)
QUESTIONS = ("who decides about every refund at the pier", "BKG-142", "GATE-57", "Account security policy", "BKG-97")


@pytest.mark.parametrize("flavour", ["cloud", "data center"])
def test_of_what_came_later_nothing_is_known_and_of_what_was_there_all(tmp_path, flavour):
    with stage(tmp_path, flavour) as place:
        with knowledge(place.settings, place.secrets, M, {}, tmp_path / "before") as known:
            before = dump(known.program)
        edited = f"comment:{place.comment('BKG-97')} "
        place.plant()
        with knowledge(place.settings, place.secrets, M, {}, tmp_path / "after") as known:
            after = dump(known.program)
            told = [*shown.index(known.program), *shown.answers(known.program, place.audience, QUESTIONS)]
            readers = known.program.audiences.named(place.audience)
            page = known.program.subjects.ticket("confluence:7001")
            assert (page.version, len(page.history)) == ("2", 1)
            by_mark = [known.program.searcher.lookup(mark, readers) for mark in place.marks.values()]
            opened = {one.document for one in told if one.where.startswith("answer of open")}
            found = leaks(collect(place.settings, place.secrets, tmp_path / "now"), M, known.commits, told)
            gone = {
                where for where in before if edited in where or ":7201:comment:" in where or ":7008:attach" in where
            }
    seen = {
        (mark, one.where) for mark in place.marks.values() for one in told if mark.casefold() in one.text.casefold()
    }
    assert seen == set()
    assert not any(by_mark)
    assert len(gone) == 3
    moved = {where for where in after if after[where][2].startswith("GATE > BKG-153")}  # access is as it is today
    assert moved == {where for where in before if before[where][2].startswith("BKG > BKG-153")}
    assert {where: held for where, held in after.items() if where not in moved} == {
        where: held for where, held in before.items() if where not in gone | moved
    }
    assert {"jira:20008", "jira:20002", "confluence:7001"} <= opened
    assert found == ()
    assert len(known.notes) >= 8
    assert any("Comments on tickets that were edited later" in note for note in known.notes)


def test_a_ticket_is_as_it_was_told_then(tmp_path):
    with stage(tmp_path) as place:
        company = {ticket.key: ticket for ticket in place.company.tickets}
        with knowledge(place.settings, place.secrets, SEPTEMBER, {}, tmp_path / "k") as known:
            ticket = known.program.subjects.ticket("BKG-142")
            (chunk,) = known.program.searcher.open_document(
                ticket.document_id, known.program.audiences.named(place.audience), 1
            )
            with pytest.raises(SourceGone):
                known.program.subjects.ticket("BKG-174")
        change = next(one for one in company["BKG-142"].history if one.field == "description")
        read = reader(place.settings, place.secrets, AUGUST)
        story, bug = read.ticket("BKG-131"), read.ticket("BKG-104")
    assert change.at > SEPTEMBER
    assert ticket.description.split() == change.before.split()
    assert "After 5 failed" in next(field.text for field in ticket.fields if field.name == "Acceptance criteria")
    assert "After 5 failed" in chunk.text
    assert (ticket.status, ticket.updated.date().isoformat()) == ("Ready for development", "2026-08-27")
    assert [one.field for one in ticket.history] == ["status", "status"]
    assert (story.status, story.resolution, story.done) == ("In refinement", None, False)
    assert (bug.status, bug.resolution, bug.done) == ("Done", "Fixed", True)


def test_a_moved_ticket_has_the_key_that_it_had(tmp_path):
    with stage(tmp_path) as place:
        place.plant()
        read = reader(place.settings, place.secrets, M)
        assert read.ticket("BKG-153").key == "BKG-153"
        with pytest.raises(SourceGone):
            read.ticket(place.marks["moved key"])
        assert (
            reader(place.settings, place.secrets, datetime(2026, 12, 1, tzinfo=UTC)).ticket("BKG-153").key
            == (place.marks["moved key"])
        )


def test_one_folder_goes_forward_by_what_changed_and_begins_anew_for_what_is_earlier(tmp_path):
    with stage(tmp_path) as place:

        def known(moment, home):
            settings = place.settings.model_copy(update={"confluence": None, "git": place.settings.git[1:]})
            with knowledge(settings, place.secrets, moment, {}, tmp_path / home) as made:
                return dump(made.program)

        march = datetime(2026, 3, 10, tzinfo=UTC)
        early, now, late, back = (known(at, "same") for at in (march, AUGUST, M, AUGUST))
        assert set(late) > set(early)
        assert now == known(AUGUST, "fresh")
        assert back == now
        assert "jira:20001 0" in late


def test_a_file_that_was_removed_between_two_moments_is_not_known_at_the_second(tmp_path):
    with stage(tmp_path) as place:
        settings = place.settings.model_copy(update={"jira": None, "confluence": None, "qa": ()})
        clone = tmp_path / "clone"
        git(tmp_path, "clone", "--quiet", str(place.repos["gate-app"]), str(clone))
        (clone / "soon_gone.py").write_text("def soon_gone():\n    return 1\n", "utf-8")
        git(clone, "add", ".")
        git(clone, "commit", "--quiet", "--message=Add it")
        first = git(clone, "rev-parse", "HEAD")
        git(clone, "rm", "--quiet", "soon_gone.py")
        git(clone, "commit", "--quiet", "--message=Remove it")
        second = git(clone, "rev-parse", "HEAD")
        git(clone, "push", "--quiet", "origin", "HEAD:main")
        paths = []
        for commit in (first, second):
            with knowledge(settings, place.secrets, M, {"gate-app": commit}, tmp_path / "k") as known:
                assert known.commits["gate-app"] == commit
                paths.append({where for where in dump(known.program) if "soon_gone.py " in where})
    assert [len(found) for found in paths] == [1, 0]


def test_a_repository_has_the_objects_of_its_commit_alone_and_nothing_of_the_source_runs(tmp_path):
    with stage(tmp_path) as place:
        place.plant()
        hook = place.repos["booking-api"] / "hooks"
        hook.mkdir(exist_ok=True)
        for name in ("post-upload-pack", "reference-transaction", "post-checkout"):
            written(hook / name, f"#!/bin/sh\ntouch {tmp_path}/ran\n", EARLIER)
            (hook / name).chmod(0o755)
        settings = place.settings.model_copy(update={"jira": None, "confluence": None, "files": (), "qa": ()})
        with knowledge(settings, place.secrets, M, {}, tmp_path / "k") as known:
            folders = [
                tmp_path / "k" / "repositories" / "then" / "booking-api.git",
                tmp_path / "k" / "data" / "mirrors" / "booking-api",
            ]
            commit = known.commits["booking-api"]
            for folder in folders:
                every = git(folder, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").splitlines()
                reached = {line.split()[0] for line in git(folder, "rev-list", "--objects", commit).splitlines()}
                assert set(every) == reached
                assert git(folder, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
            newest = git(place.repos["booking-api"], "rev-list", "-1", "--first-parent", f"--before={M}", "main")
            assert commit == newest
    assert not (tmp_path / "ran").exists()


def test_a_repository_alone_is_enough(tmp_path):
    with stage(tmp_path) as place:
        settings = place.settings.model_copy(update={"jira": None, "confluence": None, "files": (), "qa": ()})
        with knowledge(settings, place.secrets, M, {}, tmp_path / "k") as known:
            local = Local(known.program)

            def ask(operation, **arguments):
                return local.run(operation, {"audience": place.audience, **arguments}, lambda _message: None)

            found = ask("search", text="seat hold payment", filters={}, limit=5)
            assert found["evidence"]
            assert ask("lookup", key="holds.py", limit=5)["evidence"]
            opened = ask("open", source="git:booking-api:README.md", ref=None, start=0, size=100)
            assert opened["text"]
            with pytest.raises(NothingToOpen):
                ask("open", source="DESK-210", ref=None, start=0, size=100)
            checked = ask("plan", plan="Change how long a seat is held", repository="booking-api", branch=None)
            assert checked["at"] == M.isoformat()
            assert "consumers" in ask("consumers", name="holds", kind=None, repositories=[], branches=[], limit=5)
            assert [one["stale"] for one in ask("freshness")["sources"]] == [False, False]


def test_what_cannot_be_is_said(tmp_path):
    with stage(tmp_path) as place:
        settings = place.settings.model_copy(update={"jira": None, "confluence": None, "files": (), "qa": ()})
        cases = (
            ({"nobody": "a" * 40}, "no repository nobody"),
            ({"gate-app": "a" * 40}, "no commit aaaaaaaaaaaa"),
            ({"gate-app": "main"}, "no whole commit id"),
        )
        for commits, words in cases:
            with (
                pytest.raises(NotAsOf, match=words),
                knowledge(settings, place.secrets, M, commits, tmp_path / "k"),
            ):
                pass
        with pytest.raises(NotAsOf, match="holds something else"), knowledge(settings, place.secrets, M, {}, tmp_path):
            pass
        early = datetime(2020, 1, 1, tzinfo=UTC)
        with knowledge(settings, place.secrets, early, {}, tmp_path / "k") as known:
            assert not known.commits
            assert "gate-app had no commit yet and is not there." in known.notes
