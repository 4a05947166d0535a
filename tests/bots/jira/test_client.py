"""The client against a Jira on loopback: what it reads, how it writes, and what it takes back."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bots.errors import CameOutWider, Gone, NotAllowed, Rejected, Unavailable, Uncertain
from bots.jira.answers import Ticket
from bots.jira.client import DELIVERY, INTERNAL, JiraClient
from bots.outline import words
from bots.types import Post, Visibility

COMMENT = "/comment$"


def asked(box, client, key="PAY-1", text="#qa-check", author="ana", **limits):
    """A trigger, as the client reads it."""
    comment = box.jira.add_comment(key, author, text, **limits)
    return client.trigger(box.jira.issue(key).id, comment)


def reply(client, trigger, key="k-1", text="All is well."):
    (body,) = client.render((words(text),))
    return Post(trigger.place, trigger.visibility, body, key, trigger.comment_id, trigger.created)


def bots(box, key="PAY-1"):
    return [comment for comment in box.jira.comments(key) if comment["author"]["accountId"] == "bot"]


def requests(box, method, path):
    return [e for e in box.exchanges.all("jira") if e.method == method and e.path.endswith(path)]


# Reading


def test_a_trigger_and_its_place(box, client, flavour):
    box.jira.set_security("PAY-1", "Secret")
    trigger = asked(box, client, text="Please #QA-Check, thanks")
    issue = box.jira.issue("PAY-1")
    place = trigger.place
    assert (place.surface, place.site, place.id, place.key) == ("jira", client.site, issue.id, "PAY-1")
    assert (place.container, place.customers) == ("PAY", False)
    assert place.security is not None
    assert place.url == f"{client.site}/browse/PAY-1"
    assert place.ended == ""
    assert (trigger.author, trigger.command, trigger.by_bot) == ("Ana Sol", "qa-check", False)
    assert trigger.author_id == ("ana" if flavour == "cloud" else box.accounts.user_key("ana"))
    assert trigger.url == f"{place.url}?focusedCommentId={trigger.comment_id}"
    assert abs(trigger.created - datetime.now(UTC)) < timedelta(minutes=1)
    assert trigger.visibility == Visibility()


def test_a_ticket_for_some_roles_tells_them(box, client, flavour):
    box.jira.set_roles("PAY-1", ["Leads", "Developers"])
    roles = asked(box, client).place.roles
    assert len(roles) == (2 if flavour == "cloud" else 0)
    assert list(roles) == sorted(roles)
    box.jira.set_roles("PAY-1", [])
    assert asked(box, client).place.roles == ()


def role(number):
    return {"restrictionValue": number}


@pytest.mark.parametrize(
    ("restriction", "roles"),
    [
        (None, ()),
        ({"issuerestrictions": {}, "shouldDisplay": False}, ()),
        ({"issuerestrictions": {"projectrole": [role("10003"), role(10002)], "user": []}}, ("10002", "10003")),
        ({"issuerestrictions": {"projectrole": [role("10002")], "user": [role("7")]}}, ()),
        ({"issuerestrictions": {"projectrole": [role("10002"), role("x")]}}, ()),
        ({"issuerestrictions": ["10002"]}, ()),
        ("10002", ()),
    ],
)
def test_a_restriction_is_understood_or_tells_nothing(restriction, roles):
    fields = {"project": {"key": "PAY"}, "issuerestriction": restriction}
    assert Ticket.model_validate({"id": "1", "key": "PAY-1", "fields": fields}).roles == roles


def test_a_role_and_a_group_are_copied_word_for_word(box, client, flavour):
    role = asked(box, client, role="Developers").visibility
    group = asked(box, client, group="qa-leads").visibility
    given = {"type": "role", "value": "Developers"}, {"type": "group", "value": "qa-leads"}
    numbers = {"identifier": "Developers"}, {"identifier": box.accounts.group_id("qa-leads")}
    if flavour == "cloud":
        given = tuple(one | number for one, number in zip(given, numbers, strict=True))
    assert (role, group) == (Visibility(given[0]), Visibility(given[1]))


def test_internal_is_a_matter_of_service_projects(box, client):
    assert asked(box, client, "HELP-1", internal=True).visibility == Visibility(internal=True)
    assert asked(box, client, "HELP-1").visibility == Visibility()
    assert asked(box, client, "HELP-1").place.customers
    assert asked(box, client, "PAY-1", internal=True).visibility == Visibility()


def test_what_is_said_to_the_command_is_read_with_it(box, client):
    trigger = asked(box, client, text="Hello\n\n#qa-check dismiss 2: as sold\n\nAna")
    assert (trigger.command, trigger.argument) == ("qa-check", "dismiss 2: as sold")
    assert asked(box, client).argument == ""
    box.jira.edit_comment("PAY-1", trigger.comment_id, "> #qa-check dismiss 2: as sold")
    now = client.trigger(trigger.place.id, trigger.comment_id)
    assert (now.command, now.argument) == (None, "")


def test_an_edit_is_seen_as_it_is_now(box, client):
    trigger = asked(box, client)
    box.jira.edit_comment("PAY-1", trigger.comment_id, "never mind")
    box.jira.set_visibility("PAY-1", trigger.comment_id, role="Developers")
    now = client.trigger(trigger.place.id, trigger.comment_id)
    assert now.command is None
    assert now.visibility.restriction["value"] == "Developers"


def test_the_bots_own_comment_is_known(box, client, flavour):
    assert asked(box, client, author="bot").by_bot
    assert client.whoami() == ("bot" if flavour == "cloud" else box.accounts.user_key("bot"))
    client.whoami()
    assert len(requests(box, "GET", "/myself")) == 1


def test_without_an_account_nobody_is_taken_for_the_bot(box, client):
    box.faults.add("GET", "/myself", "status", status=200, body="{}")
    with pytest.raises(Unavailable):
        asked(box, client)


def test_missing_permissions(box, client):
    assert client.missing_permissions("PAY") == []
    for permission in ("ADD_COMMENTS", "DELETE_OWN_ATTACHMENTS"):
        box.jira.forbid("bot", "PAY", permission)
    assert client.missing_permissions("PAY") == ["ADD_COMMENTS", "DELETE_OWN_ATTACHMENTS"]


def test_jiras_own_time(client):
    assert abs(client.now() - datetime.now(UTC)) < timedelta(minutes=1)


# What cannot be read is not answered (field report V2)


def test_the_restriction_that_the_event_did_not_tell(box, client):
    trigger = asked(box, client, group="qa-leads")
    client.post(reply(client, trigger))
    (written,) = bots(box)
    assert written["visibility"]["value"] == "qa-leads"


@pytest.mark.parametrize("path", ["/issue/[0-9]+$", "/comment/[0-9]+$"])
@pytest.mark.parametrize(
    ("status", "error"), [(404, Gone), (403, NotAllowed), (401, NotAllowed), (500, Unavailable), (429, Unavailable)]
)
def test_a_trigger_that_cannot_be_read(box, client, path, status, error):
    trigger = asked(box, client)
    box.faults.add("GET", path, "status", status=status, headers={"Retry-After": "17"})
    with pytest.raises(error) as told:
        client.trigger(trigger.place.id, trigger.comment_id)
    if error is Unavailable:
        assert told.value.retry_after == 17


@pytest.mark.parametrize("reason", ["AUTHENTICATED_FAILED", "AUTHENTICATION_DENIED"])
@pytest.mark.parametrize("status", [200, 404, 401])
def test_a_token_that_is_not_accepted_is_no_deleted_comment(box, client, status, reason):
    """Jira answers such a request as it answers a stranger's."""
    trigger = asked(box, client)
    headers = {"X-Seraph-LoginReason": reason}
    box.faults.add("*", "/rest/api", "status", 4, status=status, headers=headers, body='{"issues": [], "isLast": true}')
    calls = (
        lambda: client.trigger(trigger.place.id, trigger.comment_id),
        client.now,
        lambda: list(client.search("project = PAY")),
        lambda: client.withdraw(trigger.place, trigger.comment_id),
    )
    for call in calls:
        with pytest.raises(NotAllowed, match="does not accept the posting account's token"):
            call()
    assert box.faults.pending == 0


