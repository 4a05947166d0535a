"""Every kind of request that the client sends; the sandbox's fixture judges them by Jira's official descriptions."""

from dataclasses import replace
from pathlib import Path

from bots.jira.poller import updated_since
from bots.outline import Bullets, Code, Heading, Link, Paragraph, Table, Words
from bots.types import Post
from core.types import Locator

BOTH = {
    ("GET", "mypermissions"), ("GET", "serverInfo"), ("GET", "myself"), ("GET", "comment"), ("POST", "comment"),
    ("POST", "attachments"), ("GET", "role"), ("GET", "PAY"), ("GET", "HELP"),
    ("GET", ""),  # a ticket, a comment, a file, a role
    ("DELETE", ""),
}  # fmt: skip
CLOUD = {("POST", "list"), ("POST", "jql"), ("GET", "groups")}
DATA_CENTER = {("POST", "search"), ("GET", "user"), ("GET", "crosscheck.delivery"), ("GET", "sd.public.comment")}


def test_a_tour_of_all_calls(shared: Path, box, client, flavour):
    link = Link("the rules", Locator("confluence:1", "Rules", "https://wiki.example/x y"))
    outline = (
        Heading("Findings"),
        Paragraph((Words("P1 ", strong=True), Words("a_b", code=True), link)),
        Bullets(((Words("one"),),), ordered=True),
        Table(("a", "b"), (((Words("1"),), (link,)),)),
        Code("x = 1", "python"),
    )
    client.missing_permissions("PAY")
    client.now()
    for key, limits in [("PAY-1", {"group": "qa-leads"}), ("HELP-1", {"role": "Support staff", "internal": True})]:
        comment = box.jira.add_comment(key, "ana", "#qa-check", **limits)
        trigger = client.trigger(box.jira.issue(key).id, comment)
        assert client.belongs(trigger.place, trigger.author_id, ["nobody"], ["Developers", "Support staff"])
        for body in client.render(outline):
            post = Post(trigger.place, trigger.visibility, body, f"{key}:1", comment, trigger.created)
            posted = client.post(post)
            assert client.find(post) == [posted]
            client.visibility_of(trigger.place, posted.remote_id)
            client.withdraw(trigger.place, posted.remote_id)
    trigger = client.trigger(box.jira.issue("PAY-1").id, box.jira.add_comment("PAY-1", "ana", "#qa-check"))
    table = Post(trigger.place, trigger.visibility, client.file("a.csv", b"a,b"), "k", "1", trigger.created)
    posted = client.post(replace(table))
    assert client.find(table) == [posted]
    client.withdraw(trigger.place, posted.remote_id)
    assert list(client.search(updated_since(["PAY", "HELP"], trigger.created)))

    asked = {(e.method, e.path.rsplit("/", 1)[-1].strip("0123456789")) for e in box.exchanges.all("jira")}
    assert asked == BOTH | (CLOUD if flavour == "cloud" else DATA_CENTER)
