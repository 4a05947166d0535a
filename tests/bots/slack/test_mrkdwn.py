"""Text that Slack parses: nothing in it lives."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.slack.fallback import BYTES, fallback
from bots.slack.mrkdwn import escape
from bots.text import clean

JOINER = "\u2060"


@pytest.mark.parametrize(
    "told",
    [
        "<!channel> <!here|here> <!everyone>",
        "<@U012AB3CD> <@W1|ana>",
        "<#C012AB3CD|general> <!subteam^S1>",
        "<https://evil.example|your bank>",
        "@here @channel @everyone @ana",
        "#general",
        "https://evil.example/a?b=c mailto:a@b.example www.evil.example evil.example",
        ":boom: :+1::skin-tone-2:",
        "*bold* _italic_ ~gone~ `code` ```block```",
        "&lt;!channel&gt;",
    ],
)
def test_what_slack_would_parse_is_broken(told):
    shown = escape(told)
    assert not re.search(r"<|>|[@#:]\w|\w\.\w|[*~`]\w|\b_\w|\w_\b", shown.replace("&lt;", "").replace("&gt;", ""))
    assert read(shown) == told


def read(shown):
    """As a person reads it."""
    return shown.replace(JOINER, "").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def test_a_quote_at_the_start_of_a_line_is_none():
    assert escape("> quoted") == f"{JOINER}&gt;{JOINER} quoted"


def test_what_is_harmless_stays_as_it_is():
    for told in ("PROJ-12 is done.", "check_user_lock and MAX_RETRY_COUNT", "1, 2 (3) [4] {x}", "שלום 👩‍👩‍👧"):
        assert escape(told) == told


@given(st.text())
def test_any_text_reads_the_same(told):
    assert read(escape(told)) == clean(told).replace(JOINER, "")


@given(st.text())
def test_any_text_calls_nobody(told):
    shown = escape(told)
    assert "<" not in shown
    assert ">" not in shown
    assert not re.search(r"&(?!amp;|lt;|gt;)|@\w|://|:\w+:", shown)


@given(st.lists(st.text(alphabet="a.<@é👩 \n", max_size=2_000), max_size=4))
def test_the_text_beside_blocks_is_short(told):
    blocks = [{"type": "rich_text", "elements": [_section(one)]} for one in told]
    shown = fallback(blocks)
    assert len(shown.encode()) <= BYTES
    whole = "\n".join(line for one in told for line in (" ".join(line.split()) for line in one.split("\n")) if line)
    assert read(shown) == whole or (shown.endswith(" …") and whole.startswith(read(shown.removesuffix(" …"))))


def _section(told):
    return {"type": "rich_text_section", "elements": [{"type": "text", "text": told}]}


def test_the_text_beside_blocks_tells_lists_and_tables():
    items = [_section("one"), _section("two")]
    numbered = {"type": "rich_text_list", "style": "ordered", "offset": 3, "elements": items}
    cells = [{"type": "raw_text", "text": "a"}, {"type": "rich_text", "elements": [_section("b")]}]
    assert (
        fallback(
            [
                {"type": "header", "text": {"type": "plain_text", "text": "Sources"}},
                {"type": "rich_text", "elements": [numbered, {**numbered, "style": "bullet", "offset": 0}]},
                {"type": "table", "rows": [cells]},
            ]
        )
        == "Sources\n4. one\n5. two\n- one\n- two\na | b"
    )
