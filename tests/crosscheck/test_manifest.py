"""The app that the manifest makes asks for what the code uses, and sends what the code listens to."""

from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from slack_bolt import BoltRequest
from slack_sdk.web import WebClient

from bots.slack.listeners import COMMAND, SHORTCUT, make_app
from bots.slack.scopes import SCOPES

MANIFEST = Path(__file__).parents[2] / "deploy/slack/manifest.yaml"
BOT = "UBOT"
CHANNEL_KINDS = {"message.channels": "C1A", "message.groups": "C2B", "message.im": "D1A", "message.mpim": "G1A"}
HISTORY = {
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "app_mention": "app_mentions:read",
    "app_home_opened": None,
}
"""The scope without which Slack refuses a subscription (docs.slack.dev/reference/events)."""


def text(most: int, **more) -> dict:
    return {"type": "string", "minLength": 1, "maxLength": most, **more}


def table(required: str = "", **properties) -> dict:
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


def several(items: dict, most: int) -> dict:
    return {"type": "array", "items": items, "minItems": 1, "maxItems": most, "uniqueItems": True}


FLAG = {"type": "boolean"}
ADDRESS = text(3000, pattern="^https://")
RULES = table(
    "display_information features oauth_config settings",
    _metadata=table(major_version={"const": 2}, minor_version={"const": 1}),
    display_information=table(
        "name", name=text(35), description=text(140), background_color=text(7, pattern="^#[0-9a-f]{6}$")
    ),
    features=table(
        bot_user=table("display_name", display_name=text(80), always_online=FLAG),
        app_home=table(home_tab_enabled=FLAG, messages_tab_enabled=FLAG, messages_tab_read_only_enabled=FLAG),
        agent_view=table(
            agent_description=text(300),
            suggested_prompts=several(table("title message", title=text(75), message=text(2000)), 4),
        ),
        slash_commands=several(
            table(
                "command description",
                command=text(32, pattern="^/"),
                url=ADDRESS,
                description=text(2000),
                usage_hint=text(1000),
                should_escape=FLAG,
            ),
            50,
        ),
        shortcuts=several(
            table(
                "name type callback_id description",
                name=text(24),
                type={"enum": ["message", "global"]},
                callback_id=text(255),
                description=text(150),
            ),
            10,
        ),
    ),
    oauth_config=table("scopes", scopes=table("bot", bot=several(text(50), 255))),
    settings=table(
        socket_mode_enabled=FLAG,
        event_subscriptions=table("bot_events", request_url=ADDRESS, bot_events=several(text(50), 100)),
        interactivity=table("is_enabled", is_enabled=FLAG, request_url=ADDRESS),
        org_deploy_enabled=FLAG,
        token_rotation_enabled=FLAG,
    ),
)
"""What Slack publishes for the parts that are used: github.com/slackapi/manifest-schema, schemas/manifest.schema.2.0.0
(Slack's own limit of a prompt's length is not published; ours is that of a button)."""


@pytest.fixture(scope="module")
def manifest() -> dict:
    return yaml.safe_load(MANIFEST.read_text("utf-8"))


def test_it_keeps_slacks_rules(manifest):
    assert list(Draft202012Validator(RULES).iter_errors(manifest)) == []


def test_it_asks_for_the_scopes_that_doctor_checks_and_for_nothing_on_behalf_of_people(manifest):
    asked = manifest["oauth_config"]["scopes"]
    assert asked.keys() == {"bot"}
    assert sorted(asked["bot"]) == sorted(SCOPES)


def test_each_scope_is_explained_by_the_line_above_it():
    lines = [line.strip() for line in MANIFEST.read_text("utf-8").splitlines()]
    for scope in SCOPES:
        assert lines[lines.index(f"- {scope}") - 1].startswith("# ")


def test_every_event_has_its_scope(manifest):
    events = manifest["settings"]["event_subscriptions"]["bot_events"]
    assert set(events) == HISTORY.keys()
    assert {HISTORY[event] for event in events} - {None} <= SCOPES.keys()


def test_socket_mode_and_interactivity_are_on_and_people_can_write_to_it(manifest):
    settings, home = manifest["settings"], manifest["features"]["app_home"]
    assert settings["socket_mode_enabled"]
    assert settings["interactivity"] == {"is_enabled": True}
    assert (home["home_tab_enabled"], home["messages_tab_enabled"]) == (True, True)
    assert not home["messages_tab_read_only_enabled"]


def test_the_command_and_the_shortcut_are_those_that_are_listened_to(manifest):
    features = manifest["features"]
    assert [one["command"] for one in features["slash_commands"]] == [COMMAND]
    assert [(one["type"], one["callback_id"]) for one in features["shortcuts"]] == [("message", SHORTCUT)]


class Heard:
    def __init__(self):
        self.calls = []

    def message(self, heard):
        self.calls.append("message")

    def home(self, user):
        self.calls.append("home")


def event(name: str) -> dict:
    if name == "app_home_opened":
        return {"type": name, "user": "U1A", "channel": "D1A", "tab": "home"}
    channel = CHANNEL_KINDS.get(name, "C1A")
    said = {"channel": channel, "user": "U1A", "ts": "1.000100", "text": f"<@{BOT}> who?"}
    return {"type": name.partition(".")[0], **said}


def test_every_event_that_it_subscribes_to_is_listened_to(manifest):
    for name in manifest["settings"]["event_subscriptions"]["bot_events"]:
        handlers = Heard()
        app = make_app(WebClient(token="xoxb-1"), handlers, None, BOT)
        body = {"type": "event_callback", "team_id": "T1A", "event_id": "Ev1", "api_app_id": "A1", "event": event(name)}
        answer = app.dispatch(BoltRequest(body=body, mode="socket_mode"))
        app.listener_runner.lazy_listener_runner.executor.shutdown()
        assert answer.status == 200, name
        assert handlers.calls == ["home" if name == "app_home_opened" else "message"], name
