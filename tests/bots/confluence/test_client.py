"""The client against the sandbox, both flavours: it reads a comment as it is, and answers once, in the same thread."""

import json
import time

import pytest

from bots.confluence.client import ConfluenceClient
from bots.errors import Gone, Misplaced, NotAllowed, Rejected, Unavailable, Uncertain
from bots.outline import words
from bots.types import Visibility
from tests.bots.confluence.conftest import NOW, answer, connect

ASKED = "<p>Hello,</p><p>#ask why <strong>five</strong>?</p><p>Thanks</p>"
MARKED = "The account is locked."
STAMP = {"number": 1, "createdAt": NOW.isoformat(), "authorId": "ana"}


@pytest.fixture(params=[False, True], ids=["footer", "inline"])
def marked(request):
    return MARKED if request.param else None


@pytest.fixture
def asked(notes, marked):
    """A thread with a question in its second comment; its first comment, and the question."""
    first = notes.add("501", "I wonder.", "ben", marked=marked)
    return first, notes.add("501", "", "ana", reply_to=first, storage=ASKED)


def key(flavour, name):
    return name if flavour == "cloud" else f"key-{name}"


def test_who_the_bot_is(client, flavour, box):
    assert client.whoami() == key(flavour, "bot")
    assert client.now() is None


def test_what_the_bot_is_called(client):
    assert client.name() == "Crosscheck"


def test_missing_permissions(client, flavour, box):
    cloud = flavour == "cloud"
    assert client.missing_permissions("SPEC") == ([] if cloud else None)
    assert client.missing_permissions("VOID") == ["View the space"]
    box.confluence.silence("SPEC", "bot")
    assert client.missing_permissions("SPEC") == (["Add comments"] if cloud else None)


@pytest.mark.parametrize("flavour", ["cloud"], indirect=True)
def test_a_space_that_tells_nothing_is_not_said_to_miss_anything(client, box):
    box.faults.add("GET", "/operations$", "status", status=200, body='{"operations": []}')
    assert client.missing_permissions("SPEC") is None


def test_groups_that_are_not_there(client, flavour, box):
    by_id = [box.confluence.accounts.group_id("staff")] if flavour == "cloud" else []
    assert client.unknown_groups(["staff", "sta", "a b?c", *by_id]) == ["sta", "a b?c"]


def test_groups_that_the_bot_may_not_look_up(client, box):
    box.faults.add("GET", "/group/", "status", status=403)
    with pytest.raises(NotAllowed, match="Confluence refused to"):
        client.unknown_groups(["staff"])


def test_a_comment_and_its_place_as_they_are_now(client, flavour, asked, marked):
    first, question = asked
    trigger = client.trigger("501", question)
    assert (trigger.command, trigger.argument, trigger.text) == ("ask", "why five?", "why five?\n\nThanks")
    assert (trigger.author, trigger.author_id, trigger.by_bot) == ("Ana Sol", key(flavour, "ana"), False)
    assert (trigger.created, trigger.visibility, trigger.marked) == (NOW, Visibility(), marked or "")
    place = trigger.place
    assert (place.surface, place.id, place.key, place.container) == ("confluence", "501", "Login rules", "SPEC")
    assert (place.site, place.thread, place.inline, place.ended) == (client.site, first, marked is not None, "")
    assert place.url.startswith(client.site)
    assert trigger.url.startswith(client.site)
    assert f"focusedCommentId={question}" in trigger.url


def test_the_comment_knows_its_page_better_than_a_webhook(client, asked):
    assert client.trigger("503", asked[1]).place.id == "501"
    assert client.trigger("", asked[1]).place.id == "501"


@pytest.mark.parametrize("flavour", ["cloud"], indirect=True)
def test_a_reply_that_tells_no_page_is_on_its_threads(client, box, notes):
    first = notes.add("501", "I wonder.", "ben")
    question = notes.add("501", "", "ana", reply_to=first, storage=ASKED)
    said = {"storage": {"value": ASKED, "representation": "storage"}}
    reply = {"id": question, "parentCommentId": first, "body": said, "pageId": None, "version": STAMP}
    box.faults.add("GET", f"-comments/{question}$", "status", status=200, body=json.dumps(reply))
    assert client.trigger("", question).place.id == "501"


def test_what_is_on_no_page_is_gone(client, box, notes, flavour):
    number = notes.add("501", "#qa-check", "ana")
    made = {"id": number, "version": STAMP, "blogPostId": "7", "type": "comment", "status": "current"}
    made |= {"history": {"createdDate": NOW.isoformat()}, "container": {"id": "7", "type": "blogpost"}}
    box.faults.add("GET", "/", "status", status=200, body=json.dumps(made))
    with pytest.raises(Gone, match="not on a page"):
        client.trigger("", number)


