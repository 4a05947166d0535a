"""The lowest layer of the program: what remembers, and what finds."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import structlog

from bots.confluence.client import ConfluenceClient
from bots.errors import BotError
from bots.jira.client import JiraClient
from core.connectors.confluence_page import PageReader
from core.connectors.jira_reader import JiraReader
from core.embedders import Embedders
from core.embedding.make import EmbedderSettings, from_json, to_json
from core.errors import SourceUnavailable
from core.host_lock import HostLock
from core.parsing.files import FileReader
from core.pictures import PictureLimits, Pictures
from core.rerank.chain import Reranking
from core.search import Searcher
from core.spans import OFF, Spans
from core.store.base import Store
from core.tuning import Tuning
from core.types import Metrics, NullMetrics
from crosscheck.comments.surface import CommentClient
from crosscheck.errors import BadSettings
from crosscheck.index import Index
from crosscheck.index_following import LINGER, FollowedIndex
from crosscheck.redaction import Redaction
from crosscheck.reranking import chain
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_sources import Confluence, Jira
from crosscheck.sources import Sources
from crosscheck.stores import EDGE, FoldersAndServers, Stores
from crosscheck.subjects import Subjects
from crosscheck.tune import saved, tuned
from crosscheck.view import View
from state.cursors import Cursors
from state.db import Database, open_database
from state.jobs import Jobs
from state.outbox import Outbox
from state.pictures import Pictures as PictureCache

if TYPE_CHECKING:  # the models' packages take longer to import than all else together, and few commands need them
    from pydantic_ai.models import Model


log = structlog.get_logger(__name__)


def utc_now() -> datetime:
    return datetime.now(UTC)


class Finding:
    """The parts over one settings file, each made when it is first asked for, and closed together."""

    view = View()

    def __init__(
        self,
        settings: Settings,
        secrets: Secrets,
        *,
        clock: Callable[[], datetime] = utc_now,
        metrics: Metrics | None = None,
        spans: Spans = OFF,
        keeps_index: bool = True,
    ) -> None:
        """Of several processes over one index, one alone keeps it; the others search it."""
        self.settings = settings
        self.secrets = secrets
        self.clock = clock
        self.metrics = metrics or NullMetrics()
        self.spans = spans
        self.keeps_index = keeps_index
        self._making = threading.Lock()
        self._chain: list[Reranking | None] = []  # empty until a search needs it

    def close(self) -> None:
        """Flush and close what was opened; once more is no harm."""
        if index := self.__dict__.pop("index", None):
            index.close()
        if reader := self.__dict__.pop("file_reader", None):
            reader.close()
        if database := self.__dict__.pop("database", None):
            database.dispose()

    @cached_property
    def redacted(self) -> Redaction:
        """Takes the secrets out of what is written."""
        return Redaction(self.secrets.values())

    # Remembering

    @cached_property
    def database(self) -> Database:
        url = self.settings.state.url
        where = url or self.settings.data / "crosscheck.sqlite"
        return open_database(where, password=self.secrets.wanted("state_password"))

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
        make = Index if self.keeps_index else FollowedIndex
        return make(
            self.settings.data / "index",
            self.kept,
            self._embedders,
            self.database,
            stores=self.stores,
            searcher=self.searching,
            clock=self.clock,
            metrics=self.metrics,
            linger=LINGER if self.settings.several else 0,
            redacted=self.redacted,
        )

    @cached_property
    def stores(self) -> Stores:
        """Where generations of the index are kept."""
        return FoldersAndServers(self.settings.data / "index", self.secrets.wanted("qdrant_api_key"))

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
                self._chain.append(
                    chain(
                        self.settings.reranking,
                        lambda: self.card,
                        self.metrics,
                        self.secrets.wanted("reranking_api_key"),
                    )
                )
            return self._chain[0]

    @property
    def uses_card(self) -> bool:
        """Whether anything that the settings ask for runs a model on this host."""
        reranking = self.settings.reranking
        return bool(reranking.enabled and any(one.kind != "server" for one in reranking.models)) or _on_the_card(
            self._embedding
        )

    @cached_property
    def card(self) -> HostLock:
        """The graphics card's lock. LockUnusable if its file cannot be made."""
        return HostLock(self.settings.gpu.lock, self.settings.gpu.patience, metrics=self.metrics)

    @cached_property
    def jira_reader(self) -> JiraReader:
        jira = self._jira
        token = self.secrets.need("jira_read_token")
        asks, through = bool(self.settings.git), self.view.jira
        return JiraReader(jira.site, jira.read_user, token, bots=self._bots, development=asks, through=through)

    @cached_property
    def page_reader(self) -> PageReader:
        wiki = self._wiki
        token = self.secrets.need("confluence_token")
        through = self.view.confluence
        return PageReader(wiki.site, wiki.user, token, wiki.spaces, bots=self._page_bots, through=through)

    @cached_property
    def subjects(self) -> Subjects:
        """What is reviewed."""
        jira = self.settings.jira
        tickets = (lambda: self.jira_reader) if jira else None
        pages = (lambda: self.page_reader) if self.settings.confluence else None
        return Subjects(tickets, pages, projects=jira.projects if jira else (), labels_now=self.sources.labels_now)

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

    def _model(self, name: str, base_url: str | None, key: str) -> "Model":
        """A model by the secret that is its key; a server of one's own may want none."""
        from review.agents.counted import CountedModel
        from review.agents.models import build_model

        keyless = base_url and getattr(self.secrets, key) is None
        model = build_model(name, base_url, "" if keyless else self.secrets.need(key))
        return CountedModel(model, "pictures" if key == "pictures_api_key" else "review", self.metrics)

    @cached_property
    def sources(self) -> Sources:
        """What is indexed. Jira's reader is made when it is first needed."""
        return Sources(
            self.settings,
            self.secrets,
            index=self.index,
            cursors=self.cursors,
            jira=lambda: self.jira_reader,
            page_bots=self._page_bots,
            read=self.file_reader,
            pictures=self.pictures,
            metrics=self.metrics,
            clock=self.clock,
            view=self.view,
        )

    @cached_property
    def jira_client(self) -> JiraClient:
        jira = self._jira
        token = self.secrets.need("jira_post_token")
        return JiraClient(jira.site, jira.post_user, token, words=self.settings.commands.words)

    @cached_property
    def confluence_client(self) -> ConfluenceClient:
        wiki = self._wiki
        token = self.secrets.need("confluence_post_token")
        return ConfluenceClient(wiki.site, wiki.post_user, token, words=self.settings.commands.words)

    def _bots(self) -> frozenset[str]:
        """Jira's posting account, whose own answers are no evidence."""
        return _account(self.jira_client) if self.secrets.jira_post_token else frozenset()

    def _page_bots(self) -> frozenset[str]:
        """Confluence's posting account."""
        wiki = self.settings.confluence
        return _account(self.confluence_client) if wiki and wiki.answers else frozenset()

    @property
    def _wiki(self) -> Confluence:
        if self.settings.confluence is None:
            raise BadSettings("There is no [confluence] table in the settings; this needs one.")
        return self.settings.confluence

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


def _account(client: CommentClient) -> frozenset[str]:
    try:
        return frozenset({client.whoami()})
    except BotError as error:
        raise SourceUnavailable(str(error), retry_after=error.retry_after) from error
