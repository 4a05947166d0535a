"""The pages of jobs: a list, and one with its whole story."""

import re
from typing import get_args

from crosscheck.console.errors import NoPage
from crosscheck.console.views import Shown, View, Visit
from state.types import JobState

PAGE = 25
"""Jobs on a page."""
STATES: tuple[JobState, ...] = get_args(JobState)
_NUMBER = re.compile(r"[0-9]{1,18}")  # Starlette's own reading of numbers fails for those of 4,300 digits
_NOTHING = "There is no such job."
_NO_JOB = "There is no job {number}. It may have been removed when its days were over."


def _jobs(visit: Visit) -> Shown:
    asked = visit.word("state", limit=20)
    state = next((one for one in STATES if one == asked), None)
    before = visit.number("before", 0) or None
    found = visit.run("console_jobs", audience=visit.viewer.audience, state=state, before=before, limit=PAGE)
    return Shown("jobs.html", {**found, "state": state or "", "states": STATES, "before": before})


def _job(visit: Visit) -> Shown:
    given = str(visit.path["id"])
    if not _NUMBER.fullmatch(given):
        raise NoPage(_NOTHING)
    job = visit.run("console_job", id=int(given), audience=visit.viewer.audience)["job"]
    if job is None:
        raise NoPage(_NO_JOB.format(number=given))
    return Shown("job.html", {"job": job})


VIEWS = (
    View("/jobs", "jobs", _jobs, menu="Jobs"),
    View("/jobs/{id}", "job", _job),
)
