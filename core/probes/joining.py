"""What runs joined with Git: whether a piece of work is in it, and what stands between."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.probes.resolving import Resolved, resolved
from core.probes.standing import Between, Contained, Missing
from core.probes.types import Running, Seen
from core.probes.work import Tracked, Work, is_merged, keys_of
from core.pulls.wording import named, short

_COUNTED = 1_000  # commits between, beyond which it is only said that there are more
_SHOWN = 5  # of these, the newest
_COPIES = 5  # commits of a piece of work whose copies are looked for
_BACK = 8  # earlier versions that are compared


@dataclass(frozen=True, slots=True)
class Part:
    """Some instances of an environment, and the work."""

    running: Running
    resolved: Resolved
    contained: Contained
    between: Between | None = None
    notes: tuple[str, ...] = ()
    """Sentences: a copy is there, a part is missing."""
    settled_by: str = ""


@dataclass(frozen=True, slots=True)
class Past:
    """What was seen there before, of a part."""

    first: Seen | None = None
    """Of the versions that had the work without a break until now, the first."""
    left: Seen | None = None
    """Of those before that had work which is not there now, the last."""
    notes: tuple[str, ...] = ()
    """A rollback, another line of work."""


@dataclass(frozen=True, slots=True)
class _Held:
    """What of a piece of work a commit has in its past."""

    contained: Contained
    between: Between | None = None
    notes: tuple[str, ...] = ()
    settled_by: str = ""


class Joining:
    """For one probe and one question. All reading raises SourceError."""

    def __init__(self, tracked: Tracked, work: Work, environment: str) -> None:
        self._tracked = tracked
        self._mirror = tracked.mirror
        self._work = work
        self._environment = environment
        self._resolved = lru_cache(maxsize=None)(self._resolve)  # of one question: it ends with it
        self._has = lru_cache(maxsize=None)(self._is_wholly_in)

    def part(self, running: Running) -> Part:
        """Whether the work is in what these instances run."""
        found = self._resolved(running.version, running.commit)
        if not found.commit:
            return Part(running, found, "unknown", settled_by=found.settled_by)
        held = self._held(found.commit)
        return Part(running, found, held.contained, held.between, held.notes, held.settled_by)

    def past(self, part: Part, earlier: Sequence[Seen]) -> Past:
        """What earlier readings tell of it; `earlier` is newest first."""
        now = next((one for one in earlier if _is_of(one, part.running)), None)
        before = [one for one in earlier if now and one.first < now.first and not _is_of(one, part.running)][:_BACK]
        notes = self._back(part.resolved.commit, before)
        if part.contained == "yes":
            first = now
            for one in before:
                if not self._had(one):
                    break
                first = one
            return Past(first, notes=notes)
        left = next((one for one in before if self._had(one)), None) if part.contained == "no" else None
        return Past(left=left, notes=notes)

    def _resolve(self, version: str, commit: str) -> Resolved:
        return resolved(self._mirror, version, commit, self._environment)

    def _had(self, seen: Seen) -> bool:
        commit = self._resolved(seen.version, seen.commit).commit
        return bool(commit) and self._has(commit)

    def _is_wholly_in(self, commit: str) -> bool:
        return all(self._mirror.is_ancestor(one, commit) for one in self._work.commits)

    def _back(self, commit: str, before: Sequence[Seen]) -> tuple[str, ...]:
        """Whether this is older than what ran there before, or of another line."""
        commits = [(one, self._resolved(one.version, one.commit).commit) for one in before]
        known = [(one, then) for one, then in commits if then and then != commit]
        if not commit or not known:
            return ()
        for one, then in known:
            if self._mirror.is_ancestor(commit, then):
                what = named(one.version or short(one.commit))
                until = f"until {one.last:%Y-%m-%d %H:%M} UTC"
                return (f"{self._environment} was set back: {what}, which is newer, was seen there {until}.",)
        one, then = known[0]
        if self._mirror.is_ancestor(then, commit):
            return ()
        what = named(one.version or short(one.commit))
        return (f"What was seen there before, {what}, is not a part of it: it comes from another line of work.",)

    def _held(self, running: str) -> _Held:
        commits = self._work.commits
        ahead = self._mirror.ahead(commits, running, _COUNTED + 1)
        missing = tuple(one for one in commits if one in ahead)
        if len(ahead) > _COUNTED:  # the list was cut, and those asked for may be beyond
            missing = tuple(one for one in commits if not self._mirror.is_ancestor(one, running))
        copies = {one: copy for one in missing[:_COPIES] if (copy := self._mirror.copy_of(one, running))}
        missing = tuple(one for one in missing if one not in copies)
        notes = (*self._copied(tuple(copies.values())), *self._undone(running))
        if not missing:
            return _Held("yes", notes=notes)
        between = self._between(ahead)
        if len(missing) < len(commits):
            left = f"{len(missing)} of its {len(commits)} commits {'is' if len(missing) == 1 else 'are'} not there."
            return _Held("partly", between, (left, *notes))
        return self._alike(missing, running) or _Held("no", between)

    def _copied(self, copies: Sequence[str]) -> Iterator[str]:
        if copies:
            more = f" and {len(copies) - 1} more" if len(copies) > 1 else ""
            yield f"It is there as a commit with the same changes: {self._commit(copies[0])}{more}."

    def _undone(self, running: str) -> Iterator[str]:
        """What is there may have been taken back since."""
        for one in self._work.commits[-_COPIES:]:
            reverting = self._mirror.undone_by(one, running) if self._mirror.is_ancestor(one, running) else None
            if reverting:
                yield f"A later commit there undoes it: {self._commit(reverting)}."

    def _commit(self, commit: str) -> str:
        return f"{short(commit)} “{named(self._mirror.commits([commit])[0].subject)}”"

    def _alike(self, missing: Sequence[str], running: str) -> _Held | None:
        """Work that was never merged as it is may have come by another commit, which names the same ticket."""
        if self._work.ticket or len(missing) > 1 or is_merged(self._tracked, missing[0]):
            return None
        for key in keys_of(self._mirror.commits(missing)[0].message):
            others = [one for one in self._mirror.commits_saying(key, _COPIES) if one != missing[0]]
            there = next((one for one in others if self._mirror.is_ancestor(one, running)), None)
            if there:
                note = f"That commit is not there, but one that names {key} too is: {self._commit(there)}."
                return _Held("unknown", notes=(note,), settled_by="Somebody who compares the two commits.")
        return None

    def _between(self, ahead: dict[str, tuple[str, ...]]) -> Between:
        own = [one for one, parents in ahead.items() if len(parents) < 2] or list(ahead)
        shown = self._mirror.commits(own[:_SHOWN])
        commits = (
            Missing(one.id, named(one.subject), keys_of(one.message), self._tracked.page(one.id)) for one in shown
        )
        return Between(min(len(own), _COUNTED), tuple(commits), more=len(ahead) > _COUNTED)


def _is_of(seen: Seen, running: Running) -> bool:
    return (seen.version, seen.commit) == (running.version, running.commit)
