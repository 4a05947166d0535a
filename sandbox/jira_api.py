"""Jira Cloud's REST v3 over the sandbox's state: the site, projects, search and issues."""

import base64
from typing import Any

from starlette.routing import Route

from sandbox.issues import Issue
from sandbox.jira_door import WRONG_PAYLOAD, Door, errors, parsed
from sandbox.jira_fields import described
from sandbox.jira_json import EMBEDDED_CHANGES_OF_MANY, JiraJson
from sandbox.jql import BadJql, Query, parse
from sandbox.permissions import PERMISSIONS, listed
from sandbox.wire import Call, Refused, Reply

API = Door.api
MOST_AT_ONCE = 100
MOVED = (
    "The requested API has been removed. Please migrate to the /rest/api/3/search/jql API. A full migration guideline "
    "is available at https://developer.atlassian.com/changelog/#CHANGE-2046"
)


class JiraApi(Door):
    def routes(self) -> list[Route]:
        get = [
            ("/mypermissions", self.my_permissions),
            ("/field", self.fields),
            ("/status", self.statuses),
            ("/project/search", self.projects),
            ("/project/{project}", self.one_project),
            ("/search/jql", self.search_get),
            ("/search", self.gone),
            ("/issue/{issue}", self.issue),
            ("/issue/{issue}/changelog", self.changelog),
            ("/issue/{issue}/remotelink", self.remote_links),
        ]
        post = [("/search/jql", self.search_post), ("/search", self.gone), ("/issue/bulkfetch", self.bulk_fetch)]
        return [
            self.route("GET", API + "/serverInfo", self.server_info, anonymous=True),
            self.route("GET", "/rest/api/2/serverInfo", self.server_info, anonymous=True),  # as every Jira answers
            *(self.route("GET", API + path, h) for path, h in get),
            *(self.route("POST", API + path, h) for path, h in post),
        ]

    def server_info(self, call: Call) -> Reply:
        return Reply(
            {
                "baseUrl": call.base,
                "displayUrl": call.base,
                "version": "1001.0.0-SNAPSHOT",
                "versionNumbers": [1001, 0, 0],
                "deploymentType": "Cloud",
                "buildNumber": 100300,
                "buildDate": self.view(call).time(self._jira.now()),
                "serverTime": self.view(call).time(self._jira.now()),
                "scmInfo": "sandbox",
                "serverTitle": "Jira",
            }
        )

    def my_permissions(self, call: Call) -> Reply:
        asked = call.listed("permissions")
        if not asked:
            raise Refused(400, errors("The 'permissions' query parameter is required."))
        unknown = [key for key in asked if key not in PERMISSIONS]
        if unknown:
            raise Refused(400, errors(f"Unrecognized permission: {unknown[0]}"))
        return Reply({"permissions": listed(asked, self.held(call))})

    def fields(self, _call: Call) -> Reply:
        return Reply(described(self._jira.catalog))

    def statuses(self, call: Call) -> Reply:
        return Reply([self.view(call).status(name) for name in self._jira.catalog.statuses])

    def projects(self, call: Call) -> Reply:
        start, size = call.number("startAt", 0), max(1, call.number("maxResults", 50, most=100))
        keys, words = {key.upper() for key in call.listed("keys")}, call.query.get("query", "").casefold()
        seen = [
            p
            for p in sorted(self._jira.projects.values(), key=lambda p: p.key)
            if self._jira.permissions.browse(call.account, p)
            and (not keys or p.key in keys)
            and (words in p.key.casefold() or words in p.name.casefold())
        ]
        values = [self.view(call).project(p) | {"isPrivate": False} for p in seen[start : start + size]]
        return Reply(_page(f"{call.base}{API}/project/search?", start, size, len(seen), values))

    def one_project(self, call: Call) -> Reply:
        project = self.project(call.account, call.path["project"])
        roles = {name: self.role_url(call, project, name) for name in project.roles}
        return Reply(self.view(call).project_in_full(project, roles))

    def gone(self, _call: Call) -> Reply:
        return Reply(errors(MOVED), 410)

    def search_get(self, call: Call) -> Reply:
        asked = {
            "jql": call.query.get("jql", ""),
            "nextPageToken": call.query.get("nextPageToken"),
            "maxResults": call.number("maxResults", 50),
        }
        return self._search(call, asked, call.listed("fields"), call.listed("expand"), call.listed("reconcileIssues"))

    def search_post(self, call: Call) -> Reply:
        asked = parsed(call)
        expand = [part.strip() for part in str(asked.get("expand") or "").split(",")]
        fresh = [str(issue_id) for issue_id in asked.get("reconcileIssues") or []]
        return self._search(call, asked, [str(name) for name in asked.get("fields") or []], expand, fresh)

    def _search(
        self, call: Call, asked: dict[str, Any], fields: list[str], expand: list[str], reconcile: list[str]
    ) -> Reply:
        size = asked.get("maxResults", 50)
        if not isinstance(size, int) or size < 0 or len(reconcile) > 50:
            raise Refused(400, errors(WRONG_PAYLOAD))
        size = min(size, 5000 if set(fields) <= {"id", "key"} else 100)
        found = self._jira.search(call.account, self._query(str(asked.get("jql") or "")), reconcile)
        start = _token_start(asked.get("nextPageToken"))
        shown = found[start : start + size]
        view = self.view(call)
        if set(fields) <= {"id"} and not any(expand):
            issues = [{"id": issue.id} for issue in shown]
        else:
            issues = [self._one_of_many(view, call, issue, fields or ["id"], expand) for issue in shown]
        out: dict[str, Any] = {"issues": issues, "isLast": start + size >= len(found)}
        if not out["isLast"]:
            out["nextPageToken"] = _token(start + size)
        return Reply(out)

    @staticmethod
    def _one_of_many(view: JiraJson, call: Call, issue: Issue, fields: list[str], expand: list[str]) -> dict[str, Any]:
        return view.issue(call.account, issue, fields, expand, changes=EMBEDDED_CHANGES_OF_MANY)

    def bulk_fetch(self, call: Call) -> Reply:
        """Issues as they are now, whatever a search knows; those that the account may not see are not mentioned."""
        asked = parsed(call)
        names, fields, expand = (asked.get(name) or [] for name in ("issueIdsOrKeys", "fields", "expand"))
        if (
            not names
            or not all(isinstance(part, list) for part in (names, fields, expand))
            or len(names) > MOST_AT_ONCE
        ):
            raise Refused(400, errors(WRONG_PAYLOAD))
        found = {issue.id: issue for issue in map(self._jira.find, map(str, names)) if issue is not None}
        seen = [i for i in found.values() if self._jira.permissions.issue(call.account, i)]
        seen.sort(key=lambda issue: int(issue.id))
        view, fields = self.view(call), [str(name) for name in fields] or ["*navigable"]
        issues = [self._one_of_many(view, call, issue, fields, list(map(str, expand))) for issue in seen]
        return Reply({"issues": issues, "issueErrors": []})

    def _query(self, jql: str) -> Query:
        jira = self._jira
        try:
            return parse(jql, jira.catalog, jira.zone, jira.now(), jira.keys())
        except BadJql as e:
            raise Refused(400, errors(str(e))) from e
        except (ValueError, OverflowError, OSError, RecursionError) as e:
            raise Refused(400, errors("Error in the JQL Query: a value is out of range.")) from e

    def issue(self, call: Call) -> Reply:
        wanted = call.listed("fields") or ["*all"]
        return Reply(self.view(call).issue(call.account, self.visible(call), wanted, call.listed("expand")))

    def changelog(self, call: Call) -> Reply:
        issue = self.visible(call)
        start, size = call.number("startAt", 0), max(1, call.number("maxResults", 100, most=100))
        entries = issue.history[start : start + size]
        values = [self.view(call).history(entry_id, changes) for entry_id, changes in entries]
        own = f"{call.base}{API}/issue/{issue.key}/changelog?"
        return Reply(_page(own, start, size, len(issue.history), values))

    def remote_links(self, call: Call) -> Reply:
        issue = self.visible(call)
        return Reply([self.view(call).remote_link(issue, link) for link in issue.remote_links])


def _page(url: str, start: int, size: int, total: int, values: list[Any]) -> dict[str, Any]:
    last = start + len(values) >= total
    page = {
        "self": f"{url}startAt={start}&maxResults={size}",
        "maxResults": size,
        "startAt": start,
        "total": total,
        "isLast": last,
        "values": values,
    }
    return page if last else page | {"nextPage": f"{url}startAt={start + len(values)}&maxResults={size}"}


def _token(start: int) -> str:
    return base64.urlsafe_b64encode(f"page:{start}".encode()).decode()


def _token_start(token: Any) -> int:
    if token is None:
        return 0
    try:
        kind, _, start = base64.urlsafe_b64decode(str(token)).decode().partition(":")
        if kind == "page":
            return int(start)
    except ValueError:
        pass
    raise Refused(400, errors("The provided nextPageToken is invalid or expired."))
