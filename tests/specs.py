"""Judges what went over the wire by the vendors' own descriptions (openapi-core, and JSON schema for ADF)."""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

import yaml
from jsonschema import Draft4Validator
from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from werkzeug.datastructures import Headers, ImmutableMultiDict

from sandbox.exchange import Exchange
from tests import confluence_data_center_specs
from tests.jira_data_center_specs import amended

HOST = "https://your-domain.atlassian.net"

GONE = re.compile(r"^/rest/api/(2|3|latest)/search$")
"""Of Cloud: described still, removed in truth."""

UNDESCRIBED = re.compile(
    r"/(browse|code|secure)/|^(/jira)?/rest/dev-status/|/$|/wiki/spaces/|^(/wiki|/confluence)/download/|/rest/experimental/"
    r"|^/rest/api/2/serverInfo$"
)
"""Pages and files for people, what Atlassian keeps for its own pages or does not promise, and of Cloud's v2 the one
resource by which it is told from Data Center."""

_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)")

UNDESCRIBED_STATUS = frozenset({401, 403, 404, 405, 409, 410, 413, 429, 500, 502, 503, 504})
"""Answers that any path may give, and that the descriptions name for few."""


class _Request:
    """An exchange's request, addressed to the server that the description names."""

    def __init__(self, exchange: Exchange, path: str) -> None:
        self.host_url = HOST
        self.path = path
        self.method = exchange.method.lower()
        self.body = exchange.body or None
        self.content_type = exchange.headers.get("content-type", "").partition(";")[0]
        query = parse_qsl(exchange.query, keep_blank_values=True)
        headers = Headers(list(exchange.headers.items()))
        self.parameters = RequestParameters(query=ImmutableMultiDict(query), header=headers)


class _Response:
    def __init__(self, exchange: Exchange) -> None:
        self.status_code = exchange.status
        self.data = exchange.response_body
        self.content_type = exchange.response_headers.get("content-type", "").partition(";")[0]
        self.headers = exchange.response_headers


class Description:
    """One description. `prefix` is the part of our path that the description leaves to its server URL."""

    def __init__(self, path: Path, prefix: str = "", amend: Callable[[dict[str, Any]], None] | None = None) -> None:
        self._document: dict[str, Any] = _read(path)
        self._document["servers"] = [{"url": HOST}]
        (amend or _allow_nulls)(self._document)
        _leave_forms(self._document)
        config = Config(spec_validator_cls=None, extra_format_validators={"date-time": _is_time})
        self._openapi = OpenAPI.from_dict(self._document, config=config)
        self._prefix = prefix
        self._patterns = [(_pattern(template), template) for template in self._document["paths"]]
        self._patterns.sort(key=lambda pair: pair[1].count("{"))

    def problems(self, exchange: Exchange) -> list[str]:
        path = exchange.path.removeprefix(self._prefix)
        template = next((name for pattern, name in self._patterns if pattern.fullmatch(path)), None)
        operation = self._document["paths"].get(template, {}).get(exchange.method.lower())
        if operation is None:
            return [f"request: {exchange.method} {path} is not described"]
        named = operation["responses"].keys()
        request = _Request(exchange, unquote(path))
        out = [f"request: {text}" for text in self._unknown(exchange, template, operation)]
        out += [f"request: {_said(e)}" for e in self._openapi.iter_request_errors(request)]
        if exchange.status and self._described(operation, exchange.status):
            response = _Response(exchange)
            out += [f"response: {_said(e)}" for e in self._openapi.iter_response_errors(request, response)]
        elif exchange.status and exchange.status not in UNDESCRIBED_STATUS and str(exchange.status) not in named:
            out.append(f"response: status {exchange.status} is not described")
        return out

    def _unknown(self, exchange: Exchange, template: str | None, operation: dict[str, Any]) -> list[str]:
        """Query parameters that the description does not name; openapi-core passes them over."""
        parameters = operation.get("parameters", []) + self._document["paths"][template].get("parameters", [])
        known = {p["name"] for p in map(self._resolved, parameters) if p["in"] == "query"}
        given = {name for name, _ in parse_qsl(exchange.query, keep_blank_values=True)}
        return [f"unknown query parameter {name!r}" for name in sorted(given - known)]

    def _resolved(self, parameter: dict[str, Any]) -> dict[str, Any]:
        if "$ref" not in parameter:
            return parameter
        found: dict[str, Any] = self._document
        for part in parameter["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return found

    def _described(self, operation: dict[str, Any], status: int) -> bool:
        """Whether a body is described for this status."""
        return bool(operation["responses"].get(str(status), {}).get("content"))


class Judge:
    """Reads the descriptions once; `check` says what is wrong with an exchange, in a line each."""

    def __init__(self, shared: Path) -> None:
        specs = shared / "specs"
        self._specs = specs
        schema = json.loads((specs / "adf" / "full.json").read_text(encoding="utf-8"))
        self._adf = Draft4Validator(schema)

    def check(self, exchange: Exchange) -> list[str]:
        """Problems of the request and of the answer; an answer that was never sent is not judged."""
        if exchange.service not in {"jira", "confluence"} or UNDESCRIBED.search(exchange.path):
            return []
        if GONE.search(exchange.path):
            return [f"request: {exchange.path} has been removed; use /rest/api/3/search/jql"]
        return _description(self._specs, self._which(exchange)).problems(exchange) + self._documents(exchange)

    def adf(self, document: Any) -> list[str]:
        """What is wrong with an ADF document by the published schema."""
        return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in self._adf.iter_errors(document)]

    def _which(self, exchange: Exchange) -> str:
        if exchange.service == "jira":
            return "jira-data-center" if exchange.path.startswith("/jira/") else "jira"
        if exchange.path.startswith("/confluence/"):
            return "confluence-data-center"
        return "confluence-2" if exchange.path.startswith("/wiki/api/v2/") else "confluence-1"

    def _documents(self, exchange: Exchange) -> list[str]:
        """ADF that the descriptions call any object: field values, and comments inside them."""
        if "json" not in exchange.response_headers.get("content-type", "") or not exchange.response_body:
            return []
        found: list[Any] = []
        _collect(json.loads(exchange.response_body), found)
        return [f"response: ADF {text}" for document in found for text in self.adf(document)]


