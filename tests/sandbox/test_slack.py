"""The sandbox's Slack by its Web API, driven with slack_sdk."""

from http.client import RemoteDisconnected

import pytest
import requests
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from sandbox.load import load_company
from sandbox.records import Channel
from sandbox.server import Sandbox
from tests.sandbox.slack_fixtures import error, web
from tests.sandbox_fixtures import company

PRIYA, LUCA, EWA, NORA, MIRELA = "priya.raman", "luca.ferretti", "ewa.nowicka", "nora.lindqvist", "mirela.popescu"
DEV, QA, SHARED, PILOT, QUAY = "booking-dev", "qa-leads", "harbour-systems", "season-pass-pilot", "quay-operations"


@pytest.fixture(scope="module")
def running():
    with Sandbox.start(load_company()) as running:
        yield running


@pytest.fixture
def box(running):
    """The workspace is as the last test left it; each works in threads and channels of its own."""
    running.exchanges.clear()
    running.faults.clear()
    running.slack.pings.clear()
    running.slack.deliveries.patience = 0.01
    return running


@pytest.fixture
def slack(box):
    return box.slack


@pytest.fixture
def client(box) -> WebClient:
    return web(box)


@pytest.fixture
def dev(slack) -> str:
    return slack.channel(DEV).id


@pytest.fixture
def room(slack, request) -> str:
    """A channel of its own."""
    people = tuple(slack.user(name).person for name in (PRIYA, LUCA))
    return slack.create(Channel(f"room-{len(slack.workspace.conversations)}", people))


def section(text):
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


# Who and what there is


def test_the_app_knows_itself(client, slack):
    said = client.auth_test()
    assert (said["user_id"], said["bot_id"], said["team"]) == (slack.bot.id, slack.bot.bot_id, "skerryline")
    assert "chat:write" in said.headers["x-oauth-scopes"].split(",")


def test_ids_are_the_same_in_every_run(slack):
    with Sandbox.start(load_company()) as other:
        assert other.slack.user(PRIYA).id == slack.user(PRIYA).id
        assert other.slack.channel(DEV).id == slack.channel(DEV).id


@pytest.mark.parametrize(
    ("token", "expected"), [("xoxb-wrong", "invalid_auth"), ("app", "not_allowed_token_type"), ("", "not_authed")]
)
def test_tokens(box, token, expected):
    client = WebClient(token=box.slack.app_token if token == "app" else token or None, base_url=f"{box.slack_url}/api/")
    assert error(client.auth_test) == expected


def test_the_app_token_opens_sockets_only(box, client, slack):
    assert error(client.apps_connections_open, app_token=slack.token) == "not_allowed_token_type"
    assert client.apps_connections_open(app_token=slack.app_token)["url"].startswith("ws://127.0.0.1")


def test_revoked_tokens(client, slack):
    slack.api.revoked = True
    try:
        assert error(client.auth_test) == "token_revoked"
    finally:
        slack.api.revoked = False


def test_a_missing_scope_is_named(client, slack, dev):
    slack.api.scopes.remove("chat:write")
    try:
        with pytest.raises(SlackApiError) as refused:
            client.chat_postMessage(channel=dev, text="x")
    finally:
        slack.api.scopes.add("chat:write")
    said = refused.value.response
    assert (said["error"], said["needed"]) == ("missing_scope", "chat:write")
    assert "chat:write" not in said["provided"].split(",")


def test_what_a_channel_is(client, slack):
    def shown(name):
        return client.conversations_info(channel=slack.channel(name).id, include_num_members=True)["channel"]

    assert shown("general") | {"is_general": True, "is_private": False, "num_members": 13} == shown("general")
    assert (shown(QA)["is_private"], shown(QA)["is_group"], shown(QA)["is_channel"]) == (True, True, False)
    shared = shown(SHARED)
    assert (shared["is_ext_shared"], len(shared["connected_team_ids"])) == (True, 1)
    direct = client.conversations_info(channel=slack.direct(PRIYA))["channel"]
    assert (direct["is_im"], direct["user"]) == (True, slack.user(PRIYA).id)
    group = client.conversations_info(channel=slack.direct(PRIYA, LUCA))["channel"]
    assert (group["is_mpim"], group["is_private"]) == (True, True)