def test_a_trigger_that_takes_too_long(box, connect):
    client = connect(timeout=0.3)
    trigger = asked(box, client)
    box.faults.add("GET", "/comment/", "hang")
    with pytest.raises(Unavailable, match="too long"):
        client.trigger(trigger.place.id, trigger.comment_id)


def test_a_trigger_that_was_deleted(box, client):
    trigger = asked(box, client)
    box.jira.delete_comment("PAY-1", trigger.comment_id)
    with pytest.raises(Gone):
        client.trigger(trigger.place.id, trigger.comment_id)
    box.jira.delete_issue("PAY-1")
    with pytest.raises(Gone):
        client.trigger(trigger.place.id, trigger.comment_id)


def test_a_comment_beyond_the_bots_role_is_not_there_for_it(box, client):
    comment = box.jira.add_comment("PAY-1", "ana", "#qa-check", role="Leads")
    with pytest.raises(Gone):
        client.trigger(box.jira.issue("PAY-1").id, comment)


@pytest.mark.parametrize("kind", ["html", "drop_before"])
def test_an_answer_that_is_none(box, client, kind):
    trigger = asked(box, client)
    box.faults.add("GET", "/comment/", kind)
    with pytest.raises(Unavailable):
        client.trigger(trigger.place.id, trigger.comment_id)


