"""Laws 3 and 4 in Slack: nobody is told what not everybody in the conversation may read, in whatever way it is asked.

Every marker of the company is one word of one restricted text. Who may read it is worked out here, apart from the
product, and whatever went to Slack is searched for it.
"""

import html
import itertools
import random
import re
from dataclasses import dataclass

import pytest

from sandbox.slack.pings import active
from tests.crosscheck.live import until
from tests.crosscheck.slack.judging import holding, sent
from tests.crosscheck.slack.making import HIDDEN, UNKNOWN, Stage
from tests.crosscheck.slack.outside import NAMES
from tests.crosscheck.slack.stage import BOARD, CARE, DEVELOPER, LEAD, SAFETY, addresses, text_of

ASKED = 36
"""Questions of the sampled law."""


@dataclass(frozen=True, slots=True)
class Conversation:
    channel: str
    """Empty for a direct message."""
    by: str
    more: frozenset[str] = frozenset()
    """Labels that its readers hold beside those of the organisation."""
    outside: bool = False


CONVERSATIONS = (
    Conversation("booking-dev", DEVELOPER),
    Conversation("qa-leads", LEAD),
    Conversation("board", BOARD, frozenset({"confluence:LED"})),
    Conversation("safety", LEAD, frozenset(SAFETY)),
    Conversation("", DEVELOPER),
    Conversation("", BOARD, frozenset({"confluence:LED"})),
    Conversation("partners", LEAD, outside=True),
    Conversation("harbour-systems", LEAD, outside=True),
    Conversation("season-pass-pilot", CARE, outside=True),
)


def held(conversation, company):
    """What everybody in the conversation may read."""
    if conversation.outside:
        return {"confluence:POL"} if conversation.channel == "partners" else set()
    return {"org", *company.open_to_all, *conversation.more}


def entered(office, conversation):
    channel = conversation.channel or office.direct(conversation.by)
    return Stage(office).enter(channel, conversation.by)


def asked_openly(stage, text):
    """A message in the conversation: a mention where it takes one."""
    direct = stage.channel.startswith("D")
    stage.ts = stage.write(text) if direct else stage.put(text)
    stage.office.over(stage.ts)
    return "\n".join(stage.everybody())


def asked_alone(stage, text):
    stage.command(text)
    return "\n".join(stage.alone())


def asked_by_shortcut(stage, text):
    ts = stage.write(text)
    assert stage.slack.shortcut(stage.office.person(stage.person), stage.channel, ts)
    stage.office.idle()
    return "\n".join(stage.alone())


WAYS = (asked_openly, asked_alone, asked_by_shortcut)


def test_nothing_is_told_of_what_somebody_in_the_conversation_may_not_read(usual, company):
    """Asked with the very words around the marker, which is what finds it best."""
    seeded = random.Random(6)
    told = set()
    for _ in range(ASKED):
        conversations = CONVERSATIONS if seeded.random() < 0.6 else [one for one in CONVERSATIONS if one.more]
        marker, conversation, way = seeded.choice(company.markers), seeded.choice(conversations), seeded.choice(WAYS)
        readable = set(marker.labels) <= held(conversation, company)
        usual.box.exchanges.clear()
        answer = way(entered(usual, conversation), seeded.choice(around(company, marker.word)))
        found = holding([marker.word], sent(usual.box))
        assert readable or found == [], (marker, conversation, way.__name__, answer)
        if found:
            told.add((marker.word, conversation.channel, way.__name__))
    assert len(told) >= 5, "hardly anything was told, so nothing was tried"


def around(company, word):
    """The sentences that hold a word, without it."""
    every = [version.text for page in company.pages for version in page.versions]
    every += [comment.text for ticket in company.tickets for comment in ticket.comments]
    every += [f"{ticket.summary}\n\n{ticket.description}" for ticket in company.tickets]
    sentences = [" ".join(one.split()) for text in every for one in re.split(r"(?<=[.!?])\s+|\n\n", text)]
    return [one.replace(word, "").strip(" .#") + "?" for one in sentences if word in one]


