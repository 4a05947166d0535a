"""Where the description of Jira Data Center 10.3 differs from what its servers send and take."""

from typing import Any

_ANYTHING: dict[str, Any] = {"nullable": True}
_LISTS = (
    ("/api/2/field", "get"),
    ("/api/2/role", "get"),
    ("/api/2/status", "get"),
    ("/api/2/project", "get"),
    ("/api/2/issue/{issueIdOrKey}/remotelink", "get"),
    ("/api/2/issue/{issueIdOrKey}/attachments", "post"),
)
"""Described as one of what they give a list of."""


def amended(document: dict[str, Any]) -> None:
    """Lists are lists, a field or property holds any value, a changelog has nulls, a user can be expanded, and anybody
    may ask what the server is.
    """
    schemas = document["components"]["schemas"]
    for path, method in _LISTS:
        media = document["paths"][path][method]["responses"]["200"]["content"]["application/json"]
        media["schema"] = {"type": "array", "items": media["schema"]}
    schemas["IssueBean"]["properties"]["fields"]["additionalProperties"] = _ANYTHING
    schemas["EntityPropertyBean"]["properties"]["value"] = _ANYTHING
    for name in ("from", "fromString", "to", "toString"):
        schemas["ChangeItemBean"]["properties"][name]["nullable"] = True
    expand = {"name": "expand", "in": "query", "schema": {"type": "string"}}
    document["paths"]["/api/2/user"]["get"]["parameters"].append(expand)
    schemas["StringList"] = {"type": "string"}
    document["paths"]["/api/2/serverInfo"]["get"]["security"].append({})
