"""Argo CD's API for an account that may get applications: `REPOSITORY-ENVIRONMENT`, made from the same deployments.

The manifests are in the software's own repository, so the revision of an application is the commit that it runs.
"""

import secrets
import uuid
from collections.abc import Sequence
from datetime import timedelta

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sandbox.deployments import Deployments, Instance, Rollout
from sandbox.kubernetes_json import Json, image, moment

PROJECT = "default"
_PHASES = {"success": "Succeeded", "failed": "Succeeded", "running": "Running"}
"""A synchronisation has succeeded when the manifests were applied; how the software does is its health."""
_WRITES = ["POST", "PUT", "PATCH", "DELETE"]
_UNAUTHENTICATED, _PERMISSION_DENIED, _NOT_FOUND = 16, 7, 5
"""Codes of gRPC, which the answers carry on."""


class ArgocdApi:
    def __init__(self, deployments: Deployments, web: str) -> None:
        """`web` is where the repositories are cloned from: `https://HOST/ORGANISATION`."""
        self._deployments = deployments
        self._web = web
        self.token = secrets.token_urlsafe(24)

    def routes(self) -> list[Route]:
        return [
            Route("/api/v1/applications", self._list, methods=["GET", *_WRITES]),
            Route("/api/v1/applications/{name}", self._one, methods=["GET", *_WRITES]),
        ]

    def _list(self, request: Request) -> Response:
        refusal = self._refusal(request, "create", "*")
        if refusal is not None:
            return refusal
        applications = list(self._applications().values()) if _in_project(request) else []
        return JSONResponse({"metadata": {"resourceVersion": "48162"}, "items": applications})

    def _one(self, request: Request) -> Response:
        name = request.path_params["name"]
        refusal = self._refusal(request, "update", name)
        if refusal is not None:
            return refusal
        found = self._applications().get(name)
        if found is not None and _in_project(request):
            return JSONResponse(found)
        if PROJECT not in _projects(request):  # only who names the project is told that something is not there
            return _error(403, _PERMISSION_DENIED, "permission denied")
        return _error(404, _NOT_FOUND, f'applications.argoproj.io "{name}" not found')

    def _refusal(self, request: Request, action: str, name: str) -> Response | None:
        header = request.headers.get("authorization")
        if header is None:
            return _error(401, _UNAUTHENTICATED, "no session information")
        if header != f"Bearer {self.token}":
            return _error(401, _UNAUTHENTICATED, "invalid session: token signature is invalid: signature is invalid")
        if request.method != "GET":
            text = f"permission denied: applications, {action}, {PROJECT}/{name}, sub: reader:apiKey"
            return _error(403, _PERMISSION_DENIED, text)
        return None

    def _applications(self) -> dict[str, Json]:
        state = self._deployments
        places = [(environment, repo) for environment in sorted(state.places()) for repo in state.repos(environment)]
        return {f"{repo}-{environment}": self._application(environment, repo) for environment, repo in places}

    def _application(self, environment: str, repo: str) -> Json:
        history, instances = (
            self._deployments.history(environment, repo),
            self._deployments.instances(environment, repo),
        )
        newest, name = history[-1], f"{repo}-{environment}"
        source = {"repoURL": f"{self._web}/{repo}.git", "path": f"deploy/{environment}", "targetRevision": "HEAD"}
        destination = {"server": "https://kubernetes.default.svc", "namespace": environment}
        end = moment(newest.at + timedelta(minutes=1))
        operation = {
            "operation": {"sync": {"revision": newest.commit}, "initiatedBy": {"automated": True}},
            "phase": _PHASES[newest.state],
            "syncResult": {"revision": newest.commit, "source": source},
            "startedAt": moment(newest.at),
        }
        return {
            "metadata": {
                "name": name,
                "namespace": "argocd",
                "uid": str(uuid.uuid5(uuid.NAMESPACE_URL, name)),
                "resourceVersion": "48151",
                "generation": len(history),
                "creationTimestamp": moment(history[0].at),
            },
            "spec": {"source": source, "destination": destination, "project": PROJECT},
            "status": {
                "sync": {
                    "status": "Synced",
                    "comparedTo": {"source": source, "destination": destination},
                    "revision": newest.commit,
                },
                "health": {"status": _health(newest, instances)},
                "history": [
                    {
                        "revision": rollout.commit,
                        "deployedAt": moment(rollout.at + timedelta(seconds=4)),
                        "deployStartedAt": moment(rollout.at),
                        "id": number,
                        "source": source,
                    }
                    for number, rollout in enumerate(history)
                ],
                "reconciledAt": end,
                "operationState": operation if newest.state == "running" else operation | {"finishedAt": end},
                "sourceType": "Directory",
                "summary": {"images": sorted({image(rollout) for rollout in (newest, *_builds(instances))})},
            },
        }


def _builds(instances: Sequence[Instance]) -> list[Rollout]:
    return [instance.rollout for instance in instances]


def _health(newest: Rollout, instances: Sequence[Instance]) -> str:
    if newest.state == "running":
        return "Progressing"
    well = newest.state == "success" and all(instance.ready for instance in instances)
    return "Healthy" if well else "Degraded"


def _projects(request: Request) -> list[str]:
    return [*request.query_params.getlist("project"), *request.query_params.getlist("projects")]


def _in_project(request: Request) -> bool:
    return PROJECT in (_projects(request) or [PROJECT])


def _error(status: int, code: int, text: str) -> Response:
    return JSONResponse({"error": text, "code": code, "message": text}, status)
