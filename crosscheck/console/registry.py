"""Every page of the console, in the order of the navigation."""

from crosscheck.console import feedback, flow, jobs, map_view, overview, sources
from crosscheck.console.views import View

VIEWS: tuple[View, ...] = (
    *overview.VIEWS,
    *jobs.VIEWS,
    *sources.VIEWS,
    *flow.VIEWS,
    *map_view.VIEWS,
    *feedback.VIEWS,
)
