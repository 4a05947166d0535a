"""Jira's development panel, by the addresses that its own page asks. Atlassian describes none of this."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from starlette.routing import Route

from sandbox.addresses import ADDRESSES
from sandbox.git_host import GitHost, HostedPull
from sandbox.issues import Issue
from sandbox.jira import Jira
from sandbox.jira_door import NO_ISSUE, Door, errors
from sandbox.wire import Call, Refused, Reply

Mode = Literal["present", "empty", "absent", "forbidden"]

INSTANCES: Mapping[str, tuple[str, str]] = {
    "github": ("GitHub", "GitHub"),
    "gitlab": ("gitlabselfmanaged", "GitLab"),
    "bitbucket-cloud": ("bitbucket", "Bitbucket Cloud"),
    "bitbucket-data-center": ("stash", "Bitbucket Server"),
}
"""Kind of host -> its `applicationType` and its name."""

VERSIONS = ("latest", "1.0")
_STATES = {"open": "OPEN", "draft": "OPEN", "merged": "MERGED", "closed": "DECLINED"}
_OTHERS = ("repository", "branch", "build", "review", "deployment-environment")


@dataclass(slots=True)
class Development:
    """What the panel shows: `empty` as with no host connected, `absent` without the panel, `forbidden` to everybody."""

    host: GitHost
    urls: Mapping[str, str] = field(default_factory=dict)
    """Kind of host -> its address."""
    kind: str = "github"
    """Which host is connected."""
    mode: Mode = "present"

    def pulls(self, key: str) -> list[HostedPull]:
        return self.host.with_key(key) if self.mode == "present" else []


class DevelopmentApi:
    def __init__(self, jira: Jira, api: Door, development: Development) -> None:
        self._jira = jira
        self._api = api
        self._shown = development

    def routes(self) -> list[Route]:
        views = [("summary", self.summary), ("detail", self.detail)]
        return [
            self._api.route("GET", f"/rest/dev-status/{version}/issue/{name}", view)
            for version in VERSIONS
            for name, view in views
        ]

    def summary(self, call: Call) -> Reply:
        pulls, view = self._shown.pulls(self._issue(call).key), self._api.view(call)
        newest = max((pull.updated for pull in pulls), default=None)
        states = [_STATES[pull.state] for pull in pulls]
        state = next((state for state in ("OPEN", "MERGED", "DECLINED") if state in states), "OPEN")
        overall = {
            "count": len(pulls),
            "lastUpdated": view.time(newest) if newest else None,
            "stateCount": states.count(state),
            "state": state,
            "dataType": "pullrequest",
            "open": state == "OPEN",
            "details": {
                "openCount": states.count("OPEN"),
                "mergedCount": states.count("MERGED"),
                "declinedCount": states.count("DECLINED"),
                "total": len(pulls),
            },
        }
        application, name = INSTANCES[self._shown.kind]
        instances = {application: {"count": len(pulls), "name": name}} if pulls else {}
        nothing = {"count": 0, "lastUpdated": None}
        others = {kind: {"overall": nothing | {"dataType": kind}, "byInstanceType": {}} for kind in _OTHERS}
        found = {"pullrequest": {"overall": overall, "byInstanceType": instances}, **others}
        return Reply({"errors": [], "configErrors": [], "summary": found})

    def detail(self, call: Call) -> Reply:
        issue = self._issue(call)
        application, name = INSTANCES[self._shown.kind]
        asked = call.query.get("applicationType")
        if not asked:
            raise Refused(400, errors("The applicationType query parameter is required."))
        wanted = call.query.get("dataType", "pullrequest") == "pullrequest" and asked.lower() == application.lower()
        pulls = self._shown.pulls(issue.key) if wanted else []
        if not pulls:
            return Reply({"errors": [], "detail": []})
        url = self._shown.urls[self._shown.kind]
        instance = {"singleInstance": True, "baseUrl": url, "name": name, "typeName": name}
        entry = {
            "branches": [],
            "pullRequests": [self._pull(call, url, pull) for pull in pulls],
            "repositories": [],
            "_instance": instance | {"id": application, "type": application},
        }
        return Reply({"errors": [], "detail": [entry]})

    def _issue(self, call: Call) -> Issue:
        if self._shown.mode == "absent":
            raise Refused(404, {"message": f"null for uri: {call.base}{call.url_path}", "status-code": 404})
        if self._shown.mode == "forbidden":
            raise Refused(403, errors("You do not have permission to view development information."))
        issue = self._jira.find(call.query.get("issueId", ""))
        if issue is None or not self._jira.permissions.issue(call.account, issue):
            raise Refused(404, errors(NO_ISSUE))
        return issue

    def _pull(self, call: Call, url: str, pull: HostedPull) -> dict[str, Any]:
        addresses, organisation = ADDRESSES[self._shown.kind], self._shown.host.organisation
        page = addresses.of_pull(url, organisation, pull.repo, pull.number)
        repo = page.rpartition("/")[0].rpartition("/")[0].removesuffix("/-")
        return {
            "author": {"name": pull.author.name, "avatar": ""},
            "id": f"!{pull.number}" if self._shown.kind == "gitlab" else f"#{pull.number}",
            "name": pull.title,
            "commentCount": 0,
            "source": {"branch": pull.branch, "url": f"{repo}/tree/{pull.branch}"},
            "destination": {"branch": pull.base, "url": f"{repo}/tree/{pull.base}"},
            "reviewers": [],
            "status": _STATES[pull.state],
            "url": page,
            "lastUpdate": self._api.view(call).time(pull.updated),
            "repositoryId": pull.repo,
            "repositoryName": f"{organisation}/{pull.repo}",
            "repositoryUrl": repo,
        }
