"""The company's Slack workspace in memory. Who may do what is checked by those who call it."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from sandbox.records import Channel, Company, Person
from sandbox.slack.state import Conversation, Edited, File, Json, Kind, Message, User, identifier

SLACKBOT = "USLACKBOT"
FOUNDED = 1_700_000_000
"""When everything that the company has had from the start was made, in seconds since 1970."""


class Observer(Protocol):
    """Told of what happens, after it has happened and with the lock held."""

    def posted(self, conversation: Conversation, message: Message) -> None: ...

    def edited(self, conversation: Conversation, message: Message, before: Message) -> None: ...

    def deleted(self, conversation: Conversation, message: Message, left: Message | None, ts: str) -> None:
        """`left` is what stands in its place, where it had replies; `ts` is the moment."""

    def membership(self, conversation: Conversation, user: User, joined: bool, inviter: str | None) -> None: ...

    def archived(self, conversation: Conversation, user: str) -> None: ...


class Workspace:
    """State behind one lock."""

    def __init__(self, company: Company, bot: Person) -> None:
        self.lock = threading.RLock()
        self.name = company.organisation
        self.domain = company.organisation.lower()
        self.team = identifier("T", "team", company.organisation)
        self.now: Callable[[], float] = time.time
        self.users: dict[str, User] = {}
        self.conversations: dict[str, Conversation] = {}
        self.files: dict[str, File] = {}
        self.teams: dict[str, str] = {self.team: self.name}
        """Every team's name; those of shared channels too."""
        self.observers: list[Observer] = []
        self._last = 0
        for person in (*company.people, bot):
            self._employ(person, identifier("B", "bot", person.id) if person.bot else None)
        self.bot = self.user(bot.id)
        self.app_id = self.bot.app_id
        self._found(company.channels)

    # Who and what there is. A person is named by account id, user id or handle; a conversation by id or by name.

    def user(self, who: str) -> User:
        """Raises ValueError: nobody is called so."""
        found = self.users.get(who) or next((u for u in self.users.values() if who in {u.person, u.name}), None)
        if found is None:
            raise ValueError(f"the workspace has no user {who!r}")
        return found

    def conversation(self, which: str) -> Conversation:
        """Raises ValueError: there is none."""
        name = which.removeprefix("#")
        found = self.conversations.get(which) or next(
            (c for c in self.conversations.values() if c.name == name and c.kind != "im"), None
        )
        if found is None:
            raise ValueError(f"the workspace has no conversation {which!r}")
        return found

    def of(self, user: User) -> list[Conversation]:
        """The conversations that a user is in."""
        return [c for c in self.conversations.values() if user.id in c.members]

    def ts(self) -> str:
        """A moment that no other message has."""
        self._last = max(int(self.now() * 1_000_000) // 10 * 10, self._last + 10)
        return f"{self._last // 1_000_000}.{self._last % 1_000_000:06d}"

    # What happens in it.

    def install(self, name: str) -> User:
        """Another app's bot."""
        with self.lock:
            handle, made = name.lower().replace(" ", "-"), identifier("U", "user", self.team, name)
            self.users[made] = User(made, handle, name, "", self.team, bot_id=identifier("B", "bot", name))
            return self.users[made]

    def create(self, channel: Channel) -> Conversation:
        """A channel; the bot is in it unless the record says otherwise."""
        with self.lock:
            members = [self.user(person).id for person in channel.members]
            if channel.bot and self.bot.id not in members:
                members.append(self.bot.id)
            if not channel.bot:
                members = [member for member in members if member != self.bot.id]
            kind: Kind = "group" if channel.private else "channel"
            made = self._conversation(kind, channel.name, members, identifier("C", "channel", self.team, channel.name))
            made.purpose = channel.purpose
            if channel.shared_with is not None:
                self.share(made, channel.shared_with, channel.strangers)
            return made

    def direct(self, users: Sequence[User]) -> Conversation:
        """The direct message of these users, opened if need be; the first is whose it is."""
        with self.lock:
            ids = sorted({user.id for user in users})
            if len(ids) > 2:
                name = f"mpdm-{'--'.join(self.users[i].name for i in ids)}-1"
                made = identifier("G", "mpim", *ids)
                return self.conversations.get(made) or self._conversation("mpim", name, ids, made)
            other = next((i for i in ids if i != self.bot.id), self.bot.id)
            made = identifier("D", "im", *ids)
            return self.conversations.get(made) or self._conversation("im", other, ids, made)

    def post(self, conversation: Conversation, message: Message) -> Message:
        """Put a message of no ts at the end."""
        with self.lock:
            message.ts = self.ts()
            if message.seen_by is not None:
                conversation.ephemeral.append(message)
                return message
            conversation.messages[message.ts] = message
            for file in message.files:
                self.files[file].shares.setdefault(conversation.id, []).append(message.ts)
            for observer in self.observers:
                observer.posted(conversation, message)
            return message

    def edit(
        self,
        conversation: Conversation,
        message: Message,
        text: str,
        *,
        blocks: Sequence[Json] = (),
        metadata: Json | None = None,
        quiet: bool = False,
    ) -> None:
        """`quiet`: as when a preview of a link is added, which is no edit that anybody has made."""
        with self.lock:
            before = replace(message)
            message.text, message.blocks = text, blocks
            message.metadata = metadata if metadata is not None else message.metadata
            if not quiet:
                message.edited = Edited(message.user, self.ts())
            for observer in self.observers:
                observer.edited(conversation, message, before)

    def delete(self, conversation: Conversation, message: Message) -> None:
        """A message with replies leaves a stone in its place."""
        with self.lock:
            left = None
            if conversation.replies(message.ts):
                left = Message(message.ts, SLACKBOT, "This message was deleted.", subtype="tombstone")
                conversation.messages[message.ts] = left
            else:
                del conversation.messages[message.ts]
            for observer in self.observers:
                observer.deleted(conversation, message, left, self.ts())

    def join(self, conversation: Conversation, user: User, inviter: str | None = None) -> None:
        with self.lock:
            if user.id not in conversation.members:
                conversation.members.append(user.id)
                for observer in self.observers:
                    observer.membership(conversation, user, True, inviter)

    def leave(self, conversation: Conversation, user: User) -> None:
        with self.lock:
            if user.id in conversation.members:
                for observer in self.observers:
                    observer.membership(conversation, user, False, None)
                conversation.members.remove(user.id)

    def archive(self, conversation: Conversation, user: User) -> None:
        with self.lock:
            conversation.archived = True
            for observer in self.observers:
                observer.archived(conversation, user.id)

    def share(self, conversation: Conversation, company: str, strangers: Iterable[str] = ()) -> None:
        """With another company, some of whose people (by name) come in."""
        with self.lock:
            team = identifier("T", "team", company)
            self.teams[team] = company
            conversation.shared_with.append(team)
            for name in strangers:
                handle = name.lower().replace(" ", ".")
                user = User(identifier("U", "user", team, name), handle, name, "", team)
                self.users.setdefault(user.id, user)
                self.join(conversation, self.users[user.id])

    def file(self, name: str, title: str, user: User, content: bytes | None, length: int = 0) -> File:
        """A new file; its bytes may come later."""
        with self.lock:
            made = identifier("F", "file", user.id, name, self.ts())
            size = length if content is None else len(content)
            self.files[made] = File(
                made, name, title, user.id, int(self.now()), content or b"", content is not None, length=size
            )
            return self.files[made]

    def remove_file(self, file: File) -> None:
        """Messages that showed nothing else go with it."""
        with self.lock:
            file.deleted = True
            for channel, stamps in file.shares.items():
                conversation = self.conversations[channel]
                for message in [conversation.messages[ts] for ts in stamps if ts in conversation.messages]:
                    message.files = [f for f in message.files if f != file.id]
                    if not message.files and not message.text:
                        self.delete(conversation, message)
            file.shares.clear()

    def _employ(self, person: Person, bot_id: str | None) -> None:
        handle = person.email.partition("@")[0]
        made = identifier("U", "user", self.team, person.id)
        self.users[made] = User(
            made, handle, person.name, person.email, self.team, person.id, bot_id, guest=person.customer
        )

    def _found(self, channels: Iterable[Channel]) -> None:
        named = list(channels)
        staff = tuple(u.id for u in self.users.values() if not u.guest)
        if all(channel.name != "general" for channel in named):
            named.insert(0, Channel("general", staff, "What everybody should know."))
        for channel in named:
            made = self.create(channel)
            made.general = channel.name == "general"

    def _conversation(self, kind: Kind, name: str, members: Sequence[str], made: str) -> Conversation:
        creator = next((m for m in members if m != self.bot.id), self.bot.id)
        self.conversations[made] = Conversation(made, kind, name, creator, FOUNDED, list(members))
        return self.conversations[made]
