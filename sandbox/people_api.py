"""Who somebody is on Jira Cloud, in which groups and in which roles, over REST v3."""

from typing import Any

from starlette.routing import Route

from sandbox.jira_door import Door, errors
from sandbox.jira_json import account_type
from sandbox.jira_state import JiraState
from sandbox.records import Person
from sandbox.wire import Call, Refused, Reply


class PeopleApi:
    def __init__(self, jira: JiraState, door: Door) -> None:
        self._jira = jira
        self._door = door

    def routes(self) -> list[Route]:
        table = [
            ("/myself", self.myself),
            ("/user", self.user),
            ("/user/groups", self.groups),
            ("/project/{project}/role", self.roles),
            ("/project/{project}/role/{role}", self.role),
        ]
        return [self._door.route("GET", self._door.api + path, handler) for path, handler in table]

    def myself(self, call: Call) -> Reply:
        return Reply(self._json(call, call.account) | {"locale": "en_US"})

    def user(self, call: Call) -> Reply:
        return Reply(self._json(call, self._asked_for(call)))

    def groups(self, call: Call) -> Reply:
        return Reply(self._groups(call, self._asked_for(call)))

    def _asked_for(self, call: Call) -> Person:
        wanted = call.query.get("accountId", "")
        person = self._jira.accounts.people.get(wanted)
        if person is None or self._jira.accounts.deleted(wanted):
            raise Refused(404, errors("Specified user does not exist or you do not have required permissions"))
        return person

    def _json(self, call: Call, person: Person) -> dict[str, Any]:
        """With the groups where they are asked for."""
        out = self._door.view(call).user(person.id) | {"accountType": account_type(person)}
        if "groups" in call.listed("expand"):
            out["groups"] = {"size": len(person.groups), "items": self._groups(call, person)}
        return out

    def _groups(self, call: Call, person: Person) -> list[dict[str, str]]:
        numbers = {name: self._jira.accounts.group_id(name) for name in person.groups}
        own = f"{call.base}{self._door.api}/group?groupId="
        return [{"name": name, "groupId": number, "self": own + number} for name, number in numbers.items()]

    def roles(self, call: Call) -> Reply:
        project = self._door.project(call.account, call.path["project"])
        return Reply({name: self._door.role_url(call, project, name) for name in project.roles})

    def role(self, call: Call) -> Reply:
        project, name, people = self._door.role(call)
        actors = [
            {
                "id": 10701 + at,
                "displayName": person.name,
                "type": "atlassian-user-role-actor",
                "actorUser": {"accountId": person.id},
                "avatarUrl": self._door.view(call).avatars(person.id)["16x16"],
            }
            for at, person in enumerate(people)
        ]
        number = self._jira.catalog.roles[name]
        own = self._door.role_url(call, project, name)
        return Reply({"self": own, "name": name, "id": number, "description": "", "actors": actors})
