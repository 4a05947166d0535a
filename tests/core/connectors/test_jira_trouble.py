"""Jira in trouble with single tickets, which cost themselves alone; and what a ticket has no more."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from structlog.testing import capture_logs

from core.connectors.jira import JiraConnector
from core.errors import SourceIncomplete, SourceUnavailable
from sandbox.records import Comment
from sandbox.server import Sandbox
from tests.core.connectors.conftest import QUICK, both, reader_of
from tests.core.connectors.test_jira_connector import by_id, fail_together, many
from tests.sandbox_fixtures import OWNER, T, company

SHOP = {"jira:SHOP"}
OTHERS = {"jira:20002", "jira:20003", "jira:20004"}


def tickets(documents):
    return {key for key in documents if key.count(":") == 1}


def of_first(documents):
    return {key for key in documents if f"{key}:".startswith("jira:20001:")}


@pytest.fixture
def tight(box):
    """What is written in SHOP-1 is more than is taken."""
    box.jira.set_fields("SHOP-1", {"description": "word " * 30_000})
    return JiraConnector("jira", reader_of(box, limits=replace(QUICK, answer_bytes=60_000)), ["SHOP", "HELP"])


@pytest.fixture
def talkative():
    """SHOP-1 has more comments than come with it, and these cannot be listed."""
    comments = tuple(Comment(OWNER.id, T, f"c{n}") for n in range(130))
    small = company()
    first = replace(small.tickets[0], comments=comments, links=())
    with Sandbox.start(replace(small, tickets=(first, *small.tickets[1:]))) as box:
        box.faults.add("GET", "/issue/20001/comment$", "status", times=99, status=403)
        yield JiraConnector("jira", reader_of(box), ["SHOP"])


def test_a_ticket_too_large_to_take_says_so(tight):
    documents = by_id(tight.load())
    reason = "could not be read: its answer is larger than can be taken"
    ticket = documents["jira:20001"]
    assert (ticket.text, ticket.unread) == (f"[{reason}]", (reason,))
    assert (ticket.title, ticket.labels, ticket.kind) == ("SHOP-1 Lock the account", SHOP, "ticket")
    assert tickets(documents) == {"jira:20001", *OTHERS}
    assert "jira:20001" in tight.ids()


@both
def test_a_refusal_is_told_without_its_words(box, jira):
    fail_together(box, 403)
    body = '{"errorMessages": ["Only for the members of Project Nightfall"]}'
    box.faults.add("GET", "/issue/20001$", "status", status=403, body=body)
    found = by_id(jira.load())["jira:20001"]
    assert found.text == "[could not be read: Jira does not give it to the account that reads]"
    assert "Nightfall" not in repr(found)
    assert by_id(jira.load())["jira:20001"].version != found.version


@both
def test_a_ticket_of_which_nobody_can_say_who_may_read_it_is_left_out(box, jira):
    fail_together(box, 403)
    box.faults.add("GET", "/issue/20001$", "status", times=9, status=403)
    with capture_logs() as logs:
        documents = by_id(jira.load())
    assert tickets(documents) == OTHERS
    assert [entry["what"] for entry in logs if "left out" in entry["event"]] == ["SHOP-1"]
    assert "jira:20001" in jira.ids()


def test_many_tickets_left_out_are_a_source_in_trouble():
    with Sandbox.start(many(60)) as box:
        jira = JiraConnector("jira", reader_of(box), ["SHOP"])
        box.faults.add("*", "/issue/", "status", times=999, status=403)
        with pytest.raises(SourceIncomplete, match="21 tickets"):
            list(jira.load())


def test_comments_that_jira_will_not_list_cost_no_other_ticket(talkative):
    documents = by_id(talkative.load())
    assert documents["jira:20001"].unread
    assert documents["jira:20003"].unread == ()
    assert documents.keys() <= talkative.ids()
    assert talkative.labels_now(["jira:20001", "jira:20001:comment:30001", "jira:20003"]) == {
        "jira:20001": SHOP,
        "jira:20001:comment:30001": None,
        "jira:20003": SHOP,
    }


@both
@pytest.mark.parametrize(
    "fault", [{"kind": "status", "status": 403}, {"kind": "status", "status": 500}, {"kind": "html"}]
)
def test_labels_of_a_ticket_in_trouble_break_no_others(box, jira, fault):
    fail_together(box, 403)
    box.faults.add("GET", "/issue/20001$", times=9, **fault)
    asked = ["jira:20001", "jira:20001:comment:30001", "jira:20003", "jira:20003:history"]
    assert jira.labels_now(asked) == dict(zip(asked, [None, None, SHOP, SHOP], strict=True))
    box.faults.clear()
    box.faults.add("GET", "/issue/20001$", times=9, **fault)
    assert jira.labels_now(asked[:1]) == {"jira:20001": None}


def test_labels_of_a_ticket_too_large_to_take(box, tight):
    number = box.jira.attach("SHOP-1", OWNER.id, "a.txt", b"x")
    asked = ["jira:20001", f"jira:20001:attachment:{number}", "jira:20003"]
    assert tight.labels_now(asked) == dict(zip(asked, [SHOP, None, SHOP], strict=True))


def test_many_tickets_in_trouble_are_a_source_in_trouble():
    with Sandbox.start(many(60)) as box:
        jira = JiraConnector("jira", reader_of(box, limits=replace(QUICK, attempts=1)), ["SHOP"])
        box.faults.add("*", "/issue/", "status", times=999, status=503)
        with pytest.raises(SourceUnavailable, match="21 tickets"):
            jira.labels_now([f"jira:{number}" for number in range(20001, 20061)])
        assert len(box.exchanges) < 60


@both
def test_a_project_with_a_new_key_is_still_ours(box, reader):
    box.jira.move_issue("SHOP-1", "HELP")  # as if HELP were what SHOP is called now
    box.faults.add("GET", "/project/SHOP$", "status", times=9, status=200, body='{"key": "HELP"}')
    assert JiraConnector("jira", reader, ["SHOP"]).labels_now(["jira:20001"]) == {"jira:20001": {"jira:HELP"}}


@both
def test_what_a_changed_ticket_has_no_more_is_gone_at_once(box, jira):
    known = set(by_id(jira.load()))
    mark = jira.mark()
    box.jira.delete_comment("SHOP-1", "30001")
    box.jira.now = lambda: datetime.now(UTC) + timedelta(days=1)
    mark = jira.mark()
    box.jira.set_fields("SHOP-1", {"summary": "New"})
    other = {"jira:20002:comment:39999", "confluence:20001"}  # of a ticket that did not change, and of no ticket
    gone = {"jira:20001:comment:30001", "jira:20001:attachment:7"}
    assert of_first(known) >= {"jira:20001:comment:30001"}
    assert tickets(by_id(jira.changed_since(mark))) == {"jira:20001"}
    assert jira.removed_since(mark, known | gone | other) == gone


@both
def test_a_ticket_that_was_not_read_whole_loses_nothing(box, jira):
    known = set(by_id(jira.load()))
    mark = jira.mark()
    box.jira.set_fields("SHOP-1", {"summary": "New"})
    box.faults.add("GET", "/issue/20001$", "status", status=403)
    fail_together(box, 403)
    assert by_id(jira.changed_since(mark))["jira:20001"].unread
    assert jira.removed_since(mark, known) == set()
    next(jira.changed_since(mark))
    assert jira.removed_since(mark, known) == set()


@both
def test_a_ticket_that_moves_away_after_it_was_found_is_gone_at_once(box, reader):
    def move(_):
        if box.jira.find("20001").key == "SHOP-1":
            box.jira.move_issue("SHOP-1", "HELP")

    jira = JiraConnector("jira", reader, ["SHOP"])
    known = set(by_id(jira.load()))
    mark = jira.mark()
    box.jira.set_fields("SHOP-1", {"summary": "New"})
    box.faults.on("*", "/issue/(bulkfetch|20001)$", move)
    assert of_first(by_id(jira.changed_since(mark))) == set()
    assert jira.removed_since(mark, known) == of_first(known)


@both
@pytest.mark.parametrize("location", ["//[bad", "http://[::1"])
def test_a_redirect_to_what_is_no_address_is_an_answer_that_did_not_come(box, jira, location):
    box.faults.add("GET", "/serverInfo$", "status", times=9, status=302, headers={"Location": location}, body="")
    with pytest.raises(SourceUnavailable):
        jira.mark()
