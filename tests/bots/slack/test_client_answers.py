"""Slack's own published answers are read; the moments in them to the microsecond."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.errors import Unavailable
from bots.slack.answers import Bot, ChannelAnswer, Sent, Spoken, User, UserAnswer, moment, read, stamp

EXAMPLES = "real/slack/openapi-examples"


def published(shared, name):
    return json.loads((shared / EXAMPLES / f"{name}.200.json").read_text(encoding="utf-8"))


def test_published_answers(shared):
    bot = read(Bot, published(shared, "auth.test"), "the bot")
    assert (bot.user_id, bot.team_id, bot.url) == ("W12345678", "T12345678", "https://subarachnoid.slack.com/")
    channel = read(ChannelAnswer, published(shared, "conversations.info"), "a channel").channel
    assert channel.name
    assert not channel.closed
    user = read(UserAnswer, published(shared, "users.info"), "a person").user
    assert user.full_name
    assert not user.outside(user.team_id)
    sent = read(Sent, published(shared, "chat.postMessage"), "a message")
    assert sent.channel
    assert read(Sent, published(shared, "chat.update"), "a message").ts == "1401383885.000061"
    for name in ("conversations.replies", "conversations.history"):
        messages = [read(Spoken, raw, "a message") for raw in published(shared, name)["messages"]]
        assert all(message.is_speech and message.source for message in messages)


@pytest.mark.parametrize("name", ["conversations.info", "users.info", "auth.test"])
def test_every_field_that_slack_may_send(shared, name):
    """Whole answers, with every field there is."""
    payload = json.loads((shared / "real/slack/java-slack-sdk/api" / f"{name}.json").read_text(encoding="utf-8"))
    model = {"conversations.info": ChannelAnswer, "users.info": UserAnswer, "auth.test": Bot}[name]
    read(model, payload, name)


def test_what_is_missing_is_the_narrower():
    channel = read(ChannelAnswer, {"channel": {"id": "C1", "is_member": None, "name": None}}, "a channel").channel
    assert channel.closed
    assert read(User, {"id": "U1"}, "a person").outside("T1")


@pytest.mark.parametrize(
    ("user", "outside"),
    [
        ({"team_id": "T1"}, False),
        ({"team_id": "T2"}, True),
        ({"team_id": "T2", "enterprise_user": {"teams": ["T1", "T2"]}}, False),
        ({"team_id": "T1", "is_restricted": True}, True),
        ({"team_id": "T1", "is_ultra_restricted": True}, True),
        ({"team_id": "T1", "is_stranger": True}, True),
        ({"team_id": "T1", "is_restricted": True, "deleted": True}, False),
        ({"team_id": "T2", "is_bot": True}, False),
    ],
)
def test_who_is_from_outside(user, outside):
    assert read(User, {"id": "U1", **user}, "a person").outside("T1") is outside


@pytest.mark.parametrize("ts", ["", "1", "1.2", "1.0000001", "x.000001", None, "1.000001\n"])
def test_a_message_without_a_moment_is_none(ts):
    with pytest.raises(Unavailable, match="ts"):
        read(Spoken, {"ts": ts, "text": "what it says"}, "a message")


@given(st.integers(0, 99_999_999_999), st.integers(0, 999_999))
def test_moments_go_there_and_back(seconds, microseconds):
    ts = f"{seconds}.{microseconds:06d}"
    assert stamp(moment(ts)) == ts


def test_a_moment():
    assert moment("1401383885.000061") == datetime(2014, 5, 29, 17, 18, 5, 61, tzinfo=UTC)
