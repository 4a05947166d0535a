"""What runs where: one state behind Kubernetes, Argo CD, the version endpoints, GitHub's and GitLab's deployments.

Tests change it by `deploy`, `roll_back`, `differ` and `unwell`; each is seen by every one of these at once.
"""

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from sandbox.git import commit_of
from sandbox.git_host import GitHost
from sandbox.records import Company, Person, Release

State = Literal["success", "failed", "running"]
"""How a deployment went; `running` goes on still."""
_HEX = re.compile(r"[0-9a-f]{7,40}")


@dataclass(frozen=True, slots=True)
class Rollout:
    """A deployment: what an environment was told to run from a moment on."""

    number: int
    """Different for each; larger ones came later."""
    environment: str
    repo: str
    version: str
    commit: str
    """Its whole id; empty: whoever built it did not say."""
    at: datetime
    person: Person
    state: State = "success"
    dirty: bool = False
    """Built from more than the commit holds."""

    @property
    def build(self) -> tuple[str, str, bool]:
        """What tells the software of one deployment from that of another."""
        return self.version, self.commit, self.dirty


@dataclass(frozen=True, slots=True)
class Instance:
    """A running copy of the software."""

    number: int
    """Different for each of all."""
    rollout: Rollout
    since: datetime
    ready: bool = True

    @property
    def version(self) -> str:
        return self.rollout.version

    @property
    def commit(self) -> str:
        return self.rollout.commit

    @property
    def dirty(self) -> bool:
        return self.rollout.dirty


@dataclass(slots=True)
class _Place:
    """One repository's software in one environment."""

    history: list[Rollout]
    instances: list[Instance]


class Deployments:
    """State behind one lock, read from the company when it is first asked for: then the repositories are built."""

    def __init__(self, company: Company, host: GitHost) -> None:
        self.environments = {environment.name: environment for environment in company.environments}
        self._company = company
        self._host = host
        self._lock = threading.RLock()
        self._loaded: dict[tuple[str, str], _Place] = {}
        self._rollouts = self._instances = 0

    # What is there.

    def places(self) -> set[str]:
        """The environments to which anything was ever brought."""
        with self._lock:
            return {environment for environment, _ in self._places()}

    def repos(self, environment: str) -> list[str]:
        """The repositories whose software was ever brought there."""
        with self._lock:
            return sorted(repo for at, repo in self._places() if at == environment)

    def history(self, environment: str, repo: str) -> Sequence[Rollout]:
        """Oldest first, the failed ones as well. Empty where there was none."""
        with self._lock:
            place = self._places().get((environment, repo))
            return tuple(place.history) if place else ()

    def running(self, environment: str, repo: str) -> Rollout | None:
        """The newest deployment that went well, or None."""
        return next((r for r in reversed(self.history(environment, repo)) if r.state == "success"), None)

    def instances(self, environment: str, repo: str) -> Sequence[Instance]:
        with self._lock:
            place = self._places().get((environment, repo))
            return tuple(place.instances) if place else ()

    def releases(self, repo: str) -> Sequence[Release]:
        """Newest first."""
        found = [release for release in self._company.releases if release.repo == repo]
        return sorted(found, key=lambda release: release.at, reverse=True)

    def tag_of(self, rollout: Rollout) -> str | None:
        """The tag of the release that was deployed."""
        tags = (r.tag for r in self.releases(rollout.repo) if r.version == rollout.version and not rollout.dirty)
        return next(tags, None)

    # What tests do to it.

    def deploy(
        self,
        environment: str,
        repo: str,
        ref: str | None,
        version: str = "",
        *,
        at: datetime | None = None,
        dirty: bool = False,
        state: State = "success",
        instances: int | None = None,
    ) -> Rollout:
        """Bring a commit to an environment, which may be a new one.

        `ref` names it in the repository, or is the id of one that is not there; None: nobody says which it is.
        Without a version it is the commit's first seven digits. Only a deployment that goes well changes what runs.
        Raises ValueError: there is no such repository or commit.
        """
        commit = self._commit(repo, ref) if ref is not None else ""
        with self._lock:
            made = self._rollout(environment, repo, version or commit[:7], commit, at or self._host.now(), dirty=dirty)
            return self._bring(replace(made, state=state), instances)

    def roll_back(self, environment: str, repo: str) -> Rollout:
        """Deploy again what ran before. Raises ValueError: nothing did."""
        with self._lock:
            history = [rollout for rollout in self.history(environment, repo) if rollout.state == "success"]
            if len(history) < 2:
                raise ValueError(f"nothing ran before in {environment}")
            before = history[-2]
            again = self._rollout(environment, repo, *before.build[:2], self._host.now(), dirty=before.dirty)
            return self._bring(again, None)

    def differ(self, environment: str, repo: str, ref: str | None, version: str = "", *, count: int = 1) -> None:
        """Let so many instances run something else; no deployment tells of it. Raises ValueError as `deploy`."""
        commit = self._commit(repo, ref) if ref is not None else ""
        with self._lock:
            other = self._rollout(environment, repo, version or commit[:7], commit, self._host.now())
            place = self._places()[environment, repo]
            place.instances[:count] = self._started(other, min(count, len(place.instances)))

    def unwell(self, environment: str, repo: str, *, count: int = 1) -> None:
        """Let so many instances not be ready."""
        with self._lock:
            found = self._places()[environment, repo].instances
            found[:count] = [replace(instance, ready=False) for instance in found[:count]]

    def clear(self, environment: str, repo: str) -> None:
        """As if its software had never been there."""
        with self._lock:
            self._places().pop((environment, repo), None)

    def _places(self) -> dict[tuple[str, str], _Place]:
        if not self._rollouts:
            made = {(release.repo, release.version): release.tag for release in self._company.releases}
            records = self._company.deployments
            commits = [self._commit(record.repo, made[record.repo, record.version]) for record in records]
            self._rollouts = 100
            for record, commit in zip(records, commits, strict=True):
                rollout = self._rollout(record.environment, record.repo, record.version, commit, record.at)
                self._bring(replace(rollout, person=self._host.people[record.author]), None)
        return self._loaded

    def _rollout(
        self, environment: str, repo: str, version: str, commit: str, at: datetime, *, dirty: bool = False
    ) -> Rollout:
        self._places()
        self._rollouts += 1
        person = next(iter(self._host.people.values()))
        return Rollout(self._rollouts, environment, repo, version, commit, at, person, dirty=dirty)

    def _bring(self, rollout: Rollout, instances: int | None) -> Rollout:
        place = self._loaded.setdefault((rollout.environment, rollout.repo), _Place([], []))
        place.history.append(rollout)
        if rollout.state == "success":
            known = self.environments.get(rollout.environment)
            count = instances if instances is not None else len(place.instances) or (known.instances if known else 1)
            place.instances = self._started(rollout, count)
        return rollout

    def _started(self, rollout: Rollout, count: int) -> list[Instance]:
        first, self._instances = self._instances + 1, self._instances + count
        return [Instance(number, rollout, rollout.at) for number in range(first, first + count)]

    def _commit(self, repo: str, ref: str) -> str:
        found = commit_of(self._host.path(repo), ref) or (ref if _HEX.fullmatch(ref) else None)
        if found is None:
            raise ValueError(f"{repo} has no commit {ref}")
        return found