@pytest.mark.parametrize("body", ["[]", "{}", '{"id":"x","created":"yesterday"}', "null", "[" * 100_000])
def test_an_answer_of_another_shape(box, client, body):
    trigger = asked(box, client)
    box.faults.add("GET", "/comment/", "status", status=200, body=body)
    with pytest.raises(Unavailable):
        client.trigger(trigger.place.id, trigger.comment_id)


@pytest.mark.parametrize(
    ("ticket", "comment"), [("../myself", "1"), ("", "1"), ("1\n", "1"), (None, "../1"), (None, "\u0661")]
)
def test_what_is_no_id_is_not_asked_for(box, client, ticket, comment):
    known = box.jira.issue("PAY-1").id
    client.trigger(known, box.jira.add_comment("PAY-1", "ana", "#qa-check"))
    box.exchanges.clear()
    with pytest.raises(Gone, match="no id of Jira's"):
        client.trigger(known if ticket is None else ticket, comment)
    assert all("comment" not in one.path and "myself" not in one.path for one in box.exchanges.all("jira"))


@pytest.mark.parametrize("path", ["/serverInfo", "/myself"])
def test_a_site_without_what_every_jira_has_is_no_deleted_comment(box, client, path):
    comment = box.jira.add_comment("PAY-1", "ana", "#qa-check")
    box.faults.add("GET", path, "status", status=404, body='{"message": "null for uri", "status-code": 404}')
    with pytest.raises(NotAllowed, match="is the site's address right"):
        client.trigger(box.jira.issue("PAY-1").id, comment)
    assert box.faults.pending == 0


# Writing


def test_a_reply_says_where_it_belongs(box, client, flavour):
    trigger = asked(box, client, role="Developers")
    posted = client.post(reply(client, trigger))
    (written,) = bots(box)
    assert posted.remote_id == written["id"]
    assert posted.url.endswith(f"/browse/PAY-1?focusedCommentId={written['id']}")
    assert posted.visibility == trigger.visibility == client.visibility_of(trigger.place, written["id"])
    assert "All is well." in json.dumps(written["body"])
    (kept,) = written["properties"]
    assert kept["key"] == DELIVERY
    assert kept["value"] | {"text": ""} == {"key": "k-1", "trigger": trigger.comment_id, "text": ""}
    (sent,) = requests(box, "POST", "/comment")
    by = "identifier" if flavour == "cloud" else "value"
    assert json.loads(sent.body)["visibility"] == {"type": "role", by: "Developers"}


def test_a_restriction_without_an_identifier_goes_by_its_name(box, client):
    trigger = asked(box, client)
    by_name = replace(reply(client, trigger), visibility=Visibility({"type": "role", "value": "Developers"}))
    posted = client.post(by_name)
    assert posted.visibility.restriction["value"] == "Developers"
    (sent,) = requests(box, "POST", "/comment")
    assert json.loads(sent.body)["visibility"] == {"type": "role", "value": "Developers"}


@pytest.mark.parametrize(
    ("key", "limits", "internal", "restricted"),
    [
        ("HELP-1", {"internal": True}, True, None),
        ("HELP-1", {"role": "Support staff"}, False, "Support staff"),
        ("HELP-1", {"role": "Support staff", "internal": True}, True, "Support staff"),
        ("PAY-1", {}, False, None),
    ],
)
def test_internal_and_role_are_two_things(box, client, key, limits, internal, restricted):
    """Field report V1, its three runs and both together."""
    posted = client.post(reply(client, asked(box, client, key, **limits)))
    (written,) = bots(box, key)
    assert posted.visibility.internal is internal
    assert written["jsdPublic"] is (not internal)
    assert (INTERNAL in {held["key"] for held in written["properties"]}) is internal
    assert written.get("visibility", {}).get("value") == restricted


