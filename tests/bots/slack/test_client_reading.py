"""What the client reads: channels and who is in them, messages and threads."""

from datetime import UTC, datetime, timedelta

import pytest

from bots.errors import Gone, NotAllowed, Unavailable
from bots.slack.client import SlackClient
from bots.types import Visibility

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def ask(box, text="what is a hold?", *, person="ana", channel="dev", thread=None, **more):
    return box.slack.say(person, channel, f"{box.slack.mention} {text}", thread, **more)


def calls(box, method):
    return [e for e in box.exchanges.all("slack") if e.path == f"/api/{method}"]


def place(box, client, name):
    return client.place(box.slack.channel(name).id)


# The bot


def test_who_the_bot_is_is_asked_once(box, client):
    bot = client.whoami()
    assert (bot.user_id, bot.bot_id) == (box.slack.bot.id, box.slack.bot.bot_id)
    assert bot.team_id == box.slack.workspace.team
    client.whoami()
    assert len(calls(box, "auth.test")) == 1


def test_scopes(box, client):
    assert "chat:write" in client.scopes()
    box.slack.api.scopes.discard("chat:write")
    assert "chat:write" not in client.scopes()


@pytest.mark.parametrize("token", ["", "xoxb-1\nX-Other: 1", "xoxb-1 2"])
def test_a_token_that_cannot_be_one_is_not_repeated(token):
    with pytest.raises(ValueError, match="token") as refused:
        SlackClient(token)
    assert not token or token not in str(refused.value)


def test_a_site_is_an_address():
    with pytest.raises(ValueError, match="site"):
        SlackClient("xoxb-1", site="slack.com")


def test_a_wrong_token_is_said_without_it(box):
    client = SlackClient("xoxb-wrong", site=box.slack_url)
    with pytest.raises(NotAllowed, match="does not accept the bot's token") as refused:
        client.whoami()
    assert "xoxb" not in str(refused.value)
    client.close()


def test_a_missing_scope_is_named(box, client):
    box.slack.api.scopes.discard("channels:read")
    with pytest.raises(NotAllowed, match="lacks the scope channels:read"):
        place(box, client, "dev")


# Places


def test_a_public_channel(box, client):
    found = place(box, client, "dev")
    channel = box.slack.channel("dev").id
    assert (found.surface, found.site, found.id, found.key) == ("slack", box.slack_url, channel, "#dev")
    assert (found.container, found.thread, found.partner) == (box.slack.workspace.team, "", "")
    assert not found.closed
    assert not found.customers
    assert found.url == f"{box.slack_url}/archives/{channel}"


def test_a_thread_has_its_own_address(box, client):
    ts = ask(box)
    channel = box.slack.channel("dev").id
    found = client.place(channel, ts)
    assert (found.thread, found.url) == (ts, f"{box.slack_url}/archives/{channel}/p{ts.replace('.', '')}")


def test_private_channels_and_direct_messages_are_closed(box, client):
    assert place(box, client, "leads").closed
    direct = client.place(box.slack.direct("ana"))
    ana = box.slack.user("ana").id
    assert (direct.closed, direct.key, direct.partner, direct.customers) == (True, f"@{ana}", ana, False)
    several = client.place(box.slack.direct("ana", "ben"))
    assert (several.closed, several.partner) == (True, "")


def test_guests_and_other_companies_are_outsiders(box, client):
    assert place(box, client, "guests").customers
    assert place(box, client, "partners").customers
    assert client.place(box.slack.direct("cyd")).customers
    assert client.place(box.slack.direct("ana", "cyd")).customers


def test_a_company_that_was_only_invited_counts_already(box, client):
    box.slack.channel("dev").pending.append("T0OTHER")
    assert place(box, client, "dev").customers


def test_a_stranger_without_a_shared_channel_counts(box, client):
    dev = box.slack.channel("dev")
    dev.members.append("U0UNKNOWN")
    assert place(box, client, "dev").customers


def test_the_deactivated_and_apps_do_not_count(box, client):
    box.slack.user("cyd").deleted = True
    assert not place(box, client, "guests").customers
    dev = box.slack.channel("dev")
    dev.members.append("USLACKBOT")
    assert not place(box, client, "dev").customers


