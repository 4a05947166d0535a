"""The team's own history as a judge: commits like the question vote for the files they touched."""

from collections import defaultdict
from dataclasses import replace
from math import log, sqrt

from core.embedding.sparse import SparseVector
from core.paths import file_id
from core.store.base import Arm, Scope, Store, document_of
from core.store.known import Memory
from core.types import Filters

_ASKED = 100  # commits that vote
_VOTED = 100  # files that are looked for
_COUNTED = 60.0  # seconds that the number of each file's commits is used: only its logarithm counts


class CommitVotes:
    """Ranks files by the commits that touched them. Raises IndexUnusable."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._counts = Memory(_COUNTED)

    def documents(self, question: SparseVector, scope: Scope) -> list[str]:
        """The ids of the files that are voted for, best first. Whether they are in scope, the caller has to ask.

            votes(f) = sum over commits c that touched f of  score(c) / sqrt(files of c) / (1 + ln(commits of f))

        over the hundred commits whose words are most like the question's. A commit that touched many files says little
        of each, and a file that every commit touches is not meant by any. Only commits that the audience may read vote.
        """
        if not question or scope.filters.branch is not None:
            return []
        commits = replace(scope, filters=_of_commits(scope.filters))
        hits = self._store.rank("documents", [Arm("content", question)], commits, _ASKED)[0]
        passages = self._store.fetch("documents", [hit.id for hit in hits], scope.audience)
        votes: dict[tuple[str, str], float] = defaultdict(float)
        voting: set[str] = set()
        for hit in hits:
            passage = passages.get(hit.id)
            if passage is None or passage.repo is None or document_of(hit.id) in voting:
                continue
            voting.add(document_of(hit.id))
            for path in passage.touched:
                votes[passage.repo, path] += hit.score / sqrt(len(passage.touched))
        if not votes:
            return []
        commits_of = self._counts.get(commits, lambda: self._store.names("touched", commits))
        weighed = {file: vote / (1 + log(max(commits_of.get(file[1], 1), 1))) for file, vote in votes.items()}
        best = sorted(weighed, key=lambda file: (-weighed[file], file))[:_VOTED]
        return [file_id(repo, path) for repo, path in best]


def _of_commits(filters: Filters) -> Filters:
    """What narrows the question narrows its judges too, but for what only a file has."""
    return replace(filters, kinds=frozenset({"commit"}), path=None, languages=frozenset())
