"""What is restricted is not told by something open beside it: a hidden ticket's key, a restricted comment's file."""

import json

import pytest

from core.connectors.jira_labels import attachment_labels
from core.connectors.jira_values import changes, described, filled
from core.types import Audience
from core.visibility import jira_role
from sandbox.records import Change
from tests.core.connectors.conftest import both
from tests.core.connectors.test_jira_attachments import media
from tests.sandbox_fixtures import AGENT, OWNER

STAFF = Audience(frozenset({"jira:SHOP"}))
OWNERS = jira_role("P", "Owners")
RESTRICTED = {"visibility": {"type": "role", "value": "Owners"}}

FIELDS = described(
    [
        {"id": "customfield_1", "name": "Saga", "schema": {"custom": "com.pyxis.greenhopper.jira:gh-epic-link"}},
        {"id": "customfield_2", "name": "Above", "schema": {"custom": "com.atlassian.jpo:jpo-custom-field-parent"}},
        {"id": "customfield_3", "name": "Norm", "schema": {"custom": "x.customfieldtypes:textfield"}},
    ]
)


def history(*items):
    return [{"created": "2026-03-02T09:00:00.000+0000", "items": list(items)}]


def item(field, before=None, after=None, **more):
    return {"field": field, "fromString": before, "toString": after, **more}


def test_a_field_that_points_to_tickets_is_no_text_of_a_ticket():
    fields = {
        "customfield_1": "SHOP-2",
        "customfield_2": {"data": {"key": "SHOP-2"}, "key": "SHOP-2"},
        "customfield_3": "ISO-9001",
        "customfield_8": "SHOP-2",
        "customfield_9": "Words.",
    }
    # The last two are not described, as when the names of the fields could not be read.
    assert {field.name: field.text for field in filled(fields, FIELDS)} == {
        "Norm": "ISO-9001",
        "customfield_9": "Words.",
    }


@pytest.mark.parametrize(
    ("raw", "pointing"),
    [
        (item("Link", None, "This issue blocks SHOP-2", fieldtype="jira"), True),
        (item("IssueParentAssociation", None, "SHOP-2", fieldtype="jira"), True),
        (item("Vorgang", None, "SHOP-2", fieldId="parent"), True),
        (item("Epic Link", "SHOP-2", None, fieldtype="custom"), True),
        (item("Saga", "SHOP-2", "SHOP-3", fieldtype="custom", fieldId="customfield_1"), True),
        (item("Above", None, "SHOP-2", fieldtype="custom", fieldId="customfield_2"), True),
        (item("Norm", None, "ISO-9001", fieldtype="custom", fieldId="customfield_3"), False),
        (item("Unknown", None, "SHOP-2, SHOP-3", fieldtype="custom", fieldId="customfield_8"), True),
        (item("Unknown", None, "Words of SHOP-2", fieldtype="custom", fieldId="customfield_8"), False),
        (item("Key", "OLD-1", "SHOP-1", fieldtype="jira", fieldId="Key"), False),
        (item("description", "", "SHOP-2", fieldtype="jira", fieldId="description"), False),
    ],
)
def test_which_changes_point_to_tickets(raw, pointing):
    assert [change.to_tickets for change in changes(history(raw), FIELDS)] == [pointing]


@both
@pytest.mark.parametrize("live", [True, False])
def test_a_history_does_not_name_a_hidden_ticket(box, reader, live):
    """SHOP-2 is for the leads, SHOP-3 is for all; the reader may see both."""
    with box.jira.changing("SHOP-1") as issue:
        made = [
            Change(box.jira.now(), OWNER.id, "Link", "", f"This issue blocks {key}") for key in ("SHOP-2", "SHOP-3")
        ]
        issue.history.append(("59999", made))
    whole = reader.ticket("SHOP-1") if live else next(it for _, it in reader.whole([issue.id])).ticket
    assert {link.key for link in whole.links} == {"SHOP-2", "SHOP-3"}
    assert "SHOP-2" in str(whole.history)
    seen = whole.seen_by(STAFF)
    assert "SHOP-3" in str(seen.history)
    assert "SHOP-2" not in str(seen)
    leads = Audience(frozenset().union(*(link.labels for link in whole.links)))
    assert whole.seen_by(leads).history == whole.history


@both
def test_without_its_comments_a_ticket_shows_no_files(box, reader):
    box.jira.attach("SHOP-1", AGENT.id, "a.txt", b"x")
    assert [file.name for file in reader.ticket("SHOP-1").files] == ["a.txt"]
    box.faults.add("GET", r"/20001/comment$", "status", times=3, status=500)
    ticket = reader.ticket("SHOP-1")
    assert ticket.files == ()
    assert ticket.unread == ("The comments", "The files")


