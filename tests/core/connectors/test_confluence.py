"""Confluence as a source: who may read a page is known or the page is not there."""

import json
from contextlib import nullcontext
from dataclasses import replace

import pytest

from core import visibility
from core.connectors.attachments import Attachments
from core.connectors.base import Connector
from core.connectors.confluence import ConfluenceConnector
from core.errors import SourceForbidden, SourceGone, SourceIncomplete, SourceUnavailable
from core.parsing.parsed import Parsed
from core.types import Audience
from sandbox.records import Page, PageVersion
from sandbox.server import Sandbox
from tests.core.connectors.conftest import QUICK
from tests.fakes import Tally
from tests.sandbox_fixtures import OWNER, T, company
from tests.specs import judge

POL = visibility.confluence_space("POL")
ENGINEERING = visibility.restriction(["engineering"], [])
RESTRICTION = r"/content/{}/restriction"


def by_id(documents):
    return {document.id.removeprefix("confluence:"): document for document in documents}


def page(number, **options):
    return Page(str(number), "POL", f"Page {number}", (PageVersion(T, OWNER.id, f"Text {number}."),), **options)


def connector(box, spaces=("POL",), **options):
    site, user, token = box.confluence_url, box.read_user, box.read_token
    return ConfluenceConnector("wiki", site, user, token, spaces, limits=QUICK, **options)


def test_documents(box, wiki):
    source: Connector = wiki
    pages = by_id(source.load())
    assert set(pages) == {"501", "502", "503", "504", "505"}
    login = pages["501"]
    assert login.title == "Login <policy> & rules"
    assert login.keys == {"Login <policy> & rules", "501"}
    assert "| right | in |" in login.text
    assert "- [x] counted" in login.text
    assert login.context == "Policies > Login <policy> & rules"
    assert pages["503"].context == "Policies > Login <policy> & rules > Details > Below details"
    assert pages["503"].attributes["parent"] == "Details"
    assert pages["504"].attributes["archived"] == "true"
    assert login.url == f"{box.confluence_url}/wiki/spaces/POL/pages/501"
    assert login.updated > login.created
    assert source.ids() == {f"confluence:{number}" for number in pages}
    assert source.total() == 5


def test_every_restriction_on_the_way_up_is_a_label_of_its_own(box, wiki):
    box.confluence.restrict("503", users=(OWNER.id,))
    pages = by_id(wiki.load())
    assert pages["501"].labels == {POL}
    assert pages["502"].labels == {POL, ENGINEERING}
    assert pages["503"].labels == {POL, ENGINEERING, visibility.restriction([], [OWNER.id])}


def test_field_report_v3_empty_restrictions_leave_it_to_the_space(wiki):
    login = by_id(wiki.load())["501"]
    assert Audience(frozenset({POL})).may_read(login.labels)
    assert not Audience(frozenset({"org", "confluence:LED"})).may_read(login.labels)


@pytest.mark.parametrize("status", [403, 500])
def test_field_report_v3_a_failed_restriction_call_closes_the_page_and_those_below(box, status):
    tally = Tally()
    wiki = connector(box, metrics=tally)
    box.faults.add("GET", RESTRICTION.format(502), "status", times=3, status=status)
    read = []
    passing = pytest.raises(SourceIncomplete, match="2 pages, comments or attachments could not be read: page 502")
    with passing if status == 500 else nullcontext():
        read.extend(wiki.load())
    assert set(by_id(read)) == {"501", "504"}
    assert tally.total("crosscheck_source_unread_total", source="wiki") == 2
    box.faults.clear()
    assert set(by_id(wiki.load())) == {"501", "502", "503", "504"}


def test_a_page_below_one_in_the_trash_is_closed_until_the_restriction_can_be_asked(box):
    tally = Tally()
    wiki = connector(box, metrics=tally)
    box.confluence.set_status("502", "trashed")
    assert set(by_id(wiki.load())) == {"501", "504"}
    assert tally.total("crosscheck_source_unread_total") == 1
    assert "confluence:503" in wiki.ids()
    assert wiki.labels_now(["confluence:503"]) == {"confluence:503": None}
    mark = wiki.mark()
    box.confluence.set_status("502", "current")
    assert set(by_id(wiki.changed_since(mark))) == {"502", "503"}


