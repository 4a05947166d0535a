"""What Jira's REST resources share, on Cloud and on Data Center: who asks, for which ticket or project."""

import json
from collections.abc import Callable
from typing import Any

from starlette.routing import Route

from sandbox.issues import Issue
from sandbox.jira_json import JiraJson
from sandbox.jira_state import JiraState
from sandbox.records import Person, Project
from sandbox.wire import Call, Refused, Reply, route

NO_ISSUE = "Issue does not exist or you do not have permission to see it."
WRONG_PAYLOAD = "Invalid request payload. Refer to the REST API documentation and try again."
NOBODY = Person(id="", name="Anonymous", email="")
"""Who asks without a login, where that is allowed."""


def errors(*messages: str, **fields: str) -> dict[str, Any]:
    return {"errorMessages": list(messages), "errors": fields}


def parsed(call: Call) -> dict[str, Any]:
    """The request's JSON object."""
    try:
        value = json.loads(call.body)
    except (ValueError, RecursionError) as e:
        raise Refused(400, errors("There was an error parsing JSON. Check that your request body is valid.")) from e
    if not isinstance(value, dict):
        raise Refused(400, errors(WRONG_PAYLOAD))
    return value


class Door:
    """The way into one flavour, Cloud's unless a subclass says otherwise. A handler has the lock while it runs."""

    api = "/rest/api/3"
    login_needed = "Client must be authenticated to access this resource."

    def __init__(self, jira: JiraState) -> None:
        self._jira = jira

    def route(self, method: str, path: str, handler: Callable[[Call], Reply], *, anonymous: bool = False) -> Route:
        """A handler at a path; `anonymous` lets in who shows no login at all."""

        def locked(call: Call) -> Reply:
            with self._jira.lock:
                return handler(call)

        return route(method, path, locked, self._anybody if anonymous else self.authenticate)

    def authenticate(self, header: str | None) -> Person:
        person = self._login(header)
        if person is None:
            raise Refused(401, errors(self.login_needed))
        return person

    def _anybody(self, header: str | None) -> Person:
        return NOBODY if header is None else self.authenticate(header)

    def _login(self, header: str | None) -> Person | None:
        return self._jira.accounts.login(header)

    def view(self, call: Call) -> JiraJson:
        return JiraJson(self._jira, call.base)

    def visible(self, call: Call) -> Issue:
        """The issue of the path, which the account may see."""
        issue = self._jira.find(call.path["issue"])
        if issue is None or not self._jira.permissions.issue(call.account, issue):
            raise Refused(404, errors(NO_ISSUE))
        return issue

    def project(self, person: Person, key_or_id: str) -> Project:
        """A project that the account may see, by its number, its key or a former one."""
        project = self._jira.project(key_or_id)
        if project is None or not self._jira.permissions.browse(person, project):
            raise Refused(404, errors(f"No project could be found with key '{key_or_id}'."))
        return project

    def role_url(self, call: Call, project: Project, role: str) -> str:
        numbers = self._jira.catalog
        return f"{call.base}{self.api}/project/{numbers.projects[project.key]}/role/{numbers.roles[role]}"

    def role(self, call: Call) -> tuple[Project, str, list[Person]]:
        """The role of the path, and who is in it and can still log in."""
        project = self.project(call.account, call.path["project"])
        accounts, permissions, number = self._jira.accounts, self._jira.permissions, call.path["role"]
        name = next((n for n in project.roles if str(self._jira.catalog.roles[n]) == number), None)
        if name is None or permissions.forbidden(call.account, project, "ADMINISTER_PROJECTS"):
            raise Refused(404, errors(f"Can not retrieve a role actor for role id: {number}"))
        people = [p for p in accounts.people.values() if permissions.role(p, project, name) and accounts.active(p.id)]
        return project, name, people

    def held(self, call: Call) -> frozenset[str]:
        """The permissions of an account in the named project or issue; without one, in any project."""
        permissions, person = self._jira.permissions, call.account
        wanted = call.query.get("issueKey") or call.query.get("issueId")
        named = call.query.get("projectKey") or call.query.get("projectId")
        if wanted:
            issue = self._jira.find(wanted)
            if issue is None or not permissions.issue(person, issue):
                raise Refused(404, errors(NO_ISSUE))
            held = permissions.held(person, issue.project)
            return held & {"BROWSE_PROJECTS"} if self._jira.archived(issue) else held
        if named:
            return permissions.held(person, self.project(person, named))
        return frozenset().union(*(permissions.held(person, project) for project in self._jira.projects.values()))
