from dataclasses import replace
from datetime import timedelta

import pytest

from review.checks.unanswered_question import check
from tests.review.cases import NOW, assert_cited, case, change, comment, talk, ticket


def ask(*lines, **more):
    return ticket("Refunds for cancelled trips", "Travellers get their money back.", comments=talk(*lines), **more)


CATCHES = {
    "nobody replied": ask("Ana: Do gift cards count as cash?"),
    "only the same question": ask("Ana: Do gift cards count as cash?", "Ben: Same question here."),
    "only +1": ask("Ana: Do gift cards count as cash?", "Ben: +1"),
    "only another question": ask("Ana: Do gift cards count as cash?", "Ben: And what about vouchers?"),
    "author goes on about something else": ask("Ana: Do gift cards count as cash?", "Ana: I also fixed a typo above."),
    "will check": ask("Ana: What happens to the seat fee?", "Ben: Good question, I will check."),
    "mockups instead of an answer": ask("Ana: What happens to the seat fee?", "Ben: Mockups are attached."),
    "moved to the next sprint": ask("Ana: Who approves a refund above the limit?", "Ben: Moved to sprint 12."),
    "please confirm": ask("Ana @Ben: Please confirm that airport tax is paid back too."),
    "do we know": ask("Ana: Do we know whether groups are treated alike"),
    "named person silent, another chats": ask(
        "Ana @Ben: Is the seat fee part of it?", "Cleo: The new icon looks great in dark mode."
    ),
    "second question left": ask(
        "Ana: Do gift cards count as cash?",
        "Ben: Yes, gift cards are cash.",
        "Ana: How long may the bank transfer take?",
    ),
    "bot's reply is no answer": ticket(
        "Refunds",
        "Money back.",
        comments=[comment("Ana", "Do gift cards count?", 1), comment("Bot", "Gift cards count.", 2, by_bot=True)],
    ),
    "german": ticket("Erstattung", "Geld zurück.", comments=talk("Ana: Gilt das auch für Gutscheine?")),
    "german, no question mark": ticket(
        "Erstattung", "Geld zurück.", comments=talk("Ana: Weiß jemand, ob Gutscheine zählen")
    ),
    "no question mark": ask("Ana: what happens to the seat fee"),
    "no question mark, a verb first": ask("Ana: should we pay airport tax back, too"),
    "away": ask("Ana: What about groups?", "Ana: bump", "Ben: I'm out until Monday"),
    "only applause": ask("Ana: Should the seat fee be paid back, too?", "Ben: Nice!"),
    "arabic question mark": ask("Ana: هل تُحتسب بطاقات الهدايا نقداً؟"),
    "text changed in another matter": ask(
        "Ana: Do gift cards count as cash?",
        history=[change("description", "a", "Travellers see a green tick mark.", 5)],
    ),
}
LOOK_ALIKES = {
    "answered": ask("Ana: Do gift cards count as cash?", "Ben: Yes."),
    "answered without a shared word": ask("Ana: How long may it take?", "Ben: Ten days at the very most."),
    "answered later, after chatter": ask(
        "Ana: Do gift cards count as cash?", "Cleo: Thanks for asking!", "Ben: Gift cards are treated as cash."
    ),
    "author found out": ask("Ana: Do gift cards count as cash?", "Ana: Legal confirmed that they do."),
    "never mind": ask("Ana: Where is the form?", "Ana: Never mind, found it."),
    "named person answered": ask("Ana @Ben: Is the seat fee part of it?", "Ben: It stays with the airline."),
    "somebody else answered for the named person": ask(
        "Ana @Ben: Is the seat fee part of it?", "Cleo: Yes, the seat fee is part of it."
    ),
    "text answers": ask(
        "Ana: Do gift cards count as cash?",
        history=[change("description", "Money back.", "Money back. Gift cards count as cash.", 3)],
    ),
    "rhetorical": ask("Ana: Easy one, right?", "Ana: Why not?"),
    "rhetorical, in other words": ask("Ana: Who does not like to get money back? Good idea."),
    "author found it": ask("Ana: Is there a limit?", "Ana: Found it: 500 EUR, see the tariff."),
    "request to have a look": ask("Ana @Ben: can you have a look at the mockup pls?"),
    "condition by order of words": ask("Ana: Should the bank refuse, the money goes to the gift card."),
    "answered in the same breath": ask("Ana: Do gift cards count? Yes, says the contract."),
    "in a quote": ask("Ana: > Do gift cards count?\n\nThey do."),
    "in code": ask("Ana: The call is `GET /refunds?card=gift`."),
    "in an address": ask("Ana: See https://shop.example/refunds?card=gift for the form."),
    "label of a button": ask("Ana: The link “Forgot your ticket?” moves to the top."),
    "ping": ask("Ana: Any update on this?"),
    "request for a review": ask("Ana: Can you review the texts?"),
    "trigger": ask("Ana: #qa-check is anything missing?"),
    "bot asks": ticket("Refunds", "Back.", comments=[comment("Bot", "Which value holds?", 1, by_bot=True)]),
    "german answer": ticket(
        "Erstattung", "Geld.", comments=talk("Ana: Gilt das auch für Gutscheine?", "Ben: Ja, auch die.")
    ),
    "decided in a call": ask("Ana: Do gift cards count as cash?", "Ben: Clarified in the call with legal: they do."),
}