@pytest.mark.parametrize("body", ["{}", '{"restrictions": {}}', '{"restrictions": {"user": {"results": []}}}', "[]"])
def test_a_restriction_answer_that_lacks_its_lists_is_no_open_page(box, wiki, body):
    box.faults.add("GET", RESTRICTION.format(501), "status", times=3, status=200, body=body)
    with pytest.raises(SourceIncomplete):
        list(wiki.load())


def test_restrictions_to_more_users_than_one_answer_holds():
    with Sandbox.start(company()) as box:
        wiki = connector(box)
        full = json.dumps(answer([f"u{n}" for n in range(100)]))
        box.faults.add("GET", RESTRICTION.format(501), "status", status=200, body=full)
        box.faults.add("GET", RESTRICTION.format(501), "status", status=200, body=json.dumps(answer(["last"])))
        labels = wiki.labels_now(["confluence:501"])["confluence:501"]
        asked = [exchange.query for exchange in box.exchanges.all() if "restriction" in exchange.path]
    assert labels == {POL, visibility.restriction([], [*(f"u{n}" for n in range(100)), "last"])}
    assert [query.split("&")[0] for query in asked] == ["start=0", "start=100"]


def answer(users):
    results = [{"accountId": user} for user in users]
    return {"restrictions": {"user": {"results": results}, "group": {"results": []}}}


def test_field_report_p2_trash_and_back(box, wiki):
    mark = wiki.mark()
    box.confluence.set_status("501", "trashed")
    assert "confluence:501" not in wiki.ids()
    assert "501" not in by_id(wiki.load())
    assert wiki.labels_now(["confluence:501"]) == {"confluence:501": None}
    trashed = wiki.mark()
    box.confluence.set_status("501", "current")
    assert "501" in by_id(wiki.changed_since(trashed))
    assert "confluence:501" in wiki.ids()
    assert "501" not in by_id(wiki.changed_since(mark))


def test_changes_without_a_new_version_are_changes(box, wiki):
    mark = wiki.mark()
    assert list(wiki.changed_since(mark)) == []
    box.confluence.set_status("501", "archived")
    assert by_id(wiki.changed_since(mark))["501"].attributes["archived"] == "true"
    mark = wiki.mark()
    box.confluence.rename("502", "Fine print")
    assert {number: found.context for number, found in by_id(wiki.changed_since(mark)).items()} == {
        "502": "Policies > Login <policy> & rules > Fine print",
        "503": "Policies > Login <policy> & rules > Fine print > Below details",
    }
    mark = wiki.mark()
    box.confluence.edit("504", "Older still.")
    assert by_id(wiki.changed_since(mark))["504"].text == "Older still."
    box.confluence.add_page(page(600))
    assert set(by_id(wiki.changed_since(mark))) == {"504", "600"}


MANY = replace(company(), pages=tuple(page(700 + n) for n in range(600)))


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "times": 3, "status": 500},
        {"kind": "status", "times": 1, "status": 429, "headers": {"Retry-After": "60"}},
        {"kind": "status", "times": 1, "status": 200, "body": '{"results": [], "_links": {}}'},
        {"kind": "status", "times": 3, "status": 200, "body": "{}"},
        {"kind": "html", "times": 3},
    ],
)
def test_field_report_p3_a_listing_cut_short_is_never_a_listing(fault):
    """Three pages of a listing, the second one fails."""
    with Sandbox.start(MANY) as box:
        wiki = connector(box)
        box.faults.on("GET", "/spaces/.*/pages$", lambda e: "cursor" in e.query and order(box, fault))
        for read in (wiki.ids, wiki.mark, lambda: list(wiki.load())):
            with pytest.raises((SourceIncomplete, SourceUnavailable)) as raised:
                read()
            if "body" not in fault:
                assert "space POL, page 2 of the listing" in str(raised.value)
                assert str(fault.get("status", "")) in str(raised.value)
            box.faults.clear()
            box.faults.on("GET", "/spaces/.*/pages$", lambda e: "cursor" in e.query and order(box, fault))
        box.faults.clear()
        assert len(wiki.ids()) == 600


