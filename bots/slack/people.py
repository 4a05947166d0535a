"""Who the people of a workspace are: their names, and who among them is from outside."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable

from bots.errors import Gone
from bots.slack.answers import SLACKBOT, Members, UserAnswer, Users, read
from bots.slack.connection import Connection
from bots.text import one_line

_PAGE = 999  # Slack gives no more people at once
_MOST_USERS = 100_000
_MOST_MEMBERS = 20_000
_NAMES = 5_000
_NAME_SECONDS = 3_600.0
_LIST_SECONDS = 300.0


class Names:
    """Full names, looked up one by one and remembered for an hour."""

    def __init__(self, slack: Connection, clock: Callable[[], float] = time.monotonic) -> None:
        self._slack = slack
        self._clock = clock
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[float, str]] = OrderedDict()

    def of(self, user: str) -> str:
        """Empty for somebody whom the bot cannot see. Raises BotError."""
        with self._lock:
            at, name = self._known.get(user, (float("-inf"), ""))
        if self._clock() - at < _NAME_SECONDS:
            return name
        try:
            payload = self._slack.ask("users.info", {"user": user}, what="tell a person's name")
            name = one_line(read(UserAnswer, payload, "a person").user.full_name, 80)
        except Gone:
            name = ""
        with self._lock:
            self._known[user] = (self._clock(), name)
            self._known.move_to_end(user)
            while len(self._known) > _NAMES:
                self._known.popitem(last=False)
        return name


class Guests:
    """Whether somebody from outside can read a channel: its members are read each time, the workspace's people are
    remembered for five minutes. When in doubt the answer is yes.
    """

    def __init__(self, slack: Connection, clock: Callable[[], float] = time.monotonic) -> None:
        self._slack = slack
        self._clock = clock
        self._lock = threading.Lock()
        self._read_at = float("-inf")
        self._insiders: frozenset[str] = frozenset()

    def in_channel(self, channel: str, team: str) -> bool:
        """Raises BotError."""
        members: set[str] = set()
        arguments = {"channel": channel, "limit": _PAGE}
        for page in self._slack.pages("conversations.members", arguments, what="list who is in the channel"):
            members.update(read(Members, page, "a channel's members").members)
            if len(members) > _MOST_MEMBERS:
                return True
        return not members or self.among(members, team)

    def among(self, users: Iterable[str], team: str) -> bool:
        """Whether one of these is a guest of the workspace `team`, or not of it. Raises BotError."""
        return not self._of(team).issuperset(users)

    def _of(self, team: str) -> frozenset[str]:
        """Who is not from outside."""
        with self._lock:
            if self._clock() - self._read_at >= _LIST_SECONDS:
                self._insiders = self._listed(team)
                self._read_at = self._clock()
            return self._insiders

    def _listed(self, team: str) -> frozenset[str]:
        insiders = {SLACKBOT}
        read_so_far = 0
        for page in self._slack.pages("users.list", {"limit": _PAGE}, what="list the workspace's people"):
            users = read(Users, page, "the workspace's people").members
            insiders.update(user.id for user in users if not user.outside(team))
            read_so_far += len(users)
            if read_so_far > _MOST_USERS:
                break
        return frozenset(insiders)
