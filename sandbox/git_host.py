"""The company's Git host in memory and in its bare repositories, and what tests do to it while it is read.

One state stands behind GitHub's, GitLab's and both Bitbuckets' APIs. Heads of pull requests are refs in the
repositories, as each vendor keeps them, and move with the state.
"""

import re
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from sandbox.changes import Changed, changes
from sandbox.git import PULL_REFS, Content, GitFailed, commit_of, git, line, who, write_commit
from sandbox.records import Company, Person, Pull

Seen = Literal["both", "git", "api"]
"""Where a new head is seen: the other one still has the former."""


@dataclass(slots=True)
class HostedPull:
    """A pull request as it is now."""

    repo: str
    number: int
    title: str
    description: str
    author: Person
    branch: str
    base: str
    state: str
    """open, draft, merged or closed."""
    head: str
    """What the APIs say."""
    created: datetime
    updated: datetime
    closed: datetime | None = None
    fork: Person | None = None
    """Whose fork the branch is in."""
    fork_gone: bool = False
    squashed: bool = False
    merge_commit: str | None = None
    base_tip: str | None = None
    """The commit that its base branch was at, once it does not matter any more where that moves."""

    @property
    def open(self) -> bool:
        return self.state in {"open", "draft"}


@dataclass(frozen=True, slots=True)
class Token:
    """What a token may do. `forbidden`: it is known, and lacks the right to read repositories."""

    value: str = field(repr=False)
    repos: frozenset[str] | None = None
    """None: every repository."""
    forbidden: bool = False

    def reads(self, repo: str) -> bool:
        return self.repos is None or repo in self.repos