def own(body, *, name="Plan_v2.pdf", **fields):
    """The labels that a restricted comment adds to a file of the id 10001, and to another."""
    files = [{"id": "10001", "filename": name}, {"id": "1000", "filename": "other.png"}]
    ticket = {"project": {"key": "P"}, "attachment": files, **fields}
    found = attachment_labels(ticket, [{"body": body, **RESTRICTED}])
    return [found[number] - {"jira:P"} for number in ("10001", "1000")]


def doc(*nodes):
    return {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": list(nodes)}]}


def text(value, href=None):
    marks = [{"type": "link", "attrs": {"href": href}}] if href else [{"type": "strong"}]
    return {"type": "text", "text": value, "marks": marks}


def external(url):
    return doc({"type": "mediaSingle", "content": [{"type": "media", "attrs": {"type": "external", "url": url}}]})


def card(**attrs):
    return doc({"type": "inlineCard", "attrs": attrs})


@pytest.mark.parametrize(
    "body",
    [
        doc(text("see plan_V2.PDF please")),
        doc(text("see Plan"), text("_v2", href="https://x.example"), text(".pdf")),
        doc({"type": "inlineExtension", "attrs": {"parameters": {"macroParams": {"name": {"value": "Plan_v2.pdf"}}}}}),
        "see plan_v2.pdf, page 3",
        r"see Plan\_v2.pdf",
        "!plan_v2!",
        "!Plan_v2|thumbnail!",
        "[the plan|https://jira.example/secure/attachment/10001/x.pdf]",
        "https://jira.example/rest/api/2/attachment/10001",
        "https://jira.example/x?u=%2Fsecure%2Fattachment%2F10001%2Fx",
        doc(text("here", href="https://jira.example/secure/attachment/10001/x.pdf")),
        doc(text("here", href="/rest/api/3/attachment/content/10001")),
        doc(text("here", href="/rest/api/3/attachment/10001?redirect=false")),
        doc(text("here", href="https://files.example/Plan_v2.pdf")),
        card(url="https://jira.example/secure/attachment/10001/"),
        card(data={"@type": "Document", "url": "https://jira.example/rest/api/3/attachment/thumbnail/10001"}),
        external("https://jira.example/secure/attachment/10001/x.png"),
    ],
    ids=lambda body: json.dumps(body)[:60],
)
def test_a_file_mentioned_in_a_restricted_comment_is_restricted(body):
    assert own(body) == [{OWNERS}, set()]
    assert own(body, description=media("Plan_v2.pdf")) == [{OWNERS}, set()]


@pytest.mark.parametrize("body", ["[^plan_v2]", "!https://jira.example/secure/thumbnail/10001/_thumb_10001.png!"])
def test_nor_is_it_open_where_it_is_shown_by_another_name(body):
    """What is shown so may be any file that is not open; the description opens this one."""
    assert own(body) == [{OWNERS}, {OWNERS}]
    assert own(body, description=media("Plan_v2.pdf"))[0] == {OWNERS}


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("Entwürfe.pdf", "siehe ENTWU\u0308RFE.pdf"),
        ("Screenshot at 9.41\u202fAM.png", "see Screenshot at 9.41 am.png"),
        ("my plan.pdf", "https://files.example/my%20plan.pdf"),
        ("my plan.pdf", "the my\nplan.pdf"),
        ("图.pdf", "见图.pdf里"),
        ("Makefile", "look into makefile"),
    ],
)
def test_a_name_is_found_however_it_is_spelled(name, body):
    assert own(body, name=name) == [{OWNERS}, set()]


@pytest.mark.parametrize(
    "body",
    [
        "Plan_v2 is good",
        "https://jira.example/secure/attachment/100010/x.pdf",
        "order 10001",
        doc(text("here", href="https://jira.example/browse/P-10001")),
        doc(text("attachment/"), {"type": "hardBreak"}, text("99")),
        None,
        7,
        {"type": "doc", "content": [None, 3, {"text": None, "attrs": []}]},
        {"type": ["media"], "content": [{"type": {"media": 1}}]},
    ],
)
def test_what_mentions_no_file_restricts_none(body):
    assert own(body) == [set(), set()]


def test_an_open_mention_restricts_nothing_and_a_file_without_a_name_is_found_nowhere():
    fields = {"project": {"key": "P"}, "attachment": [{"id": "1", "filename": "a.png"}, {"id": "2"}]}
    assert set(attachment_labels(fields, [{"body": "see a.png"}]).values()) == {frozenset({"jira:P"})}
    assert attachment_labels(fields, [{"body": "words", **RESTRICTED}])["2"] == {"jira:P"}
