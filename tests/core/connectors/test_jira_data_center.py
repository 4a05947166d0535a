"""The same tickets, read from Jira Cloud and Data Center, are the same but for how people and texts are written."""

import json
from dataclasses import fields as fields_of
from dataclasses import replace
from datetime import timedelta

import pytest

from core import visibility
from core.connectors.attachments import Attachments
from core.connectors.jira import JiraConnector
from core.connectors.jira_values import changes, described, filled, text_of
from core.parsing.parsed import Parsed
from core.tickets import Person
from sandbox.load import load_company
from sandbox.records import Change, Comment
from sandbox.server import Sandbox
from tests.core.connectors.conftest import reader_of
from tests.sandbox_fixtures import DEVELOPER, OWNER, T, company

FLAVOURS = ("cloud", "data center")


@pytest.fixture(scope="module")
def large():
    with Sandbox.start(load_company()) as running:
        yield running


def plain(text):
    """Words and marks without what the two markups write differently: escapes, bullets of tasks, people, languages."""
    return "".join(char for char in text if char.isalnum())


class Alike:
    """Values without what may differ: addresses, ids of people, and the names of groups for their ids."""

    def __init__(self, box):
        self.groups = {
            visibility.jira_group(name): visibility.jira_group(box.accounts.group_id(name))
            for person in box.accounts.people.values()
            for name in person.groups
        }
        self.sites = (box.jira_data_center_url, box.jira_url)

    def __call__(self, value):
        if isinstance(value, Person):
            return value.name
        if isinstance(value, str):
            return self.groups.get(value.replace(*self.sites), value.replace(*self.sites))
        if isinstance(value, frozenset):
            return frozenset(map(self, value))
        if isinstance(value, tuple):
            return tuple(map(self, value))
        if isinstance(value, dict):
            return {self(key): self(each) for key, each in value.items()}
        if hasattr(value, "__dataclass_fields__"):
            return {field.name: self(getattr(value, field.name)) for field in fields_of(value)}
        return value


def ticket_of(box, flavour, key):
    """All of it but its prose, which is given apart."""
    ticket = reader_of(box, flavour).ticket(key)
    prose = [
        ticket.description,
        *(comment.text for comment in ticket.comments),
        *(field.text for field in ticket.fields),
    ]
    bare = replace(
        ticket,
        description="",
        comments=tuple(replace(comment, text="", mentions=()) for comment in ticket.comments),
        fields=tuple(replace(field, text="") for field in ticket.fields),
    )
    return Alike(box)(bare), prose


def test_every_ticket_of_a_company_is_the_same(large):
    for key in all_keys(large):
        (cloud, told), (center, told_there) = (ticket_of(large, flavour, key) for flavour in FLAVOURS)
        assert center == cloud
        assert list(map(plain, told_there)) == list(map(plain, told))


def all_keys(box):
    return [issue.key for issue in box.jira.issues.values()]


def read_by(box, flavour):
    files = Attachments(lambda name, data: Parsed(f"{name}: {len(data)}"), lambda parsed: parsed)
    jira = JiraConnector("jira", reader_of(box, flavour), list(box.jira.projects), attachments=files)
    return jira, {document.id: document for document in jira.load()}


def test_every_document_of_a_company_is_the_same(large):
    alike = Alike(large)
    (cloud, there), (center, here) = (read_by(large, flavour) for flavour in FLAVOURS)
    assert here.keys() == there.keys()
    assert cloud.ids() == center.ids()
    assert alike(dict(center.labels_now(here))) == alike(dict(cloud.labels_now(there)))
    for key, document in here.items():
        known = there[key]
        bare = [alike(replace(it, text="", version="", places=())) for it in (document, known)]
        assert bare[0] == bare[1]
        assert plain(document.text) == plain(known.text)


@pytest.fixture
def center(box):
    return reader_of(box, "data center")


