"""Slack's pages without a browser: what they show, what their forms do and refuse, and that texts stay texts."""

import re
from html import escape
from html.parser import HTMLParser

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from sandbox.records import Channel
from sandbox.slack_html import Blocks, links
from tests.crosscheck.live import until
from tests.sandbox.slack_fixtures import Listener, web
from tests.sandbox_fixtures import CUSTOMER, DEVELOPER, OWNER

BUTTONS = {
    "type": "actions",
    "elements": [{"type": "button", "action_id": "up", "value": "1", "text": {"type": "plain_text", "text": "Yes"}}],
}
WINDOW = {
    "type": "modal",
    "title": {"type": "plain_text", "text": "What was wrong?"},
    "submit": {"type": "plain_text", "text": "Send"},
    "close": {"type": "plain_text", "text": "Skip"},
    "blocks": [
        {
            "type": "input",
            "optional": True,
            "label": {"type": "plain_text", "text": "Why?"},
            "element": {"type": "plain_text_input", "action_id": "why"},
        }
    ],
}


class Page:
    """The pages of one workspace, over HTTP."""

    def __init__(self, box):
        self.box = box
        self.slack = box.slack
        self.url = f"{box.slack_url}/archives/{box.slack.channel('general').id}"

    def html(self, path="", url=None):
        answer = requests.get((url or self.url) + path, timeout=5)
        assert answer.status_code == 200
        return answer.text

    def send(self, path="", *, by=OWNER, headers=None, url=None, **fields):
        token = re.search(r'name="token" value="([^"]+)"', self.html(url=url))[1]
        author = self.slack.user(by.id).id
        form = {"token": token, "author": author, "text": "", **fields}
        to = (url or self.url) + path
        return requests.post(to, form, headers=headers, timeout=10, allow_redirects=False)

    def mark(self, ts):
        return "p" + ts.replace(".", "")


@pytest.fixture
def page(sandbox):
    return Page(sandbox)


@pytest.fixture
def app(sandbox):
    listener = Listener(sandbox)
    yield listener
    listener.close()


def test_the_index_says_what_each_channel_is(sandbox):
    sandbox.slack.create(Channel("hidden", (OWNER.id,), private=True))
    sandbox.slack.create(Channel("both", (OWNER.id,), shared_with="Quayline", strangers=("Odile Marchand",)))
    sandbox.slack.create(Channel("pilot", (OWNER.id, CUSTOMER.id), purpose="<try>"))
    sandbox.slack.create(Channel("crew", (OWNER.id,), bot=False))
    html = requests.get(sandbox.slack_url, timeout=5).text
    said = dict(re.findall(r'">(#[a-z]+)</a>(.*?)</span>', html))
    assert "public, " in said["#general"]
    assert "private, 2 members" in said["#hidden"]
    assert "public, shared with Quayline, 3 members" in said["#both"]
    assert "&lt;try&gt;" in said["#pilot"]
    assert "public, with guests, 3 members" in said["#pilot"]
    assert f"without {sandbox.slack.bot.real_name}" in said["#crew"]
    direct = re.search(rf'href="(/direct/[A-Z0-9]+)">{OWNER.name}<', html)[1]
    assert f"{OWNER.name} and " in requests.get(sandbox.slack_url + direct, timeout=5).text


def test_a_message_goes_out_as_a_client_writes_it(page, app):
    answer = page.send(text="Is a < b & c? https://x.example/a?b=1&c=2", mention="on")
    (message,) = page.slack.messages("general")
    assert message.text == f"{page.slack.mention} Is a &lt; b &amp; c? <https://x.example/a?b=1&amp;c=2>"
    assert message.user == page.slack.user(OWNER.id).id
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/archives/{page.slack.channel('general').id}?as={message.user}#end"
    assert app.wait(2)
    assert sorted(app.kinds) == ["app_mention", "message"]
    page.send(text="and @crosscheck too", mention="on")
    assert page.slack.messages("general")[-1].text == f"and {page.slack.mention} too"
    page.send(text="nobody is meant")
    assert page.slack.messages("general")[-1].text == "nobody is meant"


def test_a_thread_has_a_page_that_its_replies_lead_to(page):
    root = page.slack.say(OWNER.id, "general", "root")
    page.slack.say(OWNER.id, "general", "another")
    sent = page.send(text="reply", thread=page.mark(root)[1:])
    assert f"/{page.mark(root)}?" in sent.headers["location"]
    reply = page.slack.messages("general", root)[-1]
    assert (reply.text, reply.thread) == ("reply", root)
    for ts in (root, reply.ts):
        html = page.html(f"/{page.mark(ts)}")
        assert "root" in html
        assert "reply" in html
        assert "another" not in html


