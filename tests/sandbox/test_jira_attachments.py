"""Jira in the sandbox: files, tickets read many at once, moves, and who is shown a restricted ticket."""

from datetime import timedelta

import pypdfium2
import pytest

from core.parsing.bitmap import bitmap
from sandbox import files
from sandbox.load import load_company
from sandbox.records import Change
from sandbox.server import Sandbox
from tests.sandbox_fixtures import AGENT, DEVELOPER, OUTSIDER, OWNER, T, as_person, as_reader
from tests.specs import judge


def test_files_are_what_their_names_say():
    pdf = pypdfium2.PdfDocument(files.content("a.pdf", "First (line)\nSecond \\ line"))
    assert pdf[0].get_textpage().get_text_range().splitlines() == ["First (line)", "Second \\ line"]
    seen = bitmap(files.content("a.png", "one\nthree"))
    assert (seen.width, seen.height, seen.media_type) == (260, 48, "image/png")
    assert files.content("a.csv", "x,y") == b"x,y"
    assert files.media_type("A.PDF") == "application/pdf"
    assert files.content("a.png", "x") == files.content("a.png", "x")


def test_an_attachment(sandbox, reader):
    number = sandbox.jira.attach("SHOP-1", OWNER.id, "a b.csv", b"x,y")
    (listed,) = reader.get("/issue/SHOP-1", fields="attachment").json()["fields"]["attachment"]
    assert (listed["id"], listed["filename"], listed["size"], listed["mimeType"]) == (number, "a b.csv", 3, "text/csv")
    assert reader.get(f"/attachment/{number}").json()["filename"] == "a b.csv"
    assert reader.get(f"/attachment/content/{number}", redirect="false").content == b"x,y"
    redirected = reader.jira("GET", f"/attachment/content/{number}", allow_redirects=False)
    assert redirected.status_code == 303
    assert reader.session.get(redirected.headers["location"], timeout=10).content == b"x,y"
    assert "attachment" not in reader.get("/issue/SHOP-1", fields="*navigable").json()["fields"]
    sandbox.jira.detach("SHOP-1", number)
    assert reader.get(f"/attachment/content/{number}").status_code == 404
    history = reader.get("/issue/SHOP-1/changelog").json()["values"]
    assert [entry["items"][0]["field"] for entry in history[-2:]] == ["Attachment", "Attachment"]


def test_who_sees_a_file_sees_its_ticket(sandbox):
    number = sandbox.jira.attach("SHOP-2", OWNER.id, "a.csv", b"x")
    for person, status in {OWNER: 200, DEVELOPER: 404}.items():
        client = as_person(sandbox, person)
        assert client.get(f"/attachment/content/{number}", redirect="false").status_code == status
        client.session.close()


def fetched(client, *keys, **more):
    return client.jira("POST", "/issue/bulkfetch", json={"issueIdsOrKeys": list(keys), **more})


def test_many_at_once(sandbox, reader):
    found = fetched(reader, "SHOP-3", "20001", "SHOP-1", "SHOP-999", fields=["summary"]).json()
    assert [issue["key"] for issue in found["issues"]] == ["SHOP-1", "SHOP-3"]
    assert found["issueErrors"] == []
    assert set(found["issues"][0]["fields"]) == {"summary"}
    developer = as_person(sandbox, DEVELOPER)
    assert [issue["key"] for issue in fetched(developer, "SHOP-1", "SHOP-2").json()["issues"]] == ["SHOP-1"]
    developer.session.close()
    assert fetched(reader, *map(str, range(101))).status_code == 400
    assert fetched(reader).status_code == 400
    assert fetched(reader, "SHOP-1", fields="summary").status_code == 400


def test_many_at_once_come_with_forty_changes(sandbox, reader):
    with sandbox.jira.changing("SHOP-3") as issue:
        issue.history += [(str(n), [Change(T + timedelta(n), OWNER.id, "status", "a", str(n))]) for n in range(130)]
    (many,) = fetched(reader, "SHOP-3", fields=["summary"], expand=["changelog"]).json()["issues"]
    alone = reader.get("/issue/SHOP-3", fields="summary", expand="changelog").json()
    for issue, count in ((many, 40), (alone, 100)):
        shown = issue["changelog"]
        assert (shown["total"], len(shown["histories"])) == (count, count)
        assert shown["histories"][0]["items"][0]["toString"] == "129"


def test_a_moved_ticket(sandbox, reader):
    assert sandbox.jira.move_issue("SHOP-3", "HELP") == "HELP-2"
    for name in ("SHOP-3", "HELP-2", "20003"):
        assert reader.get(f"/issue/{name}", fields="project").json()["key"] == "HELP-2"
    assert [child["key"] for child in reader.get("/issue/SHOP-1").json()["fields"]["subtasks"]] == ["HELP-2"]
    found = reader.get("/search/jql", jql="project = HELP", fields="summary").json()["issues"]
    assert {issue["key"] for issue in found} == {"HELP-1", "HELP-2"}
    assert sandbox.jira.move_issue("HELP-2", "SHOP") == "SHOP-3"
    assert reader.get("/issue/HELP-2", fields="project").json()["key"] == "SHOP-3"


def test_a_ticket_for_some_roles(sandbox, reader):
    sandbox.jira.set_roles("SHOP-1", ["Developers"])
    restricted = reader.get("/issue/SHOP-1").json()["fields"]["issuerestriction"]["issuerestrictions"]
    assert restricted == {"projectrole": [{"restrictionValue": str(sandbox.jira.catalog.roles["Developers"])}]}
    for person, status in {OWNER: 404, DEVELOPER: 200, OUTSIDER: 404, AGENT: 404}.items():
        client = as_person(sandbox, person)
        assert client.get("/issue/SHOP-1").status_code == status
        client.session.close()


@pytest.mark.parametrize("name", ["formats-of-june.csv", "holds-by-hour.png", "season-pass-specimen.pdf"])
def test_the_company_has_files(name):
    company = load_company()
    assert [file.name for ticket in company.tickets for file in ticket.attachments].count(name) == 1


def test_every_answer_is_as_described(sandbox, reader, shared):
    number = sandbox.jira.attach("SHOP-1", OWNER.id, "a.png", files.content("a.png", "x"))
    fetched(reader, "SHOP-1", "SHOP-2", "HELP-1", fields=["*all"], expand=["changelog", "names"])
    reader.get(f"/attachment/{number}")
    reader.get(f"/attachment/content/{number}", redirect="false")
    reader.jira("GET", f"/attachment/content/{number}", allow_redirects=False)
    reader.get("/attachment/content/1", redirect="false")
    assert [problem for exchange in sandbox.exchanges.all() for problem in judge(shared).check(exchange)] == []


def test_the_company_many_at_once_is_as_described(shared):
    with Sandbox.start(load_company()) as sandbox:
        reader = as_reader(sandbox)
        found = fetched(reader, *sandbox.jira.issues, fields=["*all"], expand=["changelog"]).json()
        reader.session.close()
        assert len(found["issues"]) == 46
        assert [problem for exchange in sandbox.exchanges.all() for problem in judge(shared).check(exchange)] == []
