"""What the sandbox's Slack says, judged by the vendor's description, by slack_sdk, and by real payloads."""

import json

import pytest
import requests

from sandbox.load import load_company
from sandbox.server import Sandbox
from tests.sandbox.slack_fixtures import Listener, web
from tests.sandbox.slack_specs import problems

PRIYA, LUCA, DEV, QA, SHARED = "priya.raman", "luca.ferretti", "booking-dev", "qa-leads", "harbour-systems"
BOLT = "real/slack/bolt-python"
EVENTS = "real/slack/java-slack-sdk/events"
API = "real/slack/java-slack-sdk/api"

OPTIONAL = {
    "authed_users",  # replaced by `authorizations`
    "authed_teams",
    "enterprise_id",  # of enterprise grids
    "enterprise",
    "enterprise_name",
    "thumb",
    "event_context",
    "client_msg_id",
}


@pytest.fixture(scope="module")
def box():
    with Sandbox.start(load_company()) as running:
        yield running


@pytest.fixture(scope="module")
def heard(box):
    """One of each kind of delivery."""
    app, slack, client = Listener(box), box.slack, web(box)
    dev = slack.channel(DEV).id
    root = slack.say(PRIYA, DEV, f"{slack.mention} what?", files=None)
    slack.say(LUCA, DEV, "to all", root, broadcast=True)
    slack.say(PRIYA, DEV, "file", files={"shot.png": b"png"})
    slack.edit(DEV, root, f"{slack.mention} what then?")
    lonely = slack.say(PRIYA, DEV, "gone soon")
    slack.delete(DEV, lonely)
    button = {"type": "button", "action_id": "up", "value": "1", "text": {"type": "plain_text", "text": "x"}}
    blocks = [{"type": "actions", "elements": [button]}]
    posted = client.chat_postMessage(channel=dev, text="x", blocks=blocks)["ts"]
    slack.add_member(DEV, "nora.lindqvist")
    slack.command(PRIYA, DEV, "x")
    assert slack.shortcut(PRIYA, DEV, root)
    assert slack.click(PRIYA, DEV, posted, "up")
    text = {"type": "plain_text", "text": "x"}
    field = {"type": "input", "label": text, "element": {"type": "plain_text_input", "action_id": "a"}}
    view = {"type": "modal", "title": text, "submit": text, "close": text, "blocks": [field]}
    opened = client.views_open(trigger_id=slack.triggers.give(slack.user(PRIYA).id), view=view)["view"]["id"]
    slack.submit(next(v for v in slack.modals(PRIYA) if v.id == opened), {"a": "test"})
    assert slack.wait()
    app.close()
    return app.heard


def tour(client, slack):
    """Every method once, and what it refuses."""
    dev, priya = slack.channel(DEV).id, slack.user(PRIYA).id
    client.auth_test()
    root = slack.say(PRIYA, DEV, f"{slack.mention} what?", files={"a.png": b"x"})
    for name in (DEV, QA, SHARED):
        client.conversations_info(channel=slack.channel(name).id, include_num_members=True)
    client.conversations_info(channel=slack.direct(PRIYA))
    client.conversations_members(channel=dev, limit=2)
    client.conversations_list(types="public_channel,private_channel,im,mpim", limit=3, exclude_archived=True)
    client.users_conversations(types="public_channel")
    for user in (PRIYA, "mirela.popescu", slack.bot.name):
        client.users_info(user=slack.user(user).id)
    client.users_list(limit=5)
    metadata = {"event_type": "delivery", "event_payload": {"key": "k"}}
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "x"}}]
    ts = client.chat_postMessage(channel=dev, text="x", blocks=blocks, thread_ts=root, metadata=metadata)["ts"]
    client.chat_update(channel=dev, ts=ts, text="y", metadata=metadata)
    client.chat_postEphemeral(channel=dev, user=priya, text="x")
    client.chat_getPermalink(channel=dev, message_ts=ts)
    client.conversations_replies(channel=dev, ts=root, include_all_metadata=True, limit=50)
    client.conversations_history(channel=dev, oldest="0", limit=2)
    client.conversations_open(users=priya)
    begun = client.files_getUploadURLExternal(filename="a.csv", length=3)
    requests.post(begun["upload_url"], data=b"a,b", timeout=10)
    files = [{"id": begun["file_id"], "title": "t"}]
    client.files_completeUploadExternal(files=files, channel_id=dev, thread_ts=root)
    client.files_info(file=begun["file_id"])
    client.files_delete(file=begun["file_id"])
    client.chat_delete(channel=dev, ts=ts)
    client.views_publish(user_id=priya, view={"type": "home", "blocks": blocks})
    thread, channel = slack.open_assistant(PRIYA), slack.direct(PRIYA)
    client.assistant_threads_setStatus(channel_id=channel, thread_ts=thread, status="searching")
    client.assistant_threads_setTitle(channel_id=channel, thread_ts=thread, title="t")
    prompts = [{"title": "t", "message": "m"}]
    client.assistant_threads_setSuggestedPrompts(channel_id=channel, thread_ts=thread, prompts=prompts)
    client.apps_connections_open(app_token=slack.app_token)


def refusals(box):
    for path, body in (
        ("chat.postMessage", {"channel": "C0", "text": "x"}),
        ("conversations.replies", {"channel": "C0", "ts": "1.1"}),
        ("users.info", {"user": "U0"}),
        ("chat.update", {"channel": "C0", "ts": "1503435956.000247", "text": "x"}),
    ):
        headers = {"authorization": f"Bearer {box.slack.token}"}
        requests.post(f"{box.slack_url}/api/{path}", data=body, headers=headers, timeout=10)


