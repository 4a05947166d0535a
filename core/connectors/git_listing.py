"""Which documents a state of a repository has, without reading any of them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from core.connectors.git_files import Choice, chosen, holds_no_text, is_foreign
from core.connectors.git_state import Branch, State
from core.mirror import Entry, Mirror

_BRANCH_FILES = 2_000
_BRANCH_COMMITS = 500


@dataclass(frozen=True, slots=True)
class Side:
    """What a branch in development has that the baseline has not."""

    branch: Branch
    files: Mapping[str, Entry] = field(default_factory=dict)
    """Files that differ from the merge base, by path."""
    removed: frozenset[str] = frozenset()
    commits: tuple[str, ...] = ()
    """Newest first. One that is on several branches belongs to the first of them by name."""


@dataclass(frozen=True, slots=True)
class Contents:
    """All that is a document."""

    files: Mapping[str, Entry] = field(default_factory=dict)
    """Of the baseline, by path."""
    commits: tuple[str, ...] = ()
    """Of the baseline, newest first."""
    sides: Mapping[str, Side] = field(default_factory=dict)
    """By the branch's name."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many files are no documents, by reason."""


class Listing:
    """Lists the contents of states; parts that two states share are read once. `commits` is how many are wanted."""

    def __init__(self, mirror: Mirror, commits: int) -> None:
        self._mirror = mirror
        self._most_commits = commits
        self.contents = lru_cache(4)(self._contents)
        self._baseline = lru_cache(4)(self._chosen)
        self._history = lru_cache(4)(self._read_history)
        self._difference = lru_cache(64)(self._compare)

    def _contents(self, state: State, without: frozenset[Branch] = frozenset()) -> Contents:
        """Branches in `without` are left without their files."""
        if state.commit is None:
            return Contents()
        baseline = self._baseline(state.commit)
        left_out = Counter(baseline.left_out)
        sides = {}
        own = self._ahead(state.branches, state.commit)
        for branch in state.branches:
            if branch in without:
                sides[branch.name] = Side(branch, commits=own[branch.name])
                continue
            choice, removed = self._difference(branch.head, branch.base)
            sides[branch.name] = Side(branch, choice.files, removed, own[branch.name])
            left_out.update(choice.left_out)
        return Contents(baseline.files, self._history(state.commit), sides, left_out)

    def _chosen(self, commit: str) -> Choice:
        return chosen(self._mirror, self._mirror.files(commit))

    def _read_history(self, commit: str) -> tuple[str, ...]:
        return tuple(self._mirror.history(commit, self._most_commits))

    def _compare(self, head: str, base: str | None) -> tuple[Choice, frozenset[str]]:
        """The files that a branch wrote since its merge base, and those that it removed. A branch that has nothing in
        common with the baseline wrote all its files.
        """
        written, removed = self._mirror.changed(base, head) if base else (None, frozenset[str]())
        choice = chosen(self._mirror, self._mirror.files(head), written)
        gone = frozenset(path for path in removed if not is_foreign(path) and not holds_no_text(path))
        paths = sorted({*choice.files, *gone})
        beyond = set(paths[_BRANCH_FILES:])
        if not beyond:
            return choice, gone
        files = {path: entry for path, entry in choice.files.items() if path not in beyond}
        left_out = {**choice.left_out, "beyond the limit of a branch": len(beyond)}
        return Choice(files, left_out), gone - beyond

    def _ahead(self, branches: tuple[Branch, ...], baseline: str) -> dict[str, tuple[str, ...]]:
        """The commits of each branch that are not on the baseline."""
        if not branches or not self._most_commits:
            return {branch.name: () for branch in branches}
        heads = [branch.head for branch in branches]
        parents = self._mirror.ahead(heads, baseline, _BRANCH_COMMITS * len(branches))
        taken: set[str] = set()
        found = {}
        for branch in branches:
            past = set(_past(branch.head, parents)) - taken
            found[branch.name] = tuple(commit for commit in parents if commit in past)[:_BRANCH_COMMITS]
            taken.update(found[branch.name])
        return found


def _past(head: str, parents: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """The commits that can be reached from this one, as far as their parents are known."""
    waiting, seen = [head], {head}
    while waiting:
        commit = waiting.pop()
        if commit in parents:
            yield commit
            further = [parent for parent in parents[commit] if parent not in seen]
            seen.update(further)
            waiting.extend(further)
