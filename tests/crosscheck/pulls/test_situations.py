"""Pull requests in every situation, from the host to the words of the review."""

from urllib.parse import quote

import pytest

from core.types import Audience
from crosscheck.outlines import review_outline
from sandbox.git import line
from tests.core.pulls.hosting import scripted
from tests.crosscheck.pulls.making import NAMES, large_before_small, traversal, unreadable
from tests.crosscheck.pulls.page import BEGIN, END, PAGE, table
from tests.crosscheck.pulls.situations import ELSEWHERE, SITUATIONS, Situation
from tests.crosscheck.pulls.stage import HOSTS, WANTED, Stage, staged

EVERY = (*SITUATIONS, *ELSEWHERE)


@pytest.fixture(scope="module")
def company(tmp_path_factory):
    with staged(len(EVERY) + 3, tmp_path_factory.mktemp("pulls")) as made:
        yield made


@pytest.fixture
def foreign():
    with scripted() as host:
        yield host


@pytest.fixture
def stage(company, foreign, situation):
    box, program = company
    host = HOSTS[situation.repo]
    box.exchanges.clear()
    box.development.mode = "present" if host else "absent"
    box.development.kind = "github" if host in {"", "narrow"} else host.replace("_", "-")
    key = f"PRS-{EVERY.index(situation) + 1}"
    yield Stage(box, program, key, situation.repo, foreign.url, situation.readable)
    box.faults.clear()
    assert box.git_host_writes() == []


def named(situation: Situation) -> str:
    return f"{situation.repo}: {situation.name}"


@pytest.mark.parametrize("situation", EVERY, ids=named)
def test_what_a_review_says(stage, foreign, situation):
    situation.put(stage)
    said = stage.review()
    assert said.pulls == tuple(seen.text(situation.repo) for seen in situation.pulls)
    assert said.unknowns == situation.unknowns
    assert [WANTED in finding.statement for finding in said.findings] == [True] * situation.absent
    assert all(unknown.settled_by.endswith(".") for unknown in said.review.unknowns)
    assert foreign.asked == []
    hidden = [name for name in HOSTS if name not in (situation.readable or (situation.repo,))]
    assert [asked.path for asked in stage.box.exchanges.all() if set(asked.path.split("/")) & set(hidden)] == []


def test_each_piece_of_evidence_stands_at_the_head(company):
    """Field report G2: what was read of a small file behind a large one, with its very lines."""
    box, program = company
    stage = Stage(box, program, f"PRS-{len(EVERY) + 1}")
    large_before_small(stage, limit=9)
    said = stage.review()
    (finding,) = said.findings
    cited = finding.evidence[1]
    assert (finding.rule, cited.quote) == ("pull-conflict", "LOCK_AFTER_FAILED_SIGN_INS = 9")
    commit = said.review.pulls[0].head
    assert cited.locator.url == stage.file(commit, f"src/z_login.py#L{cited.locator.line}")
    lines = line(box.repos["shop"], "show", f"{commit}:src/z_login.py").splitlines()
    assert cited.quote in lines[cited.locator.line - 1 :]


def test_a_hidden_repository_is_neither_named_nor_asked(company):
    """Its address in the ticket is all that people see of it."""
    box, program = company
    stage = Stage(box, program, f"PRS-{len(EVERY) + 2}")
    unreadable(stage)
    box.exchanges.clear()
    made = stage.review().review
    assert "vault" not in repr((made.findings, made.unknowns, made.settled, made.pulls, made.degraded, made.rests_on))
    assert "vault" not in repr(review_outline(made, [], asked=made.at))
    assert [asked.path for asked in box.exchanges.all() if "/vault" in asked.path] == []
    stage.readable = ("shop", "vault")
    assert [pull.locator.document_id for pull in stage.review().review.pulls] == [f"git:vault!{stage.opened[0][1]}"]


def test_names_of_files_reach_the_reply_as_they_are(company):
    box, program = company
    stage = Stage(box, program, f"PRS-{len(EVERY) + 3}")
    traversal(stage)
    found = program.pulls.of_ticket(
        program.jira_reader.ticket(stage.key), Audience(frozenset({"jira:PRS", "repo:shop"}))
    )
    (snapshot,) = found.snapshots
    assert [file.path for file in snapshot.files] == sorted(NAMES)
    for path in NAMES:
        (piece,) = program.pulls.difference(snapshot, path)
        assert piece.text == "@@ -0,0 +1,1 @@\n+x = 1"
        assert piece.locator.url.partition("#")[0] == stage.file(snapshot.head, quote(path))


def test_the_page_shows_the_same():
    shown = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    assert shown == table(), "run python -m tests.crosscheck.pulls.page"


def test_there_are_twenty_situations_and_more():
    assert len({situation.name for situation in SITUATIONS}) == len(SITUATIONS) >= 20
