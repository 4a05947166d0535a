"""What Confluence Data Center's description says otherwise than the server does."""

from typing import Any

Json = dict[str, Any]


def amended(document: Json) -> None:
    """One path under two names is one: else a request finds the first of them, which knows not every method. And the
    errors of a refusal are a list.
    """
    paths = document["paths"]
    for method, operation in paths.pop("/rest/api/content/{contentId}").items():
        for parameter in operation["parameters"]:
            if parameter["in"] == "path":
                parameter["name"] = "id"
        paths["/rest/api/content/{id}"][method] = operation
    errors: Json = {"type": "array", "items": {"type": "object"}}
    document["components"]["schemas"]["ValidationResult"]["properties"]["errors"] = errors
