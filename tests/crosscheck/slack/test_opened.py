"""What people open and press: the home tab, the assistant's panel, the buttons, and the files of a draft."""

import pytest

from state.feedback import Feedback
from tests.crosscheck.live import until
from tests.crosscheck.slack.making import LOCKED, TICKET, Stage
from tests.crosscheck.slack.stage import DEVELOPER, GUEST, LEAD, text_of

UP, DOWN = "crosscheck_up", "crosscheck_down"


@pytest.fixture
def stage(usual):
    return Stage(usual)


def home(office, person, *, holds=""):
    """What somebody's home tab says, once it does."""
    office.box.slack.open_home(office.person(person))

    def look():
        view = office.box.slack.home(office.person(person))
        text = text_of(view.view["blocks"]) if view else ""
        return text if text and holds in text else None

    return until(look, f"the home tab of {person}")


def test_the_home_tab_shows_the_sources_and_what_this_person_asked(stage):
    mine, others = "How long is the boarding card valid?", "How many seats has a ferry?"
    stage.open().ask(mine)
    stage.enter(stage.channel, LEAD).ask(others)
    told = home(stage.office, DEVELOPER, holds=mine)
    assert [name for name in ("jira", "confluence", "booking-api", "gate-app") if name not in told] == []
    assert f"{mine}: done, asked just now" in told
    assert others not in told


def test_a_question_asked_alone_is_on_the_home_tab_of_the_one_who_asked(stage):
    asked = "Who may open a locked gate tablet?"
    stage.open().command(asked)
    assert asked in home(stage.office, DEVELOPER, holds=asked)
    assert asked not in home(stage.office, LEAD)


def test_a_guest_sees_no_source(stage):
    told = home(stage.office, GUEST)
    assert "No source has been set up yet." in told
    assert [name for name in ("jira:", "confluence:", "booking-api") if name in told] == []


def test_the_panel_offers_questions_tells_what_it_does_and_names_the_thread(stage):
    stage.enter(stage.office.direct(LEAD), LEAD)
    thread = stage.slack.open_assistant(stage.office.person(LEAD))
    until(lambda: stage.slack.assistant(stage.channel, thread).prompts, "the prompts")
    stage.ts = stage.write(LOCKED, thread)
    stage.office.over(stage.ts)
    panel = stage.slack.assistant(stage.channel, thread)
    assert [message for _, message in panel.prompts][::2] == ["check KEY-1", "test cases for KEY-1"]
    assert panel.statuses[0] == "looking into it…"
    assert "searching…" in panel.statuses
    assert panel.statuses[-1] == ""
    assert panel.title == LOCKED
    assert len(stage.everybody()) == 1


def test_verdicts_are_kept_with_their_reason(stage):
    answer = stage.open().ask().said()[0]
    feedback, job, person = Feedback(stage.office.program.database), stage.job().job.id, stage.office.person(DEVELOPER)

    def kept(number):
        return until(lambda: len(feedback.of(job)) >= number and feedback.of(job), f"{number} verdicts")

    assert stage.slack.click(person, stage.channel, answer.ts, UP)
    assert [(one.verdict, one.reason) for one in kept(1)] == [("up", "")]
    assert stage.slack.modals(person) == []
    assert stage.slack.click(person, stage.channel, answer.ts, DOWN)
    assert [(one.verdict, one.reason) for one in kept(2)] == [("up", ""), ("down", "")]
    modal = until(lambda: stage.slack.modals(person), "the form")[0]
    assert stage.slack.submit(modal, {"crosscheck_reason": "The number is <old> & wrong."}) == {}
    assert [(one.verdict, one.reason) for one in kept(3)][-1] == ("down", "The number is <old> & wrong.")
    assert {one.person for one in feedback.of(job)} == {stage.slack.user(person).id}
    assert len(stage.everybody()) == 1, "a verdict is answered by nothing"


def test_a_form_that_is_skipped_or_left_empty_adds_no_reason(stage):
    answer = stage.open().ask().said()[0]
    feedback, job, person = Feedback(stage.office.program.database), stage.job().job.id, stage.office.person(LEAD)
    assert stage.slack.click(person, stage.channel, answer.ts, DOWN)
    modal = until(lambda: stage.slack.modals(person), "the form")[0]
    assert stage.slack.submit(modal, {}) == {}
    assert [(one.verdict, one.reason) for one in feedback.of(job)] == [("down", "")]


def test_the_new_file_is_there_before_the_old_one_is_deleted(stage):
    root = stage.open().ask(f"test cases for {TICKET}").ts
    stage.office.box.exchanges.clear()
    stage.ask("drop 4", root)
    named = [one.path.removeprefix("/api/") for one in stage.office.box.exchanges.all("slack")]
    steps = [name for name in named if name in {"files.completeUploadExternal", "files.delete"}]
    assert steps == ["files.completeUploadExternal", "files.delete"]
    (file,) = stage.slack.files(stage.channel)
    assert (file.name, file.title) == (
        f"{TICKET}-test-cases-v2.xlsx",
        f"{TICKET} test cases, version 2 (Excel)",
    )
    assert file.content.startswith(b"PK")


def test_it_waits_as_long_as_slack_asks_to_and_then_answers_once(stage):
    more = {"status": 429, "headers": {"Retry-After": "1"}, "body": '{"ok":false,"error":"ratelimited"}'}
    stage.office.box.faults.add("POST", "/api/chat.postMessage$", "status", 1, **more)
    stage.open().ask()
    assert len(stage.everybody()) == 1
    writes = [one for one in stage.office.box.exchanges.all("slack") if one.path.endswith("/chat.postMessage")]
    assert [one.status for one in writes] == [429, 200]
