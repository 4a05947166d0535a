"""What the client writes: once, in the thread, and found again; and what became of it when an answer is lost."""

import json
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bots.errors import CameOutWider, Gone, NotAllowed, Rejected, Unavailable, Uncertain
from bots.slack import bodies
from bots.slack.answers import WORKING
from bots.slack.client import SlackClient
from bots.types import Post, Visibility
from sandbox.slack.state import Message

BLOCKS = [{"type": "header", "text": {"type": "plain_text", "text": "All is well."}}]
BODY = bodies.message("All is well.", BLOCKS)
FILE = bodies.file("cases.csv", "Test cases PAY-1, version 1", b"a,b\n1,2\n")
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
POST, UPDATE = "chat.postMessage", "chat.update"
UPLOADS = ("files.getUploadURLExternal", "/upload/", "files.completeUploadExternal")


@pytest.fixture
def trigger(box, client):
    return client.trigger(box.slack.channel("dev").id, box.slack.say("ana", "dev", f"{box.slack.mention} is all well?"))


def reply(trigger, body=BODY, key="k-1", **more):
    return Post(trigger.place, trigger.visibility, body, key, trigger.comment_id, trigger.created, **more)


def start(client, trigger, key="k-1", text="Searching"):
    return client.working(trigger.place, text, key, trigger.created)


def own(box, thread, channel="dev"):
    return [m for m in box.slack.messages(channel, thread) if m.user == box.slack.bot.id]


def calls(box, method):
    return [e for e in box.exchanges.all("slack") if e.path == f"/api/{method}"]


# Messages


def test_an_answer_in_the_thread_is_found_again(box, client, trigger):
    post = reply(trigger)
    assert client.find(post) == []
    posted = client.post(post)
    (message,) = own(box, trigger.comment_id)
    assert (message.ts, message.thread, message.text) == (posted.remote_id, trigger.comment_id, "All is well.")
    assert list(message.blocks) == BLOCKS
    where = f"{box.slack_url}/archives/{trigger.place.id}/p{message.ts.replace('.', '')}"
    assert posted.url == f"{where}?thread_ts={trigger.comment_id}&cid={trigger.place.id}"
    assert (posted.visibility, posted.same_text) == (Visibility(), True)
    assert client.find(post) == [posted]
    assert client.find(reply(trigger, key="k-2")) == []
    (seen,) = [m for m in client.thread(trigger.place.id, trigger.comment_id) if m.own]
    assert seen.answers == "k-1"


def test_an_answer_made_from_something_else_is_told_apart(client, trigger):
    posted = client.post(reply(trigger))
    other = bodies.message("All is lost.", BLOCKS)
    assert client.find(reply(trigger, other)) == [replace(posted, same_text=False)]


def test_somebody_elses_copy_of_the_key_is_nothing(box, client, trigger):
    client.post(reply(trigger))
    (message,) = own(box, trigger.comment_id)
    message.user, message.posts = box.slack.user("ben").id, "B0OTHER"
    assert client.find(reply(trigger)) == []


def test_what_is_older_than_the_question_is_not_looked_at(client, trigger):
    client.post(reply(trigger))
    assert client.find(replace(reply(trigger), since=datetime.now(UTC) + timedelta(minutes=2))) == []


def test_an_answer_is_found_in_a_thread_of_many_pages(box, client, trigger):
    client.post(reply(trigger))
    for number in range(205):
        box.slack.say("ben", "dev", str(number), trigger.comment_id)
    second = client.post(reply(trigger))
    assert [one.remote_id for one in client.find(reply(trigger))][-1] == second.remote_id
    assert len(client.find(reply(trigger))) == 2


def test_nothing_in_an_answer_lives(box, client, trigger):
    client.post(reply(trigger))
    (written,) = [json.loads(e.body) for e in calls(box, POST)]
    assert (written["unfurl_links"], written["unfurl_media"]) == (False, False)
    assert (written["link_names"], written["parse"]) == (False, "none")
    becomes = start(client, trigger, "k-2", "Reading <!channel> @here")
    client.post(reply(trigger, key="k-2", becomes=becomes))
    assert all(json.loads(e.body)["parse"] == "none" for e in calls(box, UPDATE))
    assert box.slack.pings == []


# Being at work, and becoming an answer


