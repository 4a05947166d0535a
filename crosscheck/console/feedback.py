"""What people thought of the replies."""

from crosscheck.console.views import Shown, View, Visit

PAGE = 50
"""Verdicts on a page."""


def _feedback(visit: Visit) -> Shown:
    before = visit.number("before", 0) or None
    found = visit.run("console_feedback", audience=visit.viewer.audience, before=before, limit=PAGE)
    return Shown("feedback.html", {**found, "before": before})


VIEWS = (View("/feedback", "feedback", _feedback, menu="Feedback"),)
