"""How a review reads pull requests: within its audience, and with what was not examined said."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.pulls.difference import how_far
from core.pulls.standings import told_of
from core.pulls.types import Gap, Pulls, Side, Snapshot
from core.pulls.wording import counted, listed
from core.tickets import Ticket
from core.types import Audience, Evidence
from review.discussion import Say, silent
from review.types import PullSeen, Unknown

Enter = Callable[[Sequence[Evidence]], tuple[Evidence, ...]]
"""Enters in the register what the audience may read, and returns that."""


class PullReading:
    """The pull requests of one review's ticket. Tools may read from several threads. All reading raises CoreError."""

    def __init__(self, pulls: Pulls, audience: Audience, enter: Enter, say: Say = silent) -> None:
        self._pulls = pulls
        self._audience = audience
        self._enter = enter
        self._say = say
        self._differences: dict[tuple[str, str], tuple[Evidence, ...]] = {}
        self._lock = threading.Lock()
        self.snapshots: tuple[Snapshot, ...] = ()
        self.all_read = True
        """Whether nothing is known of, or may be there, beside the snapshots."""

    def find(self, ticket: Ticket, closed: frozenset[str]) -> list[Unknown]:
        """Take the snapshots, but for documents in `closed`, and enter each one's overview and where it runs. What is
        not known of them is returned.
        """
        found = self._pulls.of_ticket(ticket, self._audience)
        self.all_read = not found.gaps
        unknowns = [_unknown(gap) for gap in found.gaps]
        self.snapshots = tuple(
            self._open(one, closed)
            for one in found.snapshots
            if self._audience.may_read(one.labels) and one.ref.document_id not in closed
        )
        for snapshot in self.snapshots:
            self._say(f"Reading pull request {_which(snapshot)}")
            unknowns += [_unknown(gap, f"{_name(snapshot)}: ") for gap in snapshot.gaps]
            self._enter((self._pulls.overview(snapshot), *(one.evidence for one in snapshot.standings)))
        return unknowns

    def _open(self, snapshot: Snapshot, closed: frozenset[str]) -> Snapshot:
        """Without what is told of environments that this audience may not know of."""
        every = snapshot.standings
        left = (one for one in every if self._audience.may_read(one.labels) and one.locator.document_id not in closed)
        return replace(snapshot, standings=tuple(left)) if every else snapshot

    def difference(self, snapshot: Snapshot, path: str) -> tuple[Evidence, ...]:
        """The difference of one file, read once however many ask for it."""
        key = (snapshot.ref.document_id, path)
        with self._lock:
            known = self._differences.get(key)
        if known is None:
            known = self._enter(self._pulls.difference(snapshot, path))
            with self._lock:
                self._differences[key] = known
        return known

    def file(
        self, snapshot: Snapshot, path: str, side: Side, first: int = 1, last: int | None = None
    ) -> tuple[Evidence, ...]:
        """Lines of a file at the head or the merge base."""
        return self._enter((self._pulls.file(snapshot, path, side, first, last),))

    def grep(self, snapshot: Snapshot, text: str, glob: str | None = None) -> tuple[Evidence, ...]:
        """Where a text stands at the head."""
        return self._enter(self._pulls.grep(snapshot, text, glob))

    def symbol(self, snapshot: Snapshot, name: str) -> tuple[Evidence, ...]:
        """Where a name is defined at the head."""
        return self._enter(self._pulls.symbol(snapshot, name))

    def changed_symbols(self, snapshot: Snapshot) -> tuple[str, ...]:
        """Names of what is changed."""
        return self._pulls.changed_symbols(snapshot)

    def seen(self) -> tuple[PullSeen, ...]:
        """What each was and how much of it was read."""
        return tuple(
            PullSeen(one.locator, one.labels, one.head, (*one.says, *told_of(one), _how_much(one, self._read(one))))
            for one in self.snapshots
        )

    def environments(self) -> frozenset[str]:
        """Ids of what is told of environments."""
        return frozenset(one.locator.document_id for snapshot in self.snapshots for one in snapshot.standings)

    def unexamined(self) -> Iterator[Unknown]:
        """The changed files that nobody looked into, or not to their ends. Of what is not text, the snapshot tells."""
        for snapshot in self.snapshots:
            read = self._read(snapshot)
            text = [file.path for file in snapshot.files if not file.special]
            for left, how in (
                ([path for path in text if read.get(path, "not") == "not"], "not examined"),
                ([path for path in text if read.get(path) == "partly"], "examined only in part"),
            ):
                if left:
                    yield Unknown(
                        f"{_name(snapshot)}: {counted(len(left), 'changed file')} of {len(snapshot.files):,} "
                        f"{'was' if len(left) == 1 else 'were'} {how}: {listed(left)}.",
                        "Reading the pull request itself.",
                    )

    def _read(self, snapshot: Snapshot) -> dict[str, str]:
        """The paths whose difference was asked for, and how far it was examined."""
        with self._lock:
            known = {path: found for (pull, path), found in self._differences.items() if pull == _id(snapshot)}
        return {path: how_far(found) for path, found in known.items()}


def _name(snapshot: Snapshot) -> str:
    return f"Pull request {_which(snapshot)}"


def _which(snapshot: Snapshot) -> str:
    return f"{snapshot.ref.number} of {snapshot.ref.repo}"


def _unknown(gap: Gap, of: str = "") -> Unknown:
    return Unknown(f"{of}{gap.what}", gap.settled_by)


def _id(snapshot: Snapshot) -> str:
    return snapshot.ref.document_id


def _how_much(snapshot: Snapshot, read: Mapping[str, str]) -> str:
    if not snapshot.files:
        return "No changed file."
    whole, partly = (sum(read.get(file.path) == how for file in snapshot.files) for how in ("wholly", "partly"))
    in_part = f", {partly} in part" if partly else ""
    return f"{counted(len(snapshot.files), 'changed file')}, {whole} of them examined{in_part}."