def test_what_said_that_it_works_becomes_the_answer(box, client, trigger):
    ts = start(client, trigger)
    (message,) = own(box, trigger.comment_id)
    assert (message.ts, message.text) == (ts, "Searching")
    post = reply(trigger, becomes=ts)
    assert client.find(post) == []
    assert client.post(post).remote_id == ts
    (message,) = own(box, trigger.comment_id)
    assert message.text == "All is well."
    assert [one.remote_id for one in client.find(post)] == [ts]


def test_a_message_that_cannot_become_the_answer_is_replaced(box, client, trigger):
    ts = start(client, trigger)
    box.slack.delete("dev", ts)
    posted = client.post(reply(trigger, becomes=ts))
    (message,) = own(box, trigger.comment_id)
    assert message.ts == posted.remote_id != ts


@pytest.mark.parametrize("code", ["cant_update_message", "edit_window_closed"])
def test_an_edit_that_slack_refuses_becomes_a_new_message(box, client, trigger, code):
    ts = start(client, trigger)
    box.faults.add("POST", UPDATE, "status", status=200, body=json.dumps({"ok": False, "error": code}))
    assert client.post(reply(trigger, becomes=ts)).remote_id != ts


def test_a_working_message_is_written_once(box, client, trigger):
    ts = start(client, trigger)
    assert start(client, trigger) == ts
    assert start(client, trigger, "k-2") != ts
    assert len(own(box, trigger.comment_id)) == 2


def test_of_two_workers_messages_the_older_counts(box, client, trigger):
    ts = start(client, trigger)
    message = own(box, trigger.comment_id)[0]
    copy = replace(message, ts="")
    box.slack.workspace.post(box.slack.channel("dev"), copy)
    assert len(own(box, trigger.comment_id)) == 2
    assert start(client, trigger) == ts
    assert [m.ts for m in own(box, trigger.comment_id)] == [ts]


def test_edits_keep_a_pace(box, client, trigger):
    ts = start(client, trigger)
    for text in ("Reading", "Reviewing"):
        client.say(trigger.place, ts, text, "k-1")
    assert calls(box, UPDATE) == []


def test_another_process_looks_before_it_edits(box, client, trigger):
    ts = start(client, trigger)
    other = SlackClient(box.slack.token, site=box.slack_url)
    other.say(trigger.place, ts, "Reviewing <@U1>", "k-1")
    (message,) = own(box, trigger.comment_id)
    assert message.text.startswith("Reviewing")
    assert message.metadata["event_payload"] == {"key": "k-1", "text": WORKING}
    client.post(reply(trigger, becomes=ts))
    late = SlackClient(box.slack.token, site=box.slack_url)
    late.say(trigger.place, ts, "Searching", "k-1")
    client.say(trigger.place, ts, "Searching", "k-1")
    (message,) = own(box, trigger.comment_id)
    assert message.text == "All is well."
    other.close()
    late.close()


def test_saying_raises_nothing(box, client, trigger):
    ts = start(client, trigger)
    for kind in ("drop_after", "status", "html"):
        other = SlackClient(box.slack.token, site=box.slack_url)
        box.faults.add("POST", UPDATE, kind)
        other.say(trigger.place, ts, "Reviewing", "k-1")
        other.close()
    assert box.faults.pending == 0


# What is lost on the way


@pytest.mark.parametrize(("kind", "written"), [("drop_before", 0), ("drop_after", 1), ("status", 0), ("html", 0)])
def test_a_write_without_an_answer_is_uncertain_and_found_or_not(box, client, trigger, kind, written):
    box.faults.add("POST", POST, kind)
    with pytest.raises(Uncertain) as lost:
        client.post(reply(trigger))
    assert "All is well" not in str(lost.value)
    assert len(client.find(reply(trigger))) == written


def test_a_lost_edit_is_found(box, client, trigger):
    post = reply(trigger, becomes=start(client, trigger))
    box.faults.add("POST", UPDATE, "drop_after")
    with pytest.raises(Uncertain):
        client.post(post)
    assert [one.remote_id for one in client.find(post)] == [post.becomes]


@pytest.mark.parametrize("code", ["internal_error", "fatal_error", "service_unavailable"])
def test_errors_that_leave_it_open_are_uncertain(box, client, trigger, code):
    box.faults.add("POST", POST, "status", status=200, body=json.dumps({"ok": False, "error": code}))
    with pytest.raises(Uncertain, match=code):
        client.post(reply(trigger))


