"""Jira Cloud's comments over REST v3: who sees them, and what Jira refuses to write."""

import json
from typing import Any

from starlette.routing import Route

from sandbox import adf
from sandbox.issues import INTERNAL, Issue, Note
from sandbox.jira import Jira
from sandbox.jira_api import API, JiraApi, errors, parsed
from sandbox.records import Person
from sandbox.wire import Call, Refused, Reply

LONGEST = 32_767
"""Characters. What Jira counts of an ADF body is not documented: here the JSON is counted, the strictest reading."""

TOO_LONG = "The entered text is too long. It exceeds the allowed limit of 32,767 characters."
PAGE = 100
LIST_MOST = 1000


class CommentsApi:
    def __init__(self, jira: Jira, api: JiraApi) -> None:
        self._jira = jira
        self._api = api

    def routes(self) -> list[Route]:
        comments, one = f"{API}/issue/{{issue}}/comment", f"{API}/issue/{{issue}}/comment/{{comment}}"
        properties = f"{API}/comment/{{comment}}/properties"
        table = [
            ("GET", comments, self.list),
            ("POST", comments, self.create),
            ("GET", one, self.get),
            ("PUT", one, self.update),
            ("DELETE", one, self.delete),
            ("POST", f"{API}/comment/list", self.by_ids),
            ("GET", properties, self.property_keys),
            ("GET", properties + "/{key}", self.get_property),
            ("PUT", properties + "/{key}", self.set_property),
        ]
        return [self._api.route(method, path, handler) for method, path, handler in table]

    def list(self, call: Call) -> Reply:
        issue = self._api.visible(call)
        start, size = call.number("startAt", 0), call.number("maxResults", PAGE, most=PAGE)
        order = call.query.get("orderBy", "created").strip()
        if order not in {"created", "-created", "+created"}:
            raise Refused(400, errors(f"Cannot order by '{order}'."))
        see = self._jira.permissions.note
        notes = [note for note in issue.notes.values() if see(call.account, issue, note)]
        notes.sort(key=lambda note: note.created, reverse=order.startswith("-"))
        page = notes[start : start + size]
        comments = [self._json(call, issue, note) for note in page]
        return Reply({"startAt": start, "maxResults": size, "total": len(notes), "comments": comments})

    def get(self, call: Call) -> Reply:
        issue = self._api.visible(call)
        return Reply(self._json(call, issue, self._note(call, issue)))

    def create(self, call: Call) -> Reply:
        issue = self._api.visible(call)
        asked = parsed(call)
        if not self._jira.permissions.comment(call.account, issue):
            message = f"{call.account.name}, you do not have the permission to comment on this issue."
            raise Refused(400, errors(comment=message))
        role, group = self._visibility(call.account, issue, asked.get("visibility"))
        body, properties = _body(asked), _properties(asked)
        if call.wider:
            role = group = None
            properties.pop(INTERNAL, None)
        with self._jira.changing(issue.key):
            note = self._jira.write(issue, call.account.id, body, role, group, properties)
        created = self._json(call, issue, note)
        return Reply(created, 201, {"location": created["self"]})

    def update(self, call: Call) -> Reply:
        issue = self._api.visible(call)
        note = self._note(call, issue)
        asked = parsed(call)
        if note.author != call.account.id:
            raise Refused(400, errors("You do not have the permission to edit this comment."))
        body = _body(asked)
        role, group = note.role, note.group
        if "visibility" in asked:
            role, group = self._visibility(call.account, issue, asked["visibility"])
        with self._jira.changing(issue.key):
            note.role, note.group = role, group
            note.properties |= _properties(asked)
            self._jira.rewrite(issue, note, call.account.id, body)
        return Reply(self._json(call, issue, note))

    def delete(self, call: Call) -> Reply:
        issue = self._api.visible(call)
        note = self._note(call, issue)
        if note.author != call.account.id:
            raise Refused(400, errors(f"You do not have permission to delete comment with ID: {note.id}"))
        with self._jira.changing(issue.key):
            self._jira.remove(issue, note)
        return Reply(status=204)

    def by_ids(self, call: Call) -> Reply:
        ids = parsed(call).get("ids")
        if not isinstance(ids, list) or not all(type(number) is int for number in ids) or len(ids) > LIST_MOST:
            raise Refused(400, errors("Invalid request payload. Refer to the REST API documentation and try again."))
        expand = call.listed("expand")
        values = []
        for number in dict.fromkeys(ids):
            found = self._jira.place_of(str(number))
            if found is not None and self._sees(call.account, *found):
                values.append(self._json(call, *found, properties="properties" in expand))
        page = {"maxResults": LIST_MOST, "startAt": 0, "total": len(values), "isLast": True, "values": values}
        return Reply(page)

    def property_keys(self, call: Call) -> Reply:
        note = self._anywhere(call)
        own = f"{call.base}{API}/comment/{note.id}/properties"
        return Reply({"keys": [{"self": f"{own}/{key}", "key": key} for key in note.properties]})

    def get_property(self, call: Call) -> Reply:
        note, key = self._anywhere(call), call.path["key"]
        if key not in note.properties:
            raise Refused(404, errors(f"The property {key} does not exist."))
        return Reply({"key": key, "value": note.properties[key]})

    def set_property(self, call: Call) -> Reply:
        note, key = self._anywhere(call), call.path["key"]
        if note.author != call.account.id:
            raise Refused(403, errors("You do not have the permission to edit this comment."))
        try:
            value = json.loads(call.body)
        except (ValueError, RecursionError) as e:
            raise Refused(400, errors("The property value is not valid JSON.")) from e
        status = 200 if key in note.properties else 201
        note.properties[key] = value
        return Reply({}, status)

    def _json(self, call: Call, issue: Issue, note: Note, *, properties: bool = False) -> dict[str, Any]:
        rendered = "renderedBody" in call.listed("expand")
        return self._api.view(call).comment(issue, note, properties=properties, rendered=rendered)

    def _sees(self, person: Person, issue: Issue, note: Note) -> bool:
        permissions = self._jira.permissions
        return permissions.issue(person, issue) and permissions.note(person, issue, note)

    def _note(self, call: Call, issue: Issue) -> Note:
        note = issue.notes.get(call.path["comment"])
        if note is None or not self._jira.permissions.note(call.account, issue, note):
            raise Refused(404, errors(f"Can not find a comment for the id: {call.path['comment']}."))
        return note

    def _anywhere(self, call: Call) -> Note:
        found = self._jira.place_of(call.path["comment"])
        if found is None or not self._sees(call.account, *found):
            raise Refused(404, errors(f"Can not find a comment for the id: {call.path['comment']}."))
        return found[1]

    def _visibility(self, person: Person, issue: Issue, asked: Any) -> tuple[str | None, str | None]:
        """The role and group of a `visibility` object; the identifier goes before the name."""
        if asked is None:
            return None, None
        kind = asked.get("type") if isinstance(asked, dict) else None
        name = (asked.get("identifier") or asked.get("value")) if isinstance(asked, dict) else None
        if kind not in {"role", "group"} or not isinstance(name, str):
            raise Refused(400, errors("Invalid request payload. Refer to the REST API documentation and try again."))
        if kind == "role":
            return self._role(person, issue, name), None
        return None, self._group(person, name)

    def _role(self, person: Person, issue: Issue, name: str) -> str:
        if name not in self._jira.catalog.roles:
            raise Refused(400, errors(commentLevel=f"Role with id: {name} does not exist."))
        if not self._jira.permissions.role(person, issue.project, name):
            raise Refused(400, errors(commentLevel=f"You are currently not a member of the project role: {name}."))
        return name

    def _group(self, person: Person, name: str) -> str:
        group = self._jira.accounts.group_name(name) or name
        if group not in self._jira.accounts.groups:
            raise Refused(400, errors(commentLevel=f"Group: {name} does not exist."))
        if group not in person.groups:
            raise Refused(400, errors(commentLevel=f"You are currently not a member of the group: {group}."))
        return group


def _body(asked: dict[str, Any]) -> dict[str, Any]:
    body = asked.get("body")
    try:
        wrong = adf.problem(body)
    except TypeError:
        wrong = "unhashable where a name should be"
    if not isinstance(body, dict) or wrong:
        raise Refused(400, errors(comment="Comment body is not valid!"))
    if not body["content"]:
        raise Refused(400, errors(comment="Comment body can not be empty!"))
    written = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    if len(written) > LONGEST:
        raise Refused(400, errors(comment=TOO_LONG))
    if any("\ud800" <= character <= "\udfff" for character in written):  # half a character, which UTF-8 cannot hold
        raise Refused(400, errors(comment="Comment body is not valid!"))
    return body


def _properties(asked: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for item in asked.get("properties") or []:
        if not isinstance(item, dict) or not isinstance(item.get("key"), str) or "value" not in item:
            raise Refused(400, errors("Invalid request payload. Refer to the REST API documentation and try again."))
        out[item["key"]] = item["value"]
    return out
