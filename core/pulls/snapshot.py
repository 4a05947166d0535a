"""Snapshots of pull requests: fetched, and asked for again, until host and mirror agree on the head."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

import structlog

from core.errors import SourceError, SourceForbidden, SourceGone
from core.mirror import Mirror
from core.pulls.files import changed_files, told
from core.pulls.merged import Ground, ground, squashed
from core.pulls.repository import Repository
from core.pulls.types import Gap, PullRef, PullRequest, Snapshot
from core.pulls.wording import counted, named, short
from core.types import Locator

_ROUNDS = 4  # fetches until host and mirror must agree
_PAUSE = 1.0  # seconds before the second fetch, doubled each time
_MOST_FILES = 300
_SECONDS = 120.0  # of one fetch
_AUTHOR = "Its author."
_AGAIN = "Asking again later."
_RESTORED = "Its author, who can push its commits again."

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Notes:
    says: list[str] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)


class _Unread(Exception):
    """There is a gap instead of a snapshot."""

    def __init__(self, what: str, settled_by: str) -> None:
        super().__init__(what)
        self.gap = Gap(what, settled_by)


class Snapshots:
    """Takes snapshots in the mirrors of `repositories`, which are given by their names."""

    def __init__(
        self,
        repositories: Mapping[str, Repository],
        *,
        sleep: Callable[[float], None] = time.sleep,
        rounds: int = _ROUNDS,
        most_files: int = _MOST_FILES,
    ) -> None:
        self._repositories = repositories
        self._sleep = sleep
        self._rounds = rounds
        self._most_files = most_files

    def take(self, ref: PullRef) -> Snapshot | tuple[Gap, ...]:
        """The pull request at its head, or why there is none. Never raises for what a host or a repository does."""
        repository = self._repositories.get(ref.repo)
        if repository is None:
            what = f"Pull request {ref.number} is of a repository that is not set up here, so it was not read."
            return (Gap(what, "An administrator, who can add the repository to the settings."),)
        try:
            return self._taken(repository, ref)
        except _Unread as unread:
            return (unread.gap,)
        except SourceError as error:
            log.warning("pull request not read", pull=ref.document_id, reason=str(error))
            return (_failed(ref, error),)

    def _taken(self, repository: Repository, ref: PullRef) -> Snapshot:
        notes = _Notes()
        before = repository.mirror.fetched_pull(ref.number)
        pull, head = self._agreed(repository, ref)
        if head is None:
            found = squashed(repository.mirror, pull)
            if found is None:
                whose = "its source repository is gone" if pull.fork_gone else "its commits are not there any more"
                raise _Unread(f"{_name(ref)} was not read: {whose}.", _RESTORED)
        else:
            _moved(repository.mirror, before, head, notes)
            found = _grounded(repository, pull, head)
        return self._made(repository, pull, found, notes)

    def _agreed(self, repository: Repository, ref: PullRef) -> tuple[PullRequest, str | None]:
        """The pull request and its head, which the mirror has; None for a head that cannot be had any more."""
        pull = repository.host.pull(ref, repository.project)
        for turn in range(self._rounds):
            if turn:
                self._sleep(_PAUSE * 2 ** (turn - 1))
            fetched, before = _fetched(repository, pull), pull.head
            pull = repository.host.pull(ref, repository.project)
            if pull.head == (fetched or before):
                return pull, fetched
        raise _Unread(f"{_name(ref)} was changed while it was being read, so it was not examined.", _AGAIN)

    def _made(self, repository: Repository, pull: PullRequest, found: Ground, notes: _Notes) -> Snapshot:
        mirror = repository.mirror
        _told_of_state(repository, pull, found, notes)
        differences = mirror.differences(found.base, found.head)
        kept = differences[: self._most_files]
        files = changed_files(mirror, kept)
        says, gaps = told(mirror, kept, files)
        notes.says += says
        notes.gaps += gaps
        _told_of_extent(pull, len(differences), len(files), notes)
        deployed, release = _deployed(repository, pull, found)
        notes.says += release.says
        notes.gaps += release.gaps
        if pull.updated is None:
            pull = replace(pull, updated=mirror.commits([found.head])[0].committed)
        title = f"Pull request {pull.ref.number} of {repository.name}"
        return Snapshot(
            pull=pull,
            head=found.head,
            base=found.base,
            files=files,
            labels=repository.labels,
            locator=Locator(pull.ref.document_id, f"{title}: {named(pull.title)}", pull.url),
            says=tuple(notes.says),
            gaps=tuple(notes.gaps),
            deployed=deployed,
            brought=(found.brought or "") if pull.state == "merged" else "",
            of_release=(*release.says, *(gap.what for gap in release.gaps)),
        )


def _fetched(repository: Repository, pull: PullRequest) -> str | None:
    """The head that was fetched. Where the host keeps no ref for it (any more), the commit that it says, by its id or
    from its branch; None if that is not to be had.
    """
    mirror, number = repository.mirror, pull.ref.number
    for source in (repository.host.head_ref(number), pull.head):
        if source:
            try:
                return mirror.fetch_pull(number, source, seconds=_SECONDS)
            except SourceGone:
                continue
    mirror.fetch(default_branch=False, seconds=_SECONDS)
    return pull.head if mirror.has(pull.head) else None


def _moved(mirror: Mirror, before: str | None, head: str, notes: _Notes) -> None:
    if before and before != head and not (mirror.has(before) and mirror.is_ancestor(before, head)):
        notes.says.append(
            f"It was force-pushed since it was last read here: commit {short(before)} is no longer a part of it, and "
            f"what was said of that does not hold for {short(head)}."
        )


def _grounded(repository: Repository, pull: PullRequest, head: str) -> Ground:
    name = _name(pull.ref)
    tips = {tip.name: tip.commit for tip in repository.mirror.branches()}
    tip = tips.get(pull.base_branch)
    found = ground(repository.mirror, pull, head, tip)
    if found:
        return found
    if not pull.base_branch:
        raise _Unread(
            f"No base branch is established for {name}, so what it changes is not known.",
            f"{_AUTHOR} The branch that it is to be merged into must be named.",
        )
    branch = named(pull.base_branch)
    if tip is None:
        raise _Unread(
            f"{name} is to be merged into {branch}, which {repository.name} does not have (any more); the branch may "
            "have been renamed. So what it changes is not known.",
            f"{_AUTHOR} A base branch that exists must be named.",
        )
    if repository.mirror.shallow:
        raise _Unread(
            f"The history of {repository.name} is cut short, and {name} began before that. So what it changes is not "
            "known.",
            "An administrator, who can let the repository be read with its whole history.",
        )
    raise _Unread(
        f"{name} has no history in common with {branch}, so what it changes is not known.",
        f"{_AUTHOR} It may have been made from another repository.",
    )


def _told_of_state(repository: Repository, pull: PullRequest, found: Ground, notes: _Notes) -> None:
    says = {"draft": "It is a draft.", "closed": "It was closed without being merged."}
    if pull.state in says:
        notes.says.append(says[pull.state])
    if found.says:
        notes.says.append(found.says)
    if found.doubt:
        notes.gaps.append(Gap(found.doubt, _AUTHOR))
    if pull.fork_gone:
        notes.says.append("The repository that it comes from is gone. It was read from what its host keeps of it.")
    baseline = repository.baseline or repository.mirror.default_branch()
    if pull.base_branch and pull.base_branch != baseline:
        notes.says.append(
            f"Its base is {named(pull.base_branch)}, not the baseline branch {named(baseline)}: it may build on "
            "another change that is not finished."
        )


def _told_of_extent(pull: PullRequest, there: int, kept: int, notes: _Notes) -> None:
    if not there:
        what = f"It changes nothing: its head holds the same files as its base in {named(pull.base_branch)}."
        notes.gaps.append(Gap(what, f"{_AUTHOR} Commits may be missing."))
    if there > kept:
        what = (
            f"It changes {there:,} files. Only the first {kept:,} were looked at, the other {there - kept:,} were not."
        )
        notes.gaps.append(Gap(what, "Somebody who reads the others, or smaller pull requests."))
    if pull.changed_files is not None and pull.changed_files != there:
        what = (
            f"Its host counts {counted(pull.changed_files, 'changed file')}, its history here holds {there:,}. "
            "Something may be missing."
        )
        notes.gaps.append(Gap(what, "Somebody who compares the list of files with the host's."))


def _deployed(repository: Repository, pull: PullRequest, found: Ground) -> tuple[bool | None, _Notes]:
    """Whether the branch, or one of the tags, that counts as released holds what was merged, and what to say."""
    released, notes = repository.released, _Notes()
    if pull.state != "merged" or not released:
        return None, notes
    branch = f"refs/heads/{released}"
    refs = repository.mirror.refs()
    is_release = branch.__eq__ if branch in refs else lambda ref: fnmatchcase(ref, f"refs/tags/{released}")
    if not any(map(is_release, refs)):
        what = f"Whether it is deployed is not known: {repository.name} has no branch or tag called {named(released)}."
        notes.gaps.append(Gap(what, "An administrator, who can say in the settings what counts as released."))
        return None, notes
    if any(map(is_release, repository.mirror.refs(holding=found.brought or found.head))):
        notes.says.append(f"It is in what counts as released: {named(released)}.")
        return True, notes
    if found.brought:
        notes.says.append(f"It is not in what counts as released: {named(released)}.")
        return False, notes
    what = "Whether it is deployed is not known: nothing tells by which commit it was merged."
    notes.gaps.append(Gap(what, "Somebody who knows what was released."))
    return None, notes


def _failed(ref: PullRef, error: SourceError) -> Gap:
    """Without the words of the error, which are for administrators."""
    name = _name(ref)
    if isinstance(error, SourceForbidden):
        what = f"{name} was not read: the account that reads may not see it."
        return Gap(what, "An administrator, who can give the account that reads access to it.")
    if isinstance(error, SourceGone):
        what = f"{name} was not read: its host does not have it, or does not show it to the account that reads."
        return Gap(what, "Its author, or an administrator, who can see whether that account may read the repository.")
    return Gap(f"{name} was not read: its host did not answer in time, or not as it should.", _AGAIN)


def _name(ref: PullRef) -> str:
    return f"Pull request {ref.number} of {ref.repo}"
