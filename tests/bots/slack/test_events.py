"""What Slack delivers: what counts, what is ignored and why."""

import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.errors import BadEvent
from bots.slack.events import Heard, Ignored, Opened, Private, Quoted, Rated, at_home, heard, opened
from bots.slack.interactions import asked_about, commanded, pressed, reasoned
from bots.slack.markup import LONGEST_TEXT
from bots.slack.modals import reason_modal

BOT = "U0BOT"
EVENT = {
    "type": "message",
    "channel": "C0DEV",
    "channel_type": "channel",
    "user": "U0ANA",
    "text": f"<@{BOT}> check PAY-12",
    "ts": "1700000000.000100",
    "event_ts": "1700000000.000100",
    "team": "T0FIRM",
}
HEARD = Heard(
    "T0FIRM",
    "C0DEV",
    "1700000000.000100",
    "1700000000.000100",
    "U0ANA",
    "check PAY-12",
    direct=False,
    mentioned=True,
    event_id="Ev1",
)


def delivery(event_id="Ev1", **changes):
    """`None` takes a field away."""
    event = {name: value for name, value in (EVENT | changes).items() if value is not None}
    return {"type": "event_callback", "team_id": "T0FIRM", "event_id": event_id, "event": event}


def mention(event_id="Ev2", **changes):
    return delivery(event_id, type="app_mention", channel_type=None, **changes)


def test_both_events_of_one_message_are_the_same():
    assert heard(delivery(), BOT) == HEARD
    assert heard(mention(), BOT) == replace(HEARD, event_id="Ev2")


@pytest.mark.parametrize("more", [{}, {"thread_ts": "1699999999.000100"}, {"channel": "D0ANA"}, {"files": [{}]}])
def test_both_are_the_same_wherever_it_is_written(more):
    kind = {"channel_type": "im"} if more.get("channel") else {}
    assert heard(delivery(**more, **kind), BOT) == replace(heard(mention(**more), BOT), event_id="Ev1")


def test_a_message_in_a_thread():
    found = heard(delivery(thread_ts="1699999999.000100"), BOT)
    assert found == replace(HEARD, thread="1699999999.000100")


def test_a_direct_message_needs_no_mention():
    found = heard(delivery(channel="D0ANA", channel_type="im", text="is that <@U0BEN>'s?"), BOT)
    assert found == replace(HEARD, channel="D0ANA", direct=True, text="is that @U0BEN's?")


@pytest.mark.parametrize("kind", ["group", "mpim", "channel"])
def test_elsewhere_it_needs_one(kind):
    channel = "G0LEADS" if kind != "channel" else "C0DEV"
    assert isinstance(heard(delivery(channel=channel, channel_type=kind), BOT), Heard)
    unmentioned = heard(delivery(channel=channel, channel_type=kind, text="check PAY-12"), BOT)
    assert unmentioned == Ignored("message", "not addressed to the bot")


def test_a_follow_up():
    found = heard(delivery(thread_ts="1699999999.000100", text="and on Sundays?"), BOT)
    assert found == replace(HEARD, thread="1699999999.000100", text="and on Sundays?", mentioned=False)


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast", "me_message"])
def test_a_persons_words_in_other_kinds_of_message(subtype):
    assert heard(delivery(subtype=subtype), BOT) == HEARD


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"bot_id": "B1"}, "by a bot"),
        ({"bot_id": "B1", "user": None}, "by a bot"),
        ({"subtype": "bot_message", "user": None}, "by a bot"),
        ({"user": BOT}, "by a bot"),
        ({"user": "USLACKBOT"}, "by a bot"),
        ({"subtype": "message_deleted"}, "deleted"),
        ({"subtype": "message_replied"}, "about a thread"),
        ({"user": None, "message": {}}, "about a thread"),
        ({"subtype": "channel_join"}, "not a person's words"),
        ({"text": "<@U0OTHERBOT> check PAY-12"}, "addressed to somebody else"),
        ({"text": "<@U0OTHERBOT> and you?", "thread_ts": "1.1"}, "addressed to somebody else"),
        ({"text": f"&gt; <@{BOT}> check PAY-12\nthanks"}, "not addressed to the bot"),
        ({"text": f"write `<@{BOT}> check PAY-12`"}, "not addressed to the bot"),
        ({"text": f"```<@{BOT}> check PAY-12```"}, "not addressed to the bot"),
        ({"text": "", "thread_ts": "1.1", "subtype": "file_share"}, "no words"),
    ],
)
def test_ignored(changes, reason):
    found = heard(delivery(**changes), BOT)
    assert isinstance(found, Ignored)
    assert found.reason == reason