def test_the_first_comment_of_a_thread_is_its_own_thread(client, notes):
    first = notes.add("501", "#qa-check", "ana")
    assert client.trigger("501", first).place.thread == first


def test_a_thread_is_climbed_to_its_first_comment(client, notes, marked):
    number = first = notes.add("501", "One.", "ben", marked=marked)
    for _ in range(5):
        number = notes.add("501", "#qa-check", "ana", reply_to=number)
    trigger = client.trigger("501", number)
    assert (trigger.place.thread, trigger.marked) == (first, marked or "")


def test_what_is_above_and_gone_does_not_count(client, notes):
    first = notes.add("501", "One.", "ben")
    second = notes.add("501", "Two.", "ben", reply_to=first)
    third = notes.add("501", "#qa-check", "ana", reply_to=second)
    notes.remove(first)
    assert client.trigger("501", third).place.thread == second


def test_who_edits_a_comment_does_not_become_its_author(client, box, clock, notes, flavour):
    number = notes.add("501", "Hello.", "ana")
    clock.forward(hours=1)
    note = notes.get(number)
    notes.edit(number, "#qa-check")
    changed = note.versions[-1]
    note.versions[-1] = type(changed)(changed.at, "ben", changed.text)
    trigger = client.trigger("501", number)
    assert (trigger.command, trigger.author_id, trigger.created) == ("qa-check", key(flavour, "ana"), NOW)


def test_an_edit_can_take_the_command_away(client, notes):
    number = notes.add("501", "#qa-check", "ana")
    notes.edit(number, "Never mind.")
    assert client.trigger("501", number).command is None


def test_other_words(box, notes, flavour):
    number = notes.add("501", "#review now", "ana")
    client = connect(box, flavour, words=("review",))
    assert client.trigger("501", number).command == "review"
    client.close()


@pytest.mark.parametrize("state", ["resolved", "dangling"])
def test_a_thread_that_is_settled_has_ended(client, notes, state):
    first = notes.add("501", "One.", "ben", marked=MARKED)
    number = notes.add("501", "#qa-check", "ana", reply_to=first)
    notes.resolve(first, state)
    expected = "the thread is resolved" if state == "resolved" else "not on the page any more"
    assert expected in client.trigger("501", number).place.ended
    notes.resolve(first, "reopened")
    assert client.trigger("501", number).place.ended == ""


def test_an_archived_space_has_ended(client, box, notes):
    number = notes.add("501", "#qa-check", "ana")
    box.confluence.lock_space("SPEC")
    body = json.dumps({"id": "1", "key": "SPEC", "status": "archived"})
    box.faults.add("GET", "/spaces/", "status", status=200, body=body)
    assert client.trigger("501", number).place.ended == "the space is archived"


@pytest.mark.parametrize("flavour", ["cloud"], indirect=True)
def test_an_archived_page_has_ended(client, notes):
    number = notes.add("502", "#qa-check", "ana")
    assert client.trigger("502", number).place.ended == "the page is archived"


def test_what_is_deleted_hidden_or_in_the_trash_is_gone(client, box, notes):
    hidden = notes.add("503", "#qa-check", "ana")
    deleted = notes.add("501", "#qa-check", "ana")
    notes.remove(deleted)
    restricted = notes.add("504", "#qa-check", "ana")
    box.confluence.restrict("504", users=("ana",))
    trashed = notes.add("501", "#qa-check", "ana")
    box.confluence.set_status("501", "trashed")
    for number in (hidden, deleted, restricted, trashed, "501", "7", "../x", "²", ""):
        with pytest.raises(Gone):
            client.trigger("501", number)


def test_a_site_without_what_every_confluence_has_is_no_deleted_comment(client, box, notes):
    number = notes.add("501", "#qa-check", "ana")
    box.faults.add("GET", "/user/current", "status", status=404, body='{"statusCode": 404, "message": "null for uri"}')
    with pytest.raises(NotAllowed, match="is the site's address right"):
        client.trigger("501", number)
    assert box.faults.pending == 0


def test_an_answer_stands_in_the_thread_and_of_the_same_kind(client, notes, asked, marked):
    first, question = asked
    posted = client.post(answer(client.trigger("501", question)))
    note = notes.get(posted.remote_id)
    assert (note.parent, note.marked, note.author, note.page) == (first, marked, "bot", "501")
    assert (posted.visibility, posted.same_text) == (Visibility(), True)
    assert f"focusedCommentId={posted.remote_id}" in posted.url
    own = client.trigger("501", posted.remote_id)
    assert (own.by_bot, own.command, own.place.thread) == (True, None, first)


