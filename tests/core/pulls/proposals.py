"""A repository with pull requests, and a host that tells of them as it is told to."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.errors import SourceGone
from core.mirror import Mirror
from core.pulls.reader import Reader
from core.pulls.repository import Repository
from core.pulls.snapshot import Snapshots
from core.pulls.types import Gap, PullRef, PullRequest, Snapshot
from tests.core.connectors.git_origin import Files, Origin

LABELS = frozenset({"repo:shop"})


class FakeHost:
    """Tells of the pull requests in `pulls`; of those in `next_heads`, with these heads first, one each time."""

    def __init__(self) -> None:
        self.pulls: dict[int, PullRequest] = {}
        self.next_heads: dict[int, list[str]] = {}
        self.error: Exception | None = None
        self.asked = 0
        self.keeps_refs = True

    def pull(self, ref: PullRef, project: str) -> PullRequest:
        assert project == "acme/shop"
        self.asked += 1
        if self.error:
            raise self.error
        if ref.number not in self.pulls:
            raise SourceGone("no such pull request")
        heads = self.next_heads.get(ref.number)
        return replace(self.pulls[ref.number], head=heads.pop(0)) if heads else self.pulls[ref.number]

    def with_text(self, repo: str, project: str, text: str) -> Sequence[PullRef]:
        return ()

    def with_commit(self, repo: str, project: str, commit: str) -> Sequence[PullRef]:
        return ()

    def in_address(self, address: str, projects: Mapping[str, str]) -> PullRef | None:
        return None

    def head_ref(self, number: int) -> str:
        return f"refs/pull/{number}/head" if self.keeps_refs else ""

    def page(self, project: str, commit: str, path: str, line: int | None) -> str:
        return f"https://git.example/{project}/blob/{commit}/{path}" + (f"#L{line}" if line else "")


class Proposals:
    """The repository `shop`, whose main branch begins with `files`."""

    def __init__(self, folder: Path, files: Files | None = None, **facts: str) -> None:
        self.origin = Origin(folder / "origin")
        self.first = self.origin.commit("First", files or {"README.md": "Shop\n"})
        self.host = FakeHost()
        self.mirror = Mirror(folder / "mirror", str(self.origin.folder), lock_seconds=0.3)
        self.repository = Repository(
            "shop", "acme/shop", LABELS, self.host, self.mirror, **{"baseline": "main", **facts}
        )
        self.pauses: list[float] = []
        self.snapshots = self.taking()
        self.reader = Reader({"shop": self.repository})

    def taking(self, **limits: int) -> Snapshots:
        return Snapshots({"shop": self.repository}, sleep=self.pauses.append, **limits)

    def propose(self, number: int = 7, head: str | None = None, **facts: object) -> PullRef:
        """The pull request whose head is the commit checked out now, or `head`."""
        head = head or self.origin.git("rev-parse", "HEAD")
        self.origin.git("update-ref", f"refs/pull/{number}/head", head)
        ref = PullRef("shop", number)
        made = PullRequest(
            ref, "Lock accounts", "As the ticket says.", "https://git.example/7", "open", head, "side", "main"
        )
        self.host.pulls[number] = replace(made, **facts)
        return ref

    def change(self, files: Files, message: str = "Change", branch: str = "side") -> str:
        """A commit on a branch that begins where the checkout is; the branch stays checked out."""
        self.origin.branch(branch)
        return self.origin.commit(message, files)

    def take(self, ref: PullRef) -> Snapshot:
        taken = self.snapshots.take(ref)
        assert isinstance(taken, Snapshot), taken
        return taken

    def gap(self, ref: PullRef) -> str:
        """Why there is no snapshot."""
        taken = self.snapshots.take(ref)
        assert not isinstance(taken, Snapshot)
        return said(taken)


def said(gaps: Sequence[Gap]) -> str:
    assert all(gap.what.endswith(".") and gap.settled_by.endswith(".") for gap in gaps)
    return " ".join(gap.what for gap in gaps)
