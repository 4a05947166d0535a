"""The pages for people without a browser: the form's guards, the code view."""

import re
import subprocess

import pytest
import requests

from tests.sandbox_fixtures import CUSTOMER, DEVELOPER, OWNER


@pytest.fixture
def form(sandbox):
    """Opens a ticket and sends its form."""
    url = sandbox.jira_url + "/browse/"

    def send(key="SHOP-1", headers=None, **fields):
        html = requests.get(url + key, timeout=5).text
        token = re.search(r'name="token" value="([^"]+)"', html)[1]
        given = {"token": token, "author": OWNER.id, "visibility": "", "text": "#qa-check", **fields}
        return requests.post(url + key, given, headers=headers, timeout=5, allow_redirects=False)

    return send


def test_the_form_writes_and_leads_back(sandbox, form):
    answer = form(visibility="role:Owners", text="two\r\nlines")
    comment = sandbox.jira.comments("SHOP-1")[-1]
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/browse/SHOP-1?after={comment['id']}#comment-{comment['id']}"
    assert comment["visibility"]["value"] == "Owners"
    assert '<meta http-equiv="refresh"' in requests.get(sandbox.jira_url + answer.headers["location"], timeout=5).text


def test_an_internal_note(sandbox, form):
    assert form("HELP-1", author="u-agent", visibility="internal").status_code == 303
    assert sandbox.jira.comments("HELP-1")[-1]["jsdPublic"] is False


@pytest.mark.parametrize(
    ("key", "fields"),
    [
        ("SHOP-1", {"author": "nobody"}),
        ("SHOP-1", {"author": CUSTOMER.id}),
        ("SHOP-2", {"author": DEVELOPER.id}),
        ("SHOP-1", {"author": DEVELOPER.id, "visibility": "role:Owners"}),
        ("SHOP-1", {"visibility": "group:engineering"}),
        ("SHOP-1", {"visibility": "role:Kings"}),
        ("SHOP-1", {"visibility": "internal"}),
        ("HELP-1", {"author": CUSTOMER.id, "visibility": "internal"}),
        ("SHOP-1", {"text": "  "}),
        ("SHOP-1", {"text": "x" * 32_001}),
    ],
)
def test_what_the_form_refuses(sandbox, form, key, fields):
    before = len(sandbox.jira.comments(key))
    answer = form(key, **fields)
    assert answer.status_code == 400
    assert 'class="error"' in answer.text
    assert len(sandbox.jira.comments(key)) == before


def test_a_form_from_elsewhere_is_refused(sandbox, form):
    assert form(token="wrong").status_code == 403
    assert form(headers={"Origin": "http://evil.example"}).status_code == 403
    assert form(headers={"Host": "evil.example:80"}).status_code == 421
    assert len(sandbox.jira.comments("SHOP-1")) == 3


def test_the_comments_alone_say_whether_the_bot_has_answered(sandbox):
    asked = sandbox.jira.add_comment("SHOP-1", OWNER.id, "#qa-check")
    url = f"{sandbox.jira_url}/browse/SHOP-1/comments?after={asked}"
    assert requests.get(url, timeout=5).headers["x-waiting"] == "yes"
    sandbox.jira.add_comment("SHOP-1", sandbox.accounts.bot.id, "done")
    assert requests.get(url, timeout=5).headers["x-waiting"] == "no"
    assert requests.get(sandbox.jira_url + "/browse/SHOP-1?after=²", timeout=5).status_code == 200


def test_code_has_line_anchors_and_stays_in_the_repository(sandbox, tmp_path):
    def git(*arguments):
        who = ("-c", "user.name=t", "-c", "user.email=t@t.example", "-c", "init.defaultBranch=main")
        subprocess.run(["git", "-C", str(tmp_path), *who, *arguments], check=True, capture_output=True)

    git("init")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a b.py").write_text("one\n<two>\n")
    git("add", ".")
    git("commit", "-m", "first")
    sandbox.repos["shop"] = tmp_path
    page = requests.get(sandbox.resolve("repo:shop/src/a b.py#L2"), timeout=5)
    assert '<tr id="L2"><td><a href="#L2">2</a></td><td>&lt;two&gt;</td></tr>' in page.text
    assert "/code/shop/src/a%20b.py" in requests.get(sandbox.jira_url + "/code/shop/src", timeout=5).text
    refused = [
        "/code/none",
        "/code/shop/nope",
        "/code/shop/..%2f..%2fetc/passwd",
        "/code/shop/src?at=--help",
        "/code/shop?at=x",
    ]
    assert [requests.get(sandbox.jira_url + path, timeout=5).status_code for path in refused] == [404] * 5
