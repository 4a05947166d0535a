"""What people do with the bot beside writing messages: commands, shortcuts, buttons, forms. No I/O."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from bots.errors import BadEvent
from bots.slack import markup
from bots.slack.events import Private, Quoted, Rated, Verdict
from bots.slack.payloads import (
    BLANK_IS_NONE,
    ChannelId,
    Foreign,
    JobId,
    ResponseUrl,
    TeamId,
    TriggerId,
    Ts,
    UserId,
    parsed,
)
from bots.slack.render import DOWN, UP
from bots.text import clean

LONGEST_REASON = 3_000
"""Characters of what a person says about an answer; as much as Slack's text input takes."""

_VERDICTS: Mapping[str, Verdict] = {UP: "up", DOWN: "down"}


class _Command(Foreign):
    team_id: TeamId
    channel_id: ChannelId
    user_id: UserId
    text: str = ""
    trigger_id: TriggerId
    response_url: ResponseUrl


class _User(Foreign):
    id: UserId
    team_id: Annotated[TeamId | None, BLANK_IS_NONE] = None


class _Team(Foreign):
    id: TeamId


class _Channel(Foreign):
    id: ChannelId


class _Shown(Foreign):
    ts: Ts
    thread_ts: Annotated[Ts | None, BLANK_IS_NONE] = None
    user: str | None = Field(None, max_length=50)
    bot_id: str | None = Field(None, max_length=50)


class _Shortcut(Foreign):
    team: _Team | None = None
    channel: _Channel
    user: _User
    trigger_id: TriggerId
    response_url: ResponseUrl
    message: _Shown


class _Button(Foreign):
    action_id: str
    value: JobId


class _Pressed(Foreign):
    user: _User
    trigger_id: TriggerId
    actions: tuple[_Button, ...] = Field(min_length=1, max_length=1)


class _Written(Foreign):
    value: str | None = None


class _State(Foreign):
    values: dict[str, dict[str, _Written]]


class _View(Foreign):
    private_metadata: JobId
    state: _State


class _Submitted(Foreign):
    user: _User
    view: _View


def commanded(body: Mapping[str, Any]) -> Private:
    """A slash command. Raises BadEvent."""
    command = parsed(_Command, body, "command")
    text = markup.plain(command.text[: markup.LONGEST_TEXT])
    return Private(
        command.team_id,
        command.channel_id,
        command.user_id,
        text.strip(),
        command.trigger_id,
        command.response_url,
        None,
    )


def asked_about(body: Mapping[str, Any]) -> Private:
    """The shortcut of a message. Raises BadEvent."""
    shortcut = parsed(_Shortcut, body, "shortcut")
    team = shortcut.team.id if shortcut.team else shortcut.user.team_id
    if team is None:
        raise BadEvent("The delivery's shortcut names no workspace.")
    shown = shortcut.message
    author = shown.user or shown.bot_id or ""
    text = markup.plain(markup.source(body["message"]))
    quoted = Quoted(shown.ts, shown.thread_ts or shown.ts, author, text)
    return Private(team, shortcut.channel.id, shortcut.user.id, "", shortcut.trigger_id, shortcut.response_url, quoted)


def pressed(body: Mapping[str, Any]) -> Rated:
    """A button below an answer. Raises BadEvent."""
    found = parsed(_Pressed, body, "action")
    button = found.actions[0]
    if button.action_id not in _VERDICTS:
        raise BadEvent("The delivery's action is none of ours.")
    return Rated(button.value, found.user.id, _VERDICTS[button.action_id], "", found.trigger_id)


def reasoned(body: Mapping[str, Any]) -> Rated:
    """The window that asks why an answer was wrong; it opens after a bad verdict only. Raises BadEvent."""
    found = parsed(_Submitted, body, "form")
    written = [field.value for block in found.view.state.values.values() for field in block.values() if field.value]
    reason = clean(written[0])[:LONGEST_REASON].strip() if written else ""
    return Rated(found.view.private_metadata, found.user.id, "down", reason, None)
