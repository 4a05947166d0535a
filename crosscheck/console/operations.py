"""What the console reads beyond what programs can ask for. Each answers within an audience, as JSON."""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from core import visibility
from core.errors import CoreError
from core.probes.standing import probe_of
from crosscheck.console.readers import Reader
from crosscheck.console.records import listed, story, verdict
from crosscheck.errors import CrosscheckError
from crosscheck.records import freshness_record
from state.errors import NotFound
from state.looking import Looking
from state.types import JobState

if TYPE_CHECKING:
    from core.types import Audience
    from crosscheck.wiring import Program  # imports every part; a client of the service needs none

Report = Callable[[dict[str, Any]], None]

STUCK = 20
"""Jobs of each kind that the overview names."""
RECENT = timedelta(days=7)
"""For so long what has failed is something to do."""
_UNREAD = 200  # documents that are listed of which something could not be read
_PULL = re.compile(r"git:([^:@!]+)![0-9]+")
_THREAD = re.compile(r"slack:([^:]+):.*", re.DOTALL)
NO_INDEX = "The index does not answer; the service's log says why."


class ConsoleOperations:
    """Operations by their names, for `crosscheck.operations.Local`."""

    def __init__(self, program: "Program") -> None:
        self._program = program

    def all(self) -> Mapping[str, Callable[..., dict[str, Any]]]:
        return {
            "console_standing": self._standing,
            "console_overview": self._overview,
            "console_jobs": self._jobs,
            "console_job": self._job,
            "console_source": self._source,
            "console_feedback": self._feedback,
        }

    def _standing(self, _report: Report, *, audience: str) -> dict[str, Any]:
        """How it is, in numbers: what is looked at again and again."""
        for_whom = self._program.audiences.named(audience)
        age = self._program.jobs.oldest_due_age()
        return {
            "counts": self._program.jobs.counts(),
            "oldest_seconds": age.total_seconds() if age else 0.0,
            **{name: len(ids) for name, ids in self._stuck().items()},
            "stale": [one.source for one in self._program.sources.freshness(for_whom) if one.stale],
        }

    def _stuck(self) -> dict[str, tuple[int, ...]]:
        looking, since = Looking(self._program.database), self._program.clock() - RECENT
        return {
            "stalled": tuple(job.id for job in self._program.jobs.stalled()[:STUCK]),
            "failed": looking.failed(since, STUCK),
            "unsent": looking.unsent(since, STUCK),
        }

    def _overview(self, report: Report, *, audience: str) -> dict[str, Any]:
        program, for_whom = self._program, self._program.audiences.named(audience)
        reader, looking = self.reader(for_whom), Looking(program.database)
        index = self._index(counted=reader.holds_all)
        stuck = {name: [listed(program.jobs.show(one), reader) for one in ids] for name, ids in self._stuck().items()}
        return {
            "standing": self._standing(report, audience=audience),
            **stuck,
            "posts": program.outbox.counts(),
            "posting": program.settings.posting,
            "leaders": self._leaders(looking, for_whom),
            "index": index,
            "index_error": None if index else NO_INDEX,
            "sources": bool(program.sources.freshness(for_whom)),
            "verdicts": dict(looking.verdicts()),
        }

    def _jobs(
        self, _report: Report, *, audience: str, state: JobState | None, before: int | None, limit: int
    ) -> dict[str, Any]:
        """The newest first. `before` is the id that the page goes on from."""
        reader = self.reader(self._program.audiences.named(audience))
        ids = Looking(self._program.database).jobs(state, before, limit + 1)
        return {
            "counts": self._program.jobs.counts(),
            "jobs": [listed(self._program.jobs.show(one), reader) for one in ids[:limit]],
            "next": ids[limit - 1] if len(ids) > limit else None,
        }

    def _job(self, _report: Report, *, id: int, audience: str) -> dict[str, Any]:  # noqa: A002  the command's own word
        """`job` is None where there is none."""
        reader = self.reader(self._program.audiences.named(audience))
        try:
            view = self._program.jobs.show(id)
        except NotFound:
            return {"job": None}
        return {"job": story(view, reader, Looking(self._program.database).feedback_of(id))}

    def _source(self, _report: Report, *, name: str, audience: str) -> dict[str, Any]:
        """`source` is None where there is none, or none that this audience may know of."""
        for_whom, registry = self._program.audiences.named(audience), self._program.index.registry
        known = next((one for one in self._program.sources.told(for_whom) if one.source == name), None)
        if known is None:
            return {"source": None, "unread": [], "more": 0}
        readable = [one for one in registry.unread(name, _UNREAD) if for_whom.may_read(self._labels_of(one.id) or ())]
        unread = [{"title": one.title, "url": one.url, "unread": list(one.unread)} for one in readable]
        return {"source": freshness_record(known), "unread": unread, "more": max(0, known.partly - len(unread))}

    def _feedback(self, _report: Report, *, audience: str, before: int | None, limit: int) -> dict[str, Any]:
        """The newest first, each with its job's line. What is about a hidden job is counted and not listed."""
        reader, looking = self.reader(self._program.audiences.named(audience)), Looking(self._program.database)
        said = looking.feedback(before, limit + 1)
        rows = []
        for one in said[:limit]:
            job = listed(self._program.jobs.show(one.job_id), reader)
            if not job["hidden"]:
                rows.append({"job": job, **verdict(one.verdict)})
        return {
            "verdicts": dict(looking.verdicts()),
            "rows": rows,
            "next": said[limit - 1].id if len(said) > limit else None,
        }

    def reader(self, audience: "Audience") -> Reader:
        """Who may see what jobs say, for one audience."""
        return Reader(audience.labels, self._labels_of, self._every_label)

    def _labels_of(self, document: str) -> frozenset[str] | None:
        """As they were at the last synchronisation; of what is read live by the settings and its name."""
        if pull := _PULL.fullmatch(document):
            return frozenset({visibility.repository(pull[1])})
        if thread := _THREAD.fullmatch(document):
            return frozenset({visibility.slack_channel(thread[1])})
        if probe := probe_of(document):
            return next((one.readers for one in self._program.settings.probes if one.name == probe), None)
        entry = self._program.index.registry.entry(document)
        return entry.labels if entry else None

    def _every_label(self) -> frozenset[str]:
        registry = self._program.index.registry
        counted = (one.labels for source in registry.sources() for one in registry.counts(source.name))
        configured = (one.labels for one in self._program.sources.all())
        probes = (one.readers for one in self._program.settings.probes)
        return frozenset[str]().union(*counted, *configured, *probes)

    def _index(self, *, counted: bool) -> list[dict[str, Any]]:
        """Every generation, without where it is; empty where the index does not answer. Not `counted`: how much there
        is that the viewer may not read is not told.
        """
        try:
            views = self._program.index.views()
        except (CoreError, CrosscheckError):
            return []
        return [
            {
                "name": view.name,
                "engine": view.engine,
                "searched": view.searched,
                "complete": view.complete,
                "chunks": view.chunks if counted else None,
                "documents": view.documents,
                "code": view.code,
            }
            for view in views
        ]

    def _leaders(self, looking: Looking, audience: "Audience") -> list[dict[str, Any]]:
        """Tasks with how long they are held, but none that names a source which this audience may not know of."""
        known = {one.source for one in self._program.sources.freshness(audience)}
        hidden = {one.source for one in self._program.sources.all()} - known
        return [
            {"task": one.task, "until": one.until.isoformat(), "held": one.until > self._program.clock()}
            for one in looking.leaders()
            if not any(name in one.task for name in hidden)
        ]
