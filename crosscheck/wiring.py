"""Plain constructors: every part of the program, made when it is first asked for and closed together."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

import structlog
from pydantic_ai.models import Model

from bots.errors import BotError
from bots.jira.client import JiraClient
from bots.jira.poller import Poller
from bots.outline import Outline
from bots.plain import plain
from bots.types import Trigger
from core import visibility
from core.connectors.base import Connector
from core.connectors.confluence import ConfluenceConnector
from core.connectors.git import GitConnector
from core.connectors.jira import JiraConnector
from core.connectors.jira_reader import JiraReader
from core.embedding.static import StaticEmbedder
from core.errors import SourceForbidden, SourceGone, SourceIncomplete, SourceUnavailable
from core.ingest import Ingest
from core.mirror import Mirror
from core.search import Searcher
from core.store.edge import EdgeStore
from core.types import Audience, Freshness, Metrics, NullMetrics
from crosscheck.audience import Audiences
from crosscheck.delivery import DeliveryHandler
from crosscheck.errors import BadSettings
from crosscheck.handlers import ReviewHandler
from crosscheck.intake import Intake, why_ignored
from crosscheck.settings import Secrets, Settings
from crosscheck.worker import Pause, Worker, patient
from review.agents.models import build_model
from review.budget import Budget
from review.checks import RULES
from review.service import Reviewer
from review.words import defaults, extended
from state.backoff import backoff
from state.cursors import Cursors
from state.db import open_database
from state.jobs import Jobs
from state.outbox import Outbox
from state.registry import Registry

log = structlog.get_logger(__name__)

JIRA = "jira"
CONFLUENCE = "confluence"


def utc_now() -> datetime:
    return datetime.now(UTC)


class Program:
    """All parts over one settings file. Whoever opens one must own the data folder."""

    pause: Pause = staticmethod(backoff)
    posting_pause: Pause = staticmethod(patient)

    def __init__(
        self,
        settings: Settings,
        secrets: Secrets,
        *,
        clock: Callable[[], datetime] = utc_now,
        metrics: Metrics | None = None,
    ) -> None:
        self.settings = settings
        self.secrets = secrets
        self.clock = clock
        self.metrics = metrics or NullMetrics()
        self._stopping = threading.Event()
        self._syncing: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def prepare(self) -> None:
        """Make what serving needs, so that a missing secret or an index in use ends the start, with a sentence."""
        self.floor()
        _ = self.connectors, self.worker, self.poller

    def stop(self) -> None:
        """Have syncs under way end at their next document; what they wrote stays."""
        self._stopping.set()

    def close(self) -> None:
        """Flush and close what was opened; once more is no harm."""
        if store := self.__dict__.pop("store", None):
            store.close()
        if engine := self.__dict__.pop("engine", None):
            engine.dispose()

    # Remembering

    @cached_property
    def engine(self) -> Any:
        return open_database(self.settings.data / "crosscheck.sqlite")

    @cached_property
    def jobs(self) -> Jobs:
        return Jobs(self.engine, self.clock)

    @cached_property
    def outbox(self) -> Outbox:
        return Outbox(self.engine, self.clock)

    @cached_property
    def cursors(self) -> Cursors:
        return Cursors(self.engine)

    @cached_property
    def registry(self) -> Registry:
        return Registry(self.engine, self.clock)

    # Finding

    @cached_property
    def embedder(self) -> StaticEmbedder:
        return StaticEmbedder()

    @cached_property
    def store(self) -> EdgeStore:
        return EdgeStore.open(self.settings.data / "index", self.embedder)

    @cached_property
    def searcher(self) -> Searcher:
        return Searcher(self.store, self.embedder, metrics=self.metrics)

    @cached_property
    def ingest(self) -> Ingest:
        return Ingest(self.store, self.embedder, self.registry, self.cursors, metrics=self.metrics)

    @cached_property
    def jira_reader(self) -> JiraReader:
        jira = self._jira
        return JiraReader(jira.site, jira.read_user, self.secrets.need("jira_read_token"), bots=self._bots)

    @cached_property
    def connectors(self) -> Mapping[str, Connector]:
        """Sources by name."""
        return {name: self.connector(name) for name in self.sync_minutes}

    def connector(self, name: str) -> Connector:
        """One configured source, made anew."""
        if name == JIRA:
            return JiraConnector(JIRA, self.jira_reader, self._jira.projects)
        if name == CONFLUENCE and self.settings.confluence:
            wiki = self.settings.confluence
            token = self.secrets.need("confluence_token")
            return ConfluenceConnector(CONFLUENCE, wiki.site, wiki.user, token, wiki.spaces)
        git = next(git for git in self.settings.git if git.name == name)
        mirror = Mirror(self.settings.data / "mirrors" / name, git.location)
        return GitConnector(name, mirror, branch=git.branch, link=git.link)

    def source_names(self, wanted: Iterable[str]) -> list[str]:
        """The sources asked for, all when none is.

        Raises:
            BadSettings: a name is not configured; says which are.

        """
        names = list(dict.fromkeys(wanted))
        for name in names:
            if name not in self.sync_minutes:
                raise BadSettings(f"There is no source {name!r}. There are: {', '.join(self.sync_minutes)}.")
        return names or list(self.sync_minutes)

    def sync(self, name: str, full: bool, report: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """Bring one source up to date."""

        def progress(done: int, total: int | None) -> None:
            if self._stopping.is_set():
                raise SourceIncomplete("The service was stopped during this sync; the next one goes on.")
            report({"step": name, "name": name, "done": done, "total": total})

        with self._syncing[name]:
            result = self.ingest.sync(self.connectors[name], full=full, progress=progress)
        log.info("source synced", source=name, full=full, read=result.read, written=result.written)
        return {"source": name, **asdict(result)}

    def forget_removed(self) -> None:
        """Take out of the index what is not configured any more; nothing would keep its labels true."""
        for view in self.registry.sources():
            if view.name not in self.sync_minutes and view.documents:
                count = self.ingest.remove(view.name)
                log.warning("source removed", source=view.name, documents=count)

    def sweep_labels(self, name: str) -> None:
        """Read the labels of a source's documents anew: a restriction changes without its document changing."""
        with self._syncing[name]:
            changed = self.ingest.sweep_labels(self.connectors[name])
        log.info("labels swept", source=name, changed=changed)

    def labels_now(self, ids: Iterable[str]) -> dict[str, frozenset[str] | None]:
        """Access labels of documents as their sources give them now; None: gone, unreadable, or of no source.

        Raises SourceUnavailable when a source does not answer; one that refuses costs its own documents alone.
        """
        by_source: dict[str, list[str]] = {}
        for document in ids:
            by_source.setdefault(self._source_of(document), []).append(document)
        labels: dict[str, frozenset[str] | None] = {}
        for source, documents in by_source.items():
            labels.update(dict.fromkeys(documents))
            if source in self.connectors:
                try:
                    labels.update(self.connectors[source].labels_now(documents))
                except (SourceForbidden, SourceGone) as error:
                    log.warning("labels not read", source=source, reason=str(error))
        return labels

    @staticmethod
    def _source_of(document: str) -> str:
        """Ids begin with the source's name, but for Git, where the repository's name follows."""
        head, _, rest = document.partition(":")
        return rest.partition(":")[0].partition("@")[0] if head == "git" else head

    def all_sources(self) -> list[Freshness]:
        """Every configured source, read or not."""
        known = {view.name: view for view in self.registry.sources()}
        found = []
        for name in self.sync_minutes:
            view = known.get(name)
            last = view.last_success if view else None
            allowed = self._period(name) * self.settings.stale_after
            found.append(
                Freshness(
                    source=name,
                    documents=view.documents if view else 0,
                    last_success=last,
                    stale=last is None or self.clock() - last > allowed,
                    last_error=view.last_error if view else None,
                    labels=self._containers(name),
                )
            )
        return found

    def freshness(self, audience: Audience) -> list[Freshness]:
        """The sources that this audience may know of."""
        return [source for source in self.all_sources() if source.labels & audience.labels]

    def _containers(self, name: str) -> frozenset[str]:
        if name == JIRA and self.settings.jira:
            return frozenset(visibility.jira_project(key) for key in self.settings.jira.projects)
        if name == CONFLUENCE and self.settings.confluence:
            return frozenset(visibility.confluence_space(key) for key in self.settings.confluence.spaces)
        return frozenset({visibility.repository(name)})

    def _period(self, name: str) -> timedelta:
        return timedelta(minutes=self.sync_minutes[name])

    @cached_property
    def sync_minutes(self) -> Mapping[str, float]:
        """Minutes between two syncs, by source: every source that is configured."""
        minutes: dict[str, float] = {}
        if self.settings.jira:
            minutes[JIRA] = self.settings.jira.sync_minutes
        if self.settings.confluence:
            minutes[CONFLUENCE] = self.settings.confluence.sync_minutes
        return minutes | {git.name: git.sync_minutes for git in self.settings.git}

    # Reviewing

    @cached_property
    def audiences(self) -> Audiences:
        return Audiences(self.settings.audience.holders, self.settings.audience.outsiders)

    @cached_property
    def reviewer(self) -> Reviewer:
        chosen, rules = self.settings.model, self.settings.review
        return Reviewer(
            self.jira_reader,
            self.searcher,
            self.freshness,
            rules=RULES,
            words=extended(defaults(rules.languages), rules.words),
            model=self.model,
            clock=self.clock,
            metrics=self.metrics,
            agreed_statuses=frozenset(status.casefold() for status in self._jira.agreed_statuses),
            budget=Budget(requests=chosen.calls, tokens=chosen.tokens, seconds=chosen.seconds) if chosen else None,
        )

    @cached_property
    def model(self) -> Model | None:
        """The language model; a server of one's own may want no key."""
        chosen = self.settings.model
        if chosen is None:
            return None
        keyless = chosen.base_url and self.secrets.model_api_key is None
        return build_model(chosen.name, chosen.base_url, "" if keyless else self.secrets.need("model_api_key"))

    # Answering

    def _bots(self) -> frozenset[str]:
        """The posting account, whose own answers are no evidence."""
        if self.secrets.jira_post_token is None:
            return frozenset()
        try:
            return frozenset({self.jira_client.whoami()})
        except BotError as error:
            raise SourceUnavailable(str(error), retry_after=error.retry_after) from error

    @cached_property
    def jira_client(self) -> JiraClient:
        jira = self._jira
        return JiraClient(jira.site, jira.post_user, self.secrets.need("jira_post_token"))

    def ignored(self, trigger: Trigger) -> str | None:
        return why_ignored(trigger, self.floor(), self._jira.projects)

    def floor(self) -> datetime:
        """When this installation began to answer: its first start, by Jira's clock, since comments carry that."""
        value = self.cursors.get("floor")
        if value is None:
            value = self._jira_time().isoformat()
            self.cursors.set("floor", value)
        return datetime.fromisoformat(value)

    def _jira_time(self) -> datetime:
        try:
            return self.jira_client.now() or self.clock()
        except BotError:
            return self.clock()

    @cached_property
    def worker(self) -> Worker:
        lease = timedelta(seconds=self.settings.worker.lease_seconds)
        reviews = ReviewHandler(
            client=self.jira_client,
            reviewer=self.reviewer,
            audiences=self.audiences,
            jobs=self.jobs,
            labels_now=self.labels_now,
            freshness=self.freshness,
            ignored=self.ignored,
            posting=self.settings.posting,
            metrics=self.metrics,
        )
        deliveries = DeliveryHandler(
            client=self.jira_client,
            audiences=self.audiences,
            jobs=self.jobs,
            outbox=self.outbox,
            labels_now=self.labels_now,
            ignored=self.ignored,
            lease=lease,
            pause=self.posting_pause,
            clock=self.clock,
            metrics=self.metrics,
        )
        return Worker(
            self.jobs,
            self.outbox,
            {"review": reviews},
            deliveries,
            name="worker",
            threads=self.settings.worker.threads,
            lease=lease,
            limit=timedelta(minutes=self.settings.worker.job_minutes),
            pause=self.pause,
            posting_pause=self.posting_pause,
            posting=self.settings.posting,
            clock=self.clock,
            metrics=self.metrics,
        )

    @cached_property
    def intake(self) -> Intake:
        return Intake(self.jobs, self._jira.site, self.metrics, self.worker.wake)

    @cached_property
    def poller(self) -> Poller:
        return Poller(
            self.jira_client,
            self._jira.projects,
            self.cursors,
            lambda noticed: self.intake.accept(noticed, "poll"),
            clock=self.clock,
            metrics=self.metrics,
        )

    @staticmethod
    def readable(outline: Outline) -> str:
        return plain(outline)

    @property
    def _jira(self) -> Any:
        if self.settings.jira is None:
            raise BadSettings("There is no [jira] table in the settings; this needs one.")
        return self.settings.jira

    def index_is_whole(self) -> bool:
        """Whether the index holds what the database says; a damaged log loads without an error, and short."""
        short = self.ingest.check()
        if short:
            log.error("index differs", alarm="index", reason=short)
        return short is None
