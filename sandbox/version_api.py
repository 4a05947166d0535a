"""What an instance of the software says of itself: a plain `/version`, and `/actuator/info` as Spring Boot writes it.

Both stand behind one address for all instances, which answer in turn, as behind a load balancer.
"""

import secrets
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sandbox.deployments import Deployments, Instance

SPRING = "application/vnd.spring-boot.actuator.v3+json"


class VersionApi:
    """`/ENVIRONMENT/REPOSITORY/version` and `/ENVIRONMENT/REPOSITORY/actuator/info`, each for a bearer of the token."""

    def __init__(self, deployments: Deployments) -> None:
        self._deployments = deployments
        self._turn = 0
        self.token = secrets.token_urlsafe(24)

    def routes(self) -> list[Route]:
        place = "/{environment}/{repo}"
        return [Route(f"{place}/version", self._version), Route(f"{place}/actuator/info", self._info)]

    def _version(self, request: Request) -> Response:
        found = self._instance(request)
        if isinstance(found, Response):
            return found
        return JSONResponse(
            {"version": found.version, "commit": found.commit, "dirty": found.dirty, "started": _moment(found)}
        )

    def _info(self, request: Request) -> Response:
        found = self._instance(request)
        return found if isinstance(found, Response) else JSONResponse(_info(found), media_type=SPRING)

    def _instance(self, request: Request) -> Instance | Response:
        """The one whose turn it is, or the refusal."""
        if request.headers.get("authorization") != f"Bearer {self.token}":
            return JSONResponse({"status": 401, "error": "Unauthorized"}, 401, {"www-authenticate": "Bearer"})
        path = request.path_params
        here = self._deployments.instances(path["environment"], path["repo"])
        if not here:
            return JSONResponse({"status": 404, "error": "Not Found"}, 404)
        ready = [instance for instance in here if instance.ready]
        if not ready:
            return JSONResponse({"status": 503, "error": "Service Unavailable"}, 503)
        self._turn += 1
        return ready[self._turn % len(ready)]


def _info(instance: Instance) -> dict[str, Any]:
    """As `management.info.git.mode=simple` has it, which is the default: the commit is abbreviated.
    Both times are that of the start.
    """
    repo = instance.rollout.repo
    build = {"artifact": repo, "name": repo, "group": "example.skerryline", "time": _moment(instance)}
    info: dict[str, Any] = {"build": build | {"version": instance.version}}
    if instance.commit:
        info["git"] = {"branch": "main", "commit": {"id": instance.commit[:7], "time": _moment(instance)}}
    return info


def _moment(instance: Instance) -> str:
    return f"{instance.since:%Y-%m-%dT%H:%M:%SZ}"