def test_what_blocks_say_counts_where_there_is_no_text():
    elements = [{"type": "user", "user_id": BOT}, {"type": "text", "text": " hello"}]
    section = {"type": "rich_text_section", "elements": elements}
    found = heard(delivery(text="", blocks=[{"type": "rich_text", "elements": [section]}]), BOT)
    assert found == replace(HEARD, text="hello")


def edit(now, before, **more):
    message = {"type": "message", "user": "U0ANA", "ts": EVENT["ts"], **more}
    return delivery(
        subtype="message_changed",
        user=None,
        text=None,
        ts="1700000009.000100",
        hidden=True,
        message={**message, "text": now, "edited": {"user": "U0ANA", "ts": "1700000009.000000"}},
        previous_message={**message, "text": before},
    )


def test_an_edit_that_first_addresses_the_bot_is_the_message_itself():
    assert heard(edit(f"<@{BOT}> check PAY-12", "check PAY-12"), BOT) == HEARD
    quoted = heard(edit(f"<@{BOT}> check PAY-12", f"`<@{BOT}>`"), BOT)
    assert quoted == HEARD


@pytest.mark.parametrize(
    ("now", "before", "more"),
    [
        (f"<@{BOT}> check PAY-12", f"<@{BOT}> check PAY-12", {"attachments": [{}]}),  # a link's preview
        (f"<@{BOT}> check PAY-12", f"<@{BOT}> chekc PAY-12", {}),
        (f"<@{BOT}> check PAY-13", f"<@{BOT}> check PAY-12", {}),
        ("Looking ...", "Looking .", {"user": BOT, "bot_id": "B1"}),  # its own
        (f"<@{BOT}> new", "old", {"bot_id": "B1"}),
        ("never mind", f"<@{BOT}> check PAY-12", {}),
        ("b", "a", {"thread_ts": "1.1"}),
    ],
)
def test_other_edits_are_ignored(now, before, more):
    assert isinstance(heard(edit(now, before, **more), BOT), Ignored)


def test_an_edit_in_a_direct_message_was_heard_before():
    body = edit(f"<@{BOT}> b", "a")
    body["event"] |= {"channel": "D0ANA", "channel_type": "im"}
    assert isinstance(heard(body, BOT), Ignored)


def test_an_edit_of_which_the_former_text_is_unknown():
    body = edit(f"<@{BOT}> b", "a")
    del body["event"]["previous_message"]
    assert isinstance(heard(body, BOT), Ignored)


@pytest.mark.parametrize(
    "changes",
    [
        {"channel": "dev"},
        {"channel": "C0/../x"},
        {"channel": None},
        {"ts": "yesterday"},
        {"ts": "1700000000.000100\n"},
        {"thread_ts": "1|2"},
        {"user": "ana"},
        {"user": None},
        {"channel_type": 5},
    ],
)
def test_what_is_not_as_slack_describes_it(changes):
    with pytest.raises(BadEvent) as caught:
        heard(delivery(**changes), BOT)
    assert "PAY-12" not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        {"type": "event_callback"},
        {"type": "event_callback", "event": []},
        {"type": "event_callback", "event": {"type": 1}},
        delivery(subtype="message_changed"),
        {**delivery(), "team_id": "x|y"},
    ],
)
def test_a_broken_envelope(body):
    with pytest.raises(BadEvent):
        heard(body, BOT)