def test_who_is_in_a_channel(client, slack):
    members = client.conversations_members(channel=slack.channel(PILOT).id)["members"]
    guests = [m for m in members if client.users_info(user=m)["user"].get("is_restricted")]
    assert guests == [slack.user(MIRELA).id]
    strangers = client.conversations_members(channel=slack.channel(SHARED).id)["members"]
    foreign = [u for u in (client.users_info(user=m)["user"] for m in strangers) if u.get("is_stranger")]
    assert [user["real_name"] for user in foreign] == ["Odile Marchand", "Bram Visser"]
    assert all(user["team_id"] != slack.workspace.team for user in foreign)


def test_paging_by_cursor(client, slack):
    general, seen, cursor = slack.channel("general"), [], ""
    while True:
        page = client.conversations_members(channel=general.id, limit=4, cursor=cursor)
        seen += page["members"]
        cursor = page["response_metadata"]["next_cursor"]
        if not cursor:
            break
    assert seen == general.members
    assert error(client.conversations_members, channel=general.id, cursor="nonsense") == "invalid_cursor"
    assert error(client.conversations_members, channel=general.id, limit=100000) == "invalid_limit"


def test_lists(client, slack):
    def names(call, **more):
        return {channel["name"] for channel in call(types="public_channel,private_channel", **more)["channels"]}

    assert {"general", DEV, QA, QUAY} <= names(client.conversations_list)
    assert QUAY not in names(client.users_conversations)
    assert QA in names(client.users_conversations, user=slack.user(EWA).id)
    users = {user["id"] for user in client.users_list()["members"]}
    assert slack.user(MIRELA).id in users
    assert not any(slack.workspace.users[user].team != slack.workspace.team for user in users)


def test_a_private_channel_without_the_bot_is_not_there(client, slack):
    hidden = slack.create(Channel("hidden", (slack.user(LUCA).person,), private=True, bot=False))
    for call in (client.conversations_info, client.conversations_members, client.conversations_history):
        assert error(call, channel=hidden) == "channel_not_found"
    assert error(client.chat_postMessage, channel=hidden, text="x") == "channel_not_found"
    public = slack.channel(QUAY).id
    assert client.conversations_info(channel=public)["channel"]["is_member"] is False
    assert error(client.conversations_history, channel=public) == "not_in_channel"
    assert error(client.chat_postMessage, channel=public, text="x") == "not_in_channel"
    slack.invite_bot(QUAY)
    assert client.chat_postMessage(channel=public, text="x")["ok"]
    slack.remove_bot(QUAY)
    assert error(client.conversations_replies, channel=public, ts="1.1") == "not_in_channel"


def test_the_company_has_every_kind_of_channel(slack):
    channels = slack.workspace.conversations.values()
    assert {channel.kind for channel in channels} >= {"channel", "group"}
    assert any(channel.shared_with for channel in channels)
    assert any(slack.workspace.users[m].guest for channel in channels for m in channel.members)
    assert any(slack.bot.id not in channel.members for channel in channels)
    assert slack.channel("general").general


def test_a_company_without_channels_has_a_general_one():
    with Sandbox.start(company()) as other:
        general = other.slack.channel("general")
        assert other.slack.bot.id in general.members
        assert not any(other.slack.workspace.users[member].guest for member in general.members)


# Messages


def test_a_thread(client, slack, dev):
    root = slack.say(PRIYA, DEV, f"{slack.mention} what?")
    reply = client.chat_postMessage(channel=dev, thread_ts=root, text="that")["ts"]
    said = client.conversations_replies(channel=dev, ts=root)["messages"]
    assert [message["ts"] for message in said] == [root, reply]
    assert (said[0]["reply_count"], said[0]["thread_ts"], said[1]["parent_user_id"]) == (1, root, slack.user(PRIYA).id)
    assert (said[1]["bot_id"], said[1]["user"]) == (slack.bot.bot_id, slack.bot.id)
    alone = client.conversations_replies(channel=dev, ts=reply)["messages"]
    assert [message["ts"] for message in alone] == [reply]
    assert error(client.conversations_replies, channel=dev, ts="1.000001") == "thread_not_found"
    assert error(client.chat_postMessage, channel=dev, thread_ts=reply, text="x") == "thread_not_found"
    history = [message["ts"] for message in client.conversations_history(channel=dev)["messages"]]
    assert root in history
    assert reply not in history


