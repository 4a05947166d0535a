"""Files sent to the sandbox's Jira, on Cloud and on Data Center."""

import pytest
import requests

from sandbox.records import Person
from tests.sandbox.jira_clients import NO_CHECK, DataCenter
from tests.sandbox.jira_clients import as_person as on_data_center
from tests.sandbox_fixtures import DEVELOPER, as_person
from tests.specs import judge

CONTENT = b"\x00\r\n--x\r\n\xff"


@pytest.fixture(params=["cloud", "data center"])
def sender(request, sandbox):
    """(ask, client) of the bot: what asks of either flavour alike."""
    client = _client(sandbox, sandbox.accounts.bot, data_center=request.param == "data center")
    yield client
    client.session.close()


def _client(sandbox, person: Person, *, data_center: bool):
    client = (on_data_center if data_center else as_person)(sandbox, person)
    if not data_center:
        client.ask = client.jira
    return client


def send(client, key, *files, headers=NO_CHECK, part="file"):
    return client.ask("POST", f"/issue/{key}/attachments", headers=headers, files=[(part, file) for file in files])


def test_a_file_is_kept_as_it_was_sent(sandbox, sender):
    made = send(sender, "SHOP-1", ("tést cases.csv", CONTENT, "text/csv"), ("b.csv", b"", "text/csv"))
    assert made.status_code == 200
    first, second = made.json()
    assert (first["filename"], first["size"], second["size"]) == ("tést cases.csv", len(CONTENT), 0)
    assert sender.session.get(first["content"], timeout=10).content == CONTENT
    listed = sender.get("/issue/SHOP-1").json()["fields"]["attachment"]
    assert [file["id"] for file in listed] == [first["id"], second["id"]]
    assert sender.get(f"/attachment/{first['id']}").json()["filename"] == "tést cases.csv"
    assert sender.ask("DELETE", f"/attachment/{first['id']}").status_code == 204
    assert sender.get(f"/attachment/{first['id']}").status_code == 404
    assert sender.session.get(first["content"], timeout=10).status_code == 404


@pytest.mark.parametrize("headers", [{}, {"X-Atlassian-Token": "check"}])
def test_without_the_header_nothing_is_taken(sandbox, sender, headers):
    refused = send(sender, "SHOP-1", ("a.csv", b"x"), headers=headers)
    assert (refused.status_code, refused.text) == (403, "XSRF check failed")
    assert sender.get("/issue/SHOP-1").json()["fields"]["attachment"] == []


def test_what_is_no_form_is_refused(sender):
    refused = sender.ask("POST", "/issue/SHOP-1/attachments", headers=NO_CHECK, json={"file": "x"})
    assert refused.status_code == 415
    broken = {**NO_CHECK, "Content-Type": "multipart/form-data"}
    assert sender.ask("POST", "/issue/SHOP-1/attachments", headers=broken, data=b"x").status_code == 415
    assert send(sender, "SHOP-1", ("a.csv", b"x"), part="other").json() == []


def test_who_may_send_and_delete(sandbox, sender):
    account = sandbox.accounts.bot.id
    number = send(sender, "SHOP-1", ("a.csv", b"x")).json()[0]["id"]
    other = _client(sandbox, DEVELOPER, data_center=isinstance(sender, DataCenter))
    assert other.get(f"/attachment/{number}").ok
    assert other.ask("DELETE", f"/attachment/{number}").status_code == 403
    hidden = send(other, "SHOP-2", ("a.csv", b"x"))
    assert hidden.status_code in {403, 404}
    other.session.close()
    sandbox.jira.archive_issue("SHOP-1")
    assert send(sender, "SHOP-1", ("a.csv", b"x")).status_code == 403
    assert sender.ask("DELETE", f"/attachment/{number}").status_code == 403
    sandbox.jira.restore_issue("SHOP-1")
    sandbox.jira.forbid(account, "SHOP", "CREATE_ATTACHMENTS")
    assert send(sender, "SHOP-1", ("a.csv", b"x")).status_code == 403
    assert sender.ask("DELETE", f"/attachment/{number}").status_code == 204
    assert send(sender, "SHOP-999", ("a.csv", b"x")).status_code == 404


def test_the_content_of_data_center_is_for_who_sees_the_ticket(sandbox):
    number = sandbox.jira.attach("SHOP-2", DEVELOPER.id, "a.csv", b"x")
    address = f"{sandbox.jira_data_center_url}/secure/attachment/{number}/a.csv"
    assert requests.get(address, timeout=10).status_code == 401
    for account, status in {sandbox.accounts.bot.id: 200, DEVELOPER.id: 404}.items():
        token = {"Authorization": f"Bearer {sandbox.accounts.token(account)}"}
        assert requests.get(address, headers=token, timeout=10).status_code == status


def test_every_answer_is_as_described(sandbox, sender, shared):
    made = send(sender, "SHOP-1", ("a.csv", CONTENT)).json()[0]
    sender.get(f"/attachment/{made['id']}")
    sender.ask("DELETE", f"/attachment/{made['id']}")
    sender.get(f"/attachment/{made['id']}")
    send(sender, "SHOP-1", ("a.csv", b"x"), headers={})
    problems = [problem for exchange in sandbox.exchanges.all() for problem in judge(shared).check(exchange)]
    assert problems == []
