"""What Git says of migration files: which commits brought and changed each, and for which tickets."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from core.keys import parse
from core.mirror import Commit, Mirror

_MOST = 20_000
"""Commits that touched the folder."""
_AT_ONCE = 500
_FOLLOWED = 3
"""Times that files are followed to the folder they were moved from."""
_TICKETS = 20


@dataclass(frozen=True, slots=True)
class Written:
    """One commit that wrote a file."""

    commit: str
    parent: str
    """Empty for the first commit of all."""
    at: datetime
    tickets: tuple[str, ...]
    before: str
    """What the file was called until then."""


@dataclass(slots=True)
class Past:
    """Of one file, newest first; the last brought it."""

    written: list[Written] = field(default_factory=list)
    whole: bool = False
    """The last one did bring it: the history reaches that far."""

    @property
    def commit(self) -> str:
        """The one that brought the file."""
        return self.written[-1].commit if self.whole else ""

    @property
    def tickets(self) -> tuple[str, ...]:
        """Named by the commits that brought and changed it, oldest first."""
        return tuple(dict.fromkeys(key for one in reversed(self.written) for key in one.tickets))[:_TICKETS]

    @property
    def changes(self) -> Sequence[Written]:
        """Those after the one that brought it."""
        return self.written[:-1] if self.whole else self.written


def pasts(mirror: Mirror, commit: str, folder: str, paths: Sequence[str]) -> dict[str, Past]:
    """Of these files, from a commit back. Raises SourceGone and SourceUnavailable."""
    roots = {folder} if folder else set()
    for _ in range(_FOLLOWED):
        commits = _commits(mirror, commit, sorted(roots))
        found, moved = _walk(commits, paths)
        new = {path.rpartition("/")[0] for path in moved} - {""}
        new = {path for path in new if roots and not any(f"{path}/".startswith(f"{root}/") for root in roots)}
        if not new:
            break
        roots |= new
    return found


def _commits(mirror: Mirror, commit: str, roots: Sequence[str]) -> list[Commit]:
    ids = mirror.history(commit, _MOST, roots)
    return [one for at in range(0, len(ids), _AT_ONCE) for one in mirror.commits(ids[at : at + _AT_ONCE])]


def _walk(commits: Sequence[Commit], paths: Sequence[str]) -> tuple[dict[str, Past], set[str]]:
    """The past of each file, followed through its names, and the names that were followed."""
    found = {path: Past() for path in paths}
    current = {path: path for path in paths}
    """What a file is called further back, and what it is called now."""
    moved: set[str] = set()
    for commit in commits:
        wanted = [touch for touch in commit.touches if touch.path in current]
        tickets = _tickets(commit.message) if wanted else ()
        parent = commit.parents[0] if commit.parents else ""
        for touch in wanted:
            past = found[current[touch.path]]
            before = touch.before or touch.path
            past.written.append(Written(commit.id, parent, commit.committed, tickets, before))
            if touch.new:
                name = current.pop(touch.path)
                past.whole = touch.before is None
                if touch.before is not None:
                    current[touch.before] = name
                    moved.add(touch.before)
    return found, moved


def _tickets(message: str) -> tuple[str, ...]:
    keys = parse(message).found
    return tuple(dict.fromkeys(key.text for key in keys if key.kind == "ticket" and key.certain))
