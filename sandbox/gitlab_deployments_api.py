"""GitLab's environments and deployments, over the sandbox's deployments."""

from collections.abc import Callable, Mapping

from starlette.routing import Route

from sandbox.deployments import Deployments, Rollout
from sandbox.git_api import Asked, get, repo_id
from sandbox.gitlab_api import API, GitlabApi, message, paged
from sandbox.gitlab_json import GitlabJson, Json, moment
from sandbox.wire import Refused, Reply

_STATUSES = {"created", "running", "success", "failed", "canceled", "blocked"}
_ORDERS: Mapping[str, Callable[[Rollout], str]] = {
    "ref": lambda rollout: rollout.version,
    **dict.fromkeys(("id", "iid"), lambda rollout: f"{rollout.number:09}"),
    **dict.fromkeys(("created_at", "updated_at", "finished_at"), lambda rollout: rollout.at.isoformat()),
}


class GitlabDeploymentsApi:
    """Beside `GitlabApi`, whose tokens and words these are."""

    def __init__(self, api: GitlabApi, deployments: Deployments) -> None:
        self._api = api
        self._deployments = deployments

    def routes(self) -> list[Route]:
        project = f"{API}/projects/{{project:path}}"
        known = self._api.known
        return [
            get(f"{project}/environments/{{number:int}}", self.environment, known),
            get(f"{project}/environments", self.environments, known),
            get(f"{project}/deployments/{{number:int}}", self.deployment, known),
            get(f"{project}/deployments", self.deployments, known),
        ]

    def environments(self, asked: Asked) -> Reply:
        """By `name`, `search` and `states`. The list tells no last deployment."""
        repo, query = self._api.repo_of(asked), asked.query
        found = [
            name
            for name in self._names(repo)
            if query.get("name", name) == name
            and query.get("search", "") in name
            and query.get("states", "available") == "available"
        ]
        start, size, headers = paged(asked, len(found))
        return Reply([self._environment(asked, repo, name) for name in found[start : start + size]], 200, headers)

    def environment(self, asked: Asked) -> Reply:
        repo, number = self._api.repo_of(asked), asked.path["number"]
        name = next((name for name in self._names(repo) if self._number(repo, name) == number), None)
        if name is None:
            raise Refused(404, message("404 Environment Not Found"))
        last = self._deployments.running(name, repo)
        more = {"last_deployment": self._deployment(asked, last) if last and last.commit else None}
        return Reply(self._environment(asked, repo, name) | more)

    def deployments(self, asked: Asked) -> Reply:
        """By `environment`, `status` and `order_by`; oldest first unless `sort` is `desc`."""
        query = asked.query
        status, order = query.get("status"), query.get("order_by", "id")
        if (status and status not in _STATUSES) or order not in _ORDERS:
            name = "order_by" if order not in _ORDERS else "status"
            raise Refused(400, {"error": f"{name} does not have a valid value"})
        found = [
            rollout
            for rollout in self._rollouts(self._api.repo_of(asked))
            if query.get("environment", rollout.environment) == rollout.environment
            and (not status or rollout.state == status)
        ]
        found.sort(key=_ORDERS[order], reverse=query.get("sort") == "desc")
        start, size, headers = paged(asked, len(found))
        return Reply([self._deployment(asked, rollout) for rollout in found[start : start + size]], 200, headers)

    def deployment(self, asked: Asked) -> Reply:
        number = asked.path["number"]
        found = next((r for r in self._rollouts(self._api.repo_of(asked)) if r.number == number), None)
        if found is None:
            raise Refused(404, message("404 Deployment Not Found"))
        return Reply(self._deployment(asked, found))

    def _names(self, repo: str) -> list[str]:
        return sorted(place for place in self._deployments.places() if repo in self._deployments.repos(place))

    def _number(self, repo: str, environment: str) -> int:
        return repo_id(self._api.host, repo) * 100 + sorted(self._deployments.places()).index(environment)

    def _rollouts(self, repo: str) -> list[Rollout]:
        """Oldest first. A deployment without a commit cannot be told to GitLab."""
        found = [r for name in self._names(repo) for r in self._deployments.history(name, repo) if r.commit]
        return sorted(found, key=lambda rollout: rollout.number)

    def _environment(self, asked: Asked, repo: str, name: str) -> Json:
        return self._basic(repo, name) | {
            "tier": name if name in {"production", "staging"} else "other",
            "state": "available",
            "auto_stop_at": None,
            "auto_stop_setting": "always",
            "description": None,
            "kubernetes_namespace": None,
            "flux_resource_path": None,
            "cluster_agent": None,
            "project": self._view(asked).basic_project(repo),
        }

    def _basic(self, repo: str, name: str) -> Json:
        history = self._deployments.history(name, repo)
        return {
            "id": self._number(repo, name),
            "name": name,
            "slug": name,
            "external_url": None,
            "created_at": moment(history[0].at),
            "updated_at": moment(history[-1].at),
        }

    def _deployment(self, asked: Asked, rollout: Rollout) -> Json:
        """Made by the API, so no job belongs to it. Its number in the project is its place among all of them."""
        return {
            "id": rollout.number,
            "iid": 1 + [one.number for one in self._rollouts(rollout.repo)].index(rollout.number),
            "ref": self._deployments.tag_of(rollout) or "main",
            "sha": rollout.commit,
            "created_at": moment(rollout.at),
            "updated_at": moment(rollout.at),
            "user": self._view(asked).user(rollout.person),
            "environment": self._basic(rollout.repo, rollout.environment),
            "deployable": None,
            "status": rollout.state,
        }

    def _view(self, asked: Asked) -> GitlabJson:
        return self._api.view(asked)