def test_a_slash_command_is_answered_to_one_person(page, app):
    page.slack.patience = 30.0  # whatever else runs on this machine
    app.answers["slash_commands"] = {"text": "Looking <into> it."}
    page.send(text="/crosscheck what?")
    page.send(text="and this?", private="on")

    def heard():
        return [request.payload for request in app.heard if request.type == "slash_commands"]

    commands = until(lambda: len(heard()) == 2 and heard(), "both commands")
    assert [command["text"] for command in commands] == ["what?", "and this?"]
    requests.post(commands[1]["response_url"], json={"text": "The answer."}, timeout=5)
    assert [m.text for m in page.slack.ephemeral("general", OWNER.id)] == [*["Looking <into> it."] * 2, "The answer."]
    html = page.html()
    assert html.count(f"Only visible to {OWNER.name}") == 3
    assert "The answer." in html
    assert page.slack.messages("general") == []


def test_buttons_and_the_shortcut_are_pressed_by_who_is_chosen(page, app):
    client, channel = web(page.box), page.slack.channel("general").id
    ts = client.chat_postMessage(channel=channel, text="x", blocks=[BUTTONS])["ts"]
    assert page.send(f"/{page.mark(ts)}/press", by=DEVELOPER, action="up").status_code == 303
    assert page.send(f"/{page.mark(ts)}/ask", by=OWNER).status_code == 303
    click, shortcut = (request.payload for request in app.heard if request.type == "interactive")
    assert (click["type"], click["actions"][0]["action_id"]) == ("block_actions", "up")
    assert click["user"]["id"] == page.slack.user(DEVELOPER.id).id
    assert (shortcut["type"], shortcut["message_ts"]) == ("message_action", ts)
    assert f"{DEVELOPER.name}: Yes" in page.html()
    private = client.chat_postEphemeral(channel=channel, user=page.slack.user(OWNER.id).id, text="x", blocks=[BUTTONS])[
        "message_ts"
    ]
    assert page.send(f"/{page.mark(private)}/press", by=DEVELOPER, action="up").status_code == 303
    assert app.heard[-1].payload["user"]["id"] == page.slack.user(OWNER.id).id


@pytest.mark.parametrize(
    ("fields", "value"), [({"field:why": "a\r\nb"}, "a\nb"), ({"field:why": "a", "skip": "on"}, None)]
)
def test_a_window_is_filled_in_and_closed(page, app, fields, value):
    trigger = page.slack.triggers.give(page.slack.user(OWNER.id).id)
    opened = web(page.box).views_open(trigger_id=trigger, view=WINDOW)["view"]["id"]
    assert f"Only {OWNER.name} sees this window" in page.html()
    assert page.send(f"/views/{opened}", **fields).status_code == 303
    (held,) = app.heard[-1].payload["view"]["state"]["values"].values()
    assert held["why"]["value"] == value
    assert "sees this window" not in page.html()
    assert page.send(f"/views/{opened}", **fields).status_code == 400


def test_files_are_downloaded_and_never_shown(page):
    page.slack.say(OWNER.id, "general", "look", files={'a "b"<c>.html': b"<script>alert(1)</script>"})
    link = re.search(r'<a href="(/files/[^"]+)" download>a &#34;b&#34;&lt;c&gt;.html</a>', page.html())[1]
    got = requests.get(page.box.slack_url + link, timeout=5)
    assert got.content == b"<script>alert(1)</script>"
    assert got.headers["content-type"] == "application/octet-stream"
    assert got.headers["content-disposition"] == "attachment; filename*=UTF-8''a%20%22b%22%3Cc%3E.html"
    page.slack.workspace.remove_file(page.slack.workspace.files[link.split("/")[3]])
    assert requests.get(page.box.slack_url + link, timeout=5).status_code == 404


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("", {"author": "nobody", "text": "x"}),
        ("", {"by": CUSTOMER, "text": "x"}),
        ("", {"text": "  "}),
        ("", {"text": "x" * 40_001}),
        ("/p1000000/press", {"action": "up"}),
        ("/p1000000/ask", {}),
        ("/views/V0", {}),
    ],
)
def test_what_the_forms_refuse(page, path, fields):
    answer = page.send(path, **fields)
    assert answer.status_code == 400
    assert 'class="error"' in answer.text
    assert page.slack.messages("general") == []


def test_a_command_that_nobody_takes_and_one_in_a_thread(page):
    page.slack.patience = 0.05
    page.send(text="/crosscheck what?")
    assert "operation_timeout" in page.html()
    root = page.slack.say(OWNER.id, "general", "root")
    refused = page.send(text="/crosscheck what?", thread=page.mark(root)[1:])
    assert (refused.status_code, "no slash commands in threads" in refused.text) == (400, True)
    assert "/crosscheck what?" in refused.text
    ts = web(page.box).chat_postMessage(channel=page.slack.channel("general").id, text="x", blocks=[BUTTONS])["ts"]
    assert page.send(f"/{page.mark(ts)}/press", action="up").status_code == 400