def test_after_its_time_not_a_byte_is_sent(box, client, trigger):
    with pytest.raises(Unavailable, match="too long"):
        client.post(reply(trigger), until=time.monotonic())
    with pytest.raises(Unavailable, match="too long"):
        client.post(reply(trigger, FILE), until=time.monotonic())
    assert calls(box, POST) == []
    assert calls(box, UPLOADS[0]) == []


def test_an_answer_that_never_comes_ends_in_time(box, trigger):
    client = SlackClient(box.slack.token, site=box.slack_url, timeout=0.4)
    client.whoami()
    box.faults.add("POST", POST, "hang")
    begun = time.monotonic()
    with pytest.raises(Uncertain, match="too long"):
        client.post(reply(trigger))
    assert time.monotonic() - begun < 1
    client.close()


def test_nothing_reaches_a_server_that_is_not_there(trigger):
    client = SlackClient("xoxb-1", site="http://127.0.0.1:9", timeout=1)
    with pytest.raises(Unavailable, match="connection failed"):
        client.tell("http://127.0.0.1:9/x", {}, until=time.monotonic() + 1)
    client.close()


def test_a_wait_holds_for_one_method_in_one_channel(box, client, trigger):
    box.faults.add("POST", POST, "status", status=429, headers={"Retry-After": "30"}, body="")
    with pytest.raises(Unavailable) as first:
        client.post(reply(trigger))
    assert first.value.retry_after == 30
    with pytest.raises(Unavailable) as second:
        client.post(reply(trigger))
    assert 29 < second.value.retry_after <= 30
    assert len(calls(box, POST)) == 1
    client.find(reply(trigger))
    leads = box.slack.channel("leads").id
    elsewhere = client.trigger(leads, box.slack.say("ana", "leads", f"{box.slack.mention} and here?"))
    client.post(reply(elsewhere))
    assert len(calls(box, POST)) == 2


@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (lambda box, _: box.slack.remove_bot("dev"), "removed"),
        (lambda box, _: box.slack.archive("dev"), "archived"),
        (lambda box, ts: box.slack.delete("dev", ts), "thread was deleted"),
    ],
)
@pytest.mark.parametrize("body", [BODY, FILE], ids=["message", "file"])
def test_why_it_cannot_be_written_any_more(box, client, trigger, happens, reason, body):
    happens(box, trigger.comment_id)
    with pytest.raises(Gone, match=reason):
        client.post(reply(trigger, body))


def test_a_body_that_slack_refuses(box, client, trigger):
    said = {
        "ok": False,
        "error": "invalid_blocks",
        "response_metadata": {
            "messages": ["[ERROR] no more than 3000 characters: All is well [json-pointer:/blocks/0/text]"]
        },
    }
    box.faults.add("POST", POST, "status", status=200, body=json.dumps(said))
    with pytest.raises(Rejected, match=r"invalid_blocks\): /blocks/0/text") as refused:
        client.post(reply(trigger))
    assert "well" not in str(refused.value)
    box.faults.add("POST", POST, "status", status=200, body='{"ok": false, "error": "msg_too_long"}')
    with pytest.raises(Rejected, match="msg_too_long"):
        client.post(reply(trigger))


def test_a_workspace_that_does_not_let_the_bot_write(box, client, trigger):
    box.slack.api.scopes.discard("chat:write")
    with pytest.raises(NotAllowed, match="chat:write"):
        client.post(reply(trigger))


# Taking back


def test_a_withdrawn_message_is_gone_and_may_be_gone_already(box, client, trigger):
    posted = client.post(reply(trigger))
    client.withdraw(trigger.place, posted.remote_id)
    client.withdraw(trigger.place, posted.remote_id)
    assert own(box, trigger.comment_id) == []


def test_only_its_own_is_withdrawn(box, client, trigger):
    with pytest.raises(NotAllowed):
        client.withdraw(trigger.place, trigger.comment_id)
    assert box.slack.message("dev", trigger.comment_id).text


def elsewhere(box, **more):
    """Slack's answer to a message that came out in another place, where it stands."""
    leads = box.slack.channel("leads")
    stray = Message("", box.slack.bot.id, "All is well.", posts=box.slack.bot.bot_id)
    ts = box.slack.workspace.post(leads, stray).ts
    said = {"user": box.slack.bot.id, "text": "All is well.", **more}
    box.faults.add(
        "POST",
        POST,
        "status",
        status=200,
        body=json.dumps({"ok": True, "channel": leads.id, "ts": ts, "message": said}),
    )
    return ts


