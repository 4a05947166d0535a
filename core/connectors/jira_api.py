"""The one seam to Jira. Cloud and Data Center speak differently behind it."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from core.connectors.http import Limits
from core.connectors.jira_cloud import JiraCloud
from core.connectors.jira_data_center import JiraDataCenter
from core.connectors.jira_wire import PAGE, Json, Wire, an_object
from core.errors import SourceError, SourceForbidden, SourceGone


class JiraApi(Protocol):
    """Reads of one site with one account, as raw JSON; each is complete: to its end, or SourceIncomplete.

    Raises SourceError as `core.connectors.http.Http` does.
    """

    @property
    def site(self) -> str:
        """The address below which pages, files and the API are found, without a slash at its end."""

    def check_account(self) -> None:
        """Raises SourceForbidden when Jira does not accept the account, SourceUnavailable when it does not answer."""

    def server_time(self) -> str:
        """Jira's own time, or nothing."""

    def fields(self) -> Sequence[Json]:
        """All fields with id and name."""

    def statuses(self) -> Sequence[Json]:
        """All statuses with id, name and category."""

    def project(self, key: str) -> Json:
        """A project by its key, or by a former one."""

    def issue(self, key_or_id: str, fields: str, expand: str = "") -> Json:
        """An issue as it is now, with these fields, given with commas between them."""

    def issue_or_error(self, number: str, fields: str, expand: str = "") -> Json | SourceError:
        """The same, or why it could not be read."""

    def issues(self, numbers: Sequence[str], fields: str, expand: str = "") -> Iterator[tuple[str, Json | SourceError]]:
        """Each of these ids with its issue, or why that could not be read. A part that fails is halved, so an issue
        that cannot be read costs itself alone.

        Raises SourceForbidden if Jira does not accept the account.
        """

    def attachment(self, number: str, name: str) -> bytes:
        """An attachment's content, from this site itself: no address that an answer names is followed."""

    def comments(self, issue_id: str, *, desk: bool) -> Sequence[Json]:
        """All comments that the account sees, oldest first. Those of a `desk`, a service project, say in `jsdPublic`
        whether a customer sees them, as far as Jira tells.
        """

    def shown_changes(self, issue: Json) -> Sequence[Json] | None:
        """The history that came with an issue, or None if that may not be all of it."""

    def changelog(self, issue_id: str) -> Sequence[Json]:
        """The whole history."""

    def remote_links(self, issue_id: str) -> Sequence[Json]:
        """Links to other sites."""

    def development_summary(self, issue_id: str) -> Json:
        """How many branches, commits and pull requests the development panel has, by kind of host."""

    def development_pulls(self, issue_id: str, host: str) -> Json:
        """The pull requests in the development panel of one kind of host, by the name that the summary has for it."""

    def user(self, name: str) -> Json | None:
        """Whom texts mention by this name; nobody where they mention people otherwise.

        Raises SourceGone for one who is not there, or not any more.
        """

    def listing(self, scope: str, fields: Sequence[str], *, page_size: int = PAGE) -> Iterator[Json]:
        """All issues in a scope, which is JQL without an order, oldest first: what changes meanwhile hides none. It may
        be seconds to minutes behind, and may give fields that were not asked for.
        """

    def search(self, jql: str, fields: Sequence[str], *, page_size: int = PAGE) -> Iterator[Json]:
        """All issues that match, in the order of the JQL, as far behind."""


def connect(site: str, user: str, token: str, limits: Limits) -> JiraApi:
    """The API of a site, of the flavour that the site says it is. With a user's name, or address, the token is that
    user's; without one it is a personal access token, which only Data Center has.

    Raises SourceError as the API does.
    """
    wire = Wire(site, user, token, limits)
    try:
        told = an_object(wire.http("/rest/api/2/").get("serverInfo"))
    except SourceGone as error:
        raise SourceForbidden("There is no Jira at the address in the settings") from error
    return JiraCloud(wire) if told.get("deploymentType") == "Cloud" else JiraDataCenter(wire)