def test_a_message_of_a_stranger_in_a_shared_channel():
    body = delivery(user="W0STRANGER", user_team="E0OTHER", source_team="E0OTHER", team="E0OTHER")
    body |= {"is_ext_shared_channel": True, "context_team_id": "T0FIRM", "context_enterprise_id": None}
    assert heard(body, BOT) == replace(HEARD, user="W0STRANGER")


def test_a_message_of_40000_characters():
    end = f" <@{BOT}>"
    found = heard(delivery(text="&lt;" * 9_990 + end), BOT)
    assert isinstance(found, Heard)
    assert found.text == "<" * 9_990
    assert isinstance(heard(delivery(text="a" * LONGEST_TEXT + end), BOT), Ignored)


def test_the_real_payloads(shared):
    """Each is heard, ignored with a reason, or refused as not being what Slack describes; as it is and as an event."""
    found = {}
    for path in sorted((shared / "real/slack").glob("[bj]*/**/*.json")):
        body = json.loads(path.read_text())
        for one in (body, {**body, "type": "event_callback"}):
            for bot in ("W111", BOT):
                found[path.stem, bot] = outcome(one, bot)
    assert found["test_events.TestEvents.valid_event_body", "W111"] == "Hi there!"
    assert found["test_events_shared_channels.TestEventsSharedChannels.valid_event_body", "W111"] == "Hi there!"
    assert found["test_message_thread_broadcast.event_payload", BOT] == "Hi there!"
    assert found["test_message_bot.bot_message_event_payload", BOT] == "by a bot"
    assert found["test_message_bot.classic_bot_message_event_payload", BOT] == "by a bot"
    assert found["test_message_bot.user_message_event_payload", BOT] == "not addressed to the bot"
    assert found["test_message_file_share.event_payload", BOT] == "not addressed to the bot"
    assert found["test_message_changed.event_payload", BOT] == "edited, and it does not address the bot"
    assert found["test_message_deleted.event_payload", BOT] == "deleted"
    assert found["MessageRepliedPayload", BOT] == "about a thread"
    assert found["MessagePayload", BOT] == "refused"  # all fields are blank
    assert all(found.values())


def outcome(body, bot):
    try:
        one = heard(body, bot)
    except BadEvent:
        return "refused"
    return one.text if isinstance(one, Heard) else one.reason


def test_the_real_shapes_with_values(shared):
    """The vendor's samples of every field, filled: what has no bot in it counts."""
    for name, expected in (("AppMention", Heard), ("Message", Heard), ("MessageFileShare", Heard)):
        body = json.loads((shared / f"real/slack/java-slack-sdk/events/{name}Payload.json").read_text())
        ids = {
            "channel": "C0DEV",
            "user": "U0ANA",
            "ts": "1.1",
            "text": f"<@{BOT}> hi",
            "bot_id": "",
            "channel_type": "",
        }
        body |= {"type": "event_callback", "team_id": "T0FIRM", "event": body["event"] | ids}
        assert isinstance(heard(body, BOT), expected), name


ids = st.sampled_from(["", "C0DEV", "U0ANA", BOT, "1.1", "im", "message_changed", None, 5, [], {}, ["x"], {"x": 1}])


@given(
    st.dictionaries(st.sampled_from(sorted({*EVENT, "subtype", "thread_ts", "message", "previous_message"})), ids),
    st.dictionaries(st.sampled_from(["type", "team_id", "event"]), ids),
)
def test_nothing_else_is_raised(changes, envelope):
    body = delivery()
    body["event"] |= changes
    for one in (body, body | envelope):
        with suppress(BadEvent):
            assert isinstance(heard(one, BOT), Heard | Ignored)


