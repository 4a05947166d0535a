"""A ticket is read whole, and says what of it is missing."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from urllib.parse import unquote

import pytest
from structlog.testing import capture_logs

from core import visibility
from core.connectors import jira_labels as labelled
from core.connectors import jira_values as values
from core.connectors.jira import JiraConnector
from core.errors import SourceGone, SourceUnavailable
from core.types import Audience
from sandbox.records import Change, Comment, Link, Project, Ticket
from sandbox.server import Sandbox
from tests.core.connectors.conftest import both, reader_of
from tests.sandbox_fixtures import AGENT, DEVELOPER, OWNER, T, company


def extended(**changes):
    """The small company with its first ticket changed."""
    small = company()
    first = replace(small.tickets[0], **changes)
    return replace(small, tickets=(first, *small.tickets[1:]))


def test_fields_by_the_names_that_people_see(reader):
    ticket = reader.ticket("SHOP-1")
    assert (ticket.key, ticket.project, ticket.type, ticket.status) == ("SHOP-1", "SHOP", "Story", "In progress")
    assert not ticket.done
    assert ticket.reporter.name == OWNER.name
    assert {field.name: field.text for field in ticket.fields} == {
        "Acceptance criteria": "- locked\n- told",
        "Priority": "High",
        "Labels": "login, safety",
        "Team": "Web",
    }
    assert "| right | in |" in ticket.description
    assert "- [ ] agreed with @Olga Owner" in ticket.description
    assert ticket.locator.url.endswith("/browse/SHOP-1")
    assert ticket.unread == ()


def test_comments_carry_their_own_labels(box, reader):
    everybody, owners, engineering = reader.ticket("SHOP-1").comments
    shop = visibility.jira_project("SHOP")
    assert everybody.labels == {shop}
    assert owners.labels == {shop, visibility.jira_role("SHOP", "Owners")}
    group = visibility.jira_group(box.accounts.group_id("engineering"))
    assert engineering.labels == {shop, group}
    assert engineering.locator.url.endswith(f"focusedCommentId={engineering.id}")


@both
def test_field_report_v1_internal_notes_and_roles_are_two_things(box, reader):
    box.jira.add_comment("HELP-1", AGENT.id, "For agents.", role="Agents")
    ticket = reader.ticket("HELP-1")
    public, internal, role = (comment.labels - ticket.labels for comment in ticket.comments)
    assert ticket.service_desk
    assert public == set()
    assert internal == {visibility.INTERNAL}
    assert role == {visibility.jira_role("HELP", "Agents")}


@pytest.mark.parametrize(
    ("raw", "own"),
    [
        ({"visibility": {"type": "role", "value": "Old name", "identifier": "New"}}, {"jira:P:role:New"}),
        ({"visibility": {"type": "group", "value": "qa"}}, {"jira:group:qa"}),
        ({"visibility": {"type": "planet"}}, {"jira:P:role:?"}),
        ({"visibility": "strange"}, {"jira:P:role:?"}),
        ({"visibility": {}}, set()),
        ({"jsdPublic": False}, {"jira:internal"}),
        ({"jsdPublic": True}, set()),
        ({}, set()),
    ],
)
def test_a_restriction_that_is_not_understood_is_one_that_nobody_holds(raw, own):
    assert labelled.comment_labels(raw, frozenset({"jira:P"}), "P") == {"jira:P"} | own


OWNERS, LEADS = visibility.jira_role("P", "10002"), visibility.jira_role("P", "10003")
EITHER = visibility.restriction([OWNERS, LEADS], [])


def roles(*numbers):
    return {"issuerestrictions": {"projectrole": [{"restrictionValue": number} for number in numbers]}}


@pytest.mark.parametrize(
    ("field", "own"),
    [
        (None, set()),
        ({"issuerestrictions": {}, "shouldDisplay": True}, set()),
        (roles(), set()),
        (roles("10002"), {OWNERS}),
        (roles("10002", 10002), {OWNERS}),
        (roles("10002", "10003"), {EITHER}),
        (roles("10003", "10002"), {EITHER}),
        ({}, {labelled.NOT_UNDERSTOOD}),
        ("10002", {labelled.NOT_UNDERSTOOD}),
        ({"issuerestrictions": ["10002"]}, {labelled.NOT_UNDERSTOOD}),
        ({"issuerestrictions": {"projectrole": "10002"}}, {labelled.NOT_UNDERSTOOD}),
        ({"issuerestrictions": {"projectrole": ["10002"]}}, {labelled.NOT_UNDERSTOOD}),
        (roles("10002", None), {labelled.NOT_UNDERSTOOD}),
        (roles("10002", ""), {labelled.NOT_UNDERSTOOD}),
        (roles("10002", True), {labelled.NOT_UNDERSTOOD}),
        ({"issuerestrictions": {"projectrole": [], "group": ["staff"]}}, {labelled.NOT_UNDERSTOOD}),
        ({"issuerestrictions": roles("10002")["issuerestrictions"] | {"user": ["u-1"]}}, {labelled.NOT_UNDERSTOOD}),
    ],
)
def test_a_restricted_ticket_of_a_team_managed_project(field, own):
    assert labelled.ticket_labels({"project": {"key": "P"}, "issuerestriction": field}) == {"jira:P"} | own


def test_who_may_read_a_ticket_of_several_roles_is_not_who_has_one_of_them():
    """Nor anybody by single roles: whether they are enough is not for a label to say."""
    labels = labelled.ticket_labels({"project": {"key": "P"}, "issuerestriction": roles("10002", "10003")})
    for held in ({OWNERS}, {LEADS}, {OWNERS, LEADS}):
        assert not Audience(frozenset({"jira:P", *held})).may_read(labels)


def test_the_restriction_of_a_ticket_is_asked_for_wherever_its_labels_are(box, reader):
    """It is the label of the ticket, of its comments, and of it as a linked ticket."""

    def answer(number, **more):
        fields = {"project": {"key": "SHOP"}, "summary": "Secret", "issuerestriction": roles("10002"), **more}
        body = json.dumps({"id": number, "key": f"SHOP-{number[-1]}", "fields": fields})
        box.faults.add("GET", rf"/issue/(SHOP-{number[-1]}|{number})$", "status", status=200, body=body)

    role = visibility.jira_role("SHOP", "10002")
    answer("20001", subtasks=[{"id": "20003"}])
    answer("20003")
    ticket = reader.ticket("SHOP-1")
    assert role in ticket.labels
    assert all(role in comment.labels for comment in ticket.comments)
    assert role in ticket.links[0].labels
    answer("20001")
    ids = ["jira:20001", "jira:20001:comment:30001"]
    labels = JiraConnector("jira", reader, ["SHOP"]).labels_now(ids)
    assert all(role in labels[document] for document in ids)
    asked = [e.query for e in box.exchanges.all() if re.search(r"/issue/[A-Z0-9-]+$", e.path)]
    assert len(asked) == 3
    assert all("issuerestriction" in query or "*all" in unquote(query) for query in asked)


@both
def test_history_is_complete_and_oldest_first(flavour):
    many = tuple(Change(T + timedelta(minutes=n), OWNER.id, "description", str(n), str(n + 1)) for n in range(250))
    with Sandbox.start(extended(history=many)) as box:
        history = reader_of(box, flavour).ticket("SHOP-1").history
    assert [change.before for change in history] == [str(n) for n in range(250)]
    assert history[0].field == "description"


@both
def test_links_in_both_directions_with_their_own_labels(box, reader):
    links = {link.relation: link for link in reader.ticket("SHOP-1").links}
    assert set(links) == {"blocks", "sub-task"}
    blocked = links["blocks"]
    level = box.jira.catalog.level_id(box.jira.projects["SHOP"], "Leads only")
    assert blocked.labels == {visibility.jira_project("SHOP"), visibility.jira_security("SHOP", str(level))}
    assert (blocked.key, blocked.summary, blocked.done, blocked.resolution) == ("SHOP-2", "Hole", True, "Fixed")
    assert [link.relation for link in reader.ticket("SHOP-2").links] == ["is blocked by"]
    assert [link.relation for link in reader.ticket("SHOP-3").links] == ["parent"]
    assert [(link.title, link.relation) for link in reader.ticket("SHOP-1").remote_links] == [
        ("The policy", "mentioned in")
    ]
    seen = reader.ticket("SHOP-1").seen_by(Audience(frozenset({"jira:SHOP"})))
    assert {link.key for link in seen.links} == {"SHOP-3"}


@both
@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_linked_ticket_that_cannot_be_read_is_neither_counted_nor_named(box, reader, status):
    box.faults.add("POST", r"/issue/bulkfetch$", "status", times=3, status=500)
    box.faults.add("GET", r"/issue/20002$", "status", times=3, status=status)
    ticket = reader.ticket("SHOP-1")
    assert {link.key for link in ticket.links} == {"SHOP-3"}
    assert ticket.unread == ("Some of the linked tickets",)


@both
def test_cyclic_links_end(flavour):
    ring = tuple(
        Ticket(
            f"SHOP-{n}", "Bug", f"Ring {n}", "", "To Do", OWNER.id, T, T, links=(Link("Blocks", f"SHOP-{n % 3 + 1}"),)
        )
        for n in (1, 2, 3)
    )
    with Sandbox.start(replace(company(), tickets=ring)) as box:
        links = reader_of(box, flavour).ticket("SHOP-1").links
    assert {(link.relation, link.key) for link in links} == {("blocks", "SHOP-2"), ("is blocked by", "SHOP-3")}


def test_five_thousand_comments():
    many = tuple(Comment(DEVELOPER.id, T + timedelta(seconds=n), f"comment {n}") for n in range(5_000))
    with Sandbox.start(extended(comments=many)) as box:
        comments = reader_of(box).ticket("SHOP-1").comments
    assert [comment.text for comment in comments] == [f"comment {n}" for n in range(5_000)]
    assert len({comment.id for comment in comments}) == 5_000


@both
@pytest.mark.parametrize("deleted", [1, 4])
def test_a_comment_deleted_between_two_pages_hides_none(deleted, flavour):
    many = tuple(Comment(DEVELOPER.id, T + timedelta(seconds=n), f"comment {n}") for n in range(230))
    with Sandbox.start(extended(comments=many)) as box:
        first = [comment["id"] for comment in box.jira.comments("SHOP-1")[:20]]

        def delete(_):
            for _n in range(deleted):
                box.jira.delete_comment("SHOP-1", first.pop(0))

        box.faults.on("GET", "/comment$", delete, stage="answered")
        ticket = reader_of(box, flavour).ticket("SHOP-1")
    assert ticket.unread == ()
    assert [comment.text for comment in ticket.comments] == [f"comment {n}" for n in range(230)]


@both
@pytest.mark.parametrize("count", [110, 230])
def test_comments_that_change_too_much_while_they_are_listed_are_unread(count, flavour):
    many = tuple(Comment(DEVELOPER.id, T + timedelta(seconds=n), f"comment {n}") for n in range(count))
    with Sandbox.start(extended(comments=many)) as box:
        first = [comment["id"] for comment in box.jira.comments("SHOP-1")[:50]]

        def delete(_):
            while first:
                box.jira.delete_comment("SHOP-1", first.pop())

        box.faults.on("GET", "/comment$", delete, stage="answered")
        ticket = reader_of(box, flavour).ticket("SHOP-1")
        assert (ticket.comments, ticket.unread) == ((), ("The comments",))
        assert len(reader_of(box, flavour).ticket("SHOP-1").comments) == count - 50


def test_parts_that_fail_are_named_and_the_rest_is_there(box, reader):
    box.faults.add("GET", r"/SHOP-1/comment$|/20001/comment$", "status", times=3, status=500)
    box.faults.add("GET", r"/changelog$", "status", status=403)
    box.faults.add("GET", r"/remotelink$", "html", times=3)
    box.faults.add("GET", r"/field$", "status", times=3, status=503)
    ticket = reader.ticket("SHOP-1")
    assert (ticket.comments, ticket.history, ticket.remote_links) == ((), (), ())
    # No word of Jira's: what is shown to people names neither paths nor numbers.
    assert ticket.unread == ("The names of the fields", "The comments", "The history", "The links to other sites")
    assert ticket.summary == "Lock the account"
    assert len(ticket.links) == 2
    assert reader.ticket("SHOP-1").unread == ()


@both
def test_a_short_list_of_comments_is_unread_not_complete(box, reader):
    body = '{"startAt": 0, "maxResults": 100, "total": 3, "comments": []}'
    box.faults.add("GET", r"/comment$", "status", status=200, body=body)
    with capture_logs() as logs:
        ticket = reader.ticket("SHOP-1")
    assert ticket.comments == ()
    assert ticket.unread == ("The comments",)
    reasons = [entry["reason"] for entry in logs if entry["log_level"] == "warning"]
    assert reasons == ["Jira gave 0 of 3 comments of issue/20001/comment"]


@both
@pytest.mark.parametrize("key", ["SHOP-999", "NOPE-1", "💥-1", "SHOP-1/../../x", "", "SHOP-٣", "shop"])
def test_no_such_ticket(reader, key):
    with pytest.raises(SourceGone):
        reader.ticket(key)


@both
def test_the_ticket_itself_must_be_readable(box, reader):
    box.faults.add("GET", r"/issue/SHOP-1$", "status", times=3, status=500)
    with pytest.raises(SourceUnavailable):
        reader.ticket("SHOP-1")


@both
def test_keys_by_project_and_by_jql(reader):
    assert list(reader.keys("SHOP")) == ["SHOP-1", "SHOP-2", "SHOP-3"]
    assert list(reader.keys(jql="parent = SHOP-1")) == ["SHOP-3"]
    with pytest.raises(SourceGone):
        reader.keys('SHOP" OR project = "HELP')
    with pytest.raises(SourceGone):
        reader.keys("ПРО")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("a\x00b\r\n", "ab"),
        (5.0, "5"),
        (2.5, "2.5"),
        (float("inf"), "inf"),
        (True, "yes"),
        ([], ""),
        (["x", None, {"name": "y"}], "x, y"),
        ({"value": "EU", "child": {"value": "Berlin"}}, "EU > Berlin"),
        ({"displayName": "Ana", "accountId": "u-1"}, "Ana"),
        ({"type": "doc", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "rich"}]}]}, "rich"),
        ({"unknown": 1}, ""),
    ],
)
def test_values_of_fields(value, text):
    assert values.text_of(value) == text


@both
def test_missing_and_odd_parts_of_a_ticket_are_survived(box, reader):
    body = '{"id": "20001", "key": "SHOP-1", "fields": {"summary": null, "issuelinks": [null, {}], "subtasks": [7]}}'
    box.faults.add("GET", r"/issue/SHOP-1$", "status", status=200, body=body)
    ticket = reader.ticket("SHOP-1")
    assert (ticket.summary, ticket.description, ticket.links) == ("", "", ())
    assert ticket.labels == {"jira:?"}


def test_odd_text_comes_through():
    odd = "\u202eשלמ\u202c 👩\u200d👩\u200d👧 {code} *x*"
    with Sandbox.start(extended(summary=odd, comments=(Comment(OWNER.id, T, odd),))) as box:
        ticket = reader_of(box).ticket("SHOP-1")
    assert ticket.summary == odd
    assert "שלמ" in ticket.comments[0].text
    assert "👩\u200d👩\u200d👧" in ticket.comments[0].text


@both
def test_comments_of_programs_are_known(flavour):
    bot = Comment(DEVELOPER.id, T, "beep")
    with Sandbox.start(extended(comments=(bot,))) as box:
        assert not reader_of(box, flavour).ticket("SHOP-1").comments[0].by_bot
        assert reader_of(box, flavour, bots=lambda: frozenset({DEVELOPER.id})).ticket("SHOP-1").comments[0].by_bot


SECRET = "ghp_" + "a1B2" * 9


@both
def test_credentials_are_masked_in_what_a_prompt_may_hold(flavour):
    """Those that are indexed are masked and counted there."""
    text = f"Use {SECRET} to log in."
    changes = (Change(T, OWNER.id, "description", text, "gone"),)
    comments = (Comment(OWNER.id, T, text),)
    fields = {"Acceptance criteria": text}
    with Sandbox.start(
        extended(summary=text, description=text, comments=comments, history=changes, fields=fields)
    ) as box:
        ticket = reader_of(box, flavour).ticket("SHOP-1")
        linked = reader_of(box, flavour).ticket("SHOP-3")
    assert SECRET not in repr(ticket) + repr(linked)
    hidden = text.replace(SECRET, "*" * len(SECRET))
    assert [ticket.summary, ticket.description, ticket.comments[0].text, ticket.history[0].before] == [hidden] * 4
    assert {field.name: field.text for field in ticket.fields}["Acceptance criteria"] == hidden


def test_bodies_in_wiki_markup(box, reader):
    """As Jira Data Center and the older interface give them."""
    fields = {
        "project": {"key": "SHOP"},
        "summary": "*not* markup here",
        "description": "h2. Rule\n* lock after *five* tries of {{check_user_lock}}",
        "customfield_10031": "a _long_ text",
        "customfield_10032": "a _short_ text",
    }
    body = json.dumps({"id": "20001", "key": "SHOP-1", "fields": fields})
    described = [
        {"id": "customfield_10031", "name": "Criteria", "schema": {"custom": "com.atlassian.x:textarea"}},
        {"id": "customfield_10032", "name": "Team", "schema": {"custom": "com.atlassian.x:textfield"}},
    ]
    comment = {"id": "1", "body": "[~olga] see -this- that", "author": {"displayName": "Olga"}}
    box.faults.add("GET", "/issue/SHOP-1$", "status", status=200, body=body)
    box.faults.add("GET", "/field$", "status", status=200, body=json.dumps(described))
    box.faults.add("GET", "/comment$", "status", status=200, body=json.dumps({"total": 1, "comments": [comment]}))
    ticket = reader.ticket("SHOP-1")
    assert ticket.summary == "*not* markup here"
    assert ticket.description == "## Rule\n\n- lock after five tries of `check_user_lock`"
    assert {field.name: field.text for field in ticket.fields} == {"Criteria": "a long text", "Team": "a _short_ text"}
    assert (ticket.comments[0].text, ticket.comments[0].mentions) == ("@olga see ~~this~~ that", ("olga",))


def test_a_service_desk_comment_that_does_not_say_that_it_is_public_is_not(reader):
    fields = {"project": {"key": "P", "projectTypeKey": "service_desk"}}
    assert labelled.is_service_desk(fields)
    of_ticket = frozenset({"jira:P"})
    assert labelled.comment_labels({}, of_ticket, "P", service_desk=True) == {"jira:P", visibility.INTERNAL}
    assert labelled.comment_labels({"jsdPublic": True}, of_ticket, "P", service_desk=True) == of_ticket


@both
def test_a_hundred_linked_tickets_take_one_request(flavour):
    others = tuple(Ticket(f"SHOP-{n}", "Bug", f"B{n}", "", "To Do", OWNER.id, T, T) for n in range(10, 60))
    first = replace(company().tickets[0], links=tuple(Link("Relates", other.key) for other in others))
    with Sandbox.start(replace(company(), tickets=(first, *others))) as box:
        assert len(reader_of(box, flavour).ticket("SHOP-1").links) == 50
        assert len([exchange for exchange in box.exchanges.all() if not exchange.path.endswith("/user")]) == 8


@both
def test_a_project_may_have_digits_and_underscores(flavour):
    project = Project("A_1", "Odd", roles={"Owners": (OWNER.id,)})
    ticket = Ticket("A_1-1", "Bug", "x", "", "To Do", OWNER.id, T, T)
    with Sandbox.start(replace(company(), projects=(project,), tickets=(ticket,))) as box:
        assert list(reader_of(box, flavour).keys("A_1")) == ["A_1-1"]
