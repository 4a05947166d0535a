"""Jira as a source: complete or not at all, whatever clocks, pages and servers do."""

import os
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from structlog.testing import capture_logs

from core import visibility
from core.connectors.base import Connector
from core.connectors.jira import JiraConnector
from core.errors import SourceForbidden, SourceGone, SourceIncomplete, SourceUnavailable
from sandbox.load import load_company
from sandbox.records import Change, Comment, Ticket
from sandbox.server import Sandbox
from tests.core.connectors.conftest import QUICK, both, reader_of
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


@both
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
    assert set(documents) <= source.ids()
    assert {document.rpartition(":")[2] for document in source.ids() - set(documents)} == {"history"}
    assert source.total() == len(source.ids())


@both
def test_the_same_again(jira):
    assert list(jira.load()) == list(jira.load())


@both
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
        "jira:20001:history",
    }


@both
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


@both
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


@both
def test_what_the_search_learns_late_is_read_in_the_next_run(box, jira):
    box.jira.search_lag = 0.3
    mark = jira.mark()
    box.jira.add_comment("SHOP-3", OWNER.id, "Seen late.")
    mark_after = jira.mark()
    assert list(jira.changed_since(mark)) == []
    time.sleep(0.35)
    assert "Seen late." in {document.text for document in jira.changed_since(mark_after)}


@both
def test_listings_run_to_their_end(flavour):
    with Sandbox.start(many(230)) as box:
        jira = JiraConnector("jira", reader_of(box, flavour), ["SHOP"])
        assert jira.ids() == {f"jira:{20000 + n}{part}" for n in range(1, 231) for part in ("", ":history")}
        assert jira.total() == 460


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
        assert len(jira.ids()) == 460


def fail_together(box, status=500, **fault):
    """Tickets can be read one by one alone."""
    box.faults.add("POST", "/issue/bulkfetch$", "status", times=9, status=status, **fault)


@both
@pytest.mark.parametrize("status", [404, 413, 500])
def test_one_ticket_that_cannot_be_read_costs_itself_and_the_mark(box, jira, status):
    fail_together(box, status)
    box.faults.add("GET", "/issue/20001$", "status", times=9, status=500)
    read = []
    with pytest.raises(SourceIncomplete, match="SHOP-1"):
        read.extend(jira.load())
    assert {document.id for document in read if document.kind == "ticket"} == {"jira:20002", "jira:20003", "jira:20004"}


def test_a_refused_account_asks_no_further(box, jira):
    box.faults.add("*", "/issue/|/myself$", "status", times=99, status=401)
    with pytest.raises(SourceForbidden):
        list(jira.load())
    assert len([exchange for exchange in box.exchanges.all() if "/issue/" in exchange.path]) == 1


def test_a_source_that_is_down_ends_the_reading_soon():
    with Sandbox.start(many(230)) as box:
        jira = JiraConnector("jira", reader_of(box, limits=replace(QUICK, attempts=1)), ["SHOP"])
        box.faults.add("*", "/issue/", "status", times=9_999, status=503)
        with pytest.raises(SourceIncomplete, match="21 tickets"):
            list(jira.load())
        assert len(box.exchanges) < 60


def test_a_ticket_that_does_not_fit_among_others_is_read_alone(box, jira):
    body = '{"issues": [], "issueErrors": [{"id": "20001", "errorMessage": "too large"}]}'
    box.faults.add("POST", "/issue/bulkfetch$", "status", status=200, body=body)
    assert {document.id for document in jira.load() if document.kind == "ticket"} == {"jira:20001"}


@pytest.mark.parametrize("path", ["/issue/20001/comment$", "/issue/20001/changelog$", "/issue/20001$"])
def test_what_cannot_be_read_is_no_empty_list(path):
    comments = tuple(Comment(OWNER.id, T, f"c{n}") for n in range(130))
    with Sandbox.start(replace(company(), tickets=(replace(long(50), comments=comments),))) as box:
        jira = JiraConnector("jira", reader_of(box), ["SHOP"])
        box.faults.add("GET", path, "status", times=3, status=500)
        with pytest.raises(SourceIncomplete, match="SHOP-1"):
            list(jira.load())
        assert len(list(jira.load())) == 132


def test_a_ticket_deleted_during_the_listing_is_left_out(box, jira):
    box.faults.on("POST", "/issue/bulkfetch$", lambda _: box.jira.find("20003") and box.jira.delete_issue("SHOP-3"))
    assert "jira:20003" not in by_id(jira.load())


@both
def test_deleted_things_leave_the_ids(box, jira):
    box.jira.delete_comment("SHOP-1", "30001")
    box.jira.delete_issue("SHOP-2")
    ids = jira.ids()
    assert "jira:20001:comment:30001" not in ids
    assert "jira:20002" not in ids
    assert "jira:20001" in ids


