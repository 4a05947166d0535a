"""What an administrator does in the sandbox's Jira: moves, new keys, archives, permissions, accounts."""

from collections.abc import Sequence
from dataclasses import replace

from sandbox.issues import Issue
from sandbox.jira_state import JiraState
from sandbox.records import Project


class Administration(JiraState):
    """Nothing is checked but that what is named is there; raises ValueError."""

    def move_issue(self, key: str, project: str) -> str:
        """Move a ticket to another project and return its new key; it keeps its id, and is found by the former key."""
        with self.changing(key) as issue:
            former = issue.key
            own = next((former for former in issue.former if former.startswith(f"{project}-")), None)
            self._rename(issue, own or self._next_key(project))  # one that comes back has its key again
            issue.project, issue.security = self._named(project), None
            self._changed(issue, issue.reporter, "Key", former, issue.key)
        return issue.key

    def clone_issue(self, key: str) -> str:
        """Copy a ticket within its project and return the copy's key; comments, files and history stay behind."""
        with self.changing(key) as issue:
            now = self.now()
            copy = replace(
                issue,
                id=str(max(map(int, self._by_id)) + 1),
                key=self._next_key(issue.project.key),
                summary=f"CLONE - {issue.summary}",
                created=now,
                updated=now,
                fields=dict(issue.fields),
                notes={},
                history=[],
                links=[],
                linked_from=[],
                remote_links=list(issue.remote_links),
                children=[],
                files={},
                former=(),
                archived=None,
                seen=[],
            )
            link = str(max((int(n) for i in self.issues.values() for n, _, _ in i.links), default=60_000) + 1)
            copy.links.append((link, "Cloners", issue.key))
            issue.linked_from.append((link, "Cloners", copy.key))
            self.issues[copy.key] = self._by_id[copy.id] = copy
            parent = self.issues.get(issue.parent or "")
            if parent is not None:
                parent.children.append(copy.key)
            copy.index(self.search_lag)
        return copy.key

    def rekey_project(self, old: str, new: str) -> None:
        """Give a project another key: its tickets are renamed, and the former keys still lead to both."""
        with self.lock:
            if new in self.projects:
                raise ValueError(f"there is a project {new} already")
            former = self._named(old)
            project = self.projects[new] = replace(former, key=new)
            del self.projects[former.key]
            self.catalog.rekey(former, new)
            self.permissions.rekey(former.key, new)
            self.archived_projects = {new if key == former.key else key for key in self.archived_projects}
            for issue in [issue for issue in self.issues.values() if issue.project is former]:
                issue.project = project
                self._rename(issue, f"{new}-{issue.key.rpartition('-')[2]}")

    def archive_issue(self, key: str) -> None:
        """Only reading by its key is left, and nothing can be written."""
        with self.changing(key) as issue:
            issue.archived = (self.now(), issue.reporter)

    def restore_issue(self, key: str) -> None:
        with self.changing(key) as issue:
            issue.archived = None

    def archive_project(self, key: str) -> None:
        with self.lock:
            self.archived_projects.add(self._named(key).key)

    def restore_project(self, key: str) -> None:
        with self.lock:
            self.archived_projects.discard(self._named(key).key)

    def forbid(self, account_id: str, project: str, permission: str) -> None:
        """Take a permission (`ADD_COMMENTS`) in a project away from an account."""
        with self.lock:
            self._set_forbidden(account_id, project, permission, on=True)

    def permit(self, account_id: str, project: str, permission: str) -> None:
        """Give back what `forbid` took."""
        with self.lock:
            self._set_forbidden(account_id, project, permission, on=False)

    def _set_forbidden(self, account_id: str, project: str, permission: str, *, on: bool) -> None:
        self.permissions.set_forbidden(self.accounts.of(account_id).id, self._named(project).key, permission, on=on)

    def join_role(self, account_id: str, project: str, role: str) -> None:
        self._set_member(account_id, project, role, on=True)

    def leave_role(self, account_id: str, project: str, role: str) -> None:
        self._set_member(account_id, project, role, on=False)

    def _set_member(self, account_id: str, project: str, role: str, *, on: bool) -> None:
        with self.lock:
            named = self._named(project)
            if role not in named.roles:
                raise ValueError(f"{project} has no role {role}")
            self.permissions.set_member(self.accounts.of(account_id).id, named.key, role, on=on)

    def set_groups(self, account_id: str, groups: Sequence[str]) -> None:
        with self.lock:
            self.accounts.set_groups(account_id, groups)

    def deactivate_user(self, account_id: str) -> None:
        """The account cannot log in any more; what it wrote remains, under its name."""
        with self.lock:
            self.accounts.deactivate(account_id)

    def delete_user(self, account_id: str) -> None:
        """The account is gone; what it wrote remains, under nobody's name."""
        with self.lock:
            self.accounts.deactivate(account_id, deleted=True)

    def _named(self, key: str) -> Project:
        project = self.project(key)
        if project is None:
            raise ValueError(f"there is no project {key}")
        return project

    def _next_key(self, project: str) -> str:
        """Jira gives no number twice, not even that of a ticket which was moved away."""
        known = [key for issue in self.issues.values() for key in (issue.key, *issue.former)]
        taken = [int(key.rpartition("-")[2]) for key in known if key.startswith(f"{project}-")]
        return f"{project}-{max(taken, default=0) + 1}"

    def _rename(self, issue: Issue, new: str) -> None:
        former, issue.key = issue.key, new
        issue.former = (*(key for key in issue.former if key != new), former)
        self.issues = {(new if key == former else key): other for key, other in self.issues.items()}
        for other in self.issues.values():
            other.follow(former, new)
