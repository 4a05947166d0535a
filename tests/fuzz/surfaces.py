"""What people and platforms send: webhooks, commands, Slack's deliveries, arguments of tools, tokens."""

import hashlib
import hmac
import json
import time
from datetime import UTC, datetime
from functools import cache
from typing import Any
from urllib.parse import quote_plus

from slack_sdk import WebClient
from starlette.requests import Request

from bots import wishes
from bots.command import find_command, has_trigger_word
from bots.confluence import events as confluence_events
from bots.confluence import marker
from bots.confluence import said as confluence_said
from bots.confluence.render import render as confluence_render
from bots.errors import BadEvent, BotError
from bots.jira import events as jira_events
from bots.jira import said as jira_said
from bots.jira.adf import render as adf_render
from bots.jira.wiki import render as wiki_render
from bots.outline import Code, Heading, Outline, Paragraph, words
from bots.plain import plain
from bots.slack import answers as slack_answers
from bots.slack import markup
from bots.slack.limits import check as slack_check
from bots.slack.listeners import http_request, make_app
from bots.slack.render import render as slack_render
from crosscheck.callers import Callers
from crosscheck.console.login import Login, same_site
from crosscheck.mcp import arguments
from crosscheck.mcp.caller import Caller
from crosscheck.mcp.cursors import Cursors
from crosscheck.mcp.errors import ToolFailed
from crosscheck.mcp.quoting import address, inline, quoted
from crosscheck.settings_running import Console
from review.dismissal import parse_dismissal
from tests.fuzz.target import Target, text_of

NOW = datetime(2026, 3, 3, tzinfo=UTC)
SECRET = "a-webhook-secret"
MILLISECONDS = int(NOW.timestamp() * 1000)


def _json(*values: Any) -> list[bytes]:
    return [json.dumps(value).encode() for value in values]