def test_the_root_is_on_every_page_of_a_thread(client, slack, room):
    root = slack.say(PRIYA, room, "root")
    replies = [slack.say(LUCA, room, f"reply {at}", root) for at in range(5)]
    first = client.conversations_replies(channel=room, ts=root, limit=3)
    rest = client.conversations_replies(
        channel=room, ts=root, limit=3, cursor=first["response_metadata"]["next_cursor"]
    )
    assert [m["ts"] for m in first["messages"]] == [root, *replies[:3]]
    assert [m["ts"] for m in rest["messages"]] == [root, *replies[3:]]
    assert (first["has_more"], rest["has_more"]) == (True, False)


def test_history_is_newest_first_and_within_moments(client, slack, room):
    first, second, third = (slack.say(PRIYA, room, text) for text in ("one", "two", "three"))

    def found(**more):
        return [message["ts"] for message in client.conversations_history(channel=room, **more)["messages"]]

    assert found() == [third, second, first]
    assert found(oldest=second) == [third]
    assert found(oldest=second, inclusive=True) == [third, second]
    assert found(latest=second) == [first]
    assert found(limit=1) == [third]
    assert error(client.conversations_history, channel=room, oldest="yesterday") == "invalid_ts_oldest"


def test_ts_are_unique_and_increase(slack, room):
    stamps = [slack.say(PRIYA, room, "x") for _ in range(200)]
    assert stamps == sorted(set(stamps))


def test_metadata_is_shown_when_asked_for(client, room):
    metadata = {"event_type": "delivery", "event_payload": {"key": "k1"}}
    ts = client.chat_postMessage(channel=room, text="x", metadata=metadata)["ts"]
    assert "metadata" not in client.conversations_replies(channel=room, ts=ts)["messages"][0]
    shown = client.conversations_replies(channel=room, ts=ts, include_all_metadata=True)["messages"][0]
    assert shown["metadata"] == metadata
    changed = {"event_type": "delivery", "event_payload": {"key": "k1", "text": "d"}}
    client.chat_update(channel=room, ts=ts, text="y", metadata=changed)
    history = client.conversations_history(channel=room, include_all_metadata=True)["messages"][0]
    assert (history["metadata"], history["text"]) == (changed, "y")


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"event_type": "a"}, "invalid_metadata_schema"),
        ({"event_payload": {}}, "invalid_metadata_format"),
        ({"event_type": "a", "event_payload": {"k": "x" * 9000}}, "metadata_too_large"),
        ({"event_type": "a", "event_payload": {"k": None}}, "invalid_metadata_schema"),
    ],
)
def test_metadata_that_is_refused(client, dev, metadata, expected):
    assert error(client.chat_postMessage, channel=dev, text="x", metadata=metadata) == expected


def test_updating_and_deleting(client, slack, room):
    theirs = slack.say(PRIYA, room, "mine")
    own = client.chat_postMessage(channel=room, text="a", blocks=[section("a")])["ts"]
    client.chat_update(channel=room, ts=own, text="b")
    assert (slack.message(room, own).text, slack.message(room, own).blocks) == ("b", [])
    assert error(client.chat_update, channel=room, ts=theirs, text="x") == "cant_update_message"
    assert error(client.chat_update, channel=room, ts="1.1", text="x") == "message_not_found"
    assert error(client.chat_update, channel=room, ts=own, text="x" * 4001) == "msg_too_long"
    assert error(client.chat_delete, channel=room, ts=theirs) == "cant_delete_message"
    client.chat_delete(channel=room, ts=own)
    assert error(client.chat_delete, channel=room, ts=own) == "message_not_found"


def test_a_deleted_root_leaves_a_stone(client, slack, room):
    lonely, root = slack.say(PRIYA, room, "lonely"), slack.say(PRIYA, room, "root")
    reply = client.chat_postMessage(channel=room, thread_ts=root, text="working")["ts"]
    slack.delete(room, lonely)
    slack.delete(room, root)
    assert error(client.conversations_replies, channel=room, ts=lonely) == "thread_not_found"
    stone, answer = client.conversations_replies(channel=room, ts=root)["messages"]
    assert (stone["subtype"], stone["user"], stone["ts"]) == ("tombstone", "USLACKBOT", root)
    assert answer["ts"] == reply
    assert error(client.chat_update, channel=room, ts=root, text="x") == "message_not_found"


