"""The first page: what is stuck and what to do about it, then what runs."""

import hashlib
from typing import Any

from crosscheck.console.views import File, Shown, View, Visit
from crosscheck.errors import NotAnswered

LONG = 600.0
"""Seconds that a job may wait before the page says so: polls and pauses take less."""


def _overview(visit: Visit) -> Shown:
    found = visit.run("console_overview", audience=visit.viewer.audience)
    return Shown("overview.html", {**found, **_summed(found["standing"])})


def _state(visit: Visit) -> Shown | File:
    """The one sentence that a page looks for again and again; nothing (204) while it is still the one it has, or none
    can be told.
    """
    try:
        summed = _summed(visit.run("console_standing", audience=visit.viewer.audience))
    except NotAnswered:
        return File(b"", "text/plain", 204)
    if visit.word("seen", limit=64) == summed["seen"]:
        return File(b"", "text/plain", 204)
    return Shown("state.html", summed)


def _summed(standing: dict[str, Any]) -> dict[str, Any]:
    """How it is in one sentence, with a mark by which to see that it has changed."""
    late = standing["oldest_seconds"] >= LONG
    told = [
        *_told(standing["stalled"], "job stalled", "jobs stalled"),
        *_told(standing["failed"], "job failed", "jobs failed"),
        *_told(standing["unsent"], "reply not posted", "replies not posted"),
        *_told(len(standing["stale"]), "source stale", "sources stale"),
        *(["the queue waits too long"] if late else []),
    ]
    sentence = ", ".join(told) or "Nothing is stuck"
    waiting = f"{standing['counts']['queued']} waiting, {standing['counts']['running']} at work"
    seen = hashlib.sha256(f"{sentence}|{waiting}".encode()).hexdigest()[:16]
    return {"sentence": sentence, "waiting": waiting, "seen": seen, "stuck": bool(told), "late": late}


def _told(count: int, one: str, many: str) -> list[str]:
    return [f"{count} {one if count == 1 else many}"] if count else []


VIEWS = (
    View("/", "overview", _overview, menu="Overview"),
    View("/state", "state", _state),
)