def test_a_ticket_below_a_context_path(box, center):
    ticket = center.ticket("SHOP-1")
    assert ticket.locator.url == f"{box.jira_data_center_url}/browse/SHOP-1"
    assert "agreed with @Olga Owner" in ticket.description
    assert "| right | in |" in ticket.description
    assert '1. one\n   ```python\n   x = "]]>"\n   ```' in ticket.description
    assert (ticket.reporter.id, ticket.reporter.name) == (box.accounts.user_key(OWNER.id), OWNER.name)
    assert ticket.unread == ()


def test_bodies_in_wiki_markup():
    """As they stand in Jira: code, tables, quotes, people and files keep what they say."""
    body = (
        "[~u-dev], [~nobody] and [~u-dev]: see {{check_user_lock}}\n{noformat}\n*raw* [~u-dev]\n{noformat}\n"
        "{quote}said *once*{quote}\n||Case||Result||\n|a\\|b|{{x|y}}|\n{code:java}if (a || b) { /* [~u-dev] */ }{code}"
    )
    first = replace(company().tickets[0], comments=(Comment(OWNER.id, T, "x"),), links=())
    with Sandbox.start(replace(company(), tickets=(first,))) as box:
        raw = {
            "id": "30001",
            "body": body,
            "author": {"displayName": "Olga"},
            "created": "2026-03-02T09:00:00.000+0000",
        }
        answer = json.dumps({"startAt": 0, "maxResults": 50, "total": 1, "comments": [raw]})
        box.faults.add("GET", "/20001/comment$", "status", status=200, body=answer)
        comment = reader_of(box, "data center").ticket("SHOP-1").comments[0]
        asked = [exchange.query for exchange in box.exchanges.all() if exchange.path.endswith("/api/2/user")]
        assert asked == ["username=u-owner", "username=u-dev", "username=nobody"]
        assert comment.mentions == (box.accounts.user_key(DEVELOPER.id), "nobody")
    assert comment.text == (
        "@Dan Developer, @nobody and @Dan Developer: see `check_user_lock`\n```\n*raw* [~u-dev]\n```\n\n> said once\n\n"
        "| Case | Result |\n| --- | --- |\n| a\\|b | `x\\|y` |\n\n```java\nif (a || b) { /* [~u-dev] */ }\n```"
    )


@pytest.mark.parametrize("status", [404, 403, 500])
def test_a_person_who_cannot_be_asked_for_goes_by_the_name(box, center, status):
    box.faults.add("GET", "/api/2/user$", "status", status=status)
    ticket = center.ticket("SHOP-1")
    assert "agreed with @u-owner" in ticket.description
    assert ticket.unread == ()
    known = center.ticket("SHOP-1").description
    assert ("@Olga Owner" in known) == (status == 500)


def test_a_group_is_restricted_to_by_its_name(center):
    labels = [comment.labels - {"jira:SHOP"} for comment in center.ticket("SHOP-1").comments]
    assert labels == [set(), {visibility.jira_role("SHOP", "Owners")}, {visibility.jira_group("engineering")}]


def test_few_requests_for_a_ticket_and_for_labels(box, center):
    jira = JiraConnector("jira", center, ["SHOP", "HELP"])
    documents = list(jira.load())
    box.exchanges.clear()
    jira.labels_now([document.id for document in documents if document.id.startswith("jira:20001")])
    assert [exchange.path for exchange in box.exchanges.all()] == ["/jira/rest/api/2/issue/20001"]


