"""Git as a source: the baseline branch in full, branches in development as what differs, and the latest commits."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

import structlog

from core.connectors.base import Labels, fingerprint
from core.connectors.git_documents import Documents, Line
from core.connectors.git_listing import Contents, Listing
from core.connectors.git_reader import Reader
from core.connectors.git_state import Branch, State, state_of
from core.errors import SourceGone
from core.mirror import Mirror, Tip
from core.parsing.parsed import ReadFile
from core.types import Document

_RULES = "3"  # changes with what is made a document, so that a cursor of before is of no use

log = structlog.get_logger(__name__)


class GitConnector:
    """A repository. `mark` fetches; all else reads the mirror as it was then.

    `name` is the repository's as well as the source's. `branch` is the baseline, the origin's default if None.
    `branches` are globs of the branches in development, of which the `most_branches` newest are read. `link` is the
    address of a file's page with `{branch}` and `{path}` (a `{line}` is left for who knows the line), `commit_link` of
    a commit's with `{sha}`. `commits` is how many of the latest are documents. `projects` are the projects whose
    tickets are named in commits and branches. `read` reads the files that are prose; without it they are taken as they
    are.
    """

    def __init__(
        self,
        name: str,
        mirror: Mirror,
        *,
        branch: str | None = None,
        branches: Sequence[str] = (),
        most_branches: int = 20,
        link: str = "",
        commit_link: str = "",
        commits: int = 5_000,
        projects: Collection[str] = (),
        read: ReadFile | None = None,
    ) -> None:
        self._name = name
        self._mirror = mirror
        self._branch = branch
        self._branches = branches
        self._most_branches = most_branches
        self._documents = Documents(name, link=link, commit_link=commit_link, projects=projects, read=read)
        self._reader = Reader(mirror, self._documents)
        self._listing = Listing(mirror, commits)
        self._merge_base = lru_cache(1_000)(mirror.merge_base)
        limits = (str(commits), str(most_branches))
        self._rules = fingerprint(_RULES, *limits, link, commit_link, *sorted(projects), "", *branches)
        self._marked: State | None = None

    @property
    def name(self) -> str:
        return self._name

    def mark(self) -> str:
        self._mirror.fetch(default_branch=self._branch is None)
        self._marked, left = self._state()
        if left:
            log.warning("branches not read", source=self._name, branches=left, most=self._most_branches)
        if self._marked.commit is None:
            log.warning("repository without a commit", source=self._name)
        return self._marked.cursor()

    def load(self) -> Iterator[Document]:
        state = self._now()
        return self._reader.changes(state, self._listing.contents(state), Contents(), None)

    def changed_since(self, cursor: str) -> Iterator[Document]:
        now, before = self._now(), self._before(cursor)
        if before is None:
            return self.load()
        if before.commit and not now.commit:
            raise SourceGone(f"{self._name} has no commit any more")
        if before == now:
            return iter(())
        try:
            contents, contents_before = self._both(now, before)
        except SourceGone:  # history was rewritten and the old commits are no more
            return self.load()
        return self._reader.changes(now, contents, contents_before, before.commit)

    def removed_since(self, cursor: str, known: Collection[str]) -> set[str]:
        del known
        now, before = self._now(), self._before(cursor)
        if before is None or before == now:
            return set()
        try:
            contents, contents_before = self._both(now, before)
        except SourceGone:
            return set()
        return self._ids(before, contents_before) - self._ids(now, contents)

    def ids(self) -> set[str]:
        state = self._now()
        return self._ids(state, self._listing.contents(state))

    def labels_now(self, ids: Iterable[str]) -> Labels:
        try:
            state, _ = self._state()
            known = self._ids(state, self._listing.contents(state))
        except SourceGone:  # the branch is no more, and all of it with it
            known = set()
        return {document: self._documents.labels if document in known else None for document in ids}

    def total(self) -> int | None:
        return len(self.ids())

    def left_out(self) -> Mapping[str, int]:
        """How many files are no documents, by reason: pictures, office files, generated or copied files."""
        return self._listing.contents(self._now()).left_out

    def _both(self, now: State, before: State) -> tuple[Contents, Contents]:
        """The contents of two states, but for the files of branches that are the same in both."""
        same = frozenset(now.branches) & frozenset(before.branches)
        return self._listing.contents(now, same), self._listing.contents(before, same)

    def _now(self) -> State:
        """As it was marked; as the mirror is, if it was not."""
        return self._marked or self._state()[0]

    def _before(self, cursor: str) -> State | None:
        """The state that a cursor stands for; None if documents of that time are made otherwise now."""
        before, now = state_of(cursor), self._now()
        return before if before and (before.rules, before.baseline) == (now.rules, now.baseline) else None

    def _state(self) -> tuple[State, int]:
        """The mirror's state, and how many branches are beyond the limit."""
        name = self._branch or self._mirror.default_branch()
        tips = self._mirror.branches()
        if not tips:
            return State(self._rules, name, None), 0
        commit = next((tip.commit for tip in tips if tip.name == name), None) or self._mirror.head(name)
        wanted = self._in_development(name, commit)
        branches = [
            Branch(tip.name, tip.commit, self._merge_base(tip.commit, commit)) for tip in wanted[: self._most_branches]
        ]
        state = State(self._rules, name, commit, tuple(sorted(branches, key=lambda branch: branch.name)))
        return state, len(wanted) - len(branches)

    def _in_development(self, baseline: str, commit: str) -> list[Tip]:
        """Branches that match a pattern and hold what the baseline does not, newest first."""
        tips = self._mirror.branches(unmerged=commit) if self._branches else []
        return [tip for tip in tips if tip.name != baseline and any(fnmatchcase(tip.name, p) for p in self._branches)]

    def _ids(self, state: State, contents: Contents) -> set[str]:
        make = self._documents
        found = {make.file_id(Line(state.baseline), path) for path in contents.files}
        found.update(map(make.commit_id, contents.commits))
        for name, side in contents.sides.items():
            line = Line(name, development=True)
            found.update(make.file_id(line, path) for path in [*side.files, *side.removed])
            found.update(map(make.commit_id, side.commits))
        return found