def test_an_archived_channel(client, slack, room):
    ts = client.chat_postMessage(channel=room, text="x")["ts"]
    slack.archive(room)
    assert client.conversations_info(channel=room)["channel"]["is_archived"]
    assert error(client.chat_postMessage, channel=room, text="x") == "is_archived"
    assert error(client.chat_update, channel=room, ts=ts, text="x") == "is_archived"
    with pytest.raises(ValueError, match="archived"):
        slack.say(PRIYA, room, "x")


def test_permalinks(client, slack, room):
    root = slack.say(PRIYA, room, "x")
    reply = slack.say(LUCA, room, "y", root)
    link = client.chat_getPermalink(channel=room, message_ts=reply)["permalink"]
    assert link.endswith(f"/archives/{room}/p{reply.replace('.', '')}?thread_ts={root}&cid={room}")
    assert error(client.chat_getPermalink, channel=room, message_ts="1.1") == "message_not_found"


def test_ephemeral_messages_are_seen_by_one(client, slack, room):
    client.chat_postEphemeral(channel=room, user=slack.user(PRIYA).id, text="psst")
    assert [message.text for message in slack.ephemeral(room, PRIYA)] == ["psst"]
    assert slack.ephemeral(room, LUCA) == []
    assert slack.messages(room) == []
    assert error(client.chat_postEphemeral, channel=room, user=slack.user(NORA).id, text="x") == "user_not_in_channel"


def test_direct_messages_are_opened_on_demand(client, slack):
    priya, luca = slack.user(PRIYA).id, slack.user(LUCA).id
    opened = client.conversations_open(users=priya)["channel"]["id"]
    assert opened == slack.direct(PRIYA)
    assert client.chat_postMessage(channel=priya, text="x")["channel"] == opened
    assert error(client.conversations_open, users=f"{priya},{luca}") == "missing_scope"
    assert error(client.conversations_open, users="U0") == "user_not_found"


# Limits


def context(count):
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}] * count}


def buttons(count, **more):
    text = {"type": "plain_text", "text": "x"}
    found = [{"type": "button", "text": text, "action_id": f"a{at}", "value": "1", **more} for at in range(count)]
    return {"type": "actions", "elements": found}


def header(length):
    return {"type": "header", "text": {"type": "plain_text", "text": "x" * length}}


def markdown(length):
    return {"type": "markdown", "text": "x" * length}


@pytest.mark.parametrize(
    "blocks",
    [
        [section("x" * 3000)],
        [section("x")] * 50,
        [header(150)],
        [context(10)],
        [buttons(25)],
        [markdown(12_000)],
        [{"type": "divider"}],
        [{"type": "section", "fields": [{"type": "mrkdwn", "text": "x" * 2000}] * 4}],
        [section("x" * 3000)] * 4,
        [{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * 20] * 100}],
    ],
)
def test_what_just_fits_is_taken(client, dev, blocks):
    assert client.chat_postMessage(channel=dev, text="x", blocks=blocks)["ok"]


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([section("x" * 3001)], "invalid_blocks"),
        ([section("")], "invalid_blocks"),
        ([section("x")] * 51, "invalid_blocks"),
        ([header(151)], "invalid_blocks"),
        ([{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}], "invalid_blocks"),
        ([context(11)], "invalid_blocks"),
        ([context(0)], "invalid_blocks"),
        ([buttons(26)], "invalid_blocks"),
        ([buttons(1, style="blue")], "invalid_blocks"),
        ([buttons(1, value="x" * 2001)], "invalid_blocks"),
        ([buttons(1), buttons(1)], "invalid_blocks"),
        ([{**section("x"), "block_id": "b"}, {**section("x"), "block_id": "b"}], "invalid_blocks"),
        ([{**section("x"), "colour": "red"}], "invalid_blocks"),
        ([{"type": "section"}], "invalid_blocks"),
        ([{"type": "paragraph"}], "invalid_blocks"),
        ([{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * 21]}], "invalid_blocks"),
        ([{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]}] * 2, "invalid_blocks"),
        ([markdown(12_001)], "msg_blocks_too_long"),
        ([markdown(6001)] * 2, "msg_blocks_too_long"),
        ([section("x" * 3000)] * 5, "msg_blocks_too_long"),
        ([section("x" * 3000)] * 4 + [{"type": "divider"}] * 11, "msg_blocks_too_long"),
        ([{"type": "table", "rows": [[{"type": "raw_text", "text": "x" * 1001}] * 10]}], "invalid_blocks"),
        ({"type": "section"}, "invalid_blocks_format"),
    ],
)
def test_what_is_too_much_is_refused(client, dev, blocks, expected):
    assert error(client.chat_postMessage, channel=dev, text="x", blocks=blocks) == expected
    assert error(client.chat_postEphemeral, channel=dev, user="U0", text="x", blocks=blocks) == "user_not_in_channel"


