"""The whole product at work against the sandbox, and a few things that one does with it. Nothing here sleeps for long:
what is waited for is looked at in small steps, and what does not come is an error.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from crosscheck import settings as config
from crosscheck.demo_settings import settings_text, truth_text
from crosscheck.owner import owning
from crosscheck.serving import service
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_running import Limits
from crosscheck.wiring import Program
from evals.playground import DELIVERY, Unindexed, secrets_of
from evals.playground import settings as small_settings
from sandbox.records import Company
from sandbox.repos import build
from sandbox.server import Sandbox
from state.types import JobView
from tests.fakes import Tally

PATIENCE = 30.0
SETTLED = {"sent", "failed", "dropped", "withheld", "held", "cancelled"}


def until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """The first true value of the condition."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"not within {seconds:g} s: {what}")


@dataclass
class Live:
    """A running service with its sandbox."""

    box: Sandbox
    program: Program
    url: str
    old: str = ""
    """A question from before the first start."""

    @property
    def metrics(self) -> Tally:
        assert isinstance(self.program.metrics, Tally)
        return self.program.metrics

    def person(self, name: str) -> str:
        return next(person.id for person in self.box.company.people if person.name == name)

    def reporter(self, key: str) -> str:
        return next(ticket.reporter for ticket in self.box.company.tickets if ticket.key == key)

    def ask(self, key: str, text: str = "#qa-check", *, by: str = "", **shown: Any) -> str:
        """Write a comment; its id."""
        return self.box.jira.add_comment(key, by or self.reporter(key), text, **shown)

    def job(self, comment: str) -> JobView | None:
        for summary in self.program.jobs.list(limit=1000):
            if summary.key.split("|")[-2] == comment:
                return self.program.jobs.show(summary.id)
        return None

    def settled(self, comment: str, seconds: float = PATIENCE) -> JobView:
        """The job of a comment once nothing of it will change any more."""

        def look() -> JobView | None:
            view = self.job(comment)
            over = view and view.job.state in {"done", "gone", "failed"} and {p.state for p in view.posts} <= SETTLED
            return view if over else None

        return until(look, f"the end of the job of comment {comment}: {self.job(comment)}", seconds)

    def replies(self, key: str, comment: str) -> list[dict[str, Any]]:
        """The raw comments that answer a comment, as they stand in the ticket."""
        return [raw for raw in self.box.jira.comments(key) if trigger_of(raw) == comment]

    def answer(self, key: str, comment: str, seconds: float = PATIENCE) -> dict[str, Any]:
        """The one reply to a comment."""
        view = self.settled(comment, seconds)
        replies = self.replies(key, comment)
        assert len(replies) == 1, view
        return replies[0]

    def quiet_polls(self) -> None:
        """Wait until whatever was written so far has been delivered and polled."""
        assert self.box.webhooks.wait()
        before = self.metrics.total("crosscheck_polls_total", outcome="done")
        until(lambda: self.metrics.total("crosscheck_polls_total", outcome="done") >= before + 2, "two polls")

    def quiet(self) -> None:
        """Wait until whatever was written so far has been delivered, polled and dealt with."""
        self.quiet_polls()

        def idle() -> bool:
            jobs, posts = self.program.jobs.counts(), self.program.outbox.counts()
            return not any(counts[state] for counts in (jobs, posts) for state in ("queued", "running"))

        until(idle, "nothing queued")


def trigger_of(raw: Mapping[str, Any]) -> str | None:
    """The comment that a raw comment answers, if it is one of ours."""
    for item in raw.get("properties", ()):
        if item["key"] == DELIVERY:
            return str(item["value"]["trigger"])
    return None


def text_of(node: Any) -> str:
    """All text of a document."""
    if isinstance(node, list):
        return "".join(map(text_of, node))
    if not isinstance(node, dict):
        return ""
    own = node.get("text", "") + text_of(node.get("content", []))
    return own if node.get("type") == "text" else own + "\n"


def nodes(node: Any) -> Iterator[dict[str, Any]]:
    """Every node and mark of a document."""
    if isinstance(node, list):
        for one in node:
            yield from nodes(one)
    elif isinstance(node, dict):
        yield node
        yield from nodes(node.get("content", []))
        yield from nodes(node.get("marks", []))


def links(node: Any) -> set[str]:
    return {one["attrs"]["href"] for one in nodes(node) if one.get("type") == "link"}


@dataclass
class Opened:
    """A company on loopback, with the settings file and the secrets of a Crosscheck for it."""

    box: Sandbox
    file: Path
    secrets: Secrets

    @property
    def settings(self) -> Settings:
        return config.load(self.file)

    @property
    def environment(self) -> dict[str, str]:
        """The secrets as the environment has them."""
        values = {name: getattr(self.secrets, name) for name in Secrets.model_fields if name not in config.NAMED}
        several = {
            f"{begins}{name.upper()}": one
            for field, begins in config.NAMED.items()
            for name, one in getattr(self.secrets, field).items()
        }
        named = {config.variable(name): value for name, value in values.items() if value} | several
        return {name: value.get_secret_value() for name, value in named.items()}


@contextmanager
def opened(company: Company, home: Path) -> Iterator[Opened]:
    home.mkdir(parents=True, exist_ok=True)
    repos = build(company, home / "repos")
    with Sandbox.start(company) as box:
        box.repos.update(repos)
        file = home / config.FILE
        file.write_text(settings_text(company, box, repos, 0), "utf-8")
        (home / "truth.toml").write_text(truth_text(company), "utf-8")
        more = {
            "confluence_webhook_secret": SecretStr(box.webhook_secret),
            "host_tokens": {"github": SecretStr(box.git_host.token)},
        }
        secrets = secrets_of(box).model_copy(update=more)
        yield Opened(box, file, secrets)


@contextmanager
def at_work(
    box: Sandbox,
    program: Program,
    *,
    index: bool = True,
    webhooks: bool = True,
    syncs: bool = False,
    owned: bool = False,
) -> Iterator[Live]:
    """Index the company, then run the service until the block ends. `owned`: the folder is this process's already."""
    with nullcontext() if owned else owning(program.settings.data, "serve"), closing(program):
        if index:
            for name in program.sources.names([]):
                program.sources.sync(name, True, lambda _message: None)
        with service(program, syncs=syncs) as running:
            if webhooks:
                box.deliver_to(f"{running.url}/webhooks/jira")
            yield Live(box, program, running.url)


UNLIMITED = Limits(person_hour=0, place_hour=0, calls_minute=0)
"""One account asks for all."""


def quick(settings: Settings, *, poll: float = 0.2, **changes: Any) -> Settings:
    """The same settings with a short period between polls, no limits on those who ask, and other changes."""
    assert settings.jira
    jira = settings.jira.model_copy(update={"poll_seconds": poll})
    serve = settings.serve.model_copy(update={"port": 0})
    return settings.model_copy(update={"jira": jira, "serve": serve, "limits": UNLIMITED, **changes})


class Small(Unindexed):
    """A program over a small company without an index."""

    send_timeout = 3.0

    def __init__(self, box: Sandbox, data: Path, **more: Any) -> None:
        changes = more.pop("changes", {})
        settings = quick(small_settings(data, box, lease=20, threads=2), **changes)
        super().__init__(settings, secrets_of(box), **{"metrics": Tally(), **more})


def with_tickets(company: Company, *tickets: Any) -> Company:
    return replace(company, tickets=(*company.tickets, *tickets))
