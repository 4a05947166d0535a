"""Jira's JSON, made from the sandbox's state."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sandbox.adf_html import to_html
from sandbox.catalog import LINK_TYPES, SUBTASKS
from sandbox.files import media_type
from sandbox.issues import File, Issue, Note
from sandbox.jira_fields import SYSTEM_FIELDS
from sandbox.records import Change, Person, Project

if TYPE_CHECKING:
    from sandbox.jira_state import JiraState

Json = dict[str, Any]

ISSUE_EXPAND = "renderedFields,names,schema,operations,editmeta,changelog,versionedRepresentations"
NOT_NAVIGABLE = frozenset({"comment", "attachment", "worklog", "issuelinks"})
EMBEDDED_COMMENTS = 100
EMBEDDED_CHANGES = 100
EMBEDDED_CHANGES_OF_MANY = 40

_IDS: Mapping[str, str] = {"Link": "issuelinks", "Fix Version": "fixVersions", "Component": "components"}


class JiraJson:
    """Views for one request: URLs start with `base`, times are in the account's zone. Cloud's v3, unless a subclass
    says otherwise.
    """

    version = 3

    def __init__(self, jira: "JiraState", base: str) -> None:
        self._jira = jira
        self._catalog = jira.catalog
        self._base = base
        self._api = f"{base}/rest/api/{self.version}"

    def time(self, at: datetime) -> str:
        """Jira's timestamp: milliseconds, and an offset without a colon."""
        local = at.astimezone(self._jira.zone)
        return f"{local:%Y-%m-%dT%H:%M:%S}.{local.microsecond // 1000:03d}{local:%z}"

    def avatars(self, owner: str) -> Json:
        sizes = ("48x48", "24x24", "16x16", "32x32")
        return {size: f"{self._base}/secure/avatar?owner={owner}&size={size.split('x')[0]}" for size in sizes}

    def user(self, account_id: str, *, api: str | None = None) -> Json:
        person = self._jira.accounts.of(account_id)
        if self._jira.accounts.deleted(account_id):
            return self._former(api or self._api)
        return {
            "self": f"{api or self._api}/user?accountId={person.id}",
            "accountId": person.id,
            "emailAddress": person.email,
            "avatarUrls": self.avatars(person.id),
            "displayName": person.name,
            "active": self._jira.accounts.active(person.id),
            "timeZone": str(self._jira.zone),
            "accountType": account_type(person),
        }

    def _former(self, api: str) -> Json:
        """Somebody whose account was deleted."""
        return {
            "self": f"{api}/user?accountId=unknown",
            "accountId": "unknown",
            "avatarUrls": self.avatars("unknown"),
            "displayName": "Former user",
            "active": False,
            "timeZone": str(self._jira.zone),
            "accountType": "unknown",
        }

    def comment(self, issue: Issue, note: Note, *, properties: bool = False, rendered: bool = False) -> Json:
        out: Json = {
            "self": f"{self._api}/issue/{issue.id}/comment/{note.id}",
            "id": note.id,
            "author": self.user(note.author),
            "body": note.body,
            "updateAuthor": self.user(note.updated_by),
            "created": self.time(note.created),
            "updated": self.time(note.updated),
            "jsdPublic": not (issue.project.service_desk and note.internal),
        }
        visibility = self.visibility(note)
        if visibility is not None:
            out["visibility"] = visibility
        if properties:
            out["properties"] = [{"key": key, "value": value} for key, value in note.properties.items()]
        if rendered:
            out["renderedBody"] = to_html(note.body)
        return out

    def visibility(self, note: Note) -> Json | None:
        """The restriction of a comment; a role's identifier is its name, a group's its id."""
        if note.role is not None:
            return {"type": "role", "value": note.role, "identifier": note.role}
        if note.group is not None:
            return {"type": "group", "value": note.group, "identifier": self._jira.accounts.group_id(note.group)}
        return None

    def project(self, project: Project) -> Json:
        number = self._catalog.projects[project.key]
        return {
            "self": f"{self._api}/project/{number}",
            "id": str(number),
            "key": project.key,
            "name": project.name,
            "projectTypeKey": "service_desk" if project.service_desk else "software",
            "simplified": False,
            "avatarUrls": self.avatars(project.key),
        }

    def project_in_full(self, project: Project, roles: Mapping[str, str]) -> Json:
        """With its types and the addresses of its roles."""
        return self.project(project) | {
            "description": "",
            "issueTypes": [self.type(name) for name in self._catalog.types],
            "roles": roles,
            "components": [],
            "versions": [],
            "assigneeType": "UNASSIGNED",
            "archived": project.key in self._jira.archived_projects,
        }

    def status(self, status: str) -> Json:
        category = self._catalog.category(status)
        number = self._catalog.status_id(status)
        return {
            "self": f"{self._api}/status/{number}",
            "description": "",
            "iconUrl": f"{self._base}/images/icons/statuses/generic.png",
            "name": status,
            "id": str(number),
            "statusCategory": {
                "self": f"{self._api}/statuscategory/{category.id}",
                "id": category.id,
                "key": category.key,
                "colorName": category.color,
                "name": category.name,
            },
        }

    def type(self, name: str) -> Json:
        number = self._catalog.types[name]
        return {
            "self": f"{self._api}/issuetype/{number}",
            "id": str(number),
            "description": "",
            "iconUrl": f"{self._base}/images/icons/issuetypes/generic.png",
            "name": name,
            "subtask": name in SUBTASKS,
            "hierarchyLevel": -1 if name in SUBTASKS else 1 if name == "Epic" else 0,
        }

    def brief(self, issue: Issue) -> Json:
        """An issue inside another one: link, parent, sub-task."""
        return {
            "id": issue.id,
            "key": issue.key,
            "self": f"{self._api}/issue/{issue.id}",
            "fields": {
                "summary": issue.summary,
                "status": self.status(issue.status),
                "priority": self.priority(issue),
                "issuetype": self.type(issue.type),
            },
        }

    def priority(self, issue: Issue) -> Json:
        number = issue.fields.get("priority", {}).get("id", str(self._catalog.priorities["Medium"]))
        name = next(name for name, at in self._catalog.priorities.items() if str(at) == number)
        icon = f"{self._base}/images/icons/priorities/medium.svg"
        return {"self": f"{self._api}/priority/{number}", "iconUrl": icon, "name": name, "id": number}

    def links(self, person: Person, issue: Issue) -> list[Json]:
        """Both directions, without the tickets that the person may not see."""
        ways = [(*link, "outwardIssue") for link in issue.links] + [
            (*link, "inwardIssue") for link in issue.linked_from
        ]
        out = []
        for link_id, kind, key, way in ways:
            other = self._jira.issues[key]
            if self._jira.permissions.issue(person, other):
                number = self._catalog.links[kind]
                outward, inward = LINK_TYPES[kind]
                name = {"id": str(number), "name": kind, "inward": inward, "outward": outward}
                name["self"] = f"{self._api}/issueLinkType/{number}"
                own = f"{self._api}/issueLink/{link_id}"
                out.append({"id": link_id, "self": own, "type": name, way: self.brief(other)})
        return out

    def fields(self, person: Person, issue: Issue, *, comments: bool) -> Json:
        """All fields of an issue, as the person may see them; its comments only when asked for."""
        seen = self._jira.permissions.issue
        children = [child for key in issue.children if seen(person, child := self._jira.issues[key])]
        out: Json = {
            "summary": issue.summary,
            "description": issue.description,
            "issuetype": self.type(issue.type),
            "project": self.project(issue.project),
            "status": self.status(issue.status),
            "resolution": self._resolution(issue.resolution),
            "resolutiondate": self.time(issue.updated) if issue.resolution else None,
            "priority": self.priority(issue),
            "reporter": self.user(issue.reporter),
            "creator": self.user(issue.reporter),
            "assignee": self.user(issue.assignee) if issue.assignee else None,
            "created": self.time(issue.created),
            "updated": self.time(issue.updated),
            "labels": [],
            "components": [],
            "fixVersions": [],
            "environment": None,
            "attachment": [self.file(file) for file in issue.files.values()],
            "issuelinks": self.links(person, issue),
            "subtasks": [self.brief(child) for child in children if child.type in SUBTASKS],
            "security": self._security(issue),
            "archiveddate": self.time(issue.archived[0]) if issue.archived else None,
            "archivedby": self.user(issue.archived[1]) if issue.archived else None,
            "issuerestriction": {"issuerestrictions": self._restrictions(issue), "shouldDisplay": bool(issue.roles)},
        }
        if comments:
            out["comment"] = self._comments(person, issue)
        out |= dict.fromkeys(self._catalog.fields_by_id)
        out |= {key: value for key, value in issue.fields.items() if key != "priority"}
        parent = self._jira.issues.get(issue.parent or "")
        if parent is not None and seen(person, parent):
            out["parent"] = self.brief(parent)
        return out

    def _comments(self, person: Person, issue: Issue) -> Json:
        notes = [n for n in issue.notes.values() if self._jira.permissions.note(person, issue, n)]
        return {
            "comments": [self.comment(issue, note) for note in notes[-EMBEDDED_COMMENTS:]],
            "self": f"{self._api}/issue/{issue.id}/comment",
            "maxResults": EMBEDDED_COMMENTS,
            "total": len(notes),
            "startAt": max(0, len(notes) - EMBEDDED_COMMENTS),
        }

    def _resolution(self, name: str | None) -> Json | None:
        if name is None:
            return None
        number = self._catalog.resolutions.setdefault(name, 10201 + len(self._catalog.resolutions))
        return {"self": f"{self._api}/resolution/{number}", "id": str(number), "description": "", "name": name}

    def _security(self, issue: Issue) -> Json | None:
        if issue.security is None:
            return None
        number = self._catalog.level_id(issue.project, issue.security)
        own = f"{self._api}/securitylevel/{number}"
        return {"self": own, "id": str(number), "description": "", "name": issue.security}

    def file(self, file: File) -> Json:
        """An attachment, without its content."""
        return {
            "self": f"{self._api}/attachment/{file.id}",
            "id": file.id,
            "filename": file.name,
            "author": self.user(file.author),
            "created": self.time(file.created),
            "size": len(file.content),
            "mimeType": media_type(file.name),
            "content": f"{self._api}/attachment/content/{file.id}",
        }

    def _restrictions(self, issue: Issue) -> Json:
        numbers = [str(self._catalog.roles[role]) for role in issue.roles]
        return {"projectrole": [{"restrictionValue": number} for number in numbers]} if numbers else {}

    def issue(
        self,
        person: Person,
        issue: Issue,
        wanted: Iterable[str],
        expand: Iterable[str] = (),
        *,
        changes: int = EMBEDDED_CHANGES,
    ) -> Json:
        """`wanted` as in the `fields` parameter. The changelog that comes along holds the newest `changes`, and counts
        no others.
        """
        names = list(wanted)
        fields = self.fields(person, issue, comments="*all" in names or "comment" in names)
        out: Json = {
            "expand": ISSUE_EXPAND,
            "id": issue.id,
            "self": f"{self._api}/issue/{issue.id}",
            "key": issue.key,
            "fields": chosen(fields, names),
        }
        if "changelog" in expand:
            newest = issue.history[: -changes - 1 : -1]
            shown = [self.history(entry_id, made) for entry_id, made in newest]
            out["changelog"] = {"startAt": 0, "maxResults": len(shown), "total": len(shown), "histories": shown}
        if "names" in expand:
            out["names"] = {key: self.name_of(key) for key in out["fields"]}
        if "renderedFields" in expand:
            texts = {key: value for key, value in out["fields"].items() if is_adf(value)}
            out["renderedFields"] = {key: to_html(value) for key, value in texts.items()}
        return out

    def name_of(self, field_id: str) -> str:
        custom = self._catalog.fields_by_id.get(field_id)
        return custom.name if custom else SYSTEM_FIELDS[field_id][0]

    def history(self, entry_id: str, changes: list[Change]) -> Json:
        return {
            "id": entry_id,
            "author": self.user(changes[0].author),
            "created": self.time(changes[0].at),
            "items": [self._change(change) for change in changes],
        }

    def _change(self, change: Change) -> Json:
        custom = self._catalog.fields.get(change.field)
        ids: Mapping[str, object] = self._catalog.statuses if change.field == "status" else {}
        if change.field == "Link":
            ids = {side: side.rpartition(" ")[2] for side in (change.before, change.after) if side}
        return {
            "field": change.field,
            "fieldtype": "custom" if custom else "jira",
            "fieldId": custom.id if custom else _IDS.get(change.field, change.field),
            "from": str(ids[change.before]) if change.before in ids else None,
            "fromString": change.before or None,
            "to": str(ids[change.after]) if change.after in ids else None,
            "toString": change.after or None,
        }

    def remote_link(self, issue: Issue, link: tuple[int, str, str]) -> Json:
        number, title, url = link
        return {
            "id": number,
            "self": f"{self._api}/issue/{issue.id}/remotelink/{number}",
            "globalId": f"system={url}",
            "application": {},
            "relationship": "mentioned in",
            "object": {"url": url, "title": title, "icon": {}, "status": {"icon": {}}},
        }


def account_type(person: Person) -> str:
    if person.customer:
        return "customer"
    return "app" if person.bot else "atlassian"


def is_adf(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "doc"


def chosen(fields: Json, names: list[str]) -> Json:
    """Fields as Jira's `fields` parameter selects them: names, `*all`, `*navigable`, and `-name` to leave one out."""
    out: Json = {}
    if "*all" in names or "*navigable" in names or all(name.startswith("-") for name in names):
        everything = "*all" in names
        out = {key: value for key, value in fields.items() if everything or key not in NOT_NAVIGABLE}
    for name in names:
        if name.startswith("-"):
            out.pop(name[1:], None)
        elif name in fields:
            out[name] = fields[name]
    return out
