"""Bitbucket Cloud's JSON, made from the sandbox's Git host. A pull request's commits are cut short there."""

import uuid
from datetime import datetime
from pathlib import Path
from typing import Any

from sandbox.git import line
from sandbox.git_api import user_name
from sandbox.git_host import GitHost, HostedPull
from sandbox.records import Person

Json = dict[str, Any]

API = "/2.0"
SHORT = 12
_IDS = uuid.UUID("0b7b0f0e-51a3-4b6f-9f0e-8d1f1a2c3d4e")
_STATES = {"open": "OPEN", "draft": "OPEN", "merged": "MERGED", "closed": "DECLINED"}


def moment(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond:06d}+00:00"


def error(message: str) -> Json:
    return {"type": "error", "error": {"message": message}}


class CloudJson:
    def __init__(self, host: GitHost, web: str) -> None:
        self._host = host
        self._web = web
        self._api = web + API

    def user(self, person: Person) -> Json:
        number = _uuid(person.id)
        links = {"self": f"{self._api}/users/{number}", "html": f"{self._web}/{number}/"}
        return {
            "type": "user",
            "display_name": person.name,
            "uuid": number,
            "account_id": person.id,
            "nickname": user_name(person),
            "links": _links(links | {"avatar": f"{self._web}/avatars/{number}"}),
        }

    def repo(self, name: str, fork: Person | None = None) -> Json:
        """As inside a pull request."""
        owner = user_name(fork) if fork else self._host.organisation
        full = f"{owner}/{name}"
        links = {
            "self": f"{self._api}/repositories/{full}",
            "html": f"{self._web}/{full}",
            "avatar": f"{self._web}/avatars/{full}",
        }
        return {
            "type": "repository",
            "full_name": full,
            "name": name,
            "uuid": _uuid(full),
            "links": _links(links),
        }

    def full_repo(self, name: str) -> Json:
        repo = self.repo(name)
        links: Json = repo["links"] | _links(
            {"pullrequests": f"{self._api}/repositories/{repo['full_name']}/pullrequests"}
        )
        links["clone"] = [{"name": "https", "href": f"{self._web}/{repo['full_name']}.git"}]
        return repo | {
            "links": links,
            "slug": name,
            "description": "",
            "scm": "git",
            "is_private": True,
            "fork_policy": "no_public_forks",
            "language": "",
            "size": 110592,
            "has_issues": False,
            "has_wiki": False,
            "created_on": "2026-02-16T08:00:00.000000+00:00",
            "updated_on": "2026-10-30T08:00:00.000000+00:00",
            "mainbranch": {"type": "branch", "name": "main"},
        }

    def pull(self, pull: HostedPull) -> Json:
        base = self._host.base_tip(pull)
        own, commit = self._links_of(pull), pull.merge_commit
        return {
            "type": "pullrequest",
            "id": pull.number,
            "title": pull.title,
            "description": pull.description,
            "summary": {"type": "rendered", "raw": pull.description, "markup": "markdown", "html": ""},
            "state": _STATES[pull.state],
            "draft": pull.state == "draft",
            "author": self.user(pull.author),
            "source": self._end(pull, pull.branch, pull.head, pull.fork, gone=pull.fork_gone),
            "destination": self._end(pull, pull.base, base, None, gone=False),
            "merge_commit": self._commit(pull.repo, commit) if commit else None,
            "comment_count": 0,
            "task_count": 0,
            "close_source_branch": True,
            "closed_by": self.user(pull.author) if not pull.open else None,
            "reason": "",
            "created_on": moment(pull.created),
            "updated_on": moment(pull.updated),
            "reviewers": [],
            "participants": [],
            "links": own,
        }

    def brief(self, pull: HostedPull) -> Json:
        """As in the list of a commit's pull requests."""
        links = {name: link for name, link in self._links_of(pull).items() if name in {"self", "html"}}
        return {"type": "pullrequest", "id": pull.number, "title": pull.title, "links": links}

    def commit(self, repo: str, path: Path, commit: str) -> Json:
        """With its whole id."""
        date, name, email, message = line(path, "show", "--no-patch", "--format=%cI%n%an%n%ae%n%B", commit).split(
            "\n", 3
        )
        parents = line(path, "show", "--no-patch", "--format=%P", commit).split()
        full = f"{self._host.organisation}/{repo}"
        return {
            "type": "commit",
            "hash": commit,
            "date": date,
            "author": {"type": "author", "raw": f"{name} <{email}>"},
            "message": message,
            "summary": {"type": "rendered", "raw": message, "markup": "markdown", "html": ""},
            "parents": [{"type": "commit", "hash": parent} for parent in parents],
            "repository": self.repo(repo),
            "links": _links(
                {
                    "self": f"{self._api}/repositories/{full}/commit/{commit}",
                    "html": f"{self._web}/{full}/commits/{commit}",
                }
            ),
        }

    def _end(self, pull: HostedPull, branch: str, commit: str | None, fork: Person | None, *, gone: bool) -> Json:
        return {
            "branch": {"name": branch},
            "commit": self._commit(pull.repo, commit) if commit else None,
            "repository": self.repo(pull.repo, fork) if not gone else None,
        }

    def _commit(self, repo: str, commit: str) -> Json:
        full, short = f"{self._host.organisation}/{repo}", commit[:SHORT]
        links = {
            "self": f"{self._api}/repositories/{full}/commit/{short}",
            "html": f"{self._web}/{full}/commits/{short}",
        }
        return {"type": "commit", "hash": short, "links": _links(links)}

    def _links_of(self, pull: HostedPull) -> Json:
        full = f"{self._host.organisation}/{pull.repo}"
        own = f"{self._api}/repositories/{full}/pullrequests/{pull.number}"
        parts = ("commits", "approve", "diff", "diffstat", "comments", "activity", "merge", "decline")
        html = f"{self._web}/{full}/pull-requests/{pull.number}"
        return _links({"self": own, "html": html, **{part: f"{own}/{part}" for part in parts}})


def _links(addresses: dict[str, str]) -> Json:
    return {name: {"href": address} for name, address in addresses.items()}


def _uuid(text: str) -> str:
    return f"{{{uuid.uuid5(_IDS, text)}}}"
