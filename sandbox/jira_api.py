"""Jira Cloud's REST v3 over the sandbox's state: the site, projects, search and issues."""

import base64
import json
from collections.abc import Callable
from typing import Any

from starlette.routing import Route

from sandbox.issues import Issue
from sandbox.jira import Jira
from sandbox.jira_fields import described
from sandbox.jira_json import EMBEDDED_CHANGES_OF_MANY, JiraJson, account_type
from sandbox.jql import BadJql, Query, parse
from sandbox.records import Person, Project
from sandbox.wire import Call, Refused, Reply, route

API = "/rest/api/3"
PERMISSIONS = (
    "BROWSE_PROJECTS",
    "ADD_COMMENTS",
    "EDIT_OWN_COMMENTS",
    "DELETE_OWN_COMMENTS",
    "DELETE_ALL_COMMENTS",
    "EDIT_ALL_COMMENTS",
    "EDIT_ISSUES",
    "ADMINISTER",
    "ADMINISTER_PROJECTS",
)
MOST_AT_ONCE = 100
NO_ISSUE = "Issue does not exist or you do not have permission to see it."
MOVED = (
    "The requested API has been removed. Please migrate to the /rest/api/3/search/jql API. A full migration guideline "
    "is available at https://developer.atlassian.com/changelog/#CHANGE-2046"
)


def errors(*messages: str, **fields: str) -> dict[str, Any]:
    return {"errorMessages": list(messages), "errors": fields}


def parsed(call: Call) -> dict[str, Any]:
    """The request's JSON object."""
    try:
        value = json.loads(call.body)
    except (ValueError, RecursionError) as e:
        raise Refused(400, errors("There was an error parsing JSON. Check that your request body is valid.")) from e
    if not isinstance(value, dict):
        raise Refused(400, errors("Invalid request payload. Refer to the REST API documentation and try again."))
    return value


