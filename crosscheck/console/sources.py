"""The pages of sources: how fresh each is, and what of one could not be read."""

from crosscheck.console.errors import NoPage
from crosscheck.console.views import Shown, View, Visit

_NO_SOURCE = "There is no such source, or none that your labels let you know of."


def _sources(visit: Visit) -> Shown:
    return Shown("sources.html", visit.run("freshness", audience=visit.viewer.audience))


def _source(visit: Visit) -> Shown:
    found = visit.run("console_source", name=visit.path["name"], audience=visit.viewer.audience)
    if found["source"] is None:
        raise NoPage(_NO_SOURCE)
    return Shown("source.html", found)


VIEWS = (
    View("/sources", "sources", _sources, menu="Sources"),
    View("/sources/{name}", "source", _source),
)
