"""Judges what the Git hosts answer, by the vendors' own descriptions; Bitbucket Data Center has none."""

import json
import re
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from sandbox.exchange import Exchange
from tests.specs import Description

_CLOUD_EVERYWHERE = {"q", "sort", "page", "pagelen"}
"""Parameters that Bitbucket describes once, in words, for all its collections."""


@lru_cache(maxsize=1)
def github(shared: Path) -> Description:
    return Description(shared / "specs" / "github-rest-trimmed.json", "/api/v3")


@lru_cache(maxsize=1)
def bitbucket_cloud(shared: Path) -> Description:
    return Description(shared / "specs" / "bitbucket-cloud-2.0.yaml", "/2.0", _as_it_is)


def _as_it_is(document: dict[str, Any]) -> None:
    """The examples of the description itself carry more fields than its schemas allow, and null where there is
    nothing: a pull request that is open or whose fork is gone, a root commit.
    """
    _open(document["components"]["schemas"])
    document["components"]["schemas"]["repository"]["nullable"] = True
    document["components"]["schemas"]["account"]["nullable"] = True


def _open(value: Any) -> None:
    if isinstance(value, dict):
        value.pop("additionalProperties", None)
        if value.get("type") == "object":
            value["nullable"] = True
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        _open(inner)


def cloud_problems(shared: Path, exchange: Exchange) -> list[str]:
    known = {f"request: unknown query parameter {name!r}" for name in _CLOUD_EVERYWHERE}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Unsupported scheme type")  # openapi-core reads no OAuth2 token
        found = bitbucket_cloud(shared).problems(exchange)
    return [problem for problem in found if problem not in known]


class Gitlab:
    """GitLab's description calls almost every value a string and every list its item. So names are judged, and the
    types of what it gives another type than string.
    """

    def __init__(self, shared: Path) -> None:
        text = (shared / "specs" / "gitlab-v4-openapi2.yaml").read_text(encoding="utf-8")
        self._document: dict[str, Any] = yaml.load(text, yaml.CSafeLoader)

    def problems(self, exchange: Exchange) -> list[str]:
        path = re.sub(r"%2F", "", exchange.path, flags=re.IGNORECASE)
        fitting = [name for name in self._document["paths"] if _fits(name, path)]
        if not fitting:
            return [f"{path} is not described"]
        operation = self._document["paths"][min(fitting, key=lambda name: name.count("{"))]["get"]
        given = {part.partition("=")[0] for part in exchange.query.split("&") if part}
        known = {parameter["name"] for parameter in operation["parameters"]}
        out = [f"unknown parameter {name}" for name in sorted(given - known)]
        if exchange.status != 200:
            return out if str(exchange.status) in {*operation["responses"], "401", "403", "404"} else ["status"]
        schema = operation["responses"]["200"]["schema"]
        body = json.loads(exchange.response_body)
        for value in body if isinstance(body, list) else [body]:
            out += self._unlike(value, schema.get("items", schema), "")
        return out

    def _unlike(self, value: Any, schema: dict[str, Any], where: str) -> list[str]:
        if "$ref" in schema:
            schema = self._document["definitions"][schema["$ref"].rpartition("/")[2]]
        described = schema.get("properties", {})
        if isinstance(value, dict) and described:
            out = [f"{where}/{name} is not described" for name in value if name not in described]
            return out + [
                p for n, v in value.items() if n in described for p in self._unlike(v, described[n], f"{where}/{n}")
            ]
        kinds: dict[str, type] = {"integer": int, "boolean": bool, "number": float}
        kind = kinds.get(schema.get("type", ""))
        return [] if value is None or kind is None or isinstance(value, kind) else [f"{where} is no {schema['type']}"]


def _fits(template: str, path: str) -> bool:
    return re.fullmatch("[^/]+".join(map(re.escape, re.split(r"\{\w+\}", template))), path) is not None


@lru_cache(maxsize=1)
def gitlab(shared: Path) -> Gitlab:
    return Gitlab(shared)
