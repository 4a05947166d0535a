"""Bitbucket Data Center's JSON, made from the sandbox's Git host. Times are milliseconds."""

from datetime import datetime
from typing import Any

from sandbox.git_api import id_of, repo_id, user_name
from sandbox.git_host import GitHost, HostedPull
from sandbox.records import Person

Json = dict[str, Any]

_STATES = {"open": "OPEN", "draft": "OPEN", "merged": "MERGED", "closed": "DECLINED"}


def moment(at: datetime) -> int:
    return int(at.timestamp()) * 1000 + at.microsecond // 1000


def state(pull: HostedPull) -> str:
    return _STATES[pull.state]


class DataCenterJson:
    def __init__(self, host: GitHost, web: str) -> None:
        self._host = host
        self._web = web

    def user(self, person: Person) -> Json:
        name = user_name(person)
        return {
            "name": name,
            "emailAddress": person.email,
            "active": True,
            "displayName": person.name,
            "id": id_of(self._host, person),
            "slug": name,
            "type": "NORMAL",
            "links": {"self": [{"href": f"{self._web}/users/{name}"}]},
        }

    def repo(self, name: str) -> Json:
        key = self._host.organisation.upper()
        browse = f"{self._web}/projects/{key}/repos/{name}/browse"
        clone = [{"href": f"{self._web}/scm/{key.lower()}/{name}.git", "name": "http"}]
        return {
            "slug": name,
            "id": repo_id(self._host, name),
            "name": name,
            "hierarchyId": f"{repo_id(self._host, name):020x}",
            "scmId": "git",
            "state": "AVAILABLE",
            "statusMessage": "Available",
            "forkable": True,
            "project": {
                "key": key,
                "id": 7,
                "name": self._host.organisation,
                "public": False,
                "type": "NORMAL",
                "links": {"self": [{"href": f"{self._web}/projects/{key}"}]},
            },
            "public": False,
            "archived": False,
            "links": {"clone": clone, "self": [{"href": browse}]},
        }

    def pull(self, pull: HostedPull) -> Json:
        key = self._host.organisation.upper()
        author = {"user": self.user(pull.author), "role": "AUTHOR", "approved": False, "status": "UNAPPROVED"}
        out: Json = {
            "id": pull.number,
            "version": 2,
            "title": pull.title,
            "state": state(pull),
            "open": pull.open,
            "closed": not pull.open,
            "draft": pull.state == "draft",
            "createdDate": moment(pull.created),
            "updatedDate": moment(pull.updated),
            "fromRef": _end(pull.branch, pull.head, self._source(pull)),
            "toRef": _end(pull.base, self._host.base_tip(pull) or "", self.repo(pull.repo)),
            "locked": False,
            "author": author,
            "reviewers": [],
            "participants": [],
            "properties": {"resolvedTaskCount": 0, "openTaskCount": 0},
            "links": {"self": [{"href": f"{self._web}/projects/{key}/repos/{pull.repo}/pull-requests/{pull.number}"}]},
        }
        if pull.description:
            out["description"] = pull.description
        if pull.closed:
            out["closedDate"] = moment(pull.closed)
        if pull.merge_commit:
            commit = {"displayId": pull.merge_commit[:11], "id": pull.merge_commit}
            out["properties"] |= {"mergeCommit": commit}
        return out

    def _source(self, pull: HostedPull) -> Json | None:
        """The repository of its branch."""
        if pull.fork_gone:
            return None
        repo = self.repo(pull.repo)
        if pull.fork is None:
            return repo
        name = user_name(pull.fork)
        own = {
            "key": f"~{name.upper()}",
            "id": 700 + id_of(self._host, pull.fork),
            "name": pull.fork.name,
            "type": "PERSONAL",
            "owner": self.user(pull.fork),
            "links": {"self": [{"href": f"{self._web}/users/{name}"}]},
        }
        fork = repo | {"id": repo["id"] + 10_000, "origin": repo, "project": own}
        fork["links"] = {
            "clone": [{"href": f"{self._web}/scm/~{name}/{pull.repo}.git", "name": "http"}],
            "self": [{"href": f"{self._web}/users/{name}/repos/{pull.repo}/browse"}],
        }
        return fork


def _end(branch: str, commit: str, repo: Json | None) -> Json:
    end = {"id": f"refs/heads/{branch}", "displayId": branch, "latestCommit": commit, "type": "BRANCH"}
    return end | ({"repository": repo} if repo else {})