@pytest.mark.parametrize(
    ("key", "limits"),
    [("HELP-1", {"internal": True}), ("HELP-1", {"role": "Support staff"}), ("PAY-1", {"group": "qa-leads"})],
)
def test_what_came_out_wider_is_taken_back(box, client, key, limits):
    trigger = asked(box, client, key, **limits)
    box.faults.add("POST", COMMENT, "wider")
    with pytest.raises(CameOutWider, match="was deleted") as told:
        client.post(reply(client, trigger))
    assert told.value.withdrawn
    assert bots(box, key) == []
    assert len(requests(box, "DELETE", "")) == 1


def test_taking_back_is_tried_again_at_once(box, client):
    trigger = asked(box, client, role="Developers")
    box.faults.add("POST", COMMENT, "wider")
    box.faults.add("DELETE", "/comment/", "status", status=503)
    with pytest.raises(CameOutWider) as told:
        client.post(reply(client, trigger))
    assert told.value.withdrawn
    assert bots(box) == []


def test_what_cannot_be_taken_back_is_said(box, client):
    trigger = asked(box, client, role="Developers")
    box.faults.add("POST", COMMENT, "wider")
    box.faults.add("DELETE", "/comment/", "status", 2, status=403)
    with pytest.raises(CameOutWider, match=r"still stands at http.*Delete own comments") as told:
        client.post(reply(client, trigger))
    assert not told.value.withdrawn
    assert len(bots(box)) == 1


def test_a_refused_visibility_is_not_posted_wider(box, client):
    trigger = asked(box, client)
    odd = [
        {"type": "team", "value": "x"},
        {"type": "role"},
        {"value": "Leads"},
        {"type": "group", "identifier": "gone"},
    ]
    for restriction in odd:
        with pytest.raises(NotAllowed):
            client.post(replace(reply(client, trigger), visibility=Visibility(restriction)))
    with pytest.raises(NotAllowed, match="not a member of the project role"):
        client.post(replace(reply(client, trigger), visibility=Visibility({"type": "role", "value": "Leads"})))
    assert bots(box) == []


def test_a_body_that_jira_refuses(box, client):
    with pytest.raises(Rejected, match=r"not valid|empty"):
        client.post(replace(reply(client, asked(box, client)), body={"type": "nonsense"}))
    box.exchanges.clear()  # it was wrong on purpose


def test_without_the_permission_to_comment(box, client):
    trigger = asked(box, client)
    box.jira.forbid("bot", "PAY", "ADD_COMMENTS")
    with pytest.raises(NotAllowed, match="Add comments"):
        client.post(reply(client, trigger))


def test_a_ticket_that_is_gone_by_then(box, client):
    trigger = asked(box, client)
    box.jira.delete_issue("PAY-1")
    with pytest.raises(Gone):
        client.post(reply(client, trigger))


# Once


@pytest.mark.parametrize(("kind", "written"), [("drop_after", 1), ("drop_before", 0), ("status", 0), ("html", 0)])
def test_an_answer_that_is_lost_is_uncertain_and_nothing_is_repeated(box, client, kind, written):
    trigger = asked(box, client)
    box.faults.add("POST", COMMENT, kind, status=502)
    with pytest.raises(Uncertain):
        client.post(reply(client, trigger))
    assert len(bots(box)) == written
    assert box.faults.pending == 0
    assert [posted.remote_id for posted in client.find(reply(client, trigger))] == [
        comment["id"] for comment in bots(box)
    ]


@pytest.mark.parametrize("status", [408, 499, 303])
def test_a_gateway_that_gives_up_leaves_it_open_whether_it_was_written(box, client, status):
    trigger = asked(box, client)
    box.faults.add("POST", COMMENT, "status", status=status, headers={"Retry-After": "5"})
    with pytest.raises(Uncertain) as told:
        client.post(reply(client, trigger))
    assert told.value.retry_after == 5


def test_told_to_wait_means_not_written(box, client):
    trigger = asked(box, client)
    box.faults.add("POST", COMMENT, "status", status=429, headers={"Retry-After": "3"})
    with pytest.raises(Unavailable) as told:
        client.post(reply(client, trigger))
    assert told.value.retry_after == 3
    assert bots(box) == []