@both
def test_more_comments_than_a_listing_shows_are_all_in_the_ids(flavour):
    comments = tuple(Comment(OWNER.id, T, f"c{n}") for n in range(130))
    first = replace(company().tickets[0], comments=comments, links=())
    with Sandbox.start(replace(company(), tickets=(first,))) as box:
        assert len(JiraConnector("jira", reader_of(box, flavour), ["SHOP"]).ids()) == 132


@both
def test_a_project_that_is_not_shown_is_no_empty_project(reader):
    jira = JiraConnector("jira", reader, ["SHOP", "HIDDEN"])
    with pytest.raises(SourceForbidden, match="HIDDEN"):
        jira.ids()
    with pytest.raises(SourceForbidden):
        list(jira.load())
    with pytest.raises(SourceGone):
        JiraConnector("jira", reader, ['SHOP") OR (project = "HELP'])


@both
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


@both
def test_labels_follow_the_ticket_to_its_comments(box, jira):
    box.jira.set_security("SHOP-1", "Leads only")
    labels = jira.labels_now(["jira:20001:comment:30001"])
    assert len(labels["jira:20001:comment:30001"]) == 2


@pytest.mark.parametrize(("count", "requests"), [(60, 1), (130, 3)])
def test_labels_of_many_comments_are_read_by_the_page(count, requests):
    comments = tuple(Comment(OWNER.id, T, f"c{n}", role="Owners" if n % 2 else None) for n in range(count))
    first = replace(company().tickets[0], comments=comments, links=())
    with Sandbox.start(replace(company(), tickets=(first,))) as box:
        jira = JiraConnector("jira", reader_of(box), ["SHOP"])
        documents = by_id(jira.load())
        box.exchanges.clear()
        assert jira.labels_now(documents) == {key: document.labels for key, document in documents.items()}
        assert len(box.exchanges) == requests


@both
@pytest.mark.parametrize("status", [401, 500])
@pytest.mark.parametrize("ids", [["jira:20001"], ["jira:20001", "jira:20003"]])
def test_labels_of_a_source_that_does_not_answer_are_an_error(box, jira, status, ids):
    box.faults.add("*", "/issue/|/myself$", "status", times=99, status=status)
    with pytest.raises(SourceUnavailable):
        jira.labels_now(ids)


@both
def test_labels_of_a_lost_project_break_no_others(box, reader):
    """Jira answers 404 for what it does not show; the project itself is not asked for."""
    jira = JiraConnector("jira", reader, ["SHOP", "HELP"])
    fail_together(box)
    box.faults.add("GET", "/project/HELP$|/issue/20004", "status", times=9, status=404)
    assert jira.labels_now(["jira:20004", "jira:20001"]) == {"jira:20004": None, "jira:20001": {"jira:SHOP"}}


def test_labels_of_a_ticket_that_is_deleted_meanwhile_break_no_others():
    comments = tuple(Comment(OWNER.id, T, f"c{n}") for n in range(130))
    small = company()
    tickets = (replace(small.tickets[0], comments=comments, links=()), *small.tickets[1:])
    with Sandbox.start(replace(small, tickets=tickets)) as box:
        jira = JiraConnector("jira", reader_of(box), ["SHOP"])
        box.faults.on("GET", "/issue/20001/comment$", lambda _: box.jira.delete_issue("SHOP-1"))
        asked = [f"jira:20001:comment:{number}" for number in range(30001, 30131)]
        assert jira.labels_now([*asked, "jira:20003"]) == dict.fromkeys(asked) | {"jira:20003": {"jira:SHOP"}}


def long(count):
    """The first ticket of the small company, with a history of so many changes."""
    changes = tuple(
        Change(T + timedelta(minutes=n), OWNER.id, "description", f"text {n}", f"text {n + 1}") for n in range(count)
    )
    return replace(company().tickets[0], comments=(), links=(), history=changes)


@both
@pytest.mark.parametrize("count", [1, 39, 40, 41, 250])
def test_a_history_is_complete_whatever_of_it_comes_along(count, flavour):
    """Of many tickets at once Jira gives the newest forty changes, and counts no others."""
    with Sandbox.start(replace(company(), tickets=(long(count), company().tickets[2]))) as box:
        jira = JiraConnector("jira", reader_of(box, flavour), ["SHOP"])
        history = by_id(jira.load())["jira:20001:history"]
        assert history.kind == "history"
        assert history.text.count("\n") == count - 1
        assert history.text.startswith("- 2026-03-02 09:00 UTC, Olga Owner: description: text 0 -> text 1")
        assert history.text.endswith(f"text {count - 1} -> text {count}")
        assert (history.created, history.updated) == (T, T + timedelta(minutes=count - 1))
        assert "jira:20002:history" not in by_id(jira.load())


