"""A story: reviews are told by the worker in the sandbox's Jira, and people do each of the things that count."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from evals.outcomes.reading import Installation
from evals.outcomes.types import Sign
from review.checks import acceptance_criteria, undecided
from tests.crosscheck.live import Small
from tests.evals.outcomes.stage import DEVELOPER, OPEN, TEXT, Stage, staged

UNDECIDED = undecided.ID
CRITERIA = acceptance_criteria.ID


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with staged(tmp_path_factory.mktemp("story")) as made:
        yield made


def sign(stage: Stage, key: str, *, rerun: bool = False) -> Sign:
    return stage.outcomes(key, rerun=rerun)[UNDECIDED].sign


def test_an_edit_after_which_the_next_review_does_not_tell_it_is_an_acceptance(stage: Stage) -> None:
    key = stage.reviewed()
    stage.grow_old(2)
    stage.edit(key)
    stage.ask(key)
    stage.grow_old()
    found = stage.outcomes(key)[UNDECIDED]
    assert found.sign is Sign.EDIT
    assert found.days == pytest.approx(2 + 1 / 24)
    assert (found.category, found.priority) == ("undecided condition", "P1")


def test_without_a_later_review_the_quoted_passage_has_to_be_gone(stage: Stage) -> None:
    mended, untouched = stage.reviewed(), stage.reviewed()
    stage.edit(mended)
    stage.edit(untouched, TEXT.replace("30 days", "40 days"))
    stage.grow_old()
    assert (sign(stage, mended), sign(stage, untouched)) == (Sign.EDIT, Sign.NONE)


def test_a_point_of_several_passages_is_accepted_when_all_are_gone(stage: Stage) -> None:
    two = f"{TEXT}\n\nThe name of the file is TBD."
    half, whole = stage.reviewed(two), stage.reviewed(two)
    stage.edit(half, two.replace(OPEN, "The export is a PDF."))
    stage.edit(whole)
    stage.grow_old()
    assert (sign(stage, half), sign(stage, whole)) == (Sign.NONE, Sign.EDIT)


def test_an_edit_after_which_it_is_told_again_is_none(stage: Stage) -> None:
    same, reworded = stage.reviewed(), stage.reviewed()
    stage.edit(same, TEXT.replace("30 days", "40 days"))
    stage.edit(reworded, TEXT.replace(OPEN, "How the export is made is to be decided, it is still TBD."))
    stage.ask(same)
    stage.ask(reworded)
    stage.grow_old()
    assert sign(stage, same) is Sign.NONE
    found = Installation(stage.program).subject(stage.name(reworded)).outcomes
    assert [one.sign for one in found if one.rule == UNDECIDED] == [Sign.NONE, Sign.NONE]


def test_an_edit_by_a_program_is_none(stage: Stage) -> None:
    key = stage.reviewed()
    stage.edit(key, by=stage.box.accounts.bot.id)
    stage.grow_old()
    assert sign(stage, key) is Sign.NONE


def test_an_edit_before_the_review_that_still_told_it_is_none(stage: Stage) -> None:
    key = stage.reviewed()
    stage.edit(key, TEXT.replace("30 days", "40 days"))
    stage.ask(key)
    stage.grow_old()
    assert sign(stage, key) is Sign.NONE


def test_an_answer_by_its_number_is_an_acceptance(stage: Stage) -> None:
    key = stage.reviewed()
    number = stage.number(key, UNDECIDED)
    stage.say(key, f"{number}: the export is a PDF, decided today.", DEVELOPER)
    stage.grow_old()
    found = stage.outcomes(key)[UNDECIDED]
    assert found.sign is Sign.REPLY
    assert found.days == pytest.approx(1 / 24)


def test_talk_that_answers_nothing_is_none(stage: Stage) -> None:
    key = stage.reviewed()
    stage.say(key, "Thanks, we will look at it.", DEVELOPER)
    stage.grow_old()
    assert sign(stage, key) is Sign.NONE


def test_what_is_set_aside_is_dismissed_whatever_is_edited_later(stage: Stage) -> None:
    key = stage.reviewed()
    number = stage.number(key, UNDECIDED)
    stage.ask(key, f"dismiss {number}: nobody exports")
    stage.edit(key)
    stage.ask(key)
    stage.grow_old()
    assert sign(stage, key) is Sign.DISMISSED


def test_a_dismissal_whose_comment_is_deleted_counts_no_more(stage: Stage) -> None:
    key = stage.reviewed()
    number = stage.number(key, UNDECIDED)
    comment = stage.ask(key, f"dismiss {number}: nobody exports")
    stage.box.jira.delete_comment(key, comment)
    stage.grow_old()
    assert sign(stage, key) is Sign.NONE


def test_an_answer_goes_before_an_edit(stage: Stage) -> None:
    key = stage.reviewed()
    number = stage.number(key, UNDECIDED)
    stage.edit(key)
    stage.say(key, f"{number}: a PDF, as it says now.")
    stage.grow_old()
    assert sign(stage, key) is Sign.REPLY


def test_what_was_told_this_week_is_too_young_whatever_was_done(stage: Stage) -> None:
    key = stage.reviewed()
    stage.edit(key)
    stage.grow_old(6)
    assert sign(stage, key) is Sign.YOUNG
    stage.grow_old(2)
    assert sign(stage, key) is Sign.EDIT


def test_an_absence_quotes_nothing_so_only_a_review_tells_that_it_was_filled(stage: Stage) -> None:
    bare = OPEN.replace("TBD", "PDF")
    key = stage.reviewed(bare)
    assert CRITERIA in stage.outcomes(key)
    stage.edit(key, f"{bare}\n\nAcceptance criteria:\n\n- The file is a PDF of at most 20 pages.")
    stage.grow_old()
    assert stage.outcomes(key)[CRITERIA].sign is Sign.NONE
    assert stage.outcomes(key, rerun=True)[CRITERIA].sign is Sign.EDIT


def test_a_review_of_now_outweighs_the_passage(stage: Stage) -> None:
    """The passage is gone, and what took its place is no decision either."""
    key = stage.reviewed()
    stage.edit(key, TEXT.replace(OPEN, "How the export is made is still TBD."))
    stage.grow_old()
    assert (sign(stage, key), sign(stage, key, rerun=True)) == (Sign.EDIT, Sign.NONE)


def test_of_a_ticket_that_is_gone_nothing_is_known(stage: Stage) -> None:
    key = stage.reviewed()
    name, number = stage.name(key), stage.box.jira.issue(key).id
    stage.edit(key)
    stage.box.jira.delete_issue(key)
    assert {one.sign for one in Installation(stage.program).subject(name).outcomes} == {Sign.YOUNG}
    stage.grow_old()
    subject = Installation(stage.program).subject(name)
    assert (subject.key, {one.sign for one in subject.outcomes}) == (f"jira:{number}", {Sign.UNKNOWN})
    assert subject.unread


def test_where_the_history_cannot_be_read_nothing_is_known(stage: Stage) -> None:
    key, dismissed = stage.reviewed(), stage.reviewed()
    number = stage.number(dismissed, UNDECIDED)
    stage.ask(dismissed, f"dismiss {number}: nobody exports")
    stage.edit(key)
    stage.grow_old()
    for one in (key, dismissed):
        stage.box.faults.add("GET", "/changelog", "status", status=404)
        assert sign(stage, one) is Sign.UNKNOWN
    assert sign(stage, key) is Sign.EDIT


def test_what_stands_on_another_site_is_not_known(stage: Stage) -> None:
    key = stage.reviewed()
    stage.grow_old()
    jira = stage.program.settings.jira
    assert jira is not None
    moved = {"jira": jira.model_copy(update={"site": "https://other.example"})}
    with closing(Small(stage.box, stage.program.settings.data, clock=stage.clock, changes=moved)) as program:
        subject = Installation(program).subject(stage.name(key))
    assert {one.sign for one in subject.outcomes} == {Sign.UNKNOWN}
    assert "site" in subject.unread


def test_findings_that_were_told_before_the_date_are_left_out(stage: Stage) -> None:
    old = stage.reviewed()
    stage.grow_old()
    since = stage.clock()
    new = stage.reviewed()
    stage.ask(old)
    stage.grow_old()
    installation = Installation(stage.program)
    listed = list(installation.subjects(since))
    assert stage.name(new) in listed
    assert installation.subject(stage.name(old), since).outcomes == ()
    assert installation.subject(stage.name(new), since).outcomes
    assert stage.name(old) in listed  # it was told of again