COMMAND = {
    "token": "verification",
    "team_id": "T0FIRM",
    "team_domain": "firm",
    "channel_id": "C0DEV",
    "channel_name": "dev",
    "user_id": "U0ANA",
    "command": "/crosscheck",
    "text": " check &lt;PAY-12&gt; ",
    "response_url": "https://hooks.slack.com/commands/T0FIRM/1/x",
    "trigger_id": "1.2.abc",
    "is_enterprise_install": "false",
}


def test_a_slash_command():
    asked = Private("T0FIRM", "C0DEV", "U0ANA", "check <PAY-12>", "1.2.abc", COMMAND["response_url"], None)
    assert commanded(COMMAND) == asked
    assert commanded({k: v for k, v in COMMAND.items() if k != "text"}) == replace(asked, text="")


@pytest.mark.parametrize("changes", [{"trigger_id": "a b"}, {"channel_id": ""}, {"response_url": "file:///etc/x"}])
def test_a_broken_command(changes):
    with pytest.raises(BadEvent):
        commanded(COMMAND | changes)


def test_a_shortcut(shared):
    body = json.loads((shared / "real/slack/bolt-python/test_shortcut.message_shortcut_body.json").read_text())
    quoted = Quoted("1583636382.000300", "1583636382.000300", "W111", "@W222 test")
    url = "https://hooks.slack.com/app/T111/111/xxx"
    assert asked_about(body) == Private("T111", "C111", "W111", "", "111.222.xxx", url, quoted)


def test_a_shortcut_of_an_installation_for_the_whole_organisation():
    message = {"ts": "2.1", "thread_ts": "1.1", "bot_id": "B1", "text": "&lt;b&gt;"}
    body = {"user": {"id": "U0ANA", "team_id": "T0FIRM"}, "team": None, "channel": {"id": "C0DEV"}, "message": message}
    body |= {"trigger_id": "1.2.a", "response_url": "https://hooks.slack.com/x"}
    assert asked_about(body).team == "T0FIRM"
    assert asked_about(body).message == Quoted("2.1", "1.1", "B1", "<b>")
    body["user"] = {"id": "U0ANA"}
    with pytest.raises(BadEvent):
        asked_about(body)


def press(**button):
    actions = [{"type": "button", "block_id": "b", "action_id": "crosscheck_up", "value": "12"} | button]
    return {"type": "block_actions", "user": {"id": "U0ANA"}, "trigger_id": "1.2.a", "actions": actions}


def test_a_button():
    assert pressed(press()) == Rated(12, "U0ANA", "up", "", "1.2.a")
    assert pressed(press(action_id="crosscheck_down")).verdict == "down"


@pytest.mark.parametrize(
    "button", [{"value": "x"}, {"value": "-1"}, {"value": "0"}, {"action_id": "a"}, {"value": None}]
)
def test_a_button_that_is_not_ours(button):
    with pytest.raises(BadEvent):
        pressed(press(**button))


@pytest.mark.parametrize(
    ("written", "reason"), [("  wrong\u202e limit ", "wrong limit"), (None, ""), ("x" * 9_000, "x" * 3_000)]
)
def test_a_reason(written, reason):
    view = reason_modal(12, "down")
    field = view["blocks"][0]
    state = {"values": {field["block_id"]: {field["element"]["action_id"]: {"value": written}}}}
    body = {"type": "view_submission", "user": {"id": "U0ANA"}, "view": {**view, "state": state}}
    assert reasoned(body) == Rated(12, "U0ANA", "down", reason, None)


def test_what_is_opened():
    panel = {"user_id": "U0ANA", "channel_id": "D0ANA", "thread_ts": "1.1", "context": {}}
    assert opened({"event": {"type": "assistant_thread_started", "assistant_thread": panel}}) == Opened("D0ANA", "1.1")
    assert at_home({"event": {"type": "app_home_opened", "user": "U0ANA", "tab": "home"}}) == "U0ANA"
    assert at_home({"event": {"type": "app_home_opened", "user": "U0ANA", "tab": "messages"}}) is None
    with pytest.raises(BadEvent):
        opened({"event": {}})