def test_every_answer_is_as_described(box, shared):
    box.exchanges.clear()
    tour(web(box), box.slack)
    refusals(box)
    exchanges = [e for e in box.exchanges.all("slack") if e.path.startswith("/api/")]
    assert len(exchanges) == 33
    found = {f"{e.path} {e.response_body[:80]!r}": wrong for e in exchanges if (wrong := problems(shared, e))}
    assert found == {}


def test_the_judge_sees_what_is_wrong(box, shared):
    box.exchanges.clear()
    headers = {"authorization": f"Bearer {box.slack.token}"}
    dev = box.slack.channel(DEV).id
    url = f"{box.slack_url}/api"
    requests.post(f"{url}/chat.postMessage", json={"channel": dev, "text": "x", "thread": "1"}, headers=headers)
    requests.get(f"{url}/conversations.info", params={"channel": dev, "verbose": "1"}, headers=headers)
    requests.post(f"{url}/assistant.threads.setStatus", json={"channel_id": dev, "text": "x"}, headers=headers)
    exchanges = box.exchanges.all("slack")
    assert [bool(problems(shared, exchange)) for exchange in exchanges] == [True, True, True]
    exchanges[0].response_body = exchanges[0].response_body.replace(b'"ts"', b'"tz"')
    assert any(problem.startswith("response") for problem in problems(shared, exchanges[0]))


def kind_of(item):
    return item.get("type") if isinstance(item, dict) else None


def unlike(real, ours, where=""):
    """Fields that Slack's payload has and ours lacks, or has with another type. Of lists, the first item of Slack's and
    the first of ours that has its type.
    """
    if isinstance(real, dict) and isinstance(ours, dict):
        out = [
            f"{where}/{name} is missing" for name in real if name not in ours and not name.startswith(tuple(OPTIONAL))
        ]
        return out + [problem for n in real if n in ours for problem in unlike(real[n], ours[n], f"{where}/{n}")]
    if isinstance(real, list) and isinstance(ours, list):
        fitting = [item for item in ours if not real or kind_of(item) == kind_of(real[0])]
        return unlike(real[0], fitting[0], f"{where}[]") if real and fitting else []
    if real is None or ours is None or type(real) is type(ours):
        return []
    return [f"{where} is {type(ours).__name__}, not {type(real).__name__}"]


def event(heard, **fitting):
    found = [r.payload for r in heard if r.type == "events_api"]
    return next(b for b in found if all(b["event"].get(name) == value for name, value in fitting.items()))


@pytest.mark.parametrize(
    ("path", "fitting"),
    [
        (f"{BOLT}/test_events.TestEvents.valid_event_body.json", {"type": "app_mention"}),
        (f"{BOLT}/test_message.message_body.json", {"type": "message", "subtype": None}),
        (f"{BOLT}/test_message_file_share.event_payload.json", {"subtype": "file_share"}),
        (f"{BOLT}/test_message_changed.event_payload.json", {"subtype": "message_changed"}),
        (f"{BOLT}/test_message_deleted.event_payload.json", {"subtype": "message_deleted"}),
        (f"{BOLT}/test_message_thread_broadcast.event_payload.json", {"subtype": "thread_broadcast"}),
        (f"{BOLT}/test_message_bot.bot_message_event_payload.json", {"text": "x"}),
    ],
)
def test_events_have_what_slack_sends(heard, shared, path, fitting):
    real = json.loads((shared / path).read_text())
    for thumbnail in [name for file in real["event"].get("files", ()) for name in file if name.startswith("thumb")]:
        real["event"]["files"][0].pop(thumbnail)
    wrong = unlike(real, event(heard, **fitting))
    assert [w for w in wrong if not w.endswith(("original_w is missing", "original_h is missing"))] == []


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (f"{BOLT}/test_block_actions.body.json", "block_actions"),
        (f"{BOLT}/test_shortcut.message_shortcut_body.json", "message_action"),
        (f"{BOLT}/test_view_submission.body.json", "view_submission"),
    ],
)
def test_interactions_have_what_slack_sends(heard, shared, path, kind):
    real = json.loads((shared / path).read_text())
    ours = next(r.payload for r in heard if r.type == "interactive" and r.payload["type"] == kind)
    real.get("view", {}).get("state", {}).pop("values", None)
    real.get("actions", [{}])[0].get("text", {}).pop("emoji", None)
    assert unlike(real, ours) == []


@pytest.mark.parametrize("name", ["AppMention", "Message", "MessageChanged", "MessageDeleted", "MemberJoinedChannel"])
def test_events_have_no_field_that_slack_does_not_know(heard, shared, name):
    kinds = {
        "AppMention": {"type": "app_mention"},
        "Message": {"type": "message", "subtype": None},
        "MessageChanged": {"subtype": "message_changed"},
        "MessageDeleted": {"subtype": "message_deleted"},
        "MemberJoinedChannel": {"type": "member_joined_channel"},
    }
    known = json.loads((shared / EVENTS / f"{name}Payload.json").read_text())
    ours = event(heard, **kinds[name])
    assert ours["event"].keys() - known["event"].keys() - {"metadata"} == set()


@pytest.mark.parametrize(
    ("method", "part"),
    [("auth.test", None), ("conversations.info", "channel"), ("users.info", "user")],
)
def test_answers_have_no_field_that_slack_does_not_know(box, shared, method, part):
    known = json.loads((shared / API / f"{method}.json").read_text())
    arguments = {"channel": box.slack.channel(SHARED).id, "user": box.slack.user(PRIYA).id}
    said = web(box).api_call(method, http_verb="GET", params=arguments).data
    known, said = (known[part], said[part]) if part else (known, said)
    extra = {"parent_conversation", "ok"}  # of the description's own example
    assert said.keys() - known.keys() - extra == set()
