"""Jira as a source: complete or not at all, whatever clocks, pages and servers do."""

import os
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from core import visibility
from core.connectors.base import Connector
from core.connectors.jira import JiraConnector
from core.errors import SourceForbidden, SourceGone, SourceIncomplete, SourceUnavailable
from sandbox.records import Comment, Ticket
from sandbox.server import Sandbox
from tests.core.connectors.conftest import reader_of
from tests.sandbox_fixtures import AGENT, OWNER, T, company
from tests.specs import judge


def by_id(documents):
    return {document.id: document for document in documents}


def many(count):
    tickets = tuple(
        Ticket(f"SHOP-{n}", "Bug", f"Bug {n}", "", "To Do", OWNER.id, T, T + timedelta(minutes=n))
        for n in range(1, count + 1)
    )
    return replace(company(), tickets=tickets)


def test_documents(jira):
    source: Connector = jira
    documents = by_id(source.load())
    story = documents["jira:20001"]
    assert story.title == "SHOP-1 Lock the account"
    assert story.context == "SHOP > SHOP-1 Lock the account"
    assert story.keys == {"SHOP-1"}
    assert "## Acceptance criteria\n\n- locked\n- told" in story.text
    assert story.attributes["status"] == "In progress"
    assert story.attributes["done"] == "false"
    assert documents["jira:20002"].attributes["resolution"] == "Fixed"
    owners = documents["jira:20001:comment:30002"]
    assert (owners.kind, owners.text) == ("comment", "For owners.")
    assert visibility.jira_role("SHOP", "Owners") in owners.labels
    assert "For owners." not in story.text
    assert all(document.labels and document.source == "jira" for document in documents.values())
    assert set(documents) == source.ids()
    assert source.total() == 4


def test_the_same_again(jira):
    assert list(jira.load()) == list(jira.load())


def test_version_moves_with_text_and_state(box, jira):
    before = by_id(jira.load())
    box.jira.set_fields("SHOP-1", {"status": "Done"})
    box.jira.edit_comment("SHOP-1", "30001", "For nobody.")
    after = by_id(jira.load())
    assert {key for key in after if after[key].version != before[key].version} == {
        "jira:20001",
        "jira:20001:comment:30001",
        "jira:20001:comment:30002",  # comments carry their ticket's state
        "jira:20001:comment:30003",
    }


def test_every_exchange_is_as_described(box, jira, reader, shared):
    documents = list(jira.load())
    jira.ids()
    list(jira.changed_since(jira.mark()))
    jira.labels_now([document.id for document in documents])
    reader.ticket("SHOP-1")
    list(reader.keys("SHOP"))
    found = judge(shared)
    assert [problem for exchange in box.exchanges.all() for problem in found.check(exchange)] == []


