"""Nobody who addressed the bot is left without an answer or a reason, and nobody who did not is bothered."""

import re

import pytest

from core.errors import SourceUnavailable
from tests.surfaces.contract import KINDS, Asked, joined
from tests.surfaces.program import MADE_BY, Reading


@pytest.mark.parametrize("kind", KINDS)
def test_each_request_is_answered(surface, bench, kind):
    place = surface.open("An export without a date is refused with a message.")
    asked = surface.ask(place, kind, "When is an export refused?")
    view = bench.answered(bench.program(Reading), asked)
    assert view.job.state == "done"
    assert {post.state for post in view.posts} == {"sent"}
    said = joined(surface.replies(place))
    assert "How this was made" in said
    expected = {"review": "midnight", "ask": "An export without a date", "test cases": "test case"}
    assert expected[kind] in said


def test_its_own_words_ask_nothing(surface, bench):
    """Its answer holds every command there is."""
    asked = surface.ask(surface.open("Something."))
    program = bench.program()
    program.parrot.own_words = ("#qa-check", "#ask why?", "#test-cases", f"{surface.box.slack.mention} help")
    bench.answered(program, asked)
    assert "#qa-check" in joined(surface.replies(asked.place))
    for delivery in surface.sent():
        assert surface.push(program, delivery) == 200
    surface.poll(program)
    bench.work(program)
    assert len(surface.replies(asked.place)) == 1


def test_after_five_attempts_the_reason_is_said_once(surface, bench):
    place = surface.open("Something.")
    asked = surface.ask(place)
    program = bench.program()
    program.parrot.failures = [SourceUnavailable("The library is closed.") for _ in range(9)]
    view = bench.answered(program, asked)
    assert (view.job.state, view.job.attempts) == ("failed", 5)
    (said,) = surface.replies(place)
    assert "could not be answered" in said.shown
    assert "5 times" in said.shown
    bench.hear(program, asked)
    surface.poll(program)
    bench.work(program)
    assert len(surface.replies(place)) == 1


def test_what_cannot_be_posted_for_a_while_is_posted_later(surface, bench):
    place = surface.open("Something.")
    asked = surface.ask(place)
    program = bench.program()
    surface.fail(status=500, times=3)
    view = bench.answered(program, asked)
    assert {post.state for post in view.posts} == {"sent"}
    assert MADE_BY in joined(surface.replies(place))


def test_what_can_never_be_posted_is_given_up(surface, bench):
    """After five attempts, and for an administrator to see."""
    asked = surface.ask(surface.open("Something."))
    program = bench.program()
    surface.fail(status=500, times=500)
    (post,) = bench.answered(program, asked).posts
    assert (post.state, post.attempts) == ("failed", 5)
    assert "500" in post.error
    assert surface.replies(asked.place) == []


def test_a_command_that_is_added_later_is_answered(surface, bench):
    program = bench.program()
    place = surface.open("Something.")
    asked = Asked(place, surface.say(place, "What is written here?"))
    surface.rewrite(asked, surface.spelled(place, "ask", "What is written here?"))
    for delivery in surface.sent():
        assert surface.push(program, delivery) == 200
    surface.poll(program)
    bench.work(program)
    assert len(surface.replies(place)) == 1


def test_with_posting_off_nothing_is_written(surface, bench):
    place = surface.open("Something.", few=True)
    program = bench.program(posting=False)
    before = len(surface.box.exchanges)
    for kind in KINDS:
        bench.hear(program, surface.ask(place, kind))
    bench.work(program)
    assert {state for state, count in program.jobs.counts().items() if count} == {"done"}
    assert {state for state, count in program.outbox.counts().items() if count} == {"held"}
    assert surface.replies(place) == []
    assert surface.box.exchanges.all()[before:]
    assert writes(surface, before) == []


def writes(surface, since):
    asked = surface.box.exchanges.all()[since:]
    return [
        f"{one.method} {one.path}"
        for one in asked
        if any(one.method == method and re.search(path, one.path) for method, path in surface.writes)
    ]
