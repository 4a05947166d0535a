"""The way into Jira Data Center: personal access tokens, a context path, and its own words for what is refused."""

from sandbox.issues import Issue
from sandbox.jira_data_center_json import ROOT, DataCenterJson
from sandbox.jira_door import Door, errors
from sandbox.records import Person
from sandbox.wire import Call, Refused

HIDDEN = "You do not have the permission to see the specified issue."


class DataCenterDoor(Door):
    """Any account's token is a personal access token; user name or address with the token works as a password does."""

    api = ROOT + "/rest/api/2"
    login_needed = "You are not authenticated. Authentication required to perform this operation."

    def _login(self, header: str | None) -> Person | None:
        scheme, _, given = (header or "").partition(" ")
        if scheme == "Bearer":
            return self._jira.accounts.of_token(given)
        return self._jira.accounts.login(header, by_name=True)

    def view(self, call: Call) -> DataCenterJson:
        return DataCenterJson(self._jira, call.base)

    def visible(self, call: Call) -> Issue:
        """The issue of the path. One that may not be seen is refused in other words than one that is not there."""
        issue = self._jira.find(call.path["issue"])
        if issue is None:
            raise Refused(404, errors("Issue Does Not Exist"))
        if not self._jira.permissions.issue(call.account, issue):
            raise Refused(403, errors(HIDDEN))
        return issue
