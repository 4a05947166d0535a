"""Jira's comments over REST, as Cloud's v3 has them: who sees them, and what Jira refuses to write."""

import json
from dataclasses import dataclass
from typing import Any

from starlette.routing import Route

from sandbox import adf
from sandbox.comment_visibility import Audience, asked_for
from sandbox.issues import INTERNAL, Issue, Note
from sandbox.jira_door import WRONG_PAYLOAD, Door, errors, parsed
from sandbox.jira_state import JiraState
from sandbox.records import Person
from sandbox.wire import Call, Refused, Reply

LONGEST = 32_767
"""Characters. What Jira counts of an ADF body is not documented: here the JSON is counted, the strictest reading."""

TOO_LONG = "The entered text is too long. It exceeds the allowed limit of 32,767 characters."
PAGE = 100
LIST_MOST = 1000


@dataclass(frozen=True, slots=True)
class Written:
    """A comment's text as it was sent."""

    body: adf.Node
    wiki: str | None = None


class CommentsApi:
    """Cloud's, unless a subclass says otherwise."""

    page = PAGE
    """How many are given when nobody says how many; never more than PAGE."""

    def __init__(self, jira: JiraState, door: Door) -> None:
        self._jira = jira
        self._door = door

    def routes(self) -> list[Route]:
        api = self._door.api
        comments, one = f"{api}/issue/{{issue}}/comment", f"{api}/issue/{{issue}}/comment/{{comment}}"
        properties = f"{api}/comment/{{comment}}/properties"
        table = [
            ("GET", comments, self.list),
            ("POST", comments, self.create),
            ("GET", one, self.get),
            ("PUT", one, self.update),
            ("DELETE", one, self.delete),
            ("POST", f"{api}/comment/list", self.by_ids),
            ("GET", properties, self.property_keys),
            ("GET", properties + "/{key}", self.get_property),
            ("PUT", properties + "/{key}", self.set_property),
            ("DELETE", properties + "/{key}", self.delete_property),
        ]
        return [self._door.route(method, path, handler) for method, path, handler in table]

    def list(self, call: Call) -> Reply:
        issue = self._door.visible(call)
        start, size = call.number("startAt", 0), call.number("maxResults", self.page, most=PAGE)
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
        issue = self._door.visible(call)
        return Reply(self._json(call, issue, self._note(call, issue)))

    def create(self, call: Call) -> Reply:
        issue = self._door.visible(call)
        asked = parsed(call)
        self._may_comment(call.account, issue)
        audience = self._audience(call.account, issue, asked.get("visibility"))
        written, properties = self._written(asked), _properties(asked)
        if call.wider:
            audience = Audience()
            properties.pop(INTERNAL, None)
        with self._jira.changing(issue.key):
            note = self._jira.write(
                issue, call.account.id, written.body, audience.role, audience.group, properties, written.wiki
            )
        created = self._json(call, issue, note)
        return Reply(created, 201, {"location": created["self"]})

    def _may_comment(self, person: Person, issue: Issue) -> None:
        """What is archived can only be read: nobody holds the permission there."""
        if self._jira.archived(issue) or not self._jira.permissions.comment(person, issue):
            message = f"{person.name}, you do not have the permission to comment on this issue."
            raise Refused(400, errors(message))

    def update(self, call: Call) -> Reply:
        issue = self._door.visible(call)
        note = self._note(call, issue)
        asked = parsed(call)
        if not self._may_change(call.account, issue, note, "EDIT_OWN_COMMENTS"):
            raise Refused(400, errors("You do not have the permission to edit this comment."))
        written = self._written(asked)
        audience = Audience(note.role, note.group)
        if "visibility" in asked:
            audience = self._audience(call.account, issue, asked["visibility"])
        with self._jira.changing(issue.key):
            note.role, note.group = audience.role, audience.group
            note.properties |= _properties(asked)
            self._jira.rewrite(issue, note, call.account.id, written.body, written.wiki)
        return Reply(self._json(call, issue, note))

    def _may_change(self, person: Person, issue: Issue, note: Note, permission: str) -> bool:
        own = note.author == person.id and self._jira.permissions.write(person, issue, permission)
        return own and not self._jira.archived(issue)

    def delete(self, call: Call) -> Reply:
        issue = self._door.visible(call)
        note = self._note(call, issue)
        if not self._may_change(call.account, issue, note, "DELETE_OWN_COMMENTS"):
            raise Refused(400, errors(f"You do not have permission to delete comment with ID: {note.id}"))
        with self._jira.changing(issue.key):
            self._jira.remove(issue, note)
        return Reply(status=204)

    def by_ids(self, call: Call) -> Reply:
        ids = parsed(call).get("ids")
        if not isinstance(ids, list) or not all(type(number) is int for number in ids) or len(ids) > LIST_MOST:
            raise Refused(400, errors(WRONG_PAYLOAD))
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
        own = f"{call.base}{self._door.api}/comment/{note.id}/properties"
        return Reply({"keys": [{"self": f"{own}/{key}", "key": key} for key in note.properties]})

    def get_property(self, call: Call) -> Reply:
        note, key = self._anywhere(call), call.path["key"]
        self._has(note, key)
        return Reply({"key": key, "value": note.properties[key]})

    def set_property(self, call: Call) -> Reply:
        note, key = self._own(call), call.path["key"]
        try:
            value = json.loads(call.body)
        except (ValueError, RecursionError) as e:
            raise Refused(400, errors("The property value is not valid JSON.")) from e
        status = 200 if key in note.properties else 201
        note.properties[key] = value
        return Reply({}, status)

    def delete_property(self, call: Call) -> Reply:
        note, key = self._own(call), call.path["key"]
        self._has(note, key)
        del note.properties[key]
        return Reply(status=204)

    @staticmethod
    def _has(note: Note, key: str) -> None:
        if key not in note.properties:
            raise Refused(404, errors(f"The property {key} does not exist."))

    def _own(self, call: Call) -> Note:
        """A comment whose properties the account may change."""
        note = self._anywhere(call)
        if note.author != call.account.id:
            raise Refused(403, errors("You do not have the permission to edit this comment."))
        return note

    def _json(self, call: Call, issue: Issue, note: Note, *, properties: bool = False) -> dict[str, Any]:
        rendered = "renderedBody" in call.listed("expand")
        return self._door.view(call).comment(issue, note, properties=properties, rendered=rendered)

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

    def _audience(self, person: Person, issue: Issue, asked: Any) -> Audience:
        """The identifier goes before the name."""
        return asked_for(self._jira, person, issue, asked, ("identifier", "value"))

    def _written(self, asked: dict[str, Any]) -> Written:
        return Written(_body(asked))


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
            raise Refused(400, errors(WRONG_PAYLOAD))
        out[item["key"]] = item["value"]
    return out
