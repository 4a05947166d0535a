"""What Slack answers, as far as the bot reads it. No I/O."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from bots.answers import as_described
from bots.errors import BotError, Unavailable
from bots.slack import markup

A = TypeVar("A", bound="Answer")

DELIVERY = "crosscheck_delivery"
"""The type of the metadata that carries a delivery key."""
WORKING = "working"
"""Stands there in place of a body's digest while the answer is being made."""
SLACKBOT = "USLACKBOT"
"""Slack itself, in every workspace."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SPEECH = frozenset({"", "bot_message", "file_share", "me_message", "thread_broadcast"})

Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
"""Slack leaves some fields out, and sends null in others."""
Flag = Annotated[bool, BeforeValidator(lambda value: False if value is None else value)]
Ts = Annotated[str, Field(pattern=r"^[0-9]{1,11}\.[0-9]{6}$")]


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True)


class Bot(Answer):
    """Who the token is."""

    user_id: str = Field(min_length=1)
    user: Text = ""
    """Its name."""
    bot_id: Text = ""
    team_id: str = Field(min_length=1)
    team: Text = ""
    url: Text = ""
    """The workspace's address, with a slash at its end."""


class Channel(Answer):
    """A conversation: a channel of any kind, or a direct message."""

    id: str = Field(min_length=1)
    name: Text = ""
    user: Text = ""
    """The other person of a direct message."""
    is_im: Flag = False
    is_mpim: Flag = False
    is_private: Flag = True
    is_archived: Flag = False
    is_member: bool | None = None
    is_ext_shared: Flag = False
    is_pending_ext_shared: Flag = False
    pending_connected_team_ids: tuple[str, ...] | None = None

    @property
    def closed(self) -> bool:
        return self.is_private or self.is_im or self.is_mpim

    @property
    def shared(self) -> bool:
        """With another company, or soon."""
        return self.is_ext_shared or self.is_pending_ext_shared or bool(self.pending_connected_team_ids)

    @property
    def with_bot(self) -> bool:
        return self.is_im or self.is_member is not False


class ChannelAnswer(Answer):
    channel: Channel


class Profile(Answer):
    display_name: Text = ""
    real_name: Text = ""


class Enterprise(Answer):
    teams: tuple[str, ...] = ()


class User(Answer):
    id: str = Field(min_length=1)
    team_id: Text = ""
    name: Text = ""
    real_name: Text = ""
    deleted: Flag = False
    is_bot: Flag = False
    is_restricted: Flag = False
    is_ultra_restricted: Flag = False
    is_stranger: Flag = False
    profile: Profile = Profile()
    enterprise_user: Enterprise = Enterprise()

    @property
    def full_name(self) -> str:
        """Or what there is of it; the display name may be anything."""
        return self.profile.real_name or self.real_name or self.profile.display_name or self.name

    def outside(self, team: str) -> bool:
        """Whether somebody who can read along is not of this workspace, or only its guest. Apps and those who were
        deactivated do not count.
        """
        if self.deleted or self.is_bot:
            return False
        guest = self.is_restricted or self.is_ultra_restricted or self.is_stranger
        return guest or (self.team_id != team and team not in self.enterprise_user.teams)


class UserAnswer(Answer):
    user: User


class Users(Answer):
    members: tuple[User, ...]


class Members(Answer):
    members: tuple[str, ...]


class Channels(Answer):
    channels: tuple[Channel, ...]


class SharedFile(Answer):
    id: Text = ""
    title: Text = ""
    size: int | None = None
    mode: Text = ""

    @property
    def there(self) -> bool:
        return bool(self.id) and self.mode != "tombstone"


class Spoken(Answer):
    """A message of a channel or a thread."""

    ts: Ts
    thread_ts: Text = ""
    user: Text = ""
    bot_id: Text = ""
    username: Text = ""
    subtype: Text = ""
    text: Text = ""
    blocks: Any = None
    files: tuple[SharedFile, ...] | None = None
    metadata: dict[str, Any] | None = None

    @property
    def root(self) -> str:
        """The ts of the message that begins its thread, itself when nobody has replied yet."""
        return self.thread_ts or self.ts

    @property
    def is_speech(self) -> bool:
        """Not the trace of a deleted message, nor Slack's own note that somebody joined or renamed something."""
        return self.subtype in _SPEECH

    @property
    def created(self) -> datetime:
        return moment(self.ts)

    @property
    def delivery(self) -> Mapping[str, Any]:
        """`key` and `text` as the bot wrote them; empty when there is none."""
        payload = (self.metadata or {}).get("event_payload")
        named = (self.metadata or {}).get("event_type") == DELIVERY
        return payload if named and isinstance(payload, Mapping) else {}

    @property
    def source(self) -> str:
        """What was said, in Slack's markup."""
        return markup.source({"text": self.text, "blocks": self.blocks})

    @property
    def is_working(self) -> bool:
        return self.delivery.get("text") == WORKING

    @property
    def by_app(self) -> bool:
        return bool(self.bot_id) or self.subtype == "bot_message"

    def by(self, bot: Bot) -> bool:
        return self.user == bot.user_id or bool(bot.bot_id and self.bot_id == bot.bot_id)


class Sent(Answer):
    """A message just written."""

    class Said(Answer):
        user: Text = ""
        bot_id: Text = ""
        thread_ts: Text = ""

    channel: str = Field(min_length=1)
    ts: Ts
    message: Said = Said()

    def by(self, bot: Bot) -> bool:
        return self.message.user == bot.user_id or bool(bot.bot_id and self.message.bot_id == bot.bot_id)


class UploadTarget(Answer):
    upload_url: str = Field(min_length=1)
    file_id: str = Field(min_length=1)


class Uploaded(Answer):
    class File(Answer):
        id: str = Field(min_length=1)
        permalink: Text = ""

    files: tuple[File, ...] = Field(min_length=1)


def read(model: type[A], payload: Any, what: str, error: type[BotError] = Unavailable) -> A:
    """Slack's answer about something. Raises `error` when it is not as it is described."""
    return as_described("Slack", model, payload, what, error)


def moment(ts: str) -> datetime:
    seconds, _, microseconds = ts.partition(".")
    return _EPOCH + timedelta(seconds=int(seconds), microseconds=int(microseconds))


def stamp(at: datetime) -> str:
    """A moment as Slack's methods take it."""
    seconds, microseconds = divmod((at - _EPOCH) // _MICROSECOND, 1_000_000)
    return f"{seconds}.{microseconds:06d}"
