"""Slack: messages in threads."""

from collections.abc import Mapping
from itertools import count
from typing import Any

from crosscheck.settings_slack import Slack
from crosscheck.slack.catch_up import CURSOR
from crosscheck.wiring import Program
from sandbox.records import Channel
from sandbox.slack.limits import LONGEST_MESSAGE
from sandbox.slack.pings import active
from sandbox.slack.state import Message
from tests.crosscheck.slack.stage import shown
from tests.surfaces.company import DEVELOPER, LEAD, ROLE
from tests.surfaces.contract import Asked, Kind, Reply, Surface
from tests.surfaces.receiver import Delivery

CLOSED = 40
"""Channels for the few: their ids are in the settings before anybody talks there."""


class SlackSurface(Surface):
    name = "slack"
    openings = ("made public", "shared")
    limit = LONGEST_MESSAGE
    writes = (
        ("POST", r"/api/chat\.(postMessage|update|delete)$"),
        ("POST", r"/api/files\.(completeUploadExternal|delete)$"),
    )

    def start(self) -> None:
        self._slack = self.box.slack
        self._slack.deliver_to(self.receiver.url)
        self._numbers = count()
        closed = [self._create(f"closed-{number}", private=True) for number in range(CLOSED)]
        self._closed, self._left = tuple(closed), list(closed)
        self._roots: dict[str, str] = {}
        self._tickets: dict[str, str] = {}

    def _create(self, name: str, *, private: bool = False) -> str:
        members = (LEAD.id,) if private else (LEAD.id, DEVELOPER.id)
        return str(self._slack.create(Channel(name, members, private=private)))

    def own_settings(self) -> Mapping[str, Any]:
        labels = (f"jira:SHOP:role:{ROLE}",)
        return {"slack": Slack(mode="http", site=self.box.slack_url, channels=dict.fromkeys(self._closed, labels))}

    def prepare(self, program: Program) -> None:
        super().prepare(program)
        program.cursors.set(CURSOR, program.floor().isoformat())

    def poll(self, program: Program) -> None:
        assert program.listening
        program.listening._catch_up.run()

    def push(self, program: Program, delivery: Delivery) -> int:
        assert program.listening
        return program.listening.receive(dict(delivery.headers), delivery.body)[0]

    def open(self, *said: str, few: bool = False, shape: str = "", title: str = "") -> str:
        channel = self._left.pop() if few else self._create(f"open-{next(self._numbers)}")
        if title:
            self._tickets[channel] = self.box.jira.clone_issue("SHOP-1")
            self.box.jira.set_fields(self._tickets[channel], {"summary": title})
        for text in said:
            self.say(channel, text)
        return channel

    def say(self, place: str, text: str) -> str:
        """In the channel's one thread."""
        ts = self._slack.say(LEAD.id, place, text, self._roots.get(place))
        self._roots.setdefault(place, ts)
        return str(ts)

    def spelled(self, place: str, kind: Kind, text: str) -> str:
        ticket = self._tickets.get(place, "SHOP-1")
        wishes = {"review": f"check {ticket}", "ask": text, "test cases": f"test cases for {ticket}"}
        return f"{self._slack.mention} {wishes[kind]}"

    def sent(self) -> list[Delivery]:
        assert self._slack.wait()
        return self.receiver.take()

    def hide(self, place: str, text: str) -> tuple[str, ...]:
        key = self.box.jira.clone_issue("SHOP-1")
        self.box.jira.add_comment(key, LEAD.id, text, role=ROLE)
        return (str(key),)

    def widen(self, asked: Asked, opening: str) -> None:
        self._slack.add_member(asked.place, DEVELOPER.id)
        if opening == "made public":
            self._slack.channel(asked.place).kind = "channel"
        else:
            self._slack.share(asked.place)

    def narrow(self, asked: Asked) -> None:
        channel = self._slack.channel(asked.place)
        channel.kind = "group"
        self._slack.workspace.leave(channel, self._slack.user(DEVELOPER.id))

    def mute(self, asked: Asked) -> None:
        self._slack.remove_bot(asked.place)

    def delete(self, asked: Asked) -> None:
        self._slack.delete(asked.place, asked.id)

    def rewrite(self, asked: Asked, text: str) -> None:
        self._slack.edit(asked.place, asked.id, text)

    def end(self, asked: Asked) -> str:
        self._slack.archive(asked.place)
        return "archived"

    def replies(self, place: str) -> list[Reply]:
        bot = self._slack.bot.id
        return [self._reply(one) for one in self._slack.messages(place) if one.user == bot]

    def _reply(self, message: Message) -> Reply:
        said = shown(message)
        found = (one.strip("<>") for one in active(message.text, list(message.blocks)))
        does = tuple(f"link {one}" if one.startswith("http") else one for one in found)
        return Reply(message.ts, said, len(said), does)

    def files(self, place: str) -> list[str]:
        return [one.name for one in self._slack.files(place) if one.user == self._slack.bot.id]

    def readers(self, asked: Asked, message: str) -> frozenset[str]:
        assert message in self._slack.channel(asked.place).messages
        return frozenset(self._slack.channel(asked.place).members)

    def where(self, asked: Asked, message: str) -> Any:
        said = self._slack.message(asked.place, message)
        return asked.place, said.thread or said.ts


SURFACE = SlackSurface
