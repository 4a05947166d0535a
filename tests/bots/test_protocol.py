"""Every kind of request that the client sends; the sandbox's fixture judges them by Jira's official description."""

from pathlib import Path

from bots.jira.client import JiraClient
from bots.jira.poller import updated_since
from bots.jira.render import render
from bots.outline import Bullets, Code, Heading, Link, Paragraph, Table, Words
from bots.types import Post
from core.types import Locator


def test_a_tour_of_all_calls(shared: Path, box):
    client = JiraClient(box.jira_url, box.post_user, box.post_token)
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
        for body in render(outline):
            post = Post(trigger.place, trigger.visibility, body, f"{key}:1", comment, trigger.created)
            posted = client.post(post)
            assert client.find(post) == [posted]
            client.visibility_of(trigger.place, posted.remote_id)
            client.withdraw(trigger.place, posted.remote_id)
    assert list(client.search(updated_since(["PAY", "HELP"], trigger.created)))
    client.close()

    assert {(e.method, e.path.rsplit("/", 1)[-1].strip("0123456789")) for e in box.exchanges.all("jira")} == {
        ("GET", "mypermissions"),
        ("GET", "serverInfo"),
        ("GET", "myself"),
        ("GET", ""),  # a ticket, a comment
        ("GET", "comment"),
        ("POST", "comment"),
        ("POST", "list"),
        ("DELETE", ""),
        ("POST", "jql"),
    }
