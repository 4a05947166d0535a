"""What may have happened to a ticket, its project, its people, between asking and answering; and which Jira it is."""

import json
import threading
from dataclasses import replace

import pytest

from bots.errors import CameOutWider, Gone, NotAllowed, Rejected, Unavailable
from bots.jira.client import INTERNAL, JiraClient
from bots.types import Visibility
from tests.bots.jira.test_client import asked, bots, reply, requests


def test_the_flavour_is_asked_for_once(box, client, flavour):
    answered = []
    threads = [threading.Thread(target=lambda: answered.append(client.whoami())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(answered)) == 1
    assert len(requests(box, "GET", "/serverInfo")) == 1
    asked_for = {e.path.partition("/rest/")[2].split("/")[1] for e in requests(box, "GET", "/myself")}
    assert asked_for == {"3" if flavour == "cloud" else "2"}


def test_nothing_is_asked_before_it_is_needed(box, connect):
    connect()
    assert box.exchanges.all("jira") == []


@pytest.mark.parametrize("kind", ["html", "status", "drop_before"])
def test_a_flavour_that_cannot_be_told_is_asked_for_again(box, client, kind):
    box.faults.add("GET", "/serverInfo$", kind, status=503)
    with pytest.raises(Unavailable):
        client.whoami()
    client.whoami()


def test_an_answer_that_does_not_tell_the_flavour(box, client):
    box.faults.add("GET", "/serverInfo$", "status", status=200, body="{}")
    with pytest.raises(Unavailable, match="address right"):
        client.whoami()


def test_a_context_path(box):
    client = JiraClient(box.jira_data_center_url + "/", "", box.post_token)
    assert client.site == box.jira_data_center_url
    assert asked(box, client).place.url == f"{box.jira_data_center_url}/browse/PAY-1"
    client.close()


def test_a_user_name_works_on_data_center_as_well(box):
    client = JiraClient(box.jira_data_center_url, box.post_user, box.post_token)
    assert client.whoami() == box.accounts.user_key("bot")
    client.close()


def test_an_archived_project_is_no_place_to_answer(box, client):
    box.jira.archive_project("PAY")
    assert asked(box, client).place.ended == "the project PAY is archived"
    box.jira.restore_project("PAY")
    assert asked(box, client).place.ended == ""


def test_an_archived_ticket_is_no_place_to_answer(box, client, flavour):
    trigger = asked(box, client)
    issue = {
        "id": trigger.place.id, "key": "PAY-1",
        "fields": {"project": {"key": "PAY"}, "archiveddate": "2026-11-02T09:00:00.000+0000"},
    }  # fmt: skip
    box.faults.add("GET", "/issue/[0-9]+$", "status", status=200, body=json.dumps(issue))
    assert client.trigger(trigger.place.id, trigger.comment_id).place.ended == "PAY-1 is archived"


def test_nothing_is_written_in_an_archived_ticket(box, client):
    trigger = asked(box, client)
    box.jira.archive_issue("PAY-1")
    with pytest.raises((NotAllowed, Rejected)):
        client.post(reply(client, trigger))
    assert bots(box) == []


def test_a_ticket_that_moved_is_the_same_ticket(box, client):
    trigger = asked(box, client)
    key = box.jira.move_issue("PAY-1", "HELP")
    now = client.trigger(trigger.place.id, trigger.comment_id)
    assert (now.place.id, now.place.key, now.place.container) == (trigger.place.id, key, "HELP")
    assert now.place.customers
    posted = client.post(reply(client, now))
    assert posted.url.startswith(f"{client.site}/browse/{key}?")


def test_a_project_with_another_key(box, client):
    trigger = asked(box, client)
    box.jira.rekey_project("PAY", "CASH")
    now = client.trigger(trigger.place.id, trigger.comment_id)
    assert (now.place.key, now.place.container) == ("CASH-1", "CASH")
    assert client.belongs(now.place, now.author_id, [], ["Leads"])


def test_a_comment_whose_author_is_gone(box, client):
    trigger = asked(box, client)
    box.jira.delete_user("ana")
    now = client.trigger(trigger.place.id, trigger.comment_id)
    assert now.command == "qa-check"
    assert not now.by_bot
    client.post(reply(client, now))


def test_a_comment_without_an_author(box, client):
    trigger = asked(box, client)
    body = {"id": trigger.comment_id, "created": "2026-11-02T09:00:00.000+0000", "body": "#qa-check", "jsdPublic": True}
    box.faults.add("GET", "/comment/[0-9]+$", "status", status=200, body=json.dumps(body))
    now = client.trigger(trigger.place.id, trigger.comment_id)
    assert (now.author, now.author_id, now.by_bot) == ("", "", False)


@pytest.mark.parametrize("kind", ["role", "group"])
def test_a_role_or_group_that_has_another_name_now_is_refused(box, client, kind):
    trigger = asked(box, client, **{kind: "Developers" if kind == "role" else "qa-leads"})
    renamed = replace(reply(client, trigger), visibility=Visibility({"type": kind, "value": "Renamed"}))
    with pytest.raises(NotAllowed, match=f"the bot in the {kind} Renamed"):
        client.post(renamed)
    assert bots(box) == []


def test_the_administrator_is_told_which_role_the_bot_needs(box, client):
    trigger = asked(box, client, role="Developers")
    box.jira.join_role("bot", "PAY", "Leads")
    box.jira.leave_role("bot", "PAY", "Developers")
    with pytest.raises(NotAllowed, match="the bot in the role Developers"):
        client.post(reply(client, trigger))
    with pytest.raises(Gone):
        client.trigger(trigger.place.id, trigger.comment_id)
    assert bots(box) == []


# Service projects


@pytest.mark.parametrize(("internal", "expected"), [(True, True), (False, False)])
def test_where_the_comment_does_not_tell_its_property_does(box, client, internal, expected):
    comment = box.jira.add_comment("HELP-1", "ana", "#qa-check", internal=internal)
    issue = box.jira.issue("HELP-1").id
    body = {"id": comment, "created": "2026-11-02T09:00:00.000+0000", "body": "#qa-check", "author": {"name": "ana"}}
    box.faults.add("GET", "/comment/[0-9]+$", "status", status=200, body=json.dumps(body))
    assert client.trigger(issue, comment).visibility == Visibility(internal=expected)


def test_an_internal_note_that_cannot_be_told_to_be_one_does_not_stand(box, client, flavour):
    """Data Center's answer may not say whether customers see the comment, and the property may not be had."""
    trigger = asked(box, client, "HELP-1", internal=True)
    box.faults.add("POST", "/comment$", "wider")
    with pytest.raises(CameOutWider):
        client.post(reply(client, trigger))
    assert bots(box, "HELP-1") == []


def test_a_role_does_not_hide_from_customers(box, client):
    """Only the note is internal; the role is the other axis."""
    limited = client.post(reply(client, asked(box, client, "HELP-1", role="Support staff")))
    assert not limited.visibility.internal
    (written,) = bots(box, "HELP-1")
    assert INTERNAL not in {held["key"] for held in written["properties"]}


# Jira's own limit


def body_of(length, flavour):
    if flavour == "data center":
        return {"type": "wiki", "text": "x" * length}
    document = {
        "type": "doc",
        "version": 1,
        "content": [{"type": "paragraph", "content": [{"type": "text", "text": ""}]}],
    }
    document["content"][0]["content"][0]["text"] = "x" * (length - len(json.dumps(document, separators=(",", ":"))))
    return document


def test_exactly_the_limit_passes_and_a_character_more_is_refused(box, client, flavour):
    trigger = asked(box, client)
    client.post(replace(reply(client, trigger), body=body_of(32_767, flavour)))
    with pytest.raises(Rejected):
        client.post(replace(reply(client, trigger), body=body_of(32_768, flavour)))
    assert len(bots(box)) == 1