def test_only_the_own_comment_with_the_key_is_found(box, client):
    trigger = asked(box, client, role="Developers")
    first = client.post(reply(client, trigger))
    client.post(reply(client, trigger, "k-2"))
    box.jira.add_comment("PAY-1", "bot", "without a key")
    box.jira.add_comment("PAY-1", "ana", "not the bot's")
    assert client.find(reply(client, trigger)) == [first]
    assert client.find(reply(client, trigger, "k-3")) == []
    twin = client.post(reply(client, trigger))
    assert client.find(reply(client, trigger)) == [first, twin]


def test_a_key_in_somebody_elses_comment_is_not_ours(box, client, connect):
    trigger = asked(box, client)
    connect("ana").post(reply(client, trigger))
    assert client.find(reply(client, trigger)) == []


def test_it_is_found_among_thousands_and_read_no_further_back_than_the_trigger(box, client):
    for number in range(150):
        box.jira.add_comment("PAY-1", "ben", f"old {number}")
    with box.jira.lock:
        for note in box.jira.issue("PAY-1").notes.values():
            note.created -= timedelta(days=1)
    trigger = asked(box, client)
    posted = client.post(reply(client, trigger))
    for number in range(250):
        box.jira.add_comment("PAY-1", "ben", f"new {number}")
    box.exchanges.clear()
    assert client.find(reply(client, trigger)) == [posted]
    assert len(requests(box, "GET", "/comment")) == 3


def test_a_comment_deleted_between_two_pages_hides_none(box, client):
    trigger = asked(box, client)
    posted = client.post(reply(client, trigger))
    newer = [box.jira.add_comment("PAY-1", "ben", f"{number}") for number in range(100)]
    deleted = iter(newer[-3:])
    box.faults.on("GET", COMMENT, lambda _: box.jira.delete_comment("PAY-1", next(deleted)), stage="answered")
    assert client.find(reply(client, trigger)) == [posted]


def test_more_comments_deleted_between_two_pages_than_can_be_made_up_for_are_no_complete_list(box, client):
    trigger = asked(box, client)
    posted = client.post(reply(client, trigger))
    newer = [box.jira.add_comment("PAY-1", "ben", f"{number}") for number in range(110)]

    def delete(_):
        while len(newer) > 60:
            box.jira.delete_comment("PAY-1", newer.pop())

    box.faults.on("GET", COMMENT, delete, stage="answered")
    with pytest.raises(Unavailable, match="changed"):
        client.find(reply(client, trigger))
    assert client.find(reply(client, trigger)) == [posted]


def test_withdrawing(box, client):
    trigger = asked(box, client)
    posted = client.post(reply(client, trigger))
    client.withdraw(trigger.place, posted.remote_id)
    assert bots(box) == []
    client.withdraw(trigger.place, posted.remote_id)
    with pytest.raises(NotAllowed, match="not the bot's own"):
        client.withdraw(trigger.place, trigger.comment_id)
    assert len(box.jira.comments("PAY-1")) == 1


# Secrets


def test_no_error_holds_the_token_or_a_text(box, client):
    wrong = JiraClient(box.jira_url, box.post_user, "the-secret-token")
    with pytest.raises(NotAllowed) as told:
        wrong.whoami()
    assert "the-secret-token" not in repr(told.value)
    assert "user and token" in str(told.value)
    wrong.close()


@pytest.mark.parametrize("site", ["", "x.example", "ftp://x.example", "https://user:pw@x.example", "https://"])
def test_a_site_is_a_web_address(site):
    with pytest.raises(ValueError, match="address"):
        JiraClient(site, "u", "t")


def test_tokens_and_names_may_hold_any_character(box):
    client = JiraClient(box.jira_url + "/", "ünïcode", "“quoted”")
    assert client.site == box.jira_url
    with pytest.raises(NotAllowed):
        client.whoami()
    client.close()


def test_a_comment_with_the_key_but_another_text_is_told_apart(box, client):
    trigger = asked(box, client)
    post = reply(client, trigger)
    client.post(post)
    (same,) = client.find(post)
    (other,) = client.find(replace(post, body=reply(client, trigger, text="Something else.").body))
    assert (same.same_text, other.same_text) == (True, False)