@pytest.mark.parametrize("value", ["<p>Yes.</p>", "<h3>A</h3><p>b</p>", "<ul><li><p>x</p></li></ul>", "<pre>x</pre>"])
def test_an_answer_is_found_again_by_its_key(client, asked, value):
    trigger = client.trigger("501", asked[1])
    post = answer(trigger, value)
    assert client.find(post) == []
    posted = client.post(post)
    assert client.find(post) == [posted]
    assert [one.same_text for one in client.find(answer(trigger, "<p>Other.</p>"))] == [False]
    assert client.find(answer(trigger, key="job-1/reply/2")) == []


def test_answers_are_found_oldest_first_and_past_the_first_part_of_a_list(client, clock, notes, asked):
    first, question = asked
    trigger = client.trigger("501", question)
    posted = []
    for _ in range(2):
        clock.forward(minutes=1)
        posted.append(client.post(answer(trigger)).remote_id)
        for _ in range(120):
            notes.add("501", "More.", "ben", reply_to=first)
    assert [one.remote_id for one in client.find(answer(trigger))] == posted


def test_an_answer_that_somebody_edited_is_still_found(client, notes, asked):
    trigger = client.trigger("501", asked[1])
    posted = client.post(answer(trigger))
    note = notes.get(posted.remote_id)
    last = note.versions[-1]
    note.versions.append(type(last)(last.at, "ana", "", storage=last.storage.replace("Yes", "No")))
    assert [one.remote_id for one in client.find(answer(trigger))] == [posted.remote_id]


def test_nobody_elses_and_nothing_older_is_taken_for_an_answer(client, clock, notes, asked):
    first, question = asked
    trigger = client.trigger("501", question)
    posted = client.post(answer(trigger))
    copied = notes.get(posted.remote_id).versions[-1].storage
    client.withdraw(trigger.place, posted.remote_id)
    notes.add("501", "", "ben", reply_to=first, storage=copied)
    assert client.find(answer(trigger)) == []
    again = client.post(answer(trigger))
    assert client.find(answer(trigger)) == [again]
    clock.forward(hours=1)
    later = client.trigger("501", notes.add("501", "#qa-check", "ana", reply_to=first))
    assert client.find(answer(later)) == []


def test_a_key_that_is_quoted_in_another_answer_is_not_that_answers(client, notes, asked):
    trigger = client.trigger("501", asked[1])
    posted = client.post(answer(trigger))
    quoted = notes.get(posted.remote_id).versions[-1].storage
    client.withdraw(trigger.place, posted.remote_id)
    shown = f"<pre><![CDATA[{quoted}]]></pre>"
    other = client.post(answer(trigger, shown, key="job-2/reply/1"))
    assert client.find(answer(trigger)) == []
    assert client.find(answer(trigger, shown, key="job-2/reply/1")) == [other]


def test_a_comment_cannot_be_limited(client, notes, asked):
    trigger = client.trigger("501", asked[1])
    before = len(list(notes))
    for visibility in (Visibility({"type": "group", "value": "x"}), Visibility(internal=True)):
        with pytest.raises(NotAllowed):
            client.post(answer(trigger, visibility=visibility))
    assert len(list(notes)) == before


def misplaced(flavour, number, thread, inline):
    """What Confluence says it has written: below another comment, or in the footer."""
    if flavour == "cloud":
        return {"id": number, "status": "current", "version": {"createdAt": NOW.isoformat(), "number": 1}}
    return {
        "id": number,
        "type": "comment",
        "status": "current",
        "container": {"id": "501", "type": "page"},
        "ancestors": [{"id": thread}] if inline else [],
        "history": {"createdDate": NOW.isoformat()},
        "extensions": {"location": "footer"},
    }


def test_an_answer_that_comes_out_elsewhere_is_taken_back(client, flavour, box, notes, asked, marked):
    trigger = client.trigger("501", asked[1])
    astray = notes.add("501", "", "bot", storage="<p>Yes.</p>", marked=marked if flavour == "cloud" else None)
    body = json.dumps(misplaced(flavour, astray, asked[0], marked))
    box.faults.add("POST", "comments$|content$", "status", status=201, body=body)
    with pytest.raises(Misplaced) as raised:
        client.post(answer(trigger))
    assert raised.value.withdrawn
    assert notes.get(astray) is None


def test_one_that_cannot_be_taken_back_is_said_to_stand(client, flavour, box, notes, asked, marked):
    trigger = client.trigger("501", asked[1])
    astray = notes.add("501", "", "bot", storage="<p>Yes.</p>", marked=marked if flavour == "cloud" else None)
    body = json.dumps(misplaced(flavour, astray, asked[0], marked))
    box.faults.add("POST", "comments$|content$", "status", status=201, body=body)
    box.faults.add("DELETE", ".", "status", status=403, times=2)
    with pytest.raises(Misplaced, match="still stands") as raised:
        client.post(answer(trigger))
    assert not raised.value.withdrawn


