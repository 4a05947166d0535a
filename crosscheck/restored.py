"""After a backup was restored: what was answered since it was made is not answered again.

A question that was asked after the backup is noticed anew, and one that waited in it begins anew. Before either is
worked on, the answer is looked for where it would stand, by its delivery key. One that stands there stays as it is,
word for word: an answer that is made now could differ, and nobody asked for a second one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from bots.types import Post, Posted, Trigger
from bots.visibility import no_wider
from crosscheck.worker import Handler
from state.jobs import Jobs
from state.types import Claim

log = structlog.get_logger(__name__)

PRIVATE = ("private",)
"""Kinds of jobs whose answers cannot be looked up."""
CATCHING_UP = timedelta(days=14)
"""For so long after the restoration a question may be noticed that was asked before it."""
SKEW = timedelta(minutes=5)
"""By how much a platform's clock may be ahead of ours."""
_ANY = {"kind": "message", "value": ""}  # a comment or message, whatever it says


class Looks(Protocol):
    """A surface's client, as far as it takes to look."""

    def trigger(self, place_id: str, message_id: str) -> Trigger: ...
    def find(self, post: Post) -> Sequence[Posted]: ...


class LooksFirst:
    """A handler of questions that were asked in public, with a look before its work."""

    def __init__(self, handler: Handler, clients: Mapping[str, Looks], jobs: Jobs, restored: datetime) -> None:
        """`clients` by surface."""
        self._handler = handler
        self._clients = clients
        self._jobs = jobs
        self._restored = restored

    def handle(self, claim: Claim) -> None:
        """One attempt. Raises BotError when it cannot be looked, and what the handler raises."""
        client = self._clients.get(claim.payload["surface"])
        if client is None or claim.created_at > self._restored + CATCHING_UP:
            self._handler.handle(claim)
            return
        trigger = client.trigger(claim.payload["place_id"], claim.payload["message_id"])
        if trigger.created > self._restored + SKEW:
            self._handler.handle(claim)
            return
        stands = _standing(client, claim, trigger)
        if stands is None:
            # An attempt that this database does not know of may have left a sign of life.
            self._handler.handle(replace(claim, attempt=claim.attempt + 1))
            return
        told = {"answered": "before the backup was restored", "url": stands.url}
        self._jobs.finish(claim, "done", told, error=f"Answered before the backup was restored: {stands.url}")
        log.info("answered before the backup was restored", remote=stands.remote_id)

    def give_up(self, claim: Claim, reason: str, told: str, attempts: int) -> None:
        self._handler.give_up(claim, reason, told, attempts)


def looking_first(
    handlers: Mapping[str, Handler], clients: Mapping[str, Looks], jobs: Jobs, restored: datetime | None
) -> dict[str, Handler]:
    """The handlers by kind of job; as they are where no backup was ever restored."""
    if restored is None:
        return dict(handlers)
    return {
        kind: handler if kind in PRIVATE else LooksFirst(handler, clients, jobs, restored)
        for kind, handler in handlers.items()
    }


def _standing(client: Looks, claim: Claim, trigger: Trigger) -> Posted | None:
    """The first part of the answer. What more people see than the question does not count: the delivery deletes it."""
    post = Post(
        place=trigger.place,
        visibility=trigger.visibility,
        body=_ANY,
        delivery_key=f"{claim.key}|answer|1",
        trigger_id=trigger.comment_id,
        since=trigger.created,
    )
    found = (one for one in client.find(post) if no_wider(one.visibility, trigger.visibility))
    return next(found, None)
