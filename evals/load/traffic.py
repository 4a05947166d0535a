"""What the people of the company write, and when: planned from a seed, then said."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from sandbox.server import Sandbox
from sandbox.slack.deliveries import Attempt

Surface = Literal["jira", "confluence", "slack"]
COMMANDS = ("#qa-check", "#ask How many reports may be exported in one day?", "#test-cases")
QUESTIONS = (
    "How many reports may be exported in one day?",
    "What happens to an export without a date?",
    "check RUN-{ticket}",
    "What must be decided about the export?",
    "Who exported report {ticket}, and when?",
)
CASES = "test cases for RUN-{ticket}"
"""Never asked in a thread that goes on: a second draft there would take the place of the first."""
FOLLOW_UPS = 0.25
"""Share of the mentions that go on in a thread."""
LIMITED = 0.25
"""Share of the comments on tickets that a role alone can read."""
MOST_COPIES = 4
"""Times that one event is delivered, at most."""
ROLE = "Leads"


@dataclass(frozen=True, slots=True)
class Size:
    """How much is said in how many seconds, and how often documents change meanwhile."""

    tickets: int
    pages: int
    mentions: int
    seconds: float
    edits: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that waits for its answer."""

    surface: Surface
    id: str
    """Of the comment, or the ts of the message."""
    place: str
    """Key of the ticket, id of the page, or id of the channel."""
    at: float
    """Seconds since the epoch."""
    limited: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """Something that is done at a time, in seconds from the beginning."""

    at: float
    do: Callable[[], None]


@dataclass(slots=True)
class People:
    """Everybody in the company. Each event is delivered once to four times, as the seed has it."""

    box: Sandbox
    channels: Sequence[str]
    dice: random.Random
    asked: list[Asked] = field(default_factory=list)
    _roots: dict[str, list[str]] = field(default_factory=dict)

    def plan(self, size: Size) -> list[Action]:
        """All that is said and changed, in order."""
        planned = list(self._comments(size)) + list(self._mentions(size)) + list(self._edits(size))
        return sorted(planned, key=lambda action: action.at)

    def _comments(self, size: Size) -> Iterator[Action]:
        """One on each ticket and each page, in any order."""
        places = [partial(self._on_ticket, f"RUN-{number}") for number in range(1, size.tickets + 1)]
        places += [partial(self._on_page, str(number)) for number in range(1, size.pages + 1)]
        self.dice.shuffle(places)
        for number, do in enumerate(places):
            yield Action(number * size.seconds / len(places), do)

    def _mentions(self, size: Size) -> Iterator[Action]:
        for number in range(size.mentions):
            yield Action(number * size.seconds / size.mentions, partial(self._mention, size.tickets))

    def _edits(self, size: Size) -> Iterator[Action]:
        for number in range(size.edits):
            yield Action((number + 0.5) * size.seconds / size.edits, partial(self._edit, size))

    def _on_ticket(self, key: str) -> None:
        limited = self.dice.random() < LIMITED
        self.box.webhooks.copies = self.dice.randint(1, MOST_COPIES)
        at = time.time()
        comment = self.box.jira.add_comment(key, "po-1", self.dice.choice(COMMANDS), role=ROLE if limited else None)
        self.asked.append(Asked("jira", comment, key, at, limited))

    def _on_page(self, page: str) -> None:
        self.box.confluence_webhooks.copies = self.dice.randint(1, MOST_COPIES)
        at = time.time()
        marked = "must be decided" if self.dice.random() < 0.5 else None
        comment = self.box.confluence.notes.add(page, self.dice.choice(COMMANDS[:2]), "po-1", marked=marked)
        self.asked.append(Asked("confluence", comment, page, at))

    def _mention(self, tickets: int) -> None:
        slack, channel = self.box.slack, self.dice.choice(self.channels)
        person = self.dice.choice(("po-1", "dev-1"))
        roots = self._roots.setdefault(channel, [])
        thread = self.dice.choice(roots[-20:]) if roots and self.dice.random() < FOLLOW_UPS else None
        question = self.dice.choice((*QUESTIONS, CASES) if thread is None else QUESTIONS).format(
            ticket=self.dice.randint(1, tickets)
        )
        slack.deliveries.plan = self._attempts()
        ts = slack.say(person, channel, f"{slack.mention} {question}", thread)
        slack.deliveries.plan = (Attempt(),)
        self.asked.append(Asked("slack", ts, channel, float(ts)))
        if thread is None:
            roots.append(ts)

    def _attempts(self) -> tuple[Attempt, ...]:
        return tuple(
            Attempt(number, after=self.dice.uniform(0, 1) if number else 0.0, same_envelope=self.dice.random() < 0.5)
            for number in range(self.dice.randint(1, MOST_COPIES))
        )

    def _edit(self, size: Size) -> None:
        number = self.dice.randint(1, 10_000)
        if size.pages and self.dice.random() < 0.5:
            page = str(self.dice.randint(1, size.pages))
            text = f"The export must be decided: TBD. Now {number} reports may be exported."
            self.box.confluence.edit(page, text, "dev-1")
        else:
            key = f"RUN-{self.dice.randint(1, size.tickets)}"
            self.box.jira.set_fields(key, {"description": f"At most {number} reports may be exported in one day."})


def play(actions: Sequence[Action], stopped: Callable[[], bool]) -> float:
    """Do each at its time, or as soon after as the ones before allow; the seconds that it took."""
    begun = time.monotonic()
    for action in actions:
        while (left := begun + action.at - time.monotonic()) > 0:
            if stopped():
                return time.monotonic() - begun
            time.sleep(min(left, 0.5))
        action.do()
    return time.monotonic() - begun
