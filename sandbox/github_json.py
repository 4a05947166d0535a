"""GitHub's JSON, made from the sandbox's Git host. Fields that nothing in the sandbox fills are as of a new object."""

import base64
from datetime import datetime
from typing import Any

from sandbox.changes import Changed
from sandbox.git_api import id_of, repo_id, user_name
from sandbox.git_host import GitHost, HostedPull
from sandbox.records import Person

Json = dict[str, Any]

CREATED = "2026-02-16T08:00:00Z"
_REPO_URLS = (
    ("archive_url", "/{archive_format}{/ref}"),
    ("assignees_url", "/assignees{/user}"),
    ("blobs_url", "/git/blobs{/sha}"),
    ("branches_url", "/branches{/branch}"),
    ("collaborators_url", "/collaborators{/collaborator}"),
    ("comments_url", "/comments{/number}"),
    ("commits_url", "/commits{/sha}"),
    ("compare_url", "/compare/{base}...{head}"),
    ("contents_url", "/contents/{+path}"),
    ("contributors_url", "/contributors"),
    ("deployments_url", "/deployments"),
    ("downloads_url", "/downloads"),
    ("events_url", "/events"),
    ("forks_url", "/forks"),
    ("git_commits_url", "/git/commits{/sha}"),
    ("git_refs_url", "/git/refs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"),
    ("hooks_url", "/hooks"),
    ("issue_comment_url", "/issues/comments{/number}"),
    ("issue_events_url", "/issues/events{/number}"),
    ("issues_url", "/issues{/number}"),
    ("keys_url", "/keys{/key_id}"),
    ("labels_url", "/labels{/name}"),
    ("languages_url", "/languages"),
    ("merges_url", "/merges"),
    ("milestones_url", "/milestones{/number}"),
    ("notifications_url", "/notifications{?since,all,participating}"),
    ("pulls_url", "/pulls{/number}"),
    ("releases_url", "/releases{/id}"),
    ("stargazers_url", "/stargazers"),
    ("statuses_url", "/statuses/{sha}"),
    ("subscribers_url", "/subscribers"),
    ("subscription_url", "/subscription"),
    ("tags_url", "/tags"),
    ("teams_url", "/teams"),
    ("trees_url", "/git/trees{/sha}"),
)
_SWITCHED_ON = (
    *("has_issues", "has_projects", "has_downloads", "has_wiki"),
    *("allow_rebase_merge", "allow_squash_merge", "allow_merge_commit"),
)
_SWITCHED_OFF = ("is_template", "has_pages", "has_discussions", "archived", "disabled", "delete_branch_on_merge")
_USER_URLS = (
    ("followers_url", "/followers"),
    ("following_url", "/following{/other_user}"),
    ("gists_url", "/gists{/gist_id}"),
    ("starred_url", "/starred{/owner}{/repo}"),
    ("subscriptions_url", "/subscriptions"),
    ("organizations_url", "/orgs"),
    ("repos_url", "/repos"),
    ("events_url", "/events{/privacy}"),
    ("received_events_url", "/received_events"),
)


def moment(at: datetime | None) -> str | None:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}" if at else None


def login(person: Person) -> str:
    """A login may hold no dot."""
    return user_name(person).replace(".", "-")


