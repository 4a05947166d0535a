"""GitHub's deployments, their statuses, and releases, over the sandbox's deployments and the company's releases."""

from datetime import timedelta

from starlette.routing import Route

from sandbox.deployments import Deployments, Rollout
from sandbox.git_api import Asked, View, get, repo_id
from sandbox.github_api import ENTERPRISE, NOT_FOUND, GithubApi, paged
from sandbox.github_json import GithubJson, Json, moment, node
from sandbox.records import Release
from sandbox.wire import Refused, Reply

PRODUCTION = "production"
_STATES = {"success": "success", "failed": "failure", "running": "in_progress"}


class GithubDeploymentsApi:
    """Beside `GithubApi`, whose tokens and words these are."""

    def __init__(self, api: GithubApi, deployments: Deployments) -> None:
        self._api = api
        self._deployments = deployments

    def routes(self) -> list[Route]:
        repo = "/repos/{owner}/{repo}"
        one = f"{repo}/deployments/{{number:int}}"
        views: list[tuple[str, View]] = [
            (f"{repo}/deployments", self.deployments),
            (one, self.deployment),
            (f"{one}/statuses", self.statuses),
            (f"{repo}/releases", self.releases),
            (f"{repo}/releases/latest", self.latest),
            (f"{repo}/releases/tags/{{tag:path}}", self.tagged),
        ]
        return [get(prefix + path, view, self._api.known) for prefix in (ENTERPRISE, "") for path, view in views]

    def deployments(self, asked: Asked) -> Reply:
        """Newest first, by `environment`, `sha`, `ref` and `task`. Whether one went well is in its statuses only."""
        found = [self._deployment(asked, rollout) for rollout in self._rollouts(self._api.repo_of(asked))]
        wanted = {name: asked.query[name] for name in ("environment", "sha", "ref", "task") if asked.query.get(name)}
        shown, headers = paged(asked, [one for one in found if all(one[n] == value for n, value in wanted.items())])
        return Reply(shown, 200, headers)

    def deployment(self, asked: Asked) -> Reply:
        return Reply(self._deployment(asked, self._rollout(asked)))

    def statuses(self, asked: Asked) -> Reply:
        """Newest first."""
        rollout = self._rollout(asked)
        shown, headers = paged(asked, self._statuses(asked, rollout))
        return Reply(shown, 200, headers)

    def releases(self, asked: Asked) -> Reply:
        shown, headers = paged(asked, self._deployments.releases(self._api.repo_of(asked)))
        return Reply([self._release(asked, release) for release in shown], 200, headers)

    def latest(self, asked: Asked) -> Reply:
        """A pre-release is never the latest."""
        return self._first(asked, [r for r in self._deployments.releases(self._api.repo_of(asked)) if not early(r)])

    def tagged(self, asked: Asked) -> Reply:
        known = self._deployments.releases(self._api.repo_of(asked))
        return self._first(asked, [release for release in known if release.tag == asked.path["tag"]])

    def _first(self, asked: Asked, found: list[Release]) -> Reply:
        if not found:
            raise Refused(404, NOT_FOUND)
        return Reply(self._release(asked, found[0]))

    def _rollouts(self, repo: str) -> list[Rollout]:
        """Newest first. A deployment without a commit cannot be told to GitHub."""
        found = [r for place in self._deployments.places() for r in self._deployments.history(place, repo) if r.commit]
        return sorted(found, key=lambda rollout: rollout.number, reverse=True)

    def _rollout(self, asked: Asked) -> Rollout:
        number = asked.path["number"]
        found = next((r for r in self._rollouts(self._api.repo_of(asked)) if r.number == number), None)
        if found is None:
            raise Refused(404, NOT_FOUND)
        return found

    def _urls(self, asked: Asked, repo: str) -> tuple[GithubJson, str, str]:
        """The words, and where the repository is in the API and on the web."""
        view = self._api.view(asked)
        return view, view.api_of(repo), view.web_of(repo)

    def _deployment(self, asked: Asked, rollout: Rollout) -> Json:
        view, api, _ = self._urls(asked, rollout.repo)
        own = f"{api}/deployments/{rollout.number}"
        return {
            "url": own,
            "id": rollout.number,
            "node_id": node("Deployment", rollout.number),
            "task": "deploy",
            "original_environment": rollout.environment,
            "environment": rollout.environment,
            "description": None,
            "created_at": moment(rollout.at),
            "updated_at": moment(rollout.at + timedelta(minutes=2)),
            "statuses_url": f"{own}/statuses",
            "repository_url": api,
            "creator": view.user(rollout.person),
            "sha": rollout.commit,
            "ref": self._deployments.tag_of(rollout) or rollout.commit,
            "payload": {},
            "transient_environment": False,
            "production_environment": rollout.environment == PRODUCTION,
            "performed_via_github_app": None,
        }

    def _statuses(self, asked: Asked, rollout: Rollout) -> list[Json]:
        """A success makes the earlier ones of its environment inactive, unless it is the one for production."""
        words = ["in_progress"] + ([_STATES[rollout.state]] if rollout.state != "running" else [])
        running = self._deployments.running(rollout.environment, rollout.repo)
        later = running is not None and running.number > rollout.number
        if later and rollout.state == "success" and rollout.environment != PRODUCTION:
            words.append("inactive")
        return [self._status(asked, rollout, at, word) for at, word in reversed([*enumerate(words)])]

    def _status(self, asked: Asked, rollout: Rollout, at: int, state: str) -> Json:
        view, api, _ = self._urls(asked, rollout.repo)
        own, number = f"{api}/deployments/{rollout.number}", rollout.number * 10 + at
        when = moment(rollout.at + timedelta(minutes=at))
        return {
            "url": f"{own}/statuses/{number}",
            "id": number,
            "node_id": node("DeploymentStatus", number),
            "state": state,
            "creator": view.user(rollout.person),
            "description": "",
            "environment": rollout.environment,
            "target_url": "",
            "created_at": when,
            "updated_at": when,
            "deployment_url": own,
            "repository_url": api,
            "environment_url": "",
            "log_url": "",
            "performed_via_github_app": None,
        }

    def _release(self, asked: Asked, release: Release) -> Json:
        view, api, web = self._urls(asked, release.repo)
        number = repo_id(self._api.host, release.repo) * 1000 + self._deployments.releases(release.repo).index(release)
        own = f"{api}/releases/{number}"
        return {
            "url": own,
            "assets_url": f"{own}/assets",
            "upload_url": f"{own}/assets{{?name,label}}",
            "html_url": f"{web}/releases/tag/{release.tag}",
            "id": number,
            "author": view.user(self._api.host.people[release.author]),
            "node_id": node("Release", number),
            "tag_name": release.tag,
            "target_commitish": "main",
            "name": release.tag,
            "draft": False,
            "immutable": False,
            "prerelease": early(release),
            "created_at": moment(release.made),
            "updated_at": moment(release.at),
            "published_at": moment(release.at),
            "assets": [],
            "tarball_url": f"{api}/tarball/{release.tag}",
            "zipball_url": f"{api}/zipball/{release.tag}",
            "body": "",
        }


def early(release: Release) -> bool:
    return "-" in release.version