def test_what_came_out_elsewhere_is_taken_back(box, client, trigger):
    elsewhere(box, thread_ts=trigger.comment_id)
    with pytest.raises(CameOutWider, match="It was deleted") as wider:
        client.post(reply(trigger))
    assert wider.value.withdrawn
    assert box.slack.messages("leads") == []


@pytest.mark.parametrize(("times", "withdrawn"), [(1, True), (2, False)])
def test_what_came_out_elsewhere_is_taken_back_at_the_second_try(box, client, trigger, times, withdrawn):
    ts = elsewhere(box)
    box.faults.add("POST", "chat.delete", "status", times)
    with pytest.raises(CameOutWider) as wider:
        client.post(reply(trigger))
    assert wider.value.withdrawn is withdrawn
    assert (ts in str(wider.value)) is not withdrawn
    assert len(box.slack.messages("leads")) == (0 if withdrawn else 1)


def test_an_edit_of_another_message_is_uncertain(box, client, trigger):
    post = reply(trigger, becomes=start(client, trigger))
    said = {"ok": True, "channel": trigger.place.id, "ts": "1.000001", "message": {}}
    box.faults.add("POST", UPDATE, "status", status=200, body=json.dumps(said))
    with pytest.raises(Uncertain, match="another message"):
        client.post(post)


# Files


def test_a_file_in_the_thread_is_found_by_its_title(box, client, trigger):
    post = reply(trigger, FILE)
    assert client.find(post) == []
    posted = client.post(post)
    (file,) = box.slack.files("dev", trigger.comment_id)
    assert (file.name, file.title, file.content) == ("cases.csv", FILE["title"], b"a,b\n1,2\n")
    assert posted.remote_id == f"F:{file.id}"
    assert posted.url
    (found,) = client.find(post)
    assert (found.remote_id, found.same_text) == (posted.remote_id, True)
    (other,) = client.find(reply(trigger, {**FILE, **bodies.file("cases.csv", FILE["title"], b"something else")}))
    assert not other.same_text
    assert client.find(reply(trigger, bodies.file("cases.csv", "Another title", b"a"))) == []
    client.withdraw(trigger.place, posted.remote_id)
    client.withdraw(trigger.place, posted.remote_id)
    assert box.slack.files("dev", trigger.comment_id) == []


@pytest.mark.parametrize("step", UPLOADS[:2])
@pytest.mark.parametrize("kind", ["drop_before", "drop_after", "status"])
def test_an_upload_that_was_not_shared_is_harmless(box, client, trigger, step, kind):
    box.faults.add("POST", step, kind)
    with pytest.raises(Unavailable):
        client.post(reply(trigger, FILE))
    assert client.find(reply(trigger, FILE)) == []
    client.post(reply(trigger, FILE))
    assert len(client.find(reply(trigger, FILE))) == 1


def test_a_file_whose_sharing_was_lost_is_found(box, client, trigger):
    box.faults.add("POST", UPLOADS[2], "drop_after")
    with pytest.raises(Uncertain):
        client.post(reply(trigger, FILE))
    assert len(client.find(reply(trigger, FILE))) == 1


def test_the_token_is_not_sent_with_the_bytes(box, client, trigger):
    client.post(reply(trigger, FILE))
    (upload,) = [e for e in box.exchanges.all("slack") if UPLOADS[1] in e.path]
    assert "authorization" not in upload.headers


def test_a_file_goes_to_slack_only(box, client, trigger):
    answer = {"ok": True, "upload_url": "https://slack.com.evil.example/u", "file_id": "F1"}
    box.faults.add("POST", UPLOADS[0], "status", status=200, body=json.dumps(answer))
    with pytest.raises(Rejected, match="not Slack's"):
        client.post(reply(trigger, FILE))


def test_earlier_versions_are_removed(box, client, trigger):
    for title in ("version 1", "version 2", "version 3"):
        client.post(reply(trigger, bodies.file("cases.csv", title, b"a")))
    post = replace(
        reply(trigger, bodies.removal(["version 1", "version 2"])), since=datetime.now(UTC) + timedelta(days=1)
    )
    assert client.find(post) == []
    assert client.post(post).remote_id == "removed"
    assert [file.title for file in box.slack.files("dev", trigger.comment_id)] == ["version 3"]
    assert [one.remote_id for one in client.find(post)] == ["removed"]
    client.withdraw(trigger.place, "removed")
    assert client.post(post).remote_id == "removed"