JIRA = _json(
    {
        "timestamp": MILLISECONDS,
        "webhookEvent": "comment_created",
        "comment": {"self": "https://x/rest/api/2/issue/10012/comment/7", "id": "7", "body": "/crosscheck"},
        "issue": {"id": "10012", "key": "PAY-12", "fields": {"summary": "Lock"}},
    },
    {
        "timestamp": MILLISECONDS,
        "webhookEvent": "jira:issue_updated",
        "issue_event_type_name": "issue_commented",
        "comment": {"id": "7", "body": {"type": "doc", "content": []}},
        "issue": {"id": "10012", "key": "PAY-12"},
    },
)
CONFLUENCE = _json(
    {
        "timestamp": MILLISECONDS,
        "event": "comment_created",
        "comment": {"id": 71, "body": "<p>/crosscheck why</p>", "parent": {"id": 9, "title": "Refunds"}},
        "page": {"id": "9", "title": "Refunds"},
    },
)
SLACK_EVENT = {
    "type": "event_callback",
    "team_id": "T1ACME",
    "event_id": "Ev1",
    "authorizations": [{"team_id": "T1ACME", "user_id": "UBOT", "is_bot": True}],
    "event": {
        "type": "message",
        "channel": "C1PAY",
        "channel_type": "channel",
        "user": "U1ANNA",
        "ts": "1700000000.000100",
        "thread_ts": "1700000000.000100",
        "text": "<@UBOT> what is PAY-12? <https://x.example/browse/PAY-12|this> &amp; *that*",
        "blocks": [
            {
                "type": "rich_text",
                "elements": [
                    {
                        "type": "rich_text_section",
                        "elements": [
                            {"type": "user", "user_id": "UBOT"},
                            {"type": "text", "text": " what is", "style": {"bold": True}},
                            {"type": "link", "url": "https://x.example", "text": "this"},
                        ],
                    },
                    {"type": "rich_text_list", "style": "bullet", "elements": []},
                ],
            }
        ],
    },
}
SLACK_EDIT = {
    **SLACK_EVENT,
    "event": {
        "type": "message",
        "subtype": "message_changed",
        "channel": "C1PAY",
        "message": {"user": "U1ANNA", "ts": "1700000000.000100", "text": "<@UBOT> and now?"},
        "previous_message": {"user": "U1ANNA", "ts": "1700000000.000100", "text": "and now?"},
    },
}
SLACK_HOME = {**SLACK_EVENT, "event": {"type": "app_home_opened", "user": "U1ANNA", "tab": "home", "channel": "D1"}}
SLACK_PANEL = {
    **SLACK_EVENT,
    "event": {
        "type": "assistant_thread_started",
        "assistant_thread": {"channel_id": "D1", "thread_ts": "1700000000.1"},
    },
}
SLACK_BUTTON = {
    "type": "block_actions",
    "user": {"id": "U1ANNA"},
    "team": {"id": "T1ACME"},
    "trigger_id": "1.2.a",
    "actions": [{"type": "button", "action_id": "crosscheck_up", "block_id": "b", "value": "3"}],
}
SLACK_SHORTCUT = {
    "type": "message_action",
    "callback_id": "crosscheck_ask",
    "user": {"id": "U1ANNA"},
    "team": {"id": "T1ACME"},
    "channel": {"id": "C1PAY"},
    "trigger_id": "1.2.a",
    "response_url": "https://hooks.slack.com/x",
    "message": {"type": "message", "user": "U2", "ts": "1700000000.000200", "text": "say *this*"},
}
SLACK_VIEW = {
    "type": "view_submission",
    "user": {"id": "U1ANNA"},
    "team": {"id": "T1ACME"},
    "view": {
        "type": "modal",
        "callback_id": "crosscheck_reason",
        "private_metadata": "3",
        "state": {"values": {"reason": {"reason": {"type": "plain_text_input", "value": "wrong"}}}},
    },
}
SLACK_COMMAND = b"command=%2Fcrosscheck&text=check+PAY-12&team_id=T1ACME&channel_id=C1PAY&user_id=U1ANNA&trigger_id=1.2.a&response_url=https%3A%2F%2Fhooks.slack.com%2Fx"  # noqa: E501
TALK = [
    b"/crosscheck check PAY-12",
    b"hey /crosscheck, please add a case: \xe2\x80\x9cno refund after 30 days\xe2\x80\x9d and drop 2, 4-6",
    b"/crosscheck dismiss 1, 3 - 5: we agreed on that in PAY-9",
    b"write test cases for https://acme.example/browse/PAY-12 as gherkin",
    b"help",
    b"```\ncode\n```\n> quoted /crosscheck\n{code}x{code} [a|http://x.example] h1. *bold* ||a||b||\n|1|2|",
]


HEADERS = (
    b"authorization: Bearer x\ncookie: crosscheck_console=abc; b=c\nhost: localhost:80\nx-forwarded-user: anna"
    b"\nx-forwarded-for: 1.2.3.4, 5.6.7.8\norigin: http://localhost"
)


def _signed(data: bytes) -> str:
    return "sha256=" + hmac.new(SECRET.encode(), data, hashlib.sha256).hexdigest()


def _jira(data: bytes) -> None:
    jira_events.parse_webhook({"X-Hub-Signature": _signed(data)}, data, SECRET, NOW)


def _confluence(data: bytes) -> None:
    confluence_events.parse_webhook({"X-Hub-Signature": _signed(data)}, data, SECRET, NOW)


def _headers(data: bytes) -> None:
    """Headers come as Latin-1."""
    name, _, value = data.decode("latin-1").partition(":")
    for parse in (jira_events.parse_webhook, confluence_events.parse_webhook):
        parse({name: value, "X-Hub-Signature": value, "X-Automation-Webhook-Token": value}, b"{}", SECRET, NOW)


class _Deaf:
    """Takes what it is told and does nothing."""

    def __getattr__(self, _name: str) -> Any:
        return lambda *_arguments: "Heard."


@cache
def _app() -> Any:
    return make_app(WebClient("xoxb-none", base_url="http://127.0.0.1:9/"), _Deaf(), SECRET, "UBOT")


