"""What is known of a pull request (GitLab: merge request), and a snapshot of it. All are frozen; none does I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from core.probes.standing import Standing
from core.tickets import Ticket
from core.types import Audience, Evidence, Locator

State = Literal["open", "draft", "merged", "closed"]
Change = Literal["added", "modified", "removed", "renamed", "mode"]
Side = Literal["head", "base"]


@dataclass(frozen=True, slots=True, order=True)
class PullRef:
    """Names one pull request. The same one found in several ways is one of these."""

    repo: str
    """The repository's name in the settings."""
    number: int

    @property
    def document_id(self) -> str:
        return f"git:{self.repo}!{self.number}"


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as its host describes it at one moment."""

    ref: PullRef
    title: str
    description: str
    url: str
    state: State
    head: str
    """Full commit id that the host gives as its head."""
    head_branch: str
    base_branch: str
    """The branch that it is to be merged into; empty: none is established."""
    author: str = ""
    base_assumed: bool = False
    """Nothing says which branch it is to be merged into, nor whether it was: `base_branch` is the usual one."""
    from_fork: bool = False
    fork_gone: bool = False
    merge_commit: str | None = None
    """The commit by which it came into its base, if it was merged and the host says so."""
    changed_files: int | None = None
    """As the host counts them; None where it does not."""
    updated: datetime | None = None


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs between the merge base and the head."""

    path: str
    """At the head; where it was, for a removed one."""
    change: Change
    before: str | None = None
    """Its path at the merge base, if that was another one."""
    added: int | None = None
    removed: int | None = None
    """Lines; None for what is not text."""
    size: int = 0
    """Bytes at the head; 0 for a removed one."""
    special: Literal["", "binary", "submodule", "link", "lfs"] = ""
    """What keeps its content from being read as text."""


@dataclass(frozen=True, slots=True)
class Gap:
    """What of a pull request is not known, and what would settle it. Whole sentences, for product owners."""

    what: str
    settled_by: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A pull request at one head that host and mirror agreed on. Commits are full ids that the mirror has."""

    pull: PullRequest
    head: str
    base: str
    """The merge base of head and base branch: what the difference is taken from (three dots)."""
    files: tuple[ChangedFile, ...]
    """In the order of their paths; never more than the snapshot's limit, what is beyond it is in `gaps`."""
    labels: frozenset[str]
    """The repository's: who may read any of this."""
    locator: Locator
    says: tuple[str, ...] = ()
    """What it is, a sentence each: `It is a draft.`, `It was merged by one squashed commit.`"""
    gaps: tuple[Gap, ...] = ()
    deployed: bool | None = None
    """Of a merged one: whether what counts as released holds it; None: not told, or `standings` tell."""
    brought: str = ""
    """The commit by which it came into its base branch; empty: it is not merged, or nothing tells."""
    of_release: tuple[str, ...] = ()
    """Those of `says` and of what `gaps` tell that speak of what counts as released."""
    standings: tuple[Standing, ...] = ()
    """How it stands in the environments that an audience may know of."""

    @property
    def ref(self) -> PullRef:
        return self.pull.ref


@dataclass(frozen=True, slots=True)
class Found:
    """The pull requests of a ticket, for one audience."""

    snapshots: tuple[Snapshot, ...] = ()
    gaps: tuple[Gap, ...] = ()
    """Of those that could not be read, and of ways that could not be followed."""


class Host(Protocol):
    """One host of repositories, with a read token. `project` is what the host calls a repository (`acme/booking-api`).

    Raises SourceGone (404), SourceForbidden (401, 403), SourceUnavailable (429, 5xx, no connection), SourceError.
    """

    def pull(self, ref: PullRef, project: str) -> PullRequest: ...

    def with_text(self, repo: str, project: str, text: str) -> Sequence[PullRef]:
        """Pull requests whose title or source branch holds the text, newest first, a bounded number."""

    def with_commit(self, repo: str, project: str, commit: str) -> Sequence[PullRef]:
        """Pull requests that brought, or would bring, a commit."""

    def in_address(self, address: str, projects: Mapping[str, str]) -> PullRef | None:
        """What an address points to, if it is a pull request of this very host in one of `projects`
        (repository's name -> project). No I/O, whatever the address is.
        """

    def head_ref(self, number: int) -> str:
        """The ref that the host keeps for the head: `refs/pull/7/head`; empty where it keeps none."""

    def page(self, project: str, commit: str, path: str, line: int | None) -> str:
        """Address of a file's page at a commit. No I/O."""


class Pulls(Protocol):
    """All that a review reads of pull requests. Evidence has kind `pull`, route `read`, the document id of its pull
    request, and a locator that opens the file at the head (or base) commit and line.

    The reading methods raise CoreError; BadQuery for a path that is not in the tree, or a text too short to look for.
    What is cut short ends with a sentence in square brackets that says so.
    """

    def of_ticket(self, ticket: Ticket, audience: Audience) -> Found:
        """Find and fetch. Never raises for what a source does: that is a gap."""

    def overview(self, snapshot: Snapshot) -> Evidence:
        """Title, description, state, and every changed file with its size and lines."""

    def difference(self, snapshot: Snapshot, path: str) -> tuple[Evidence, ...]:
        """The difference of one changed file, in pieces by hunk."""

    def file(self, snapshot: Snapshot, path: str, side: Side, first: int = 1, last: int | None = None) -> Evidence:
        """Lines of a file at the head or the merge base."""

    def grep(self, snapshot: Snapshot, text: str, glob: str | None = None) -> tuple[Evidence, ...]:
        """Where a literal text stands at the head, a piece a file, the changed files first."""

    def symbol(self, snapshot: Snapshot, name: str) -> tuple[Evidence, ...]:
        """Where a function, class or constant is defined at the head."""

    def changed_symbols(self, snapshot: Snapshot) -> tuple[str, ...]:
        """Names of what the changed lines define or belong to."""