LEFT_OPEN = (
    ("Ana: Who gets the place when twins apply?",),
    ("Ana: Who gets the place when twins apply?", "Ben: I was wondering about that too."),
    (
        "Ana @Ben: can you tell us whether foster children count as siblings?",
        "Cleo: I translated the page into Polish.",
    ),
    ("Ana: What if a parent declines? Does the place go to the next one?", "Ben: Let me ask the city."),
    ("Ana: Is the list public?", "Ben: #qa-check"),
    ("Ana: One more thing. Should we hide birthdays? I think so but legal must say.",),
    ("Ana: Could somebody from legal confirm that we may store birth dates",),
    ("Ana: Is the list public?", "Ana: Bumping this."),
    ("Ana: Is the list public?", "Ben: I don't know, sorry."),
    ("Ana: Wer bekommt den Platz bei Zwillingen?", "Ben: Gute Frage, kläre ich."),
    ("Ana: How many children per group?", "Ben: Which group do you mean?"),
    ("Ana: How many children per group?", "Ben: PR is up."),
    ("Ana: What is the maximum age?", "Cleo: Design is ready in Figma."),
    ("Ana: Do we also need this for the night shift?", "Ben: Estimated with 5 points."),
)
CLOSED = (
    ("Ana: Who gets the place when twins apply?", "Ben: The older twin."),
    ("Ana: Should we hide birthdays?", "Ben: Definitely, yes."),
    ("Ana: Is the list public?", "Ben: > Is the list public?\n\nNot outside the town hall."),
    ("Ana: Is the list public?", "Ben: Good question. I asked the city: it is not."),
    ("Ana @Ben: foster children too?", "Ben: They count as well."),
    ("Ana: Shall I close this?", "Ben: Please do."),
    ("Ana: Thanks, everyone! How was your weekend?",),
    ('Ana: I wrote a FAQ with entries like "Is the list public?" for parents.',),
    ("Ana: Is the list public?", "Cleo: See the privacy page, section 2: only staff may see it."),
    ("Ana: How many per group?", "Ben: 15"),
    ("Ana: How many per group?", "Ben: Let's say fifteen, I updated the description."),
    ("Ana: Darf man das Geburtsdatum zeigen?", "Ben: Nein, nur den Jahrgang."),
    ("Ana: Will we offer this in Polish as well?", "Ana: Edit: forget it, the city said only German."),
    ("Ana: Can someone assign this to me?",),
    ("Ana: Is twins' priority the same as siblings'?", "Ben: No. Twins count once.", "Cleo: Agreed."),
)


def kindergarten(lines):
    return case(ticket("Waiting list for kindergarten places", "A list.", comments=talk(*lines)))


@pytest.mark.parametrize("lines", LEFT_OPEN)
def test_catches_in_the_talk(lines):
    assert check(kindergarten(lines)).findings


@pytest.mark.parametrize("lines", CLOSED)
def test_leaves_the_talk_alone(lines):
    assert not check(kindergarten(lines)).findings


@pytest.mark.parametrize("name", CATCHES)
def test_catches(name):
    subject = case(CATCHES[name])
    checked = check(subject)
    assert len(checked.findings) in {1, 2}
    assert_cited(subject, checked)


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_leaves_alone(name):
    checked = check(case(LOOK_ALIKES[name]))
    assert not checked.findings
    assert not checked.unknowns


def test_a_young_question_is_left_alone():
    subject = CATCHES["nobody replied"]
    young = tuple(replace(c, created=NOW - timedelta(minutes=20)) for c in subject.comments)
    assert not check(case(replace(subject, comments=young))).findings


def test_many_open_questions_are_counted_not_hidden():
    lines = [f"P{n}: Is case {'abcdefghijklmnop'[n]}{'qrstuvwxyzabcdef'[n]} allowed?" for n in range(12)]
    checked = check(case(ask(*lines)))
    assert len(checked.findings) == 8
    assert checked.unknowns[0].what.startswith("4 ")
