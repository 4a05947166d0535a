"""The sources that are configured: made, kept current, asked who may read what, and how old they are."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

import structlog

from core import visibility
from core.connectors.base import Connector
from core.connectors.confluence import ConfluenceConnector
from core.connectors.git import GitConnector
from core.connectors.jira import JiraConnector
from core.connectors.jira_reader import JiraReader
from core.errors import SourceForbidden, SourceGone, SourceIncomplete
from core.ingest import Ingest
from core.mirror import Mirror
from core.types import Audience, Freshness
from crosscheck.errors import BadSettings
from crosscheck.settings import Secrets, Settings
from state.cursors import Cursors
from state.registry import Registry

log = structlog.get_logger(__name__)

JIRA = "jira"
CONFLUENCE = "confluence"


class Sources:
    """Every configured source by its name. `ingest` and `reader` are made by whoever calls them first."""

    def __init__(
        self,
        settings: Settings,
        secrets: Secrets,
        *,
        registry: Registry,
        cursors: Cursors,
        ingest: Callable[[], Ingest],
        reader: Callable[[], JiraReader],
        clock: Callable[[], datetime],
    ) -> None:
        self._settings = settings
        self._secrets = secrets
        self._registry = registry
        self._cursors = cursors
        self._ingest = ingest
        self._reader = reader
        self._clock = clock
        self._stopping = threading.Event()
        self._syncing: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def stop(self) -> None:
        """Have syncs under way end at their next document; what they wrote stays."""
        self._stopping.set()

    @cached_property
    def connectors(self) -> Mapping[str, Connector]:
        """Sources by name."""
        return {name: self.connector(name) for name in self.minutes}

    def connector(self, name: str) -> Connector:
        """One configured source, made anew."""
        if name == JIRA and self._settings.jira:
            return JiraConnector(JIRA, self._reader(), self._settings.jira.projects)
        if name == CONFLUENCE and self._settings.confluence:
            wiki = self._settings.confluence
            token = self._secrets.need("confluence_token")
            return ConfluenceConnector(CONFLUENCE, wiki.site, wiki.user, token, wiki.spaces)
        git = next(git for git in self._settings.git if git.name == name)
        mirror = Mirror(self._settings.data / "mirrors" / name, git.location)
        return GitConnector(name, mirror, branch=git.branch, link=git.link)

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

    def sync(self, name: str, full: bool, report: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """Bring one source up to date; in full the first time."""

        def progress(done: int, total: int | None) -> None:
            if self._stopping.is_set():
                raise SourceIncomplete("The service was stopped during this sync; the next one goes on.")
            report({"step": name, "name": name, "done": done, "total": total})

        full = full or self.last_full(name) is None
        with self._syncing[name]:
            began = self._clock()
            result = self._ingest().sync(self.connectors[name], full=full, progress=progress)
            if full:
                self._cursors.set(_full(name), began.isoformat())
        log.info("source synced", source=name, full=full, read=result.read, written=result.written)
        return {"source": name, **asdict(result)}

    def last_full(self, name: str) -> datetime | None:
        """When the source was last read in full, which finds what was deleted there."""
        value = self._cursors.get(_full(name))
        return datetime.fromisoformat(value) if value else None

    def forget_removed(self) -> None:
        """Take out of the index what is not configured any more; nothing would keep its labels true."""
        for view in self._registry.sources():
            if view.name not in self.minutes and view.documents:
                count = self._ingest().remove(view.name)
                log.warning("source removed", source=view.name, documents=count)

    def sweep_labels(self, name: str) -> None:
        """Read the labels of a source's documents anew: a restriction changes without its document changing."""
        with self._syncing[name]:
            changed = self._ingest().sweep_labels(self.connectors[name])
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

    def all(self) -> list[Freshness]:
        """Every configured source, read or not."""
        known = {view.name: view for view in self._registry.sources()}
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
                )
            )
        return found

    def freshness(self, audience: Audience) -> list[Freshness]:
        """The sources that this audience may know of."""
        return [source for source in self.all() if source.labels & audience.labels]

    def _containers(self, name: str) -> frozenset[str]:
        if name == JIRA and self._settings.jira:
            return frozenset(visibility.jira_project(key) for key in self._settings.jira.projects)
        if name == CONFLUENCE and self._settings.confluence:
            return frozenset(visibility.confluence_space(key) for key in self._settings.confluence.spaces)
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
        return minutes | {git.name: git.sync_minutes for git in self._settings.git}


def _full(name: str) -> str:
    return f"full:{name}"