@pytest.fixture
def elsewhere():
    """The process in another time zone."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Pacific/Auckland"
    time.tzset()
    yield
    os.environ.pop("TZ")
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.parametrize("hours", [-4, 0, 13])
def test_field_report_p1_no_time_zone_has_a_part(box, jira, elsewhere, hours):
    box.jira.zone = timezone(timedelta(hours=hours))
    box.jira.now = lambda: datetime(2026, 3, 29, 1, 0, 30, tzinfo=UTC)  # a night of clock change
    mark = jira.mark()
    assert int(mark) == 1774746030000
    assert list(jira.changed_since(mark)) == []
    box.jira.add_comment("SHOP-3", OWNER.id, "In the same minute.")
    box.jira.now = lambda: datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    box.jira.add_comment("HELP-1", AGENT.id, "Half an hour later.")
    assert {document.text for document in jira.changed_since(mark)} >= {"In the same minute.", "Half an hour later."}
    assert {document.attributes["key"] for document in jira.changed_since(mark)} == {"SHOP-3", "HELP-1"}


def test_what_the_search_learns_late_is_read_in_the_next_run(box, jira):
    box.jira.search_lag = 0.3
    mark = jira.mark()
    box.jira.add_comment("SHOP-3", OWNER.id, "Seen late.")
    mark_after = jira.mark()
    assert list(jira.changed_since(mark)) == []
    time.sleep(0.35)
    assert "Seen late." in {document.text for document in jira.changed_since(mark_after)}


def test_listings_run_to_their_end():
    with Sandbox.start(many(230)) as box:
        jira = JiraConnector("jira", reader_of(box), ["SHOP"])
        assert jira.ids() == {f"jira:{20000 + n}" for n in range(1, 231)}
        assert jira.total() == 230


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "times": 3, "status": 500},
        {"kind": "status", "times": 1, "status": 429, "headers": {"Retry-After": "600"}},
        {"kind": "status", "times": 1, "status": 200, "body": '{"issues": []}'},
        {"kind": "status", "times": 3, "status": 200, "body": '{"isLast": true}'},
        {"kind": "html", "times": 3},
        {"kind": "drop_after", "times": 3},
    ],
)
def test_field_report_p3_a_listing_cut_short_is_never_a_listing(fault):
    with Sandbox.start(many(230)) as box:
        jira = JiraConnector("jira", reader_of(box), ["SHOP"])
        searches = []

        def second(exchange):
            searches.append(exchange)
            if len(searches) == 2:
                box.faults.add("*", "/search/jql$", **fault)

        box.faults.on("POST", "/search/jql$", second)
        with pytest.raises((SourceIncomplete, SourceUnavailable)) as raised:
            jira.ids()
        if fault.get("status", 200) != 200:
            assert str(fault["status"]) in str(raised.value)
            assert "page 2" in str(raised.value)
            assert '"SHOP"' in str(raised.value)
        box.faults.clear()
        assert len(jira.ids()) == 230


def test_one_ticket_that_cannot_be_read_costs_itself_and_the_mark(box, jira):
    box.faults.add("GET", "/issue/20001$", "status", times=3, status=500)
    read = []
    with pytest.raises(SourceIncomplete, match="SHOP-1"):
        read.extend(jira.load())
    assert {document.id for document in read if document.kind == "ticket"} == {"jira:20002", "jira:20003", "jira:20004"}


def test_comments_that_cannot_be_read_are_no_empty_list(box, jira):
    box.faults.add("GET", "/issue/20001/comment$", "status", times=3, status=500)
    with pytest.raises(SourceIncomplete):
        list(jira.load())


def test_a_ticket_deleted_during_the_listing_is_left_out(box, jira):
    box.faults.on("GET", "/issue/20002$", lambda _: box.jira.find("20003") and box.jira.delete_issue("SHOP-3"))
    assert "jira:20003" not in by_id(jira.load())


def test_deleted_things_leave_the_ids(box, jira):
    box.jira.delete_comment("SHOP-1", "30001")
    box.jira.delete_issue("SHOP-2")
    ids = jira.ids()
    assert "jira:20001:comment:30001" not in ids
    assert "jira:20002" not in ids
    assert "jira:20001" in ids


def test_more_comments_than_a_listing_shows_are_all_in_the_ids():
    comments = tuple(Comment(OWNER.id, T, f"c{n}") for n in range(130))
    first = replace(company().tickets[0], comments=comments, links=())
    with Sandbox.start(replace(company(), tickets=(first,))) as box:
        assert len(JiraConnector("jira", reader_of(box), ["SHOP"]).ids()) == 131


def test_a_project_that_is_not_shown_is_no_empty_project(reader):
    jira = JiraConnector("jira", reader, ["SHOP", "HIDDEN"])
    with pytest.raises(SourceForbidden, match="HIDDEN"):
        jira.ids()
    with pytest.raises(SourceForbidden):
        list(jira.load())
    with pytest.raises(SourceGone):
        JiraConnector("jira", reader, ['SHOP") OR (project = "HELP'])


def test_labels_are_read_live(box, jira):
    ids = ["jira:20001", "jira:20001:comment:30001", "jira:20001:comment:30002", "jira:20002"]
    before = jira.labels_now(ids)
    box.jira.set_visibility("SHOP-1", "30001", role="Developers")
    box.jira.set_security("SHOP-2", None)
    box.jira.delete_comment("SHOP-1", "30002")
    after = jira.labels_now([*ids, "jira:777", "confluence:501", "nonsense"])
    assert after["jira:20001"] == before["jira:20001"] == {"jira:SHOP"}
    assert after["jira:20001:comment:30001"] == {"jira:SHOP", visibility.jira_role("SHOP", "Developers")}
    assert after["jira:20001:comment:30002"] is None
    assert after["jira:20002"] == {"jira:SHOP"} != before["jira:20002"]
    assert after["jira:777"] is after["confluence:501"] is after["nonsense"] is None


def test_labels_follow_the_ticket_to_its_comments(box, jira):
    box.jira.set_security("SHOP-1", "Leads only")
    labels = jira.labels_now(["jira:20001:comment:30001"])
    assert len(labels["jira:20001:comment:30001"]) == 2


def test_labels_of_many_comments_are_read_by_the_page():
    comments = tuple(Comment(OWNER.id, T, f"c{n}", role="Owners" if n % 2 else None) for n in range(60))
    first = replace(company().tickets[0], comments=comments, links=())
    with Sandbox.start(replace(company(), tickets=(first,))) as box:
        jira = JiraConnector("jira", reader_of(box), ["SHOP"])
        documents = by_id(jira.load())
        box.exchanges.clear()
        assert jira.labels_now(documents) == {key: document.labels for key, document in documents.items()}
        assert len(box.exchanges) == 2


@pytest.mark.parametrize("status", [401, 500])
def test_labels_of_a_source_that_does_not_answer_are_an_error(box, jira, status):
    box.faults.add("GET", "/issue/20001$", "status", times=3, status=status)
    with pytest.raises((SourceForbidden, SourceUnavailable)):
        jira.labels_now(["jira:20001"])


def test_labels_of_a_lost_project_break_no_others(box, reader):
    """Jira answers 404 for what it does not show; the project itself is not asked for."""
    jira = JiraConnector("jira", reader, ["SHOP", "HELP"])
    box.faults.add("GET", "/project/HELP$|/issue/20004", "status", times=9, status=404)
    assert jira.labels_now(["jira:20004", "jira:20001"]) == {"jira:20004": None, "jira:20001": {"jira:SHOP"}}


def test_labels_of_a_ticket_that_is_deleted_meanwhile_break_no_others(box, jira):
    box.faults.on("GET", "/issue/20001$", lambda _: box.jira.delete_issue("SHOP-1"), stage="answered")
    many = [f"jira:20001:comment:{number}" for number in range(30001, 30031)]
    labels = jira.labels_now([*many, "jira:20003"])
    assert labels == dict.fromkeys(many) | {"jira:20003": {"jira:SHOP"}}
