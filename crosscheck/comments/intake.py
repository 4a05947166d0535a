"""From a notice to a job: the seen key and the job row in one transaction; only then is a delivery acknowledged."""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Protocol

import structlog

from bots.events import Noticed
from bots.types import Trigger
from core.types import Metrics
from crosscheck.types import Kind

log = structlog.get_logger(__name__)


def why_ignored(trigger: Trigger, floor: datetime, projects: Collection[str]) -> str | None:
    """Why a comment, as read now, is not answered; None when it is.

    `floor` is when this installation began to answer: a first start must not answer the comments of years. A webhook
    may tell of every project of the site; only the configured ones are answered in.
    """
    if trigger.by_bot:
        return "written by the bot itself"
    if trigger.command is None:
        return "the comment holds no command (any more)"
    if trigger.created < floor:
        return "written before this installation began to answer"
    if trigger.place.container not in projects:
        return f"{trigger.place.container} is not among the configured projects"
    return None


class Accepts(Protocol):
    def accept(
        self,
        key: str,
        kind: str,
        payload: dict[str, object],
        *,
        surface: str,
        via: str,
        delivery_id: str | None = None,
        subject: str = "",
        asked_by: str = "",
    ) -> int | None: ...


class Intake:
    """Turns notices of one site into jobs. Polls and webhooks end in the same key."""

    def __init__(self, jobs: Accepts, site: str, metrics: Metrics, wake: Callable[[], None]) -> None:
        self._jobs = jobs
        self._site = site
        self._metrics = metrics
        self._wake = wake

    def accept(self, notice: Noticed, via: str) -> int | None:
        """The new job's id, or None when this comment was noticed before."""
        kind: Kind = "review"
        key = f"{notice.surface}|{self._site}|{notice.comment_id}|{kind}"
        payload: dict[str, object] = {
            "surface": notice.surface,
            "place_id": notice.place_id,
            "message_id": notice.comment_id,
        }
        job = self._jobs.accept(
            key,
            kind,
            payload,
            surface=notice.surface,
            via=via,
            delivery_id=notice.delivery_id,
            subject=notice.place_key,
        )
        outcome = "seen before" if job is None else "accepted"
        self._metrics.count("crosscheck_triggers_total", surface=notice.surface, via=via, outcome=outcome)
        log.info("trigger noticed", trigger=key, via=via, delivery=notice.delivery_id, job=job, outcome=outcome)
        if job is not None:
            self._wake()
        return job
