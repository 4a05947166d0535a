"""The sources that are configured: made, kept current, asked who may read what, and how old they are."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import structlog
from pydantic import BaseModel

from core import visibility
from core.connectors.attachments import Attachments
from core.connectors.base import Connector, fingerprint
from core.connectors.confluence import ConfluenceConnector
from core.connectors.files import FilesConnector
from core.connectors.git import GitConnector
from core.connectors.jira import JiraConnector
from core.connectors.jira_reader import JiraReader
from core.connectors.qa import QaConnector
from core.errors import EmbedderUnavailable, SourceError, SourceIncomplete
from core.ingest import SyncReport
from core.mirror import Mirror
from core.parsing.parsed import ReadFile
from core.pictures import Pictures
from core.probes.standing import probe_of
from core.types import Audience, Freshness, Metrics, Progress
from crosscheck.errors import BadSettings
from crosscheck.generation import Generation
from crosscheck.index import Index
from crosscheck.repositories import repository_of_pull
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_sources import Confluence, Files, Git, Jira, Qa
from crosscheck.view import View
from state.cursors import Cursors

log = structlog.get_logger(__name__)

_STOPPED = "The service was stopped during this sync; the next one goes on."
NOT_READ = "It could not be read completely; an administrator can see why."
JIRA = "jira"
CONFLUENCE = "confluence"
_OF_ANSWERS = {"sync_minutes", "poll_seconds", "agreed_statuses", "answers", "post_user"}
"""Settings of a source that change nothing of what is read."""


class Sources:
    """Every configured source by its name. `jira` is made by whoever calls it first; `page_bots` gives the accounts
    whose comments on pages are answers; `read` reads files, and `pictures` finds words for what is in them.
    """

    def __init__(
        self,
        settings: Settings,
        secrets: Secrets,
        *,
        index: Index,
        cursors: Cursors,
        jira: Callable[[], JiraReader],
        page_bots: Callable[[], frozenset[str]] = frozenset,
        read: ReadFile,
        pictures: Pictures,
        metrics: Metrics,
        clock: Callable[[], datetime],
        view: View,
    ) -> None:
        self._settings = settings
        self._secrets = secrets
        self._index = index
        self._cursors = cursors
        self._jira = jira
        self._page_bots = page_bots
        self._read = read
        self._pictures = pictures
        self._metrics = metrics
        self._clock = clock
        self._view = view
        self._stopping = threading.Event()
        self._syncing: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._opening = threading.Lock()
        self._connectors: dict[str, Connector] = {}

    def stop(self) -> None:
        """Have syncs under way end at their next document; what they wrote stays."""
        self._stopping.set()

    def end(self) -> None:
        """As `stop`, and wait until none is under way; none begins afterwards."""
        self.stop()
        with self._none_syncing():
            pass

    def opened(self, name: str) -> Connector:
        """One configured source; the same again."""
        with self._opening:
            if name not in self._connectors:
                self._connectors[name] = self._view.connector(self.connector(name))
            return self._connectors[name]

    def connector(self, name: str) -> Connector:
        """One configured source, made anew."""
        if name == JIRA and self._settings.jira:
            return self._of_jira(self._settings.jira)
        if name == CONFLUENCE and self._settings.confluence:
            return self._of_confluence(self._settings.confluence)
        found = next(source for source in self._several if source.name == name)
        if isinstance(found, Git):
            return self._of_git(found)
        folder, link = Path(found.location), found.link
        if isinstance(found, Files):
            return FilesConnector(name, folder, self._read, describe=self._pictures.described, link=link)
        return QaConnector(
            name, folder, found.columns, self._read, projects=self._projects, link=link, counts=self._view.counts
        )

    def _of_jira(self, jira: Jira) -> Connector:
        attachments = self._attachments(jira.attachment_mb)
        return JiraConnector(JIRA, self._jira(), jira.projects, attachments=attachments, test_types=jira.test_types)

    def _of_confluence(self, wiki: Confluence) -> Connector:
        return ConfluenceConnector(
            CONFLUENCE,
            wiki.site,
            wiki.user,
            self._secrets.need("confluence_token"),
            wiki.spaces,
            attachments=self._attachments(wiki.attachment_mb),
            bots=self._page_bots,
            memory=self._cursors,
            metrics=self._metrics,
            through=self._view.confluence,
        )

    def _attachments(self, megabytes: float) -> Attachments | None:
        largest, described = int(megabytes * 1_000_000), self._pictures.described
        return Attachments(self._read, described, largest=largest, known=self._held) if largest else None

    def _of_git(self, git: Git) -> Connector:
        return GitConnector(
            git.name,
            Mirror(self._settings.mirrors_folder / git.name, git.location),
            branch=git.branch or None,
            branches=git.branches,
            link=git.link,
            commit_link=git.commit_link,
            commits=git.commits,
            projects=self._projects,
            read=self._read,
        )

    @property
    def _projects(self) -> tuple[str, ...]:
        """The keys that make a name such as PAY-12 a ticket."""
        return self._settings.jira.projects if self._settings.jira else ()

    def _held(self, document_id: str) -> str | None:
        """The version of a document that every index holds whole: its file need not be read again."""
        with self._index.generations() as generations:
            versions = {generation.holds(document_id) for generation in generations}
        return versions.pop() if len(versions) == 1 else None

    def names(self, wanted: Iterable[str]) -> list[str]:
        """The sources asked for, all when none is.

        Raises:
            BadSettings: a name is not configured; says which are.

        """
        names = list(dict.fromkeys(wanted))
        for name in names:
            if name not in self.minutes:
                raise BadSettings(f"There is no source {name!r}. There are: {', '.join(self.minutes)}.")
        return names or list(self.minutes)

    @contextmanager
    def _turn(self, name: str) -> Iterator[None]:
        """To sync a source. Raises SourceIncomplete when the service was stopped."""
        with self._syncing[name]:
            self._go_on(_STOPPED)
            yield

    def _go_on(self, otherwise: str) -> None:
        if self._stopping.is_set():
            raise SourceIncomplete(otherwise)

    @contextmanager
    def _none_syncing(self) -> Iterator[None]:
        with ExitStack() as held:
            for name in self.minutes:  # always in this order, and a sync holds one alone
                held.enter_context(self._syncing[name])
            yield

    def move_index(self, progress: Progress) -> int:
        """See `Index.take_over`; syncs wait until it is done."""

        def go_on(done: int, total: int | None) -> None:
            self._go_on("The service was stopped while the index was moved; move it again.")
            progress(done, total)

        with self._none_syncing():
            go_on(0, None)
            return self._index.take_over(self.minutes, go_on)

    def sync(self, name: str, full: bool, report: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """Bring one source up to date; in full the first time."""

        def progress(done: int, total: int | None) -> None:
            self._go_on(_STOPPED)
            self._metrics.gauge("crosscheck_sync_documents", done, source=name)
            self._metrics.gauge("crosscheck_sync_expected_documents", total or 0, source=name)
            report({"step": name, "name": name, "done": done, "total": total})

        self._pictures.begin_run()
        with self._turn(name), self._counted(name), self._index.generations() as (*replaced, wanted):
            for generation in replaced:
                self._keep_usable(generation, name, full, progress)
            result = self._sync(wanted, name, full, progress)
            self._index.advance(self.minutes)
        return {"source": name, **asdict(result)}

    @contextmanager
    def _counted(self, name: str) -> Iterator[None]:
        outcome = "failed"
        try:
            yield
            outcome = "done"
        except Exception as error:
            self._metrics.count("crosscheck_errors_total", part="sync", kind=type(error).__name__)
            raise
        finally:
            self._metrics.count("crosscheck_syncs_total", source=name, outcome=outcome)

    def _sync(self, generation: Generation, name: str, full: bool, progress: Progress) -> SyncReport:
        setting = self._setting(name)
        full = full or generation.last_full(name) is None or generation.read_by(name) != setting
        began = self._clock()
        result = generation.ingest.sync(self.opened(name), full=full, progress=progress)
        if full:
            generation.was_read_in_full(name, began, setting)
        numbers = {"read": result.read, "written": result.written, "partly": result.partly, "masked": result.masked}
        connector = self.opened(name)
        if isinstance(connector, GitConnector) and full:
            numbers |= {f"left out: {reason}": count for reason, count in connector.left_out().items()}
        log.info("source synced", source=name, full=full, **numbers)
        return result

    def _keep_usable(self, generation: Generation, name: str, full: bool, progress: Progress) -> None:
        """What is searched until the new index is complete stays current; without its embedder, its labels true."""
        try:
            self._sync(generation, name, full, progress)
        except EmbedderUnavailable as error:
            log.warning("only labels kept in the index that is replaced", source=name, reason=str(error))
            generation.ingest.sweep_labels(self.opened(name))

    def last_full(self, name: str) -> datetime | None:
        """When the source was last read in full, which finds what was deleted there."""
        return self._index.filled.last_full(name)

    def forget_removed(self) -> None:
        """Take out of the index what is not configured any more; nothing would keep its labels true."""
        with self._index.generations() as generations:
            for generation in generations:
                for view in generation.registry.sources():
                    if view.name not in self.minutes and view.documents:
                        count = generation.ingest.remove(view.name)
                        log.warning("source removed", source=view.name, documents=count)
            self._index.advance(self.minutes)

    def sweep_labels(self, name: str) -> None:
        """Read the labels of a source's documents anew: a restriction changes without its document changing."""
        with self._turn(name), self._index.generations() as generations:
            for generation in generations:
                changed = generation.ingest.sweep_labels(self.opened(name))
                log.info("labels swept", source=name, changed=changed)
            self._cursors.set(_swept(name), self._clock().isoformat())

    def due(self, name: str, full: timedelta, labels: timedelta) -> tuple[bool, bool]:
        """Whether a source is to be read in full, and its labels to be swept, when neither may be older than this."""
        now, last, swept = self._clock(), self.last_full(name), self._cursors.get(_swept(name))
        read = last is None or now - last >= full
        return read, not read and (swept is None or now - datetime.fromisoformat(swept) >= labels)

    def _setting(self, name: str) -> str:
        """Changes with what the settings say of a source: what was read by other settings is read again."""
        settings = self._settings
        one: BaseModel | None = {JIRA: settings.jira, CONFLUENCE: settings.confluence}.get(name)
        one = one or next(source for source in self._several if source.name == name)
        said = [one.model_dump_json(exclude=_OF_ANSWERS), *self._projects]
        return fingerprint(*said, settings.pictures.name if settings.pictures else "")

    def labels_now(self, ids: Iterable[str]) -> dict[str, frozenset[str] | None]:
        """Access labels of documents as their sources give them now; None: gone, unreadable, or of no source.

        A source that refuses or does not answer costs its own documents alone: what cannot be asked is not to be used.
        """
        by_source: dict[str, list[str]] = {}
        labels: dict[str, frozenset[str] | None] = {}
        for document in ids:
            if repository := repository_of_pull(document):
                configured = any(git.name == repository for git in self._settings.git)
                labels[document] = self._containers(repository) if configured else None
            elif probe := probe_of(document):
                labels[document] = next((one.readers for one in self._settings.probes if one.name == probe), None)
            else:
                by_source.setdefault(source_of(document), []).append(document)
        for source, documents in by_source.items():
            labels.update(dict.fromkeys(documents))
            if source in self.minutes:
                try:
                    labels.update(self.opened(source).labels_now(documents))
                except SourceError as error:
                    log.warning("labels not read", source=source, reason=str(error))
        return labels

    def all(self) -> list[Freshness]:
        """Every configured source, read or not."""
        known = {view.name: view for view in self._index.registry.sources()}
        found = []
        for name in self.minutes:
            view = known.get(name)
            last = view.last_success if view else None
            allowed = self._period(name) * self._settings.stale_after
            found.append(
                Freshness(
                    source=name,
                    documents=view.documents if view else 0,
                    last_success=last,
                    stale=last is None or self._clock() - last > allowed,
                    last_error=view.last_error if view else None,
                    labels=self._containers(name),
                    partly=view.partly if view else 0,
                    masked=view.masked if view else 0,
                )
            )
        return found

    def freshness(self, audience: Audience) -> list[Freshness]:
        """The sources that this audience may know of."""
        return [source for source in self.all() if source.labels & audience.labels]

    def told(self, audience: Audience) -> list[Freshness]:
        """The same as programs are told: only what the audience may read is counted, and of an error no more is said
        than that there was one, for its words are an administrator's.
        """
        return [self._readable(source, audience) for source in self.freshness(audience)]

    def _readable(self, source: Freshness, audience: Audience) -> Freshness:
        known = [one for one in self._index.registry.counts(source.source) if audience.may_read(one.labels)]
        return replace(
            source,
            documents=sum(one.documents for one in known),
            partly=sum(one.partly for one in known),
            masked=sum(one.masked for one in known),
            last_error=NOT_READ if source.last_error else None,
        )

    def _containers(self, name: str) -> frozenset[str]:
        if name == JIRA and self._settings.jira:
            return frozenset(visibility.jira_project(key) for key in self._settings.jira.projects)
        if name == CONFLUENCE and self._settings.confluence:
            return frozenset(visibility.confluence_space(key) for key in self._settings.confluence.spaces)
        if any(files.name == name for files in self._settings.files):
            return frozenset({visibility.files_folder(name)})
        if any(qa.name == name for qa in self._settings.qa):
            return frozenset({visibility.qa_records(name)})
        return frozenset({visibility.repository(name)})

    def _period(self, name: str) -> timedelta:
        return timedelta(minutes=self.minutes[name])

    @cached_property
    def minutes(self) -> Mapping[str, float]:
        """Minutes between two syncs, by source: every source that is configured."""
        minutes: dict[str, float] = {}
        if self._settings.jira:
            minutes[JIRA] = self._settings.jira.sync_minutes
        if self._settings.confluence:
            minutes[CONFLUENCE] = self._settings.confluence.sync_minutes
        return minutes | {source.name: source.sync_minutes for source in self._several}

    @property
    def _several(self) -> tuple[Git | Files | Qa, ...]:
        """The sources of which there may be several."""
        return (*self._settings.git, *self._settings.files, *self._settings.qa)


def source_of(document: str) -> str:
    """A document's source. Ids begin with its name, but for those of which there may be several: their name follows."""
    head, _, rest = document.partition(":")
    return rest.partition(":")[0].partition("@")[0] if head in {"git", "files", "qa"} else head


def _swept(name: str) -> str:
    return f"swept:{name}"
