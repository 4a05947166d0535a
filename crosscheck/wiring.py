"""Plain constructors: every part of the program, made when it is first asked for and closed together."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import structlog

from bots.errors import BotError
from bots.jira.client import JiraClient
from bots.jira.poller import Poller
from bots.outline import Outline
from bots.plain import plain
from bots.slack.client import SlackClient
from bots.types import Trigger
from core.connectors.jira_reader import JiraReader
from core.embedders import Embedders
from core.embedding.make import EmbedderSettings, from_json, to_json
from core.errors import SourceUnavailable
from core.host_lock import HostLock
from core.parsing.files import FileReader
from core.pictures import PictureLimits, Pictures
from core.pulls.pulls import RepositoryPulls
from core.rerank.chain import Reranking
from core.search import Searcher
from core.store.base import Store
from core.tuning import Tuning
from core.types import Metrics, NullMetrics
from crosscheck.audience import Audiences
from crosscheck.delivery import BySurface, DeliveryHandler
from crosscheck.errors import BadSettings
from crosscheck.handlers import ReviewHandler
from crosscheck.index import Index
from crosscheck.intake import Intake, why_ignored
from crosscheck.memory import Memory
from crosscheck.needed import require
from crosscheck.replies import Replies
from crosscheck.repositories import pulls
from crosscheck.reranking import chain
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_slack import Slack
from crosscheck.settings_sources import Jira
from crosscheck.slack.parts import SlackParts, slack_client
from crosscheck.slack.role import Listening
from crosscheck.sources import Sources
from crosscheck.stores import EDGE, FoldersAndServers
from crosscheck.tune import saved, tuned
from crosscheck.worker import Pause, Worker, patient
from review.budget import Budget
from review.checks import RULES
from review.words import defaults, extended
from state.backoff import backoff
from state.cursors import Cursors
from state.db import Database, open_database
from state.jobs import Jobs
from state.outbox import Outbox
from state.pictures import Pictures as PictureCache
from state.reviews import Reviews
from state.spending import Spending

if TYPE_CHECKING:  # the models' packages take longer to import than all else together, and few commands need them
    from pydantic_ai.models import Model

    from review.answer import Answerer
    from review.service import Models, Reviewer
    from review.test_cases.draft import TestCaseDrafter

log = structlog.get_logger(__name__)


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
        self._making = threading.Lock()
        self._chain: list[Reranking | None] = []  # empty until a search needs it

    def prepare(self) -> None:
        """Make what serving needs, so that a missing secret or an index in use ends the start, with a sentence."""
        require(self.settings, self.secrets)
        self.floor()
        _ = [self.sources.opened(name) for name in self.sources.minutes], self.worker, self.poller, self.listening

    def close(self) -> None:
        """Flush and close what was opened; once more is no harm."""
        if index := self.__dict__.pop("index", None):
            index.close()
        if reader := self.__dict__.pop("file_reader", None):
            reader.close()
        if database := self.__dict__.pop("database", None):
            database.dispose()

    # Remembering

    @cached_property
    def database(self) -> Database:
        return open_database(self.settings.data / "crosscheck.sqlite")

    @cached_property
    def jobs(self) -> Jobs:
        return Jobs(self.database, self.clock)

    @cached_property
    def outbox(self) -> Outbox:
        return Outbox(self.database, self.clock)

    @cached_property
    def cursors(self) -> Cursors:
        return Cursors(self.database)

    # Finding

    @cached_property
    def index(self) -> Index:
        return Index(
            self.settings.data / "index",
            self.kept,
            self._embedders,
            self.database,
            stores=FoldersAndServers(self.settings.data / "index", self.secrets.wanted("qdrant_api_key")),
            searcher=self.searching,
            clock=self.clock,
            metrics=self.metrics,
        )

    @property
    def _embedding(self) -> dict[str, Any]:
        chosen = self.settings.embedding
        documents = EmbedderSettings(**chosen.documents.model_dump())
        return to_json(documents, EmbedderSettings(**chosen.code.model_dump()) if chosen.code else documents)

    @property
    def kept(self) -> dict[str, Any]:
        """What the settings want the index to be made with, and where it is to be kept."""
        if self.settings.index.engine == EDGE:
            return self._embedding
        place = self.settings.index.model_dump(exclude={"engine"})
        return {**self._embedding, "store": {**place, "shards": place["shards"] or None}}

    def _embedders(self, described: Mapping[str, Any]) -> Embedders:
        lock = self.card if _on_the_card(described) else None
        return from_json(described, key=self.secrets.wanted("embedding_api_key"), lock=lock)

    def embedders(self) -> Embedders:
        """What the settings ask for, made anew."""
        return self._embedders(self._embedding)

    @property
    def searcher(self) -> Index:
        return self.index

    def searching(self, store: Store, embedders: Embedders) -> Searcher:
        """A searcher over any store, as the settings want it."""
        fitted = tuned(self.tuning, saved(self.settings.data, embedders))
        return Searcher(store, embedders, self.metrics, fitted, self.reranking)

    @property
    def tuning(self) -> Tuning:
        """As measured, but for what the settings say."""
        measured, chosen = Tuning(), self.settings.search
        arrangement = replace(
            measured.arrangement,
            places=measured.arrangement.places
            if chosen.places is None
            else {str(group): places for group, places in chosen.places.items()},
            apart=measured.arrangement.apart if chosen.apart is None else frozenset(chosen.apart),
            per_document=chosen.per_document or measured.arrangement.per_document,
        )
        novelty = measured.novelty if chosen.novelty is None else chosen.novelty
        return replace(measured, novelty=novelty, arrangement=arrangement)

    @property
    def reranking(self) -> Reranking | None:
        """One chain for all searchers: a model is loaded once, and one that hangs is known to all."""
        with self._making:
            if not self._chain:
                self._chain.append(chain(self.settings.reranking, lambda: self.card, self.metrics))
            return self._chain[0]

    @property
    def uses_card(self) -> bool:
        """Whether anything that the settings ask for runs a model on this host."""
        reranking = self.settings.reranking
        return bool(reranking.enabled and reranking.models) or _on_the_card(self._embedding)

    @cached_property
    def card(self) -> HostLock:
        """The graphics card's lock. LockUnusable if its file cannot be made."""
        return HostLock(self.settings.gpu.lock, self.settings.gpu.patience, metrics=self.metrics)

    @cached_property
    def jira_reader(self) -> JiraReader:
        jira = self._jira
        token = self.secrets.need("jira_read_token")
        asks = bool(self.settings.git)
        return JiraReader(jira.site, jira.read_user, token, bots=self._bots, development=asks)

    @cached_property
    def file_reader(self) -> FileReader:
        """Reads files; binary ones in processes of their own."""
        return FileReader()

    @cached_property
    def pictures(self) -> Pictures:
        """Finds words for pictures, by a model that sees if there is one."""
        chosen, cache, model = self.settings.pictures, PictureCache(self.database), self.vision
        if chosen is None or model is None:
            return Pictures(None, cache, metrics=self.metrics, clock=self.clock)
        from review.agents.vision import VisionDescriber

        limits = PictureLimits(run=chosen.run, day=chosen.day, tokens=chosen.tokens)
        return Pictures(VisionDescriber(model), cache, limits, metrics=self.metrics, clock=self.clock)

    @cached_property
    def vision(self) -> "Model | None":
        """The model that sees pictures."""
        chosen = self.settings.pictures
        return self._model(chosen.name, chosen.base_url, "pictures_api_key") if chosen else None

    @cached_property
    def sources(self) -> Sources:
        """What is indexed. Jira's reader is made when it is first needed."""
        return Sources(
            self.settings,
            self.secrets,
            index=self.index,
            cursors=self.cursors,
            jira=lambda: self.jira_reader,
            read=self.file_reader,
            pictures=self.pictures,
            metrics=self.metrics,
            clock=self.clock,
        )

    # Reviewing

    @cached_property
    def audiences(self) -> Audiences:
        chosen = self.settings.audience
        channels = self.settings.slack.channels if self.settings.slack else {}
        return Audiences(chosen.holders, chosen.outsiders, channels)

    @cached_property
    def pulls(self) -> RepositoryPulls | None:
        """Reads pull requests; None where no repository is configured."""
        return pulls(self.settings, self.secrets)

    @cached_property
    def reviewer(self) -> "Reviewer":
        from review.service import Reviewer

        rules = self.settings.review
        return Reviewer(
            self.jira_reader,
            self.searcher,
            self.sources.freshness,
            rules=RULES,
            words=extended(defaults(rules.languages), rules.words),
            models=self.models,
            clock=self.clock,
            metrics=self.metrics,
            agreed_statuses=frozenset(status.casefold() for status in self._jira.agreed_statuses),
            pulls=self.pulls,
            users_of=self.index.users_of,
            budget=self.budget,
            memory=self.memory,
        )

    @property
    def budget(self) -> Budget:
        """What one review or answer may use."""
        chosen = self.settings.model
        if chosen is None:
            return Budget()
        return Budget(requests=chosen.calls, tokens=chosen.tokens, seconds=chosen.seconds)

    @cached_property
    def models(self) -> "Models | None":
        """Who judges beside the rules."""
        from review.agents.scope import DEFAULT_AGENTS, AgentScope
        from review.service import Models

        chosen, model = self.settings.model, self.model
        if chosen is None or model is None:
            return None
        further = [
            AgentScope(one.name, one.kind, one.about, frozenset(one.sources), frozenset(one.repos), one.path)
            for one in self.settings.agents
        ]
        return Models(
            model=model,
            agents=(*DEFAULT_AGENTS, *further),
            purse=self.purse,
            withheld=frozenset(chosen.withhold),
            filtering=chosen.filter,
        )

    @property
    def purse(self) -> Spending:
        """What the models that review and answer may spend in a day."""
        limit = self.settings.model.day_tokens if self.settings.model else 0
        return Spending(self.database, purpose="review", limit=limit, clock=self.clock)

    @cached_property
    def memory(self) -> Memory:
        """What was told and set aside before."""
        return Memory(Reviews(self.database), self._jira.site)

    @cached_property
    def drafter(self) -> "TestCaseDrafter":
        from review.test_cases.draft import TestCaseDrafter

        rules = self.settings.review
        return TestCaseDrafter(
            self.jira_reader,
            self.searcher,
            self.sources.freshness,
            words=extended(defaults(rules.languages), rules.words),
            clock=self.clock,
            metrics=self.metrics,
            models=self.models,
            budget=self.budget,
            pulls=self.pulls,
            users_of=self.index.users_of,
        )

    @cached_property
    def answerer(self) -> "Answerer":
        from review.answer import Answerer

        return Answerer(
            self.searcher,
            self.sources.freshness,
            models=self.models,
            clock=self.clock,
            metrics=self.metrics,
            budget=self.budget,
        )

    @cached_property
    def model(self) -> "Model | None":
        """The language model that reviews, and the one that is asked when it gives no answer."""
        from review.agents.models import with_fallback

        chosen = self.settings.model
        if chosen is None:
            return None
        first = self._model(chosen.name, chosen.base_url, "model_api_key")
        second = chosen.fallback
        if second is None:
            return first
        return with_fallback(first, self._model(second.name, second.base_url, "fallback_api_key"))

    def _model(self, name: str, base_url: str | None, key: str) -> "Model":
        """A model by the secret that is its key; a server of one's own may want none."""
        from review.agents.models import build_model

        keyless = base_url and getattr(self.secrets, key) is None
        return build_model(name, base_url, "" if keyless else self.secrets.need(key))

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
            memory=self.memory,
            labels_now=self.sources.labels_now,
            freshness=self.sources.freshness,
            ignored=self.ignored,
            posting=self.settings.posting,
            metrics=self.metrics,
        )
        deliveries = DeliveryHandler(
            client=self.jira_client,
            audiences=self.audiences,
            jobs=self.jobs,
            outbox=self.outbox,
            labels_now=self.sources.labels_now,
            ignored=self.ignored,
            lease=lease,
            pause=self.posting_pause,
            clock=self.clock,
            metrics=self.metrics,
        )
        slack = self.slack
        return Worker(
            self.jobs,
            self.outbox,
            {"review": reviews, **(slack.handlers(self.replies) if slack else {})},
            BySurface({"jira": deliveries, **(slack.deliveries() if slack else {})}),
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
            freshness=self.sources.freshness,
            labels_now=self.sources.labels_now,
            floor=self.floor,
            jira_site=self._jira.site,
            posting=self.settings.posting,
            lease=timedelta(seconds=self.settings.worker.lease_seconds),
            pause=self.posting_pause,
            clock=self.clock,
            metrics=self.metrics,
        )

    def slack_client(self, chosen: Slack) -> SlackClient:
        """Raises BadSettings when the site or the token cannot be one."""
        return slack_client(chosen, self.secrets)

    @cached_property
    def listening(self) -> Listening | None:
        """What listens to Slack."""
        return self.slack.listening(self.worker.wake) if self.slack else None

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
            began=self.floor,
            clock=self.clock,
            metrics=self.metrics,
        )

    @staticmethod
    def readable(outline: Outline) -> str:
        return plain(outline)

    @property
    def _jira(self) -> Jira:
        if self.settings.jira is None:
            raise BadSettings("There is no [jira] table in the settings; this needs one.")
        return self.settings.jira

    def index_is_whole(self) -> bool:
        """Whether the index holds what the database says; a damaged log loads without an error, and short."""
        with self.index.generations() as generations:
            short = [reason for generation in generations if (reason := generation.ingest.check())]
        for reason in short:
            log.error("index differs", alarm="index", reason=reason)
        return not short


def _on_the_card(described: Mapping[str, Any]) -> bool:
    """Whether one of these embedders runs a model on this host."""
    return any(described.get(name, {}).get("kind") in {"bge", "onnx"} for name in ("documents", "code"))