def test_a_form_from_elsewhere_is_refused_and_what_is_not_there_is_not_found(page):
    assert page.send(text="x", token="wrong").status_code == 403
    assert page.send(text="x", headers={"Origin": "http://evil.example"}).status_code == 403
    assert page.send(text="x", headers={"Host": "evil.example:80"}).status_code == 421
    assert page.send(text="x", thread="12").status_code == 404
    assert page.slack.messages("general") == []
    paths = [
        "/archives/C0",
        "/archives/C0/p1",
        "/direct/U0",
        f"/direct/{page.slack.bot.id}",
        "/files/U0/F0/x",
        "/archives",
    ]
    found = [requests.get(page.box.slack_url + path, timeout=5).status_code for path in paths]
    assert found == [404] * len(paths)


HOSTILE = "<img src=x onerror=alert(1)>\"'&"
ELEMENTS = [
    {"type": "text", "text": HOSTILE, "style": {"bold": True, "code": True, HOSTILE: True}},
    {"type": "link", "url": f"https://x.example/{HOSTILE}", "text": HOSTILE},
    {"type": "link", "url": "javascript:alert(1)"},
    {"type": "user", "user_id": HOSTILE},
    {"type": "broadcast", "range": HOSTILE},
    {"type": "emoji", "name": HOSTILE},
    {"type": "date", "fallback": HOSTILE},
    {"type": HOSTILE, "text": HOSTILE},
]
MARKED, PLAIN = {"type": "mrkdwn", "text": HOSTILE}, {"type": "plain_text", "text": HOSTILE}
BUTTON = {"type": "button", "action_id": HOSTILE, "accessibility_label": HOSTILE, "text": PLAIN}
SECTION = {"type": "rich_text_section", "elements": ELEMENTS}
BLOCKS = [
    {
        "type": "rich_text",
        "elements": [
            SECTION,
            {"type": "rich_text_list", "style": "ordered", "offset": 3, "indent": 99, "elements": [SECTION]},
            {"type": "rich_text_list", "style": HOSTILE, "offset": HOSTILE, "indent": HOSTILE, "elements": [SECTION]},
            {"type": "rich_text_preformatted", "elements": ELEMENTS},
            {"type": "rich_text_quote", "elements": ELEMENTS},
        ],
    },
    {"type": "header", "text": PLAIN},
    {"type": "section", "text": MARKED, "fields": [PLAIN, MARKED], "accessory": BUTTON},
    {"type": "context", "elements": [PLAIN, {"type": "image", "alt_text": HOSTILE, "image_url": HOSTILE}]},
    {
        "type": "actions",
        "elements": [BUTTON, {**BUTTON, "url": "javascript:alert(1)"}, {**BUTTON, "url": "http://x.example"}],
    },
    {"type": "table", "rows": [[{"type": "raw_text", "text": HOSTILE}, {"type": "rich_text", "elements": [SECTION]}]]},
    {"type": "divider"},
    {"type": "markdown", "text": HOSTILE},
    {"type": HOSTILE},
]
TAGS = re.compile("p|h3|[uo]l|li|[bis]|code|pre|blockquote|table|tr|td|div|span|hr|a|br|button")
ATTRIBUTES = re.compile("href|rel|class|style|start|form|formnovalidate|formaction|name|value|title")


class Tags(HTMLParser):
    """What is not of our own making."""

    def __init__(self, html):
        super().__init__()
        self.strange = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.strange += [] if TAGS.fullmatch(tag) else [tag]
        self.strange += [name for name, _ in attrs if not ATTRIBUTES.fullmatch(name)]
        self.strange += [value for name, value in attrs if name == "href" and not value.startswith(("http:", "https:"))]

    def handle_data(self, data):
        self.text += data


def shown(blocks):
    return Tags(Blocks(lambda one: one, f"/press/{HOSTILE}").html(blocks))


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block["type"][:12])
def test_what_stands_in_a_block_is_text(block):
    assert shown([block]).strange == []
    if block["type"] != "divider":
        assert "onerror" in shown([block]).text


@given(st.text(), st.sampled_from(["text", "link", "user", "channel", "emoji", "date", "broadcast"]))
def test_any_text_stays_text(text, kind):
    names = ("text", "url", "user_id", "channel_id", "name", "fallback", "range")
    section = {"type": "rich_text_section", "elements": [{"type": kind, **dict.fromkeys(names, text)}]}
    assert shown([{"type": "rich_text", "elements": [section]}]).strange == []
    assert Tags(Blocks(lambda one: one, "/press").text_html(text)).strange == []


def test_text_as_slack_keeps_it_and_links_in_order():
    blocks = Blocks({"U1": "Ann", "C1": "dev"}.get, "/press")
    kept = "<@U1> in <#C1>: a &lt; b, <https://x.example/?a&amp;b|here>\n<!here>"
    assert Tags(blocks.text_html(kept)).text == "@Ann in #dev: a < b, here@here"
    assert f'href="{escape("https://x.example/?a&b")}"' in blocks.text_html(kept)
    assert list(links(BLOCKS[:1]))[:2] == [f"https://x.example/{HOSTILE}", "javascript:alert(1)"]
