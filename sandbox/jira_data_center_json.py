"""Data Center's JSON, where it is not Cloud's: people by name and key, texts in wiki markup, whole histories."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sandbox.adf_wiki import to_wiki
from sandbox.catalog import SUBTASKS
from sandbox.files import media_type
from sandbox.issues import File, Issue, Note
from sandbox.jira_json import JiraJson, Json, is_adf
from sandbox.records import Change, Person, Project

if TYPE_CHECKING:
    from sandbox.jira_state import JiraState

ROOT = "/jira"
"""The context path."""
EPIC_LINK = "customfield_10008"
"""The field that holds the key of a ticket's epic; only sub-tasks have a parent."""
_CLOUD_ONLY = ("issuerestriction", "parent")


class DataCenterJson(JiraJson):
    """`base` is the server's, without the context path."""

    version = 2

    def __init__(self, jira: "JiraState", base: str) -> None:
        super().__init__(jira, base + ROOT)

    def user(self, account_id: str, *, api: str | None = None) -> Json:
        accounts = self._jira.accounts
        person, deleted = accounts.of(account_id), accounts.deleted(account_id)
        return {
            "self": f"{api or self._api}/user?username={person.id}",
            "name": person.id,
            "key": accounts.user_key(person.id),
            "emailAddress": "?" if deleted else person.email,
            "avatarUrls": self.avatars(person.id),
            "displayName": person.id if deleted else person.name,
            "active": accounts.active(person.id),
            "timeZone": str(self._jira.zone),
        }

    def comment(self, issue: Issue, note: Note, *, properties: bool = False, rendered: bool = False) -> Json:
        out = super().comment(issue, note, properties=properties, rendered=rendered)
        out["body"] = text_of(note)
        if not issue.project.service_desk:
            del out["jsdPublic"]
        return out

    def visibility(self, note: Note) -> Json | None:
        found = super().visibility(note)
        return found and {"type": found["type"], "value": found["value"]}

    def project(self, project: Project) -> Json:
        out = super().project(project)
        del out["simplified"]
        return out

    def type(self, name: str) -> Json:
        out = super().type(name)
        del out["hierarchyLevel"]
        return out

    def fields(self, person: Person, issue: Issue, *, comments: bool) -> Json:
        out = super().fields(person, issue, comments=comments)
        parent = out.get("parent")
        out = {key: _plain(value) for key, value in out.items() if key not in _CLOUD_ONLY}
        if parent is not None and issue.type in SUBTASKS:
            return out | {"parent": parent, EPIC_LINK: None}
        return out | {EPIC_LINK: parent and parent["key"]}

    def _comments(self, person: Person, issue: Issue) -> Json:
        notes = [note for note in issue.notes.values() if self._jira.permissions.note(person, issue, note)]
        shown = [self.comment(issue, note) for note in notes]
        return {"comments": shown, "maxResults": len(shown), "total": len(shown), "startAt": 0}

    def file(self, file: File) -> Json:
        return {
            "self": f"{self._api}/attachment/{file.id}",
            "id": file.id,
            "filename": file.name,
            "author": self.user(file.author),
            "created": self.time(file.created),
            "size": len(file.content),
            "mimeType": media_type(file.name),
            "content": f"{self._base}/secure/attachment/{file.id}/{quote(file.name)}",
        }

    def issue(
        self, person: Person, issue: Issue, wanted: Iterable[str], expand: Iterable[str] = (), *, changes: int = 0
    ) -> Json:
        """`changes` is Cloud's: here the changelog that comes along is whole, oldest first."""
        names = list(wanted)
        out = super().issue(person, issue, names, set(expand) - {"changelog", "renderedFields"}, changes=changes)
        if "changelog" in expand:
            shown = [self.history(entry_id, made) for entry_id, made in issue.history]
            out["changelog"] = {"startAt": 0, "maxResults": len(shown), "total": len(shown), "histories": shown}
        return out

    def name_of(self, field_id: str) -> str:
        return "Epic Link" if field_id == EPIC_LINK else super().name_of(field_id)

    def _change(self, change: Change) -> Json:
        out = super()._change(change)
        del out["fieldId"]
        return out


def text_of(note: Note) -> str:
    """A comment's text in wiki markup: as it was written, where it was written in it."""
    return to_wiki(note.body) if note.wiki is None else note.wiki


def _plain(value: Any) -> Any:
    return to_wiki(value) if is_adf(value) else value
