"""The product's own parts against a small sandbox, set up for what is measured: no index, short time limits."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from bots.confluence.client import ConfluenceClient
from bots.jira.client import JiraClient
from bots.slack.client import SlackClient
from core.types import Audience, Evidence, Query, SearchResult
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_finding import Gpu
from crosscheck.settings_running import Limits, Worker
from crosscheck.settings_slack import Slack
from crosscheck.settings_sources import Jira
from crosscheck.slack.parts import slack_client
from crosscheck.wiring import Program
from sandbox.records import Company, Page, PageVersion, Person, Project, Space, Ticket
from sandbox.server import Sandbox

DELIVERY = "crosscheck.delivery"  # the comment property that carries the delivery key
_RUNS = (Project("RUN", "Runs", {"Leads": ("po-1",)}),)
_HELP = (Project("HELP", "Help desk", {"Leads": ("po-1",)}, service_desk=True),)
OPENED = datetime(2026, 11, 2, 9, tzinfo=UTC)


class NothingFound:
    """A searcher over an empty index."""

    def search(self, _query: Query, _audience: Audience) -> SearchResult:
        return SearchResult(())

    def lookup(self, _key: str, _audience: Audience) -> tuple[Evidence, ...]:
        return ()

    def open_document(self, _document_id: str, _audience: Audience, _limit: int) -> tuple[Evidence, ...]:
        return ()


def quickly(_attempt: int, asked: float | None) -> timedelta:
    """No backoff to speak of, so that a run takes as long as its leases."""
    return timedelta(seconds=asked or 0.05)


class Unindexed(Program):
    """A program without an index, whose clients give up after `send_timeout` seconds."""

    send_timeout = 5.0
    pause = posting_pause = staticmethod(quickly)

    @cached_property
    def searcher(self) -> Any:
        return NothingFound()

    @cached_property
    def jira_client(self) -> JiraClient:
        jira = self._jira
        return JiraClient(jira.site, jira.post_user, self.secrets.need("jira_post_token"), timeout=self.send_timeout)

    @cached_property
    def confluence_client(self) -> ConfluenceClient:
        wiki, token = self._wiki, self.secrets.need("confluence_post_token")
        return ConfluenceClient(wiki.site, wiki.post_user, token, timeout=self.send_timeout)

    def slack_client(self, chosen: Slack) -> SlackClient:
        return slack_client(chosen, self.secrets, timeout=self.send_timeout)


def company(tickets: int, pages: int = 0) -> Company:
    """A project with as many plain stories; with pages, a space of them and a service project with as many requests."""
    people = (Person("po-1", "Ana Sol", "ana@example.com"), Person("dev-1", "Ben Orr", "ben@example.com"))
    return Company(
        people=people,
        projects=(*_RUNS, *(_HELP if pages else ())),
        tickets=tuple(
            _ticket(f"{key}-{number}")
            for key in ("RUN", *(("HELP",) if pages else ()))
            for number in range(1, tickets + 1)
        ),
        spaces=(Space("RUN", "Runs"),) if pages else (),
        pages=tuple(_page(number) for number in range(1, pages + 1)),
        repos=(),
        truth=(),
    )


def settings(data: Path, box: Sandbox, *, lease: float, threads: int = 1) -> Settings:
    jira = Jira(site=box.jira_url, read_user=box.read_user, post_user=box.post_user, projects=("RUN",))
    worker = Worker(threads=threads, lease_seconds=lease)
    limits = Limits(person_hour=0, place_hour=0)  # one account asks for all
    return Settings(data=data, jira=jira, worker=worker, gpu=Gpu(lock=data / "gpu.lock"), limits=limits)


def secrets_of(box: Sandbox) -> Secrets:
    return Secrets(
        jira_read_token=SecretStr(box.read_token),
        jira_post_token=SecretStr(box.post_token),
        jira_webhook_secret=SecretStr(box.webhook_secret),
        confluence_token=SecretStr(box.read_token),
        confluence_post_token=SecretStr(box.post_token),
        slack_bot_token=SecretStr(box.slack.token),
        slack_app_token=SecretStr(box.slack.app_token),
        slack_signing_secret=SecretStr(box.slack.signing_secret),
    )


def delivery_key(comment: Mapping[str, Any]) -> str | None:
    """The delivery key that a raw comment carries, if it does."""
    for item in comment.get("properties", ()):
        if item["key"] == DELIVERY:
            return str(item["value"]["key"])
    return None


def _page(number: int) -> Page:
    text = "The export must be decided: TBD."
    return Page(str(number), "RUN", f"Export report number {number}", (PageVersion(OPENED, "po-1", text),))


def _ticket(key: str) -> Ticket:
    return Ticket(
        key=key,
        type="Story",
        summary=f"Export report number {key.rpartition('-')[2]}",
        description="The export must be decided: TBD.",
        status="Open",
        reporter="po-1",
        created=OPENED,
        updated=OPENED,
    )
