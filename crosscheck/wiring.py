"""The program: every part made when it is first asked for, and closed together. Plain constructors."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Protocol

from bots.confluence.poller import Poller as PagePoller
from bots.errors import BotError
from bots.events import Noticed
from bots.jira.poller import Poller as TicketPoller
from bots.outline import Outline
from bots.plain import plain
from bots.slack.client import SlackClient
from crosscheck.admission import Admission
from crosscheck.comments.intake import Intake
from crosscheck.comments.parts import CommentParts
from crosscheck.comments.surface import CommentClient, Surface
from crosscheck.delivery import BySurface
from crosscheck.dismissing import SKEW
from crosscheck.errors import CrosscheckError
from crosscheck.index_following import KEPT_ELSEWHERE
from crosscheck.leading import Alone, Leading
from crosscheck.needed import require
from crosscheck.replies import Replies
from crosscheck.restored import looking_first
from crosscheck.reviewing import Reviewing
from crosscheck.settings_slack import Slack
from crosscheck.slack.parts import SlackParts, slack_client
from crosscheck.slack.role import Listening
from crosscheck.worker import Pause, Worker, patient
from state.backoff import backoff
from state.leaders import Leaders
from state.limits import Asked
from state.restoring import restored_at

TICKETS_NEED = (
    "The account that reads (jira.read_user with CROSSCHECK_JIRA_READ_TOKEN) needs the permission Browse Projects in "
    "{container}."
)
PAGES_NEED = (
    "The account that reads (confluence.user with CROSSCHECK_CONFLUENCE_TOKEN) needs to view the pages of {container}."
)


class Polls(Protocol):
    def run(self, stop: threading.Event, period: float) -> None: ...
    def poll_once(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Polling:
    """What looks for new comments, every so many seconds."""

    poller: Polls
    seconds: float


class Program(Reviewing):
    """All parts over one settings file. Whoever opens one must own the data folder."""

    pause: Pause = staticmethod(backoff)
    posting_pause: Pause = staticmethod(patient)
    _keeper: "Program | None" = None

    def prepare(self) -> None:
        """Make what serving needs, so that a missing secret or an index in use ends the start, with a sentence."""
        require(self.settings, self.secrets)
        for surface in self.comments.surfaces:
            self.floor(surface)
        _ = [self.sources.opened(name) for name in self.sources.minutes], self.deployments, self.schema_histories
        _ = self.worker, self.pollers, self.listening

    def keeper(self) -> "Program":
        """The program whose index this process keeps.

        Raises:
            CrosscheckError: of several processes it is not the one that does.

        """
        keeper = self if self.keeps_index else self._keeper
        if keeper is None:
            raise CrosscheckError(KEPT_ELSEWHERE)
        return keeper

    @contextmanager
    def keeping(self) -> Iterator["Program"]:
        """Parts that keep the index, beside these which search it, for as long as the block runs."""
        keeper = type(self)(self.settings, self.secrets, clock=self.clock, metrics=self.metrics)
        with closing(keeper):
            self._keeper = keeper
            try:
                yield keeper
            finally:
                self._keeper = None

    # Answering

    def floor(self, surface: str = "jira") -> datetime:
        """When this installation began to answer there: its first start, by the platform's clock, since comments carry
        that; ours may be ahead where it does not tell its time. Slack's is Jira's.
        """
        name = "floor" if surface == "jira" else f"floor:{surface}"
        value = self.cursors.get(name)
        if value is None:
            value = self._time(self.comments.surfaces[surface].client).isoformat()
            self.cursors.set(name, value)
        return datetime.fromisoformat(value)

    def _time(self, client: CommentClient) -> datetime:
        try:
            return client.now() or self.clock() - SKEW
        except BotError:
            return self.clock()

    @cached_property
    def comments(self) -> CommentParts:
        """What answers in comments on tickets and pages."""
        return CommentParts(
            {surface.name: surface for surface in self._surfaces()},
            commands=self.settings.commands,
            database=self.database,
            jobs=self.jobs,
            outbox=self.outbox,
            audiences=self.audiences,
            subjects=self.subjects,
            memory=self.memory,
            admission=self.admission,
            labels_now=self.sources.labels_now,
            jira_site=self._jira.site,
            posting=self.settings.posting,
            lease=timedelta(seconds=self.settings.worker.lease_seconds),
            pause=self.posting_pause,
            clock=self.clock,
            metrics=self.metrics,
            spans=self.spans,
        )

    def _surfaces(self) -> Iterator[Surface]:
        yield Surface("jira", self.jira_client, self._jira.projects, self.floor, needs=TICKETS_NEED)
        wiki = self.settings.confluence
        if wiki and wiki.answers:
            yield Surface(
                "confluence",
                self.confluence_client,
                wiki.spaces,
                lambda: self.floor("confluence"),
                needs=PAGES_NEED,
                kind="page",
                attaches=False,
            )

    @cached_property
    def worker(self) -> Worker:
        slack = self.slack
        handlers = {**self.comments.handlers(self.replies), **(slack.handlers(self.replies) if slack else {})}
        clients = {name: surface.client for name, surface in self.comments.surfaces.items()}
        return Worker(
            self.jobs,
            self.outbox,
            looking_first(
                handlers, clients | ({"slack": slack.client} if slack else {}), self.jobs, restored_at(self.database)
            ),
            BySurface({**self.comments.deliveries(), **(slack.deliveries() if slack else {})}),
            name="worker",
            threads=self.settings.worker.threads,
            lease=timedelta(seconds=self.settings.worker.lease_seconds),
            limit=timedelta(minutes=self.settings.worker.job_minutes),
            pause=self.pause,
            posting_pause=self.posting_pause,
            posting=self.settings.posting,
            clock=self.clock,
            metrics=self.metrics,
            spans=self.spans,
            redacted=self.redacted,
        )

    @cached_property
    def admission(self) -> Admission:
        """Counts what people ask."""
        return Admission(Asked(self.database, self.clock), self.settings.limits, self.metrics)

    @cached_property
    def replies(self) -> Replies:
        return Replies(
            reviewer=lambda: self.reviewer,
            answerer=lambda: self.answerer,
            drafter=lambda: self.drafter,
            freshness=self.sources.freshness,
            labels_now=self.slack.labels_now if self.slack else self.sources.labels_now,
            metrics=self.metrics,
        )

    @cached_property
    def slack(self) -> SlackParts | None:
        """Slack's part; None where no workspace is configured."""
        chosen = self.settings.slack
        if chosen is None:
            return None
        by_socket = chosen.mode == "socket"
        return SlackParts(
            chosen,
            client=self.slack_client(chosen),
            app_token=self.secrets.need("slack_app_token") if by_socket else "",
            signing_secret="" if by_socket else self.secrets.need("slack_signing_secret"),
            database=self.database,
            jobs=self.jobs,
            outbox=self.outbox,
            audiences=self.audiences,
            admission=self.admission,
            freshness=self.sources.freshness,
            labels_now=self.sources.labels_now,
            floor=self.floor,
            jira_site=self._jira.site,
            posting=self.settings.posting,
            lease=timedelta(seconds=self.settings.worker.lease_seconds),
            pause=self.posting_pause,
            clock=self.clock,
            metrics=self.metrics,
            spans=self.spans,
        )

    def slack_client(self, chosen: Slack) -> SlackClient:
        """Raises BadSettings when the site or the token cannot be one."""
        return slack_client(chosen, self.secrets)

    @cached_property
    def listening(self) -> Listening | None:
        """What listens to Slack."""
        return self.slack.listening(self.worker.wake) if self.slack else None

    def intake(self, surface: str) -> Intake | None:
        """What takes notices of a surface; None where nothing is answered."""
        return self.comments.intake(surface, self.worker.wake) if surface in self.comments.surfaces else None

    @cached_property
    def leading(self) -> Leading:
        """Does what only one process may do at a time."""
        return Leading(Leaders(self.database, self.clock) if self.settings.several else Alone(), self.metrics)

    def _taking(self, surface: str) -> Callable[[Noticed], object]:
        intake = self.comments.intake(surface, self.worker.wake)
        return lambda noticed: intake.accept(noticed, "poll")

    @cached_property
    def pollers(self) -> Mapping[str, Polling]:
        """What looks for new comments, by surface."""
        jira, wiki = self._jira, self.settings.confluence
        tickets = TicketPoller(
            self.jira_client,
            jira.projects,
            self.cursors,
            self._taking("jira"),
            began=self.floor,
            clock=self.clock,
            metrics=self.metrics,
            words=self.settings.commands.words,
        )
        found = {"jira": Polling(tickets, jira.poll_seconds)}
        if wiki and wiki.answers:
            pages = PagePoller(
                self.confluence_client,
                wiki.spaces,
                self.cursors,
                self._taking("confluence"),
                began=lambda: self.floor("confluence"),
                clock=self.clock,
                metrics=self.metrics,
                words=self.settings.commands.words,
            )
            found["confluence"] = Polling(pages, wiki.poll_seconds)
        return found

    @staticmethod
    def readable(outline: Outline) -> str:
        return plain(outline)