def order(box, fault):
    if not box.faults.pending:
        box.faults.add("GET", "/spaces/.*/pages$", **fault)


def test_a_space_that_is_not_shown_is_no_empty_space(box, wiki):
    with pytest.raises(SourceForbidden, match="NOPE"):
        connector(box, ["POL", "NOPE"]).ids()
    box.confluence.remove_space("LED")
    with pytest.raises(SourceForbidden, match="LED"):
        list(wiki.load())


def test_a_space_that_is_not_shown_any_more_closes_its_own_pages_alone(box, wiki):
    ids = ["confluence:501", "confluence:505"]
    before = wiki.labels_now(ids)
    assert None not in before.values()
    box.confluence.remove_space("LED")
    assert wiki.labels_now(ids) == {"confluence:501": before["confluence:501"], "confluence:505": None}
    box.confluence.remove_space("POL")
    assert wiki.labels_now(ids) == dict.fromkeys(ids)
    for read in (wiki.ids, wiki.mark, wiki.total, lambda: list(wiki.load())):
        with pytest.raises(SourceForbidden):
            read()


@pytest.mark.parametrize("restricted", ["502", "503"])
def test_what_is_written_after_a_restriction_is_never_held_for_open(box, wiki, restricted):
    """A page's or its parent's restriction, set and followed by an edit, between the listing and the page's turn."""
    box.confluence.restrict("502")

    def hide(_):
        box.confluence.restrict(restricted, users=(OWNER.id,))
        box.confluence.edit("503", "For the owner.")

    box.faults.on("GET", "/pages/503$", hide)
    found = by_id(wiki.load())["503"]
    assert found.text == "For the owner."
    assert found.labels == {POL, visibility.restriction([], [OWNER.id])}


def test_a_page_that_moves_after_the_listing_has_the_labels_of_its_new_place(box, wiki):
    def move(_):
        with box.confluence.lock:
            box.confluence.pages["501"].parent = "505"
            box.confluence.pages["504"].parent = "502"
            box.confluence.pages["501"].space = "LED"

    box.faults.on("GET", "/spaces/.*/pages$", move, stage="answered")
    pages = by_id(connector(box, ["POL"]).load())
    assert "501" not in pages
    assert {POL, ENGINEERING} < pages["504"].labels  # and the restriction of 505, which stands above all of them now
    assert pages["504"].labels == wiki.labels_now(["confluence:504"])["confluence:504"]


def test_more_pages_than_are_read_at_once():
    with Sandbox.start(MANY) as box:
        pages = by_id(connector(box).load())
    assert {number: found.text for number, found in pages.items()} == {
        str(700 + n): f"Text {700 + n}." for n in range(600)
    }


def test_labels_are_read_live(box, wiki):
    ids = ["confluence:501", "confluence:502", "confluence:503"]
    before = wiki.labels_now(ids)
    assert before == {document.id: document.labels for document in wiki.load() if document.id in ids}
    box.confluence.restrict("502")
    box.confluence.restrict("501", groups=("leads",), users=(OWNER.id,))
    leads = visibility.restriction(["leads"], [OWNER.id])
    assert wiki.labels_now([*ids, "confluence:999", "confluence:x", "jira:1"]) == {
        "confluence:501": {POL, leads},
        "confluence:502": {POL, leads},
        "confluence:503": {POL, leads},
        "confluence:999": None,
        "confluence:x": None,
        "jira:1": None,
    }


