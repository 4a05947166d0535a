"""Files at tickets: which are read, what is said of the others, and who may read them."""

import json
import re
from dataclasses import replace
from datetime import timedelta

import pytest

from core.connectors.attachments import Attachments
from core.connectors.jira import JiraConnector
from core.connectors.jira_labels import attachment_labels
from core.errors import SourceIncomplete
from core.parsing.parsed import Parsed, Picture, unreadable
from core.types import Place
from core.visibility import INTERNAL, jira_group, jira_role
from sandbox.load import load_company
from sandbox.records import Comment
from sandbox.server import Sandbox
from tests.core.connectors.conftest import QUICK, both, reader_of
from tests.sandbox_fixtures import AGENT, OWNER, T, company
from tests.specs import judge


class Files:
    """Reads text, and finds a picture in what begins like a PNG."""

    def __init__(self):
        self.read = []

    def __call__(self, name, data):
        self.read.append(name)
        if data.startswith(b"\x89PNG"):
            return Parsed("[picture: p]", pictures=(Picture(name, "image/png", data, "[picture: p]"),))
        if not data:
            return unreadable("it is empty")
        return Parsed(data.decode(), (Place(0, "page 1", "#page=1"),))


def undescribed(parsed):
    if not parsed.pictures:
        return parsed
    names = [picture.name for picture in parsed.pictures]
    return Parsed(f"[picture not read: {names[0]}]", unread=tuple(f"picture not read: {name}" for name in names))


@pytest.fixture
def files():
    return Files()


def connector(reader, files, projects=("SHOP", "HELP"), **options):
    return JiraConnector("jira", reader, projects, attachments=Attachments(files, undescribed, **options))


def attachments(jira):
    return {document.title.rpartition(", ")[2]: document for document in jira.load() if document.kind == "attachment"}


@both
def test_an_attachment_is_a_document(box, reader, files, flavour):
    site = box.jira_url if flavour == "cloud" else box.jira_data_center_url
    number = box.jira.attach("SHOP-1", OWNER.id, "prices & rules.csv", b"a,b\n1,2")
    jira = connector(reader, files)
    document = attachments(jira)["prices & rules.csv"]
    assert document.id == f"jira:20001:attachment:{number}"
    assert document.text == "a,b\n1,2"
    assert document.title == "SHOP-1 Lock the account, prices & rules.csv"
    assert document.context == "SHOP > SHOP-1 Lock the account > prices & rules.csv"
    assert document.url == f"{site}/secure/attachment/{number}/prices%20%26%20rules.csv"
    assert document.places == (Place(0, "page 1", "#page=1"),)
    assert document.labels == {"jira:SHOP"}
    assert document.keys == {"prices & rules.csv"}
    assert document.attributes == {"key": "SHOP-1", "author": OWNER.name}
    assert document.id in jira.ids()
    assert jira.labels_now([document.id]) == {document.id: {"jira:SHOP"}}
    box.jira.detach("SHOP-1", number)
    assert document.id not in jira.ids()
    assert jira.labels_now([document.id]) == {document.id: None}


@both
def test_what_the_bot_attached_is_no_evidence(box, files, flavour):
    """Its drafts must not feed its answers."""
    theirs = box.jira.attach("SHOP-1", OWNER.id, "rules.csv", b"a,b")
    own = box.jira.attach("SHOP-1", AGENT.id, "SHOP-1-test-cases.csv", b"TC-1,30 days")
    with_all = connector(reader_of(box, flavour), files)
    assert [*attachments(with_all)] == ["rules.csv", "SHOP-1-test-cases.csv"]
    reader = reader_of(box, flavour, bots=lambda: frozenset({AGENT.id}))
    jira = connector(reader, files)
    assert [*attachments(jira)] == ["rules.csv"]
    assert [file.name for file in reader.ticket("SHOP-1").files] == ["rules.csv"]
    kept, left_out = f"jira:20001:attachment:{theirs}", f"jira:20001:attachment:{own}"
    assert {one for one in jira.ids() if ":attachment:" in one} == {kept}
    assert jira.labels_now([kept, left_out]) == {kept: {"jira:SHOP"}, left_out: None}


def test_without_a_reader_of_files_there_are_none(box, reader):
    number = box.jira.attach("SHOP-1", OWNER.id, "a.txt", b"x")
    jira = JiraConnector("jira", reader, ["SHOP"])
    assert attachments(jira) == {}
    assert f"jira:20001:attachment:{number}" not in jira.ids()


