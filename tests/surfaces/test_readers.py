"""An answer stands where it was asked for, and is read by exactly those who read the question."""

import pytest

from tests.surfaces.adapters import surfaces
from tests.surfaces.bench import job
from tests.surfaces.contract import joined
from tests.surfaces.program import MADE_BY

SECRET = "The Zephyrine surcharge is 4 euros."
OPEN = "An export has a date."


@pytest.mark.parametrize("few", [True, False])
def test_the_readers_of_the_question_read_the_answer_in_its_place(surface, bench, few):
    program = bench.program()
    for shape in surface.shapes:
        asked = surface.ask(surface.open(OPEN, few=few, shape=shape))
        bench.answered(program, asked)
        (reply,) = surface.replies(asked.place)
        assert surface.readers(asked, reply.id) == surface.readers(asked, asked.id)
        assert surface.where(asked, reply.id) == surface.where(asked, asked.id)
        assert OPEN in reply.shown


def test_what_only_few_may_read_is_told_to_them_alone(surface, bench):
    asked = surface.ask(surface.open(OPEN))
    program = bench.program()
    program.parrot.beside = surface.hide(asked.place, SECRET)
    bench.answered(program, asked)
    assert surface.outsider in people(surface, asked)
    assert "Zephyrine" not in joined(surface.replies(asked.place))


def people(surface, asked):
    readers = surface.readers(asked, asked.id)
    users = surface.box.slack.workspace.users
    return {users[one].person if one in users else one for one in readers}


def for_few(surface, bench):
    """The answer to the few is made, with what they alone may read, and not yet posted."""
    place = surface.open(OPEN, few=True)
    beside = surface.hide(place, SECRET)
    asked = surface.ask(place)
    program = bench.program()
    program.parrot.beside = beside
    bench.hear(program, asked)
    assert program.worker.run_once()
    assert surface.outsider not in people(surface, asked)
    assert "Zephyrine" in job(program, asked).result["reply"]
    return program, asked


def test_the_few_are_told(surface, bench):
    program, asked = for_few(surface, bench)
    bench.work(program)
    assert "Zephyrine" in joined(surface.replies(asked.place))


def test_opened_between_answer_and_posting(surface, new_bench):
    """The answer for the few is never shown to more: it is made again."""
    for opening in surface.openings:
        bench = new_bench()
        program, asked = for_few(surface, bench)
        surface.widen(asked, opening)
        assert surface.outsider in people(surface, asked)
        before = len(surface.box.exchanges)
        bench.work(program)
        view = job(program, asked)
        assert "review is made again" in {event.what for event in view.events}
        (reply,) = surface.replies(asked.place)
        assert surface.readers(asked, reply.id) == surface.readers(asked, asked.id)
        told = [one.path for one in surface.box.exchanges.all()[before:] if b"Zephyrine" in one.body]
        assert told == [], opening
        assert len(reply.shown) > len("Looking into it")


def test_opened_although_nothing_was_hidden(surface, bench):
    """What was read for the few may be missed, or counted, by those who come in: it is made for them."""
    asked = surface.ask(surface.open(OPEN, few=True))
    program = bench.program()
    bench.hear(program, asked)
    assert program.worker.run_once()
    surface.widen(asked, surface.openings[0])
    bench.work(program)
    assert "review is made again" in {event.what for event in job(program, asked).events}
    assert len(surface.replies(asked.place)) == 1


def test_narrowed_between_answer_and_posting(surface, bench):
    asked = surface.ask(surface.open(OPEN))
    program = bench.program()
    bench.hear(program, asked)
    assert program.worker.run_once()
    surface.narrow(asked)
    bench.work(program)
    assert surface.outsider not in people(surface, asked)
    (reply,) = surface.replies(asked.place)
    assert surface.readers(asked, reply.id) == surface.readers(asked, asked.id)
    assert surface.where(asked, reply.id) == surface.where(asked, asked.id)
    assert OPEN in reply.shown


@pytest.mark.parametrize(
    "stage", [one for one in surfaces() if one.can_widen], indirect=True, ids=lambda surface: surface.name
)
def test_shown_to_more_people_than_asked(stage, surface, bench):
    """By the platform: taken back at once, and an administrator has to see to it."""
    program, asked = for_few(surface, bench)
    surface.box.faults.add("POST", surface.writes[0][1], "wider")
    bench.work(program)
    (post,) = job(program, asked).posts
    assert post.state == "failed"
    assert "more people than asked" in post.error
    assert surface.replies(asked.place) == []


# Nothing is posted, and the job says why


def says_why(view, *reasons):
    told = [view.job.error or "", str((view.result or {}).get("ignored")), *(post.error or "" for post in view.posts)]
    assert any(reason in one for reason in reasons for one in told), told


@pytest.mark.parametrize("when", ["before", "between"])
def test_the_question_is_deleted(surface, bench, when):
    asked = surface.ask(surface.open(OPEN))
    program = bench.program()
    bench.hear(program, asked)
    if when == "between":
        assert program.worker.run_once()
    surface.delete(asked)
    bench.work(program)
    assert surface.replies(asked.place) == []
    says_why(job(program, asked), "not there", "deleted", "is gone")


@pytest.mark.parametrize("when", ["before", "between"])
def test_the_question_does_not_ask_any_more(surface, bench, when):
    asked = surface.ask(surface.open(OPEN))
    program = bench.program()
    bench.hear(program, asked)
    if when == "between":
        assert program.worker.run_once()
    surface.rewrite(asked, "Never mind.")
    bench.work(program)
    assert surface.replies(asked.place) == []
    says_why(job(program, asked), "any more")


@pytest.mark.parametrize("when", ["before", "between"])
def test_the_talk_has_ended(surface, bench, when):
    """A resolved thread, an archived ticket, page or channel."""
    program = bench.program()
    for shape in surface.shapes:
        asked = surface.ask(surface.open(OPEN, shape=shape))
        bench.hear(program, asked)
        if when == "between":
            assert program.worker.run_once()
        reason = surface.end(asked)
        bench.work(program)
        assert MADE_BY not in joined(surface.replies(asked.place))
        says_why(job(program, asked), reason)
        surface.calm()


def test_the_bot_may_not_write_any_more(surface, bench):
    asked = surface.ask(surface.open(OPEN))
    program = bench.program()
    bench.hear(program, asked)
    assert program.worker.run_once()
    surface.mute(asked)
    bench.work(program)
    assert MADE_BY not in joined(surface.replies(asked.place))
    (post,) = job(program, asked).posts
    assert post.state in {"failed", "dropped"}
    assert post.error
