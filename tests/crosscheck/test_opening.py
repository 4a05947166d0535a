"""Sources opened by who may read them: tickets with their history, files at any commit, pull requests, documents."""

import subprocess

import pytest

from core.errors import SourceUnavailable
from core.types import Audience
from crosscheck.errors import NothingToOpen
from crosscheck.opening import Opener
from crosscheck.wiring import Program
from sandbox.load import load_company
from tests.crosscheck.live import opened

ALL = "jira:BKG,jira:GATE,org,repo:booking-api,repo:gate-app"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with opened(load_company(), tmp_path_factory.mktemp("opening")) as done:
        program = Program(done.settings, done.secrets)
        for name in program.sources.names([]):
            program.sources.sync(name, True, lambda _message: None)
        yield done.box, program
        program.close()


@pytest.fixture
def box(made):
    return made[0]


@pytest.fixture
def program(made):
    return made[1]


@pytest.fixture
def opener(program) -> Opener:
    return program.opener


@pytest.fixture
def audience(program) -> Audience:
    return program.audiences.named(ALL)


def test_a_ticket_by_its_key_has_its_comments_and_history(opener, audience):
    opened = opener.open("BKG-104", audience)
    assert opened.text.startswith("# BKG-104: ")
    assert "## Comment by " in opened.text
    assert "## History" in opened.text
    assert opened.locator.url.endswith("/browse/BKG-104")
    assert opened.kind == "ticket"


def test_what_a_search_found_is_opened_whole(opener, audience, program):
    found = program.searcher.lookup("BKG-104", audience)[0]
    assert opener.open(found.document_id, audience).text == opener.open("BKG-104", audience).text


def test_a_page_has_its_version_and_the_text_of_now(opener, audience):
    opened = opener.open("confluence:7013", audience)
    assert (opened.kind, opened.version != "") == ("page", True)
    assert opened.text.startswith("# “Booking rules”")


def test_a_comment_alone(opener, audience, program):
    found = [one for one in program.searcher.lookup("BKG-104", audience) if one.kind == "comment"]
    opened = opener.open(found[0].document_id, audience)
    assert opened.kind == "comment"
    assert opened.notes[0].startswith("As indexed; last changed ")


def test_what_the_audience_may_not_read_is_answered_like_what_is_not_there(opener, program):
    outsider = program.audiences.named("confluence:NOWHERE")
    for name in (
        "BKG-104",
        "confluence:7013",
        "git:booking-api:README.md",
        "git:booking-api!19",
        "src/booking/passes.py",
    ):
        with pytest.raises(NothingToOpen) as hidden:
            opener.open(name, outsider)
        assert str(hidden.value).startswith("There is no source ")
    with pytest.raises(NothingToOpen, match="There is no source 'BKG-9999'"):
        opener.open("BKG-9999", outsider)


def test_a_file_at_the_baseline_and_at_a_commit(opener, audience, box):
    now = opener.open("git:booking-api:README.md", audience)
    log = subprocess.run(
        ["git", "rev-list", "HEAD", "--", "README.md"],
        cwd=box.repos["booking-api"],
        check=True,
        capture_output=True,
        text=True,
    )
    first = log.stdout.split()[-1]
    for ref in (first, first[:9]):
        then = opener.open("git:booking-api:README.md", audience, ref)
        assert then.version == first
        assert then.locator.url.endswith(f"/booking-api/blob/{first}/README.md")
        assert then.text.startswith("# booking-api")
    assert now.kind == "code"
    assert opener.open("README.md", audience, first).text == then.text, "the first repository that has it there"


def test_a_branch_in_development_is_a_ref(opener, audience, program):
    mirror = program.repositories["booking-api"].mirror
    tip = next(one for one in mirror.branches() if one.name != mirror.default_branch())
    assert opener.open("git:booking-api:README.md", audience, tip.name).version == tip.commit


@pytest.mark.parametrize(
    ("source", "ref", "said"),
    [
        ("git:booking-api:README.md", "v99", "booking-api has no branch, tag or commit 'v99'"),
        ("git:booking-api:README.md", "--all", "booking-api has no branch, tag or commit '--all'"),
        ("git:booking-api:../../etc/passwd", None, "booking-api has no file '../../etc/passwd'"),
        ("git:booking-api:src", None, "booking-api has no file 'src'"),
        ("nothing.py", "main", "No repository that you may read has a file 'nothing.py' at 'main'"),
        ("git:booking-api!999999", None, "Pull request 999999 of booking-api was not read"),
        ("x" * 100_000, None, "There is no source"),
    ],
)
def test_what_is_not_there_is_told(opener, audience, source, ref, said):
    with pytest.raises(NothingToOpen) as absent:
        opener.open(source, audience, ref)
    assert said in str(absent.value)
    assert len(str(absent.value)) < 500


def test_a_pull_request_at_its_head(opener, audience):
    opened = opener.open("git:booking-api!19", audience)
    assert opened.kind == "pull"
    assert "Sign the code of a boarding pass" in opened.text
    assert "## src/booking/passes.py" in opened.text
    assert "+def code(" in opened.text
    assert len(opened.version) == 40


def test_a_source_that_does_not_answer_leaves_what_is_indexed(opener, audience):
    def silent(_key):
        raise SourceUnavailable("no answer")

    quiet = Opener(opener.finds, silent, opener.repositories, opener.pulls)
    opened = quiet.open("BKG-104", audience)
    assert opened.notes[0].startswith("As indexed; last changed ")
    assert "BKG-104" in opened.locator.title


def test_parts_end_with_a_line_and_join_to_the_whole(program):
    from crosscheck.operations import Local

    def part(start, size):
        arguments = {"source": "BKG-104", "audience": ALL, "ref": None, "start": start, "size": size}
        return Local(program).run("open", arguments, lambda _message: None)

    whole = part(0, 1_000_000)
    assert (whole["start"], whole["end"]) == (0, whole["total"])
    found, at = "", 0
    while at < whole["total"]:
        piece = part(at, 300)
        assert piece["end"] > piece["start"] == at
        found, at = found + piece["text"], piece["end"]
    assert found == whole["text"]
    assert part(10**9, 10)["text"] == ""
