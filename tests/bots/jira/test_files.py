"""The bot's attachments: written once, found again, told apart from comments, and refused where more would see them."""

from base64 import b64decode
from dataclasses import replace

import pytest

from bots.errors import NotAllowed, Unavailable, Uncertain
from tests.bots.jira.test_client import asked, reply, requests

UPLOAD = "/attachments$"


def table(client, trigger, key="k-1", content=b"cases", name="PAY-1 test cases.xlsx"):
    return replace(reply(client, trigger, key), body=client.file(name, content))


def attached(box, key="PAY-1"):
    return list(box.jira.issue(key).files.values())


def test_a_file_is_attached_and_found_again(box, client):
    post = table(client, asked(box, client))
    assert client.find(post) == []
    posted = client.post(post)
    (file,) = attached(box)
    assert posted.remote_id == f"attachment:{file.id}"
    assert posted.url.startswith(f"{client.site}/secure/attachment/{file.id}/PAY-1%20test%20cases%20")
    assert file.name.startswith("PAY-1 test cases ")
    assert file.name.endswith(".xlsx")
    assert (file.content, b64decode(post.body["content"])) == (b"cases", b"cases")
    assert client.find(post) == [posted]
    assert len(requests(box, "POST", "/attachments")) == 1


def test_another_delivery_and_another_content_are_told_apart(box, client):
    trigger = asked(box, client)
    client.post(table(client, trigger))
    assert client.find(table(client, trigger, "k-2")) == []
    (other,) = client.find(table(client, trigger, content=b"other cases"))
    assert not other.same_text
    twin = client.post(table(client, trigger))
    assert client.find(table(client, trigger))[1] == twin


def test_somebody_elses_file_is_not_ours(box, client, connect):
    post = table(client, asked(box, client))
    posted = connect("ana").post(post)
    assert client.find(post) == []
    with pytest.raises(NotAllowed, match="not the bot's own"):
        client.withdraw(post.place, posted.remote_id)
    assert len(attached(box)) == 1


def test_withdrawing_a_file(box, client):
    post = table(client, asked(box, client))
    posted = client.post(post)
    client.withdraw(post.place, posted.remote_id)
    assert attached(box) == []
    client.withdraw(post.place, posted.remote_id)


@pytest.mark.parametrize(
    ("key", "limits"),
    [
        ("PAY-1", {"role": "Developers"}),
        ("PAY-1", {"group": "qa-leads"}),
        ("HELP-1", {"internal": True}),
        ("HELP-1", {}),
    ],
)
def test_a_file_cannot_be_limited_so_it_is_refused(box, client, key, limits):
    with pytest.raises(NotAllowed, match="more people"):
        client.post(table(client, asked(box, client, key, **limits)))
    assert attached(box, key) == []
    assert requests(box, "POST", "/attachments") == []


@pytest.mark.parametrize(("kind", "written"), [("drop_after", 1), ("drop_before", 0), ("html", 0)])
def test_an_answer_that_is_lost_is_uncertain_and_nothing_is_repeated(box, client, kind, written):
    post = table(client, asked(box, client))
    box.faults.add("POST", UPLOAD, kind)
    with pytest.raises(Uncertain):
        client.post(post)
    assert len(attached(box)) == len(client.find(post)) == written


def test_told_to_wait_means_not_attached(box, client):
    post = table(client, asked(box, client))
    box.faults.add("POST", UPLOAD, "status", status=429)
    with pytest.raises(Unavailable):
        client.post(post)
    assert attached(box) == []


def test_without_the_permission_to_attach(box, client):
    post = table(client, asked(box, client))
    box.jira.forbid("bot", "PAY", "CREATE_ATTACHMENTS")
    with pytest.raises(NotAllowed, match="Create attachments"):
        client.post(post)


@pytest.mark.parametrize(
    "name", ["no ending", ".hidden", "a/b\\c:d*.xlsx", 'quoted "x" ü.csv', "x" * 400 + ".xlsx", "a\nb.txt"]
)
def test_any_name_is_made_one_of_a_file(box, client, name):
    post = table(client, asked(box, client), name=name)
    posted = client.post(post)
    (file,) = attached(box)
    assert not set(file.name) & set('/\\:*?"<>|\n')
    assert len(file.name) < 200
    assert client.find(post) == [posted]