@both
def test_history_names_no_ticket_that_its_reader_may_not_know_of(box, jira):
    """SHOP-2 is for the leads, and what was linked once cannot be asked any more."""
    for text in ("This issue blocks SHOP-2", "This issue tests SHOP-999", "This issue has the sub-task SHOP-3"):
        change(box, "SHOP-1", "Link", "", text)
    documents = by_id(jira.load())
    assert [line.rpartition(": ")[2] for line in documents["jira:20001:history"].text.split("\n")][-1:] == [
        "nothing -> This issue has the sub-task SHOP-3"
    ]
    assert "SHOP-2" not in documents["jira:20001:history"].text + documents["jira:20001"].text
    assert documents["jira:20001"].text.endswith("## Links\n\n- sub-task SHOP-3")
    assert documents["jira:20002"].text.endswith("## Links\n\n- is blocked by SHOP-1")


def change(box, key, field, before, after):
    with box.jira.changing(key) as issue:
        issue.history.append(("59999", [Change(box.jira.now(), OWNER.id, field, before, after)]))


@both
def test_a_first_reading_takes_a_few_requests(flavour):
    """It took two a ticket once: 97 for these."""
    with Sandbox.start(load_company()) as box:
        jira = JiraConnector("jira", reader_of(box, flavour), list(box.jira.projects))
        documents = by_id(jira.load())
        assert len([document for document in documents.values() if document.kind == "ticket"]) == 46
        asked = [exchange for exchange in box.exchanges.all() if not exchange.path.endswith("/user")]
        assert len(asked) == 7  # the flavour, three projects, the fields, the listing, the tickets
        box.exchanges.clear()
        jira.labels_now(documents)
        assert len(box.exchanges) == 1


def test_a_hundred_tickets_take_a_request():
    with Sandbox.start(many(230)) as box:
        assert len(list(JiraConnector("jira", reader_of(box), ["SHOP"]).load())) == 230
        assert len(box.exchanges) == 7  # the flavour, the project, the fields, the listing, three times tickets


@both
def test_what_the_search_does_not_know_yet_is_read_as_it_is(box, jira):
    box.jira.search_lag = 60
    box.jira.set_security("SHOP-1", "Leads only")
    box.jira.set_fields("SHOP-1", {"summary": "New"})
    ticket = by_id(jira.load())["jira:20001"]
    assert ticket.title == "SHOP-1 New"
    assert len(ticket.labels) == 2


def test_labels_are_those_after_what_was_read_late():
    """A ticket that is restricted between two of its pages."""
    comments = tuple(Comment(OWNER.id, T, f"c{n}") for n in range(130))
    first = replace(company().tickets[0], comments=comments, links=())
    with Sandbox.start(replace(company(), tickets=(first,))) as box:
        jira = JiraConnector("jira", reader_of(box), ["SHOP"])
        box.faults.on("GET", "/issue/20001/comment$", lambda _: box.jira.set_security("SHOP-1", "Leads only"))
        assert {len(document.labels) for document in jira.load()} == {2}


@both
def test_a_moved_ticket_stays_the_same_document(box, jira):
    before = set(by_id(jira.load()))
    assert box.jira.move_issue("SHOP-1", "HELP") == "HELP-2"
    after = by_id(jira.changed_since(jira.mark()))
    ticket = after["jira:20001"]
    assert before & {key for key in after if key.startswith("jira:20001")} >= {"jira:20001", "jira:20001:history"}
    assert (ticket.title, ticket.keys) == ("HELP-2 Lock the account", {"HELP-2", "SHOP-1"})
    assert all("jira:HELP" in document.labels for document in after.values())
    assert jira.labels_now(after) == {key: document.labels for key, document in after.items()}


@both
def test_a_ticket_moved_out_of_the_projects_leaves(box, reader):
    jira = JiraConnector("jira", reader, ["SHOP"])
    box.jira.move_issue("SHOP-1", "HELP")
    assert "jira:20001" not in jira.ids()
    assert "jira:20001" not in by_id(jira.load())
    assert jira.labels_now(["jira:20001", "jira:20003"]) == {"jira:20001": None, "jira:20003": {"jira:SHOP"}}


@both
def test_a_project_with_a_new_key_is_said(box, jira):
    box.faults.add("GET", "/project/SHOP$", "status", status=200, body='{"key": "STORE"}')
    with capture_logs() as logs:
        list(jira.load())
    assert [(entry["former"], entry["now"]) for entry in logs] == [("SHOP", "STORE")]


@both
def test_tickets_of_test_types_are_qa(reader):
    jira = JiraConnector("jira", reader, ["SHOP", "HELP"], test_types=["Bug"])
    kinds = {document.id: document.kind for document in jira.load() if document.id.count(":") == 1}
    assert kinds == {"jira:20001": "ticket", "jira:20002": "qa", "jira:20003": "ticket", "jira:20004": "ticket"}