def test_a_guest_who_comes_in_is_seen_at_once(box, client):
    assert not place(box, client, "dev").customers
    box.slack.add_member("dev", "cyd")
    assert place(box, client, "dev").customers
    assert len(calls(box, "users.list")) == 1


def test_who_reads_an_open_channel_is_known_without_being_in_it(box, client):
    box.slack.remove_bot("dev")
    channel = box.slack.channel("dev").id
    with pytest.raises(Gone, match="removed"):
        client.place(channel)
    assert not client.place(channel, member=False).closed


def test_many_members_are_read_page_by_page(box, client):
    dev = box.slack.channel("dev")
    box.slack.user("ben").deleted = True
    dev.members += [box.slack.user("ben").id] * 1_000
    assert not place(box, client, "dev").customers
    assert len(calls(box, "conversations.members")) == 2


@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (lambda box: box.slack.archive("dev"), "archived"),
        (lambda box: box.slack.remove_bot("dev"), "removed"),
        (lambda box: box.slack.workspace.conversations.pop(box.slack.channel("dev").id), "not there"),
    ],
)
def test_why_a_channel_is_gone(box, client, happens, reason):
    dev = box.slack.channel("dev").id
    happens(box)
    with pytest.raises(Gone, match=reason):
        client.place(dev)


# Messages


def test_a_question(box, client):
    ts = ask(box, "what is a &lt;hold&gt; &amp; who sets it?")
    trigger = client.trigger(box.slack.channel("dev").id, ts)
    assert (trigger.text, trigger.command, trigger.by_bot) == ("what is a <hold> & who sets it?", "question", False)
    assert (trigger.author, trigger.author_id) == ("Ana Sol", box.slack.user("ana").id)
    assert (trigger.comment_id, trigger.place.thread, trigger.visibility) == (ts, ts, Visibility())
    assert abs(trigger.created - datetime.now(UTC)) < timedelta(minutes=1)
    assert f"{trigger.created.timestamp():.6f}" == ts
    assert not trigger.with_files


def test_a_question_in_a_thread(box, client):
    root = box.slack.say("ben", "dev", "the hold is too short")
    ts = ask(box, thread=root)
    channel = box.slack.channel("dev").id
    trigger = client.trigger(channel, ts)
    assert trigger.place.thread == root
    assert trigger.url == f"{box.slack_url}/archives/{channel}/p{ts.replace('.', '')}?thread_ts={root}&cid={channel}"


def test_the_beginning_of_a_long_thread_is_found(box, client):
    root = ask(box)
    for _ in range(5):
        box.slack.say("ben", "dev", "and?", root)
    assert client.trigger(box.slack.channel("dev").id, root).comment_id == root


def test_who_is_addressed(box, client):
    channel = box.slack.channel("dev").id
    said = {
        "a plain word": None,
        f"{box.slack.mention}": "question",
        f"the others: `{box.slack.mention}`": None,
        "<@U0ANOTHER> hello": None,
    }
    assert {text: client.trigger(channel, box.slack.say("ana", "dev", text)).command for text in said} == said
    direct = box.slack.direct("ana")
    assert client.trigger(direct, box.slack.say("ana", direct, "hello")).command == "question"
    several = box.slack.direct("ana", "ben")
    assert client.trigger(several, box.slack.say("ana", several, "hello")).command is None


def test_the_bot_and_other_apps_are_told_from_people(box, client):
    own = box.slack.say("bot", "dev", f"{box.slack.mention} hello")
    trigger = client.trigger(box.slack.channel("dev").id, own)
    assert trigger.by_bot
    assert trigger.command is None


def test_an_edit_is_seen_as_it_is_now(box, client):
    ts = ask(box)
    box.slack.edit("dev", ts, "never mind")
    trigger = client.trigger(box.slack.channel("dev").id, ts)
    assert (trigger.text, trigger.command) == ("never mind", None)


def test_files_are_noticed(box, client):
    ts = ask(box, files={"screen.png": b"..."})
    trigger = client.trigger(box.slack.channel("dev").id, ts)
    assert trigger.with_files
    assert trigger.command == "question"


@pytest.mark.parametrize("answered", [True, False])
def test_a_deleted_message_is_gone(box, client, answered):
    ts = ask(box)
    if answered:
        box.slack.say("ben", "dev", "I know", ts)
    box.slack.delete("dev", ts)
    with pytest.raises(Gone, match="deleted"):
        client.trigger(box.slack.channel("dev").id, ts)


