"""Who somebody is on Jira Data Center, by name and key, and in which groups and roles."""

from typing import Any

from starlette.routing import Route

from sandbox.jira_data_center_door import DataCenterDoor
from sandbox.jira_door import errors
from sandbox.jira_state import JiraState
from sandbox.records import Person
from sandbox.wire import Call, Refused, Reply


class DataCenterPeople:
    def __init__(self, jira: JiraState, door: DataCenterDoor) -> None:
        self._jira = jira
        self._door = door

    def routes(self) -> list[Route]:
        table = [
            ("/myself", self.myself),
            ("/user", self.user),
            ("/role", self.roles),
            ("/role/{role}", self.role),
            ("/project/{project}/role", self.project_roles),
            ("/project/{project}/role/{role}", self.project_role),
        ]
        return [self._door.route("GET", self._door.api + path, handler) for path, handler in table]

    def myself(self, call: Call) -> Reply:
        return Reply(self._person(call, call.account))

    def user(self, call: Call) -> Reply:
        """By name or key; groups where they are asked for."""
        key, name = call.query.get("key"), call.query.get("username")
        accounts = self._jira.accounts
        found = [
            p for p in accounts.people.values() if accounts.user_key(p.id) == key or (key is None and p.id == name)
        ]
        if not found or accounts.deleted(found[0].id):
            kind, said = ("key", key) if key is not None else ("username", name)
            raise Refused(404, errors(f"The user with the {kind} '{said}' does not exist"))
        return Reply(self._person(call, found[0]))

    def _person(self, call: Call, person: Person) -> dict[str, Any]:
        """Groups are counted always, and named when expanded."""
        own = f"{call.base}{self._door.api}/group?groupname="
        groups: dict[str, Any] = {"size": len(person.groups), "items": []}
        if "groups" in call.listed("expand"):
            groups["items"] = [{"name": name, "self": own + name} for name in person.groups]
        more = {"groups": groups, "applicationRoles": {"size": 1, "items": []}, "expand": "groups,applicationRoles"}
        return self._door.view(call).user(person.id) | {"locale": "en_US", "deleted": False} | more

    def project_roles(self, call: Call) -> Reply:
        project = self._door.project(call.account, call.path["project"])
        return Reply({name: self._door.role_url(call, project, name) for name in project.roles})

    def project_role(self, call: Call) -> Reply:
        project, name, people = self._door.role(call)
        actors = [
            {
                "id": 10701 + at,
                "displayName": person.name,
                "type": "atlassian-user-role-actor",
                "name": person.id,
            }
            for at, person in enumerate(people)
        ]
        number = self._jira.catalog.roles[name]
        own = self._door.role_url(call, project, name)
        return Reply({"self": own, "name": name, "id": number, "description": "", "actors": actors})

    def roles(self, call: Call) -> Reply:
        return Reply([self._role(call, name) for name in self._jira.catalog.roles])

    def role(self, call: Call) -> Reply:
        name = next((n for n, number in self._jira.catalog.roles.items() if str(number) == call.path["role"]), None)
        if name is None:
            raise Refused(404, errors(f"Can not retrieve a role actor for role id: {call.path['role']}"))
        return Reply(self._role(call, name))

    def _role(self, call: Call, name: str) -> dict[str, Any]:
        """A role of all projects; who is in it anywhere is said of each project."""
        number = self._jira.catalog.roles[name]
        own = f"{call.base}{self._door.api}/role/{number}"
        return {"self": own, "name": name, "id": number, "description": "", "actors": []}