def test_a_history_that_names_its_fields_alone():
    """Data Center gives no id of a field that changed: its name says whether it names tickets."""
    about = described(
        [
            {"id": "customfield_1", "name": "Saga", "schema": {"custom": "com.pyxis.greenhopper.jira:gh-epic-link"}},
            {"id": "customfield_2", "name": "Norm", "schema": {"custom": "x.customfieldtypes:textfield"}},
            {
                "id": "customfield_3",
                "name": "Position",
                "schema": {"custom": "com.pyxis.greenhopper.jira:gh-lexo-rank"},
            },
            {"id": "customfield_4", "name": "Saga", "schema": {"custom": "x.customfieldtypes:textfield"}},
        ]
    )
    items = [
        {"field": "Saga", "fieldtype": "custom", "toString": "SHOP-2"},
        {"field": "Norm", "fieldtype": "custom", "toString": "ISO-9001"},
        {"field": "Position", "fieldtype": "custom", "toString": "1|i00"},
        {"field": "Other", "fieldtype": "custom", "toString": "SHOP-2"},
        {"field": "status", "fieldtype": "jira", "fromString": "A", "toString": "B"},
    ]
    found = changes([{"created": "2026-03-02T09:00:00.000+0000", "items": items}], about)
    assert [(one.field, one.to_tickets) for one in found] == [
        ("Saga", True), ("Norm", False), ("Other", True), ("status", False)
    ]  # fmt: skip


SPRINT = (
    "com.atlassian.greenhopper.service.sprint.Sprint@6b2f[id=37,rapidViewId=5,state=ACTIVE,name=Locks, [part] 1,"
    "startDate=2026-03-02T09:00:00.000Z,endDate=<null>,completeDate=<null>,sequence=37,goal=Done]"
)


def test_values_as_data_center_writes_them():
    assert text_of([SPRINT, SPRINT.replace("name=Locks, [part] 1,startDate", "name=Next,goal=,startDate")]) == (
        "Locks, [part] 1, Next"
    )
    assert text_of("com.atlassian.greenhopper") == "com.atlassian.greenhopper"
    hostile = SPRINT.partition("name=")[0] + "name=,goal=" * 20_000
    assert text_of(hostile) == hostile
    fields = {"archiveddate": "2026-03-02", "archivedby": {"displayName": "Olga"}, "customfield_7": [SPRINT]}
    assert [field.text for field in filled(fields, described([]))] == ["Locks, [part] 1"]


def test_history_of_a_thousand_changes():
    many = tuple(Change(T + timedelta(minutes=n), OWNER.id, "description", str(n), str(n + 1)) for n in range(1_000))
    first = replace(company().tickets[0], history=many)
    with Sandbox.start(replace(company(), tickets=(first, *company().tickets[1:]))) as box:
        read = next(read for _, read in reader_of(box, "data center").whole(["20001"]))
        assert [change.before for change in read.ticket.history] == [str(n) for n in range(1_000)]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_what_is_archived_breaks_no_reading_and_is_listed_no_more(box, flavour):
    jira = JiraConnector("jira", reader_of(box, flavour), ["SHOP", "HELP"])
    everything = jira.ids()
    box.jira.archive_issue("SHOP-3")
    assert {document.partition(":comment")[0] for document in everything - jira.ids()} == {
        "jira:20003", "jira:20003:history"
    }  # fmt: skip
    assert "jira:20003" not in {document.id for document in jira.load()}
    assert "sub-task" in {link.relation for link in reader_of(box, flavour).ticket("SHOP-1").links}
    box.jira.restore_issue("SHOP-3")
    box.jira.archive_project("HELP")
    assert {document for document in everything if not document.startswith("jira:20004")} == jira.ids()
    assert {document.labels for document in jira.changed_since("1000000") if "jira:HELP" in document.labels} == set()


def test_a_hidden_ticket_is_none(box, center):
    """Data Center refuses it where Cloud does not know it."""
    jira = JiraConnector("jira", center, ["SHOP"])
    for number in ("20001", "20003"):
        box.faults.add("GET", f"/issue/{number}$", "status", times=9, status=403)
    assert [document.id for document in jira.load() if document.kind == "ticket"] == ["jira:20002"]
    assert jira.labels_now(["jira:20001", "jira:20002"])["jira:20001"] is None
