"""Jira Data Center's REST v2 over the same tickets, below a context path: site, projects, people, search."""

from typing import Any

from starlette.routing import Route

from sandbox.jira_data_center_door import DataCenterDoor
from sandbox.jira_data_center_json import EPIC_LINK, ROOT
from sandbox.jira_door import WRONG_PAYLOAD, errors, parsed
from sandbox.jira_fields import described
from sandbox.jql import BadJql, Query, parse
from sandbox.permissions import PERMISSIONS, listed
from sandbox.records import Person
from sandbox.wire import Call, Refused, Reply

_MOST = 1000
"""Issues of a search; more are never given at once."""
_CLOUD_FIELDS = frozenset({"issuerestriction"})


class DataCenterApi(DataCenterDoor):
    def routes(self) -> list[Route]:
        get = [
            ("/mypermissions", self.my_permissions),
            ("/field", self.fields),
            ("/status", self.statuses),
            ("/project", self.projects),
            ("/project/{project}", self.one_project),
            ("/search", self.search_get),
            ("/issue/{issue}", self.issue),
            ("/issue/{issue}/remotelink", self.remote_links),
        ]
        return [
            self.route("GET", self.api + "/serverInfo", self.server_info, anonymous=True),
            *(self.route("GET", self.api + path, handler) for path, handler in get),
            self.route("POST", self.api + "/search", self.search_post),
        ]

    def server_info(self, call: Call) -> Reply:
        now = self.view(call).time(self._jira.now())
        return Reply(
            {
                "baseUrl": call.base + ROOT,
                "version": "10.3.5",
                "versionNumbers": [10, 3, 5],
                "deploymentType": "Server",
                "buildNumber": 10030005,
                "buildDate": now,
                "databaseBuildNumber": 10030005,
                "serverTime": now,
                "scmInfo": "sandbox",
                "serverTitle": "Jira",
            }
        )

    def my_permissions(self, call: Call) -> Reply:
        return Reply({"permissions": listed(PERMISSIONS, self.held(call))})

    def fields(self, _call: Call) -> Reply:
        shown = [field for field in described(self._jira.catalog) if field["id"] not in _CLOUD_FIELDS]
        return Reply([{name: value for name, value in field.items() if name != "key"} for field in (*shown, _EPIC)])

    def statuses(self, call: Call) -> Reply:
        return Reply([self.view(call).status(name) for name in self._jira.catalog.statuses])

    def projects(self, call: Call) -> Reply:
        seen = [p for p in self._jira.projects.values() if self._jira.permissions.browse(call.account, p)]
        return Reply([self.view(call).project(p) for p in sorted(seen, key=lambda p: p.key)])

    def one_project(self, call: Call) -> Reply:
        project = self.project(call.account, call.path["project"])
        roles = {name: self.role_url(call, project, name) for name in project.roles}
        lead = self.view(call).user(self._jira.accounts.reader.id)
        return Reply(self.view(call).project_in_full(project, roles) | {"lead": lead})

    def search_get(self, call: Call) -> Reply:
        asked = {
            "jql": call.query.get("jql", ""),
            "startAt": call.number("startAt", 0),
            "maxResults": call.number("maxResults", 50),
            "fields": call.listed("fields"),
            "expand": call.listed("expand"),
        }
        return self._search(call, asked)

    def search_post(self, call: Call) -> Reply:
        return self._search(call, parsed(call))

    def _search(self, call: Call, asked: dict[str, Any]) -> Reply:
        start, size = asked.get("startAt", 0), asked.get("maxResults", 50)
        fields, expand = asked.get("fields") or ["*navigable"], asked.get("expand") or []
        if not all(type(number) is int and number >= 0 for number in (start, size)) or not all(
            isinstance(part, list) for part in (fields, expand)
        ):
            raise Refused(400, errors(WRONG_PAYLOAD))
        size = min(size, _MOST)
        found = self._jira.search(call.account, self._query(call.account, str(asked.get("jql") or "")))
        view = self.view(call)
        issues = [view.issue(call.account, issue, fields, expand) for issue in found[start : start + size]]
        page = {"startAt": start, "maxResults": size, "total": len(found), "issues": issues}
        return Reply({"expand": "schema,names"} | page)

    def _query(self, person: Person, jql: str) -> Query:
        """A key or id of what is not there, or not to be seen, is an error."""
        jira = self._jira
        seen = [
            issue for issue in jira.issues.values() if jira.permissions.indexed(person, issue) and not issue.deleted
        ]
        try:
            return parse(jql, jira.catalog, jira.zone, jira.now(), jira.keys(seen), ids={issue.id for issue in seen})
        except BadJql as e:
            raise Refused(400, errors(str(e))) from e
        except (ValueError, OverflowError, OSError, RecursionError) as e:
            raise Refused(400, errors("Error in the JQL Query: a value is out of range.")) from e

    def issue(self, call: Call) -> Reply:
        wanted = call.listed("fields") or ["*all"]
        return Reply(self.view(call).issue(call.account, self.visible(call), wanted, call.listed("expand")))

    def remote_links(self, call: Call) -> Reply:
        issue = self.visible(call)
        return Reply([self.view(call).remote_link(issue, link) for link in issue.remote_links])


_EPIC = {
    "id": EPIC_LINK,
    "key": EPIC_LINK,
    "name": "Epic Link",
    "custom": True,
    "orderable": True,
    "navigable": True,
    "searchable": True,
    "clauseNames": [f"cf[{EPIC_LINK.removeprefix('customfield_')}]", "Epic Link"],
    "schema": {"type": "any", "custom": "com.pyxis.greenhopper.jira:gh-epic-link", "customId": 10008},
}