@both
def test_what_is_not_read_says_why(box, reader, files):
    for name, content in {"big.txt": b"x" * 101, "film.MP4": b"x", "empty.txt": b"", "shot.png": b"\x89PNG"}.items():
        box.jira.attach("SHOP-1", OWNER.id, name, content)
    found = attachments(connector(reader, files, largest=100))
    assert {name: document.unread for name, document in found.items()} == {
        "big.txt": ("could not be read: it has 101 bytes, and the limit is 100",),
        "film.MP4": ("could not be read: files of the type mp4 are not read",),
        "empty.txt": ("could not be read: it is empty",),
        "shot.png": ("picture not read: shot.png",),
    }
    assert all(document.text.startswith("[") for document in found.values())
    assert files.read == ["empty.txt", "shot.png"]
    asked = [e.path for e in box.exchanges.all() if re.search("/content/|/secure/", e.path)]
    assert [re.search(r"/(\d{5})", path)[1] for path in asked] == ["40003", "40004"]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ({"kind": "status", "status": 404}, "Jira does not give it"),
        ({"kind": "status", "status": 403}, "Jira does not give it"),
        ({"kind": "status", "status": 303, "headers": {"Location": "http://127.0.0.1:9/x"}}, "Jira does not give it"),
        ({"kind": "html"}, "bytes of its 1"),
    ],
)
def test_an_attachment_that_is_refused_costs_itself(box, reader, files, fault, says):
    """Nor is any redirect followed: it would lead to another host."""
    box.jira.attach("SHOP-1", OWNER.id, "a.txt", b"x")
    box.faults.add("GET", "/attachment/content/", **fault)
    jira = connector(reader, files)
    refused = attachments(jira)["a.txt"]
    assert says in refused.unread[0]
    again = attachments(jira)["a.txt"]
    assert (again.text, again.unread) == ("x", ())
    assert again.version != refused.version


@both
def test_an_answer_that_is_larger_than_it_says_is_cut_off(box, files, flavour):
    box.jira.attach("SHOP-1", OWNER.id, "a.txt", b"x")
    box.faults.add("GET", "/attachment/(content/)?4", "status", status=200, body="y" * 300_000)
    reader = reader_of(box, flavour, limits=replace(QUICK, answer_bytes=200_000))
    assert attachments(connector(reader, files))["a.txt"].unread == (
        "could not be read: Jira gave more than can be taken",
    )


def test_an_attachment_that_may_come_another_time_costs_the_mark(box, reader, files):
    box.jira.attach("SHOP-1", OWNER.id, "a.txt", b"x")
    box.jira.attach("SHOP-1", OWNER.id, "b.txt", b"y")
    box.faults.add("GET", "/attachment/content/40001", "status", times=3, status=503)
    read = []
    jira = connector(reader, files)
    with pytest.raises(SourceIncomplete, match="attachment of SHOP-1"):
        read.extend(jira.changed_since("1000000"))
    assert [document.text for document in read if document.kind == "attachment"] == ["y"]
    assert jira.removed_since("1000000", ["jira:20001:attachment:40001", "jira:20001:comment:9"]) == set()


@both
def test_what_the_index_holds_is_not_downloaded_again(box, reader, files):
    for name, content in {"a.txt": b"x", "shot.png": b"\x89PNG"}.items():
        box.jira.attach("SHOP-1", OWNER.id, name, content)
    first = attachments(connector(reader, files))
    versions = {document.id: document.version for document in first.values()}
    files.read.clear()
    box.jira.set_security("SHOP-1", "Leads only")
    second = attachments(connector(reader, files, known=versions.get))
    assert files.read == ["shot.png"]  # its picture may be described by now
    assert {document.id: document.version for document in second.values()} == versions
    assert second["a.txt"].text == ""
    assert all(len(document.labels) == 2 for document in second.values())
    box.jira.set_fields("SHOP-1", {"summary": "Renamed"})
    assert attachments(connector(reader, files, known=versions.get))["a.txt"].text == "x"


@both
def test_every_exchange_is_as_described(files, shared, flavour):
    with Sandbox.start(load_company()) as box:
        jira = connector(reader_of(box, flavour), files, box.jira.projects)
        assert len(attachments(jira)) == 3
        jira.labels_now(jira.ids())
        problems = [problem for exchange in box.exchanges.all() for problem in judge(shared).check(exchange)]
    assert problems == []


def media(name=None, kind="file"):
    attrs = {"type": kind, "id": "6b7", "collection": ""} | ({"alt": name} if name else {})
    node = {"type": "mediaSingle", "content": [{"type": "media", "attrs": attrs}]}
    return {"type": "doc", "version": 1, "content": [node]}


def labels_of(*comments, description=None, files=("a.png", "b.png"), desk=False):
    fields = {
        "project": {"key": "P", "projectTypeKey": "service_desk" if desk else "software"},
        "description": description,
        "attachment": [{"id": n, "filename": name} for n, name in enumerate(files)],
    }
    found = attachment_labels(fields, comments)
    return [found[str(n)] - {"jira:P"} for n in range(len(files))]


def shows(body, **more):
    return {"body": body, "jsdPublic": True, **more}