@pytest.mark.parametrize(
    ("conversation", "way"),
    [(one, WAYS[number % len(WAYS)]) for number, one in enumerate((*CONVERSATIONS, *CONVERSATIONS[:5]))],
)
def test_what_is_hidden_is_answered_like_what_does_not_exist(usual, company, conversation, way):
    hidden = {"Quenlow": "Quibbert", "Zephyrine": "Zibberine", "Ostrawick": "Obberwick"}
    readable = held(conversation, company)
    marker = [one for one in company.markers if one.word in hidden and not set(one.labels) <= readable][-1]
    nowhere = hidden[marker.word]
    stage = entered(usual, conversation)
    first = way(stage, f"What is the {marker.word}?")
    second = way(entered(usual, conversation), f"What is the {nowhere}?")
    assert timeless(first).replace(marker.word, nowhere) == timeless(second)


@pytest.mark.parametrize("wish", ["check {}", "test cases for {}", "{}"])
def test_a_hidden_key_is_answered_like_one_that_does_not_exist(usual, wish):
    stage = Stage(usual).open()
    first = asked_openly(stage, wish.format(HIDDEN))
    second = asked_openly(stage.enter(stage.channel), wish.format(UNKNOWN))
    assert timeless(first).replace(HIDDEN, UNKNOWN) == timeless(second)


def timeless(text):
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "NOW", text)


def test_what_was_said_in_one_channel_is_told_in_no_other(usual):
    said = "The spare key of pontoon Larkspur hangs behind the third lifebelt."
    stage = Stage(usual).open(private=True)
    root = stage.write(said)
    stage.ask("where does the spare key of pontoon Larkspur hang?", root)
    assert "third lifebelt" in "\n".join(stage.everybody())
    usual.box.exchanges.clear()
    for conversation, way in zip(CONVERSATIONS, itertools.cycle(WAYS), strict=False):
        way(entered(usual, conversation), "where does the spare key of pontoon Larkspur hang?")
    assert holding(["third lifebelt"], sent(usual.box)) == []


def test_the_home_tab_and_the_panel_tell_no_secret(usual, company):
    usual.box.exchanges.clear()
    asks = "Ewa Nowicka"
    for name in (asks, "Matteo Rinaldi", "Jonas Whitfield"):
        usual.box.slack.open_home(usual.person(name))
        until(lambda: usual.box.slack.home(usual.person(name)), "the home tab")  # noqa: B023  called at once
    stage = Stage(usual).enter(usual.direct(asks), asks)
    thread = stage.slack.open_assistant(usual.person(asks))
    for marker in company.markers[:3]:
        usual.over(stage.write(around(company, marker.word)[0], thread))
    usual.idle()
    assert holding([marker.word for marker in company.markers], sent(usual.box)) == []


def test_a_ticket_that_was_closed_since_it_was_read_is_told_to_nobody(usual):
    """The index still has it open."""
    stage = Stage(usual).open()
    before = asked_openly(stage, "what is GATE-901 about?")
    usual.box.jira.set_security("GATE-901", "Security team")
    try:
        after = asked_openly(stage.enter(stage.channel), "what is GATE-901 about?")
    finally:
        usual.box.jira.set_security("GATE-901", None)
    assert "fender winch pulls" in before
    assert "ender winch" not in after


QUESTIONS = (
    "what does the fender winch do, and whom does it greet?",
    "when does the fender winch stop?",
    "how is the fender winch brake released?",
    "check GATE-901",
    "test cases for GATE-901",
    "what is GATE-901 about?",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_outside_text_is_only_text(usual, question):
    """It calls nobody and leads nowhere, whether it comes from a ticket, a comment, a page or a message."""
    evil = "&lt;!channel&gt; <@U0AAAAAAA> @here *bold* ```x``` <http://evil.example/m|the plan>"
    stage = Stage(usual).open()
    root = stage.write(f"The fender winch greets {evil} too.")
    stage.ask(question, root)
    ours = (usual.box.jira_url, usual.box.confluence_url, usual.box.github_url, usual.box.slack_url)
    messages = stage.said()
    assert "winch" in "\n".join(map(str, (text_of(list(one.blocks)) for one in messages)))
    for message in messages:
        assert [address for address in addresses(message) if not address.startswith(ours)] == []
        called = [what for what in active(message.text, list(message.blocks)) if not what[1:].startswith(ours)]
        assert called == []
    assert usual.box.slack.pings == []


def test_names_arrive_to_the_character(usual):
    """Field report C4."""
    stage = Stage(usual).open()
    root = stage.write(f"The mooring relay reads {' and '.join(map(html.escape, NAMES))} at start.")
    (message,) = stage.ask("what does the mooring relay read at start?", root).said()
    text = text_of(list(message.blocks))
    assert [name for name in NAMES if name not in text] == []