def test_a_deleted_reply_is_gone(box, client):
    root = box.slack.say("ben", "dev", "so?")
    ts = ask(box, thread=root)
    box.slack.delete("dev", ts)
    with pytest.raises(Gone, match="deleted"):
        client.trigger(box.slack.channel("dev").id, ts)


def test_a_bot_that_was_removed_cannot_read(box, client):
    ts = ask(box)
    box.slack.remove_bot("dev")
    with pytest.raises(Gone, match="removed"):
        client.trigger(box.slack.channel("dev").id, ts)


def test_a_name_is_looked_up_once(box, client):
    channel = box.slack.channel("dev").id
    for _ in range(3):
        client.trigger(channel, ask(box))
    assert len(calls(box, "users.info")) == 1


# Threads


def test_a_thread_as_people_had_it(box, client):
    root = box.slack.say("ben", "dev", "the hold is &lt; 20 minutes")
    box.slack.say("ana", "dev", "is it?", root)
    where = client.place(box.slack.channel("dev").id, root)
    client.working(where, "Searching", "k-1", LONG_AGO)
    question = ask(box, thread=root)
    box.slack.say("ben", "dev", "later", root)
    found = client.thread(where.id, root, before=question)
    assert [(m.author, m.text) for m in found] == [("Ben Ito", "the hold is < 20 minutes"), ("Ana Sol", "is it?")]
    assert [m.own for m in found] == [False, False]
    assert found[0].url == f"{box.slack_url}/archives/{where.id}/p{root.replace('.', '')}"
    assert len(client.thread(where.id, root)) == 4


def test_the_newest_of_a_thread_and_its_beginning(box, client):
    root = box.slack.say("ben", "dev", "0")
    for number in range(1, 250):
        box.slack.say("ana", "dev", str(number), root)
    found = client.thread(box.slack.channel("dev").id, root, limit=3)
    assert [m.text for m in found] == ["0", "247", "248", "249"]
    assert len(calls(box, "conversations.replies")) == 2


def test_a_question_that_begins_its_thread_has_nothing_before_it(box, client):
    root = ask(box)
    box.slack.say("ben", "dev", "good question", root)
    assert client.thread(box.slack.channel("dev").id, root, before=root) == ()


def test_a_deleted_beginning_leaves_the_rest(box, client):
    root = box.slack.say("ben", "dev", "a secret")
    box.slack.say("ana", "dev", "hush", root)
    box.slack.delete("dev", root)
    assert [m.text for m in client.thread(box.slack.channel("dev").id, root)] == ["hush"]


# Catching up


def test_the_bots_channels(box, client):
    direct = box.slack.direct("ana")
    box.slack.archive("leads")
    names = {box.slack.channel(name).id for name in ("general", "dev", "guests", "partners")}
    assert set(client.channels()) == names | {direct}


def test_what_was_said_since(box, client):
    channel = box.slack.channel("dev").id
    before = box.slack.say("ana", "dev", "before")
    box.slack.say("ana", "dev", "reply", before)
    since = client.trigger(channel, ask(box)).created
    box.slack.say("ben", "dev", "after")
    assert [raw["text"] for raw in client.history(channel, since)] == ["after", f"{box.slack.mention} what is a hold?"]
    box.slack.say("ben", "dev", "late reply", before)
    assert [raw["text"] for raw in client.replies_since(channel, before, since)] == ["late reply"]


def test_long_histories_are_read_as_they_are_asked_for(box, client):
    for number in range(201):
        box.slack.say("ana", "dev", str(number))
    history = client.history(box.slack.channel("dev").id, LONG_AGO)
    assert next(history)["text"] == "200"
    assert len(calls(box, "conversations.history")) == 1
    assert len(list(history)) == 200


# What goes wrong


@pytest.mark.parametrize("kind", ["drop_before", "drop_after", "html", "status"])
def test_reads_that_fail_are_unavailable(box, client, kind):
    client.whoami()
    box.faults.add("POST", "conversations.info", kind)
    with pytest.raises(Unavailable):
        place(box, client, "dev")
    place(box, client, "dev")