class GitHost:
    """State behind one lock. `repos` is the sandbox's own mapping, filled when the repositories have been built."""

    def __init__(self, company: Company, repos: Mapping[str, Path]) -> None:
        self.lock = threading.RLock()
        self.repos = repos
        self.organisation = company.organisation
        self.people = {person.id: person for person in company.people}
        self.now: Callable[[], datetime] = lambda: datetime.now(UTC)
        self.anonymous_git = False
        """Whether git may fetch without a token."""
        self._records = company.pulls
        self._pulls: dict[str, dict[int, HostedPull]] = {}
        self._tokens: dict[str, Token] = {}
        self.token = self.grant().value
        """Reads everything."""

    def grant(self, *repos: str, forbidden: bool = False) -> Token:
        """A new token, for these repositories or for all."""
        made = Token(secrets.token_urlsafe(24), frozenset(repos) or None, forbidden)
        self._tokens[made.value] = made
        return made

    def known(self, value: str) -> Token | None:
        return self._tokens.get(value)

    # What is there.

    def path(self, repo: str) -> Path:
        """Raises ValueError: there is no such repository."""
        if repo not in self.repos:
            raise ValueError(f"there is no repository {repo}")
        return self.repos[repo]

    def pulls(self, repo: str) -> dict[int, HostedPull]:
        """By number. Raises ValueError."""
        with self.lock:
            path = self.path(repo)
            if repo not in self._pulls:
                records = sorted((pull for pull in self._records if pull.repo == repo), key=lambda pull: pull.number)
                self._pulls[repo] = {pull.number: self._hosted(path, pull) for pull in records}
            return self._pulls[repo]

    def pull(self, repo: str, number: int) -> HostedPull:
        """Raises ValueError: there is no such pull request."""
        found = self.pulls(repo).get(number)
        if found is None:
            raise ValueError(f"{repo} has no pull request {number}")
        return found

    def _hosted(self, path: Path, pull: Pull) -> HostedPull:
        head = line(path, "rev-parse", PULL_REFS[0].format(pull.number))
        hosted = HostedPull(
            pull.repo,
            pull.number,
            pull.title,
            pull.description,
            self.people[pull.author],
            pull.branch,
            pull.base,
            pull.state,
            head,
            pull.created,
            pull.updated,
            pull.closed,
            self.people[pull.fork] if pull.fork else None,
            pull.fork_gone,
            pull.squashed,
        )
        if pull.state == "merged" and pull.closed is not None:
            hosted.merge_commit = _commit_at(path, pull.base, pull.closed)
            hosted.base_tip = commit_of(path, f"{hosted.merge_commit}^1")
        return hosted

    def base_tip(self, pull: HostedPull) -> str | None:
        """The commit of its base branch that it is compared with; None when the branch is gone."""
        return pull.base_tip or commit_of(self.path(pull.repo), f"refs/heads/{pull.base}")

    def merge_base(self, pull: HostedPull) -> str | None:
        tip = self.base_tip(pull)
        try:
            return line(self.path(pull.repo), "merge-base", tip, pull.head) if tip else None
        except GitFailed:
            return None

    def changes(self, pull: HostedPull) -> list[Changed]:
        """The three-dot difference; nothing where there is no base."""
        base = self.merge_base(pull)
        return changes(self.path(pull.repo), base, pull.head) if base else []

    def commits(self, pull: HostedPull) -> list[str]:
        """The commits that it brings, newest first."""
        tip = self.base_tip(pull)
        return line(self.path(pull.repo), "rev-list", pull.head, f"^{tip}").split() if tip else [pull.head]

    def with_commit(self, repo: str, commit: str) -> list[HostedPull]:
        """Pull requests that bring or brought a commit, newest first."""
        found = [p for p in self.pulls(repo).values() if commit == p.merge_commit or commit in self.commits(p)]
        return sorted(found, key=lambda pull: pull.number, reverse=True)

    def holds(self, repo: str, commit: str) -> bool:
        """Whether a commit is or was on a branch of the repository, not only in a fork."""
        form, names = "--format=%(refname)", ("refs/heads/", PULL_REFS[0].partition("{}")[0])
        refs = line(self.path(repo), "for-each-ref", form, f"--contains={commit}", *names).split()
        forks = {PULL_REFS[0].format(number) for number, pull in self.pulls(repo).items() if pull.fork}
        return bool(set(refs) - forks)

    def with_key(self, key: str) -> list[HostedPull]:
        """Pull requests of every repository whose title, branch or commits carry a ticket's key, newest first."""
        found = [p for repo in sorted(self.repos) for p in self.pulls(repo).values() if self._carries(p, key)]
        return sorted(found, key=lambda pull: pull.created, reverse=True)

    def _carries(self, pull: HostedPull, key: str) -> bool:
        commits = self.commits(pull)
        messages = line(self.path(pull.repo), "show", "--no-patch", "--format=%B", *commits) if commits else ""
        text = f"{pull.title}\n{pull.branch}\n{messages}"
        return re.search(rf"(?<![\w]){re.escape(key)}(?!\w|-\d)", text, re.IGNORECASE) is not None

    # As the people who work with it.

    def commit(
        self, repo: str, files: Mapping[str, Content], message: str = "Work", *, on: str | tuple[str, ...] = "main"
    ) -> str:
        """Write a commit on top of a revision (or several: a merge) and return its id; no branch moves."""
        path = self.path(repo)
        author = who(next(iter(self.people.values())), self.now())
        parents = [line(path, "rev-parse", f"{parent}^0") for parent in ((on,) if isinstance(on, str) else on)]
        with self.lock:
            return write_commit(path, files, author, message, parents)

    def branch(self, repo: str, name: str, commit: str) -> None:
        """Set a branch of the repository."""
        git(self.path(repo), "update-ref", f"refs/heads/{name}", commit)

    def open(
        self,
        repo: str,
        branch: str,
        commit: str,
        title: str,
        *,
        description: str = "",
        base: str = "main",
        draft: bool = False,
        fork: Person | None = None,
    ) -> int:
        """Propose a commit and return the number of the pull request."""
        with self.lock:
            pulls, now = self.pulls(repo), self.now()
            number, author = max(pulls, default=0) + 1, fork or next(iter(self.people.values()))
            state = "draft" if draft else "open"
            pulls[number] = HostedPull(
                repo, number, title, description, author, branch, base, state, commit, now, now, fork=fork
            )
            self._keep(pulls[number], commit)
        return number

    def push(self, repo: str, number: int, commit: str, *, seen: Seen = "both") -> None:
        """Move the head, by force if need be."""
        with self.lock:
            pull = self.pull(repo, number)
            if seen != "git":
                pull.head, pull.updated = commit, self.now()
            if seen != "api":
                self._keep(pull, commit)

    def merge(self, repo: str, number: int, *, squash: bool = False, keep_branch: bool = False) -> str:
        """Merge into the base branch and return the commit there. Raises GitFailed for a conflict."""
        with self.lock:
            pull, path = self.pull(repo, number), self.path(repo)
            tip = self.base_tip(pull)
            if tip is None:
                raise GitFailed(f"{pull.base} is gone")
            tree = line(path, "merge-tree", "--write-tree", tip, pull.head)
            message = f"{pull.title} (#{number})" if squash else f"Merge pull request #{number} from {pull.branch}"
            parents = (tip,) if squash else (tip, pull.head)
            made = self._commit_tree(path, tree, message, parents)
            git(path, "update-ref", f"refs/heads/{pull.base}", made)
            pull.merge_commit, pull.base_tip, pull.squashed = made, tip, squash
            self._end(pull, "merged")
            if not keep_branch and pull.fork is None:
                self.delete_branch(repo, pull.branch)
        return made

    def close(self, repo: str, number: int) -> None:
        """Close without merging."""
        with self.lock:
            self._end(self.pull(repo, number), "closed")

    def edit(
        self, repo: str, number: int, *, title: str | None = None, base: str | None = None, draft: bool | None = None
    ) -> None:
        with self.lock:
            pull = self.pull(repo, number)
            pull.title, pull.base, pull.updated = title or pull.title, base or pull.base, self.now()
            if draft is not None:
                pull.state = "draft" if draft else "open"

    def rename_branch(self, repo: str, old: str, new: str, *, follow: bool = False) -> None:
        """Rename a branch. `follow`: open pull requests into it are told, as GitHub does."""
        with self.lock:
            git(self.path(repo), "branch", "-M", old, new)
            for pull in self.pulls(repo).values() if follow else ():
                if pull.open and pull.base == old:
                    pull.base = new

    def delete_branch(self, repo: str, name: str) -> None:
        """Pull requests from it and into it stay as they are."""
        with self.lock:
            git(self.path(repo), "update-ref", "-d", f"refs/heads/{name}")

    def delete_fork(self, repo: str, number: int) -> None:
        """Raises ValueError: the pull request comes from no fork."""
        with self.lock:
            pull = self.pull(repo, number)
            if pull.fork is None:
                raise ValueError(f"pull request {number} of {repo} comes from no fork")
            pull.fork_gone = True

    def _end(self, pull: HostedPull, state: str) -> None:
        pull.state, pull.closed = state, self.now()
        pull.updated = pull.closed

    def _keep(self, pull: HostedPull, commit: str) -> None:
        refs = [ref.format(pull.number) for ref in PULL_REFS]
        if pull.fork is None and pull.open:
            refs.append(f"refs/heads/{pull.branch}")
        updates = "".join(f"update {ref} {commit}\n" for ref in refs)
        git(self.path(pull.repo), "update-ref", "--stdin", stream=updates.encode())

    def _commit_tree(self, path: Path, tree: str, message: str, parents: tuple[str, ...]) -> str:
        person, seconds = next(iter(self.people.values())), int(self.now().timestamp())
        names = {f"GIT_{role}_NAME": person.name for role in ("AUTHOR", "COMMITTER")}
        names |= {f"GIT_{role}_EMAIL": person.email for role in ("AUTHOR", "COMMITTER")}
        names |= {f"GIT_{role}_DATE": f"{seconds} +0000" for role in ("AUTHOR", "COMMITTER")}
        given = [part for parent in parents for part in ("-p", parent)]
        return git(path, "commit-tree", tree, *given, "-m", message, more=names).decode().strip()


def _commit_at(path: Path, branch: str, at: datetime) -> str:
    """The commit of a branch's first parents that was made at this moment."""
    log = line(path, "log", "--first-parent", "--format=%ct %H", f"refs/heads/{branch}").splitlines()
    found = dict(entry.split(" ") for entry in reversed(log))
    seconds = str(int(at.timestamp()))
    if seconds not in found:
        raise GitFailed(f"{branch} in {path.name} has no commit of {at}")
    return found[seconds]