# Private answers, the home tab, forms and the assistant


class Listening:
    """Takes what Slack sends, in place of the app."""

    def __init__(self):
        self.payload = None

    def send(self, sent, on_ack):
        self.payload = sent.payload
        on_ack(sent, None)
        return True

    def renew(self):
        pass


def commanded(box):
    """What Slack sends with a slash command."""
    box.slack.deliveries.transport = app = Listening()
    box.slack.command("ana", "dev", "is all well?")
    return app.payload


def asked(box):
    """The address at which a slash command can be answered."""
    return commanded(box)["response_url"]


def soon():
    return time.monotonic() + 3


def test_a_private_answer(box, client):
    client.tell(asked(box), {"text": "All is well.", "response_type": "ephemeral"}, until=soon())
    (message,) = box.slack.ephemeral("dev", "ana")
    assert message.text == "All is well."


def test_a_private_answer_whose_time_is_over(box, client):
    with pytest.raises(Gone):
        client.tell(f"{box.slack_url}/response/T1/none", {"text": "late"}, until=soon())


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/commands/T1/secret",
        "https://slack.com.evil.example/commands/T1/secret",
        "https://notslack.com/commands/T1/secret",
        "https://slack.com@evil.example/commands/T1/secret",
        "http://hooks.slack.com/commands/T1/secret",
        "https://hooks.slack.com:8443/commands/T1/secret",
        "file:///etc/secret",
        "",
    ],
)
def test_a_private_answer_goes_to_slack_only(client, url):
    with pytest.raises(Rejected) as refused:
        client.tell(url, {"text": "x"}, until=soon())
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("kind", ["drop_before", "drop_after", "status"])
def test_a_lost_private_answer_is_uncertain_and_its_address_stays_secret(box, client, kind):
    url = asked(box)
    box.faults.add("POST", "/response/", kind)
    with pytest.raises(Uncertain) as lost:
        client.tell(url, {"text": "x"}, until=soon())
    assert lost.value.__cause__ is None
    assert lost.value.__suppress_context__ or lost.value.__context__ is None
    assert url.rpartition("/")[2] not in str(lost.value)


def test_a_private_answer_is_not_redirected(box, client):
    url = asked(box)
    box.faults.add("POST", "/response/", "status", status=307, headers={"Location": url}, body="")
    with pytest.raises(Uncertain, match="elsewhere"):
        client.tell(url, {"text": "x"}, until=soon())
    assert box.slack.ephemeral("dev", "ana") == []


def test_the_home_tab(box, client):
    view = {"type": "home", "blocks": BLOCKS}
    client.publish_home(box.slack.user("ana").id, view)
    (block,) = box.slack.home("ana").view["blocks"]
    assert block["text"] == BLOCKS[0]["text"]


def test_a_form_is_opened_once(box, client):
    view = {"type": "modal", "title": {"type": "plain_text", "text": "Why?"}, "blocks": BLOCKS}
    clicked = commanded(box)["trigger_id"]
    client.open_modal(clicked, view)
    assert len(box.slack.modals("ana")) == 1
    with pytest.raises(Gone):
        client.open_modal(clicked, view)


def test_the_assistants_thread(box, client):
    direct = box.slack.direct("ana")
    root = box.slack.open_assistant("ana")
    where = client.place(direct, root)
    client.status(where, "is searching")
    client.title(where, "Holds")
    client.prompts(direct, root, [("Check a ticket", "check PAY-1")])
    shown = box.slack.assistant(direct, root)
    assert (shown.statuses, shown.title) == (["is searching"], "Holds")
    assert shown.prompts == [("Check a ticket", "check PAY-1")]


# Threads of this process


def test_many_threads_share_a_client(box, client):
    channel = box.slack.channel("dev").id
    asked_for = [box.slack.say("ana", "dev", f"{box.slack.mention} {number}") for number in range(24)]
    failed = []

    def answer(ts):
        try:
            trigger = client.trigger(channel, ts)
            post = reply(trigger, key=f"k-{ts}")
            client.post(replace(post, becomes=start(client, trigger, f"k-{ts}")))
            assert len(client.find(post)) == 1
        except Exception as e:  # noqa: BLE001  whatever it is, the test fails with it
            failed.append(e)

    threads = [threading.Thread(target=answer, args=(ts,)) for ts in asked_for]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert [len(own(box, ts)) for ts in asked_for] == [1] * 24
