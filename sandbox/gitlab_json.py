"""GitLab's JSON, made from the sandbox's Git host. A pull request is a merge request there."""

from datetime import datetime
from typing import Any

from sandbox.changes import Changed
from sandbox.git_api import id_of, repo_id, user_name
from sandbox.git_host import GitHost, HostedPull
from sandbox.records import Person

Json = dict[str, Any]

MOST_FILES = 1000
_STATES = {"open": "opened", "draft": "opened", "merged": "merged", "closed": "closed"}


def moment(at: datetime | None) -> str | None:
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z" if at else None


def state(pull: HostedPull) -> str:
    return _STATES[pull.state]


def title(pull: HostedPull) -> str:
    """A draft is one by its title."""
    prefix = "Draft: " if pull.state == "draft" and not pull.title.startswith("Draft:") else ""
    return prefix + pull.title


class GitlabJson:
    def __init__(self, host: GitHost, web: str) -> None:
        self._host = host
        self._web = web

    def user(self, person: Person) -> Json:
        number, name = id_of(self._host, person), user_name(person)
        return {
            "id": number,
            "username": name,
            "public_email": "",
            "name": person.name,
            "state": "active",
            "locked": False,
            "avatar_url": None,
            "web_url": f"{self._web}/{name}",
        }

    def project(self, repo: str) -> Json:
        access = {"project_access": {"access_level": 20, "notification_level": 3}, "group_access": None}
        return self.basic_project(repo) | {"archived": False, "merge_requests_enabled": True, "permissions": access}

    def basic_project(self, repo: str) -> Json:
        """As inside of other objects."""
        organisation = self._host.organisation
        full = f"{organisation}/{repo}"
        number, web = repo_id(self._host, repo), f"{self._web}/{full}"
        return {
            "id": number,
            "description": None,
            "name": repo,
            "name_with_namespace": f"{organisation} / {repo}",
            "path": repo,
            "path_with_namespace": full,
            "created_at": "2026-02-16T08:00:00.000Z",
            "default_branch": "main",
            "tag_list": [],
            "topics": [],
            "ssh_url_to_repo": f"git@{self._web.partition('://')[2].partition(':')[0]}:{full}.git",
            "http_url_to_repo": f"{web}.git",
            "web_url": web,
            "readme_url": f"{web}/-/blob/main/README.md",
            "forks_count": 0,
            "avatar_url": None,
            "star_count": 0,
            "last_activity_at": "2026-10-30T08:00:00.000Z",
            "visibility": "private",
            "namespace": {
                "id": 7,
                "name": organisation,
                "path": organisation,
                "kind": "group",
                "full_path": organisation,
                "parent_id": None,
                "avatar_url": None,
                "web_url": f"{self._web}/groups/{organisation}",
            },
        }

    def basic(self, pull: HostedPull) -> Json:
        """As in a list."""
        project = repo_id(self._host, pull.repo)
        full = f"{self._host.organisation}/{pull.repo}"
        merged, person = pull.state == "merged", self.user(pull.author)
        source = (project + 10_000 if pull.fork else project) if not pull.fork_gone else None
        return {
            "id": project * 1000 + pull.number,
            "iid": pull.number,
            "project_id": project,
            "title": title(pull),
            "description": pull.description,
            "state": state(pull),
            "created_at": moment(pull.created),
            "updated_at": moment(pull.updated),
            "merged_by": person if merged else None,
            "merge_user": person if merged else None,
            "merged_at": moment(pull.closed) if merged else None,
            "closed_by": person if pull.state == "closed" else None,
            "closed_at": moment(pull.closed) if pull.state == "closed" else None,
            "target_branch": pull.base,
            "source_branch": pull.branch,
            "user_notes_count": 0,
            "upvotes": 0,
            "downvotes": 0,
            "author": person,
            "assignees": [],
            "assignee": None,
            "reviewers": [],
            "source_project_id": source,
            "target_project_id": project,
            "labels": [],
            "draft": pull.state == "draft",
            "imported": False,
            "imported_from": "none",
            "work_in_progress": pull.state == "draft",
            "milestone": None,
            "merge_when_pipeline_succeeds": False,
            "merge_status": "can_be_merged" if pull.open else "cannot_be_merged",
            "detailed_merge_status": self._merging(pull),
            "merge_after": None,
            "sha": pull.head,
            "merge_commit_sha": pull.merge_commit if not pull.squashed else None,
            "squash_commit_sha": pull.merge_commit if pull.squashed else None,
            "discussion_locked": None,
            "should_remove_source_branch": None,
            "force_remove_source_branch": True,
            "prepared_at": moment(pull.created),
            "reference": f"!{pull.number}",
            "references": {
                "short": f"!{pull.number}",
                "relative": f"!{pull.number}",
                "full": f"{full}!{pull.number}",
            },
            "web_url": f"{self._web}/{full}/-/merge_requests/{pull.number}",
            "time_stats": {
                "time_estimate": 0,
                "total_time_spent": 0,
                "human_time_estimate": None,
                "human_total_time_spent": None,
            },
            "squash": pull.squashed,
            "squash_on_merge": pull.squashed,
            "task_completion_status": {"count": 0, "completed_count": 0},
            "has_conflicts": False,
            "blocking_discussions_resolved": True,
        }

    def whole(self, pull: HostedPull) -> Json:
        base, count = self._host.merge_base(pull), len(self._host.changes(pull))
        start = self._host.base_tip(pull)
        return self.basic(pull) | {
            "subscribed": False,
            "changes_count": f"{MOST_FILES}+" if count > MOST_FILES else str(count) if count else None,
            "latest_build_started_at": None,
            "latest_build_finished_at": None,
            "first_deployed_to_production_at": None,
            "pipeline": None,
            "head_pipeline": None,
            "diff_refs": {"base_sha": base, "head_sha": pull.head, "start_sha": start} if base else None,
            "merge_error": None,
            "first_contribution": False,
            "user": {"can_merge": False},
        }

    def file(self, file: Changed) -> Json:
        return {
            "diff": f"{file.patch}\n" if file.patch else "",
            "collapsed": False,
            "too_large": file.patch is None and file.added + file.removed > 0,
            "new_path": file.path,
            "old_path": file.before,
            "a_mode": file.old_mode.replace("000000", "0"),
            "b_mode": file.new_mode.replace("000000", "0"),
            "new_file": file.status == "added",
            "renamed_file": file.status == "renamed",
            "deleted_file": file.status == "removed",
            "generated_file": False,
        }

    def _merging(self, pull: HostedPull) -> str:
        if pull.state == "draft":
            return "draft_status"
        if not pull.open:
            return "not_open"
        return "mergeable" if self._host.base_tip(pull) else "checking"