def _slack(data: bytes) -> None:
    """Signed as Slack signs (https://docs.slack.dev/authentication/verifying-requests-from-slack). What a listener
    raises bolt answers by itself.
    """
    at = str(int(time.time()))
    signature = "v0=" + hmac.new(SECRET.encode(), b"v0:" + at.encode() + b":" + data, hashlib.sha256).hexdigest()
    kind = "application/json" if data[:1] in {b"{", b"["} else "application/x-www-form-urlencoded"
    headers = {"content-type": kind, "x-slack-request-timestamp": at, "x-slack-signature": signature}
    assert _app().dispatch(http_request(headers, data)).status in {200, 400, 401, 404, 500}


def _interaction(data: bytes) -> None:
    """A form whose payload is the JSON."""
    _slack(b"payload=" + quote_plus(data).encode())


def _slack_answer(data: bytes) -> None:
    tree = json.loads(data)
    for model in (slack_answers.Spoken, slack_answers.ChannelAnswer, slack_answers.UserAnswer, slack_answers.Members):
        try:
            found = slack_answers.read(model, tree, "answer")
        except BotError:
            continue
        if isinstance(found, slack_answers.Spoken):
            assert found.root
            found.created, found.delivery, found.source, found.is_working  # noqa: B018  each reads


def _command(data: bytes) -> None:
    text = text_of(data)
    has_trigger_word(text)
    found = find_command(text)
    if found:
        parse_dismissal(found.argument)
    wishes.parse(text, "https://acme.example")
    parse_dismissal(text)


def _markup(data: bytes) -> None:
    text = text_of(data)
    markup.plain(text)
    markup.said(text)
    markup.without(text, "UBOT")
    markup.mentioned(text)


def _outline(data: bytes) -> Outline:
    text = text_of(data)
    return (Heading(text[:200]), words(text), Code(text), Paragraph(words(text).spans))


def _rendered(data: bytes) -> None:
    outline = _outline(data)
    for part in confluence_render(outline) + wiki_render(outline):
        part.encode()
    json.dumps(adf_render(outline), ensure_ascii=False).encode()
    plain(outline).encode()


def _rendered_slack(data: bytes) -> None:
    for body in slack_render(_outline(data)):
        json.dumps(body, ensure_ascii=False).encode()
        assert not slack_check("chat.postMessage", {"channel": "C1", **body})


KINDS = (arguments.Search, arguments.Lookup, arguments.OpenSource, arguments.CheckPlan, arguments.Consumers,
         arguments.DeployedState, arguments.SchemaHistory, arguments.Freshness)  # fmt: skip


def _arguments(data: bytes) -> None:
    tree = json.loads(data)
    given = tree if isinstance(tree, dict) else {"text": tree}
    for kind in KINDS:
        try:
            arguments.read(kind, given).call()
        except ToolFailed as error:
            str(error).encode()


def _cursor(data: bytes) -> None:
    cursors = Cursors(b"0123456789abcdef", lambda: NOW)
    cursors.read(text_of(data), Caller("anna", frozenset()), "search", {"text": text_of(data)})


def _quoting(data: bytes) -> None:
    text = text_of(data)
    for said in (quoted(text, 5_000), inline(text), address(text)):
        said.encode()


def _login(data: bytes) -> None:
    lines = [line.split(b":", 1) for line in data.split(b"\n") if b":" in line]
    scope = {
        "type": "http",
        "method": "GET",
        "scheme": "http",
        "path": "/console",
        "query_string": data,
        "server": ("127.0.0.1", 80),
        "client": ("10.0.0.9", 1),
        "headers": [(name.strip().lower(), value.strip()) for name, value in lines],
    }
    request = Request(scope)
    settings = Console(enabled=True, header="X-Forwarded-User", proxies=("10.0.0.0/8",), labels=("org",))
    login = Login(settings, Callers([]))
    login.viewer(request)
    login.address(request)
    same_site(request.headers, request.headers.get("host", ""))
    dict(request.query_params)


def _talk() -> list[bytes]:
    return TALK