class GithubJson:
    """Views for one request: `web` is where pages are, `api` where the API is."""

    def __init__(self, host: GitHost, web: str, api: str) -> None:
        self._host = host
        self._web = web
        self._api = api

    def api_of(self, repo: str) -> str:
        return f"{self._api}/repos/{self._host.organisation}/{repo}"

    def web_of(self, repo: str) -> str:
        return f"{self._web}/{self._host.organisation}/{repo}"

    def user(self, person: Person) -> Json:
        return self._account(login(person), id_of(self._host, person), "User")

    def owner(self) -> Json:
        return self._account(self._host.organisation, 1000, "Organization")

    def _account(self, name: str, number: int, kind: str) -> Json:
        api = f"{self._api}/users/{name}"
        return {
            "login": name,
            "id": number,
            "node_id": node("User", number),
            "avatar_url": f"{self._web}/avatars/u/{number}?v=4",
            "gravatar_id": "",
            "url": api,
            "html_url": f"{self._web}/{name}",
            **{field: api + tail for field, tail in _USER_URLS},
            "type": kind,
            "site_admin": False,
        }

    def repo(self, name: str, fork: Person | None = None) -> Json:
        owner = self.user(fork) if fork else self.owner()
        number = repo_id(self._host, name) + (10_000 * (owner["id"] - 1000) if fork else 0)
        full = f"{owner['login']}/{name}"
        api, web = f"{self._api}/repos/{full}", f"{self._web}/{full}"
        open_pulls = sum(pull.open for pull in self._host.pulls(name).values())
        return {
            "id": number,
            "node_id": node("Repository", number),
            "name": name,
            "full_name": full,
            "owner": owner,
            "private": True,
            "html_url": web,
            "description": None,
            "fork": fork is not None,
            "url": api,
            **{field: api + tail for field, tail in _REPO_URLS},
            "clone_url": f"{web}.git",
            "git_url": f"git://{self._web.partition('://')[2]}/{full}.git",
            "ssh_url": f"git@{self._web.partition('://')[2].partition(':')[0]}:{full}.git",
            "svn_url": web,
            "mirror_url": None,
            "homepage": None,
            "language": None,
            "license": None,
            "forks_count": 0,
            "forks": 0,
            "stargazers_count": 0,
            "watchers_count": 0,
            "watchers": 0,
            "size": 108,
            "default_branch": "main",
            "open_issues_count": open_pulls,
            "open_issues": open_pulls,
            "topics": [],
            **dict.fromkeys(_SWITCHED_ON, True),
            **dict.fromkeys(_SWITCHED_OFF, False),
            "visibility": "private",
            "pushed_at": CREATED,
            "created_at": CREATED,
            "updated_at": CREATED,
        }

    def full_repo(self, name: str) -> Json:
        counts = {"network_count": 0, "subscribers_count": 0}
        rights = {"admin": False, "maintain": False, "push": False, "triage": False, "pull": True}
        return self.repo(name) | counts | {"permissions": rights, "organization": self.owner()}

    def simple(self, pull: HostedPull) -> Json:
        """As in a list."""
        full = f"{self._host.organisation}/{pull.repo}"
        api, web = f"{self._api}/repos/{full}", f"{self._web}/{full}/pull/{pull.number}"
        own, issue = f"{api}/pulls/{pull.number}", f"{api}/issues/{pull.number}"
        base_tip = self._host.base_tip(pull) or self._host.merge_base(pull) or pull.head
        links = {
            "self": own,
            "html": web,
            "issue": issue,
            "comments": f"{issue}/comments",
            "review_comments": f"{own}/comments",
            "review_comment": f"{api}/pulls/comments{{/number}}",
            "commits": f"{own}/commits",
            "statuses": f"{api}/statuses/{pull.head}",
        }
        return {
            "url": own,
            "id": self._id(pull),
            "node_id": node("PullRequest", self._id(pull)),
            "html_url": web,
            "diff_url": f"{web}.diff",
            "patch_url": f"{web}.patch",
            "issue_url": issue,
            **{f"{name}_url": links[name] for name in ("commits", "review_comments", "review_comment")},
            **{f"{name}_url": links[name] for name in ("comments", "statuses")},
            "number": pull.number,
            "state": "open" if pull.open else "closed",
            "locked": False,
            "title": pull.title,
            "user": self.user(pull.author),
            "body": pull.description or None,
            "created_at": moment(pull.created),
            "updated_at": moment(pull.updated),
            "closed_at": moment(pull.closed),
            "merged_at": moment(pull.closed) if pull.state == "merged" else None,
            "merge_commit_sha": pull.merge_commit,
            **dict.fromkeys(("assignee", "milestone", "auto_merge", "active_lock_reason")),
            **{name: [] for name in ("assignees", "requested_reviewers", "requested_teams", "labels")},
            "draft": pull.state == "draft",
            "head": self._side(pull, pull.branch, pull.head, pull.fork, gone=pull.fork_gone),
            "base": self._side(pull, pull.base, base_tip, None, gone=False),
            "_links": {name: {"href": address} for name, address in links.items()},
            "author_association": "NONE" if pull.fork else "MEMBER",
        }

    def whole(self, pull: HostedPull) -> Json:
        files = self._host.changes(pull)
        return self.simple(pull) | {
            "merged": pull.state == "merged",
            "mergeable": None if not pull.open else True,
            "rebaseable": None if not pull.open else True,
            "mergeable_state": "draft" if pull.state == "draft" else "clean" if pull.open else "unknown",
            "merged_by": self.user(pull.author) if pull.state == "merged" else None,
            "comments": 0,
            "review_comments": 0,
            "maintainer_can_modify": False,
            "commits": len(self._host.commits(pull)),
            "additions": sum(file.added for file in files),
            "deletions": sum(file.removed for file in files),
            "changed_files": len(files),
        }

    def file(self, pull: HostedPull, file: Changed) -> Json:
        full, at = f"{self._host.organisation}/{pull.repo}", f"{pull.head}/{file.path}"
        out: Json = {
            "sha": file.blob,
            "filename": file.path,
            "status": file.status,
            "additions": file.added,
            "deletions": file.removed,
            "changes": file.added + file.removed,
            "blob_url": f"{self._web}/{full}/blob/{at}",
            "raw_url": f"{self._web}/{full}/raw/{at}",
            "contents_url": f"{self._api}/repos/{full}/contents/{file.path}?ref={pull.head}",
        }
        if file.patch is not None:
            out["patch"] = file.patch
        return out | ({"previous_filename": file.before} if file.status == "renamed" else {})

    def found(self, pull: HostedPull) -> Json:
        """As an item of a search."""
        full = f"{self._host.organisation}/{pull.repo}"
        api = f"{self._api}/repos/{full}"
        issue, web = f"{api}/issues/{pull.number}", f"{self._web}/{full}/pull/{pull.number}"
        return {
            "url": issue,
            "repository_url": api,
            "labels_url": f"{issue}/labels{{/name}}",
            "comments_url": f"{issue}/comments",
            "events_url": f"{issue}/events",
            "html_url": web,
            "id": self._id(pull),
            "node_id": node("PullRequest", self._id(pull)),
            "number": pull.number,
            "title": pull.title,
            "user": self.user(pull.author),
            "labels": [],
            "state": "open" if pull.open else "closed",
            "locked": False,
            "assignee": None,
            "assignees": [],
            "milestone": None,
            "comments": 0,
            "created_at": moment(pull.created),
            "updated_at": moment(pull.updated),
            "closed_at": moment(pull.closed),
            "author_association": "NONE" if pull.fork else "MEMBER",
            "active_lock_reason": None,
            "draft": pull.state == "draft",
            "pull_request": {
                "url": f"{api}/pulls/{pull.number}",
                "html_url": web,
                "diff_url": f"{web}.diff",
                "patch_url": f"{web}.patch",
                "merged_at": moment(pull.closed) if pull.state == "merged" else None,
            },
            "body": pull.description,
            "score": 1.0,
        }

    def _side(self, pull: HostedPull, ref: str, sha: str, fork: Person | None, *, gone: bool) -> Json:
        owner = self.user(fork) if fork else self.owner()
        repo = None if gone else self.repo(pull.repo, fork)
        return {"label": f"{owner['login']}:{ref}", "ref": ref, "sha": sha, "user": owner, "repo": repo}

    def _id(self, pull: HostedPull) -> int:
        return repo_id(self._host, pull.repo) * 100_000 + pull.number


def node(kind: str, number: int) -> str:
    return base64.b64encode(f"{len(kind):02}:{kind}{number}".encode()).decode()