def test_text_of_a_message(client, dev):
    assert client.chat_postMessage(channel=dev, text="x" * 40_000)["ok"]
    assert error(client.chat_postMessage, channel=dev, text="x" * 40_001) == "msg_too_long"
    assert error(client.chat_postMessage, channel=dev, text=" ", markdown_text="x") == "markdown_text_conflict"
    assert error(client.api_call, api_method="chat.postMessage", json={"channel": dev}) == "no_text"


def test_one_post_a_second(client, slack, room):
    slack.paced = True
    try:
        client.chat_postMessage(channel=room, text="x")
        with pytest.raises(SlackApiError) as refused:
            client.chat_postMessage(channel=room, text="y")
    finally:
        slack.paced = False
    assert (refused.value.response.status_code, refused.value.response.headers["Retry-After"]) == (429, "1")
    assert refused.value.response["error"] == "ratelimited"
    assert [message.text for message in slack.messages(room)] == ["x"]


def test_faults_can_be_ordered(box, client, room):
    headers = {"Retry-After": "30"}
    refusal = '{"ok":false,"error":"ratelimited"}'
    box.faults.add("POST", "/api/chat.postMessage", "status", status=429, headers=headers, body=refusal)
    assert error(client.chat_postMessage, channel=room, text="x") == "ratelimited"
    box.faults.add("POST", "/api/chat.postMessage", "drop_after")
    with pytest.raises(RemoteDisconnected):
        client.chat_postMessage(channel=room, text="posted unheard")
    assert [message.text for message in box.slack.messages(room)] == ["posted unheard"]


# What would ping


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"text": "a <!channel> b"}, ["<!channel>"]),
        ({"text": "a &lt;!channel&gt; @channel <https://x.example|y>"}, []),
        ({"text": "@here", "link_names": True}, ["<!here>"]),
        ({"text": "x", "blocks": [section("`<@U123>` <!subteam^S1|qa>")]}, ["<@U123>", "<!subteam^S1|qa>"]),
        ({"text": "x", "blocks": [{"type": "markdown", "text": "<!everyone>"}]}, ["<!everyone>"]),
        ({"text": "x", "blocks": [header(1)]}, []),
    ],
)
def test_pings_are_seen(client, slack, room, more, expected):
    client.chat_postMessage(channel=room, **more)
    assert [ping.what for ping in slack.pings] == expected


# Files


def upload(client, name="cases.csv", content=b"a,b"):
    begun = client.files_getUploadURLExternal(filename=name, length=len(content))
    assert requests.post(begun["upload_url"], data=content, timeout=10).status_code == 200
    return begun["file_id"]


def test_a_file_in_a_thread(client, slack, room):
    root = slack.say(PRIYA, room, "cases?")
    file = upload(client)
    files = [{"id": file, "title": "Cases 1"}]
    done = client.files_completeUploadExternal(files=files, channel_id=room, thread_ts=root)
    assert (done["files"][0]["id"], done["files"][0]["title"]) == (file, "Cases 1")
    shown = client.conversations_replies(channel=room, ts=root)["messages"][1]
    assert (shown["subtype"], shown["files"][0]["title"]) == ("file_share", "Cases 1")
    info = client.files_info(file=file)["file"]
    assert info["shares"]["public"][room][0]["thread_ts"] == root
    assert [(f.title, f.content) for f in slack.files(room, root)] == [("Cases 1", b"a,b")]
    client.files_delete(file=file)
    assert error(client.files_delete, file=file) == "file_deleted"
    assert slack.files(room, root) == []
    assert [m["ts"] for m in client.conversations_replies(channel=room, ts=root)["messages"]] == [root]


