"""Kubernetes' API for a service account that may get and list Deployments, ReplicaSets and Pods of the environments."""

import base64
import binascii
import json
import re
import secrets
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from sandbox.deployments import Deployments
from sandbox.kubernetes_json import Json, KubernetesJson

KINDS = {"deployments": "Deployment", "replicasets": "ReplicaSet", "pods": "Pod"}
ACCOUNT = "system:serviceaccount:monitoring:reader"
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_TERM = re.compile(r"\s*([\w./-]+)\s*(==|=|!=)\s*([\w.-]*)\s*")
_EXPIRED = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter."
)


class KubernetesApi:
    """Paths and answers as of apps/v1 and v1; an error is a Status object."""

    def __init__(self, deployments: Deployments) -> None:
        self._deployments = deployments
        self.token = secrets.token_urlsafe(24)
        self.expire = False
        """Whether the next page of any list is gone, as after five minutes."""

    def routes(self) -> list[Route]:
        methods = ["GET", *_VERBS]
        apps = "/apis/apps/v1/namespaces/{namespace}/{resource}"
        core = "/api/v1/namespaces/{namespace}/{resource}"
        return [
            Route(path + name, self._answer, methods=methods) for path in (apps, core) for name in ("", "/{name}")
        ] + [Route("/{path:path}", _no_page, methods=methods)]

    def _answer(self, request: Request) -> Response:
        path = request.path_params
        group = "apps" if request.url.path.startswith("/apis/") else ""
        namespace, resource, name = path["namespace"], path["resource"], path.get("name", "")
        if resource not in KINDS or (resource == "pods") == (group == "apps"):
            return _status(404, "NotFound", "the server could not find the requested resource", {})
        who = self._account(request)
        if who is None:
            return _status(401, "Unauthorized", "Unauthorized")
        verb = _VERBS.get(request.method, "get" if name else "list")
        full = f"{resource}.{group}" if group else resource
        details = ({"name": name} if name else {}) | ({"group": group} if group else {}) | {"kind": resource}
        if who != ACCOUNT or request.method != "GET" or namespace not in self._namespaces():
            what = f'{full} "{name}"' if name else full
            text = f'{what} is forbidden: User "{who}" cannot {verb} resource "{resource}" in API group "{group}" '
            return _status(403, "Forbidden", f'{text}in the namespace "{namespace}"', details)
        version, items = f"{group}/v1".removeprefix("/"), self._items(namespace, resource)
        if not name:
            return self._list(request, f"{KINDS[resource]}List", version, items)
        found = next((item for item in items if item["metadata"]["name"] == name), None)
        if found is None:
            return _status(404, "NotFound", f'{full} "{name}" not found', details)
        return JSONResponse({"kind": KINDS[resource], "apiVersion": version, **found})

    def _account(self, request: Request) -> str | None:
        """Who asks; None for a wrong token. Without one, it is whoever may do nothing."""
        header = request.headers.get("authorization")
        if header is None:
            return "system:anonymous"
        return ACCOUNT if header == f"Bearer {self.token}" else None

    def _namespaces(self) -> set[str]:
        return {*self._deployments.environments, *self._deployments.places()}

    def _items(self, namespace: str, resource: str) -> list[Json]:
        view = KubernetesJson(self._deployments, namespace)
        return {"deployments": view.deployments, "replicasets": view.replicasets, "pods": view.pods}[resource]()

    def _list(self, request: Request, kind: str, version: str, items: list[Json]) -> Response:
        """By `labelSelector` (`=`, `==`, `!=`), `limit` and `continue`. The items of a list have no kind."""
        query = request.query_params
        try:
            wanted = _selector(query.get("labelSelector", ""))
            start = _start(query.get("continue", ""))
        except ValueError as error:
            return _status(400, "BadRequest", str(error))
        if start and self.expire:
            return _status(410, "Expired", _EXPIRED)
        found = [item for item in items if all(_fits(item, term) for term in wanted)]
        limit = int(query["limit"]) if query.get("limit", "").isdecimal() else 0
        end = start + limit if limit else len(found)
        metadata: Json = {"resourceVersion": "48162"}
        if end < len(found):
            metadata["continue"] = base64.urlsafe_b64encode(json.dumps({"start": end}).encode()).decode()
            metadata |= {} if wanted else {"remainingItemCount": len(found) - end}
        return JSONResponse({"kind": kind, "apiVersion": version, "metadata": metadata, "items": found[start:end]})


def _no_page(_: Request) -> Response:
    return PlainTextResponse("404 page not found\n", 404)


def _selector(text: str) -> list[tuple[str, str, str]]:
    terms = [_TERM.fullmatch(part) for part in text.split(",") if part]
    if None in terms:
        raise ValueError(f"unable to parse requirement: {text}")
    return [(term[1], term[2], term[3]) for term in terms if term]


def _fits(item: Json, term: tuple[str, str, str]) -> bool:
    name, operator, value = term
    same: bool = item["metadata"].get("labels", {}).get(name) == value
    return same == (operator != "!=")


def _start(token: str) -> int:
    if not token:
        return 0
    try:
        return int(json.loads(base64.urlsafe_b64decode(token))["start"])
    except (binascii.Error, ValueError, KeyError, TypeError) as error:
        raise ValueError("continue key is not valid") from error


def _status(code: int, reason: str, message: str, details: dict[str, Any] | None = None) -> Response:
    out: Json = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    out |= {"message": message, "reason": reason} | ({} if details is None else {"details": details})
    return JSONResponse(out | {"code": code}, code)
