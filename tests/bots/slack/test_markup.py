"""Slack's markup as people read it, and whom a message speaks to."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.slack.markup import LONGEST_TEXT, mentioned, plain, source, without


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<https://jira.example/browse/PAY-1>", "https://jira.example/browse/PAY-1"),
        ("<https://jira.example/browse/PAY-1|PAY-1>", "PAY-1 (https://jira.example/browse/PAY-1)"),
        ("<http://example.com|example.com>", "example.com"),
        ("<https://a.example/?a=1&amp;b=2>", "https://a.example/?a=1&b=2"),
        ("<mailto:ana@x.example|ana@x.example>", "ana@x.example"),
        ("<tel:+4912|+49 12>", "+49 12 (+4912)"),
        ("hi <@U1>", "hi @U1"),
        ("hi <@U1|ana>", "hi @ana"),
        ("in <#C1|dev> and <#C2|> and <#C3>", "in #dev and #C2 and #C3"),
        ("<!here> <!channel|@channel> <!everyone>", "@here @channel @everyone"),
        ("<!subteam^S1|@qa-leads> <!subteam^S2>", "@qa-leads @subteam"),
        ("<!date^1392734382^{date_short}^https://x.example|18 Feb 2014>", "18 Feb 2014"),
        ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
        ("&lt;@U1&gt; is text", "<@U1> is text"),
        ("*bold* `code` a < b", "*bold* `code` a < b"),
        ("no\u202ehidden\x00 order", "nohidden order"),
    ],
)
def test_plain(text, expected):
    assert plain(text) == expected


@given(st.text(alphabet=st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), max_size=200))
def test_what_somebody_wrote_is_what_is_read(text):
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert plain(escaped) == plain(plain(escaped).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    assert all(char in plain(escaped) for char in text if char.isalnum() and char.isascii())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<@UBOT> check PAY-1", "check PAY-1"),
        ("<@UBOT>: check PAY-1", "check PAY-1"),
        ("  <@UBOT|crosscheck>,\ncheck PAY-1", "check PAY-1"),
        ("hey <@UBOT> is this right, <@UBOT>?", "hey is this right,?"),
        ("<@UOTHER> and <@UBOT>", "<@UOTHER> and"),
        ("<@UBOT>", ""),
        ("<@UBOTTOM> stays", "<@UBOTTOM> stays"),
    ],
)
def test_without_its_mention(text, expected):
    assert without(text, "UBOT") == expected


@pytest.mark.parametrize(
    "text",
    [
        "<@UBOT> hello",
        "hello <@UBOT|crosscheck>",
        "&gt; quoted\n<@UBOT> is that so?",
        "`code` <@UBOT>",
        "```block``` <@UBOT>",
        "it`s <@UBOT> what`s asked",  # backticks for apostrophes
        "one ``` that is never closed <@UBOT>",
        "3 &gt; 2, <@UBOT>?",
    ],
)
def test_spoken_to(text):
    assert mentioned(text) == {"UBOT"}


@pytest.mark.parametrize(
    "text",
    [
        "&gt; <@UBOT> check PAY-1\nthanks",
        "> <@UBOT> check PAY-1",
        "  &gt;<@UBOT> check",
        "see\n&gt;&gt;&gt; all of this\n<@UBOT> is quoted",
        "write `<@UBOT> check PAY-1`",
        "```\n<@UBOT> check PAY-1\n```",
        "&lt;@UBOT&gt;",
        "@crosscheck",
    ],
)
def test_merely_shown(text):
    assert mentioned(text) == frozenset()


def rich(*elements):
    return {"text": "", "blocks": [{"type": "rich_text", "elements": list(elements)}]}


def section(*elements, kind="rich_text_section"):
    return {"type": kind, "elements": list(elements)}


def test_blocks_speak_where_the_text_is_empty():
    said = section({"type": "user", "user_id": "UBOT"}, {"type": "text", "text": " is a < b?"})
    message = rich(said, section({"type": "text", "text": "x > y"}, kind="rich_text_preformatted"))
    assert source(message) == "<@UBOT> is a &lt; b?\n```x &gt; y```"
    assert plain(source(message)) == "@UBOT is a < b?\n```x > y```"
    assert source({**message, "text": "this"}) == "this"


def test_every_kind_of_element():
    inline = [
        {"type": "link", "url": "https://x.example/?a&b", "text": "x"},
        {"type": "channel", "channel_id": "C1"},
        {"type": "usergroup", "usergroup_id": "S1"},
        {"type": "broadcast", "range": "here"},
        {"type": "emoji", "name": "wave"},
        {"type": "date", "timestamp": 1, "fallback": "today"},
        {"type": "text", "text": "code", "style": {"code": True}},
        {"type": "color", "value": "#fff"},
    ]
    expected = "<https://x.example/?a&amp;b|x><#C1><!subteam^S1><!here>:wave:today`code`"
    assert source(rich(section(*inline))) == expected
    items = section(section({"type": "text", "text": "one"}), section(), kind="rich_text_list")
    assert source(rich(items)) == "• one\n• "
    quote = section({"type": "text", "text": "a\nb"}, kind="rich_text_quote")
    assert source(rich(quote)) == "&gt; a\n&gt; b"
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "A & B"}},
        {"type": "section", "text": {"type": "mrkdwn", "text": "<@UBOT>"}, "fields": [{"type": "mrkdwn", "text": "f"}]},
        {"type": "markdown", "text": "<b>"},
        {"type": "divider"},
    ]
    assert source({"blocks": blocks}) == "A &amp; B\n<@UBOT>\nf\n&lt;b&gt;"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "elements", "fields", "style", "url"]), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(json_values, st.sampled_from(["rich_text", "section", "markdown", []]))
def test_no_block_makes_it_fail(value, kind):
    assert isinstance(source({"text": None, "blocks": value}), str)
    assert isinstance(source({"blocks": [{"type": kind, "elements": value, "text": value, "fields": value}]}), str)
    assert isinstance(source({"blocks": [{"type": kind, "elements": [{"type": kind, "elements": value}]}]}), str)


def test_the_real_samples(shared):
    for path in (shared / "real/slack/java-slack-sdk/events").glob("Message*.json"):
        event = json.loads(path.read_text())["event"]
        assert isinstance(plain(source({**event, "text": ""})), str)


LONG = (
    *("<" * LONGEST_TEXT, "<@UBOT|" * 6_000, "`" * LONGEST_TEXT, "``` " * 10_000, " " * LONGEST_TEXT, "a`" * 20_000),
    *("&gt; `\n" * 6_000, "<@UBOT> " * 5_000, "<!date^" * 6_000, "\n \t" * 13_000, " <@UBOT" * 6_000),
)


@pytest.mark.parametrize("text", LONG, ids=lambda text: repr(text[:7]))
def test_the_longest_text_is_read_in_no_time(text):
    began = time.perf_counter()
    mentioned(text)
    without(text, "UBOT")
    plain(text)
    assert time.perf_counter() - began < 0.5


def test_longer_than_slack_allows_is_cut():
    assert len(source({"text": "a" * 50_000})) == LONGEST_TEXT