@lru_cache(maxsize=5)
def _description(specs: Path, which: str) -> Description:
    if which == "jira":
        return Description(specs / "prepared" / "jira-cloud-v3-strict.json")
    if which == "jira-data-center":
        return Description(specs / "prepared" / "jira-software-dc-10.3-bearer.json", "/jira/rest", amended)
    if which == "confluence-2":
        path = specs / "prepared" / "confluence-cloud-v2-fixed.json"
        return Description(path, "/wiki/api/v2")
    if which == "confluence-data-center":
        path = specs / "confluence-dc-10.0.3-openapi.json"
        return Description(path, "/confluence", confluence_data_center_specs.amended)
    return Description(specs / "confluence-cloud-v1.json")


@lru_cache(maxsize=1)
def judge(shared: Path) -> Judge:
    """One judge a test run."""
    return Judge(shared)


def _read(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    return yaml.load(text, yaml.CSafeLoader) if path.suffix == ".yaml" else json.loads(text)


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{[^}]+\}", template)
    return re.compile("[^/]+".join(map(re.escape, parts)))


def _collect(value: Any, out: list[Any]) -> None:
    if isinstance(value, dict) and value.get("type") == "doc":
        out.append(value)
    elif isinstance(value, dict):
        for inner in value.values():
            _collect(inner, out)
    elif isinstance(value, list):
        for inner in value:
            _collect(inner, out)


def _allow_nulls(document: dict[str, Any]) -> None:
    """Jira's changelog has nulls, also in the examples of its description, whose schema forgets them."""
    details = document["components"]["schemas"].get("ChangeDetails", {})
    for name in ("from", "fromString", "to", "toString"):
        if name in details.get("properties", {}):
            details["properties"][name]["nullable"] = True


def _leave_forms(document: dict[str, Any]) -> None:
    """The validator reads no form with files in it: what they must be is left to the answers."""
    for path in document["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict) and "multipart/form-data" in operation.get("requestBody", {}).get(
                "content", {}
            ):
                del operation["requestBody"]


def _is_time(value: Any) -> bool:
    """RFC 3339, or Jira's own way to write the offset (`+0000`), as in the examples of its description."""
    return not isinstance(value, str) or _TIME.fullmatch(value) is not None


def _said(error: BaseException) -> str:
    """The field and what is wrong with it, where the validator says so."""
    name = getattr(error, "name", "")
    cause: BaseException | None = error
    while cause is not None:
        inner = getattr(cause, "schema_errors", None)
        if inner:
            return f"{name} " * bool(name) + "; ".join(
                f"{'/'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in inner
            )
        last, cause = cause, cause.__cause__
    return f"{type(error).__name__} {name}: {str(last)[:300]}"