def test_labels_that_cannot_be_asked_are_closed_and_a_source_that_is_down_is_an_error(box, wiki):
    box.faults.add("GET", RESTRICTION.format(502), "status", times=3, status=500)
    assert wiki.labels_now(["confluence:503", "confluence:501"]) == {"confluence:503": None, "confluence:501": {POL}}
    box.faults.add("GET", "/wiki/", "status", times=9, status=503)
    with pytest.raises(SourceUnavailable):
        wiki.labels_now(["confluence:501"])


def test_a_page_outside_the_configured_spaces_is_not_ours(box):
    assert connector(box, ["LED"]).labels_now(["confluence:501"]) == {"confluence:501": None}


def test_a_page_removed_during_the_listing_is_left_out(box, wiki):
    box.faults.on("GET", RESTRICTION.format(501), lambda _: box.confluence.set_status("504", "trashed"))
    assert set(by_id(wiki.load())) == {"501", "502", "503", "505"}


def test_a_parent_that_is_no_page_is_asked_for(box, wiki):
    """Folders are in no listing of pages, and may be restricted as pages are."""
    above = {"results": [{"id": "888", "type": "folder"}]}
    listed = {"results": [{"id": "501", "title": "In a folder", "status": "current", "parentId": "888"}], "_links": {}}
    led = connector(box, ["LED"])
    read = listed["results"][0] | {"spaceId": box.confluence.space_id("LED")}
    box.faults.add("GET", "/spaces/.*/pages$", "status", status=200, body=json.dumps(listed))
    box.faults.add("GET", "/pages/501$", "status", status=200, body=json.dumps(read))
    box.faults.add("GET", "/pages/501/ancestors$", "status", status=200, body=json.dumps(above))
    box.faults.add("GET", RESTRICTION.format(888), "status", status=200, body=json.dumps(answer(["u-1"])))
    (document,) = led.load()
    assert document.labels == {visibility.confluence_space("LED"), visibility.restriction([], ["u-1"])}


def test_people_by_name_where_the_name_can_be_had(box, wiki):
    storage = '<p><ac:link><ri:user ri:account-id="u-17" /></ac:link> leads.</p>'
    space = box.confluence.space_id("POL")
    body = {"id": "504", "spaceId": space, "status": "current", "title": "T", "body": {"storage": {"value": storage}}}
    box.faults.add("GET", "/pages/504$", "status", times=2, status=200, body=json.dumps(body))
    assert by_id(wiki.load())["504"].text == "user u-17 leads."
    people = {"results": [{"accountId": "u-17", "displayName": "Ana Sol"}]}
    box.faults.add("POST", "/users-bulk$", "status", status=200, body=json.dumps(people))
    assert by_id(wiki.load())["504"].text == "Ana Sol leads."


def test_every_exchange_is_as_described(box, shared):
    files = Attachments(lambda name, data: Parsed(name), describe=lambda parsed: parsed)
    wiki = connector(box, ["POL", "LED"], attachments=files)
    note = box.confluence.notes.add("501", "Foot.", OWNER.id)
    box.confluence.notes.add("501", "Reply.", OWNER.id, reply_to=note)
    box.confluence.notes.add("502", "Inline.", OWNER.id, marked="More")
    box.confluence.files.add("501", "a file.txt", b"alpha", OWNER.id)
    documents = list(wiki.load())
    wiki.ids()
    mark = wiki.mark()
    box.confluence.edit("503", "Changed.")
    box.confluence.notes.edit(note, "Changed.")
    box.confluence.edit("504", "", storage='<ac:structured-macro ac:name="include" />')
    assert len(list(wiki.changed_since(mark))) == 3
    wiki.labels_now([document.id for document in documents])
    wiki.labels_now([document.id for document in documents] * 5)
    found = judge(shared)
    assert [problem for exchange in box.exchanges.all() for problem in found.check(exchange)] == []


def test_ids_are_checked(box):
    api = connector(box)._api
    for bad in ("../x", "", "5 01", "٣", "-1"):
        with pytest.raises(SourceGone):
            api.page(bad)