class JiraApi:
    """Handlers; each takes the lock for as long as it runs."""

    def __init__(self, jira: Jira) -> None:
        self._jira = jira

    def routes(self) -> list[Route]:
        get = [
            ("/serverInfo", self.server_info),
            ("/myself", self.myself),
            ("/mypermissions", self.my_permissions),
            ("/field", self.fields),
            ("/project/search", self.projects),
            ("/project/{project}", self.project),
            ("/project/{project}/role", self.roles),
            ("/project/{project}/role/{role}", self.role),
            ("/search/jql", self.search_get),
            ("/search", self.gone),
            ("/issue/{issue}", self.issue),
            ("/issue/{issue}/changelog", self.changelog),
            ("/issue/{issue}/remotelink", self.remote_links),
        ]
        post = [("/search/jql", self.search_post), ("/search", self.gone), ("/issue/bulkfetch", self.bulk_fetch)]
        return [self.route("GET", API + path, h) for path, h in get] + [
            self.route("POST", API + path, h) for path, h in post
        ]

    def route(self, method: str, path: str, handler: Callable[[Call], Reply]) -> Route:
        def locked(call: Call) -> Reply:
            with self._jira.lock:
                return handler(call)

        return route(method, path, locked, self.authenticate)

    def authenticate(self, header: str | None) -> Person:
        person = self._jira.accounts.login(header)
        if person is None:
            message = "Client must be authenticated to access this resource."
            raise Refused(401, {"errorMessages": [message], "errors": {}})
        return person

    def visible(self, call: Call) -> Issue:
        """The issue of the path, which the account may see."""
        issue = self._jira.find(call.path["issue"])
        if issue is None or not self._jira.permissions.issue(call.account, issue):
            raise Refused(404, errors(NO_ISSUE))
        return issue

    def view(self, call: Call) -> JiraJson:
        return JiraJson(self._jira, call.base)

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

    def myself(self, call: Call) -> Reply:
        user = self.view(call).user(call.account.id)
        groups = [{"name": g, "groupId": self._jira.accounts.group_id(g)} for g in call.account.groups]
        if "groups" in call.listed("expand"):
            user["groups"] = {"size": len(groups), "items": groups}
        return Reply(user | {"locale": "en_US", "accountType": account_type(call.account)})

    def my_permissions(self, call: Call) -> Reply:
        asked = call.listed("permissions")
        if not asked:
            raise Refused(400, errors("The 'permissions' query parameter is required."))
        unknown = [key for key in asked if key not in PERMISSIONS]
        if unknown:
            raise Refused(400, errors(f"Unrecognized permission: {unknown[0]}"))
        holds = self._held(call)
        return Reply(
            {
                "permissions": {
                    key: {
                        "id": str(10 + PERMISSIONS.index(key)),
                        "key": key,
                        "name": key.replace("_", " ").capitalize(),
                        "type": "GLOBAL" if key == "ADMINISTER" else "PROJECT",
                        "description": "",
                        "havePermission": key in holds,
                    }
                    for key in asked
                }
            }
        )

    def _held(self, call: Call) -> frozenset[str]:
        """The permissions of an account in the named project or issue; without one, in any project."""
        permissions, person = self._jira.permissions, call.account
        wanted = call.query.get("issueKey") or call.query.get("issueId")
        named = call.query.get("projectKey") or call.query.get("projectId")
        if wanted:
            issue = self._jira.find(wanted)
            if issue is None or not permissions.issue(person, issue):
                raise Refused(404, errors(NO_ISSUE))
            may = True
        elif named:
            may = permissions.browse(person, self._project(person, named))
        else:
            may = any(permissions.browse(person, project) for project in self._jira.projects.values())
        if not may:
            return frozenset()
        writes = {"ADD_COMMENTS", "EDIT_OWN_COMMENTS", "DELETE_OWN_COMMENTS"}
        return frozenset({"BROWSE_PROJECTS"} | (writes if person.id != self._jira.accounts.reader.id else set()))

    def fields(self, _call: Call) -> Reply:
        return Reply(described(self._jira.catalog))

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

    def project(self, call: Call) -> Reply:
        project = self._project(call.account, call.path["project"])
        catalog = self._jira.catalog
        types = [self.view(call).type(name) for name in catalog.types]
        roles = {name: self._role_url(call, project, name) for name in project.roles}
        rest = {"description": "", "issueTypes": types, "roles": roles, "components": [], "versions": []}
        return Reply(self.view(call).project(project) | rest | {"assigneeType": "UNASSIGNED"})

    def _project(self, person: Person, key_or_id: str) -> Project:
        numbers = {str(number): key for key, number in self._jira.catalog.projects.items()}
        project = self._jira.projects.get(numbers.get(key_or_id, key_or_id.upper()))
        if project is None or not self._jira.permissions.browse(person, project):
            raise Refused(404, errors(f"No project could be found with key '{key_or_id}'."))
        return project

    def _role_url(self, call: Call, project: Project, role: str) -> str:
        numbers = self._jira.catalog
        return f"{call.base}{API}/project/{numbers.projects[project.key]}/role/{numbers.roles[role]}"

    def roles(self, call: Call) -> Reply:
        project = self._project(call.account, call.path["project"])
        return Reply({name: self._role_url(call, project, name) for name in project.roles})

    def role(self, call: Call) -> Reply:
        project = self._project(call.account, call.path["project"])
        number = call.path["role"]
        name = next((n for n in project.roles if str(self._jira.catalog.roles[n]) == number), None)
        if name is None:
            raise Refused(404, errors(f"Can not retrieve a role actor for role id: {number}"))
        people = [p for p in self._jira.accounts.people.values() if self._jira.permissions.role(p, project, name)]
        actors = [
            {
                "id": 10701 + at,
                "displayName": person.name,
                "type": "atlassian-user-role-actor",
                "actorUser": {"accountId": person.id},
                "avatarUrl": self.view(call).avatars(person.id)["16x16"],
            }
            for at, person in enumerate(people)
        ]
        own = self._role_url(call, project, name)
        return Reply({"self": own, "name": name, "id": int(number), "description": "", "actors": actors})

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
            raise Refused(400, errors("Invalid request payload. Refer to the REST API documentation and try again."))
        size = min(size, 5000 if set(fields) <= {"id", "key"} else 100)
        found = self._found(call.account, self._query(str(asked.get("jql") or "")), frozenset(reconcile))
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
            raise Refused(400, errors("Invalid request payload. Refer to the REST API documentation and try again."))
        found = {issue.id: issue for issue in map(self._jira.find, map(str, names)) if issue is not None}
        seen = [i for i in found.values() if self._jira.permissions.issue(call.account, i)]
        seen.sort(key=lambda issue: int(issue.id))
        view, fields = self.view(call), [str(name) for name in fields] or ["*navigable"]
        issues = [self._one_of_many(view, call, issue, fields, list(map(str, expand))) for issue in seen]
        return Reply({"issues": issues, "issueErrors": []})

    def _query(self, jql: str) -> Query:
        jira = self._jira
        try:
            return parse(jql, jira.catalog, jira.zone, jira.now(), jira.issues)
        except BadJql as e:
            raise Refused(400, errors(str(e))) from e
        except (ValueError, OverflowError, OSError, RecursionError) as e:
            raise Refused(400, errors("Error in the JQL Query: a value is out of range.")) from e

    def _found(self, person: Person, query: Query, reconcile: frozenset[str]) -> list[Issue]:
        jira = self._jira
        found = []
        for issue in jira.issues.values():
            seen = issue.as_searched(0 if issue.id in reconcile else jira.search_lag)
            if not seen.deleted and query.matches(issue, seen) and jira.permissions.indexed(person, issue):
                found.append((query.sort_key(issue, seen), issue))
        return [issue for _, issue in sorted(found, key=lambda pair: (pair[0], int(pair[1].id)))]

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
