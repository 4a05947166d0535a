"""Reads what differs between two states of a repository, and makes documents of it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from core.connectors.git_documents import Documents, Line
from core.connectors.git_files import LARGEST
from core.connectors.git_listing import Contents, Side
from core.connectors.git_renames import present_names
from core.connectors.git_state import State
from core.mirror import Commit, Entry, Mirror
from core.types import Document

_DATED = 10_000  # commits of the first-parent line that files are dated by
_EARLY = datetime.fromtimestamp(0, UTC)


class Reader:
    """`documents` makes what it reads in the mirror."""

    def __init__(self, mirror: Mirror, documents: Documents) -> None:
        self._mirror = mirror
        self._documents = documents

    def changes(self, state: State, now: Contents, before: Contents, since: str | None) -> Iterator[Document]:
        """The documents of `now`, which is what `state` has, that are new or other than `before`; `since` is the
        baseline's commit of that time.
        """
        if state.commit is None:
            return
        baseline = Line(state.baseline)
        yield from self._baseline_files(baseline, state.commit, _differing(now.files, before.files), since)
        commits = self._baseline_commits(now.commits, before.commits, since)
        yield from self._commit_documents(baseline, commits)
        for name, side in now.sides.items():
            yield from self._side(side, before.sides.get(name) or Side(side.branch))

    def _baseline_files(
        self, line: Line, commit: str, entries: Sequence[Entry], since: str | None
    ) -> Iterator[Document]:
        """A file that none of the commits looked at wrote is older than the oldest of them, whose date it gets."""
        if not entries:
            return
        dates = self._mirror.written(commit, since=since, limit=_DATED)
        if since and any(entry.path not in dates for entry in entries):
            dates = self._mirror.written(commit, since=None, limit=_DATED)
        yield from self._files(line, entries, dates, min(dates.values(), default=_EARLY))

    def _side(self, side: Side, before: Side) -> Iterator[Document]:
        line = Line(side.branch.name, development=True)
        entries = _differing(side.files, before.files)
        removed = sorted(side.removed - before.removed)
        if entries or removed:
            dates = self._mirror.written(side.branch.head, since=side.branch.base, limit=_DATED)
            latest = max(dates.values(), default=_EARLY)
            yield from self._files(line, entries, dates, latest)
            yield from (self._documents.removed(line, path, dates.get(path, latest)) for path in removed)
        if (side.branch.head, side.commits) != (before.branch.head, before.commits):
            yield from self._commit_documents(line, self._mirror.commits(side.commits))

    def _files(
        self, line: Line, entries: Sequence[Entry], dates: Mapping[str, datetime], otherwise: datetime
    ) -> Iterator[Document]:
        contents = self._mirror.blobs(entry for entry in entries if entry.size <= LARGEST)
        for entry in entries:
            content = next(contents) if entry.size <= LARGEST else None
            yield self._documents.file(line, entry, content, dates.get(entry.path, otherwise))

    def _baseline_commits(self, now: Sequence[str], before: Sequence[str], since: str | None) -> list[Commit]:
        """The new commits; all of them when what older ones touched may have another name now."""
        known = set(before)
        commits = self._mirror.commits([commit for commit in now if commit not in known])
        straight = since is None or since in now
        if not known or (straight and not any(len(c.parents) > 1 or _renames(c) for c in commits)):
            return commits
        return self._mirror.commits(now)

    def _commit_documents(self, line: Line, commits: Sequence[Commit]) -> Iterator[Document]:
        for commit, names in zip(commits, present_names(commits), strict=True):
            yield self._documents.commit(line, commit, names)


def _renames(commit: Commit) -> bool:
    return any(touch.before is not None for touch in commit.touches)


def _differing(now: Mapping[str, Entry], before: Mapping[str, Entry]) -> list[Entry]:
    return [entry for path, entry in now.items() if before.get(path) != entry]
