"""The pull requests of tickets: found, taken as snapshots, and read."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Protocol

from core.pulls.finding import Candidate, Finder
from core.pulls.reader import Reader
from core.pulls.repository import Repository
from core.pulls.standings import Stands, standing
from core.pulls.types import Found, Gap, PullRef, Side, Snapshot
from core.pulls.wording import named
from core.tickets import Ticket
from core.types import Audience, Evidence

_MOST = 8  # pull requests of one ticket that are read
_SECONDS = 180.0


class Takes(Protocol):
    """Takes snapshots, and never raises for what a source does: then it tells of a gap."""

    def take(self, ref: PullRef) -> Snapshot | tuple[Gap, ...]: ...


class RepositoryPulls:
    """`core.pulls.types.Pulls` over the repositories of the settings.

    `projects` are the keys of the projects whose tickets may be looked for by name. No search is begun and no snapshot
    is taken once a ticket has cost so many `seconds`; what has begun then has its own limits.
    """

    def __init__(
        self,
        repositories: Sequence[Repository],
        snapshots: Takes,
        reader: Reader,
        projects: Collection[str],
        *,
        most: int = _MOST,
        seconds: float = _SECONDS,
        clock: Callable[[], float] = time.monotonic,
        deployments: Stands | None = None,
    ) -> None:
        self._finder = Finder(repositories, projects, most=most, clock=clock)
        self._labels = {repository.name: repository.labels for repository in repositories}
        self._snapshots = snapshots
        self._reader = reader
        self._seconds = seconds
        self._clock = clock
        self._deployments = deployments

    def of_ticket(self, ticket: Ticket, audience: Audience) -> Found:
        seen = ticket.seen_by(audience)
        if seen is None:
            return Found()
        until = self._clock() + self._seconds
        candidates = self._finder.find(seen, audience, until)
        snapshots: list[Snapshot] = []
        gaps = list(candidates.gaps)
        for at, candidate in enumerate(candidates.found):
            if self._clock() > until:
                gaps.append(_out_of_time(candidates.found[at:]))
                break
            taken = self._snapshots.take(candidate.ref)
            if isinstance(taken, Snapshot):
                snapshots.append(_told(taken, candidate))
            else:
                gaps += taken
        return Found(self._standing(snapshots, audience), tuple(gaps))

    def of_ref(self, ref: PullRef, audience: Audience) -> Found:
        """One by its number. Nothing, and no gap, where the audience may not read its repository."""
        if not audience.may_read(self._labels.get(ref.repo, frozenset())):
            return Found()
        taken = self._snapshots.take(ref)
        return Found(self._standing([taken], audience)) if isinstance(taken, Snapshot) else Found(gaps=taken)

    def _standing(self, snapshots: Sequence[Snapshot], audience: Audience) -> tuple[Snapshot, ...]:
        """With how they stand in environments, as far as this audience may know of any."""
        return standing(snapshots, self._deployments, audience) if self._deployments and snapshots else tuple(snapshots)

    def overview(self, snapshot: Snapshot) -> Evidence:
        return self._reader.overview(snapshot)

    def difference(self, snapshot: Snapshot, path: str) -> tuple[Evidence, ...]:
        return self._reader.difference(snapshot, path)

    def file(self, snapshot: Snapshot, path: str, side: Side, first: int = 1, last: int | None = None) -> Evidence:
        return self._reader.file(snapshot, path, side, first, last)

    def grep(self, snapshot: Snapshot, text: str, glob: str | None = None) -> tuple[Evidence, ...]:
        return self._reader.grep(snapshot, text, glob)

    def symbol(self, snapshot: Snapshot, name: str) -> tuple[Evidence, ...]:
        return self._reader.symbol(snapshot, name)

    def changed_symbols(self, snapshot: Snapshot) -> tuple[str, ...]:
        return self._reader.changed_symbols(snapshot)


def _told(snapshot: Snapshot, candidate: Candidate) -> Snapshot:
    """The snapshot with how it was found, and what of it is an assumption."""
    says = (*snapshot.says, f"It was found by {', '.join(candidate.ways)}.")
    if not snapshot.pull.base_assumed:
        return replace(snapshot, says=says)
    base = f"{named(snapshot.pull.base_branch)}, the baseline branch"
    what = "Its base branch is not established, for no host was asked: "
    if snapshot.pull.state == "merged":
        what += f"it counts as merged, for {base}, holds it."
    else:
        what += f"it was compared with {base}. Whether it is open, merged or closed is not known."
    gap = Gap(what, "An administrator, who can add the repository's host to the settings.")
    return replace(snapshot, says=says, gaps=(*snapshot.gaps, gap))


def _out_of_time(left: Sequence[Candidate]) -> Gap:
    listed = ", ".join(f"{it.ref.repo} {it.ref.number}" for it in left)
    return Gap(f"The time was over before these pull requests were read: {listed}.", "Asking again later.")