def test_files_that_are_refused(client, slack, room):
    begun = client.files_getUploadURLExternal(filename="a.csv", length=5)
    early = [{"id": begun["file_id"], "title": "t"}]
    assert error(client.files_completeUploadExternal, files=early, channel_id=room) == "file_not_found"
    assert requests.post(begun["upload_url"], data=b"four", timeout=10).status_code == 400
    assert requests.post(f"{begun['upload_url']}0", data=b"12345", timeout=10).status_code == 404
    file = [{"id": upload(client), "title": "t"}]
    assert error(client.files_completeUploadExternal, files=file, channel_id="C0") == "channel_not_found"
    assert (
        error(client.files_completeUploadExternal, files=file, channel_id=room, thread_ts="1.1") == "thread_not_found"
    )
    assert error(client.files_delete, file="F0") == "file_not_found"
    slack.say(PRIYA, room, "", files={"shot.png": b"png"})
    theirs = slack.files(room)[0].id
    assert error(client.files_delete, file=theirs) == "cant_delete_file"


def test_a_form_uploads_as_well(client, slack, room):
    begun = client.files_getUploadURLExternal(filename="a.txt", length=2)
    assert requests.post(begun["upload_url"], files={"file": ("a.txt", b"hi")}, timeout=10).ok
    client.files_completeUploadExternal(files=[{"id": begun["file_id"]}], channel_id=room, initial_comment="here")
    assert (slack.messages(room)[0].text, slack.files(room)[0].content) == ("here", b"hi")


# Views and the assistant


def test_a_home_is_published(client, slack):
    view = {"type": "home", "blocks": [section("hello")]}
    client.views_publish(user_id=slack.user(PRIYA).id, view=view)
    assert slack.home(PRIYA).view["blocks"][0]["text"]["text"] == "hello"
    assert slack.home(LUCA) is None
    assert error(client.views_publish, user_id=slack.user(PRIYA).id, view={"type": "modal"}) == "invalid_arguments"
    many = {"type": "home", "blocks": [section("x")] * 101}
    assert error(client.views_publish, user_id=slack.user(PRIYA).id, view=many) == "invalid_arguments"


def test_a_trigger_opens_one_modal_soon(client, slack):
    view = {"type": "modal", "title": {"type": "plain_text", "text": "Why?"}, "blocks": [section("x")]}
    trigger = slack.triggers.give(slack.user(PRIYA).id)
    assert client.views_open(trigger_id=trigger, view=view)["view"]["id"] == slack.modals(PRIYA)[0].id
    assert error(client.views_open, trigger_id=trigger, view=view) == "exchanged_trigger_id"
    assert error(client.views_open, trigger_id="1.2.x", view=view) == "invalid_trigger_id"
    late = slack.triggers.give(slack.user(PRIYA).id)
    slack.triggers.seconds = -1
    try:
        assert error(client.views_open, trigger_id=late, view=view) == "expired_trigger_id"
    finally:
        slack.triggers.seconds = 3
    wide = view | {"title": {"type": "plain_text", "text": "x" * 25}}
    fresh = slack.triggers.give(slack.user(PRIYA).id)
    assert error(client.views_open, trigger_id=fresh, view=wide) == "invalid_arguments"


def test_the_assistant(client, slack):
    ts = slack.open_assistant(PRIYA, about=DEV)
    channel = slack.direct(PRIYA)
    client.assistant_threads_setSuggestedPrompts(
        channel_id=channel, thread_ts=ts, prompts=[{"title": "Check", "message": "check BKG-1"}]
    )
    client.assistant_threads_setStatus(channel_id=channel, thread_ts=ts, status="searching")
    client.assistant_threads_setTitle(channel_id=channel, thread_ts=ts, title="Locked accounts")
    client.chat_postMessage(channel=channel, thread_ts=ts, text="found")
    panel = slack.assistant(channel, ts)
    assert (panel.title, panel.prompts) == ("Locked accounts", [("Check", "check BKG-1")])
    assert panel.statuses == ["searching", ""]
    five = [{"title": "t", "message": "m"}] * 5
    call = client.assistant_threads_setSuggestedPrompts
    assert error(call, channel_id=channel, thread_ts=ts, prompts=five) == "invalid_arguments"
