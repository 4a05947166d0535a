"""A service project: customers read whatever is not an internal note."""

from typing import Any

from tests.surfaces.adapters.jira_cloud import JiraCloud
from tests.surfaces.company import CUSTOMER


class JiraService(JiraCloud):
    name = "jira-service"
    project = "HELP"
    outsider = CUSTOMER.id

    def shown(self, *, few: bool) -> dict[str, Any]:
        return {"internal": few}


SURFACE = JiraService
