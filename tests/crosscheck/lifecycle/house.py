"""A service that is stopped and started again over the same sandbox, and what people see of it meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from crosscheck.settings import Audience, Settings
from crosscheck.settings_slack import Slack
from crosscheck.settings_sources import Confluence
from evals.places import SURFACES
from evals.playground import company, delivery_key, secrets_of, settings
from evals.slack_kills import is_working
from sandbox.server import Sandbox
from tests.crosscheck.live import Live, at_work, quick, until
from tests.surfaces.program import Moved, Parroting

CHANNEL = "general"
PERSON = "dev-1"


class Restarting(Parroting):
    """A program that says other words at each start, as a model may."""

    words = ""

    @cached_property
    def parrot(self) -> Any:
        made = super().parrot
        made.own_words = (self.words,)
        return made


def chosen(box: Sandbox, data: Path) -> Settings:
    """Tickets, pages and Slack."""
    wiki = Confluence(
        site=box.confluence_url,
        user=box.read_user,
        post_user=box.post_user,
        spaces=("RUN",),
        answers=True,
        poll_seconds=0.2,
    )
    return quick(
        settings(data, box, lease=60, threads=4),
        confluence=wiki,
        slack=Slack(site=box.slack_url),
        audience=Audience(holders={"org": ("jira:RUN",)}),
    )


@dataclass
class House:
    box: Sandbox
    data: Path
    starts: int = 0
    asked: dict[str, Any] = field(default_factory=dict)
    """What was asked, by its name."""

    @property
    def settings(self) -> Settings:
        return chosen(self.box, self.data)

    @contextmanager
    def at_work(self, kind: type[Restarting] = Restarting) -> Iterator[Live]:
        """The service until the block ends, listening to Slack."""
        self.starts += 1
        program = kind(self.settings, secrets_of(self.box), Moved())
        program.words = f"said by start {self.starts}"
        with at_work(self.box, program, index=False, webhooks=False) as live:
            assert self.box.slack.sockets.wait_connected()
            yield live

    def ask_everywhere(self, number: int) -> None:
        """On a ticket, on a page, and in a thread; each number once."""
        self.asked[f"ticket {number}"] = SURFACES["jira cloud"].ask(self.box, number)
        self.asked[f"page {number}"] = SURFACES["confluence cloud"].ask(self.box, number)
        self.asked[f"thread {number}"] = self.say(f"how many reports, for the {number}. time?")

    def say(self, text: str) -> str:
        return self.box.slack.say(PERSON, CHANNEL, f"{self.box.slack.mention} {text}")

    def alone(self, text: str) -> None:
        self.box.slack.command(PERSON, CHANNEL, text)

    def told_alone(self) -> list[str]:
        """What the person was shown alone, but for the signs of life."""
        shown = [one.text for one in self.box.slack.ephemeral(CHANNEL, PERSON)]
        return [text for text in shown if "Looking into it" not in text]

    def visible(self) -> dict[str, int]:
        """How many answers stand for each question; a sign of life that was left standing counts as one."""
        found = {}
        for name, asked in self.asked.items():
            if name.startswith("thread"):
                found[name] = len([one for one in self.box.slack.messages(CHANNEL, asked) if one.ts != asked])
            else:
                found[name] = asked.visible()
        return found

    def working(self) -> int:
        """Messages that still say that the bot is at work."""
        return sum(is_working(one) for asked in self._threads for one in self.box.slack.messages(CHANNEL, asked))

    @property
    def _threads(self) -> list[str]:
        return [asked for name, asked in self.asked.items() if name.startswith("thread")]

    def texts(self) -> list[str]:
        """All that the bot said in tickets and threads, as it stands there now."""
        said = [
            str(raw["body"]) for n in range(1, 5) for raw in self.box.jira.comments(f"RUN-{n}") if delivery_key(raw)
        ]
        bot = self.box.slack.bot.id
        said += [one.text for ts in self._threads for one in self.box.slack.messages(CHANNEL, ts) if one.user == bot]
        return said

    def answered(self, live: Live) -> None:
        """Wait until everything that was asked has an answer, and nothing is left to do."""

        def over() -> bool:
            jobs, posts = live.program.jobs.counts(), live.program.outbox.counts()
            idle = not any(counts[state] for counts in (jobs, posts) for state in ("queued", "running"))
            return idle and all(self.visible().values()) and not self.working()

        until(over, f"an answer to each of {self.visible()}, {live.program.jobs.counts()}")


@contextmanager
def house(folder: Path, tickets: int = 4) -> Iterator[House]:
    with Sandbox.start(company(tickets, pages=tickets)) as box:
        yield House(box, folder / "data")
