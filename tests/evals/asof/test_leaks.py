"""A later fact that can be seen is found, whichever guard is missing."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.masking import masked
from core.mirror import Mirror
from evals.asof import shown
from evals.asof.collecting import _people, collect
from evals.asof.commits import Commits
from evals.asof.leaks import leaks
from evals.asof.program import Then, knowledge
from evals.asof.repositories import Repositories
from evals.asof.said import Present, Said
from evals.asof.shown import Shown
from evals.asof.view import AsOf
from tests.evals.asof.stage import LATER, M, Stage, git, stage

ALONE = {
    "jira": {"confluence": None, "git": (), "files": (), "qa": ()},
    "confluence": {"jira": None, "git": (), "files": (), "qa": ()},
    "git": {"jira": None, "confluence": None, "files": (), "qa": ()},
    "files": {"jira": None, "confluence": None, "git": (), "qa": ()},
    "qa": {"jira": None, "confluence": None, "git": (), "files": ()},
}
MARKS = {
    "jira": (
        *("comment", "edited comment", "second description", "summary", "field", "attachment", "attachment name"),
        "new ticket",
    ),
    "confluence": (
        *("second page version", "page comment", "edited page comment", "page title", "new title", "new page"),
        *("page file", "file name", "replaced file"),
    ),
    "git": ("message", "content"),
    "files": ("file", "file name"),
    "qa": ("case", "result"),
}
NAMED = {
    "jira": (
        "the key BKG-",
        "the status Done",
        "the resolution Fixed",
        "the link “is blocked by GATE-62”",
        "its date 2026-11",
    ),
    "confluence": ("its date 2026-11-09",),
    "git": ("the commit ",),
    "files": ("its date 2026-11-09",),
    "qa": ("its date 2026-11-05", "the date 2026-11-05"),
}


class Open(AsOf):
    """A view without any guard."""

    def jira(self, api):
        return api

    def confluence(self, api):
        return api

    def counts(self, record, written):
        return True

    def connector(self, connector):
        return connector


@pytest.fixture(scope="module")
def planted(tmp_path_factory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("leaks")) as place:
        place.plant()
        yield place


@pytest.fixture(scope="module")
def present(planted, tmp_path_factory) -> Present:
    return collect(planted.settings, planted.secrets, tmp_path_factory.mktemp("now"))


@pytest.fixture(scope="module")
def commits(planted) -> dict[str, str]:
    asked = ("rev-list", "-1", "--first-parent", f"--before={M.isoformat()}", "main")
    return {name: git(path, *asked) for name, path in planted.repos.items()}


@contextmanager
def known_by_mistake(place: Stage, kind: str, home) -> Iterator[Then]:
    """Sources of one kind as they are today."""
    there = place.settings.model_copy(update={**ALONE[kind], "data": home / "data"})
    with closing(Then(there, place.secrets, Open(M))) as program:
        for name in program.sources.names([]):
            program.sources.sync(name, True, lambda _message: None)
        yield program


@pytest.mark.parametrize("kind", sorted(ALONE))
def test_a_source_without_its_guard_is_found_by_every_fact(planted, present, commits, kind, tmp_path):
    with known_by_mistake(planted, kind, tmp_path) as program:
        found = leaks(present, M, commits, shown.index(program))
    told = " ".join(leak.what for leak in found)
    assert [mark for mark in MARKS[kind] if planted.marks[mark].casefold() not in told] == []
    assert [words for words in NAMED[kind] if words not in told] == []
    assert all(leak.since > M and leak.where.startswith("index, ") for leak in found)


def test_a_later_fact_in_an_answer_a_file_or_the_ticket_itself_is_found(planted, present, commits, tmp_path):
    bare = planted.repos["booking-api"]
    later = git(bare, "rev-parse", "main")
    tree = tmp_path / "tree"
    (tree / "app").mkdir(parents=True)
    (tree / "app" / "refunds.py").write_text(f'"""{planted.said("content")}"""\n', "utf-8")
    (tree / "app" / "links.py").symlink_to(tree / "app" / "refunds.py")
    (tree / "app" / "holds.py").write_text(git(bare, "show", f"{commits['booking-api']}:README.md"), "utf-8")
    key = planted.marks["new key"]
    cases = {
        "the ticket": [Shown("the ticket", f"Please. {planted.said('second description')}")],
        "tree, app/refunds.py": shown.tree(tree),
        "a key": [Shown("a key", f"As {key} says.")],
        "a commit": [Shown("a commit", f"See {later[:12]} for it.")],
        "a date": [Shown("a date", "It was decided on 2026-11-20, at noon.")],
        "an answer": [Shown("an answer", "GATE-57 Story, Done, updated 2026-10-30", "jira:20008")],
        "a chunk": [Shown("a chunk", "", "confluence:7001", "confluence", LATER)],
    }
    for where, given in cases.items():
        assert {leak.where for leak in leaks(present, M, commits, given)} == {where}, where
    assert (
        leaks(present, M, commits, [Shown("all of it", "A refund needs the receipt and the card, of 2026-10-30.")])
        == ()
    )


def test_at_no_moment_of_the_companys_history_anything_later_is_seen(tmp_path):
    with stage(tmp_path) as place:
        present = collect(place.settings, place.secrets, tmp_path / "now")
        for month, day in ((3, 10), (4, 2), (9, 3)):
            moment = datetime(2026, month, day, 12, tzinfo=UTC)
            with knowledge(place.settings, place.secrets, moment, {}, tmp_path / "k") as known:
                asked = ["seats on hold", "Account security policy", "holds.py"]
                told = [*shown.index(known.program), *shown.answers(known.program, place.audience, asked)]
                assert leaks(present, moment, known.commits, told) == ()


KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow12345678abcdefgh\n-----END RSA PRIVATE KEY-----"


def test_words_that_meet_where_a_credential_is_masked_are_no_leak(tmp_path):
    earlier, later = Said("an old page", f"The test has\n{KEY}\nin it.", M), KEY.replace("MIIEow12345678abcdefgh\n", "")
    present = Present((earlier, Said("a comment", later, LATER)), (), {}, (), Repositories(tmp_path))
    assert leaks(present, M, {}, [Shown("index", masked(earlier.text)[0])]) == ()
    (found,) = leaks(replace(present, texts=present.texts[1:]), M, {}, [Shown("index", later)])
    assert found.what.endswith("of a comment")


def test_a_name_of_today_is_no_leak_where_somebody_is_mentioned():
    ticket = {"fields": {"reporter": {"displayName": "Zoe Fern"}, "comment": [{"author": {"displayName": "Al Sand"}}]}}
    assert list(_people(ticket)) == ["Zoe Fern", "Al Sand"]


def test_lines_that_a_commit_adds_in_different_places_do_not_meet(tmp_path):
    origin = tmp_path / "origin"
    origin.mkdir()
    git(origin, "init", "-q", "-b", "main")
    lines = ["one two three", *(f"line {at}" for at in range(20)), "four five six"]
    for added in ([], ["seven eight"]):
        (origin / "a.txt").write_text("\n".join([*added, *lines, *added]) + "\n", "utf-8")
        git(origin, "add", ".")
        git(origin, "commit", "-q", "-m", f"State {len(added)}")
    mirror = Mirror(tmp_path / "mirror", str(origin))
    mirror.fetch()
    first = git(origin, "rev-parse", "HEAD~1")
    said = Commits("a", mirror, tmp_path / "mirror", first).later()
    assert [one.text for one in said if one.where.count(" ") == 2] == ["seven eight", "seven eight"]
