"""The service over the company's Slack: people write, and what stands in the conversations afterwards is looked at."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from crosscheck.settings import Audience
from crosscheck.settings_slack import Slack
from crosscheck.wiring import Program
from sandbox.records import Channel, Company
from sandbox.server import Sandbox
from sandbox.slack.state import Message
from state.types import JobView
from tests.crosscheck.live import SETTLED, Live, at_work, opened, quick, until
from tests.fakes import Tally

DEVELOPER = "Priya Raman"
LEAD = "Luca Ferretti"
BOARD = "Renate Vogel"
CARE = "Nora Lindqvist"
GUEST = "Mirela Popescu"
TEAM = (DEVELOPER, LEAD, BOARD, CARE)

SAFETY = (
    "jira:group:security-team",
    "jira:GATE:security:Security team",
    "jira:BKG:role:Product owners",
    "restriction:f43de1470ac0a94f",
)
"""What the members of the channel `safety` hold, by its mapping."""


def quickly(_attempt: int, asked: float | None) -> timedelta:
    """As long as was asked for, and hardly longer."""
    return timedelta(seconds=0.05 + (asked or 0.0))


class Hurried(Program):
    """Tries again at once what it would try again in a quarter of a minute."""

    pause = posting_pause = staticmethod(quickly)


class Moved:
    """The time, or later."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def forward(self, **span: float) -> None:
        self._ahead += timedelta(**span)


@dataclass
class Office(Live):
    """A running service with the company's Slack."""

    clock: Moved = field(default_factory=Moved)
    _numbers: Iterator[int] = field(default_factory=count)

    @property
    def bot(self) -> str:
        return self.box.slack.bot.id

    def channel(self, people: tuple[str, ...] = TEAM, **kind: Any) -> str:
        """A further channel of these people and the bot; its name."""
        name = f"talk-{next(self._numbers)}"
        self.box.slack.create(Channel(name, tuple(map(self.person, people)), **kind))
        return name

    def direct(self, *people: str) -> str:
        return self.box.slack.direct(*map(self.person, people))

    def write(self, text: str, *, by: str = DEVELOPER, channel: str = "booking-dev", thread: str | None = None) -> str:
        """A message that mentions nobody; its ts."""
        return self.box.slack.say(self.person(by), channel, text, thread)

    def say(self, text: str, *, by: str = DEVELOPER, channel: str = "booking-dev", thread: str | None = None) -> str:
        """A message that mentions the bot; its ts."""
        return self.write(f"{self.box.slack.mention} {text}".strip(), by=by, channel=channel, thread=thread)

    def of(self, ts: str) -> JobView | None:
        """The job of a message."""
        for summary in self.program.jobs.list(limit=1000):
            if summary.key.split("|")[-2] == ts:
                return self.program.jobs.show(summary.id)
        return None

    def over(self, ts: str, seconds: float = 30.0) -> JobView:
        """The job of a message once nothing of it will change any more."""

        def look() -> JobView | None:
            view = self.of(ts)
            over = view and view.job.state in {"done", "gone", "failed"} and {p.state for p in view.posts} <= SETTLED
            return view if over else None

        return until(look, f"the end of the job of message {ts}: {self.of(ts)}", seconds)

    def answers(self, ts: str, channel: str = "booking-dev", thread: str | None = None) -> list[Message]:
        """The bot's messages after a message in its thread, once its job is over."""
        self.over(ts)
        said = self.box.slack.messages(channel, thread or ts)
        return [one for one in said if one.user == self.bot and one.ts > ts]

    def answer(self, ts: str, channel: str = "booking-dev", thread: str | None = None) -> str:
        """All that was answered to a message, as text."""
        return "\n".join(map(shown, self.answers(ts, channel, thread)))

    def alone(self, person: str, channel: str, since: str = "") -> list[str]:
        """What one person was shown alone."""
        return [shown(one) for one in self.box.slack.ephemeral(channel, self.person(person)) if one.ts > since]

    def idle(self) -> None:
        """Wait until everything was delivered and dealt with."""
        assert self.box.slack.wait()

        def quiet() -> bool:
            jobs, posts = self.program.jobs.counts(), self.program.outbox.counts()
            return not any(counts[state] for counts in (jobs, posts) for state in ("queued", "running"))

        until(quiet, "nothing queued")


def shown(message: Message) -> str:
    """What a reader sees of a message."""
    return "\n".join(filter(None, map(text_of, message.blocks))).strip() or message.text


def text_of(block: Any) -> str:
    """All text of a block, in order; a button is shown by its label."""
    if isinstance(block, list):
        return "".join(map(text_of, block))
    if not isinstance(block, dict):
        return ""
    own = block["text"] if isinstance(block.get("text"), str) else text_of(block.get("text"))
    inner = "".join(text_of(block[name]) for name in ("elements", "rows", "fields") if name in block)
    return own + inner + ("\n" if str(block.get("type", "")).startswith("rich_text_") else "")


def nodes(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every part of a message's blocks."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for inner in value if isinstance(value, list | tuple) else ():
        yield from nodes(inner)


def addresses(message: Message) -> list[str]:
    """Where the links of a message lead, in order."""
    return [node["url"] for node in nodes(message.blocks) if node.get("type") == "link"]


Changes = Callable[[Sandbox], dict[str, Any]]


@contextmanager
def office(
    home: Path, company: Company, *, program: type[Program] = Hurried, changes: Changes = lambda _box: {}
) -> Iterator[Office]:
    """The whole company indexed, and the service at work.

    Beside the company's channels there are `board` and `safety`, private with labels mapped to them; `partners`, which
    is shared with another company and allowed; and `follow`, where a thread needs no mention.
    """
    with opened(company, home) as place:
        box, clock = place.box, Moved()
        people = {person.name: person.id for person in company.people}
        team, board = tuple(people[name] for name in TEAM), tuple(people[n] for n in (BOARD, "Matteo Rinaldi"))
        slack = box.slack
        board_id = slack.create(Channel("board", board, private=True))
        safety_id = slack.create(Channel("safety", (people[LEAD], people["Dagny Aas"]), private=True))
        partners_id = slack.create(Channel("partners", team, shared_with="Quayline", strangers=("Odile Marchand",)))
        follow_id = slack.create(Channel("follow", team))
        chosen = Slack(
            site=box.slack_url,
            channels={
                board_id: ("confluence:LED",),
                slack.user(people[BOARD]).id: ("confluence:LED",),
                safety_id: SAFETY,
            },
            outside=(partners_id,),
            follow_ups=(follow_id,),
        )
        audience = Audience(holders=place.settings.audience.holders, outsiders=("confluence:POL",))
        settings = quick(place.settings, slack=chosen, audience=audience, stale_after=30, **changes(box))
        secrets = place.secrets.model_copy(
            update={
                "slack_bot_token": SecretStr(slack.token),
                "slack_app_token": SecretStr(slack.app_token),
                "model_api_key": SecretStr(box.model.key),
            }
        )
        made = program(settings, secrets, clock=clock, metrics=Tally())
        with at_work(box, made) as live:
            until(lambda: slack.sockets.connected, "the socket")
            yield Office(live.box, live.program, live.url, clock=clock)
