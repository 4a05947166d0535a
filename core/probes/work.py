"""A piece of work, as commits of one repository."""

from dataclasses import dataclass

from core.errors import SourceError
from core.mirror import Mirror
from core.pulls.wording import named, short
from core.tickets import KEY

_MOST = 30  # commits of a ticket that are looked at


@dataclass(frozen=True, slots=True)
class Tracked:
    """A repository whose commits environments run."""

    mirror: Mirror
    baseline: str = ""
    """Its baseline branch; empty: the one that the repository names its own."""
    commit_link: str = ""
    """Address of a commit's page with `{sha}`; empty: none."""

    def tip(self) -> str:
        """Raises SourceError."""
        return self.mirror.head(self.baseline or None)

    def page(self, commit: str) -> str:
        return self.commit_link.replace("{sha}", commit)


@dataclass(frozen=True, slots=True)
class Work:
    """What is looked for in environments."""

    name: str
    """As a sentence begins with it: `Pull request 7 of shop`."""
    commits: tuple[str, ...]
    """At least one, all of them in the mirror."""
    ticket: str = ""
    """The key that the commits were found by."""
    notes: tuple[str, ...] = ()


def baseline(repo: str, tracked: Tracked) -> Work:
    """All that the baseline branch has. Raises SourceError."""
    branch = tracked.baseline or tracked.mirror.default_branch()
    return Work(f"The newest state of {named(branch)} in {repo}", (tracked.tip(),))


def of_commit(repo: str, tracked: Tracked, text: str) -> Work | None:
    """One commit, by its id, whole or abbreviated; None where it is not there. Raises SourceError."""
    found = tracked.mirror.beginning(text)
    if not found:
        return None
    several = f"{len(found)} commits of {repo} begin with {named(text)}; this is of one of them."
    return Work(f"Commit {short(found[0])} of {repo}", found[:1], notes=(several,) if len(found) > 1 else ())


def of_ticket(repo: str, tracked: Tracked, key: str) -> Work | None:
    """The commits whose messages name a ticket: those that came into the baseline branch, or where none did, those of
    other branches. None where none names it. Raises SourceError.
    """
    every = tracked.mirror.commits_saying(key, _MOST)
    if not every:
        return None
    unmerged = set(tracked.mirror.ahead(every, tracked.tip(), 50_000)) & set(every)
    merged = tuple(one for one in every if one not in unmerged)
    name = f"The work of {key} in {repo}"
    if not merged:
        return Work(name, tuple(every), key, (f"No commit that names {key} has been merged in {repo}.",))
    left = len(every) - len(merged)
    said = "commits on other branches of {repo} name" if left > 1 else "commit on another branch of {repo} names"
    note = f"{left} further {said.format(repo=repo)} {key}." if left else ""
    return Work(name, merged, key, (note,) if note else ())


def is_merged(tracked: Tracked, commit: str) -> bool:
    """Whether the baseline branch has a commit; False where that cannot be told."""
    try:
        return tracked.mirror.is_ancestor(commit, tracked.tip())
    except SourceError:
        return False


def keys_of(message: str) -> tuple[str, ...]:
    """The tickets that a commit's message names."""
    return tuple(dict.fromkeys(KEY.findall(message)))
