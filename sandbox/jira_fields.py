"""The fields of the sandbox's Jira, as `/field` describes them."""

from collections.abc import Mapping
from typing import Any

from sandbox.catalog import Catalog, CustomField

SYSTEM_FIELDS: Mapping[str, tuple[str, str]] = {
    "summary": ("Summary", "string"),
    "description": ("Description", "string"),
    "issuetype": ("Issue Type", "issuetype"),
    "project": ("Project", "project"),
    "status": ("Status", "status"),
    "resolution": ("Resolution", "resolution"),
    "resolutiondate": ("Resolved", "datetime"),
    "priority": ("Priority", "priority"),
    "reporter": ("Reporter", "user"),
    "creator": ("Creator", "user"),
    "assignee": ("Assignee", "user"),
    "created": ("Created", "datetime"),
    "updated": ("Updated", "datetime"),
    "labels": ("Labels", "array"),
    "components": ("Components", "array"),
    "fixVersions": ("Fix versions", "array"),
    "environment": ("Environment", "string"),
    "attachment": ("Attachment", "array"),
    "issuelinks": ("Linked Issues", "array"),
    "subtasks": ("Sub-tasks", "array"),
    "security": ("Security Level", "securitylevel"),
    "issuerestriction": ("Restrict to", "issuerestriction"),
    "archiveddate": ("Archived", "datetime"),
    "archivedby": ("Archiver", "user"),
    "parent": ("Parent", "issuelink"),
    "comment": ("Comment", "comments-page"),
}
"""Field id -> name as people see it, type."""

_ITEMS: Mapping[str, str] = {
    "labels": "string",
    "components": "component",
    "fixVersions": "version",
    "attachment": "attachment",
    "issuelinks": "issuelinks",
    "subtasks": "issuelinks",
}
_CUSTOM = "com.atlassian.jira.plugin.system.customfieldtypes:"


def described(catalog: Catalog) -> list[dict[str, Any]]:
    return [_system(key) for key in SYSTEM_FIELDS] + [_custom(field) for field in catalog.fields.values()]


def _system(key: str) -> dict[str, Any]:
    name, kind = SYSTEM_FIELDS[key]
    schema: dict[str, Any] = {"type": kind, "system": key}
    if key in _ITEMS:
        schema["items"] = _ITEMS[key]
    return _field(key, name, False, [key], schema)


def _custom(field: CustomField) -> dict[str, Any]:
    kind = "textarea" if field.rich else "textfield"
    schema = {"type": "string", "custom": _CUSTOM + kind, "customId": field.number}
    return _field(field.id, field.name, True, [f"cf[{field.number}]", field.name], schema)


def _field(key: str, name: str, custom: bool, clauses: list[str], schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": key,
        "key": key,
        "name": name,
        "custom": custom,
        "orderable": True,
        "navigable": key != "comment",
        "searchable": True,
        "clauseNames": clauses,
        "schema": schema,
    }
