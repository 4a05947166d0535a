"""What strangers, a bad network and a Slack that misbehaves can do to the surface alone."""

import json
import time

import httpx
import pytest
from structlog.testing import capture_logs

from bots.errors import Rejected, Unavailable
from bots.slack import markup
from bots.slack.events import heard
from bots.wishes import parse
from tests.bots.slack.test_client_writing import calls, own, reply, start
from tests.bots.slack.test_events import BOT, delivery
from tests.bots.slack.test_listeners import Kept, until
from tests.bots.slack.test_socket import APP_TOKEN, HELLO, Server, listening


@pytest.fixture
def kept():
    return Kept()


@pytest.fixture
def trigger(box, client):
    return client.trigger(box.slack.channel("dev").id, box.slack.say("ana", "dev", f"{box.slack.mention} is all well?"))


# Texts

LONG = (
    *(
        "a" + ",;.-" * 499 + "b",
        "please " * 285,
        "drop " + "1, " * 650 + "x",
        "add " * 499,
        "x" + " please" * 280 + "y",
    ),
    *("test cases for " + "a" * 1_900, "and " * 490 + "add x", "add x " + ", and drop " * 150, "_" * 2_000),
    *(
        "drop" + " the" * 450,
        "drop " + "cases " * 300,
        "draft " + "the " * 450 + "x",
        "<https://jira.example/browse/" * 60,
    ),
)
LONGER = (
    *("`a" * 20_000, "```a" * 10_000, " " * 40_000, "\t>" * 20_000, "\n" * 40_000, "<" * 40_000, "<@" * 20_000),
    *("<@U1|" * 8_000, ("<" + "a" * 7_999) * 5, "\n &gt;" * 6_000, "`" * 40_000, "\n" + " " * 39_000 + "x"),
    *("<!date^" * 5_000, "&amp;" * 8_000, "<@U0BOT>" * 5_000, "<@U0BOT> " * 4_400),
)


@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
def test_no_text_takes_the_parser_long(text):
    began = time.thread_time()
    parse(text, "https://jira.example")
    assert time.thread_time() - began < 1


@pytest.mark.parametrize("text", LONGER, ids=range(len(LONGER)))
def test_no_text_takes_the_acknowledgement_long(text):
    """It is read before the three seconds are over."""
    began = time.thread_time()
    heard(delivery(text=text), BOT)
    heard(delivery(text=f"<@{BOT}> {text}"), BOT)
    assert time.thread_time() - began < 1


def nested(depth):
    block = {"type": "text", "text": f"<@{BOT}>"}
    for _ in range(depth):
        block = {"type": "rich_text", "elements": [block], "fields": [block], "text": block}
    return block


@pytest.mark.parametrize(
    "blocks",
    [nested(20), [nested(18)], [[[[]]]], [None, 5, "x", {"type": []}], [{"type": "rich_text", "elements": 5}] * 2_000],
)
def test_blocks_of_any_shape_say_nothing_or_something(blocks):
    assert isinstance(markup.source({"text": "", "blocks": blocks}), str)
    heard(delivery(text=None, blocks=blocks), BOT)


def test_the_name_of_an_event_is_one_short_line():
    found = heard(delivery(subtype="\x1b[2J\n{}\u202e" * 1_000), BOT)
    assert len(found.event) < 200
    assert found.event.isprintable()


# Addresses


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.slack.com.evil.example/commands/x",
        "https://evilslack.com/commands/x",
        "https://slack.com@evil.example/x",
        "https://evil.example/?hooks.slack.com",
        "https://evil.example#.slack.com",
        "http://hooks.slack.com/commands/x",
        "https://hooks.slack.com:8443/commands/x",
        "https://hooks.slack.com\\@evil.example/x",
        "file:///etc/passwd",
        "https://[::1]/x",
    ],
)
def test_an_answer_goes_to_slack_alone(client, url):
    with pytest.raises(Rejected) as refused:
        client.tell(url, {"text": "secret"}, until=time.monotonic() + 5)
    assert "evil" not in str(refused.value)


# The network


def test_no_wait_is_for_ever(kept):
    """Slack, or a proxy before it, asks to wait for 31 years."""
    server = Server(([HELLO], "stay"))
    server.refuse = [(429, {"Retry-After": "999999999"}, {"ok": False, "error": "ratelimited"})]
    try:
        with capture_logs() as logs, listening(server.site, APP_TOKEN, BOT, kept):
            until(lambda: [one for one in logs if "again_in" in one])
    finally:
        server.close()
    assert next(one["again_in"] for one in logs if "again_in" in one) <= 3_600


def test_an_envelope_that_cannot_be_read_costs_a_connection_at_most(kept):
    mention = json.dumps({"type": "events_api", "envelope_id": "e1", "payload": delivery()})
    odd = ["[" * 100_000, '{"a":' * 100_000, "[1]", "5", '{"type": 5}', '{"type": "events_api", "payload": 5}']
    server = Server(([HELLO, *odd, mention], "stay"), ([HELLO, mention], "stay"))
    try:
        with listening(server.site, APP_TOKEN, BOT, kept) as (socket, _, _):
            assert kept.wait(kept.messages)
            until(socket.alive)
    finally:
        server.close()


def test_one_channel_that_must_wait_does_not_stop_another(box, client, trigger):
    box.faults.add("POST", "/api/chat.postMessage", "status", 1, status=429, headers={"Retry-After": "999999"})
    with pytest.raises(Unavailable) as first:
        client.post(reply(trigger))
    assert first.value.retry_after == 3_600
    other = client.trigger(box.slack.channel("leads").id, box.slack.say("ana", "leads", f"{box.slack.mention} here?"))
    assert client.post(reply(other)).remote_id
    before = len(calls(box, "chat.postMessage"))
    with pytest.raises(Unavailable):
        client.post(reply(trigger))
    assert len(calls(box, "chat.postMessage")) == before


def test_a_sign_of_life_that_may_not_be_edited_goes(box, client, trigger):
    ts = start(client, trigger)
    refused = json.dumps({"ok": False, "error": "edit_window_closed"})
    box.faults.add("POST", "/api/chat.update", "status", 1, status=200, body=refused)
    client.post(reply(trigger, becomes=ts))
    assert [one.text for one in own(box, trigger.comment_id)] == ["All is well."]


def test_a_word_about_the_work_that_comes_too_late(box, client, trigger):
    """The edit was sent, no answer came, and Slack acts on it when the answer stands."""
    ts = start(client, trigger)
    client._speech._edits._last.clear()  # three seconds later
    box.faults.add("POST", "/api/chat.update", "drop_before")
    client.say(trigger.place, ts, "Searching", "k-1")
    client.post(reply(trigger, becomes=ts))
    (late, *_) = calls(box, "chat.update")
    headers = {name: late.headers[name] for name in ("content-type", "authorization")}
    httpx.post(f"{box.slack_url}/api/chat.update", content=late.body, headers=headers)
    assert [one.text for one in own(box, trigger.comment_id)] == ["All is well."]


def test_a_channel_without_anybody_in_it(box, client):
    """Somebody must be in it: who, is not known."""
    answer = json.dumps({"ok": True, "members": []})
    box.faults.add("POST", "/api/conversations.members", "status", 1, status=200, body=answer)
    assert client.place(box.slack.channel("dev").id).customers