def test_a_delete_that_fails_once_is_sent_again(client, flavour, box, notes, asked, marked):
    trigger = client.trigger("501", asked[1])
    astray = notes.add("501", "", "bot", storage="<p>Yes.</p>", marked=marked if flavour == "cloud" else None)
    box.faults.add("POST", "comments$|content$", "status", status=201, body=json.dumps(
        misplaced(flavour, astray, asked[0], marked)))  # fmt: skip
    box.faults.add("DELETE", ".", "drop_before")
    with pytest.raises(Misplaced):
        client.post(answer(trigger))
    assert notes.get(astray) is None


def test_own_answers_are_withdrawn_and_nobody_elses(client, notes, asked):
    first, question = asked
    trigger = client.trigger("501", question)
    posted = client.post(answer(trigger))
    client.withdraw(trigger.place, posted.remote_id)
    client.withdraw(trigger.place, posted.remote_id)
    assert notes.get(posted.remote_id) is None
    with pytest.raises(NotAllowed):
        client.withdraw(trigger.place, first)
    assert notes.get(first) is not None


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"kind": "status", "status": 403}, NotAllowed),
        ({"kind": "status", "status": 401}, NotAllowed),
        ({"kind": "status", "status": 404}, Gone),
        ({"kind": "status", "status": 413}, Rejected),
        ({"kind": "status", "status": 429, "headers": {"Retry-After": "7"}}, Unavailable),
        ({"kind": "status", "status": 503}, Uncertain),
        ({"kind": "drop_after"}, Uncertain),
        ({"kind": "html"}, Uncertain),
        ({"kind": "status", "status": 200, "body": "{}"}, Uncertain),
        ({"kind": "status", "status": 200, "body": "[]"}, Uncertain),
    ],
)
def test_what_a_write_that_fails_means(client, box, asked, fault, error):
    trigger = client.trigger("501", asked[1])
    box.faults.add("POST", "comments$|content$", **fault)
    with pytest.raises(error) as raised:
        client.post(answer(trigger))
    assert raised.value.retry_after == (7.0 if "headers" in fault else None)


def test_a_write_that_lost_its_answer_is_found(client, box, notes, asked):
    trigger = client.trigger("501", asked[1])
    box.faults.add("POST", "comments$|content$", "drop_after")
    with pytest.raises(Uncertain):
        client.post(answer(trigger))
    assert [one.same_text for one in client.find(answer(trigger))] == [True]


def test_nothing_is_sent_when_it_is_too_late(client, notes, asked):
    trigger = client.trigger("501", asked[1])
    before = len(list(notes))
    with pytest.raises(Unavailable):
        client.post(answer(trigger), until=time.monotonic() - 1)
    assert len(list(notes)) == before


@pytest.mark.parametrize("fault", [{"kind": "status", "status": 500}, {"kind": "drop_before"}, {"kind": "html"}])
def test_a_read_that_fails_is_not_gone(client, box, asked, fault):
    client.whoami()
    box.faults.add("GET", ".", times=5, **fault)
    with pytest.raises(Unavailable):
        client.trigger("501", asked[1])


def test_a_list_without_an_end_is_not_followed_for_ever(client, box, asked, flavour):
    trigger = client.trigger("501", asked[1])
    way = {"next": "/x?cursor=a" if flavour == "cloud" else "/x?start=5"}
    body = json.dumps({"results": [], "_links": way})
    box.faults.add("GET", "child", "status", status=200, times=9, body=body)
    with pytest.raises(Unavailable, match="way on"):
        client.find(answer(trigger))


def test_groups_are_known_by_name_and_there_are_no_roles(client, box, asked, flavour):
    trigger = client.trigger("501", asked[1])
    person = trigger.author_id
    assert client.belongs(trigger.place, person, ["QA-leads"], [])
    assert not client.belongs(trigger.place, person, ["other"], ["qa-leads"])
    assert not client.belongs(trigger.place, person, [], ["qa-leads"])
    assert not client.belongs(trigger.place, "", ["qa-leads"], [])
    if flavour == "cloud":
        assert client.belongs(trigger.place, person, [box.accounts.group_id("qa-leads")], [])


def test_bodies(client):
    assert client.render((words("Hi <b>"),)) == [{"type": "storage", "value": "<p>Hi &lt;b&gt;</p>"}]
    assert client.file("a.csv", b"x") is None


@pytest.mark.parametrize("flavour", ["data-center"], indirect=True)
def test_a_token_that_makes_one_anonymous_is_told(client, box):
    body = json.dumps({"type": "anonymous", "displayName": "Anonymous"})
    box.faults.add("GET", "user/current", "status", status=200, body=body)
    with pytest.raises(NotAllowed):
        client.whoami()


def test_a_site_is_an_address():
    with pytest.raises(ValueError, match="address"):
        ConfluenceClient("name.atlassian.net", "u", "t")