ROLE = {"visibility": {"type": "role", "value": "Owners"}}
GROUP = {"visibility": {"type": "group", "value": "qa"}}
OWNERS, QA = jira_role("P", "Owners"), jira_group("qa")


@pytest.mark.parametrize(
    ("comments", "more", "own"),
    [
        ([], {}, [set(), set()]),
        ([shows(media("a.png"))], {}, [set(), set()]),
        ([shows(media("a.png"), **ROLE)], {}, [{OWNERS}, set()]),
        ([shows("!a.png|thumbnail!", **ROLE)], {}, [{OWNERS}, set()]),
        ([shows("see [the list^b.png]", **ROLE)], {}, [set(), {OWNERS}]),
        ([shows(media("a.png"), **ROLE), shows(media("a.png"), **GROUP)], {}, [{OWNERS, QA}, set()]),
        ([shows(media("a.png"), **ROLE), shows(media("a.png"))], {}, [{OWNERS}, set()]),
        ([shows(media(), **ROLE)], {}, [{OWNERS}, {OWNERS}]),
        ([shows(media("another name"), **ROLE)], {}, [{OWNERS}, {OWNERS}]),
        ([shows(media(), **ROLE)], {"description": media("a.png")}, [set(), {OWNERS}]),
        ([shows(media("a.png", "external"), **ROLE)], {}, [set(), set()]),
        ([shows(media("a.png"), **ROLE), shows(media("a.png"))], {"files": ("a.png", "a.png")}, [{OWNERS}, {OWNERS}]),
        ([], {"desk": True}, [{INTERNAL}, {INTERNAL}]),
        ([shows(media("a.png"))], {"desk": True}, [set(), {INTERNAL}]),
        ([], {"desk": True, "description": media("b.png")}, [{INTERNAL}, set()]),
        ([shows(media("a.png"), jsdPublic=False)], {"desk": True}, [{INTERNAL}, {INTERNAL}]),
        ([{"body": media("a.png")}], {"desk": True}, [{INTERNAL}, {INTERNAL}]),
        ([shows(media("a.png"))], {"desk": True, "files": ("a.png", "a.png")}, [{INTERNAL}, {INTERNAL}]),
        ([shows(media("a.png"), **ROLE)], {"desk": True}, [{INTERNAL, OWNERS}, {INTERNAL}]),
    ],
)
def test_who_may_read_a_file(comments, more, own):
    assert labels_of(*comments, **more) == own


def test_labels_of_files_follow_their_comments(box, reader, files):
    number = box.jira.attach("HELP-1", AGENT.id, "log.txt", b"x")
    document = f"jira:20004:attachment:{number}"
    jira = connector(reader, files)
    assert attachments(jira)["log.txt"].labels == jira.labels_now([document])[document] == {"jira:HELP", INTERNAL}
    comment = box.jira.add_comment("HELP-1", AGENT.id, adf=media("log.txt"))
    assert attachments(jira)["log.txt"].labels == jira.labels_now([document])[document] == {"jira:HELP"}
    box.jira.set_visibility("HELP-1", comment, internal=True)
    assert attachments(jira)["log.txt"].labels == jira.labels_now([document])[document] == {"jira:HELP", INTERNAL}


def test_a_comment_beyond_the_first_page_counts_too(files):
    body = media("a.txt")
    comments = tuple(Comment(OWNER.id, T + timedelta(minutes=n), f"c{n}") for n in range(130))
    first = replace(company().tickets[0], comments=comments, links=())
    with Sandbox.start(replace(company(), tickets=(first,))) as box:
        number = box.jira.attach("SHOP-1", OWNER.id, "a.txt", b"x")
        box.jira.edit_comment("SHOP-1", "30001", adf=body)
        box.jira.set_visibility("SHOP-1", "30001", role="Owners")
        jira = connector(reader_of(box), files, ["SHOP"])
        owners = {"jira:SHOP", jira_role("SHOP", "Owners")}
        document = f"jira:20001:attachment:{number}"
        assert attachments(jira)["a.txt"].labels == jira.labels_now([document])[document] == owners


def test_odd_attachments_are_survived(box, reader, files):
    odd = [{"id": "7"}, {"id": 8, "filename": "a\nb.txt", "size": "x", "created": None, "author": 3}, None, "x"]
    issue = {"id": "20003", "key": "SHOP-3", "fields": {"project": {"key": "SHOP"}, "attachment": odd}}
    issue["fields"]["comment"] = {"total": 0, "comments": []}
    issue["changelog"] = {"total": 0, "histories": []}
    body = json.dumps({"issues": [issue], "issueErrors": []})
    box.faults.add("POST", "/issue/bulkfetch$", "status", status=200, body=body)
    found = attachments(connector(reader, files))
    assert set(found) == {"without a name", "a b.txt"}
    assert all(document.unread for document in found.values())
