"""Plain constructors of all that has to do with comments on tickets and pages."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from core.spans import OFF, Spans
from core.types import Metrics
from crosscheck.admission import Admission
from crosscheck.assured import LabelsNow
from crosscheck.audience import Audiences
from crosscheck.comments.gate import Gate
from crosscheck.comments.handler import CommentHandler
from crosscheck.comments.intake import KIND, Intake
from crosscheck.comments.surface import Surface
from crosscheck.comments.telling import FileLost
from crosscheck.delivery import DeliveryHandler
from crosscheck.memory import Memory
from crosscheck.replies import Replies
from crosscheck.settings_commands import Commands
from crosscheck.worker import Delivers, Handler, Pause
from review.reading import TicketSource
from state.db import Database
from state.drafts import Drafts
from state.jobs import Jobs
from state.outbox import Outbox


class CommentParts:
    """All of the surfaces on which people write comments."""

    def __init__(
        self,
        surfaces: Mapping[str, Surface],
        *,
        commands: Commands,
        database: Database,
        jobs: Jobs,
        outbox: Outbox,
        audiences: Audiences,
        subjects: TicketSource,
        memory: Memory,
        admission: Admission,
        labels_now: LabelsNow,
        jira_site: str,
        posting: bool,
        lease: timedelta,
        pause: Pause,
        clock: Callable[[], datetime],
        metrics: Metrics,
        spans: Spans = OFF,
    ) -> None:
        self.surfaces = surfaces
        self._commands = commands
        self._database = database
        self._jobs = jobs
        self._outbox = outbox
        self._audiences = audiences
        self._subjects = subjects
        self._memory = memory
        self._admission = admission
        self._labels_now = labels_now
        self._jira_site = jira_site
        self._posting = posting
        self._lease = lease
        self._pause = pause
        self._clock = clock
        self._metrics = metrics
        self._spans = spans

    def handlers(self, replies: Replies) -> Mapping[str, Handler]:
        """By kind of job."""
        handler = CommentHandler(
            self.surfaces,
            commands=self._commands,
            gate=Gate(self._commands, self._memory, self._clock, self._admission),
            replies=replies,
            audiences=self._audiences,
            subjects=self._subjects,
            memory=self._memory,
            jobs=self._jobs,
            drafts=Drafts(self._database),
            jira_site=self._jira_site,
            posting=self._posting,
        )
        return {KIND: handler}

    def deliveries(self) -> Mapping[str, Delivers]:
        """By surface."""
        return {name: self._delivery(surface) for name, surface in self.surfaces.items()}

    def intake(self, surface: str, wake: Callable[[], None]) -> Intake:
        """What takes notices of one surface."""
        return Intake(
            self._jobs,
            self.surfaces[surface].client,
            queue=self._commands.queue,
            posting=self._posting,
            metrics=self._metrics,
            wake=wake,
            spans=self._spans,
        )

    def _delivery(self, surface: Surface) -> DeliveryHandler:
        return DeliveryHandler(
            client=surface.client,
            audiences=self._audiences,
            jobs=self._jobs,
            outbox=self._outbox,
            labels_now=self._labels_now,
            ignored=surface.why_ignored,
            lease=self._lease,
            pause=self._pause,
            sign=FileLost(surface.client),
            clock=self._clock,
            metrics=self._metrics,
        )
