"""The sandbox's Slack: the workspace, its API and deliveries, and what people do in it.

People are named by account id, user id or handle; conversations by id or name (`dev`, `#dev`). Texts that people write
are as Slack keeps them: `&`, `<` and `>` escaped, and the bot called by `slack.mention`.
"""

import secrets
from collections.abc import Mapping
from typing import Any

from starlette.routing import BaseRoute

from sandbox.records import Channel, Company, Person
from sandbox.slack.chat_api import ChatApi
from sandbox.slack.conversations_api import ConversationsApi
from sandbox.slack.deliveries import Deliveries
from sandbox.slack.events import Events
from sandbox.slack.files_api import FilesApi
from sandbox.slack.http_mode import HttpMode
from sandbox.slack.interactions import Interactions
from sandbox.slack.pings import Ping
from sandbox.slack.response_urls import ResponseUrls
from sandbox.slack.shapes import Shapes
from sandbox.slack.socket_mode import SocketMode
from sandbox.slack.state import Conversation, File, Message, User
from sandbox.slack.triggers import Triggers
from sandbox.slack.users_api import UsersApi
from sandbox.slack.views_api import AssistantThread, View, ViewsApi
from sandbox.slack.web_api import WebApi
from sandbox.slack.workspace import Workspace


class Slack:
    """`base` is where the API is, without `/api`."""

    def __init__(self, company: Company, bot: Person, base: str) -> None:
        self.workspace = Workspace(company, bot)
        self.signing_secret = secrets.token_hex(16)
        self.pings: list[Ping] = []
        """Everything that the bot has posted and that would ping somebody."""
        self.deliveries = Deliveries()
        self.sockets = SocketMode(self.workspace.app_id)
        self.deliveries.transport = self.sockets
        shapes = Shapes(self.workspace, base)
        self.events = Events(self.workspace, shapes, self.deliveries.event)
        self.workspace.observers.append(self.events)
        self.triggers = Triggers(self.workspace)
        self._views = ViewsApi(self.workspace, self.triggers)
        self._chat = ChatApi(self.workspace, shapes, self.pings, self._views.answered)
        self._files = FilesApi(self.workspace, shapes, self.pings)
        self._addresses = ResponseUrls(self.workspace, self._chat, base)
        self._interactions = Interactions(self.workspace, shapes, self.deliveries, self.triggers, self._addresses)
        areas = (
            UsersApi(self.workspace, shapes),
            ConversationsApi(self.workspace, shapes),
            self._chat,
            self._files,
            self._views,
        )
        methods = {name: method for area in areas for name, method in area.methods().items()}
        self.api = WebApi(self.workspace, self.sockets, methods)
        self._http: HttpMode | None = None

    def routes(self) -> list[BaseRoute]:
        return [*self.api.routes(), *self._files.routes(), *self._addresses.routes(), *self.sockets.routes()]

    def close(self) -> None:
        self.deliveries.close()
        if self._http is not None:
            self._http.close()

    # What an app is set up with, and how it is reached.

    @property
    def token(self) -> str:
        """The bot's: `xoxb-...`."""
        return self.api.token

    @property
    def app_token(self) -> str:
        """For Socket Mode: `xapp-...`."""
        return self.api.app_token

    @property
    def bot(self) -> User:
        return self.workspace.bot

    @property
    def mention(self) -> str:
        return f"<@{self.bot.id}>"

    @property
    def silent(self) -> bool:
        """Sockets stay open and nothing comes over them."""
        return self.sockets.silent

    @silent.setter
    def silent(self, value: bool) -> None:
        self.sockets.silent = value

    @property
    def patience(self) -> float:
        """Seconds until an unacknowledged delivery is repeated."""
        return self.deliveries.patience

    @patience.setter
    def patience(self, seconds: float) -> None:
        self.deliveries.patience = seconds

    @property
    def paced(self) -> bool:
        """Whether a conversation takes but one post a second."""
        return self._chat.paced

    @paced.setter
    def paced(self, value: bool) -> None:
        self._chat.paced = value

    def deliver_to(self, url: str, signing_secret: str | None = None) -> None:
        """From now on by signed requests instead of sockets; by default signed with `signing_secret`."""
        if self._http is not None:
            self._http.close()
        self._http = HttpMode(url, signing_secret or self.signing_secret, lambda: self.deliveries.patience)
        self.deliveries.transport = self._http

    def verify_url(self, challenge: str = "challenge-of-the-sandbox") -> bool:
        """Whether the address of `deliver_to` answers `url_verification`. Raises ValueError: there is none."""
        if self._http is None:
            raise ValueError("no address is set")
        return self._http.verify(challenge)

    # Who and what there is.

    def user(self, person: str) -> User:
        return self.workspace.user(person)

    def channel(self, which: str) -> Conversation:
        return self.workspace.conversation(which)

    def messages(self, channel: str, thread: str | None = None) -> list[Message]:
        """Everything said in a conversation, in order; or a message and its replies."""
        conversation = self.channel(channel)
        with self.workspace.lock:
            return conversation.thread(thread) if thread is not None else list(conversation.messages.values())

    def message(self, channel: str, ts: str) -> Message:
        """Raises KeyError: it is not there (any more)."""
        return self.channel(channel).messages[ts]

    def ephemeral(self, channel: str, person: str) -> list[Message]:
        """What one person alone was shown, in order."""
        conversation, user = self.channel(channel), self.user(person)
        with self.workspace.lock:
            return [message for message in conversation.ephemeral if message.seen_by == user.id]

    def files(self, channel: str, thread: str | None = None) -> list[File]:
        """The files that messages show, in order."""
        shown = [name for message in self.messages(channel, thread) for name in message.files]
        return [self.workspace.files[name] for name in shown]

    def home(self, person: str) -> View | None:
        """What the app has published for a person."""
        return self._views.homes.get(self.user(person).id)

    def modals(self, person: str) -> list[View]:
        """What is open before a person, the oldest first."""
        user = self.user(person).id
        return [view for view in self._views.modals.values() if view.user == user]

    def assistant(self, channel: str, thread: str) -> AssistantThread:
        """What was set for a thread of the assistant's panel."""
        return self._views.assistant.get((self.channel(channel).id, thread)) or AssistantThread()

    # What people do.

    def create(self, channel: Channel) -> str:
        """A further channel; its id."""
        return self.workspace.create(channel).id

    def add_bot(self, name: str, channel: str) -> str:
        """Another app's bot in a channel; its user id, which may be said to write there."""
        user = self.workspace.install(name)
        self.workspace.join(self.channel(channel), user)
        return user.id

    def direct(self, *people: str) -> str:
        """The direct messages of these people and the bot; their id."""
        return self.workspace.direct([self.bot, *map(self.user, people)]).id

    def say(
        self,
        person: str,
        channel: str,
        text: str,
        thread: str | None = None,
        *,
        files: Mapping[str, bytes] | None = None,
        broadcast: bool = False,
    ) -> str:
        """Write a message, and return its ts. Raises ValueError: the person cannot write there."""
        user, conversation = self.user(person), self._writable(person, channel)
        with self.workspace.lock:
            if thread is not None and conversation.messages[thread].thread is not None:
                raise ValueError(f"{thread} is a reply itself")
            made = [self.workspace.file(name, name, user, content).id for name, content in (files or {}).items()]
            message = Message("", user.id, text, thread, files=made, posts=user.bot_id, broadcast=broadcast)
            message.subtype = "file_share" if made else None
            return self.workspace.post(conversation, message).ts

    def edit(self, channel: str, ts: str, text: str, *, quiet: bool = False) -> None:
        """By its author. `quiet`: only a link's preview was added, and the text stays what it is."""
        conversation = self.channel(channel)
        with self.workspace.lock:
            self.workspace.edit(conversation, conversation.messages[ts], text, quiet=quiet)

    def delete(self, channel: str, ts: str) -> None:
        conversation = self.channel(channel)
        with self.workspace.lock:
            self.workspace.delete(conversation, conversation.messages[ts])

    def command(self, person: str, channel: str, text: str, command: str = "/crosscheck") -> str:
        """Enter a slash command, and return what the person is shown at once: the acknowledgement's text, or that it
        failed.
        """
        return self._interactions.command(self.user(person), self._writable(person, channel), command, text)

    def shortcut(self, person: str, channel: str, ts: str, callback_id: str = "crosscheck_ask") -> bool:
        """Choose a shortcut from a message's menu; whether it was acknowledged in time."""
        conversation = self.channel(channel)
        return self._interactions.shortcut(self.user(person), conversation, conversation.messages[ts], callback_id)

    def click(self, person: str, channel: str, ts: str, action_id: str) -> bool:
        """Click a button of a message that everybody or this person sees; whether it was acknowledged in time.

        Raises ValueError: there is no such button.
        """
        conversation, user = self.channel(channel), self.user(person)
        own = [message for message in self.ephemeral(channel, person) if message.ts == ts]
        return self._interactions.click(user, conversation, own[0] if own else conversation.messages[ts], action_id)

    def submit(self, view: View, values: Mapping[str, str]) -> Mapping[str, Any]:
        """Fill in a modal (values by action id) and submit it: what came with the acknowledgement, nothing closes it.

        Raises TimeoutError: it was not acknowledged.
        """
        answer = self._interactions.submit(self.workspace.users[view.user], view.view, values)
        if not answer.get("response_action") or answer["response_action"] == "clear":
            self._views.modals.pop(view.id, None)
        return answer

    def open_home(self, person: str, tab: str = "home") -> None:
        user = self.user(person)
        with self.workspace.lock:
            conversation = self.workspace.direct([self.bot, user])
            published = self._views.homes.get(user.id)
            event = {"type": "app_home_opened", "user": user.id, "channel": conversation.id, "tab": tab}
            event |= {"event_ts": self.workspace.ts()}
            self.events.fire(event | ({"view": published.view} if published is not None else {}))

    def open_assistant(self, person: str, about: str | None = None) -> str:
        """Open the assistant's panel, maybe while looking at a channel: the ts of its new thread, which is in the
        person's direct messages.
        """
        user, team = self.user(person), self.workspace.team
        context: dict[str, Any] = {"force_search": False}
        if about is not None:
            context |= {"channel_id": self.channel(about).id, "team_id": team, "enterprise_id": None}
        with self.workspace.lock:
            conversation = self.workspace.direct([self.bot, user])
            root = Message("", self.bot.id, "New Assistant Thread", subtype="assistant_app_thread")
            root.posts = self.bot.bot_id
            ts = self.workspace.post(conversation, root).ts
            thread = {"user_id": user.id, "context": context, "channel_id": conversation.id, "thread_ts": ts}
            event = {"type": "assistant_thread_started", "assistant_thread": thread}
            self.events.fire(event | {"event_ts": self.workspace.ts()})
        return ts

    def remove_bot(self, channel: str) -> None:
        self.workspace.leave(self.channel(channel), self.bot)

    def invite_bot(self, channel: str) -> None:
        conversation = self.channel(channel)
        self.workspace.join(conversation, self.bot, conversation.creator)

    def archive(self, channel: str) -> None:
        conversation = self.channel(channel)
        self.workspace.archive(conversation, self.workspace.users[conversation.creator])

    def add_member(self, channel: str, person: str) -> None:
        self.workspace.join(self.channel(channel), self.user(person))

    def share(
        self, channel: str, company: str = "Another company", strangers: tuple[str, ...] = ("Sam Stranger",)
    ) -> None:
        """Share a channel with another company, whose people come in."""
        self.workspace.share(self.channel(channel), company, strangers)

    def wait(self, timeout: float = 10.0) -> bool:
        """Until every event so far was acknowledged or given up."""
        return self.deliveries.wait(timeout)

    def _writable(self, person: str, channel: str) -> Conversation:
        user, conversation = self.user(person), self.channel(channel)
        if user.id not in conversation.members:
            raise ValueError(f"{user.name} is not in {conversation.name}")
        if conversation.archived:
            raise ValueError(f"{conversation.name} is archived")
        return conversation
