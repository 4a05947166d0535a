"""Builders for pull requests, and a reader over a table of their changed lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.consumers import Use
from core.errors import BadQuery
from core.pulls.types import ChangedFile, Gap, PullRef, PullRequest, Side, Snapshot
from core.tickets import Ticket
from core.types import Evidence, Locator
from review.case import Case
from tests.review.cases import LABELS, START, case


def pull(
    number: int = 7,
    *,
    repo: str = "shop",
    state: str = "open",
    base: str = "main",
    files: Sequence[str | ChangedFile] = ("src/a.py",),
    deployed: bool | None = None,
    gaps: Sequence[str] = (),
    title: str = "Change something",
) -> Snapshot:
    ref = PullRef(repo, number)
    url = f"https://code.example/{repo}/pull/{number}"
    request = PullRequest(ref, title, "", url, state, "b" * 40, "feature/x", base)
    changed = tuple(file if isinstance(file, ChangedFile) else ChangedFile(file, "modified") for file in files)
    locator = Locator(ref.document_id, f"{repo} #{number}", url)
    told = tuple(Gap(gap, "A new try.") for gap in gaps)
    return Snapshot(request, request.head, "a" * 40, changed, LABELS, locator, gaps=told, deployed=deployed)


def piece(snapshot: Snapshot, text: str, *, at: str = "") -> Evidence:
    locator = replace(snapshot.locator, url=f"{snapshot.locator.url}#{at}")
    return Evidence(
        f"{snapshot.ref.document_id}:{at}",
        snapshot.ref.document_id,
        snapshot.ref.repo,
        "pull",
        text,
        at,
        locator,
        LABELS,
        START,
        1.0,
        "read",
    )


@dataclass
class Heads:
    """What stands at the heads: the changed lines by path, each file's other text, and the names that change."""

    lines: Mapping[str, str] = field(default_factory=dict)
    """By path, each line with its sign."""
    tree: str = ""
    symbols: Sequence[str] = ()
    given: list[Evidence] = field(default_factory=list)

    def difference(self, snapshot: Snapshot, path: str) -> tuple[Evidence, ...]:
        if path not in self.lines:
            raise BadQuery("no such file")
        return self._give(piece(snapshot, f"@@ -1,3 +1,3 @@\n{self.lines[path]}", at=path))

    def file(self, snapshot: Snapshot, path: str, side: Side, first: int = 1, last: int | None = None):
        return ()

    def grep(self, snapshot: Snapshot, text: str, glob: str | None = None) -> tuple[Evidence, ...]:
        everything = "\n".join([*self.lines.values(), self.tree])
        return self._give(piece(snapshot, everything, at="grep")) if text in everything else ()

    def symbol(self, snapshot: Snapshot, name: str) -> tuple[Evidence, ...]:
        return ()

    def changed_symbols(self, snapshot: Snapshot) -> tuple[str, ...]:
        return tuple(self.symbols)

    def _give(self, evidence: Evidence) -> tuple[Evidence, ...]:
        self.given.append(evidence)
        return (evidence,)


def use(repo: str, path: str, text: str, line: int = 4) -> Use:
    identity = f"git:{repo}:{path}"
    locator = Locator(identity, path, f"https://code.example/{repo}/{path}", None, line)
    evidence = Evidence(
        f"{identity}#0",
        identity,
        repo,
        "code",
        f"def other():\n    {text}\n",
        path,
        locator,
        LABELS,
        START,
        1.0,
        "exact",
    )
    return Use(repo, path, line, text, evidence)


def pulled(
    subject: Ticket,
    *snapshots: Snapshot,
    heads: Heads | None = None,
    evidence: Sequence[Evidence] = (),
    users: Mapping[str, Sequence[Use]] | None = None,
) -> Case:
    """A case of a ticket with pull requests."""
    known = users or {}
    return replace(
        case(subject, *evidence),
        snapshots=snapshots,
        read=heads or Heads(),
        users_of=lambda name, _changed: tuple(known.get(name, ())),
    )


def overviews(*snapshots: Snapshot) -> tuple[Evidence, ...]:
    """What a review has read of each before any rule looks."""
    return tuple(piece(snapshot, f"{snapshot.pull.title}\n{snapshot.pull.state}") for snapshot in snapshots)
