"""How a program sees its sources as they were at a moment."""

from collections.abc import Iterator
from datetime import datetime, time, timedelta

from core.connectors.base import Connector
from core.connectors.confluence_api import ConfluenceApi
from core.connectors.git import GitConnector
from core.connectors.jira_api import JiraApi
from core.connectors.qa_records import Record
from crosscheck.settings import Settings
from crosscheck.view import View
from evals.asof.before import Before
from evals.asof.confluence import ConfluenceAt
from evals.asof.jira import JiraAt
from evals.asof.remarks import Remarks

_RESULTS = "Test records of a later run, or without a date in a file that was written later, left out"
_TODAY = "Who may read what, and the names of people, fields, projects and spaces, are as they are today."
_JIRA = "Links from tickets to other sites and pull requests in the development panel have no date and are not there."
_PAGES = (
    "Pages stand where they stand today, with today's labels, archived or not; whether a comment was resolved is not "
    "told."
)
_FILES = "Of files there is no earlier state: those that were written later are not there."
_OFF = (
    "Pull requests, branches other than the baseline and tags, Slack, deployed versions and databases tell today's "
    "state and are not there."
)


class AsOf(View):
    """Sources as they were at `at`."""

    def __init__(self, at: datetime) -> None:
        self.at = at
        self._remarks = Remarks()

    def jira(self, api: JiraApi) -> JiraApi:
        return JiraAt(api, self.at, self._remarks)

    def confluence(self, api: ConfluenceApi) -> ConfluenceApi:
        return ConfluenceAt(api, self.at, self._remarks)

    def counts(self, record: Record, written: datetime) -> bool:
        """A day without a time of day counts when it is over."""
        when = record.at or written
        if record.at and record.at.time() == time():
            when = record.at + timedelta(days=1)
        if when > self.at:
            self._remarks.add(_RESULTS, f"{record.where} {record.id}")
            return False
        return True

    def connector(self, connector: Connector) -> Connector:
        """Of a repository every commit that is in it was there, whatever date it bears."""
        return connector if isinstance(connector, GitConnector) else Before(connector, self.at, self._remarks)

    def notes(self, settings: Settings) -> Iterator[str]:
        """What could not be had as it was, as far as these settings' sources were read."""
        yield _TODAY
        if settings.jira:
            yield _JIRA
        if settings.confluence:
            yield _PAGES
        if settings.files:
            yield _FILES
        yield _OFF
        yield from self._remarks.told()
