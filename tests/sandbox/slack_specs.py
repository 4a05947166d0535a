"""Judges calls of Slack's Web API: by the vendor's description of 2020 what that knows, by slack_sdk the rest."""

import inspect
import json
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from slack_sdk import WebClient

from sandbox.exchange import Exchange
from tests.specs import Description

NEWER = {"metadata", "include_all_metadata", "markdown_text", "unfurl_links"}
"""Arguments that came after the description."""
_BY_SDK = ("assistant.", "files.getUploadURLExternal", "files.completeUploadExternal", "apps.connections.open")


def problems(shared: Path, exchange: Exchange) -> list[str]:
    """What is wrong with a call and its answer, in a line each."""
    if not exchange.path.startswith("/api/"):
        return []
    method = exchange.path.removeprefix("/api/")
    given = arguments(exchange)
    if method.startswith(_BY_SDK):
        unknown = given.keys() - known_to_sdk(method)
        out = [f"request: {method} takes no {name}" for name in sorted(unknown)]
    else:
        unknown = given.keys() - known_to_description(shared, method) - NEWER
        out = [f"request: {method} takes no {name}" for name in sorted(unknown)]
        refused = b'"ok": false' in exchange.response_body  # with status 200, which is described for what goes well
        found = description(shared).problems(exchange)
        out += [problem for problem in found if not (refused and problem.startswith("response"))]
    return [problem for problem in out if not _of_newer(problem)] + _answer(exchange)


def arguments(exchange: Exchange) -> dict[str, Any]:
    found: dict[str, Any] = dict(parse_qsl(exchange.query, keep_blank_values=True))
    if "json" in exchange.headers.get("content-type", "") and exchange.body:
        return found | json.loads(exchange.body)
    return found | dict(parse_qsl(exchange.body.decode(), keep_blank_values=True))


def known_to_sdk(method: str) -> set[str]:
    called = getattr(WebClient, method.replace(".", "_"))
    return set(inspect.signature(called).parameters) - {"self", "kwargs"} | {"token"}


def known_to_description(shared: Path, method: str) -> set[str]:
    out = {"token"}
    for operation in description(shared)._document["paths"][f"/{method}"].values():
        out |= {parameter["name"] for parameter in operation.get("parameters", ())}
        for content in operation.get("requestBody", {}).get("content", {}).values():
            out |= set(content["schema"].get("properties", {}))
    return out


@lru_cache(maxsize=1)
def description(shared: Path) -> Description:
    return Description(shared / "specs" / "prepared" / "slack-web-patched.json", "/api", _as_of_today)


def _of_newer(problem: str) -> bool:
    return any(f"unknown query parameter '{name}'" in problem for name in NEWER)


def _answer(exchange: Exchange) -> list[str]:
    """What every answer has."""
    if exchange.status == 429:
        return [] if "retry-after" in exchange.response_headers else ["response: 429 without Retry-After"]
    said = json.loads(exchange.response_body)
    if said.get("ok") is False:
        return [] if isinstance(said.get("error"), str) else ["response: refused without an error"]
    return [] if said.get("ok") is True else ["response: neither ok nor refused"]


def _as_of_today(document: dict[str, Any]) -> None:
    """The description knows no field that came later, calls a message's bot id an array and an update's blocks an
    object, and a view a string, as it is in a form.
    """
    schemas = document["components"]["schemas"]
    _open(document)
    schemas["objs_message"]["properties"]["bot_id"] = {"type": "string"}
    updated = document["paths"]["/chat.update"]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    updated["properties"]["message"]["properties"]["blocks"] = {"type": "array"}
    for name in ("views.open", "views.publish"):
        document["paths"][f"/{name}"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"][
            "view"
        ] = {"type": "object"}
    for operations in document["paths"].values():
        for operation in operations.values():
            operation.pop("security", None)  # OAuth, which openapi-core does not read; the sandbox looks at tokens


def _open(value: Any) -> None:
    if isinstance(value, dict):
        if value.get("additionalProperties") is False:
            del value["additionalProperties"]
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        _open(inner)