TARGETS = (
    Target("bots.jira webhook", _jira, lambda: JIRA, (BotError,), real="jira/**/*.json"),
    Target("bots.confluence webhook", _confluence, lambda: CONFLUENCE, (BotError,)),
    Target("webhook headers", _headers, lambda: [b"X-Hub-Signature: sha256=00", b"X-Request-Id: 1"], (BotError,)),
    Target(
        "bots.slack event",
        _slack,
        lambda: _json(SLACK_EVENT, SLACK_EDIT, SLACK_HOME, SLACK_PANEL, {"type": "url_verification", "challenge": "x"}),
        (BadEvent,),
        grows=False,
    ),
    Target(
        "bots.slack interaction",
        _interaction,
        lambda: _json(SLACK_BUTTON, SLACK_SHORTCUT, SLACK_VIEW),
        (BadEvent,),
        grows=False,
    ),
    Target("bots.slack command", _slack, lambda: [SLACK_COMMAND], (BadEvent,), grows=False),
    Target(
        "bots.slack answers",
        _slack_answer,
        lambda: _json(SLACK_EVENT["event"], {"ok": True, "channel": {"id": "C1", "is_private": True}}),
        (ValueError, RecursionError),
        grows=False,
    ),
    Target("bots.slack mrkdwn", _markup, _talk),
    Target("bots command", _command, _talk),
    Target("bots.jira said", lambda data: jira_said.said(text_of(data)), _talk),
    Target(
        "bots.jira said in ADF",
        lambda data: jira_said.said(json.loads(data)),
        lambda: ADF,
        (ValueError, RecursionError),
        real="adf/**/*.json",
    ),
    Target(
        "bots.confluence said",
        lambda data: (confluence_said.said(text_of(data)), marker.found_in(text_of(data))),
        lambda: [b"<p>/crosscheck <ac:link><ri:user ri:account-id='1'/></ac:link> why &amp; how</p><pre>x</pre>"],
    ),
    Target("replies rendered", _rendered, _talk),
    Target("replies rendered for Slack", _rendered_slack, _talk),
    Target(
        "crosscheck.mcp arguments",
        _arguments,
        lambda: _json({"text": "refund", "kinds": ["page"], "limit": 5}, {"plan": "x", "cursor": "a"}, {"name": "n"}),
        (ValueError, RecursionError),
        grows=False,
    ),
    Target("crosscheck.mcp cursor", _cursor, lambda: [b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"], (ToolFailed,)),
    Target("crosscheck.mcp quoting", _quoting, _talk),
    Target(
        "crosscheck.console login",
        _login,
        lambda: [HEADERS],
    ),
)

ADF = _json(
    {
        "type": "doc",
        "version": 1,
        "content": [
            {"type": "heading", "attrs": {"level": 2}, "content": [{"type": "text", "text": "Refunds"}]},
            {
                "type": "paragraph",
                "content": [
                    {"type": "text", "text": "a", "marks": [{"type": "link", "attrs": {"href": "https://x"}}]},
                    {"type": "mention", "attrs": {"id": "1", "text": "@anna"}},
                    {"type": "date", "attrs": {"timestamp": "1700000000000"}},
                    {"type": "status", "attrs": {"text": "done"}},
                    {"type": "inlineCard", "attrs": {"url": "https://x/browse/A-1"}},
                    {"type": "hardBreak"},
                ],
            },
            {
                "type": "table",
                "content": [
                    {
                        "type": "tableRow",
                        "content": [
                            {"type": "tableHeader", "attrs": {"colspan": 2}, "content": [{"type": "paragraph"}]},
                            {"type": "tableCell", "content": [{"type": "paragraph", "content": []}]},
                        ],
                    }
                ],
            },
            {
                "type": "orderedList",
                "attrs": {"order": 3},
                "content": [{"type": "listItem", "content": [{"type": "paragraph", "content": []}]}],
            },
            {"type": "codeBlock", "attrs": {"language": "py"}, "content": [{"type": "text", "text": "x = 1"}]},
            {"type": "mediaSingle", "content": [{"type": "media", "attrs": {"id": "1", "alt": "a.png"}}]},
            {"type": "taskList", "content": [{"type": "taskItem", "attrs": {"state": "DONE"}, "content": []}]},
            {"type": "expand", "attrs": {"title": "more"}, "content": []},
        ],
    }
)
